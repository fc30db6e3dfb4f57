"""Ready studies: convergence in the step, and sensitivity to parameters."""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
from typing import Any

import achilles

from .cluster import run_on_cluster
from .expression import Expression, ExpressionError
from .local import run_locally
from .plan import Run, make_id, read_scene_files
from .runner import print_notice
from .study import Limits, StudyError
from .task import Task


@dataclasses.dataclass(frozen=True)
class Level:
    step: float  # [s]
    value: float  # of the figure; NaN where the run gave none
    message: str = ""


@dataclasses.dataclass(frozen=True)
class Convergence:
    """The figure of one method at halved steps."""

    method: str
    levels: list[Level]
    order: float  # observed from the last three levels; NaN where they give none
    extrapolated: float  # [Richardson] from the last two levels and the order
    is_settled: bool  # the figure changed by less than the tolerance the last two times that the step was halved

    def describe(self) -> str:
        lines = [f"{self.method}:", f"  {'step [s]':>12} {'figure':>16} {'change':>12}"]
        for k, level in enumerate(self.levels):
            change = f"{level.value - self.levels[k - 1].value:>12.3e}" if k else f"{'':>12}"
            lines.append(f"  {level.step:>12.5g} {level.value:>16.9g} {change}  {level.message}".rstrip())
        order = "no observed order" if math.isnan(self.order) else f"observed order {self.order:.2f}"
        state = "settled" if self.is_settled else "not settled"
        limit = "" if math.isnan(self.extrapolated) else f", limit about {self.extrapolated:.9g}"
        lines.append(f"  {state}, {order}{limit}")
        return "\n".join(lines)


def observe_order(values: list[float]) -> float:
    """p of  f(h) = f₀ + c hᵖ  from f(4h), f(2h), f(h):  2ᵖ = (f(4h) − f(2h)) / (f(2h) − f(h))."""
    if len(values) < 3:
        return math.nan
    coarse, fine = values[-3] - values[-2], values[-2] - values[-1]
    if not (math.isfinite(coarse) and math.isfinite(fine)) or fine == 0 or coarse / fine <= 0:
        return math.nan
    return math.log2(coarse / fine)


@dataclasses.dataclass(frozen=True)
class Job:
    """A run of a ready study: what its scene gets besides what the user sets."""

    method: str | None
    values: dict[str, Any]


class Runner:
    """Runs of one scene for one figure, on the cores of this machine or on a cluster."""

    def __init__(self, scene: str | os.PathLike[str], figure: str, overrides: dict[str, Any] | None, *,
                 workers: int | None, cluster: str | None, limit: float):
        try:
            Expression(figure)
        except ExpressionError as error:
            raise StudyError([f"--figure: {error}"]) from None
        self.path = pathlib.Path(scene).resolve()
        self.figure = figure
        self.overrides = overrides or {}
        self.workers = workers or os.cpu_count() or 1
        self.cluster = cluster
        self.files = {"": read_scene_files(self.path, self.overrides)}
        self.task = Task({"": str(self.path)}, (), (figure,), "stopped == null", "never", "", Limits(time=limit))

    def run(self, jobs: list[Job]) -> list[Level]:
        """The figure of each job; NaN with a message where a run gave no number."""
        scene = self.files[""]
        group = f"{achilles.__version__}\0{scene.main}\0{scene.digest}\0{self.figure}"
        runs = []
        for k, job in enumerate(jobs):
            values = {**self.overrides, **job.values}
            runs.append(Run(make_id(group, k, values, job.method), k, "", {}, values, job.method, {}, {}, 0))
        if self.cluster:
            results = run_on_cluster(runs, self.files, self.task, self.cluster, print_notice)
        else:
            results = run_locally(runs, self.task, self.workers)
        found: dict[int, Level] = {}
        for run, result in results:
            value = result["figures"].get(self.figure)
            good = isinstance(value, (int, float)) and not isinstance(value, bool)
            message = result["message"] if result["status"] != "done" else ""
            found[run.index] = Level(run.overrides.get("time.step", math.nan), float(value) if good else math.nan, message)
        return [found[k] for k in range(len(jobs))]

    def check(self, levels: list[Level]) -> None:
        """Raises StudyError where no run gave a number."""
        if all(math.isnan(level.value) for level in levels):
            raise StudyError([f"no run gave a number for '{self.figure}': {levels[0].message}"])


_AT_ONCE = 3  # levels that every judgment needs


