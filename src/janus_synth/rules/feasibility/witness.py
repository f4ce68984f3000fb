"""Search among boxes (branch and prune): domains and clauses in, a row out, or a proof that there is none.

A box is a domain per column. Propagation narrows it, a dive fixes one column after the other in the hope of a row, and
then it is split in half. Boxes that propagation empties hold no row; if all are empty, there is none at all.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from janus_synth.deadlines import OutOfTime, check_time, time_limit
from janus_synth.rules.feasibility.domains import Assignment, Domain
from janus_synth.rules.feasibility.propagation import Changes, Domains, Network
from janus_synth.rules.feasibility.search import NEGLIGIBLE_ULPS, SearchResult

FIRST_DIVES = 24
"""Dives in the first box; in each further one there are two."""


def search_boxes(
    network: Network,
    domains: Domains,
    columns: Sequence[int],
    accepts: Callable[[Domains], bool],
    *,
    hints: Assignment | None = None,
    seconds: float,
) -> SearchResult:
    """Look for a row in which all given columns are fixed, for some seconds.

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
        Positions that the first dive prefers.
    seconds : float
        Time limit.
    """
    search = _Search(network, columns, accepts)
    try:
        with time_limit(seconds):
            return search.run(dict(domains), hints or {})
    except OutOfTime:
        return SearchResult(None, exhausted=False)


class _Search:
    """The boxes that are still to be searched, first in, first out, so that no corner takes all the time."""

    def __init__(self, network: Network, columns: Sequence[int], accepts: Callable[[Domains], bool]) -> None:
        self.network, self.columns, self.accepts = network, columns, accepts
        self.rng = np.random.default_rng(0)

    def run(self, start: Changes, hints: Assignment) -> SearchResult:
        waiting: deque[tuple[Changes, int | None]] = deque([(start, None)])
        certain = True
        dives = FIRST_DIVES
        while waiting:
            check_time()
            box, changed = waiting.popleft()
            here = box if changed is None else self.network.propagate(box, (changed,))
            if here is None:
                continue
            for number in range(dives):
                found = self.dive(here, hints, number)
                if found is not None:
                    return SearchResult(found, exhausted=False)
            dives = 2
            column = self.widest(here)
            if column is None:
                certain = certain and all(here[other].is_fixed for other in self.columns)
                continue
            waiting.extend(({**here, column: half}, column) for half in _halves(here[column]))
        return SearchResult(None, exhausted=certain)

    def dive(self, box: Changes, hints: Assignment, number: int) -> Changes | None:
        """Fix the columns one by one: at hints and middles in the first dive, at corners and random places later."""
        here: Changes | None = box
        order = [column for column in self.columns if not box[column].is_fixed]
        if number:
            order = [order[i] for i in self.rng.permutation(len(order))]
        for column in order:
            assert here is not None
            if here[column].is_fixed:
                continue
            hint = hints.get(column) if not number else None
            here = {**here, column: here[column].at(self.place(here[column], hint, number))}
            here = self.network.propagate(here, (column,))
            if here is None:
                return None
        assert here is not None
        return here if self.accepts(here) else None

    def place(self, domain: Domain, hint: float | None, number: int) -> float | None:
        """A position of a domain, null only if there is nothing else."""
        if not len(domain.intervals):
            return None
        if hint is not None:
            return domain.nearest(hint)
        share = 0.5 if number == 0 or domain.high - domain.low <= self.negligible(domain) else float(self.rng.random())
        if number % 3 == 2 and share != 0.5:
            share = float(np.rint(share))
        return domain.nearest(domain.low * (1 - share) + domain.high * share)

    @staticmethod
    def negligible(domain: Domain) -> float:
        """Width up to which a domain of a continuous column counts as one value."""
        return NEGLIGIBLE_ULPS * 2.0**-52 * max(abs(domain.low), abs(domain.high))

    def widest(self, box: Domains) -> int | None:
        """Column to split: the one that has lost least of its width; None if all are fixed, or negligibly narrow."""
        found, most = None, 0.0
        for column in self.columns:
            domain = box[column]
            if domain.is_fixed:
                continue
            if not len(domain.intervals) or domain.null:
                return column
            width = domain.high - domain.low
            if not domain.whole and width <= self.negligible(domain):
                continue
            scaled = width / (max(abs(domain.low), abs(domain.high)) or 1.0)
            if scaled > most or found is None:
                found, most = column, scaled
        return found


def _halves(domain: Domain) -> list[Domain]:
    """Split a domain in two; null is split off first."""
    if domain.null:
        return [domain.without_null(), domain.at(None)]
    if len(domain.intervals) > 1:
        middle = len(domain.intervals) // 2
        parts = domain.intervals[:middle], domain.intervals[middle:]
        return [Domain(part, False, domain.whole) for part in parts]
    centre = domain.low / 2 + domain.high / 2
    if domain.whole:
        centre = float(math.floor(centre))
        return [domain.clip(-math.inf, centre, null=False), domain.clip(centre + 1, math.inf, null=False)]
    return [domain.clip(-math.inf, centre, null=False), domain.clip(centre, math.inf, null=False)]
