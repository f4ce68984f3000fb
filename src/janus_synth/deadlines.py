"""Time limits of searches: a limit in seconds in, ``OutOfTime`` out of whatever checks the time after it has passed.

Limits nest, and the earliest one counts. They belong to the thread that sets them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)
"""When the time is over; infinite if there is explicitly no limit, None if nobody has set any."""
_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


class OutOfTime(Exception):  # a signal between functions, never shown to users
    """A time limit has passed."""


@contextmanager
def time_limit(seconds: float, *, unless_set: bool = False) -> Iterator[None]:
    """Let ``check_time`` raise ``OutOfTime`` after some seconds, inside the block.

    With ``unless_set`` an earlier limit, even an infinite one, stays as it is.

    Examples
    --------
    >>> with time_limit(60.0):
    ...     check_time()
    ...     print(0 < seconds_left() <= 60)
    True
    """
    before = _DEADLINE.get()
    wanted = time.monotonic() + seconds
    if before is not None:
        wanted = before if unless_set else min(before, wanted)
    token = _DEADLINE.set(wanted)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def seconds_left() -> float:
    """Seconds until the time limit, infinite without one."""
    deadline = _DEADLINE.get()
    return math.inf if deadline is None else deadline - time.monotonic()


def check_time() -> None:
    """Raise ``OutOfTime`` if the time limit has passed."""
    deadline = _DEADLINE.get()
    if deadline is not None and time.monotonic() >= deadline:
        raise OutOfTime


def under_same_limit(work: Callable[[_Given], _Found]) -> Callable[[_Given], _Found]:
    """Return a function that has the time limit of its maker in whatever thread it runs.

    Examples
    --------
    >>> with time_limit(60.0):
    ...     left = under_same_limit(lambda _: seconds_left())
    >>> left(None) <= 60
    True
    """
    deadline = _DEADLINE.get()

    def run(given: _Given) -> _Found:
        token = _DEADLINE.set(deadline)
        try:
            return work(given)
        finally:
            _DEADLINE.reset(token)

    return run
