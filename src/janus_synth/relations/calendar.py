"""A table in; columns that are a part of a timestamp out: year, quarter, month, day, weekday, hour, minute, date.

Parts are taken in the time zone of the timestamp. A column may hold the number of the part (weekdays and hours may
count from 0 or 1, weeks may begin on Sunday) or its English name, long or short.
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import CalendarPart
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true
from janus_synth.relations.view import View
from janus_synth.rules.language.notation import format_name
from janus_synth.table import Column, Level, Table
from janus_synth.table.datetimes import DAY, zone_of

PARTS = ("year", "quarter", "month", "day", "weekday", "hour", "minute")
OFFSETS = {"weekday": (0, 1), "hour": (0, 1)}
"""What numbers of a part may be shifted by; others are not shifted."""
_NAMES: dict[str, list[list[str]]] = {
    "weekday": [list(calendar.day_name), list(calendar.day_abbr), [name[:2] for name in calendar.day_name]],
    "month": [list(calendar.month_name), list(calendar.month_abbr)],
}
HOUR = 3_600_000_000


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
        parts = all_parts(view.sample, stamp)
        for column in view.columns:
            if column.name == stamp or column.name in found:
                continue
            for candidate in _candidates(view.sample, column, stamp):
                if _is_more_than_chance(view, candidate, parts, tried):
                    relation = _verify(view, candidate)
                    if relation is not None:
                        found[column.name] = relation
                        break
    return list(found.values())


def all_parts(table: Table, stamp: str) -> dict[str, Floats]:
    """All parts of a timestamp as numbers, NaN for missing; weekdays count from Monday = 0."""
    local = local_microseconds(table, stamp)
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


def local_microseconds(table: Table, stamp: str) -> Floats:
    """Microseconds of a timestamp on the clock of its time zone."""
    utc = table[stamp]
    zone = zone_of(table.schema[stamp].dtype)
    if zone is None or zone == "UTC":
        return utc
    import pandas as pd

    missing = np.isnan(utc)
    hours, place = np.unique(np.where(missing, 0, np.floor(utc / (HOUR // 4))), return_inverse=True)
    starts = pd.to_datetime((hours * (HOUR // 4)).astype(np.int64), unit="us", utc=True).tz_convert(zone)
    shift = starts.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64) - hours * (HOUR // 4)
    return np.asarray(utc + shift[place])


def _candidates(table: Table, column: Column, stamp: str) -> Iterator[_Candidate]:
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
    again = next(c for c in _candidates(view.table, column, detail.timestamp) if c.detail == detail)
    part = all_parts(view.table, detail.timestamp)[detail.part]
    names = (detail.column, detail.timestamp)
    complete = view.complete(names)
    if (part[complete] != again.values[complete]).any():
        return None
    example = view.row_values(first_true(complete), names)
    text = f"{format_name(detail.column)} is the {describe(detail)} of {format_name(detail.timestamp)}"
    return Relation("calendar", names, "", int(complete.sum()), 0, example, detail, text)


def describe(detail: CalendarPart) -> str:
    """Name of a part with how it is counted."""
    if detail.part == "weekday" and not detail.names:
        first = "Sunday" if detail.sunday_first else "Monday"
        return f"weekday ({first} = {detail.offset})"
    return detail.part if not detail.offset else f"{detail.part} (from {detail.offset})"
