"""Tasks in, records out, measured in separate processes that are stopped if they exceed a time limit."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from janus_bench.libraries import NotInstalledError
from janus_bench.store import Record

Work = Callable[[Any], Record]

FAILED = "failed"
"""Key of the error message in the record of a failed measurement."""
LIMIT = "limit"
"""Key of the time limit that a cell exceeded."""
DIED = "died"
"""Key of the exit code of a process that ended unexpectedly."""
READY = "ready"
GRACE_SECONDS = 5.0


def attempt(work: Work, task: Any) -> Record:
    """Call ``work(task)``; an exception becomes a record of the failure.

    Examples
    --------
    >>> attempt(lambda text: {"value": int(text)}, "two")
    {'failed': "ValueError: invalid literal for int() with base 10: 'two'"}
    """
    try:
        return work(task)
    except NotInstalledError as error:
        return {FAILED: str(error)}
    except Exception as error:  # a cell that fails is recorded, and the run continues
        return {FAILED: f"{type(error).__name__}: {error}"}


def in_workers(
    tasks: Sequence[Any],
    work: Work,
    *,
    jobs: int,
    most_seconds: float | None = None,
    started: Callable[[int], None] = lambda place: None,
) -> Iterator[tuple[int, Record]]:
    """Measure in up to ``jobs`` processes; yield positions of tasks and their records as they are completed."""
    todo = iter(enumerate(tasks))
    workers: list[Worker] = []
    try:
        for place, task in todo:
            workers.append(Worker(work))
            workers[-1].begin(place, task, most_seconds)
            started(place)
            if len(workers) == jobs:
                break
        while busy := [worker for worker in workers if worker.place is not None]:
            for worker in _reporting(busy):
                assert worker.place is not None
                yield worker.place, worker.record()
                following = next(todo, None)
                if following is not None:
                    worker.begin(*following, most_seconds)
                    started(following[0])
    finally:
        for worker in workers:
            worker.leave()


def _reporting(busy: Sequence[Worker]) -> list[Worker]:
    """Wait for workers that have a record, have died or exceeded their time limit."""
    soonest = min(worker.deadline for worker in busy)
    timeout = None if soonest == float("inf") else max(0.0, soonest - monotonic())
    heard = set(wait([worker.pipe for worker in busy], timeout))
    return [worker for worker in busy if worker.pipe in heard or worker.deadline <= monotonic()]


class Worker:
    """A process that does one task after the other; it is replaced if it dies.

    The time of a task starts after the process has imported the module of the work.
    """

    def __init__(self, work: Work) -> None:
        self.place: int | None = None
        self.deadline = float("inf")
        self._work = work
        self._most_seconds: float | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._work, theirs))
        self._process.start()
        theirs.close()
        try:
            self.pipe.recv()
        except EOFError:
            self._process.join()
            raise RuntimeError(f"a process to measure in did not start: exit code {self._process.exitcode}.") from None

    def begin(self, place: int, task: Any, most_seconds: float | None) -> None:
        """Send a task to the process."""
        if not self._process.is_alive():
            self._start()
        self.place, self._most_seconds = place, most_seconds
        self.deadline = float("inf") if most_seconds is None else monotonic() + most_seconds
        self.pipe.send(task)

    def record(self) -> Record:
        """The record of the task, or of its failure if the process died or exceeded the time limit, which stops it."""
        self.place = None
        if not self.pipe.poll():
            self.end()
            return {FAILED: f"took longer than {self._most_seconds:g} s", LIMIT: self._most_seconds}
        try:
            found: Record = self.pipe.recv()
            return found
        except EOFError:
            self.end()
            return {FAILED: f"its process ended with exit code {self._process.exitcode}", DIED: self._process.exitcode}

    def leave(self) -> None:
        """Let an idle process exit by itself; stop a busy one."""
        if self.place is None:
            self.pipe.close()
            self._process.join(GRACE_SECONDS)
        self.end()

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(work: Work, pipe: Connection) -> None:
    """Do tasks until the other end of the pipe closes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        pipe.send(READY)
        while True:
            pipe.send(attempt(work, pipe.recv()))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass


def _end_with_parent() -> None:
    """Exit when the parent process ends, so that a killed run leaves no workers behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
