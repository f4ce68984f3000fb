"""A table in; pairs of columns of which one is never below the other out.

An ordering can hold in all rows without being one: because both columns are unrelated but far apart, or because they
are correlated and one is shifted. Permutations exclude the first. For the second, the gap is taken to be symmetric
about its median, as it is between jointly normal columns: then as many rows lie below zero as above twice the median,
and each row above twice the median halves the probability that none is below zero. The same is asked of the logarithms
if no value is negative. Other evidence, for gaps without a long upper tail, is that there are rows just above zero
but none just below. Both tests leave room for the rounding of the columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import CalendarPart, Ordering, Product, Ratio, Sum
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold
from janus_synth.relations.view import View, numbers_of
from janus_synth.rules.language.notation import format_name

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
FINE = 0.2
"""Spread of a stable gap relative to that of the columns, at most."""
WEAK = 0.5
"""Rank correlation of a stable gap with the column it starts from, at most."""
MIN_UNITS = 3
"""Units of the last decimal that a strip has at least."""
WIDTHS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Widths of the strips above zero in which rows are counted, relative to the spread of the gap."""


def find_orderings(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Orderings that do not follow from one another or from known sums."""
    said = {*pairs_of(view, known), *(relation.columns for relation in known)}
    pairs = [pair for pair in _candidates(view) if pair not in said and pair[::-1] not in said]
    credible = [pair for pair in pairs if _is_more_than_chance(view, *pair)]
    found = [relation for pair in credible for relation in [verify(view, *pair)] if relation is not None]
    return _without_transitive(found, said)


def _candidates(view: View) -> list[tuple[str, str]]:
    """Pairs (higher, lower) of one unit that the sample keeps, though their ranges overlap."""
    names = [name for name in view.numeric if not view.table.schema[name].is_discrete and _n_values(view, name) > 2]
    lows = {name: float(np.nanmin(view.numbers[name])) for name in names}
    highs = {name: float(np.nanmax(view.numbers[name])) for name in names}
    return [
        (high, low)
        for high in names
        for low in names
        if high != low
        and view.unit(high) == view.unit(low)
        and lows[high] < highs[low]
        and _is_kept(view.numbers[high], view.numbers[low])
    ]


def _n_values(view: View, name: str) -> int:
    return int(view.codes[name].max()) + 1


def _is_kept(high: Floats, low: Floats) -> bool:
    """Whether no complete row of the sample breaks an ordering; most are rejected by the first rows."""
    with np.errstate(invalid="ignore"):
        return not (high[:100] < low[:100]).any() and not (high < low).any()


def pairs_of(view: View, known: Sequence[Relation]) -> Iterator[tuple[str, str]]:
    """Pairs (higher, lower) that follow from sums of terms that are never negative, dates and products."""
    for relation in known:
        detail = relation.detail
        if isinstance(detail, CalendarPart) and detail.part == "date" and not detail.zone:
            yield detail.timestamp, detail.column
        if isinstance(detail, Product | Ratio):
            yield from permutations(relation.columns, 2)
        if not isinstance(detail, Sum) or detail.constant < 0:
            continue
        terms = dict(detail.terms)
        positive = {name for name in terms if terms[name] > 0 and np.nanmin(view.numbers[name]) >= 0}
        for name, coefficient in terms.items():
            if terms.keys() - positive <= {name} and (coefficient == 1 or (coefficient > 1 and name in positive)):
                yield detail.column, name


def _is_more_than_chance(view: View, high: str, low: str) -> bool:
    arrays = {high: view.numbers[high], low: view.numbers[low]}
    present = ~np.isnan(arrays[high]) & ~np.isnan(arrays[low])
    present &= arrays[low] > np.nanmin(arrays[high])  # no other row could break it
    arrays = {name: array[present] for name, array in arrays.items()}
    n_rows = int(present.sum())
    if n_rows < MIN_ROWS:
        return False

    def keeps(cells: Mapping[str, Array]) -> Bools:
        found: Bools = cells[high] >= cells[low]
        return found

    tried = 2 * math.log(len(view.numeric)) + math.log(2)
    share = chance_share(keeps, arrays, view.random())
    if not is_credible(log_tail(n_rows, 0, share), tried):
        return False
    independent = independent_share(view, high, low)
    unit = lattice_unit(view, high, low)
    gaps = [(arrays[high] - arrays[low], unit)]
    if view.unit(high) == "number" and min(arrays[high].min(), arrays[low].min()) >= 0:
        gaps.append(_gap_of_logs(arrays[high], arrays[low], unit))
    return all(is_credible(independent * _log_bound_by_chance(gap, step), tried) for gap, step in gaps)


def independent_share(view: View, high: str, low: str) -> float:
    """Effective share of rows, (1 − r) / (1 + r) with the correlation r of the gap between successive rows.

    In a time series, rows repeat what the rows before said: two random walks can stay apart for a long time.
    """
    rows = view.table.take(slice(0, view.max_rows))
    gap = numbers_of(rows, high) - numbers_of(rows, low)
    gap = gap[~np.isnan(gap)]
    before, after = gap[:-1], gap[1:]
    if len(gap) < MIN_ROWS or before.std() == 0 or after.std() == 0:
        return 1.0
    r = max(0.0, float(np.corrcoef(before, after)[0, 1]))
    return (1 - r) / (1 + r)


def lattice_unit(view: View, high: str, low: str) -> float:
    """Unit of the last decimal of the coarser of two columns; 0 if they are continuous."""
    decimals = [d for d in (view.decimals[high], view.decimals[low]) if d is not None]
    return 10.0 ** -min(decimals) if decimals else 0.0


def _gap_of_logs(high: Floats, low: Floats, unit: float) -> tuple[Floats, float]:
    """Difference of logarithms, shifted by a unit so that zero has one, and what a unit is worth among them."""
    shift = unit or 0.01 * float(np.median(high))
    return np.log(high + shift) - np.log(low + shift), unit / float(np.quantile(low, 0.1) + shift)


def _log_bound_by_chance(gap: Floats, unit: float) -> float:
    """Log-probability that a smooth gap has no row below zero; the better of two tests, corrected for the choice.

    Rounding moves each column by half a unit: the median may be one unit larger, and rows above one unit smaller.
    """
    beyond = int((gap > 2 * np.median(gap) + 3 * unit).sum())
    mirrored = -beyond * math.log(2)
    near = min(_log_edge(gap, unit, width) for width in WIDTHS)
    return min(mirrored, near) + math.log(1 + len(WIDTHS))


def _log_edge(gap: Floats, unit: float, width: float) -> float:
    """Log-probability of no row in the strip below zero, given the rows of two strips above it.

    The density may fall towards zero as fast as between the two strips, and half as much again: the curvature of a
    normal density over a strip of at most 0.4 standard deviations is less. A strip is several units wide.
    """
    step = width * float(gap.std())
    if unit:
        step = math.floor(step / unit) * unit
        if step < MIN_UNITS * unit:
            return 0.0
    first = int((gap < step).sum())
    second = int(((gap >= step) & (gap < 2 * step)).sum())
    ratio = min(1.0, first / max(second, 1))
    return first * math.log1p(-0.5 * ratio / (1 + 0.5 * ratio)) if first else 0.0


def verify(view: View, high: str, low: str) -> Relation | None:
    """Return the ordering, if all rows keep it."""
    complete = view.complete((high, low))
    gap = (numbers_of(view.table, high) - numbers_of(view.table, low))[complete]
    if not len(gap) or gap.min() < 0:
        return None
    at_equality = float((gap == 0).mean())
    text = f"{format_name(high)} {'>=' if at_equality else '>'} {format_name(low)}"
    rule = or_null(text, (high, low), view.table.schema)
    holding = rows_that_hold(rule, view.table)
    if holding is None or not holding.all():
        return None
    slack = tuple(float(value) for value in np.quantile(gap, QUANTILES))
    detail = Ordering(high, low, slack, at_equality, _is_stable(view, high, low))
    example = view.row_values(first_true(complete), (high, low))
    return Relation("ordering", (high, low), rule, len(gap), 0, example, detail, text)


def _is_stable(view: View, high: str, low: str) -> bool:
    """Whether the gap varies on a finer scale than both columns and hardly depends on the lower one."""
    upper, lower = view.numbers[high], view.numbers[low]
    present = ~np.isnan(upper) & ~np.isnan(lower)
    upper, lower = upper[present], lower[present]
    gap = upper - lower
    fine = _spread(gap) <= FINE * min(_spread(upper), _spread(lower))
    return bool(fine and abs(_rank_correlation(gap, lower)) <= WEAK)


def _spread(values: Floats) -> float:
    low, high = np.quantile(values, (0.1, 0.9))
    return float(high - low)


def _rank_correlation(one: Floats, other: Floats) -> float:
    ranks = [np.unique(values, return_inverse=True)[1].astype(np.float64) for values in (one, other)]
    if min(rank.std() for rank in ranks) == 0:
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _without_transitive(found: Sequence[Relation], said: Iterable[tuple[str, ...]]) -> list[Relation]:
    """Drop orderings that follow from others, step by step; ``said`` are pairs that are known already."""
    below: dict[str, set[str]] = {}
    for high, low in [*(relation.columns for relation in found), *(pair for pair in said if len(pair) == 2)]:
        below.setdefault(high, set()).add(low)
    return [relation for relation in found if not _leads_to(below, *relation.columns)]


def _leads_to(below: Mapping[str, set[str]], high: str, low: str) -> bool:
    """Whether a path of two or more steps leads down from one column to another."""
    reached, new = set[str](), below[high] - {low}
    while new:
        reached |= new
        new = {name for middle in new for name in below.get(middle, ())} - reached - {high}
    return low in reached
