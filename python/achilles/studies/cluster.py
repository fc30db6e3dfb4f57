"""The same runs on a Dask scheduler: machines, Slurm, Kubernetes, notebooks.

Dask does the scheduling. What is added here: runs are submitted under their identity, in a window that keeps the
scheduler's memory flat; each runs in a process of its own beside the Dask worker, as it does locally; and when the
scheduler is lost, everything without a result is submitted to its successor.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import threading
import time
from typing import Any, Callable, Iterable, Iterator

from .plan import Run, SceneFiles
from .task import Task, WorkerProcess

_WINDOW = 20  # runs in flight per worker thread
_PATIENCE = 120.0  # [s] to wait for a scheduler that is gone
_RETRIES = 3  # of a run whose Dask worker died

_local = threading.local()  # the process that executes the runs of this thread of a Dask worker


class ClusterError(RuntimeError):
    """The cluster cannot be used, or has been gone for too long."""


class _Lost(Exception):
    """The scheduler is gone."""


def _execute(run: Run, files: dict[str, SceneFiles], task: Task) -> dict[str, Any]:
    """One run on a worker of the cluster, within its limits."""
    from .run_one import scratch_folder, unpack_scene

    worker: WorkerProcess | None = getattr(_local, "worker", None)
    paths = {name: str(unpack_scene(scene, scratch_folder())) for name, scene in files.items()}
    task = dataclasses.replace(task, scene_paths=paths)
    if worker is None or not worker.is_alive or worker.task != task:
        if worker is not None and not worker.connection.closed:
            worker.kill()
        worker = _local.worker = WorkerProcess(task)
    worker.give(run)
    while worker.connection.poll(max(0.0, worker.deadline - time.monotonic())):
        if (result := worker.take()) is not None:
            return result
    return worker.fail_late()


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ClusterError("--cluster needs Dask (Debian: python3-distributed, PyPI: distributed). Without --cluster "
                           "all cores of this machine are used.") from None
    return distributed


def connect(address: str, patience: float = 0.0) -> Any:
    """A client of the scheduler; waits up to `patience` seconds for one to answer."""
    distributed = _import_distributed()
    began = time.monotonic()
    while True:
        try:
            return distributed.Client(address, timeout=5)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            if time.monotonic() - began >= patience:
                raise ClusterError(f"no Dask scheduler answers at {address}: {error}") from None
            time.sleep(0.5)


def run_on_cluster(
    runs: Iterable[Run], files: dict[str, SceneFiles], task: Task, address: str, notice: Callable[[str], None]
) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Results as they come; survives the loss of workers and, for two minutes, that of the scheduler."""
    queue = iter(runs)
    pending: dict[str, Run] = {}  # submitted, without a result
    patience = 0.0
    while True:
        client = connect(address, patience)
        patience = _PATIENCE
        try:
            yield from _drain(client, queue, pending, files, task)
            return
        except _Lost as error:
            notice(f"the scheduler was lost ({error}); waiting for one at {address}")
        finally:
            with contextlib.suppress(Exception):  # closing a lost connection may fail in any way
                client.close(timeout=2)


def _drain(
    client: Any, queue: Iterator[Run], pending: dict[str, Run], files: dict[str, SceneFiles], task: Task
) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Keeps a window of runs in flight until all are done. Raises _Lost with the scheduler."""
    with _lost_connections():
        shared = client.scatter([files], broadcast=True, hash=True)[0]  # a dict alone would be taken apart
        window = max(1, _WINDOW * sum(client.nthreads().values()))
    flying: dict[str, Any] = {}

    def submit(run: Run) -> None:
        pending[run.id] = run
        flying[run.id] = client.submit(_execute, run, shared, task, key=f"achilles-{run.id}", pure=False,
                                       retries=_RETRIES)

    for run in list(pending.values()):
        submit(run)
    while True:
        with _lost_connections():
            while len(flying) < window and (run := next(queue, None)) is not None:
                submit(run)
            if not flying:
                return
            done = _wait_for_any(client, flying)
        for key in done:
            result = _read_result(pending[key], flying.pop(key))
            yield pending.pop(key), result  # pending until its result is here


def _wait_for_any(client: Any, flying: dict[str, Any]) -> list[str]:
    """Keys of the futures that have ended; checks once a second that the scheduler is still there."""
    while True:
        done = [key for key, future in flying.items() if future.status in ("finished", "error")]
        if done:
            return done
        if client.status != "running" or any(f.status in ("cancelled", "lost") for f in flying.values()):
            raise _Lost("its connection closed")
        with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
            _import_distributed().wait(list(flying.values()), timeout=1.0, return_when="FIRST_COMPLETED")


def _read_result(run: Run, future: Any) -> dict[str, Any]:
    if future.status == "error":
        return {"id": run.id, "status": "crashed", "message": str(future.exception()), "success": False, "figures": {},
                "curves": {}, "state_hash": "", "wall_seconds": 0.0}
    with _lost_connections():
        return future.result(timeout=30)


@contextlib.contextmanager
def _lost_connections() -> Iterator[None]:
    """Turns whatever Dask raises when the scheduler goes into _Lost."""
    from distributed.comm.core import CommClosedError

    try:
        yield
    except (CommClosedError, OSError, TimeoutError, asyncio.TimeoutError, asyncio.CancelledError,
            concurrent.futures.CancelledError, RuntimeError) as error:
        raise _Lost(f"{type(error).__name__}: {error}".strip(": ")) from None
