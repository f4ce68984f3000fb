"""Calls to seconds, taken in turns so that a busy moment hits everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import NamedTuple

Call = Callable[[], object]


class Seconds(NamedTuple):
    """What passed on the clock, and what this process spent on all its threads.

    Beside other work the clock says little; processor time suffers less.
    """

    clock: float
    processor: float


def seconds_of(call: Call) -> Seconds:
    """How long one call takes."""
    clock, processor = perf_counter(), process_time()
    call()
    return Seconds(perf_counter() - clock, process_time() - processor)


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
