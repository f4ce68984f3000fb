"""Propagation of sums of products: domains in, narrower domains out (hull consistency by interval arithmetic).

Columns with a single value become part of the coefficients, and products of the same columns are added up. Then every
product is bounded by the others, and every column of a product by its other factors. The tolerance of ``judge`` widens
the coefficients, so that no row that it accepts is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from janus_synth.deadlines import check_time
from janus_synth.rules.feasibility.clauses import ProductBound
from janus_synth.rules.feasibility.domains import Domain, Grid, merge_intervals, round_outwards
from janus_synth.rules.feasibility.intervals import Range, add, multiply, raise_to, solve_factor, solve_power, widen
from janus_synth.rules.holds import DOUBLE, ULPS

Factors = tuple[tuple[int, int], ...]
"""Columns with their powers."""


def narrow_products(
    node: ProductBound, domains: Mapping[int, Domain], grids: Sequence[Grid]
) -> dict[int, Domain] | None:
    """Return the domains that a bound of products narrows, or None if it cannot hold."""
    local = {column: domains[column].without_null() for column in node.columns}
    for column in {column for _, factors in node.terms for column, power in factors if power < 0}:
        local[column] = _without_zero(local[column], grids[column])
    terms = _merge(node, local, grids) if all(len(each.intervals) for each in local.values()) else None
    if terms is None or not _narrow_sum(node, terms, local, grids):
        return None
    return {column: each for column, each in local.items() if each is not domains[column]}


def _without_zero(domain: Domain, grid: Grid) -> Domain:
    """A domain without 0, which nothing can be divided by."""
    zero = grid.position(0.0)
    found = domain.without(zero) if bool(domain.contains(np.array([zero]))[0]) else domain
    return domain if found is domain or len(found.intervals) == 0 == len(domain.intervals) else found


def _merge(node: ProductBound, domains: Mapping[int, Domain], grids: Sequence[Grid]) -> dict[Factors, Range] | None:
    """Coefficients of the products of columns that are still open; None if one is undefined."""
    sums: dict[Factors, list[Range]] = {}
    for size, factors in node.terms:
        coefficient: Range = widen((size, size), _tolerance(factors, grids))
        still_open = []
        for column, power in sorted(factors):
            if not domains[column].is_fixed:
                still_open.append((column, power))
                continue
            fixed = raise_to(_ends(column, domains, grids), power)
            if fixed is None:
                return None
            coefficient = multiply(coefficient, fixed)
        sums.setdefault(tuple(still_open), []).append(coefficient)
    return {factors: widen(add(each)) for factors, each in sums.items()}


def _tolerance(factors: Factors, grids: Sequence[Grid]) -> float:
    """Relative rounding that ``judge`` allows a product, and that of computing it."""
    return ULPS * sum(abs(power) * (grids[column].precision + DOUBLE) for column, power in factors) + 8 * DOUBLE


def _ends(column: int, domains: Mapping[int, Domain], grids: Sequence[Grid]) -> Range:
    return grids[column].value(domains[column].low), grids[column].value(domains[column].high)


def _narrow_sum(
    node: ProductBound, terms: Mapping[Factors, Range], domains: dict[int, Domain], grids: Sequence[Grid]
) -> bool:
    """Narrow the columns of each product, given the range of the others; False if nothing is left."""
    by = 2 * (ULPS + len(node.terms)) * DOUBLE
    low, high = node.low - by * _finite(node.low), node.high + by * _finite(node.high)
    found = [_range_of(factors, coefficient, domains, grids) for factors, coefficient in terms.items()]
    ranges = [each for each in found if each is not None]
    if len(ranges) < len(found):
        return False
    least, most = widen(add(ranges))
    if least > high or most < low:
        return False
    if low <= least and most <= high:
        return True
    for number, (factors, coefficient) in enumerate(terms.items()):
        check_time()
        others = widen(add(ranges[:number] + ranges[number + 1 :]))
        allowed = widen((_minus(low, others[1], -math.inf), _minus(high, others[0], math.inf)))
        if not _narrow_product(factors, coefficient, allowed, domains, grids):
            return False
    return True


def _finite(bound: float) -> float:
    return abs(bound) if math.isfinite(bound) else 0.0


def _minus(bound: float, other: float, unknown: float) -> float:
    """A difference; ``unknown`` where both are infinite."""
    found = bound - other
    return unknown if math.isnan(found) else found


def _powers(factors: Factors, domains: Mapping[int, Domain], grids: Sequence[Grid]) -> list[Range] | None:
    """Ranges of the powers of some columns; None if one divides by a column that is 0."""
    found = [raise_to(_ends(column, domains, grids), power) for column, power in factors]
    kept = [each for each in found if each is not None]
    return kept if len(kept) == len(found) else None


def _range_of(
    factors: Factors, coefficient: Range, domains: Mapping[int, Domain], grids: Sequence[Grid]
) -> Range | None:
    powers = _powers(factors, domains, grids)
    return None if powers is None else reduce(multiply, powers, coefficient)


def _narrow_product(
    factors: Factors, coefficient: Range, allowed: Range, domains: dict[int, Domain], grids: Sequence[Grid]
) -> bool:
    """Narrow the columns of a product, given what it may be; False if nothing is left."""
    for number, (column, power) in enumerate(factors):
        powers = _powers(factors, domains, grids)
        if powers is None:
            return False
        rest = reduce(multiply, powers[:number] + powers[number + 1 :], coefficient)
        value = solve_factor(allowed, rest)
        ends = [round_outwards(grids[column], *each) for each in ([] if value is None else solve_power(value, power))]
        fits = merge_intervals(np.array(ends, float).reshape(-1, 2), False, grids[column].whole)
        left = domains[column].intersect(fits)
        if not len(left.intervals):
            return False
        domains[column] = left
    return True
