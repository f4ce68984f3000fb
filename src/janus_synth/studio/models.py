"""The model file of a project in; loaded models out, one for quick questions and one for rows.

A ``Janus`` caches plans, so one object serves one thread at a time. Two of them let a person type a condition while
rows are drawn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool

from janus_synth.errors import NotFittedError

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

    def _model(self) -> Janus:
        """The model, loaded again if its file has changed; ``Janus.load`` runs no code of the file."""
        from janus_synth import Janus

        if not self.path.exists():
            raise NotFittedError("there is no model yet. Learn the table first.")
        stamp = self.path.stat().st_mtime_ns
        if self._loaded is None or self._loaded[0] != stamp:
            self._loaded = (stamp, Janus.load(self.path))
        return self._loaded[1]
