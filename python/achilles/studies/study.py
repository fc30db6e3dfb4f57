"""The study file: what varies, how often, within which limits. Every key is checked, as in a scene.

All errors of a file are reported at once, each with file, line, the value found and what is allowed.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib.util
import math
import pathlib
import re
from typing import Any

for _module, _debian, _pypi in (("yaml", "python3-yaml", "pyyaml"), ("numpy", "python3-numpy", "numpy")):
    if importlib.util.find_spec(_module) is None:
        raise ImportError(f"studies need {_pypi} (Debian: {_debian}, PyPI: {_pypi})")

import yaml  # noqa: E402

from .expression import Expression, ExpressionError

VERSION = 1
METHOD = "method"  # the parameter that names the method; its values may be mappings with options
SCENE = "scene"  # the parameter that names the scene, where the study has several
SAMPLINGS = ("grid", "random", "latin-hypercube", "sobol")
RECORDINGS = ("never", "on-failure", "always")
PERTURBATIONS = {
    "position": "standard deviation of the start positions [m]",
    "tilt": "standard deviation of the start orientations [rad]",
    "velocity": "standard deviation of the start velocities [m/s]",
}


class StudyError(ValueError):
    """A study file that cannot be run. `problems` has one line per mistake."""

    def __init__(self, problems: list[str]):
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One thing that varies: a path of the scene, as `achilles run --set` takes it, or `method`.

    Exactly one of `values` and `distribution` is given. A grid needs values; a distribution maps u in (0, 1) to a value.
    """

    path: str
    values: tuple[Any, ...] = ()
    distribution: str = ""  # "uniform", "log-uniform", "normal", "choice"
    numbers: tuple[float, ...] = ()  # bounds, or mean and standard deviation
    is_integer: bool = False

    def draw(self, u: float) -> Any:
        """The value whose cumulative probability is u."""
        if not self.distribution or self.distribution == "choice":
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        if self.distribution == "normal":
            import statistics

            return statistics.NormalDist(*self.numbers).inv_cdf(min(max(u, 1e-12), 1 - 1e-12))
        low, high = self.numbers
        if self.is_integer:
            return int(min(math.floor(low + u * (high - low + 1)), high))
        if self.distribution == "log-uniform":
            return low * (high / low) ** u
        return low + u * (high - low)


@dataclasses.dataclass(frozen=True)
class Limits:
    time: float = 600.0  # [s] wall time of one run
    memory: float = 4e9  # [bytes] of one worker


@dataclasses.dataclass(frozen=True)
class Study:
    """A checked study. `scenes` maps the names in the file to absolute paths; everything else is as in the file."""

    name: str
    scenes: dict[str, pathlib.Path]
    parameters: tuple[Parameter, ...]
    fixed: dict[str, Any]
    sampling: str = "grid"
    count: int = 0  # samples; 0 for a grid
    seed: int = 0
    repeats: int = 1
    perturbation: dict[str, float] = dataclasses.field(default_factory=dict)
    keep: tuple[str, ...] = ()  # figures of the report; empty: all numbers
    curves: tuple[str, ...] = ()
    recording: str = "never"
    limits: Limits = Limits()
    success: str = "stopped == null"
    source: str = ""  # the text of the file

    @property
    def first_values(self) -> dict[str, Any]:
        """What `set` gives, and of all that varies the first value or the median, without the method."""
        first = {each.path: each.values[0] if each.values else each.draw(0.5) for each in self.parameters}
        return {key: value for key, value in {**self.fixed, **first}.items() if key not in (METHOD, SCENE)}

    @staticmethod
    def load(path: str | pathlib.Path) -> "Study":
        path = pathlib.Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise StudyError([f"{path}: {error.strerror}"]) from None
        except UnicodeDecodeError as error:
            raise StudyError([f"{path}: {error}"]) from None
        return parse(text, path)

    @staticmethod
    def load_copy(path: pathlib.Path, scenes: dict[str, pathlib.Path]) -> "Study":
        """A copy of a study file that lies elsewhere than the original; `scenes` are those of the original."""
        return parse(path.read_text(encoding="utf-8"), path, scenes)


class _Node:
    """A YAML node with its line, converted to plain data on demand."""

    def __init__(self, node: yaml.Node):
        self.node = node
        self.line = node.start_mark.line + 1

    @property
    def value(self) -> Any:
        # The loader of plain data only: no tag constructs an object.
        loader = yaml.SafeLoader("")
        try:
            return _resolve_numbers(loader.construct_object(self.node, deep=True))
        finally:
            loader.dispose()

    def items(self) -> list[tuple[str, int, "_Node"]]:
        return [(str(key.value), key.start_mark.line + 1, _Node(value)) for key, value in self.node.value]

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")


