"""Timing: calls in, wall-clock and processor seconds out.

Calls are timed in turns, so that a short load on the machine affects every method.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from time import perf_counter, process_time
from typing import NamedTuple

Call = Callable[[], object]


class Seconds(NamedTuple):
    """Wall-clock time, and processor time of all threads of this process.

    On a busy machine processor time is the more reliable of the two.
    """

    clock: float
    processor: float


def seconds_of(call: Call) -> Seconds:
    """How long one call takes; garbage of earlier calls is not collected during it, as in `timeit`."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        clock, processor = perf_counter(), process_time()
        call()
        return Seconds(perf_counter() - clock, process_time() - processor)
    finally:
        if was_enabled:
            gc.enable()


def take_turns(calls: Mapping[str, Call], repeats: int) -> dict[str, list[Seconds]]:
    """Time every call ``repeats`` times, one after the other, round by round.

    Examples
    --------
    >>> times = take_turns({"sum": lambda: sum(range(10)), "max": lambda: max(range(10))}, 3)
    >>> {name: len(seconds) for name, seconds in times.items()}
    {'sum': 3, 'max': 3}
    """
    times: dict[str, list[Seconds]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            times[name].append(seconds_of(call))
    return times


def n_cores() -> int:
    """Cores that this process may run on: the number of threads that JANUS uses by default.

    Examples
    --------
    >>> n_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_warm: set[object] = set()


def warm_up(key: object, call: Call) -> None:
    """Call once per process and key before anything is timed: imports libraries and loads compiled kernels.

    Errors are ignored here; they occur again in the measurement, which records them.
    """
    if key not in _warm:
        _warm.add(key)
        with suppress(Exception):
            call()


def utc_minute() -> str:
    """Date and time in UTC, to the minute."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
