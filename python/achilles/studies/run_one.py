"""One run in this process: complete input in, plain result out. Workers of every kind call `execute`."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import shlex
import tempfile
import threading
import time
from typing import Any

import achilles

from .expression import Expression, ExpressionError
from .plan import Run, SceneFiles
from .store import FAILED, flatten
from .study import Limits

CURVE_POINTS = 200  # of a kept curve


def unpack_scene(files: SceneFiles, folder: pathlib.Path) -> pathlib.Path:
    """Writes the scene's files below the folder, once per content; returns the path of the scene."""
    return write_scene(files, folder / files.digest[:24])


def write_scene(files: SceneFiles, root: pathlib.Path) -> pathlib.Path:
    """Writes the scene and what it refers to below `root`, each name in its relation to the scene; returns the path of
    the scene. What is there stays. Files with absolute names are not written: they have to be there."""
    names = [name for name in files.contents if not os.path.isabs(name)]
    up = max(pathlib.PurePosixPath(os.path.normpath(name)).parts.count("..") for name in names)
    home = root.resolve().joinpath(*["scene"] * up)  # ../meshes/a.obj stays below the root
    for name in names:
        path = pathlib.Path(os.path.normpath(home / name))
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
        part.write_bytes(files.contents[name])
        part.replace(path)
    return home / files.main


def save_failed(run: Run, files: SceneFiles, results: pathlib.Path) -> str:
    """Keeps the scene of a run that crashed, hung or took all memory, with the command that runs it; returns the
    folder's path within the results."""
    folder = results / FAILED / run.id
    scene = write_scene(files, folder).relative_to(folder.resolve())
    words = ["achilles", "run", str(scene)]
    if run.method is not None:
        options = json.dumps({"name": run.method, **run.method_options})
        words += ["--set", f"method={options}"] if run.method_options else ["--method", run.method]
    for path, value in run.overrides.items():
        words += ["--set", f"{path}={json.dumps(value)}"]
    lines = [shlex.join(words)]
    if any(run.perturbation.values()):
        lines += ["# from a perturbed start, which this command repeats:",
                  shlex.join(["achilles", "sweep", "replay", str(results), run.id])]
    (folder / "command").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{FAILED}/{run.id}"


def load_scene(run: Run, scene_path: str) -> Any:
    """The scene with the run's method and overrides. Raises achilles.SceneError."""
    overrides = dict(run.overrides)
    if run.method is not None:
        overrides.update({"method": {"name": run.method, **run.method_options}} if run.method_options
                         else {"method.name": run.method})
    return achilles.load(scene_path, overrides)


def execute(
    run: Run, scene_path: str, *, curves: tuple[str, ...] = (), figures: tuple[str, ...] = (),
    success: str = "stopped == null", recording: str = "never", recording_path: str | None = None,
    limits: Limits = Limits(),
) -> dict[str, Any]:
    """Runs; returns id, status, message, figures, curves, success, state_hash, wall_seconds and, where one was written,
    the name of the recording. Whatever goes wrong is in status and message: no run ends the worker that executes it."""
    began = time.perf_counter()
    result: dict[str, Any] = {"id": run.id, "status": "done", "message": "", "figures": {}, "curves": {},
                              "success": False, "state_hash": ""}
    try:
        scene = load_scene(run, scene_path)
        simulation = achilles.Simulation(scene)
        _perturb(simulation, run)
        kept = _advance(simulation, scene, curves)
        report = simulation.report()
        result.update(figures=_select(report, figures), curves=kept, state_hash=f"{simulation.state_hash():016x}")
        if report.get("stopped"):
            result.update(status="stopped", message=report["stopped"].get("message", ""))
        result["success"] = bool(Expression(success).evaluate(report))
    except (achilles.SceneError, ValueError) as error:
        status = "judged wrongly" if isinstance(error, ExpressionError) else "refused"
        result.update(status=status, message=str(error))
    except MemoryError:
        result.update(status="out of memory", message="the run needs more than limits.memory",
                      limits=dataclasses.asdict(limits))
    except Exception as error:
        result.update(status="crashed", message=f"{type(error).__name__}: {error}")
    result["wall_seconds"] = time.perf_counter() - began
    wanted = recording == "always" or (recording == "on-failure" and not result.get("success"))
    if wanted and recording_path and result["status"] in ("done", "stopped"):
        try:
            record(run, scene_path, recording_path)
            result["recording"] = os.path.basename(recording_path)
        except Exception as error:  # a full disk, for instance
            result["message"] += f"{'; ' if result['message'] else ''}not recorded: {error}"
    return result


