"""Ready studies: convergence in the step, and sensitivity to parameters."""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
from typing import Any

import achilles

from .expression import Expression, ExpressionError
from .local import run_locally
from .plan import Run
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
    is_settled: bool  # the last halving changed the figure by less than the tolerance

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


def _run_all(scene: str, runs: list[Run], figure: str, workers: int | None, limit: float) -> dict[int, Level]:
    try:
        Expression(figure)
    except ExpressionError as error:
        raise StudyError([f"--figure: {error}"]) from None
    task = Task({"": scene}, (), (figure,), "stopped == null", "never", "", Limits(time=limit))
    found: dict[int, Level] = {}
    for run, result in run_locally(runs, task, workers or os.cpu_count() or 1):
        value = result["figures"].get(figure)
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        message = result["message"] if result["status"] != "done" else ""
        found[run.index] = Level(run.overrides.get("time.step", math.nan), float(value) if good else math.nan, message)
    if all(math.isnan(level.value) for level in found.values()):
        raise StudyError([f"no run gave a number for '{figure}': {found[0].message}"])
    return found


def converge(
    scene: str | os.PathLike[str], figure: str, *, methods: list[str] | None = None, levels: int = 6,
    tolerance: float = 1e-3, overrides: dict[str, Any] | None = None, workers: int | None = None, limit: float = 600.0,
) -> list[Convergence]:
    """Halves the step, and with it the tolerances of the method, until `figure`, an expression on the report, settles to
    the relative tolerance.

    All levels of all methods are run side by side; `levels` bounds them.
    """
    path = str(pathlib.Path(scene).resolve())
    base = achilles.load(path, overrides or {})
    names = methods or [base.method]
    runs = [
        Run(f"{k}", k, "", {}, {**(overrides or {}), **_refine(base, name, level)}, name, {}, {}, 0)
        for k, (name, level) in enumerate((name, level) for name in names for level in range(levels))
    ]
    found = _run_all(path, runs, figure, workers, limit)
    return [_judge(name, [found[levels * m + k] for k in range(levels)], tolerance) for m, name in enumerate(names)]


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


def _judge(method: str, levels: list[Level], tolerance: float) -> Convergence:
    """Cuts the list of levels where the figure has settled."""
    is_settled = False
    for k in range(2, len(levels)):
        scale = max(abs(levels[k].value), abs(levels[k - 1].value))
        changes = [abs(levels[j].value - levels[j - 1].value) for j in (k - 1, k)]
        if all(change <= tolerance * scale for change in changes):
            levels, is_settled = levels[: k + 1], True
            break
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
    overrides: dict[str, Any] | None = None, workers: int | None = None, limit: float = 600.0,
) -> list[Effect]:
    """Ranks parameters, each with its range, by how far the figure moves; the largest first."""
    path = str(pathlib.Path(scene).resolve())
    middle = {name: 0.5 * (low + high) for name, (low, high) in over.items()}
    points: list[dict[str, float]] = [middle]
    for name, ends in over.items():
        points += [{**middle, name: end} for end in ends]
    runs = [Run(f"{k}", k, "", {}, {**(overrides or {}), **point}, method, {}, {}, 0) for k, point in enumerate(points)]
    found = _run_all(path, runs, figure, workers, limit)
    effects = [
        Effect(name, low, high, found[1 + 2 * k].value, found[0].value, found[2 + 2 * k].value)
        for k, (name, (low, high)) in enumerate(over.items())
    ]
    return sorted(effects, key=lambda effect: -effect.size if math.isfinite(effect.size) else math.inf)
