"""The page of a study: one HTML file without a network, made from the results."""

from __future__ import annotations

import html
import json
import math
import os
import pathlib
from typing import Any

import achilles

from .store import RECORDINGS, Results

_TEMPLATE = pathlib.Path(__file__).with_name("page.html")
MAX_PLAYERS = 40  # of a report; each is a page of some megabytes


def write_page(results: Results, folder: str | pathlib.Path, title: str) -> pathlib.Path:
    """Writes `index.html` into the folder, and players of the first failures that were recorded; returns its path."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    players = _write_players(results, folder)
    data = {
        "title": title,
        "statuses": results.count_statuses(),
        "inputs": results.inputs,
        "figures": [name for name in results.figures if _is_numeric(results, name)],
        "runs": [_compact(row, players) for row in results.rows],
        # A page that is moved alone loses the way to the files of the results, not the command.
        "results": pathlib.Path(os.path.relpath(results.folder, folder)).as_posix(),
        "folder": results.folder.name,
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    # "</" must not occur inside the script element.
    packed = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    page = text.replace("@title@", html.escape(title)).replace("@data@", packed)
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _is_numeric(results: Results, name: str) -> bool:
    values = [row["figures"].get(name) for row in results.rows]
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)]
    return len(set(numbers)) > 1


def _write_players(results: Results, folder: pathlib.Path) -> set[str]:
    """One page per failure that has a recording, for a browser to play; returns the identities of these runs."""
    players: set[str] = set()
    for row in results.rows:
        recording = results.folder / RECORDINGS / row["recording"] if row.get("recording") else None
        if row.get("success") or recording is None or not recording.is_file():
            continue
        if len(players) == MAX_PLAYERS:
            break
        achilles.Recording(recording).export(folder / f"{row['id']}.html")
        players.add(row["id"])
    return players


def _compact(row: dict[str, Any], players: set[str]) -> dict[str, Any]:
    def finite(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {
        "i": row["index"], "id": row["id"], "s": row["status"], "ok": bool(row.get("success")),
        "m": row.get("message", "")[:300], "in": row["inputs"],
        "f": {name: finite(value) for name, value in row["figures"].items() if isinstance(value, (int, float))},
        "r": row.get("recording", ""), "scene": row.get("scene", ""),
        "play": row["id"] in players,
    }


def write_summary(results: Results) -> str:
    """What `achilles sweep show` prints: counts, success rate by parameter, ranges of the figures."""
    lines = [f"{len(results)} runs: " + ", ".join(f"{n} {status}" for status, n in results.count_statuses().items())]
    if results.former:
        lines.append(f"left out: {results.former} runs of an earlier form of the study, or of another version")
    good = sum(bool(row.get("success")) for row in results.rows)
    lines.append(f"success: {good} of {len(results)} ({100 * good / max(len(results), 1):.1f} %)")
    for name in results.inputs:
        lines += ["", f"{name:<40} {'runs':>7} {'success':>9}"]
        for label, rows in group_by(results, name):
            share = 100 * sum(bool(row.get("success")) for row in rows) / len(rows)
            lines.append(f"  {label:<38} {len(rows):>7} {share:>7.1f} %")
    numeric = [name for name in results.figures if _is_numeric(results, name)]
    if numeric:
        lines += ["", f"{'figure':<40} {'smallest':>12} {'median':>12} {'largest':>12}"]
    for name in numeric:
        values = sorted(v for row in results.rows if _is_number(v := row["figures"].get(name)))
        lines.append(f"  {name:<38} {values[0]:>12.5g} {values[len(values) // 2]:>12.5g} {values[-1]:>12.5g}")
    failures = [row for row in results.rows if not row.get("success")]
    if failures:
        lines += ["", "first runs without success:"]
        for row in failures[:10]:
            inputs = ", ".join(f"{key}={json.dumps(value)}" for key, value in row["inputs"].items())
            lines.append(f"  {row['id']}  {row['status']:<14} {inputs}  {row.get('message', '')[:100]}".rstrip())
    return "\n".join(lines)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


MAX_GROUPS = 8  # of a parameter that takes more values: as many intervals


def group_by(results: Results, name: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows by value of an input; by interval where it takes many numbers."""
    values = [row["inputs"].get(name) for row in results.rows]
    if all(_is_number(v) for v in values) and len(set(values)) > MAX_GROUPS:
        low, high = min(values), max(values)
        is_log = low > 0 and high / low >= 10

        def position(v: float) -> float:
            return math.log(v / low) / math.log(high / low) if is_log else (v - low) / (high - low)

        def edge(k: int) -> float:
            t = k / MAX_GROUPS
            return low * (high / low) ** t if is_log else low + t * (high - low)

        groups: dict[int, list[dict[str, Any]]] = {}
        for value, row in zip(values, results.rows):
            groups.setdefault(min(int(position(value) * MAX_GROUPS), MAX_GROUPS - 1), []).append(row)
        return [(f"{edge(k):.4g} to {edge(k + 1):.4g}", groups[k]) for k in sorted(groups)]
    by_value: dict[str, list[dict[str, Any]]] = {}
    for value, row in zip(values, results.rows):
        by_value.setdefault(value if isinstance(value, str) else json.dumps(value), []).append(row)
    return list(by_value.items())