def _select(report: dict[str, Any], figures: tuple[str, ...]) -> dict[str, Any]:
    """The figures asked for by dotted name, or all numbers, words and truth values but those of single bodies."""
    if not figures:
        flat = flatten({key: value for key, value in report.items() if key not in ("bodies", "pairs", "warnings")})
        return {name: value for name, value in flat.items() if value is not None}
    return {name: Expression(name).evaluate(report) for name in figures}


def _perturb(simulation: Any, run: Run) -> None:
    """Adds the perturbation to the start of the bodies that move freely."""
    if not any(run.perturbation.values()):
        return
    import numpy

    random = numpy.random.Generator(numpy.random.PCG64(run.seed))
    for index in range(len(simulation)):
        body = simulation.body(index)
        # The same numbers are drawn for every body, so that one body's kind does not shift the others' draws.
        position, tilt, velocity = (random.standard_normal(3) for _ in range(3))
        if body.kind != "dynamic":
            continue
        if run.perturbation.get("position"):
            body.position = numpy.asarray(body.position) + run.perturbation["position"] * position
        if run.perturbation.get("tilt"):
            body.orientation = _rotate(run.perturbation["tilt"] * tilt, numpy.asarray(body.orientation))
        if run.perturbation.get("velocity"):
            body.velocity = numpy.asarray(body.velocity) + run.perturbation["velocity"] * velocity


def _rotate(rotation: Any, orientation: Any) -> Any:
    """The rotation vector [rad] applied after the orientation [w, x, y, z]."""
    import numpy

    angle = float(numpy.linalg.norm(rotation))
    axis = rotation / angle if angle > 0 else rotation
    w, v = numpy.cos(angle / 2), numpy.sin(angle / 2) * axis
    q = numpy.concatenate([[w * orientation[0] - v @ orientation[1:]],
                           w * orientation[1:] + orientation[0] * v + numpy.cross(v, orientation[1:])])
    return q / numpy.linalg.norm(q)


_CURVES = {
    "energy": lambda simulation, report: simulation.kinetic_energy() + simulation.potential_energy(),
    "kinetic": lambda simulation, report: simulation.kinetic_energy(),
    "potential": lambda simulation, report: simulation.potential_energy(),
    "penetration": lambda simulation, report: simulation.penetration(),
    "contacts": lambda simulation, report: report.contacts,
    "residual": lambda simulation, report: report.residual,
    "iterations": lambda simulation, report: report.iterations,
    "joint_error": lambda simulation, report: report.joint_error,
}


def _advance(simulation: Any, scene: Any, curves: tuple[str, ...]) -> dict[str, list[float]]:
    if not curves:
        simulation.run()
        return {}
    kept: dict[str, list[float]] = {"time": [], **{name: [] for name in curves}}
    steps = max(1, round(scene.duration / scene.step))
    chunk = max(1, steps // CURVE_POINTS)
    done = 0
    while done < steps:
        count = min(chunk, steps - done)
        report = simulation.step(count)
        done += count
        kept["time"].append(simulation.time)
        for name in curves:
            kept[name].append(float(_CURVES[name](simulation, report)))
        if simulation.stopped is not None:
            break
    return kept


def record(run: Run, scene_path: str, path: str) -> None:
    """Runs again, recording: the same bits, while the runs of a sweep that are not kept write no file."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    with achilles.Simulation(load_scene(run, scene_path), record=path) as simulation:
        _perturb(simulation, run)
        simulation.run()


def scratch_folder() -> pathlib.Path:
    """Where this machine keeps unpacked scenes."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"achilles-scenes-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
