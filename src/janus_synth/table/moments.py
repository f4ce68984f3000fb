"""Moments in time as text or objects, and as microseconds since the epoch in UTC."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import SchemaError

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
FIRST_DAY, LAST_DAY = dt.datetime.min, dt.datetime.max

_MOMENT = re.compile(
    r"(?P<day>-?\d{4,6}-\d\d-\d\d)"
    r"(?:(?P<between>[T ])(?P<minute>\d\d:\d\d)(?P<second>:\d\d)?(?P<fraction>\.\d{1,9})?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_FORMAT = re.compile(r"%Y-%m-%d(?P<time>(?P<between>[T ])%H:%M(?P<second>:%S(?P<fraction>\.%f)?)?(?P<utc>Z)?)?")
_ZONE = re.compile(r"\[(?:s|ms|us|ns), (?:tz=)?([^\]]+)\]")


def moments_from_text(texts: Sequence[str]) -> LongInts:
    """Microseconds of each ISO text; a ValueError carries the first text that is none.

    Examples
    --------
    >>> moments_from_text(["1970-01-02", "1970-01-01T01:00:00.5+01:00"])
    array([86400000000,      500000])
    """
    stamps, offsets = [], np.zeros(len(texts), dtype=np.int64)
    for i, text in enumerate(texts):
        match = _MOMENT.fullmatch(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise ValueError(text)
        day, _, minute, second, fraction, offset = match.groups()
        stamps.append(day if minute is None else f"{day}T{minute}{second or ''}{(fraction or '')[:7]}")
        if offset and offset != "Z":
            offsets[i] = _offset_minutes(offset) * 60_000_000
    try:
        moments = np.array(stamps, dtype="datetime64[us]").astype(np.int64)
    except ValueError:  # a 13th month: look for it
        moments = np.array([_one_moment(stamp, text) for stamp, text in zip(stamps, texts, strict=True)])
    return moments.astype(np.int64) - offsets


def _one_moment(stamp: str, text: str) -> int:
    try:
        return int(np.datetime64(stamp, "us").astype(np.int64))
    except ValueError:
        raise ValueError(text) from None


def _offset_minutes(offset: str) -> int:
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if offset[0] == "-" else minutes


def moment_text(moment: float, *, utc: bool = False) -> str:
    """ISO text of one moment, as short as it can be.

    Examples
    --------
    >>> moment_text(86_400_000_000)
    '1970-01-02'
    >>> moment_text(86_400_000_000, utc=True)
    '1970-01-02T00:00:00Z'
    """
    whole = int(moment)
    unit: Any = next(u for u, size in (("D", 86_400_000_000), ("s", 1_000_000), ("us", 1)) if whole % size == 0)
    stamp: Any = np.datetime64(whole, "us")
    return str(np.datetime_as_string(stamp, unit="s" if utc and unit == "D" else unit)) + ("Z" if utc else "")


def is_moment_format(text: object) -> bool:
    """Whether datetimes can be written as text in this format."""
    return isinstance(text, str) and _FORMAT.fullmatch(text) is not None


def moment_format(texts: Sequence[str]) -> str:
    """Format that writes moments the way these texts do; the longest form wins."""
    best = "%Y-%m-%d"
    for text in texts:
        match = _MOMENT.fullmatch(text.strip())
        if match is None or match["minute"] is None:
            continue
        second = (":%S" + (".%f" if match["fraction"] else "")) if match["second"] else ""
        here = f"%Y-%m-%d{match['between']}%H:%M{second}{'Z' if match['offset'] else ''}"
        best = max(best, here, key=len)
    return best


def format_moments(moments: Floats, template: str | None) -> list[str]:
    """Write moments as text, rounded to what the format can hold."""
    match = _FORMAT.fullmatch(template or "%Y-%m-%dT%H:%M:%S.%f")
    assert match is not None, "a Column checks its template"
    unit: Any = "D" if not match["time"] else "us" if match["fraction"] else "s" if match["second"] else "m"
    size = {"D": 86_400_000_000, "m": 60_000_000, "s": 1_000_000, "us": 1}[unit]
    whole = (np.rint(moments / size) * size).astype(np.int64).astype("datetime64[us]")
    texts = np.datetime_as_string(whole, unit=unit, casting="unsafe")
    between, end = match["between"] or "T", match["utc"] or ""
    return [text.replace("T", between) + end for text in texts.tolist()]


def zone_of(dtype: str) -> str | None:
    """Time zone named in a dtype's text, if any.

    Examples
    --------
    >>> zone_of("datetime64[us, Europe/Paris]"), zone_of("timestamp[ns, tz=UTC]"), zone_of("date32[day]")
    ('Europe/Paris', 'UTC', None)
    """
    found = _ZONE.search(dtype)
    return found[1] if found else None


def zone_info(name: str) -> dt.tzinfo:
    """Rebuild a time zone from its name or its fixed offset, such as ``+01:00``."""
    if re.fullmatch(r"[+-]\d\d:\d\d", name):
        return dt.timezone(dt.timedelta(minutes=_offset_minutes(name)))
    import zoneinfo

    return dt.UTC if name == "UTC" else zoneinfo.ZoneInfo(name)


def moment_of(value: Any, zone: str | None = None) -> float:
    """Microseconds of one text, date, datetime or NumPy moment; ``zone`` is for what names none."""
    if isinstance(value, np.datetime64):
        value = str(value.astype("datetime64[us]"))
    if isinstance(value, str):
        moment = float(moments_from_text([value])[0])
        match = _MOMENT.fullmatch(value.strip())
        naive = match is not None and match["offset"] is None
        return _localised(moment, zone) if naive and zone else moment
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            return float((value.astimezone(dt.UTC).replace(tzinfo=None) - EPOCH) // MICROSECOND)
        moment = float((value - EPOCH) // MICROSECOND)
        return _localised(moment, zone) if zone else moment
    if isinstance(value, dt.date):
        return moment_of(dt.datetime(value.year, value.month, value.day), zone)
    raise ValueError(value)


def _localised(moment: float, zone: str) -> float:
    local = EPOCH + dt.timedelta(microseconds=moment)
    return moment_of(local.replace(tzinfo=zone_info(zone)))


def bound_of(name: str, kind: str, dtype: str, value: Any) -> Any:
    """Physical units of a bound given as text, date or duration; numbers pass through."""
    if kind == "numeric" and isinstance(value, dt.timedelta):
        return float(value // MICROSECOND)
    if kind == "numeric" and isinstance(value, np.timedelta64):
        return float(value.astype("timedelta64[us]").astype(np.int64))
    if kind == "datetime" and isinstance(value, str | dt.date | np.datetime64):
        try:
            return moment_of(value, zone_of(dtype))
        except ValueError:
            raise SchemaError(
                f"column {name!r}: {value!r} is not a moment. Write ISO text, such as '2024-01-31T08:30:00'.",
                column=name,
            ) from None
    return value
