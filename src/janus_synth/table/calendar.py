"""Moments in, parts of the calendar out (year, quarter, month, day, weekday, hour), and the other way round.

Moments are microseconds since the epoch in UTC. A column with a time zone has the calendar of that zone, where an hour
may come twice or not at all; a column without one has its own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts

LIMITS = {
    "year": (-9999, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "weekday": (0, 6),
    "hour": (0, 23),
}
"""Parts of the calendar, with their smallest and largest number; weekdays count from Monday, 0."""
Ranges = tuple[tuple[int, int], ...]
"""First and last number of some sorted ranges that do not touch."""
HOUR, DAY = 3_600_000_000, 86_400_000_000
_DECADE = 3652 * DAY
_SAMPLES = 12 * HOUR
"""Clocks are compared this often to find changes of the offset."""


def calendar_part(moments: Floats, part: str, zone: str | None = None) -> LongInts:
    """Year, quarter, month, day of the month, weekday (Monday is 0) or hour of each moment; 0 for NaN.

    Examples
    --------
    >>> calendar_part(np.array([0.0, 86_400_000_000.0 * 40]), "month")
    array([1, 2])
    """
    known = np.where(np.isnan(moments), 0.0, moments).astype(np.int64)
    return _part_of_clock(known + _offsets(known, zone), part)


def _part_of_clock(clock: LongInts, part: str) -> LongInts:
    """Part of the calendar of each moment as clocks show it."""
    if part == "hour":
        return clock // HOUR % 24
    days = clock // DAY
    if part == "weekday":
        return (days + 3) % 7
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]").astype(np.int64)
    match part:
        case "year":
            return months // 12 + 1970
        case "quarter":
            return months % 12 // 3 + 1
        case "month":
            return months % 12 + 1
        case "day":
            return np.asarray((dates - dates.astype("datetime64[M]")).astype(np.int64) + 1)
    raise ValueError(f"there is no part {part!r} of the calendar.")


def in_ranges(numbers: LongInts, ranges: Ranges) -> Bools:
    """Which numbers lie in one of some ranges."""
    found = np.zeros(len(numbers), bool)
    for first, last in ranges:
        found |= (numbers >= first) & (numbers <= last)
    return found


def as_ranges(numbers: Sequence[int], part: str) -> Ranges:
    """Numbers as sorted ranges, without those that the part never has.

    Examples
    --------
    >>> as_ranges([8, 7, 6, 1, 13], "month")
    ((1, 1), (6, 8))
    """
    low, high = LIMITS[part]
    found: list[tuple[int, int]] = []
    for number in sorted({n for n in numbers if low <= n <= high}):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def other_ranges(ranges: Ranges, part: str) -> Ranges:
    """Complement of some ranges.

    Examples
    --------
    >>> other_ranges(((1, 1), (6, 8)), "month")
    ((2, 5), (9, 12))
    """
    low, high = LIMITS[part]
    firsts = [low, *(last + 1 for _, last in ranges)]
    lasts = [*(first - 1 for first, _ in ranges), high]
    return tuple((first, last) for first, last in zip(firsts, lasts, strict=True) if first <= last)


def calendar_intervals(part: str, ranges: Ranges, low: float, high: float, zone: str | None = None) -> Floats:
    """(n, 2) first and last microsecond of the times from ``low`` to ``high`` whose part of the calendar is in ranges.

    Examples
    --------
    >>> year = calendar_intervals("month", ((6, 8),), 0.0, 86_400_000_000.0 * 365)
    >>> year.astype("datetime64[us]").astype("datetime64[s]").tolist()[0][0].isoformat()
    '1970-06-01T00:00:00'
    """
    if not ranges or not low <= high:
        return np.empty((0, 2))
    first, last = int(np.floor(low)), int(np.ceil(high))
    starts, offsets = _clock_changes(first, last, zone)
    found = []
    for i, (start, offset) in enumerate(zip(starts.tolist(), offsets.tolist(), strict=True)):
        begin, end = max(start, first), min(starts[i + 1] - 1 if i + 1 < len(starts) else last, last)
        if begin <= end:
            found.append(np.clip(_clock_intervals(part, ranges, begin + offset, end + offset) - offset, begin, end))
    intervals = np.concatenate([np.empty((0, 2), np.int64), *found])
    if not len(intervals):
        return np.empty((0, 2))
    joined = np.append(False, intervals[1:, 0] <= intervals[:-1, 1] + 1)
    return np.column_stack([intervals[~joined, 0], intervals[~np.append(joined[1:], False), 1]]).astype(np.float64)


def _clock_intervals(part: str, ranges: Ranges, low: int, high: int) -> LongInts:
    """The same on a clock without changes; intervals may reach beyond ``low`` and ``high``."""
    if part == "year":
        edges = [(_start_of_year(first), _start_of_year(last + 1) - 1) for first, last in ranges]
        found = np.array(edges, np.int64)
    elif part in ("hour", "weekday"):
        unit, count, shift = (HOUR, 24, 0) if part == "hour" else (DAY, 7, -3)
        period = unit * count
        periods = np.arange((low - shift * unit) // period, (high - shift * unit) // period + 1, dtype=np.int64)
        starts = (periods[:, None] * count + np.array([r[0] for r in ranges]) + shift) * unit
        stops = (periods[:, None] * count + np.array([r[1] for r in ranges]) + shift + 1) * unit
        found = np.column_stack([starts.ravel(), stops.ravel() - 1])
    else:
        days = np.arange(low // DAY, high // DAY + 1, dtype=np.int64)
        kept = days[in_ranges(_part_of_clock(days * DAY, part), ranges)]
        found = np.column_stack([kept * DAY, (kept + 1) * DAY - 1])
    return found[(found[:, 1] >= low) & (found[:, 0] <= high)]


def _start_of_year(year: int) -> int:
    """First microsecond of a year on the clock."""
    return int(np.datetime64(year - 1970, "Y").astype("datetime64[D]").astype(np.int64)) * DAY


def _offsets(moments: LongInts, zone: str | None) -> LongInts:
    """What clocks of a zone show more than UTC, in microseconds, at each moment."""
    if zone is None or not len(moments):
        return np.zeros(len(moments), np.int64)
    starts, offsets = _clock_changes(int(moments.min()), int(moments.max()), zone)
    return offsets[np.searchsorted(starts, moments, side="right") - 1]


def _clock_changes(low: int, high: int, zone: str | None) -> tuple[LongInts, LongInts]:
    """When the offset of a zone begins to hold, and the offset, for all times from ``low`` to ``high``."""
    if zone is None:
        return np.array([low]), np.array([0])
    return _changes_within_decades(low // _DECADE, high // _DECADE + 1, zone)


@lru_cache(maxsize=64)
def _changes_within_decades(first: int, last: int, zone: str) -> tuple[LongInts, LongInts]:
    moments = np.arange(first * _DECADE, last * _DECADE + 1, _SAMPLES, dtype=np.int64)
    offsets = _offsets_of_zone(moments, zone)
    changed = np.flatnonzero(np.diff(offsets))
    before, after = moments[changed], moments[changed + 1]
    while np.any(after - before > 1):  # bisect all changes to the microsecond
        middle = (before + after) // 2
        is_old = _offsets_of_zone(middle, zone) == offsets[changed]
        before, after = np.where(is_old, middle, before), np.where(is_old, after, middle)
    return np.append(moments[:1], after), np.append(offsets[:1], offsets[changed + 1])


def _offsets_of_zone(moments: LongInts, zone: str) -> LongInts:
    import pandas as pd

    stamps: Any = pd.DatetimeIndex(moments.astype("datetime64[us]")).tz_localize("UTC").tz_convert(zone)
    return np.asarray(stamps.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64) - moments)