def _resolve_numbers(value: Any) -> Any:
    """YAML 1.1 reads 1e-3 as a word; a scene file reads it as a number."""
    if isinstance(value, str) and _NUMBER.match(value):
        return float(value)
    if isinstance(value, list):
        return [_resolve_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: _resolve_numbers(item) for key, item in value.items()}
    return value


class _Reader:
    """Collects the problems of one file."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.problems: list[str] = []

    def complain(self, line: int, what: str) -> None:
        self.problems.append(f"{self.path}:{line}: {what}")

    def unknown(self, line: int, key: str, where: str, allowed: list[str]) -> None:
        near = difflib.get_close_matches(key, allowed, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        self.complain(line, f"unknown key '{key}' in {where}{hint} Allowed: {', '.join(sorted(allowed))}.")

    def mapping(self, node: _Node, where: str, allowed: list[str]) -> dict[str, _Node]:
        if not node.is_mapping:
            self.complain(node.line, f"{where} is a mapping with the keys {', '.join(sorted(allowed))}.")
            return {}
        found: dict[str, _Node] = {}
        for key, line, value in node.items():
            if key not in allowed:
                self.unknown(line, key, where, allowed)
            elif key in found:
                self.complain(line, f"'{key}' stands twice in {where}.")
            else:
                found[key] = value
        return found

    def number(self, node: _Node, what: str, low: float, high: float = math.inf, *, open_low: bool = False) -> float:
        value = node.value
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not good or value < low or value > high or (open_low and value == low):
            bound = f"above {low:g}" if open_low else f"from {low:g}"
            upper = "" if high == math.inf else f" to {high:g}"
            self.complain(node.line, f"{what}: found {value!r}, allowed are numbers {bound}{upper}.")
            return max(low, 1.0)
        return float(value)

    def integer(self, node: _Node, what: str, low: int, high: int = 2**31 - 1) -> int:
        value = node.value
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.complain(node.line, f"{what}: found {value!r}, allowed are whole numbers from {low} to {high}.")
            return low
        return value

    def word(self, node: _Node, what: str, allowed: tuple[str, ...]) -> str:
        value = node.value
        if value not in allowed:
            self.complain(node.line, f"{what}: found {value!r}, allowed are {', '.join(allowed)}.")
            return allowed[0]
        return value


def parse(text: str, path: pathlib.Path, scenes: dict[str, pathlib.Path] | None = None) -> Study:
    """Checks the text of a study; raises StudyError with every mistake. `scenes` replaces the paths of the file."""
    reader = _Reader(path)
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise StudyError([f"{path}{line}: {getattr(error, 'problem', None) or error}"]) from None
    if root is None:
        raise StudyError([f"{path}: the file is empty."])
    keys = reader.mapping(_Node(root), "a study", TOP_KEYS)
    if "achilles_study" not in keys:
        reader.complain(1, f"the first line of a study is 'achilles_study: {VERSION}'.")
    elif keys["achilles_study"].value != VERSION:
        reader.complain(keys["achilles_study"].line, f"this program reads studies of version {VERSION}.")
    study = _build(reader, keys, path, text, scenes)
    if reader.problems:
        raise StudyError(reader.problems)
    return study


TOP_KEYS = ["achilles_study", "name", "scene", "set", "vary", "sample", "repeats", "keep", "limits", "success"]


def _build(
    reader: _Reader, keys: dict[str, _Node], path: pathlib.Path, text: str, scenes: dict[str, pathlib.Path] | None
) -> Study:
    scenes = scenes or _read_scenes(reader, keys, path)
    fixed = _read_fixed(reader, keys.get("set"))
    sampling, count, seed = _read_sample(reader, keys.get("sample"))
    parameters = _read_parameters(reader, keys.get("vary"), sampling)
    for parameter in parameters:
        if parameter.path == SCENE:
            reader.complain(keys["vary"].line, "vary.scene: the key 'scene' itself takes a list of files.")
        if parameter.path in fixed:
            reader.complain(keys["set"].line, f"'{parameter.path}' stands in both 'set' and 'vary'.")
    if len(scenes) > 1:
        parameters.insert(0, Parameter(SCENE, tuple(scenes)))
    repeats, perturbation = _read_repeats(reader, keys.get("repeats"))
    keep, curves, recording = _read_keep(reader, keys.get("keep"))
    success = "stopped == null"
    if "success" in keys:
        success = str(keys["success"].value)
        try:
            Expression(success)
        except ExpressionError as error:
            reader.complain(keys["success"].line, f"success: {error}")
    return Study(
        name=str(keys["name"].value) if "name" in keys else path.stem,
        scenes=scenes, parameters=tuple(parameters), fixed=fixed, sampling=sampling, count=count, seed=seed,
        repeats=repeats, perturbation=perturbation, keep=keep, curves=curves, recording=recording,
        limits=_read_limits(reader, keys.get("limits")), success=success, source=text,
    )


def _read_scenes(reader: _Reader, keys: dict[str, _Node], path: pathlib.Path) -> dict[str, pathlib.Path]:
    if "scene" not in keys:
        reader.complain(1, "'scene' is missing: the file of the scene, relative to the study, or a list of files.")
        return {}
    names = keys["scene"].value
    names = names if isinstance(names, list) else [names]
    paths = [(path.parent / str(name)).resolve() for name in names]
    if not paths or len(set(paths)) < len(paths):
        reader.complain(keys["scene"].line, "scene: a file, or a list of different files.")
    stems = [scene.stem for scene in paths]
    labels = stems if len(set(stems)) == len(stems) else [str(name) for name in names]
    scenes = dict(zip(labels, paths))
    for scene in scenes.values():
        if not scene.is_file():
            reader.complain(keys["scene"].line, f"scene: there is no file {scene}.")
    return scenes


def _read_fixed(reader: _Reader, node: _Node | None) -> dict[str, Any]:
    if node is None:
        return {}
    if not node.is_mapping:
        reader.complain(node.line, "'set' maps paths of the scene to values, e.g. time.duration: 2.")
        return {}
    return {key: value.value for key, _, value in node.items()}


def _read_sample(reader: _Reader, node: _Node | None) -> tuple[str, int, int]:
    if node is None:
        return "grid", 0, 0
    keys = reader.mapping(node, "'sample'", ["kind", "count", "seed"])
    kind = reader.word(keys["kind"], "sample.kind", SAMPLINGS) if "kind" in keys else "grid"
    seed = reader.integer(keys["seed"], "sample.seed", 0) if "seed" in keys else 0
    if kind == "grid":
        if "count" in keys:
            reader.complain(keys["count"].line, "sample.count: a grid takes its number of runs from 'vary'.")
        return kind, 0, seed
    if "count" not in keys:
        reader.complain(node.line, f"sample.count is missing: the number of samples of kind {kind}.")
        return kind, 1, seed
    return kind, reader.integer(keys["count"], "sample.count", 1, 10**8), seed


DISTRIBUTIONS = {"uniform": "[low, high]", "log-uniform": "[low, high]", "normal": "[mean, standard deviation]"}


def _read_parameters(reader: _Reader, node: _Node | None, sampling: str) -> list[Parameter]:
    if node is None or not node.is_mapping or not node.node.value:
        reader.complain(node.line if node else 1, "'vary' maps paths of the scene, or 'method', to what they take.")
        return []
    return [
        parameter
        for key, line, value in node.items()
        if (parameter := _read_parameter(reader, key, value, sampling)) is not None
    ]


def _read_parameter(reader: _Reader, path: str, node: _Node, sampling: str) -> Parameter | None:
    where = f"vary.{path}"
    if not node.is_mapping:
        values = node.value
        if not isinstance(values, list) or not values:
            reader.complain(node.line, f"{where}: a list of values, a range or a distribution; found {values!r}.")
            return None
        return Parameter(path, tuple(values))
    keys = reader.mapping(node, where, ["range", "count", "spacing", "values", *DISTRIBUTIONS])
    kinds = [key for key in ("range", "values", *DISTRIBUTIONS) if key in keys]
    if len(kinds) != 1:
        reader.complain(node.line, f"{where}: exactly one of range, values, {', '.join(DISTRIBUTIONS)}.")
        return None
    kind = kinds[0]
    if kind == "values":
        values = keys["values"].value
        if not isinstance(values, list) or not values:
            reader.complain(node.line, f"{where}.values: a list that is not empty.")
            return None
        return Parameter(path, tuple(values))
    pair = keys[kind].value
    if not (isinstance(pair, list) and len(pair) == 2 and all(_is_number(x) for x in pair)):
        reader.complain(keys[kind].line, f"{where}.{kind}: two numbers, {DISTRIBUTIONS.get(kind, '[first, last]')}.")
        return None
    if kind == "range":
        return _read_range(reader, path, keys, pair, sampling)
    return _read_distribution(reader, path, keys[kind], kind, pair, sampling)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _read_range(reader: _Reader, path: str, keys: dict[str, _Node], pair: list, sampling: str) -> Parameter | None:
    where = f"vary.{path}"
    spacing = reader.word(keys["spacing"], f"{where}.spacing", ("linear", "log")) if "spacing" in keys else "linear"
    if spacing == "log" and (pair[0] <= 0 or pair[1] <= 0):
        reader.complain(keys["range"].line, f"{where}.range: logarithmic spacing needs positive ends, found {pair}.")
        return None
    if sampling != "grid":
        if pair[0] >= pair[1]:
            reader.complain(keys["range"].line, f"{where}.range: the first end is below the second, found {pair}.")
            return None
        if "count" in keys:
            reader.complain(keys["count"].line, f"{where}.count: samples are counted by sample.count.")
        is_integer = spacing == "linear" and all(isinstance(x, int) for x in pair)
        return Parameter(path, distribution="log-uniform" if spacing == "log" else "uniform", numbers=tuple(pair),
                         is_integer=is_integer)
    if "count" not in keys:
        reader.complain(keys["range"].line, f"{where}.count is missing: the number of values of the range.")
        return None
    count = reader.integer(keys["count"], f"{where}.count", 1, 10**7)
    return Parameter(path, tuple(spread(pair[0], pair[1], count, spacing)))


def spread(first: float, last: float, count: int, spacing: str = "linear") -> list[float]:
    """`count` values from first to last, both exactly, to twelve digits between; whole numbers stay whole."""
    if count == 1:
        return [first]
    values = []
    for k in range(count):
        t = k / (count - 1)
        value = first * (last / first) ** t if spacing == "log" else first + t * (last - first)
        values.append(float(f"{value:.12g}"))
    values[0], values[-1] = first, last
    if spacing == "linear" and all(isinstance(x, int) for x in (first, last)):
        if all(abs(value - round(value)) < 1e-9 for value in values):
            return [round(value) for value in values]
    return values


def _read_distribution(
    reader: _Reader, path: str, node: _Node, kind: str, pair: list, sampling: str
) -> Parameter | None:
    where = f"vary.{path}.{kind}"
    if sampling == "grid":
        reader.complain(node.line, f"{where}: a distribution needs 'sample' with kind {', '.join(SAMPLINGS[1:])}.")
        return None
    if kind == "normal" and pair[1] <= 0:
        reader.complain(node.line, f"{where}: the standard deviation is positive, found {pair[1]}.")
        return None
    if kind != "normal" and pair[0] >= pair[1]:
        reader.complain(node.line, f"{where}: the first end is below the second, found {pair}.")
        return None
    if kind == "log-uniform" and pair[0] <= 0:
        reader.complain(node.line, f"{where}: both ends are positive, found {pair}.")
        return None
    return Parameter(path, distribution=kind, numbers=tuple(pair))


def _read_repeats(reader: _Reader, node: _Node | None) -> tuple[int, dict[str, float]]:
    if node is None:
        return 1, {}
    if not node.is_mapping:
        if node.value != 1:
            reader.complain(node.line, "repeats: {count: N, perturb: {position: 1e-4}}; without a perturbation every "
                                       "repeat would have the same bits.")
        return 1, {}
    keys = reader.mapping(node, "'repeats'", ["count", "perturb"])
    count = reader.integer(keys["count"], "repeats.count", 1, 10**6) if "count" in keys else 1
    if "perturb" not in keys:
        if count > 1:
            reader.complain(node.line, "repeats.perturb is missing: without it every repeat would have the same bits.")
        return count, {}
    perturb = reader.mapping(keys["perturb"], "'repeats.perturb'", list(PERTURBATIONS))
    return count, {key: reader.number(value, f"repeats.perturb.{key}", 0) for key, value in perturb.items()}


def _read_keep(reader: _Reader, node: _Node | None) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    if node is None:
        return (), (), "never"
    keys = reader.mapping(node, "'keep'", ["figures", "curves", "recording"])
    lists: dict[str, tuple[str, ...]] = {"figures": (), "curves": ()}
    for key in lists:
        if key in keys:
            value = keys[key].value
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                lists[key] = tuple(value)
            else:
                reader.complain(keys[key].line, f"keep.{key}: a list of names, e.g. [penetration.max].")
    unknown = set(lists["curves"]) - set(CURVES)
    if unknown:
        reader.complain(keys["curves"].line, f"keep.curves: {', '.join(sorted(unknown))} is unknown; allowed are "
                                             f"{', '.join(CURVES)}.")
    recording = reader.word(keys["recording"], "keep.recording", RECORDINGS) if "recording" in keys else "never"
    return lists["figures"], lists["curves"], recording


CURVES = ("energy", "kinetic", "potential", "penetration", "contacts", "residual", "iterations", "joint_error")


def _read_limits(reader: _Reader, node: _Node | None) -> Limits:
    if node is None:
        return Limits()
    keys = reader.mapping(node, "'limits'", ["time", "memory"])
    limits = Limits()
    if "time" in keys:
        limits = dataclasses.replace(limits, time=reader.number(keys["time"], "limits.time [s]", 0, open_low=True))
    if "memory" in keys:
        limits = dataclasses.replace(limits, memory=reader.number(keys["memory"], "limits.memory [bytes]", 1e7))
    return limits
