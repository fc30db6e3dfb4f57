"""The results of a study: a folder with a journal and a columnar file.

`runs.jsonl` is the journal: one line per finished run, appended and flushed by the one process that coordinates the
sweep. A torn last line, left by a full disk or a killed process, is ignored and the run is done again. `results.h5` is
made from the journal: one dataset per column, replaced as a whole. HDF5 and not Parquet, because Debian 12 packages h5py
and has no Arrow for Python.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
from typing import TYPE_CHECKING, Any, Iterator, Mapping

if TYPE_CHECKING:  # results are read without PyYAML, which studies need
    from .study import Limits

JOURNAL = "runs.jsonl"
TABLE = "results.h5"
STUDY = "study.yaml"
SCENES = "scenes.json"  # where the study's scenes lie, by name, and the groups of their runs
RECORDINGS = "recordings"  # folder, where the study keeps some
FAILED = "failed"  # folders with the scenes of runs that took their process along
LOCK = ".lock"

# What a run can end as. `success` is the study's criterion and holds for "done" and "stopped" alone.
STATUSES = ("done", "stopped", "refused", "timeout", "out of memory", "crashed", "judged wrongly")
TOOK_PROCESS = ("timeout", "out of memory", "crashed")  # these say as much of the machine as of the run
_LIMIT_OF = {"timeout": "time", "out of memory": "memory"}


class StoreError(RuntimeError):
    """A results folder that cannot be read or written."""


def is_answered(row: Mapping[str, Any], limits: Limits | None, retry: bool) -> bool:
    """Whether a row is the result that a sweep under these limits would give. A run that went beyond a limit is to be
    done again under a wider one; with `retry` all that took their process along are."""
    status = row["status"]
    if status in TOOK_PROCESS and retry:
        return False
    if status not in _LIMIT_OF or limits is None:
        return True
    name = _LIMIT_OF[status]
    return row.get("limits", {}).get(name, 0.0) >= getattr(limits, name)


class Journal:
    """The journal of one folder, opened for appending. One process at a time holds it. `known` are the runs with a
    result, `repeated` those that were begun without giving one."""

    def __init__(self, folder: pathlib.Path, limits: Limits | None = None, *, retry: bool = False):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder)
        self.path = folder / JOURNAL
        self.known: set[str] = set()
        self.repeated: set[str] = set()
        for row in read_rows(folder):
            (self.known if is_answered(row, limits, retry) else self.repeated).add(row["id"])
        self._repair_tail()
        self._file = open(self.path, "ab", buffering=0)
        self._since_sync = 0

    def append(self, row: Mapping[str, Any]) -> None:
        """Writes one line, whole or not at all; raises StoreError on a full disk."""
        line = (json.dumps(row, allow_nan=True, separators=(",", ":")) + "\n").encode()
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(28, "no space left on device")
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(end)
            raise StoreError(f"{self.path}: {error.strerror}; what was finished before is kept, so that the same "
                             "command continues") from error
        self.known.add(row["id"])
        self._since_sync += 1

    def sync(self) -> None:
        """Waits for the disk."""
        if self._since_sync:
            os.fsync(self._file.fileno())
            self._since_sync = 0

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.sync()
        self._file.close()
        self._lock.close()

    def _repair_tail(self) -> None:
        """Cuts off a line that has no end."""
        if not self.path.exists():
            return
        with open(self.path, "rb+") as file:
            size = file.seek(0, os.SEEK_END)
            position = size
            while position > 0:
                start = max(0, position - 65536)
                file.seek(start)
                cut = file.read(position - start).rfind(b"\n")
                if cut >= 0:
                    position = start + cut + 1
                    break
                position = start
            if position < size:
                file.truncate(position)


def _lock(folder: pathlib.Path) -> Any:
    """Keeps a second sweep out of the folder; the system drops the lock when the process ends, however it ends."""
    file = open(folder / LOCK, "w", encoding="utf-8")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # no file locks on this system
    except OSError:
        file.close()
        raise StoreError(f"{folder} is in use by another sweep") from None
    return file


def read_rows(folder: pathlib.Path) -> Iterator[dict[str, Any]]:
    """The journal's rows, each run once: the last row of a run counts."""
    path = folder / JOURNAL
    if not path.exists():
        return
    rows: dict[str, dict[str, Any]] = {}
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break  # torn
            try:
                row = json.loads(line)
                rows[row["id"]] = row
            except (ValueError, KeyError, TypeError):
                raise StoreError(f"{path}:{number}: damaged line; remove it to have its run done again") from None
    yield from rows.values()


