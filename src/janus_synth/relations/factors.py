"""A table in; columns that are one of a few multiples of another, after rounding, out: a tax of 7 % or 19 % of a price.

Rounding leaves an interval of factors for each row. The fewest points that meet all intervals are the factors; they
must be numbers of few decimals. What excludes chance: if ratios were spread evenly over their range, an interval of
width w would meet one of K points with probability K w / range, independently for rows of different values. Beside
that, permuted rows must not keep the statement.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import Factor, Sum
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rounding_text, rows_that_hold
from janus_synth.relations.view import View
from janus_synth.rules.language.notation import format_name, format_sum

MOST_FACTORS = 6
FIRST_ROWS = 300
"""Rows that most candidates are rejected by."""
MOST_DECIMALS = 4
"""Decimals of a factor."""
RESOLVED = 0.05
"""A row tells factors apart if its interval is narrower than this share of the smallest distance between them."""
MIN_DISTINCT = 20
"""Distinct pairs of values that must tell factors apart, and rows of each factor among them."""
ROUNDING = 16.0
"""Units in the last place that a product of stored numbers may be off."""


class _Intervals(NamedTuple):
    """For each row with a source that is not 0, the factors that give the column its value."""

    low: Floats
    high: Floats


def find_factors(view: View, known: Sequence[Relation] = ()) -> list[Relation]:
    """Multiples among columns of numbers; pairs that a product or a sum of two columns relates are left out."""
    names = [n for n in view.numeric if view.unit(n) == "number" and int(view.codes[n].max()) >= MIN_DISTINCT]
    tried = 2 * math.log(max(len(names), 2))
    related = [relation.columns for relation in known if _relates(relation)]
    skipped = {frozenset(pair) for columns in related for pair in combinations(columns, 2)}
    found: list[Relation] = []
    for column, source in permutations(names, 2):
        if frozenset((column, source)) in skipped:
            continue
        factors = _propose(view, column, source)
        if factors is not None and _is_credible(view, column, source, factors, tried):
            found += _verify(view, column, source, factors)
    return list(_without_consequences(view, found, known))


def _relates(relation: Relation) -> bool:
    """Whether a relation leaves nothing to say about the ratio of its columns."""
    return not isinstance(relation.detail, Sum) or len(relation.columns) == 2


def _without_consequences(view: View, found: Sequence[Relation], known: Sequence[Relation]) -> Iterator[Relation]:
    """One relation for each column, with the fewest factors, and one for the members of a sum; later columns first.

    If a tax is 7 % or 19 % of a price, their sum is 107 % or 119 % of it.
    """
    sums = [set(relation.columns) for relation in known if isinstance(relation.detail, Sum)]
    totals = {relation.columns[0] for relation in known if isinstance(relation.detail, Sum)}
    place = {name: i for i, name in enumerate(view.table.schema.names)}

    def order(relation: Relation) -> tuple[bool, int, int]:
        assert isinstance(relation.detail, Factor)
        return relation.columns[0] in totals, len(relation.detail.factors), -place[relation.columns[0]]

    kept: list[Relation] = []
    for relation in sorted(found, key=order):
        pair = set(relation.columns)
        said = any(pair <= members and set(other.columns) <= members for members in sums for other in kept)
        again = any(relation.columns[0] == other.columns[0] or pair == set(other.columns) for other in kept)
        if not said and not again:
            kept.append(relation)
            yield relation


def _slack(view: View, column: str, values: Floats) -> Floats:
    """Half a unit of the last decimal, or the rounding of stored numbers."""
    decimals = view.decimals[column]
    half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return half + ROUNDING * view.precision(column) * np.abs(values)


def _intervals(view: View, column: str, source: str, rows: slice = slice(None)) -> _Intervals:
    y, x = view.numbers[column][rows], view.numbers[source][rows]
    there = ~np.isnan(x) & ~np.isnan(y) & (x != 0)
    y, x = y[there], x[there]
    middle, half = y / x, _slack(view, column, y) / np.abs(x)
    return _Intervals(middle - half, middle + half)


def _propose(view: View, column: str, source: str) -> tuple[float, ...] | None:
    """Fewest simple factors that explain the sample; None if there are too many, or only one."""
    if smallest_cover(_intervals(view, column, source, slice(FIRST_ROWS))) is None:
        return None
    cover = smallest_cover(_intervals(view, column, source))
    if cover is None or len(cover) < 2:
        return None
    factors = [simplest_decimal(low, high) for low, high in cover]
    return None if None in factors else tuple(factor for factor in factors if factor is not None)


def smallest_cover(intervals: _Intervals, most: int = MOST_FACTORS) -> list[tuple[float, float]] | None:
    """Fewest ranges such that any point of each meets all its intervals; None if more than ``most`` are needed.

    The first range ends with the interval that ends first, and takes all intervals that begin before that (greedy
    stabbing, which is optimal).

    Examples
    --------
    >>> smallest_cover(_Intervals(np.array([0.0, 1.0, 0.5]), np.array([1.0, 2.0, 0.9])))
    [(0.5, 0.9), (1.0, 2.0)]
    """
    order = np.argsort(intervals.high, kind="stable")
    low, high = intervals.low[order], intervals.high[order]
    found: list[tuple[float, float]] = []
    while len(high):
        if len(found) == most:
            return None
        met = low <= high[0]
        found.append((float(low[met].max()), float(high[0])))
        low, high = low[~met], high[~met]
    return found


def simplest_decimal(low: float, high: float) -> float | None:
    """Number of the fewest decimals in a range; None if it needs more than four.

    Examples
    --------
    >>> simplest_decimal(0.0698, 0.0703), simplest_decimal(0.12345, 0.12346)
    (0.07, None)
    """
    for decimals in range(MOST_DECIMALS + 1):
        nearest = round((low + high) / 2, decimals) + 0.0
        if low <= nearest <= high:
            return nearest
    return None


def _is_credible(view: View, column: str, source: str, factors: tuple[float, ...], tried: float) -> bool:
    """Whether rows tell the factors apart so clearly, and so often, that chance is excluded."""
    y, x = view.numbers[column], view.numbers[source]
    present = ~np.isnan(x) & ~np.isnan(y) & (x != 0)
    pairs = np.unique(np.column_stack([y[present], x[present]]), axis=0)
    width = 2 * _slack(view, column, pairs[:, 0]) / np.abs(pairs[:, 1])
    ordered = np.sort(factors)
    resolved = width < RESOLVED * np.diff(ordered).min()
    index = np.abs(pairs[:, :1] / pairs[:, 1:] - np.array(factors)).argmin(axis=1)
    each = np.bincount(index[resolved], minlength=len(factors))
    if each.min() < MIN_DISTINCT:
        return False
    share = np.minimum(len(factors) * width[resolved] / np.ptp(ordered), 1.0)
    chosen = len(factors) * math.log(max(len(pairs), 2))
    if not is_credible(float(np.log(np.maximum(share, 1e-300)).sum()) + chosen, tried):
        return False
    arrays = {column: y[present], source: x[present]}

    def keeps(cells: Mapping[str, Array]) -> Bools:
        away = np.abs(cells[column][:, None] - cells[source][:, None] * np.array(factors)).min(axis=1)
        found: Bools = away <= _slack(view, column, cells[column])
        return found

    return is_credible(log_tail(int(present.sum()), 0, chance_share(keeps, arrays, view.random())), tried + chosen)


def _verify(view: View, column: str, source: str, factors: tuple[float, ...]) -> list[Relation]:
    """The relation, if all rows keep it."""
    names, decimals = (column, source), view.decimals[column]
    rule = or_null(factor_rule(column, source, factors, decimals), names, view.table.schema)
    holding, complete = rows_that_hold(rule, view.table), view.complete(names)
    if holding is None or not holding.all() or complete.sum() < MIN_ROWS:
        return []
    ordered = tuple(sorted(factors))
    *most, last = (f"{factor:g}" for factor in ordered)
    text = f"{format_name(column)} is {', '.join(most)} or {last} times {format_name(source)}"
    if decimals is not None:
        text += f", {rounding_text(decimals)}"
    example = view.row_values(first_true(complete), names)
    detail = Factor(column, source, ordered, decimals)
    return [Relation("factor", names, rule, int(complete.sum()), 0, example, detail, text)]


def factor_rule(column: str, source: str, factors: Iterable[float], decimals: int | None) -> str:
    """Text of the statement in the rule language: an equation, or the bounds that rounding leaves, for each factor.

    Examples
    --------
    >>> factor_rule("tax", "net", (0.0, 0.2), 2)
    'tax == 0 or -0.005 <= tax - 0.2 * net <= 0.005'
    """
    return " or ".join(_one_factor(column, source, factor, decimals) for factor in factors)


def _one_factor(column: str, source: str, factor: float, decimals: int | None) -> str:
    if not factor:
        return f"{format_name(column)} == 0"
    if decimals is None:
        return f"{format_name(column)} == {format_sum([(source, factor, False)], 0, False)}"
    half = 0.5 * 10.0**-decimals
    return f"{-half} <= {format_sum([(column, 1.0, False), (source, -factor, False)], 0, False)} <= {half}"
