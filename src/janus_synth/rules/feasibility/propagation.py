"""Clauses and domains in, narrower domains out: what no row that keeps the clauses can take is gone.

Every step is sound: a value is dropped only if no row with it satisfies a clause. Of an alternative, parts that have
become impossible no longer count; the last one left must hold; of several, what all of them rule out is gone.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from janus_synth.rules.feasibility.clauses import Clause, Every, Listed, Node, Some, Sum, Within
from janus_synth.rules.feasibility.domains import Domain, Grid, domain
from janus_synth.rules.holds import DOUBLE, ULPS

MOST_VISITS = 10
"""Visits of one clause in one go; what narrows so slowly is left to the solver."""

Changes = dict[int, Domain]
Domains = Mapping[int, Domain]


class Network:
    """Clauses, which columns they watch, and how often one was visited."""

    def __init__(self, clauses: Sequence[Clause], grids: Sequence[Grid]) -> None:
        self.grids, self.n_visits = grids, 0
        self.nodes = [clause.node for clause in clauses]
        self.watchers: dict[int, list[int]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            for column in node.columns:
                self.watchers[column].append(number)

    def propagate(self, domains: Domains, changed: Iterable[int] | None = None) -> Changes | None:
        """Domains at the fixpoint, or None if no row is left; ``changed`` columns start it, or all clauses."""
        found = dict(domains)
        queue = deque(range(len(self.nodes)) if changed is None else self._watching(changed))
        waiting, visits = set(queue), [0] * len(self.nodes)
        while queue:
            number = queue.popleft()
            waiting.discard(number)
            visits[number] += 1
            if visits[number] > MOST_VISITS:
                continue
            self.n_visits += 1
            changes = narrow(self.nodes[number], found, self.grids)
            if changes is None:
                return None
            found.update(changes)
            fresh = [other for other in self._watching(changes) if other not in waiting]
            queue.extend(fresh)
            waiting.update(fresh)
        return found

    def _watching(self, columns: Iterable[int]) -> list[int]:
        return list(dict.fromkeys(number for column in columns for number in self.watchers[column]))


def contradict(clauses: Iterable[Clause]) -> bool:
    """Whether two bounds of one sum exclude each other, as x < y and x > y do; narrowing would be slow to tell."""
    lows: dict[object, tuple[float, bool]] = defaultdict(lambda: (-math.inf, False))
    highs: dict[object, tuple[float, bool]] = defaultdict(lambda: (math.inf, True))
    for node in (clause.node for clause in clauses if isinstance(clause.node, Sum)):
        terms = sorted(zip(node.columns, node.sizes, strict=True))
        unit = terms[0][1] if not node.exact else 1 if terms[0][1] > 0 else -1
        ends = (node.low * unit, node.high * unit) if node.exact else (node.low / unit, node.high / unit)
        key = node.exact, *((column, size / unit) for column, size in terms)
        lows[key] = max(lows[key], (min(ends), node.strict))
        highs[key] = min(highs[key], (max(ends), not node.strict))
        (low, above), (high, to_it) = lows[key], highs[key]
        near = 0.0 if node.exact else 1e-9 * min(abs(low), abs(high))
        if low > high + near or (low == high and (above or not to_it)):
            return True
    return False


def narrow(node: Node, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    """Domains that a node makes narrower, or None if it cannot hold."""
    match node:
        case Within(column, allowed):
            left = domains[column].meet(allowed)
            if left.is_empty:
                return None
            return {} if left is domains[column] else {column: left}
        case Sum():
            return _narrow_exact(node, domains) if node.exact else _narrow_loose(node, domains, grids)
        case Listed():
            return _narrow_listed(node, domains)
        case Every():
            return _narrow_every(node, domains, grids)
        case Some():
            return _narrow_some(node, domains, grids)


def _narrow_every(node: Every, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    local = {column: domains[column] for column in node.columns}
    found: Changes = {}
    for part in node.parts:
        changes = narrow(part, local, grids)
        if changes is None:
            return None
        local.update(changes)
        found.update(changes)
    return found


def _narrow_some(node: Some, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    possible = [changes for part in node.parts if (changes := narrow(part, domains, grids)) is not None]
    if len(possible) < 2:
        return possible[0] if possible else None
    found: Changes = {}
    for column in set.intersection(*map(set, possible)):
        together = possible[0][column]
        for changes in possible[1:]:
            together = together.join(changes[column])
        left = domains[column].meet(together)
        if left is not domains[column]:
            found[column] = left
    return found


def _narrow_listed(node: Listed, domains: Domains) -> Changes | None:
    kept = np.ones(len(node.cells), bool)
    for i, column in enumerate(node.columns):
        kept &= domains[column].holds(node.cells[:, i])
    if not kept.any():
        return None
    found: Changes = {}
    for i, column in enumerate(node.columns):
        cells = np.unique(node.cells[kept, i])
        points = cells[~np.isnan(cells)]
        seen = domain(np.column_stack([points, points]), len(points) < len(cells), domains[column].whole)
        left = domains[column].meet(seen)
        if left is not domains[column]:
            found[column] = left
    return found


def _narrow_exact(node: Sum, domains: Domains) -> Changes | None:
    """Bounds of each place from the bounds of the others, in whole numbers."""
    present = [domains[column].present() for column in node.columns]
    if not all(len(each.pieces) for each in present):
        return None
    ends = [(int(each.low), int(each.high)) for each in present]
    terms = [(a * x, a * y) if a > 0 else (a * y, a * x) for a, (x, y) in zip(node.sizes, ends, strict=True)]
    least, most = sum(low for low, _ in terms), sum(high for _, high in terms)
    if least > node.high or most < node.low:
        return None
    found = {column: each for column, each in zip(node.columns, present, strict=True) if each is not domains[column]}
    if node.low <= least and most <= node.high:
        return found
    for column, a, each, (low, high) in zip(node.columns, node.sizes, present, terms, strict=True):
        from_low, to_high = node.low - (most - high), node.high - (least - low)
        first, last = (from_low, to_high) if a > 0 else (to_high, from_low)
        first = float(-((-first) // a)) if math.isfinite(first) else -math.inf
        last = float(last // a) if math.isfinite(last) else math.inf
        _keep(found, column, domains, each.clip(first, last, null=False))
    return None if any(left.is_empty for left in found.values()) else found


def _narrow_loose(node: Sum, domains: Domains, grids: Sequence[Grid]) -> Changes | None:
    """Bounds of each value from the bounds of the others, widened by the judge's tolerance and by rounding."""
    present = [domains[column].present() for column in node.columns]
    if not all(len(each.pieces) for each in present):
        return None
    least = most = 0.0
    slack = DOUBLE * max(abs(bound) for bound in (node.low, node.high) if math.isfinite(bound))
    terms = []
    for column, a, each in zip(node.columns, node.sizes, present, strict=True):
        one, other = a * grids[column].value(each.low), a * grids[column].value(each.high)
        terms.append((min(one, other), max(one, other)))
        least, most = least + terms[-1][0], most + terms[-1][1]
        slack += grids[column].precision * max(abs(one), abs(other))
    slack *= ULPS + len(terms)
    floor, ceiling = node.low - slack, node.high + slack
    if least > ceiling or most < floor:
        return None
    found: Changes = {}
    for column, a, each, (low, high) in zip(node.columns, node.sizes, present, terms, strict=True):
        ends = (floor - (most - high)) / a, (ceiling - (least - low)) / a
        first, last = _outward(grids[column], min(ends), max(ends))
        _keep(found, column, domains, each.clip(first, last, null=False))
    return None if any(left.is_empty for left in found.values()) else found


def _keep(found: Changes, column: int, domains: Domains, left: Domain) -> None:
    if left is not domains[column]:
        found[column] = left


def _outward(grid: Grid, low: float, high: float) -> tuple[float, float]:
    """Places of two values, rounded so that none between them is lost."""
    if grid.lattice is None:
        return low, high
    first, last = grid.place(low), grid.place(high)
    base, gap, scale = grid.lattice.base, grid.lattice.gap, grid.lattice.scale
    if math.isfinite(first):
        first = math.ceil(first - 1e-9 - 4 * DOUBLE * (abs(low) * scale + abs(base)) / gap)
    if math.isfinite(last):
        last = math.floor(last + 1e-9 + 4 * DOUBLE * (abs(high) * scale + abs(base)) / gap)
    return float(first), float(last)