def write_scenes(folder: pathlib.Path, scenes: Mapping[str, tuple[str, str]]) -> None:
    """Keeps where each scene lies, and the group of its runs."""
    table = {name: {"path": path, "group": group} for name, (path, group) in scenes.items()}
    part = folder / f"{SCENES}.part"
    part.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    part.replace(folder / SCENES)


def read_scenes(folder: pathlib.Path) -> dict[str, tuple[str, str]]:
    """What write_scenes has kept; nothing where a journal stands alone."""
    path = folder / SCENES
    if not path.exists():
        return {}
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return {name: (entry["path"], entry["group"]) for name, entry in table.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreError(f"{path}: damaged; the command that swept into the folder writes it anew") from None


def flatten(value: Any, prefix: str = "") -> dict[str, Any]:
    """Numbers, words and truth values of nested mappings, by dotted name. Lists become name[0], name[1], ..."""
    if isinstance(value, Mapping):
        items = [(f"{prefix}.{key}" if prefix else str(key), item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        items = [(f"{prefix}[{k}]", item) for k, item in enumerate(value)]
    else:
        return {prefix: value}
    flat: dict[str, Any] = {}
    for name, item in items:
        flat.update(flatten(item, name))
    return flat


class Results:
    """The table of a study. `columns` maps a name to its values, in the order of the study's runs.

    A folder that was swept with other scenes, figures or criteria before, or with another version of the library, keeps
    those rows in its journal; `rows` has the ones of the last sweep's kind, `former` counts the others.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = pathlib.Path(folder)
        if not (self.folder / JOURNAL).exists():
            raise StoreError(f"{self.folder} has no {JOURNAL}: it is not the folder of a sweep")
        groups = {group for _, group in read_scenes(self.folder).values()}
        rows = list(read_rows(self.folder))
        self.rows = sorted((row for row in rows if not groups or row.get("group") in groups), key=lambda row: row["index"])
        self.former = len(rows) - len(self.rows)

    @property
    def scenes(self) -> dict[str, pathlib.Path]:
        """The scenes that were swept, by name, as long as they lie where they did."""
        return {name: pathlib.Path(path) for name, (path, _) in read_scenes(self.folder).items()}

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.count_statuses().items())
        return f"Results({str(self.folder)!r}: {len(self)} runs, {counts})"

    def count_statuses(self) -> dict[str, int]:
        counts = {status: 0 for status in STATUSES}
        for row in self.rows:
            counts[row["status"]] = counts.get(row["status"], 0) + 1
        return {status: count for status, count in counts.items() if count}

    @property
    def inputs(self) -> list[str]:
        """What varies, in the order of the study."""
        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row["inputs"]))
        return list(names)

    @property
    def figures(self) -> list[str]:
        """Names of the kept figures of the report."""
        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row["figures"]))
        return list(names)

    @property
    def columns(self) -> dict[str, list[Any]]:
        table: dict[str, list[Any]] = {
            key: [row.get(key) for row in self.rows]
            for key in ("id", "index", "status", "success", "message", "wall_seconds", "state_hash", "version")
        }
        for name in self.inputs:
            table[f"input.{name}"] = [row["inputs"].get(name) for row in self.rows]
        for name in self.figures:
            table[name] = [row["figures"].get(name) for row in self.rows]
        return table

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas (Debian: python3-pandas, PyPI: pandas)") from None
        table = {
            name: [v if _is_scalar(v) else json.dumps(v) for v in values] for name, values in self.columns.items()
        }
        return pandas.DataFrame(table)

    def save_table(self) -> pathlib.Path:
        """Writes `results.h5`, whole or not at all. Returns its path."""
        import h5py

        target = self.folder / TABLE
        part = target.with_suffix(".h5.part")
        try:
            with h5py.File(part, "w") as file:
                file.attrs["format"] = "achilles study results"
                file.attrs["version"] = 1
                file.attrs["inputs"] = self.inputs
                group = file.create_group("runs")
                for name, values in self.columns.items():
                    data, options = _to_dataset(values)
                    group.create_dataset(name, data=data, **options)
            os.replace(part, target)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise StoreError(f"{target}: {error}") from error
        return target


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def _to_dataset(values: list[Any]) -> tuple[Any, dict[str, Any]]:
    """A column as floats where all values are numbers or absent, else as text."""
    import h5py

    numeric = all(v is None or isinstance(v, (bool, int, float)) for v in values)
    if numeric:
        return [math.nan if v is None else float(v) for v in values], {}
    text = ["" if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
    return text, {"dtype": h5py.string_dtype()}


def open_results(folder: str | os.PathLike[str]) -> Results:
    """The results of a sweep, finished or not."""
    return Results(folder)
