"""Work in; its result and how long it took out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Run some work, and say how many seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start
