"""Backtracking search: domains and clauses in, a row out. Fixes one column at a time, propagates, and backtracks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from janus_synth.rules.feasibility.domains import Assignment, Domain
from janus_synth.rules.feasibility.propagation import Changes, Domains, Network

NEGLIGIBLE_ULPS = 64.0
"""An interval no wider than this many units in the last place counts as one value.

``judge`` tolerates rounding, so x <= y, y <= z and x > z hold together for values that differ only in their last
digits. Such a row is not an answer.
"""


class SearchResult(NamedTuple):
    """An accepted row or None, and whether all rows were tried, which proves that there is none."""

    row: Changes | None
    exhausted: bool


def search_row(
    network: Network,
    domains: Domains,
    columns: Sequence[int],
    accepts: Callable[[Domains], bool],
    *,
    hints: Assignment | None = None,
    max_visits: float,
    seconds: float = math.inf,
) -> SearchResult:
    """Look for a row in which all given columns are fixed.

    Parameters
    ----------
    network : Network
        Clauses that narrow the domains.
    domains : mapping of int to Domain
        Where to look; the network has been propagated on them.
    columns : sequence of int
        Columns to fix.
    accepts : callable
        Whether a row of fixed columns is a solution.
    hints : mapping, optional
        Positions to try first.
    max_visits, seconds : float
        Limits on the number of clause visits and on the time.
    """
    start: tuple[Changes, tuple[int, ...], Assignment] = dict(domains), (), hints or {}
    stack, deadline, last_visit = [start], time.monotonic() + seconds, network.n_visits + max_visits
    while stack and network.n_visits <= last_visit and time.monotonic() < deadline:
        parent, changed, hinted = stack.pop()
        here = network.propagate(parent, changed)
        if here is None:
            continue
        column = _smallest(here, columns)
        if column is None:
            if accepts(here):
                return SearchResult(here, exhausted=False)
            continue
        position = _nearest_to_hint(here[column], hinted[column]) if column in hinted else _middle(here[column])
        others = {other: hint for other, hint in hinted.items() if other != column}
        rest = _without(here[column], position, network.grids[column].precision)
        if not rest.is_empty:
            stack.append(({**here, column: rest}, (column,), others))
        stack.append(({**here, column: here[column].at(position)}, (column,), hinted))
    return SearchResult(None, exhausted=not stack)


def _smallest(domains: Domains, columns: Sequence[int]) -> int | None:
    """Return the open column with the fewest values (fail-first), or None if all are fixed."""
    still_open = [column for column in columns if not domains[column].is_fixed]
    return min(still_open, key=lambda column: domains[column].size, default=None)


def _without(domain: Domain, position: float | None, precision: float) -> Domain:
    """Return the rest of a domain; a negligibly narrow interval around the position goes with it."""
    if position is None or domain.whole:
        return domain.without(position)
    low, high = domain.intervals[np.searchsorted(domain.intervals[:, 1], position)].tolist()
    if high - low > NEGLIGIBLE_ULPS * precision * abs(position):
        return domain.without(position)
    return Domain(domain.intervals[domain.intervals[:, 0] != low], domain.null, whole=False)


def _middle(domain: Domain) -> float | None:
    """Return the middle of the widest interval, where sums have most slack; null only if nothing else is left."""
    if not len(domain.intervals):
        return None
    low, high = domain.intervals[np.argmax(domain.intervals[:, 1] - domain.intervals[:, 0])].tolist()
    middle = low / 2 + high / 2
    return float(math.floor(middle)) if domain.whole else middle


def _nearest_to_hint(domain: Domain, hint: float | None) -> float | None:
    """Return the position nearest to a hint; in a negligibly narrow interval, its middle."""
    if not len(domain.intervals) or (hint is None and domain.null):
        return None
    if hint is None:
        return _middle(domain)
    near = domain.nearest(hint)
    low, high = domain.intervals[np.searchsorted(domain.intervals[:, 1], near)].tolist()
    return low / 2 + high / 2 if not domain.whole and high - low <= 1e-12 * abs(near) else near
