"""The model file of a project in; loaded models out, one for each sort of question.

A ``Janus`` caches plans, so one object serves one thread at a time. Several of them let a person type a condition while
rows are drawn.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool

from janus_synth.errors import JanusError, NotFittedError

if TYPE_CHECKING:
    from janus_synth.janus import Janus

T = TypeVar("T")


class Lane:
    """A loaded model that answers one question after another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = asyncio.Lock()
        self._loaded: tuple[int, Janus] | None = None

    async def ask(self, question: Callable[[Any], T], *, gone: Any = None) -> T | None:
        """Answer a question of the model in a thread; None if ``gone()`` says that nobody waits any more."""
        async with self._lock:
            if gone is not None and await gone():
                return None
            return await run_in_threadpool(lambda: question(self._model()))

    async def load(self) -> None:
        """Load the model before it is asked; an error is left to the first question."""
        with contextlib.suppress(JanusError, OSError):
            await self.ask(lambda janus: None)

    def _model(self) -> Janus:
        """The model, loaded again if its file has changed; ``Janus.load`` runs no code of the file."""
        from janus_synth import Janus

        if not self.path.exists():
            raise NotFittedError("there is no model yet. Learn the table first.")
        stamp = self.path.stat().st_mtime_ns
        if self._loaded is None or self._loaded[0] != stamp:
            self._loaded = (stamp, Janus.load(self.path))
        return self._loaded[1]
