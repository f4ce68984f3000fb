"""A table in; pairs of columns of which one is never below the other, or the other plus an offset, out.

An ordering can hold in all rows without being one: because both columns are unrelated but far apart, or because they
are correlated and one is shifted. Permutations exclude the first. For the second, the gap is taken to be symmetric
about its median, as it is between jointly normal columns: then as many rows lie below zero as above twice the median,
and each row above twice the median halves the probability that none is below zero. The same is asked of the logarithms
if no value is negative. Other evidence, for gaps without a long upper tail, is that there are rows just above zero
but none just below (``gap_edges``). Both tests leave room for the rounding of the columns.

An offset, as in ``age >= worked + 18``, is the smallest gap. Only the second test can tell it from chance, and each
place where the strips could lie counts as a candidate. It must lie on a lattice: the smallest gap of continuous columns
is a number of one row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.encoding.lattice import find_lattice
from janus_synth.relations.chains import closure
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import CalendarPart, Factor, Ordering, Product, Ratio, ScaledProduct, Sum
from janus_synth.relations.gap_edges import log_gap_by_chance, log_numbers_by_chance, log_offset_by_chance
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold
from janus_synth.relations.view import MAX_ROWS, View, numbers_of
from janus_synth.rules.language.notation import format_name
from janus_synth.table import Table

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
FINE = 0.2
"""Spread of a stable gap relative to that of the columns, at most."""
WEAK = 0.5
"""Rank correlation of a stable gap with the column it starts from, at most."""
LEAST_OFFSET = 2
"""Steps of the lattice that an offset has at least; one step makes an ordering a strict one."""


def find_orderings(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Orderings that do not follow from one another or from known sums."""
    said = {*pairs_of(view, known), *(relation.columns for relation in known)}
    pairs = [pair for pair in _candidates(view) if pair not in said and pair[::-1] not in said]
    credible = [pair for pair in pairs if _is_more_than_chance(view, *pair)]
    chains = closure(
        (pair[0], pair[1]) for pair in said if len(pair) == 2
    )  # an offset of such a pair is a number of one row
    offsets = {pair: offset for pair, offset in _offsets(view) if pair not in chains and pair[::-1] not in chains}
    found = [verify(view, *pair, offset=offsets.get(pair, 0.0)) for pair in dict.fromkeys([*credible, *offsets])]
    return _without_transitive([relation for relation in found if relation is not None], said)


def find_time_orderings(table: Table) -> list[Relation]:
    """Orderings between the timestamps of a table."""
    times = [column.name for column in table.schema.learnt if column.kind == "datetime"]
    return find_orderings(View(table.select(times), MAX_ROWS, seed=0), ()) if len(times) > 1 else []


def _candidates(view: View) -> list[tuple[str, str]]:
    """Pairs (higher, lower) of one unit that the sample keeps, though their ranges overlap."""
    names = _compared(view)
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


def _compared(view: View) -> list[str]:
    return [name for name in view.numeric if not view.table.schema[name].is_discrete and _n_values(view, name) > 2]


def _offsets(view: View) -> Iterator[tuple[tuple[str, str], float]]:
    """Pairs (higher, lower) of whole numbers, or others on a lattice, with an offset that is more than chance."""
    names = [name for name in _compared(view) if view.unit(name) == "number" and view.decimals[name] is not None]
    for high, low in permutations(names, 2):
        with np.errstate(invalid="ignore"):
            gap = view.numbers[high] - view.numbers[low]
        if (gap[:100] <= 0).any() or (gap <= 0).any() or np.isnan(gap).all():
            continue
        offset, lattice = float(np.nanmin(gap)), find_lattice(gap[~np.isnan(gap)])
        is_wide = lattice is not None and offset > (LEAST_OFFSET - 0.5) * lattice.step
        if is_wide and _is_more_than_chance(view, high, low, offset=offset):
            yield (high, low), offset


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
        if isinstance(detail, Product | Ratio | ScaledProduct):
            yield from permutations(relation.columns, 2)
        if isinstance(detail, Factor) and np.nanmin(view.numbers[detail.source]) >= 0:
            yield from ((detail.column, detail.source),) if min(detail.factors) >= 1 else ()
            yield from ((detail.source, detail.column),) if max(detail.factors) <= 1 else ()
        if not isinstance(detail, Sum) or detail.constant < 0:
            continue
        terms = dict(detail.terms)
        positive = {name for name in terms if terms[name] > 0 and np.nanmin(view.numbers[name]) >= 0}
        if list(terms.values()) == [1] and not detail.constant:  # equal columns: neither is below the other
            yield from ((name, detail.column) for name in terms)
        for name, coefficient in terms.items():
            if terms.keys() - positive <= {name} and (coefficient == 1 or (coefficient > 1 and name in positive)):
                yield detail.column, name


