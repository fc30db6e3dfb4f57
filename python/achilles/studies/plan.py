"""From a study to its runs: samples, complete inputs and their identities.

The identity of a run is a hash of everything its result depends on: the bytes of the scene and of the files it refers
to, the overrides, the perturbation with its seed, what is kept, the criterion of success, and the version of the library.
Limits are not part of it: a run that ended within its limits is the same run under wider ones.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
import pathlib
import random
from typing import Any, Iterator

import achilles

from .study import METHOD, SCENE, Study, StudyError


@dataclasses.dataclass(frozen=True)
class SceneFiles:
    """The scene and what it refers to, as bytes, so that another machine can run it."""

    main: str  # name of the scene within `contents`
    contents: dict[str, bytes]  # by path relative to the common folder

    @functools.cached_property
    def digest(self) -> str:
        text = hashlib.sha256()
        for name in sorted(self.contents):
            text.update(f"{name}\0{len(self.contents[name])}\0".encode())
            text.update(self.contents[name])
        return text.hexdigest()


@dataclasses.dataclass(frozen=True)
class Run:
    """The complete input of one run."""

    id: str
    index: int
    scene: str  # its name in the study
    inputs: dict[str, Any]  # what varies, by path, and "repeat"
    overrides: dict[str, Any]  # of the scene, without the method
    method: str | None
    method_options: dict[str, Any]
    perturbation: dict[str, float]
    seed: int
    group: str = ""  # what it has in common with the other runs of its scene


def read_scene_files(path: pathlib.Path, overrides: dict[str, Any] | None = None) -> SceneFiles:
    """The scene and every file that it names. A robot file (URDF, MJCF, SDF) travels as the scene that it becomes."""
    data = path.read_bytes()
    try:
        scene = achilles.load(path, overrides)
    except achilles.SceneError:
        return SceneFiles(path.name, {path.name: data})  # the run that reads it reports what is wrong
    name = path.name
    if data.lstrip().startswith(b"<"):
        name, data = path.name + ".yaml", scene.text.encode()
    return SceneFiles(name, {**scene.files, name: data})


def read_all_scenes(study: Study) -> dict[str, SceneFiles]:
    """The files of every scene of the study, by its name there."""
    scenes = {}
    for label, path in study.scenes.items():
        files = read_scene_files(path, study.first_values)
        for parameter in study.parameters:
            if parameter.path.endswith(".file"):
                files.contents.update({name: (path.parent / name).read_bytes() for name in parameter.values})
        scenes[label] = files
    return scenes


def count_runs(study: Study) -> int:
    samples = study.count
    if study.sampling == "grid":
        samples = 1
        for parameter in study.parameters:
            samples *= len(parameter.values)
    return samples * study.repeats


def list_runs(study: Study, files: dict[str, SceneFiles], version: str) -> Iterator[Run]:
    """The runs in a fixed order; lazily, because a study may have millions."""
    groups = {name: make_group(study, scene, version) for name, scene in files.items()}
    index = 0
    for sample in _draw_samples(study):
        for repeat in range(study.repeats):
            inputs = dict(zip((p.path for p in study.parameters), sample))
            if study.repeats > 1:
                inputs["repeat"] = repeat
            scene = inputs.get(SCENE, next(iter(files)))
            yield _make_run(study, scene, groups[scene], index, inputs, repeat)
            index += 1


def make_group(study: Study, scene: SceneFiles, version: str) -> str:
    """The hash of what all runs of a scene in a study have in common."""
    common = [study.keep, study.curves, study.recording, study.success, study.fixed]
    text = f"{version}\0{scene.main}\0{scene.digest}\0{json.dumps(common, sort_keys=True)}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def make_id(group: str, *inputs: Any) -> str:
    """The identity of a run."""
    return hashlib.sha256(f"{group}\0{json.dumps(inputs, sort_keys=True)}".encode()).hexdigest()[:24]


def _make_run(study: Study, scene: str, group: str, index: int, inputs: dict[str, Any], repeat: int) -> Run:
    overrides = dict(study.fixed)
    overrides.update({path: value for path, value in inputs.items() if path not in (METHOD, SCENE, "repeat")})
    method = inputs.get(METHOD, overrides.pop(METHOD, None))
    options: dict[str, Any] = {}
    if isinstance(method, dict):
        options = {key: value for key, value in method.items() if key != "name"}
        method = method.get("name")
    # The seed depends on the repeat alone: the same perturbation under every method and parameter.
    seed = int.from_bytes(hashlib.sha256(f"{study.seed}:{repeat}".encode()).digest()[:8], "little")
    name = make_id(group, overrides, method, options, study.perturbation, seed)
    return Run(name, index, scene, inputs, overrides, method, options, study.perturbation, seed, group)


def _draw_samples(study: Study) -> Iterator[tuple[Any, ...]]:
    parameters = study.parameters
    if study.sampling == "grid":
        yield from itertools.product(*(parameter.values for parameter in parameters))
        return
    if study.sampling == "random":
        generator = random.Random(study.seed)
        for _ in range(study.count):
            yield tuple(parameter.draw(generator.random()) for parameter in parameters)
        return
    for point in _draw_low_discrepancy(study):
        yield tuple(parameter.draw(float(u)) for parameter, u in zip(parameters, point))


def _draw_low_discrepancy(study: Study) -> Any:
    try:
        from scipy.stats import qmc
    except ImportError:
        raise StudyError([
            f"sample.kind {study.sampling} needs SciPy (Debian: python3-scipy, PyPI: scipy); "
            "kind 'random' does without it."
        ]) from None
    dimension = len(study.parameters)
    if study.sampling == "latin-hypercube":
        return qmc.LatinHypercube(d=dimension, seed=study.seed).random(study.count)
    sequence = qmc.Sobol(d=dimension, scramble=True, seed=study.seed)
    exponent = max(study.count - 1, 0).bit_length()
    return sequence.random_base2(exponent)[: study.count]
