"""The one task that runs beside the page: a task in; its progress, its end or its error out, and a way to cancel it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from janus_synth.studio.limits import MOST_SECONDS

AfterJob = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Job:
    """How far a task is: ``state`` is "idle", "running", "done", "failed" or "cancelled"."""

    name: str = ""
    state: str = "idle"
    label: str = ""
    done: int = 0
    total: int | None = None
    error: str = ""
    started: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Values for the page."""
        seconds = time.monotonic() - self.started if self.state == "running" else 0.0
        values = {name: getattr(self, name) for name in ("name", "state", "label", "done", "total", "error")}
        return {**values, "seconds": round(seconds, 1)}


class BusyError(ValueError):
    """A task is running already."""


class Jobs:
    """Runs one task at a time in a process of its own."""

    def __init__(self) -> None:
        self.job = Job()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._cancelled = False

    def start(self, task: dict[str, Any], after: AfterJob, *, most_seconds: float | None = MOST_SECONDS) -> None:
        """Start a task; ``after`` runs once it has ended well, and before the job counts as done."""
        with self._lock:
            if self.job.state == "running":
                raise BusyError("a task is running already. Wait for it, or cancel it.")
            self._cancelled = False
            self.job = Job(task["task"], "running", "starting", started=time.monotonic())
            self._process = _spawn()
        threading.Thread(
            target=self._follow, args=(self._process, task, after, most_seconds), daemon=True, name="studio job"
        ).start()

    def cancel(self) -> None:
        """End the task that runs, if there is one."""
        with self._lock:
            self._cancelled = True
            process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the task that runs, and wait for its process."""
        self.cancel()
        if self._process is not None:
            self._process.wait()

    def _follow(
        self, process: subprocess.Popen[str], task: dict[str, Any], after: AfterJob, most_seconds: float | None
    ) -> None:
        """Read the messages of a process until it ends."""
        timer = threading.Timer(most_seconds or 0, process.kill)
        timer.daemon = True
        if most_seconds is not None:
            timer.start()
        try:
            end = self._messages(process, task)
        finally:
            timer.cancel()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]
        self._finish(end, after)

    def _messages(self, process: subprocess.Popen[str], task: dict[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        end: dict[str, Any] = {}
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
        for line in process.stdout:
            message = json.loads(line)
            if "progress" in message:
                label, done, total = message["progress"]
                self.job = Job(self.job.name, "running", label, done, total, started=self.job.started)
            else:
                end = message
        return end

    def _finish(self, end: dict[str, Any], after: AfterJob) -> None:
        name = self.job.name
        if self._cancelled:
            self.job = Job(name, "cancelled")
        elif "done" in end:
            try:
                after()
                self.job = Job(name, "done")
            except (OSError, ValueError) as error:
                self.job = Job(name, "failed", error=str(error))
        else:
            lost = "the task ended early: it needed more time or memory than it may use. Take a smaller table."
            self.job = Job(name, "failed", error=end.get("error", lost))


def _spawn() -> subprocess.Popen[str]:
    """Start a worker with the modules that this process has."""
    package = str(Path(__file__).parents[2])
    paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return subprocess.Popen(
        [sys.executable, "-m", "janus_synth.studio.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
