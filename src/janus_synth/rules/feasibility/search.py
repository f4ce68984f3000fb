"""Domains and clauses in, a row out: fix one column after another, let the others follow, step back where it fails."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from janus_synth.rules.feasibility.clauses import Every, Node, Some, Sum
from janus_synth.rules.feasibility.domains import Domain, Grid
from janus_synth.rules.feasibility.propagation import Changes, Domains, Network

Places = Mapping[int, float | None]
"""A place per column, None for null."""

HAIR = 64.0
"""Units in the last place; an interval no wider is one value as far as rows are concerned.

The judge forgives rounding, so that x <= y, y <= z and x > z would find a row in the last digits. That is no answer.
"""


class Search(NamedTuple):
    """A row that was accepted, or None; and whether everything was tried, so that there is none."""

    row: Changes | None
    exhausted: bool


def search_row(
    network: Network,
    domains: Domains,
    columns: Sequence[int],
    accepts: Callable[[Domains], bool],
    *,
    hints: Places | None = None,
    most_visits: float,
    seconds: float = math.inf,
) -> Search:
    """Look for a row with every one of some columns fixed.

    Parameters
    ----------
    network : Network
        Clauses that narrow the domains.
    domains : mapping of int to Domain
        Where to look; a fixpoint of the network.
    columns : sequence of int
        What to fix.
    accepts : callable
        Says whether a row of fixed columns will do.
    hints : mapping, optional
        Places to try first.
    most_visits, seconds : float
        When to give up: visits of clauses, or time.
    """
    start: tuple[Changes, tuple[int, ...], Places] = dict(domains), (), hints or {}
    stack, deadline, last_visit = [start], time.monotonic() + seconds, network.n_visits + most_visits
    while stack and network.n_visits <= last_visit and time.monotonic() < deadline:
        before, changed, wishes = stack.pop()
        here = network.propagate(before, changed)
        if here is None:
            continue
        column = _smallest(here, columns)
        if column is None:
            if accepts(here):
                return Search(here, exhausted=False)
            continue
        place = _wished(here[column], wishes[column]) if column in wishes else _middle(here[column])
        others = {other: wish for other, wish in wishes.items() if other != column}
        rest = _without(here[column], place, network.grids[column].precision)
        if not rest.is_empty:
            stack.append(({**here, column: rest}, (column,), others))
        stack.append(({**here, column: here[column].at(place)}, (column,), wishes))
    return Search(None, exhausted=not stack)


def _smallest(domains: Domains, columns: Sequence[int]) -> int | None:
    """The open column with the fewest values."""
    still_open = [column for column in columns if not domains[column].is_fixed]
    return min(still_open, key=lambda column: domains[column].size, default=None)


def _without(domain: Domain, place: float | None, precision: float) -> Domain:
    """What else a column could be."""
    if place is None or domain.whole:
        return domain.without(place)
    low, high = domain.pieces[np.searchsorted(domain.pieces[:, 1], place)].tolist()
    if high - low > HAIR * precision * abs(place):
        return domain.without(place)
    return Domain(domain.pieces[domain.pieces[:, 0] != low], domain.null, whole=False)


def _middle(domain: Domain) -> float | None:
    """Middle of the widest piece, far from bounds that may be just out of reach; null only if nothing else is left."""
    if not len(domain.pieces):
        return None
    low, high = domain.pieces[np.argmax(domain.pieces[:, 1] - domain.pieces[:, 0])].tolist()
    middle = low / 2 + high / 2
    return float(math.floor(middle)) if domain.whole else middle


def _wished(domain: Domain, wish: float | None) -> float | None:
    """What comes nearest to a wish; inside a hair's breadth, its middle."""
    if not len(domain.pieces) or (wish is None and domain.null):
        return None
    if wish is None:
        return _middle(domain)
    near = domain.nearest(wish)
    low, high = domain.pieces[np.searchsorted(domain.pieces[:, 1], near)].tolist()
    return low / 2 + high / 2 if not domain.whole and high - low <= 1e-12 * abs(near) else near


def polish(places: Places, nodes: Iterable[Node], domains: Domains, grids: Sequence[Grid]) -> Places:
    """Move continuous columns by the solver's rounding error, so that sums that were meant to be equal are."""
    free = [column for column, place in places.items() if place is not None and not grids[column].whole]
    rows, gaps = [], []
    for each in _loose_sums(nodes):
        cells = [places[column] for column in each.columns]
        if any(cell is None for cell in cells):
            continue
        terms = [
            size * grids[column].value(cell)
            for column, size, cell in zip(each.columns, each.sizes, cells, strict=True)
            if cell is not None
        ]
        near = 1e-6 * sum(map(abs, terms))
        missed = [bound - sum(terms) for bound in (each.low, each.high) if abs(bound - sum(terms)) <= near]
        if missed and not each.strict:
            weights = dict(zip(each.columns, each.sizes, strict=True))
            rows.append([weights.get(column, 0.0) for column in free])
            gaps.append(missed[0])
    if not rows or not free:
        return places
    moves = np.linalg.lstsq(np.array(rows), np.array(gaps))[0]
    moved = {
        column: domains[column].nearest((places[column] or 0.0) + move)
        for column, move in zip(free, moves, strict=True)
    }
    return {**places, **moved}


def _loose_sums(nodes: Iterable[Node]) -> Iterator[Sum]:
    for node in nodes:
        if isinstance(node, Every | Some):
            yield from _loose_sums(node.parts)
        elif isinstance(node, Sum) and not node.exact:
            yield node
