"""A table in; columns that are a part of a timestamp out: year, quarter, month, day, weekday, hour, minute, date.

Parts are taken in the time zone of the timestamp. Where it is UTC or not known, columns may also be parts on the clock
of another place, if one of them is an hour there. A column may hold the number of the part (weekdays and hours may
count from 0 or 1, weeks may begin on Sunday) or its English name, long or short.
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import CalendarPart
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true
from janus_synth.relations.view import View
from janus_synth.rules.language.notation import format_name
from janus_synth.table import Column, Level, Table
from janus_synth.table.datetimes import DAY, is_zone, zone_of

PARTS = ("year", "quarter", "month", "day", "weekday", "hour", "minute")
OFFSETS = {"weekday": (0, 1), "hour": (0, 1)}
"""What numbers of a part may be shifted by; others are not shifted."""
_NAMES: dict[str, list[list[str]]] = {
    "weekday": [list(calendar.day_name), list(calendar.day_abbr), [name[:2] for name in calendar.day_name]],
    "month": [list(calendar.month_name), list(calendar.month_abbr)],
}
HOUR = 3_600_000_000
ZONES = (
    *(
        f"America/{city}"
        for city in ("New_York", "Chicago", "Denver", "Los_Angeles", "Phoenix", "Anchorage", "Halifax")
    ),
    *(f"America/{city}" for city in ("Mexico_City", "Bogota", "Santiago", "Sao_Paulo", "St_Johns")),
    *(f"Europe/{city}" for city in ("London", "Paris", "Helsinki", "Istanbul", "Moscow")),
    *(f"Asia/{city}" for city in ("Kolkata", "Shanghai", "Tokyo", "Dubai", "Karachi", "Dhaka", "Bangkok", "Kathmandu")),
    *(f"Asia/{city}" for city in ("Jerusalem", "Tehran", "Tashkent", "Kabul", "Yangon")),
    *(f"Australia/{city}" for city in ("Sydney", "Brisbane", "Adelaide", "Darwin", "Perth")),
    *("Pacific/Auckland", "Pacific/Honolulu", "Africa/Cairo", "Africa/Lagos", "Africa/Johannesburg", "Africa/Nairobi"),
)
"""Time zones that parts of a timestamp in UTC may be in: one for each way to set clocks, larger ones first."""
FIRST_ROWS = 200
"""Rows that reject most zones."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A column and a part of a timestamp that it may be."""

    detail: CalendarPart
    values: Floats
    """What the cells of the column say the part is, NaN for missing."""


def find_calendar_parts(view: View) -> list[Relation]:
    """Columns that are a part of a timestamp; the first timestamp that fits counts."""
    stamps = [column.name for column in view.columns if column.kind == "datetime"]
    found: dict[str, Relation] = {}
    tried = math.log(max(1, len(stamps)) * len(view.columns) * 40)
    for stamp in stamps:
        found |= _find_parts(view, stamp, None, found, tried)
        if zone_of(view.table.schema[stamp].dtype) in (None, "UTC"):
            for zone in _zones(view, stamp, found):
                new = _find_parts(view, stamp, zone, found, tried + math.log(len(ZONES)))
                if any(_part_of(relation) == "hour" for relation in new.values()):
                    found |= new
    return list(found.values())


def _find_parts(view: View, stamp: str, zone: str | None, found: Collection[str], tried: float) -> dict[str, Relation]:
    """Columns that are a part of a timestamp in one time zone, without those that are known."""
    parts, new = all_parts(view.sample, stamp, zone), dict[str, Relation]()
    for column in view.columns:
        if column.name == stamp or column.name in found:
            continue
        for candidate in _candidates(view.sample, column, stamp, zone):
            if _is_more_than_chance(view, candidate, parts, tried):
                relation = _verify(view, candidate)
                if relation is not None:
                    new[column.name] = relation
                    break
    return new


def _part_of(relation: Relation) -> str | None:
    return relation.detail.part if isinstance(relation.detail, CalendarPart) else None


def _zones(view: View, stamp: str, found: Collection[str]) -> list[str]:
    """Time zones in which a column of numbers may be the hour of a timestamp; none if none is needed."""
    hours = [column.name for column in view.columns if column.kind == "numeric" and column.name not in found]
    hours = [name for name in hours if _may_be_hour(view.numbers[name])]
    few = view.sample.take(slice(0, FIRST_ROWS))
    return [zone for zone in ZONES if hours and is_zone(zone) and any(_agrees(few, stamp, zone, n) for n in hours)]


def _may_be_hour(numbers: Floats) -> bool:
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    return low >= 0 and 6 <= high <= 24 and bool((np.isnan(numbers) | (numbers == np.rint(numbers))).all())


def _agrees(rows: Table, stamp: str, zone: str, name: str) -> bool:
    """Whether a column may be the hour of a timestamp in a time zone, from 0 or from 1."""
    off = rows[name] - all_parts(rows, stamp, zone)["hour"]
    off = off[~np.isnan(off)]
    return bool(len(off) and (off == off[0]).all() and off[0] in OFFSETS["hour"])


