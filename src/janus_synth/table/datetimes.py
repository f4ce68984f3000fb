"""Datetimes as text or Python objects in, microseconds since the epoch in UTC out, and back; times of day as numbers.

A ``Table`` stores the microseconds as float64, which is exact from 1684 to 2255 (2**53 µs).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import SchemaError
from janus_synth.table.texts.datetime_format import format_formatted

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
DAY = 86_400_000_000  # microseconds
MINUTES_OF_DAY = 1_440

_DATETIME = re.compile(
    r"(?P<day>-?\d{4,6}-\d\d-\d\d)"
    r"(?:(?P<between>[T ])(?P<minute>\d\d:\d\d)(?P<second>:\d\d)?(?P<fraction>\.\d{1,9})?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_ZONE = re.compile(r"\[(?:s|ms|us|ns), (?:tz=)?([^\]]+)\]")


def parse_datetimes(texts: Sequence[str]) -> LongInts:
    """Microseconds of each ISO text; raise ValueError with the first text that is not a datetime.

    Examples
    --------
    >>> parse_datetimes(["1970-01-02", "1970-01-01T01:00:00.5+01:00"])
    array([86400000000,      500000])
    """
    stamps, offsets = [], np.zeros(len(texts), dtype=np.int64)
    for i, text in enumerate(texts):
        match = _DATETIME.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise ValueError(text)
        day, _, minute, second, fraction, offset = match.groups()
        stamps.append(day if minute is None else f"{day}T{minute}{second or ''}{(fraction or '')[:7]}")
        if offset and offset != "Z":
            offsets[i] = _offset_minutes(offset) * 60_000_000
    try:
        microseconds = np.array(stamps, dtype="datetime64[us]").astype(np.int64)
    except ValueError:  # for example a 13th month: find the text to report
        microseconds = np.array([_parse_one(stamp, text) for stamp, text in zip(stamps, texts, strict=True)])
    return microseconds.astype(np.int64) - offsets


def _parse_one(stamp: str, text: str) -> int:
    try:
        return int(np.datetime64(stamp, "us").astype(np.int64))
    except ValueError:
        raise ValueError(text) from None


def _offset_minutes(offset: str) -> int:
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if offset[0] == "-" else minutes


def format_datetime(microseconds: float, *, utc: bool = False) -> str:
    """Shortest ISO text of one datetime.

    Examples
    --------
    >>> format_datetime(86_400_000_000)
    '1970-01-02'
    >>> format_datetime(86_400_000_000, utc=True)
    '1970-01-02T00:00:00Z'
    """
    whole = int(microseconds)
    unit: Any = next(u for u, size in (("D", 86_400_000_000), ("s", 1_000_000), ("us", 1)) if whole % size == 0)
    stamp: Any = np.datetime64(whole, "us")
    return str(np.datetime_as_string(stamp, unit="s" if utc and unit == "D" else unit)) + ("Z" if utc else "")


def infer_datetime_format(texts: Sequence[str]) -> str:
    """Format of these texts; where they differ, the most detailed one."""
    best = "%Y-%m-%d"
    for text in texts:
        match = _DATETIME.fullmatch(text.strip())
        if match is None or match["minute"] is None:
            continue
        second = (":%S" + (".%f" if match["fraction"] else "")) if match["second"] else ""
        here = f"%Y-%m-%d{match['between']}%H:%M{second}{'Z' if match['offset'] else ''}"
        best = max(best, here, key=len)
    return best


def format_datetimes(microseconds: Floats, template: str | None) -> list[str]:
    """Write microseconds as text, rounded to the smallest unit of the format."""
    return format_formatted(microseconds, template or "%Y-%m-%dT%H:%M:%S.%f")


def is_zone(name: object) -> bool:
    """Whether this names a time zone that is installed here."""
    import pandas as pd

    try:
        return isinstance(name, str) and pd.Timestamp(0, tz=name) is not None
    except (KeyError, ValueError, OSError):  # libraries of time zones differ
        return False


def zone_of(dtype: str) -> str | None:
    """Time zone in the text of a dtype, if any.

    Examples
    --------
    >>> zone_of("datetime64[us, Europe/Paris]"), zone_of("timestamp[ns, tz=UTC]"), zone_of("date32[day]")
    ('Europe/Paris', 'UTC', None)
    """
    found = _ZONE.search(dtype)
    return found[1] if found else None


def zone_info(name: str) -> dt.tzinfo:
    """Time zone of a name or a fixed offset such as ``+01:00``."""
    if re.fullmatch(r"[+-]\d\d:\d\d", name):
        return dt.timezone(dt.timedelta(minutes=_offset_minutes(name)))
    import zoneinfo

    return dt.UTC if name == "UTC" else zoneinfo.ZoneInfo(name)


def to_microseconds(value: Any, zone: str | None = None) -> float:
    """Microseconds of one text, date, datetime or ``datetime64``; ``zone`` applies to values without a time zone."""
    if isinstance(value, np.datetime64):
        value = str(value.astype("datetime64[us]"))
    if isinstance(value, str):
        microseconds = float(parse_datetimes([value])[0])
        match = _DATETIME.fullmatch(value.strip())
        naive = match is not None and match["offset"] is None
        return _from_local_time(microseconds, zone) if naive and zone else microseconds
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            return float((value.astimezone(dt.UTC).replace(tzinfo=None) - EPOCH) // MICROSECOND)
        microseconds = float((value - EPOCH) // MICROSECOND)
        return _from_local_time(microseconds, zone) if zone else microseconds
    if isinstance(value, dt.date):
        return to_microseconds(dt.datetime(value.year, value.month, value.day), zone)
    raise ValueError(value)


def _from_local_time(microseconds: float, zone: str) -> float:
    local = EPOCH + dt.timedelta(microseconds=microseconds)
    return to_microseconds(local.replace(tzinfo=zone_info(zone)))


def physical_bound(name: str, kind: str, dtype: str, value: Any) -> Any:
    """Microseconds of a bound given as text, date or duration; numbers are returned as they are."""
    if kind == "numeric" and isinstance(value, dt.timedelta):
        return float(value // MICROSECOND)
    if kind == "numeric" and isinstance(value, np.timedelta64):
        return float(value.astype("timedelta64[us]").astype(np.int64))
    if kind == "datetime" and isinstance(value, str | dt.date | np.datetime64):
        try:
            return to_microseconds(value, zone_of(dtype))
        except ValueError:
            raise SchemaError(
                f"column {name!r}: {value!r} is not a datetime. Write ISO text, such as '2024-01-31T08:30:00'.",
                column=name,
            ) from None
    return value


def minutes_of_day(times: Floats) -> Floats:
    """Minutes since midnight of times of day such as 1405.

    Examples
    --------
    >>> minutes_of_day(np.array([5.0, 1405.0, 2400.0]))
    array([   5.,  845., 1440.])
    """
    hours = np.floor(times / 100)
    return np.asarray(60 * hours + (times - 100 * hours))


def clock_numbers(minutes: Floats, midnight: int = 0) -> Floats:
    """Times of day of minutes since midnight, the inverse of ``minutes_of_day``; other days do not count.

    Examples
    --------
    >>> clock_numbers(np.array([845.0, -10.0, 1440.0]), midnight=2400)
    array([1405., 2350., 2400.])
    """
    of_day = np.mod(minutes, MINUTES_OF_DAY)
    hours = np.floor(of_day / 60)
    return np.where(of_day == 0, float(midnight), 40 * hours + of_day)
