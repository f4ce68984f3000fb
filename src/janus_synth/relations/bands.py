"""A table in; columns that are step functions of a number out, such as an age group, with the edges of the steps.

Sorted by the number, each value of the column must fill one stretch. Chance is judged by distinct values of the number:
of K of them, k_v with value v, a random order has one stretch per value with probability L! Π k_v! / K!. A smooth
dependence, or groups that do not touch, can look the same; so there must be rows close to the edges.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.relations.chance import is_credible
from janus_synth.relations.details import Band
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold, value_text
from janus_synth.relations.view import View, codes_of, numbers_of
from janus_synth.rules.language.notation import format_name, plain_number
from janus_synth.table import Level, shown_value

MAX_BANDS = 24
MIN_VALUES = 12
"""Distinct values of the number, at least."""
MIN_PER_BAND = 4
"""Distinct values of the number per band, on average."""
NEAR = 0.05
"""Distance that is close to an edge, relative to the range between the 10 % and 90 % quantiles."""
MIN_NEAR = 20
"""Rows close to an edge, on average."""


def find_bands(view: View, known: set[frozenset[str]]) -> list[Relation]:
    """Step functions of numbers; pairs in ``known`` are skipped, and each column has one source."""
    sources = [
        column.name
        for column in view.columns
        if column.kind == "numeric"
        and view.unit(column.name) == "number"
        and view.codes[column.name].max() >= MIN_VALUES
    ]
    columns = [column.name for column in view.columns if view.codes[column.name].max() < MAX_BANDS]
    tried = 2 * math.log(max(len(view.columns), 2))
    found: dict[str, Relation] = {}
    for column in columns:
        for source in sources:
            if column in found or source == column or frozenset((column, source)) in known:
                continue
            relation = _find(view, column, source, tried)
            if relation is not None:
                found[column] = relation
    return list(found.values())


def _find(view: View, column: str, source: str, tried: float) -> Relation | None:
    x, y = view.numbers[source], view.codes[column]
    present = ~np.isnan(x) & (y >= 0)
    if not _has_stretches(x[present][:500], y[present][:500]) or not _has_stretches(x[present], y[present]):
        return None
    if not _is_credible(x[present], y[present], tried):
        return None
    x, y = numbers_of(view.table, source), codes_of(view.table, column)
    present = ~np.isnan(x) & (y >= 0)
    return _relation(view, column, source, x[present], y[present]) if _has_stretches(x[present], y[present]) else None


def _stretches(x: Floats, y: LongInts) -> tuple[Floats, LongInts, LongInts]:
    """Sorted numbers, their values, and the places where a new stretch of one value begins."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    return x, y, np.flatnonzero(np.concatenate([[True], y[1:] != y[:-1]]))


def _has_stretches(x: Floats, y: LongInts) -> bool:
    """Whether each value fills one stretch, and no number has two values."""
    x, y, starts = _stretches(x, y)
    if len(starts) < 2 or len(starts) != len(np.unique(y)):
        return False
    return bool((x[starts[1:]] > x[starts[1:] - 1]).all())


def _is_credible(x: Floats, y: LongInts, tried: float) -> bool:
    from scipy.special import gammaln

    numbers, first = np.unique(x, return_index=True)
    sizes = np.unique(y[first], return_counts=True)[1]
    if len(numbers) < MIN_PER_BAND * len(sizes):
        return False
    by_chance = gammaln(len(sizes) + 1) + gammaln(sizes + 1).sum() - gammaln(len(numbers) + 1)
    if not is_credible(float(by_chance), tried):
        return False
    x, y, starts = _stretches(x, y)
    low, high = np.quantile(x, (0.1, 0.9))
    edges, reach = (x[starts[1:]] + x[starts[1:] - 1]) / 2, NEAR * (high - low)
    near = np.searchsorted(x, edges + reach) - np.searchsorted(x, edges - reach)
    touching = (x[starts[1:]] - x[starts[1:] - 1]) <= reach
    return bool(near.mean() >= MIN_NEAR and touching.mean() >= 0.5)


def _relation(view: View, column: str, source: str, x: Floats, y: LongInts) -> Relation | None:
    x, y, starts = _stretches(x, y)
    edges = tuple(round_between(float(x[s - 1]), float(x[s])) for s in starts[1:])
    values = tuple(_level(view, column, int(y[s])) for s in starts)
    rule = or_null(_rule(column, source, edges, values), (column, source), view.table.schema)
    holding = rows_that_hold(rule, view.table)
    if holding is None or not holding.all():
        return None
    complete = view.complete((column, source))
    example = view.row_values(first_true(complete), (column, source))
    shown = ", ".join(str(plain_number(edge)) for edge in edges)
    text = f"{format_name(column)} is a band of {format_name(source)} with edges {shown}"
    detail = Band(column, source, edges, values)
    return Relation("band", (column, source), rule, int(complete.sum()), 0, example, detail, text)


def _level(view: View, column: str, code: int) -> Level:
    """Value of a code of the whole table."""
    schema = view.table.schema[column]
    cells = view.table[column]
    physical = float(code) if schema.is_discrete else float(np.unique(cells[~np.isnan(cells)])[code])
    value = shown_value(schema, physical)
    assert value is not None, "codes of present cells have a value"
    return value


def _rule(column: str, source: str, edges: tuple[float, ...], values: tuple[Level, ...]) -> str:
    name, shown = format_name(source), [str(plain_number(edge)) for edge in edges]
    premises = [f"{name} < {shown[0]}"]
    premises += [f"{low} <= {name} < {high}" for low, high in pairwise(shown)]
    premises.append(f"{name} >= {shown[-1]}")
    parts = [f"implies({p}, {value_text(column, v)})" for p, v in zip(premises, values, strict=True)]
    return " and ".join(parts)


def round_between(low: float, high: float) -> float:
    """Return the roundest number above ``low`` and not above ``high``.

    Examples
    --------
    >>> round_between(29, 30), round_between(49.87, 50.21), round_between(0.123, 0.1241)
    (30.0, 50.0, 0.124)
    """
    for decimals in range(-6, 16):
        step = 10.0**-decimals
        candidate = round(math.floor(high / step) * step, max(decimals, 0))
        if low < candidate <= high:
            return float(candidate)
    return high