def _is_more_than_chance(view: View, high: str, low: str, *, offset: float = 0.0) -> bool:
    arrays = {high: view.numbers[high], low: view.numbers[low]}
    present = ~np.isnan(arrays[high]) & ~np.isnan(arrays[low])
    present &= arrays[low] + offset > np.nanmin(arrays[high])  # no other row could break it
    arrays = {name: array[present] for name, array in arrays.items()}
    n_rows = int(present.sum())
    if n_rows < MIN_ROWS:
        return False

    def keeps(cells: Mapping[str, Array]) -> Bools:
        found: Bools = cells[high] - cells[low] >= offset
        return found

    tried = 2 * math.log(len(view.numeric)) + math.log(2)
    share = chance_share(keeps, arrays, view.random())
    if not is_credible(log_tail(n_rows, 0, share), tried):
        return False
    independent = independent_share(view, high, low)
    unit = lattice_unit(view, high, low)
    if offset:
        by_chance = _log_offset_by_chance(arrays[high], arrays[low], offset, unit)
    else:
        by_chance = _log_ordering_by_chance(arrays[high], arrays[low], unit, is_number=view.unit(high) == "number")
    return is_credible(independent * by_chance, tried + math.log(2))  # strips, or numbers one by one


def _log_ordering_by_chance(upper: Floats, lower: Floats, unit: float, *, is_number: bool) -> float:
    """Log-probability that smooth gaps and, of numbers that are not negative, smooth ratios keep an ordering."""
    found = log_gap_by_chance(upper - lower, unit)
    if is_number and min(upper.min(), lower.min()) >= 0:
        found = max(found, log_gap_by_chance(*_gap_of_logs(upper, lower, unit)))
    return min(found, log_numbers_by_chance(upper, lower)) if is_number and unit else found


def _log_offset_by_chance(upper: Floats, lower: Floats, offset: float, unit: float) -> float:
    """Log-probability that a smooth gap ends just there, at any of the places where it could."""
    uncapped = upper < upper.max()  # many rows may share the largest value
    gap = (upper - lower)[uncapped]
    if len(gap) < MIN_ROWS or gap.min() > offset:
        return 0.0
    found = min(log_offset_by_chance(gap, unit), log_numbers_by_chance(upper[uncapped], lower[uncapped] + offset))
    return found + math.log(1 + np.ptp(gap) / unit)


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


def verify(view: View, high: str, low: str, *, offset: float = 0.0) -> Relation | None:
    """Return the ordering, if all rows keep it."""
    complete = view.complete((high, low))
    gap = (numbers_of(view.table, high) - numbers_of(view.table, low))[complete]
    if not len(gap) or gap.min() < 0:
        return None
    offset = min(offset, float(gap.min()))  # rows outside the sample may be closer
    at_equality = float((gap == offset).mean())
    text = f"{format_name(high)} {'>=' if at_equality else '>'} {format_name(low)}"
    text += f" + {offset:.15g}" if offset else ""
    rule = or_null(text, (high, low), view.table.schema)
    holding = rows_that_hold(rule, view.table)
    if holding is None or not holding.all():
        return None
    slack = tuple(float(value) for value in np.quantile(gap, QUANTILES))
    detail = Ordering(high, low, slack, at_equality, _is_stable(view, high, low), offset)
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
    offsets = {(pair[0], pair[1]): 0.0 for pair in said if len(pair) == 2}
    own = {(high, low): each for each in found for high, low in [each.columns]}
    offsets |= {pair: getattr(each.detail, "offset", 0.0) for pair, each in own.items()}
    below: dict[str, dict[str, float]] = {}
    for (high, low), offset in offsets.items():
        below.setdefault(high, {})[low] = offset
    return [each for (high, low), each in own.items() if _implied_offset(below, high, low, 2) < offsets[high, low]]


def _implied_offset(below: Mapping[str, Mapping[str, float]], high: str, low: str, n_steps: int) -> float:
    """Largest offset between two columns that a path of at least so many steps implies; −inf if there is no path."""
    best = 0.0 if high == low and n_steps <= 0 else -math.inf
    for middle, offset in below.get(high, {}).items():
        if (middle != low or n_steps < 2) and offset >= 0:
            rest = {name: steps for name, steps in below.items() if name != high}
            best = max(best, offset + _implied_offset(rest, middle, low, n_steps - 1))
    return best
