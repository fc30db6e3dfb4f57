"""What there is, and methods side by side."""

from __future__ import annotations

import json

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:  # what type checkers read; typing itself would take its time in an import
    import pandas


class Method(dict):
    """A method: name, source, summary, solvers, impact_laws, capabilities and options."""

    def __repr__(self):
        return f"Method({self['name']!r}: {self['summary']} [{self['source']}])"


def methods() -> dict[str, Method]:
    """All methods by name, each with its options (type, default, range, meaning) and capabilities.

    >>> "friction" in achilles.methods()["lcp-fixed"]["capabilities"]
    True
    """
    table = {}
    for entry in json.loads(_core.methods_to_json()):
        entry["options"] = {option.pop("name"): option for option in entry["options"]}
        table[entry["name"]] = Method(entry)
    return table


def schema() -> dict:
    """The JSON Schema of scene files, as a dict."""
    return json.loads(_core.scene_schema())


class Comparison(list):
    """A table with one row, a dict, per method. It prints as text, shows as HTML in Jupyter, and to_pandas() makes a
    data frame of it. The whole report is under "report"."""

    COLUMNS = (("method", "method"), ("wall", "seconds"), ("penetration", "deepest [m]"), ("energy", "energy change [J]"),
               ("gain", "unexplained gain [J]"), ("momentum", "momentum error"), ("residual", "residual [m/s]"),
               ("iterations", "iterations"), ("note", "note"))

    @staticmethod
    def _show(value):
        if value is None:
            return "-"
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    def _cells(self):
        return [[title for _, title in self.COLUMNS]] + [[self._show(row[key]) for key, _ in self.COLUMNS] for row in self]

    def __repr__(self):
        cells = self._cells()
        widths = [max(len(row[k]) for row in cells) for k in range(len(self.COLUMNS))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)

    def _repr_html_(self):
        from html import escape
        head, *rows = self._cells()
        lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        lines += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
        return "<table>" + "".join(lines) + "</table>"

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame with one row per method."""
        import pandas
        return pandas.DataFrame([{key: row[key] for key, _ in self.COLUMNS} for row in self]).set_index("method")


def _to_row(method, report, note):
    row = {"method": method, "report": report, "note": note}
    keys = ("wall", "penetration", "energy", "gain", "momentum", "residual", "iterations")
    if report is None:
        return {**row, **dict.fromkeys(keys)}
    return {**row, "wall": report["wall_seconds"], "penetration": report["penetration"]["max"],
            "energy": report["energy"]["final"] - report["energy"]["initial"], "gain": report["energy"]["max_gain"],
            "momentum": report["momentum"]["linear_error"], "residual": report["solver_stats"]["residual_max"],
            "iterations": report["solver_stats"]["iterations_mean"]}


_list_methods = methods


def compare(scene, methods=None, *, until=None, threads=1) -> Comparison:
    """Runs a scene under several methods, all unless given, and returns the table. A method that cannot run the scene has
    a row that says why."""
    from .simulation import Simulation, _to_scene
    scene = _to_scene(scene).check()
    names = list(_list_methods()) if methods is None else list(methods)
    for name in names:
        if name not in _list_methods():
            raise ValueError(f"there is no method {name!r}; achilles.methods() lists them")
    table = Comparison()
    for name in names:
        try:
            report = Simulation(scene, name, threads).run(until) or {}  # always watched
        except _core.SceneError as error:
            table.append(_to_row(name, None, "refused: " + error.diagnostics[0].message))
            continue
        stopped = report.get("stopped")
        table.append(_to_row(name, report, f"stopped: {stopped['reason']} at {stopped['time']:g} s" if stopped else ""))
    return table
