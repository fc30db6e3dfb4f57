"""What every run of a study has in common, and a process that executes runs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

import achilles

from .plan import Run
from .study import Limits


READY = "ready"  # what a worker sends once, before its first run
_START = 120.0  # [s] that a worker may take to come up


@dataclasses.dataclass(frozen=True)
class Task:
    scene_paths: dict[str, str]  # by name in the study
    curves: tuple[str, ...]
    figures: tuple[str, ...]  # of the report; empty: all
    success: str
    recording: str
    folder: str  # for recordings; empty: none are written
    limits: Limits


class WorkerProcess:
    """A process of its own, so that a run that crashes, hangs or takes all memory takes nothing else along.

    It is a fresh interpreter and not a fork: programs that sweep need no main guard, and nothing of theirs is shared.
    """

    def __init__(self, task: Task):
        ours, theirs = socket.socketpair()
        package = str(pathlib.Path(achilles.__file__).parent.parent)
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "achilles.studies.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL,
                start_new_session=True)  # Ctrl-C goes to this process alone, which ends the workers
        self.connection = Connection(ours.detach())
        self.task = task
        self.run: Run | None = None
        self.is_ready = False
        self.began = 0.0
        self._send(task)

    def give(self, run: Run) -> None:
        self.run = run
        self.began = time.monotonic()
        self._send(run)

    def take(self) -> dict[str, Any] | None:
        """The result of its run; a failure when the process has died meanwhile; None where it has just come up, which
        is when the time of its first run begins."""
        try:
            message = self.connection.recv()
            if message != READY:
                return message
            self.is_ready = True
            self.began = time.monotonic()
            return None
        except (EOFError, OSError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            return self.fail("crashed", _describe_exit(self.process.poll()))

    def fail(self, status: str, message: str) -> dict[str, Any]:
        """The result of a run that did not return one; the process is ended."""
        assert self.run is not None  # only a process with a run can fail one
        self.kill()
        return {"id": self.run.id, "status": status, "message": message, "success": False, "figures": {}, "curves": {},
                "state_hash": "", "wall_seconds": time.monotonic() - self.began,
                "limits": dataclasses.asdict(self.task.limits)}

    def fail_late(self) -> dict[str, Any]:
        return self.fail("timeout", f"not done after {self.task.limits.time:g} s")

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def deadline(self) -> float:
        return self.began + self.task.limits.time + (0.0 if self.is_ready else _START)

    def kill(self) -> None:
        if self.is_alive:
            self.process.kill()
        self.process.wait()
        self.connection.close()

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # a process that has died is noticed where its result is taken
            self.connection.send(message)


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"the worker was ended by {signal.Signals(-code).name}"
    return f"the worker ended with status {code}"
