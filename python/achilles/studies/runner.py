"""Runs a study into a folder: what is there already is kept, what is missing is run."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import sys
import time
from typing import Any, Callable, Iterator

import achilles

from .cluster import run_on_cluster
from .local import run_locally
from .plan import Run, SceneFiles, count_runs, list_runs, make_group, read_all_scenes
from .run_one import load_scene, save_failed
from .store import FAILED, JOURNAL, RECORDINGS, STUDY, TABLE, TOOK_PROCESS, Journal, Results, write_scenes
from .study import Study, StudyError
from .task import Task

_SYNC = 1.0  # [s] between waits for the disk: what a loss of power can cost


class Progress:
    """A line with the rate and the time left on a terminal; nothing elsewhere."""

    def __init__(self, total: int, done: int, quiet: bool):
        self.total, self.done, self.first = total, done, done
        self.began = self.shown = time.monotonic()
        self.is_shown = not quiet and sys.stderr.isatty()

    def advance(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.is_shown and (now - self.shown > 0.1 or self.done == self.total):
            self.shown = now
            rate = (self.done - self.first) / max(now - self.began, 1e-9)
            left = (self.total - self.done) / rate if rate > 0 else 0.0
            width = 30
            bar = "#" * int(width * self.done / max(self.total, 1))
            print(f"\r[{bar:<{width}}] {self.done}/{self.total}  {rate:.4g} runs/s  {_clock(left)} left ", end="",
                  file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.is_shown:
            print(file=sys.stderr)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def sweep(
    study: Study | str | os.PathLike[str], output: str | os.PathLike[str], *, workers: int | None = None,
    cluster: str | None = None, retry: bool = False, quiet: bool = True, notice: Callable[[str], None] | None = None,
) -> Results:
    """Runs a study, a Study or its file, into the folder `output` and returns its results.

    All cores of this machine by default; `cluster` is the address of a Dask scheduler. A folder with results of the same
    study is continued: runs are known by their complete input, so that nothing is done twice. Runs that went beyond a
    limit are done again where the limit is wider now; `retry` does all of those again that went beyond a limit or
    crashed. Ctrl-C ends the sweep and keeps what is done.
    """
    if not isinstance(study, Study):
        study = Study.load(study)
    if cluster and study.recording != "never":
        raise StudyError([f"keep.recording: {study.recording} needs local workers; recordings of a cluster's runs "
                          "would stay on its machines"])
    files = read_all_scenes(study)
    runs = _check(study, files)
    journal = Journal(pathlib.Path(output), study.limits, retry=retry)
    folder = journal.folder
    try:
        (folder / STUDY).write_text(study.source, encoding="utf-8")
        paths = {name: str(path) for name, path in study.scenes.items()}
        groups = {name: make_group(study, scene, achilles.__version__) for name, scene in files.items()}
        write_scenes(folder, {name: (path, groups[name]) for name, path in paths.items()})
        total = count_runs(study)
        wanted = {run.id for run in runs()} if journal.known else set()
        progress = Progress(total, len(journal.known & wanted), quiet)
        missing = _skip_known(runs(), journal.known)
        task = Task(paths, study.curves, study.keep, study.success, study.recording,
                    str(folder / RECORDINGS) if study.recording != "never" else "", study.limits)
        if task.folder:
            os.makedirs(task.folder, exist_ok=True)
        if cluster:
            results = run_on_cluster(missing, files, task, cluster, notice or print_notice)
        else:
            results = run_locally(missing, task, workers or _count_cores())
        with contextlib.closing(results), contextlib.closing(progress):
            _collect(results, journal, progress, files)
    finally:
        journal.close()
    found = Results(folder)
    try:
        found.save_table()
    except ImportError:
        (notice or print_notice)(f"{TABLE} needs h5py (Debian: python3-h5py, PyPI: h5py); {JOURNAL} has everything")
    return found


def _collect(
    results: Iterator[tuple[Run, dict[str, Any]]], journal: Journal, progress: Progress, files: dict[str, SceneFiles]
) -> None:
    synced = time.monotonic()
    for run, result in results:
        if result["status"] in TOOK_PROCESS:
            result["scene"] = save_failed(run, files[run.scene], journal.folder)
        elif run.id in journal.repeated:
            shutil.rmtree(journal.folder / FAILED / run.id, ignore_errors=True)
        journal.append({**result, "index": run.index, "inputs": run.inputs, "version": achilles.__version__,
                        "group": run.group})
        progress.advance()
        if time.monotonic() - synced > _SYNC:
            journal.sync()
            synced = time.monotonic()


def _skip_known(runs: Iterator[Run], known: set[str]) -> Iterator[Run]:
    """Runs without a result. Equal runs are run once: `known` grows as they are handed out."""
    seen = set(known)
    for run in runs:
        if run.id not in seen:
            seen.add(run.id)
            yield run


def _check(study: Study, files: Any) -> Callable[[], Iterator[Run]]:
    """Reads the first scene with the first run's overrides, so that a mistake is reported before anything is run."""

    def runs() -> Iterator[Run]:
        return list_runs(study, files, achilles.__version__)

    first = next(runs(), None)
    if first is None:
        raise StudyError(["the study has no run"])
    load_scene(first, str(study.scenes[first.scene]))
    return runs


def print_notice(text: str) -> None:
    """Writes a line beside the results."""
    print(f"achilles: {text}", file=sys.stderr)


def _count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1