def all_parts(table: Table, stamp: str, zone: str | None = None) -> dict[str, Floats]:
    """All parts of a timestamp as numbers, NaN for missing; weekdays count from Monday = 0."""
    local = local_microseconds(table, stamp, zone)
    missing = np.isnan(local)
    whole = np.where(missing, 0, local).astype(np.int64).astype("datetime64[us]")
    days = whole.astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64)
    of_day = whole.astype(np.int64) - days.astype("datetime64[us]").astype(np.int64)
    parts = {
        "year": 1970 + months // 12,
        "quarter": 1 + (months % 12) // 3,
        "month": 1 + months % 12,
        "day": 1 + (days - days.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64),
        "weekday": (days.astype(np.int64) + 3) % 7,
        "hour": of_day // HOUR,
        "minute": of_day // (HOUR // 60) % 60,
        "date": days.astype(np.int64),
    }
    return {name: np.where(missing, np.nan, part.astype(np.float64)) for name, part in parts.items()}


def local_microseconds(table: Table, stamp: str, zone: str | None = None) -> Floats:
    """Microseconds of a timestamp on the clock of a time zone; by default its own."""
    utc = table[stamp]
    zone = zone or zone_of(table.schema[stamp].dtype)
    if zone is None or zone == "UTC":
        return utc
    import pandas as pd

    missing = np.isnan(utc)
    hours, place = np.unique(np.where(missing, 0, np.floor(utc / (HOUR // 4))), return_inverse=True)
    starts = pd.to_datetime((hours * (HOUR // 4)).astype(np.int64), unit="us", utc=True).tz_convert(zone)
    shift = starts.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64) - hours * (HOUR // 4)
    return np.asarray(utc + shift[place])


def _candidates(table: Table, column: Column, stamp: str, zone: str | None) -> Iterator[_Candidate]:
    """What a column may say in a time zone: a number, a name, or a date."""
    for found in _candidates_of_kind(table, column, stamp):
        yield replace(found, detail=replace(found.detail, zone=zone))


def _candidates_of_kind(table: Table, column: Column, stamp: str) -> Iterator[_Candidate]:
    cells = table[column.name]
    if column.kind == "datetime":
        yield from _date_candidates(table, column.name, stamp)
    elif column.kind == "numeric":
        for part in PARTS:
            yield from _number_candidates(column.name, stamp, part, cells)
    elif column.kind == "categorical":
        for part, names in _read_names(column):
            numbers = np.array([*(dict(names).get(level, math.nan) for level in column.levels), math.nan])
            yield _Candidate(CalendarPart(column.name, stamp, part, names=names), numbers[cells])
        if all(isinstance(level, int | float) or str(level).isdigit() for level in column.levels):
            numbers = np.array([*(float(level) for level in column.levels), math.nan])
            for part in PARTS:
                yield from _number_candidates(column.name, stamp, part, numbers[cells])


def _number_candidates(name: str, stamp: str, part: str, cells: Floats) -> Iterator[_Candidate]:
    for offset in OFFSETS.get(part, (0,)):
        yield _Candidate(CalendarPart(name, stamp, part, offset), cells - offset)
        if part == "weekday":
            shifted = cells - offset
            since_monday = np.where((shifted < 0) | (shifted > 6), -1.0, (shifted + 6) % 7)
            yield _Candidate(CalendarPart(name, stamp, part, offset, sunday_first=True), since_monday)


def _date_candidates(table: Table, name: str, stamp: str) -> Iterator[_Candidate]:
    """A column of dates, at midnight of its own time zone."""
    days = local_microseconds(table, name) / DAY
    if (np.isnan(days) | (days == np.floor(days))).all():
        yield _Candidate(CalendarPart(name, stamp, "date"), days)


def _read_names(column: Column) -> Iterator[tuple[str, tuple[tuple[Level, int], ...]]]:
    """Part whose names the levels are, and the number of each level."""
    for part, spellings in _NAMES.items():
        for names in spellings:
            known = {name.lower(): i for i, name in enumerate(names) if name}
            if column.levels and all(str(level).strip().lower().rstrip(".") in known for level in column.levels):
                yield part, tuple((level, known[str(level).strip().lower().rstrip(".")]) for level in column.levels)
                break


def _is_more_than_chance(view: View, candidate: _Candidate, parts: Mapping[str, Floats], tried: float) -> bool:
    part, values = parts[candidate.detail.part], candidate.values
    present = ~np.isnan(part) & ~np.isnan(values)
    part, values = part[present], values[present]
    if len(values) < MIN_ROWS or (part != values).any():
        return False

    def agree(arrays: Mapping[str, Array]) -> Bools:
        same: Bools = arrays["part"] == arrays["values"]
        return same

    share = chance_share(agree, {"part": part, "values": values}, view.random())
    return is_credible(log_tail(len(values), 0, share), tried)


def _verify(view: View, candidate: _Candidate) -> Relation | None:
    """Return the relation, if all complete rows keep it."""
    detail = candidate.detail
    column = view.table.schema[detail.column]
    again = next(c for c in _candidates(view.table, column, detail.timestamp, detail.zone) if c.detail == detail)
    part = all_parts(view.table, detail.timestamp, detail.zone)[detail.part]
    names = (detail.column, detail.timestamp)
    complete = view.complete(names)
    if (part[complete] != again.values[complete]).any():
        return None
    example = view.row_values(first_true(complete), names)
    where = "" if detail.zone is None else f" in {detail.zone}"
    text = f"{format_name(detail.column)} is the {describe(detail)} of {format_name(detail.timestamp)}{where}"
    return Relation("calendar", names, "", int(complete.sum()), 0, example, detail, text)


def describe(detail: CalendarPart) -> str:
    """Name of a part with how it is counted."""
    if detail.part == "weekday" and not detail.names:
        first = "Sunday" if detail.sunday_first else "Monday"
        return f"weekday ({first} = {detail.offset})"
    return detail.part if not detail.offset else f"{detail.part} (from {detail.offset})"
