"""A worker process: reads tasks and runs from the connection given as its argument, answers with results.

  python -m achilles.studies.worker FILE_DESCRIPTOR
"""

from __future__ import annotations

import os
import select
import sys
import threading
from multiprocessing.connection import Connection

from .task import READY, Task


def _limit_memory(limit: float) -> None:
    """Beyond the limit, allocations fail and the run ends as 'out of memory'."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (int(limit) + used, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError, ValueError):
        pass  # no such limit on this system


def _end_with(connection: Connection) -> None:
    """Ends this process, whatever it runs, when the other side of the connection is gone: a coordinator that was killed
    ends no workers."""

    def wait() -> None:
        hangup = select.poll()
        hangup.register(connection, 0)  # hanging up is always reported
        hangup.poll()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def serve(connection: Connection) -> None:
    """Answers until the other side closes the connection."""
    import numpy  # noqa: F401  the address space of its libraries is not that of a run

    from .run_one import execute

    _end_with(connection)
    try:
        task: Task = connection.recv()
        _limit_memory(task.limits.memory)
        connection.send(READY)
        while True:
            run = connection.recv()
            path = os.path.join(task.folder, f"{run.id}.h5") if task.folder else None
            connection.send(execute(run, task.scene_paths[run.scene], curves=task.curves, figures=task.figures,
                                    success=task.success, recording=task.recording, recording_path=path,
                                    limits=task.limits))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