def converge(
    scene: str | os.PathLike[str], figure: str, *, methods: list[str] | None = None, levels: int = 6,
    tolerance: float = 1e-3, overrides: dict[str, Any] | None = None, workers: int | None = None,
    cluster: str | None = None, limit: float = 600.0,
) -> list[Convergence]:
    """Halves the step, and with it the tolerances of the method, until `figure`, an expression on the report, settles to
    the relative tolerance.

    Three levels of all methods are run side by side, then one more of those methods that have not settled; `levels`
    bounds them. A level costs as much as all before it: none is run that is not needed.
    """
    runner = Runner(scene, figure, overrides, workers=workers, cluster=cluster, limit=limit)
    base = achilles.load(runner.path, runner.overrides)
    names = methods or [base.method]
    known = achilles.methods()
    unknown = [f"there is no method '{name}'; there are {', '.join(known)}" for name in names if name not in known]
    if unknown:
        raise StudyError(unknown)
    found: list[list[Level]] = [[] for _ in names]
    for first in (0, *range(_AT_ONCE, levels)):
        last = min(levels, _AT_ONCE) if first == 0 else first + 1
        open_methods = [m for m in range(len(names)) if first == 0 or _is_open(found[m], tolerance)]
        places = [(m, level) for m in open_methods for level in range(first, last)]
        results = runner.run([Job(names[m], _refine(base, names[m], level)) for m, level in places])
        for (m, _), result in zip(places, results):
            found[m].append(result)
        if first == 0:
            runner.check(results)
    return [_judge(name, found[m], tolerance) for m, name in enumerate(names)]


def _refine(base: Any, method: str, level: int) -> dict[str, float]:
    """Step and tolerances at a level. The tolerances start below the errors of a step, and no method is of higher order
    at contacts: divided like the step they stay below."""
    given = base.tree.get("method")
    own = given if isinstance(given, dict) and given.get("name") == method else {}
    refined = {"time.step": base.step / 2**level}
    for name, option in achilles.methods()[method]["options"].items():
        if name.endswith("tolerance"):
            value = own.get(name, option["default"]) / 2**level
            refined[f"method.{name}"] = max(value, option["minimum"])
    return refined


def _is_settled(levels: list[Level], tolerance: float) -> bool:
    """Whether the figure changed by less than the tolerance the last two times that the step was halved."""
    if len(levels) < _AT_ONCE:
        return False
    scale = max(abs(levels[-1].value), abs(levels[-2].value))
    return all(abs(levels[k].value - levels[k - 1].value) <= tolerance * scale for k in (-2, -1))


def _is_open(levels: list[Level], tolerance: float) -> bool:
    """Whether a smaller step may settle the figure: not where no step gave one."""
    return not _is_settled(levels, tolerance) and any(math.isfinite(level.value) for level in levels)


def _judge(method: str, levels: list[Level], tolerance: float) -> Convergence:
    is_settled = _is_settled(levels, tolerance)
    values = [level.value for level in levels]
    order = observe_order(values)
    limit = math.nan
    if not math.isnan(order) and order > 0:
        limit = values[-1] + (values[-1] - values[-2]) / (2**order - 1)
    return Convergence(method, levels, order, limit, is_settled)


@dataclasses.dataclass(frozen=True)
class Effect:
    """What a parameter does to the figure between the ends of its range, the others at their middle."""

    parameter: str
    low: float
    high: float
    value_low: float
    value_middle: float
    value_high: float

    @property
    def size(self) -> float:
        values = [v for v in (self.value_low, self.value_middle, self.value_high) if math.isfinite(v)]
        return max(values) - min(values) if values else math.nan


def sensitivity(
    scene: str | os.PathLike[str], figure: str, over: dict[str, tuple[float, float]], *, method: str | None = None,
    overrides: dict[str, Any] | None = None, workers: int | None = None, cluster: str | None = None,
    limit: float = 600.0,
) -> list[Effect]:
    """Ranks parameters, each with its range, by how far the figure moves; the largest first."""
    runner = Runner(scene, figure, overrides, workers=workers, cluster=cluster, limit=limit)
    if method is not None and method not in achilles.methods():
        raise StudyError([f"there is no method '{method}'; there are {', '.join(achilles.methods())}"])
    middle = {name: 0.5 * (low + high) for name, (low, high) in over.items()}
    points: list[dict[str, float]] = [middle]
    for name, ends in over.items():
        points += [{**middle, name: end} for end in ends]
    found = runner.run([Job(method, point) for point in points])
    runner.check(found)
    effects = [
        Effect(name, low, high, found[1 + 2 * k].value, found[0].value, found[2 + 2 * k].value)
        for k, (name, (low, high)) in enumerate(over.items())
    ]
    return sorted(effects, key=lambda effect: -effect.size if math.isfinite(effect.size) else math.inf)
