"""The cores of this machine: no service to start, one process per worker."""

from __future__ import annotations

import multiprocessing.connection
import time
from typing import Any, Iterable, Iterator

from .plan import Run
from .task import Task, WorkerProcess


def run_locally(runs: Iterable[Run], task: Task, workers: int) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Results as they come. Closing the iterator ends the workers; runs in flight are lost, as if never begun."""
    queue = iter(runs)
    pool: list[WorkerProcess] = []
    try:
        while True:
            while len(pool) < workers and (run := next(queue, None)) is not None:
                pool.append(WorkerProcess(task))
                pool[-1].give(run)
            if not pool:
                return
            yield from _collect(pool, queue)
    finally:
        for worker in pool:
            worker.kill()


def _collect(pool: list[WorkerProcess], queue: Iterator[Run]) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Waits for the next result, death or deadline, and gives workers without a run their next one."""
    wait = max(0.0, min(worker.deadline for worker in pool) - time.monotonic())
    ready = multiprocessing.connection.wait([worker.connection for worker in pool], wait)
    for worker in list(pool):
        run = worker.run
        assert run is not None  # every worker of the pool has one
        if worker.connection in ready:
            result = worker.take()
            if result is None:
                continue
        elif time.monotonic() >= worker.deadline:
            result = worker.fail_late()
        else:
            continue
        following = next(queue, None) if worker.is_alive else None
        if following is None:
            pool.remove(worker)
            if not worker.connection.closed:
                worker.kill()
        else:
            worker.give(following)
        yield run, result
