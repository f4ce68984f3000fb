"""Distinct values of a column and their rows in; alerts about those that may stand for missing out: 999, 9999-12-31."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.arrays import Array, Floats
from janus_synth.identities import least_rows
from janus_synth.table import Column

MIN_ROWS = 20
_NUMBERS = [(10**n, end) for n in range(1, 7) for end in (-1, -2, -3)]
_CODES = [ten + end for ten, end in _NUMBERS] + [digit * (10**n // 9) for n in range(1, 7) for digit in (6, 7, 8)]
SENTINELS = (-1, *(-code for code in _CODES), *(code for code in _CODES if code > 9))
"""Codes of surveys: -9, 99, 888, 997, 9999 and the like."""
ZERO_STEPS = 5
MOST_CODES = 4
FAR = 2.0
"""A value that is no usual code is reported if it is so many times as far away as the others are wide."""


def missing_codes(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Values such as 999 that occur often and lie far from all others."""
    n_rows = int(counts.sum())
    often = counts >= max(3, least_rows(n_rows), 0.005 * n_rows)  # an alert in a file quotes no value of fewer rows
    found = [*_listed_codes(distinct, often), *_far_values(distinct, often)]
    found += [0] if _is_sentinel_zero(distinct, counts) else []
    if not found:
        return
    codes = sorted(set(found))
    shown = [_shown(column, code) for code in codes]
    rows = " and ".join(f"{int(counts[distinct == code][0]):,}" for code in codes)
    verb = "lies" if len(codes) == 1 else "lie"
    message = f"{' and '.join(shown)} in {rows} rows {verb} far from all other values and may mean missing"
    changes = {"missing": shown}
    yield make_alert(column.name, "missing-code", message, "it is learnt as a real value", changes=changes)


def _shown(column: Column, code: float) -> str:
    """A number as the column writes it, if that is a plain number."""
    from janus_synth.table.texts import format_values

    plain = f"{code:.0f}" if code == int(code) else repr(code)
    if not column.format or "%" in column.format or column.format[0] not in "0#":
        return plain
    text = format_values(np.array([code]), "numeric", column.format)[0]
    return text if re.fullmatch(r"-?\d+(?:\.\d+)?", text) else plain


def _listed_codes(distinct: Floats, often: Array) -> list[float]:
    """Codes of surveys that lie far from all values but other codes, or below zero where nothing else does."""
    found: list[float] = []
    for below in (True, False):
        codes = distinct[np.isin(distinct, SENTINELS) & often & ((distinct < 0) == below)]
        if not below:
            codes = _codes_above(distinct, codes[codes > 0])
        elif len(codes) != int((distinct < 0).sum()) or len(codes) > MOST_CODES:
            continue
        rest = distinct[~np.isin(distinct, [*found, *codes])]
        if len(rest) < 5:
            continue
        if below and len(codes) == 1 and codes[0] == -1 and not (rest[0] > 0 or rest[-1] > 20):
            continue
        found += codes.tolist()
    return found


def _codes_above(distinct: Floats, codes: Floats) -> Floats:
    """Codes that lie far above all values that are neither codes of at least their size nor found before."""
    found: list[float] = []
    for code in codes.tolist():
        rest = distinct[(distinct < code) & ~np.isin(distinct, found)]
        rest = np.append(rest, distinct[(distinct > code) & ~np.isin(distinct, codes)])
        if len(rest) >= 5 and code > rest[-1] + 0.5 * (rest[-1] - max(rest[0], 0.0)):
            found.append(code)
    return np.array(found)


def _far_values(distinct: Floats, often: Array) -> list[float]:
    """A first or last value further from the others than these are from each other, such as 1e20 or 2147483647."""
    found = []
    for place, rest in ((0, distinct[1:]), (-1, distinct[:-1])):
        if len(rest) >= MIN_ROWS and often[place]:
            gap = abs(float(distinct[place]) - float(rest[place]))
            is_far = gap > FAR * float(rest[-1] - rest[0])
            found += [float(distinct[place])] if is_far and _may_be_code(float(distinct[place])) else []
    return found


def _may_be_code(value: float) -> bool:
    """Whether a number is whole, or repeats one digit, such as -99.9; 3120.55 is a sum."""
    return value.is_integer() or len(set(re.sub(r"\D", "", repr(value)))) == 1


def _is_sentinel_zero(distinct: Floats, counts: Array) -> bool:
    """Whether zeros stand apart: other values begin above a fifth of their median and several steps from zero."""
    if distinct[0] != 0 or len(distinct) < MIN_ROWS or not 0.005 <= counts[0] / counts.sum() <= 0.5:
        return False
    rest: Any = np.repeat(distinct[1:], counts[1:])
    step = np.diff(distinct[1:]).min()
    return bool(rest[0] > max(0.2 * np.median(rest), ZERO_STEPS * step)) and counts[0] >= 3


def missing_dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """A first or last date that occurs often and lies far from all others, such as 1900-01-01 and 9999-12-31."""
    from janus_synth.table import shown_value
    from janus_synth.table.texts import format_values

    if len(distinct) < MIN_ROWS:
        return
    for place, rest in ((0, distinct[1:]), (-1, distinct[:-1])):
        gap, width = abs(float(distinct[place]) - float(rest[place])), float(rest[-1] - rest[0])
        n_rows, n_all = int(counts[place]), int(counts.sum())
        if gap > 0.5 * width and n_rows >= max(least_rows(n_all), 0.005 * n_all):
            moments, form = distinct[[place]], column.format
            shown = format_values(moments, "datetime", form)[0] if form else str(shown_value(column, moments[0]))
            message = f"{shown} in {n_rows:,} rows lies far from all other dates and may mean missing"
            changes = {"missing": [shown]}
            yield make_alert(column.name, "missing-code", message, "it is learnt as a real date", changes=changes)
