"""Constraint propagation: clauses and domains in, narrower domains out that lose no row which satisfies the clauses.

Every step is sound: a value is removed only if no row with it satisfies some clause. In a disjunction, parts that have
become impossible are ignored. If only one part is possible, it must hold; if several are, the values that all of them
exclude are removed.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from janus_synth.deadlines import check_time
from janus_synth.rules.feasibility.clauses import (
    Clause,
    Conjunction,
    Disjunction,
    InDomain,
    InTable,
    LinearBound,
    Node,
    ProductBound,
)
from janus_synth.rules.feasibility.domains import Domain, Grid, merge_intervals, round_outwards
from janus_synth.rules.feasibility.products import narrow_products
from janus_synth.rules.holds import DOUBLE, ULPS

MAX_VISITS = 10
"""Visits of one clause per propagation; slower convergence is left to the solver."""

Domains = Mapping[int, Domain]
"""A domain per column."""
Changes = dict[int, Domain]
"""New domains of the columns that changed."""


class Network:
    """Clauses with an index of the columns they involve; counts the visits of clauses."""

    def __init__(self, clauses: Sequence[Clause], grids: Sequence[Grid]) -> None:
        self.grids, self.n_visits = grids, 0
        self.nodes = [clause.node for clause in clauses]
        self.clauses_by_column: dict[int, list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            for column in node.columns:
                self.clauses_by_column[column].append(number)

    def propagate(self, domains: Domains, changed: Iterable[int] | None = None) -> Changes | None:
        """Narrow domains until nothing changes; None if no row is left. Starts from ``changed`` columns, or all."""
        found = dict(domains)
        queue = deque(range(len(self.nodes)) if changed is None else self._clauses_of(changed))
        queued, visits = set(queue), [0] * len(self.nodes)
        while queue:
            number = queue.popleft()
            queued.discard(number)
            visits[number] += 1
            if visits[number] > MAX_VISITS:
                continue
            self.n_visits += 1
            check_time()
            changes = narrow(self.nodes[number], found, self.grids)
            if changes is None:
                return None
            found.update(changes)
            added = [other for other in self._clauses_of(changes) if other not in queued]
            queue.extend(added)
            queued.update(added)
        return found

    def _clauses_of(self, columns: Iterable[int]) -> list[int]:
        return list(dict.fromkeys(number for column in columns for number in self.clauses_by_column[column]))


def has_contradicting_bounds(clauses: Iterable[Clause]) -> bool:
    """Whether two bounds of one sum exclude each other, as x < y and x > y do; propagation finds it slowly."""
    lows: dict[object, tuple[float, bool]] = defaultdict(lambda: (-math.inf, False))
    highs: dict[object, tuple[float, bool]] = defaultdict(lambda: (math.inf, True))
    for node in (clause.node for clause in clauses):
        if not isinstance(node, LinearBound | ProductBound):
            continue
        exact = isinstance(node, LinearBound) and node.exact
        terms = _terms_of(node)
        unit = terms[0][1] if not exact else 1 if terms[0][1] > 0 else -1
        ends = (node.low * unit, node.high * unit) if exact else (node.low / unit, node.high / unit)
        key = exact, *((what, size / unit) for what, size in terms)
        lows[key] = max(lows[key], (min(ends), node.strict))
        highs[key] = min(highs[key], (max(ends), not node.strict))
        (low, low_strict), (high, high_allowed) = lows[key], highs[key]
        near = 0.0 if exact else 1e-9 * min(abs(low), abs(high))
        if low > high + near or (low == high and (low_strict or not high_allowed)):
            return True
    return False


def _terms_of(node: LinearBound | ProductBound) -> list[tuple[object, float]]:
    """Columns, or products of them, with their coefficients, in an order that depends on them alone."""
    if isinstance(node, LinearBound):
        return [(column, size) for column, size in sorted(zip(node.columns, node.coefficients, strict=True))]
    return sorted((tuple(sorted(factors)), size) for size, factors in node.terms)


def narrow(node: Node, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    """Return the domains that a node narrows, or None if it cannot hold."""
    match node:
        case InDomain(column, allowed):
            left = domains[column].intersect(allowed)
            if left.is_empty:
                return None
            return {} if left is domains[column] else {column: left}
        case LinearBound():
            return _narrow_integer_sum(node, domains) if node.exact else _narrow_float_sum(node, domains, grids)
        case ProductBound():
            return narrow_products(node, domains, grids)
        case InTable():
            return _narrow_table(node, domains)
        case Conjunction():
            return _narrow_conjunction(node, domains, grids)
        case Disjunction():
            return _narrow_disjunction(node, domains, grids)


def _narrow_conjunction(node: Conjunction, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    local = {column: domains[column] for column in node.columns}
    found: Changes = {}
    for number, part in enumerate(node.parts):
        if number % 64 == 63:
            check_time()
        changes = narrow(part, local, grids)
        if changes is None:
            return None
        local.update(changes)
        found.update(changes)
    return found


def _narrow_disjunction(node: Disjunction, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    possible = [changes for part in node.parts if (changes := narrow(part, domains, grids)) is not None]
    if len(possible) < 2:
        return possible[0] if possible else None
    found: Changes = {}
    for column in set.intersection(*map(set, possible)):
        union = possible[0][column]
        for changes in possible[1:]:
            union = union.unite(changes[column])
        left = domains[column].intersect(union)
        if left is not domains[column]:
            found[column] = left
    return found


def _narrow_table(node: InTable, domains: Domains) -> Changes | None:
    kept = np.ones(len(node.cells), bool)
    for i, column in enumerate(node.columns):
        kept &= domains[column].contains(node.cells[:, i])
    if not kept.any():
        return None
    found: Changes = {}
    for i, column in enumerate(node.columns):
        cells = np.unique(node.cells[kept, i])
        points = cells[~np.isnan(cells)]
        seen = merge_intervals(np.column_stack([points, points]), len(points) < len(cells), domains[column].whole)
        left = domains[column].intersect(seen)
        if left is not domains[column]:
            found[column] = left
    return found


def _narrow_integer_sum(node: LinearBound, domains: Domains) -> Changes | None:
    """Bound each position by the bounds of the others, in integers."""
    present = [domains[column].without_null() for column in node.columns]
    if not all(len(each.intervals) for each in present):
        return None
    ends = [(int(each.low), int(each.high)) for each in present]
    terms = [(a * x, a * y) if a > 0 else (a * y, a * x) for a, (x, y) in zip(node.coefficients, ends, strict=True)]
    least, most = sum(low for low, _ in terms), sum(high for _, high in terms)
    if least > node.high or most < node.low:
        return None
    found = {column: each for column, each in zip(node.columns, present, strict=True) if each is not domains[column]}
    if node.low <= least and most <= node.high:
        return found
    for column, a, each, (low, high) in zip(node.columns, node.coefficients, present, terms, strict=True):
        from_low, to_high = node.low - (most - high), node.high - (least - low)
        first, last = (from_low, to_high) if a > 0 else (to_high, from_low)
        first = float(-((-first) // a)) if math.isfinite(first) else -math.inf
        last = float(last // a) if math.isfinite(last) else math.inf
        _record(found, column, domains, each.clip(first, last, null=False))
    return None if any(left.is_empty for left in found.values()) else found


def _narrow_float_sum(node: LinearBound, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    """Bound each value by the bounds of the others, widened by the tolerance of ``judge`` and by rounding."""
    present = [domains[column].without_null() for column in node.columns]
    if not all(len(each.intervals) for each in present):
        return None
    least = most = 0.0
    slack = DOUBLE * max(abs(bound) for bound in (node.low, node.high) if math.isfinite(bound))
    terms = []
    for column, a, each in zip(node.columns, node.coefficients, present, strict=True):
        one, other = a * grids[column].value(each.low), a * grids[column].value(each.high)
        terms.append((min(one, other), max(one, other)))
        least, most = least + terms[-1][0], most + terms[-1][1]
        slack += grids[column].precision * max(abs(one), abs(other))
    slack *= ULPS + len(terms)
    floor, ceiling = node.low - slack, node.high + slack
    if least > ceiling or most < floor:
        return None
    found: Changes = {}
    for column, a, each, (low, high) in zip(node.columns, node.coefficients, present, terms, strict=True):
        ends = (floor - (most - high)) / a, (ceiling - (least - low)) / a
        first, last = round_outwards(grids[column], min(ends), max(ends))
        _record(found, column, domains, each.clip(first, last, null=False))
    return None if any(left.is_empty for left in found.values()) else found


def _record(found: Changes, column: int, domains: Domains, left: Domain) -> None:
    if left is not domains[column]:
        found[column] = left
