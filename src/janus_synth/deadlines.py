"""Time limits of searches: a limit in seconds in, ``OutOfTime`` out of whatever checks the time after it has passed.

Limits nest, and the earliest one counts. They belong to the thread that sets them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)


class OutOfTime(Exception):  # a signal between functions, never shown to users
    """A time limit has passed."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let ``check_time`` raise ``OutOfTime`` after some seconds, inside the block.

    Examples
    --------
    >>> with time_limit(60.0):
    ...     check_time()
    ...     print(0 < seconds_left() <= 60)
    True
    """
    before = _DEADLINE.set(min(_DEADLINE.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _DEADLINE.reset(before)


def seconds_left() -> float:
    """Seconds until the time limit, infinite without one."""
    return _DEADLINE.get() - time.monotonic()


def check_time() -> None:
    """Raise ``OutOfTime`` if the time limit has passed."""
    if time.monotonic() >= _DEADLINE.get():
        raise OutOfTime
