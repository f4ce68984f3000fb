"""Ranges of computed columns: domains of their inputs in, the smallest and largest value that a link can give out.

A sum can exceed the largest value of the training rows, and a model must not call impossible what it draws. Only
copies, and timestamps that are put together from a date and a time of day, are kept in the domain of the training rows:
they are clipped, timestamps at ends which a date and a time of day can give.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import (
    DAY,
    Band,
    CalendarPart,
    Formula,
    Lookup,
    Product,
    Sum,
    calendar_part,
    round_to,
)
from janus_synth.coordinates.links import Link
from janus_synth.coordinates.local_time import LocalTime, to_utc
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.scaled import Scaled
from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.table import Column, Schema

Ends = tuple[float, float]
PART_ENDS: dict[str, Ends] = {
    "quarter": (1.0, 4.0),
    "month": (1.0, 12.0),
    "day": (1.0, 31.0),
    "weekday": (0.0, 6.0),
    "hour": (0.0, 23.0),
    "minute": (0.0, 59.0),
    "hhmm": (0.0, 2359.0),
}


def with_reachable_domains(schema: Schema, links: Sequence[Link]) -> Schema:
    """The same columns, where domains of computed numbers and times include all that their inputs can give."""
    columns = {column.name: column for column in schema.columns}
    waiting = {link.column: link for link in links if link.within is None}
    while waiting:
        ready = [link for link in waiting.values() if not set(link.inputs) & waiting.keys()]
        for link in ready:
            columns[link.column] = _widened(columns[link.column], reachable_ends(link, columns))
            del waiting[link.column]
        if not ready:
            break
    return replace(schema, columns=tuple(columns[column.name] for column in schema.columns))


def _widened(column: Column, ends: Ends | None) -> Column:
    if ends is None or column.is_discrete or column.low is None or column.high is None:
        return column
    return replace(column, low=min(column.low, ends[0]), high=max(column.high, ends[1]))


def keeps_sign(link: Link, column: Column) -> bool:
    """Whether a computed column is a difference, or near a product, and must not become negative, as no row is."""
    is_difference = isinstance(link.formula, Sum) and any(weight < 0 for _, weight in link.formula.terms)
    is_difference |= isinstance(link.formula, Product) and link.gap is not None
    is_number = column.kind == "numeric" and column.low is not None and column.low >= 0
    return is_difference and is_number and link.source is None


def reachable_ends(link: Link, columns: dict[str, Column]) -> Ends | None:
    """Smallest and largest value that a link can give; None if the domain of an input is open.

    Examples
    --------
    >>> parts = {name: Column(name, "numeric", "int64", low=1.0, high=9.0) for name in ("a", "b", "t")}
    >>> reachable_ends(Link("t", Sum((("a", 1.0), ("b", 2.0)))), parts)
    (3.0, 27.0)
    """
    if isinstance(link.formula, Clock):
        return 0.0, float(max(2359, link.formula.midnight))
    ends = _ends_of_formula(link.formula, columns)
    if ends is not None and link.gap is not None:
        gap = _ends(columns[link.gap])
        ends = None if gap is None else (ends[0] + gap[0], ends[1] + gap[1])
    if ends is None:
        return None
    decimals = getattr(link.formula, "decimals", None)
    low, high = round_to(np.array(ends), decimals).tolist()
    if keeps_sign(link, columns[link.column]):
        low, high = max(low, 0.0), max(high, 0.0)
    return low, high


def _ends(column: Column) -> Ends | None:
    if column.kind == "boolean":
        return 0.0, 1.0
    if column.low is None or column.high is None:
        return None
    return column.low, column.high


def _ends_of_formula(formula: Formula, columns: dict[str, Column]) -> Ends | None:
    match formula:
        case Sum(terms, constant):
            return _ends_of_sum([(_ends(columns[name]), weight) for name, weight in terms], constant)
        case Product(first, second, power):
            one = _ends_of_sum([(_ends(columns[name]), formula.factor) for name in (first, *formula.plus)], 0.0)
            other = _ends(columns[second])
            return None if one is None or other is None else _ends_of_product(one, other, power)
        case Scaled(source, _, factors):
            ends = _ends(columns[source])
            return None if ends is None else _hull(end * factor for end in ends for factor in factors)
        case Lookup() | PairLookup():
            return _hull(value for value in (*formula.values, getattr(formula, "missing", None)) if value is not None)
        case Band():
            return _hull(formula.values)
        case CalendarPart():
            return _ends_of_part(formula, _ends(columns[formula.timestamp]))
    return None


def _hull(values: Iterable[float]) -> Ends | None:
    listed = list(values)
    return (min(listed), max(listed)) if listed else None


def _ends_of_sum(terms: Sequence[tuple[Ends | None, float]], constant: float) -> Ends | None:
    low = high = constant
    for ends, weight in terms:
        if ends is None:
            return None
        both = sorted(weight * end for end in ends)
        low, high = low + both[0], high + both[1]
    return low, high


def _ends_of_product(one: Ends, other: Ends, power: int) -> Ends | None:
    """Ends of a product with a power; None if a denominator may be 0."""
    if power < 0 and other[0] <= 0 <= other[1]:
        return None
    powers = [end**power for end in other] + ([0.0] if other[0] < 0 < other[1] else [])
    return _hull(end * each for end in one for each in powers)


def _ends_of_part(formula: CalendarPart, ends: Ends | None) -> Ends | None:
    if formula.known:
        return _hull(formula.values)
    if formula.part in PART_ENDS:
        return PART_ENDS[formula.part]
    return (
        None
        if ends is None
        else _hull(calendar_part(np.array(ends).astype(np.int64), formula.part, formula.zone).tolist())
    )


def with_reachable_ends(link: Link, codec: Codec) -> Link:
    """The same link, where the ends that a timestamp is clipped to are sums of a date and a time that can be drawn.

    Ends of domains are smoothed, also those of dates and times of day, so that no row may have the last day, or a time
    of day as early as that of the first timestamp.
    """
    if not link.is_clock or link.within is None:
        return link
    date, time = (codec.columns[name] for name in link.parts)
    assert isinstance(date, OrderedCodec)
    assert isinstance(time, OrderedCodec)
    ends = np.array(link.within)
    ends = link.formula.local(ends) if isinstance(link.formula, LocalTime) else ends
    low, high = _first_from(date, time, float(ends[0])), _last_to(date, time, float(ends[1]))
    if isinstance(link.formula, LocalTime) and low is not None and high is not None:
        low, high = to_utc(np.array([low, high]), link.formula.zone).tolist()
    return link if low is None or high is None or low > high else replace(link, within=(low, high))


def _first_from(date: OrderedCodec, time: OrderedCodec, least: float) -> float | None:
    """Earliest timestamp of the codecs that is not before a given one."""
    day = least - least % DAY
    earliest = _next(time, least % DAY) if _next(date, day) == day else None
    if earliest is not None:
        return day + earliest
    later, first = _next(date, day + DAY), _next(time, 0.0)
    return None if later is None or first is None else later + first


def _last_to(date: OrderedCodec, time: OrderedCodec, most: float) -> float | None:
    """Latest timestamp of the codecs that is not after a given one."""
    day = most - most % DAY
    latest = _previous(time, most % DAY) if _previous(date, day) == day else None
    if latest is not None:
        return day + latest
    earlier, last = _previous(date, day - DAY), _previous(time, float(DAY))
    return None if earlier is None or last is None else earlier + last


def _next(codec: OrderedCodec, least: float) -> float | None:
    """Smallest whole value from ``least`` on that a column can have."""
    low, high = _bins(codec)
    start = np.maximum(low, least)
    start = np.ceil(start) if codec.lattice is None else np.array([codec.lattice.ceil(each) for each in start])
    found = start[start <= high]
    return float(found.min()) if len(found) else None


def _previous(codec: OrderedCodec, most: float) -> float | None:
    """Largest whole value up to ``most`` that a column can have."""
    low, high = _bins(codec)
    stop = np.minimum(high, most)
    stop = np.floor(stop) if codec.lattice is None else np.array([codec.lattice.floor(each) for each in stop])
    found = stop[stop >= low]
    return float(found.max()) if len(found) else None


def _bins(codec: OrderedCodec) -> tuple[Floats, Floats]:
    """Smallest and largest value of each bin."""
    codes = range(codec.n_bins)
    return np.array([codec.smallest(code) for code in codes]), np.array([codec.largest(code) for code in codes])
