"""Rejection sampling: unconstrained rows of the model in, those that keep every rule out.

Accepted rows follow the model's conditional distribution by definition, independently of one another. It is the
cheapest method for a common request; a pilot estimates how common a request is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.deadlines import check_time
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.rules import BoundRule
from janus_synth.rules.compilation import columns_of, split_conjunction
from janus_synth.sampling.computing import compute_column, decoded_values, rows_that_hold, values_table
from janus_synth.sampling.forward import Columns
from janus_synth.sampling.particles import Particles, draw_remaining, new_particles
from janus_synth.sampling.request import Request
from janus_synth.table import Table

LEAST_ROUND, MOST_ROUND = 256, 65_536
"""Unconstrained rows that are drawn at once; larger rounds are faster per row and cost more memory."""
ROUND_CELLS = 2**20
"""Cells of a round at most, unless it is one of a few thousand rows."""
WORTH_DROPPING = 0.9
"""Rejected rows are dropped while columns are drawn once this share or less is left; copying the others has a cost."""


class Acceptance(NamedTuple):
    """How many of some unconstrained rows keep every rule."""

    n_accepted: int
    n_drawn: int

    @property
    def share(self) -> float:
        """Share of the unconstrained rows that keep every rule."""
        return self.n_accepted / self.n_drawn


def draw_unconstrained(request: Request, n: int, rng: np.random.Generator) -> Particles:
    """Draw rows over the request's columns, with values where rules need them, rounded as the table stores them.

    Row k uses the k-th run of the generator's numbers, so that drawing in several calls gives the same rows.
    """
    rows = new_particles(request, n)
    uniforms = np.ascontiguousarray(rng.random((n, len(request.order))).T)
    for column, u in zip(request.order, uniforms, strict=True):
        _draw_free(request, rows, column, u)
    return rows


def constrained_table(request: Request, rows: Particles) -> Table:
    """The columns that rules name, as a table that rules can be evaluated on."""
    names = [name for i, name in enumerate(request.columns.names) if i in request.constrained]
    return values_table(request, rows.values, names)


def draw_accepted(request: Request, n: int, rng: np.random.Generator, *, share: float, most_drawn: int) -> Columns:
    """Draw unconstrained rows until ``n`` keep every rule or ``most_drawn`` are drawn; return the accepted ones.

    ``share`` is the expected acceptance rate: it decides how many rows are drawn at a time, not which rows they are.
    The first m of n rows do not depend on n.
    """
    for_request, for_rest = rng.spawn(2)
    tests = group_tests(request)
    parts: list[Columns] = []
    found = drawn = 0
    while found < n and drawn < most_drawn:
        n_free = round_size(n - found, share, len(request.order))
        kept = draw_kept(request, n_free, for_request, tests)
        if kept.n > n - found:
            kept = _take(kept, np.arange(n - found), request.order, request.valued)
        parts.append(draw_remaining(request, kept, for_rest))
        found, drawn = found + kept.n, drawn + n_free
        share = max(found, 1) / drawn
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in request.columns.names}


def round_size(missing: int, share: float, n_columns: int) -> int:
    """Unconstrained rows to draw for the rows that are missing: with two standard deviations to spare, within bounds.

    Examples
    --------
    >>> round_size(4096, 1.0, 8), round_size(4096, 0.5, 8), round_size(4096, 0.01, 8), round_size(4096, 0.01, 100)
    (4096, 8374, 65536, 10485)
    """
    wanted = int(np.ceil((missing + 2 * np.sqrt(missing * (1 - share))) / share))
    most = min(max(ROUND_CELLS // max(n_columns, 1), 4096), MOST_ROUND)
    return min(max(wanted, LEAST_ROUND), most)


def group_tests(request: Request) -> dict[int, tuple[BoundRule, ...]]:
    """The tests of all rules, by the last of their columns to be drawn."""
    found: dict[int, tuple[BoundRule, ...]] = {}
    for test in split_conjunction(rule.test for rule in request.rules):
        places = [request.order.index(request.columns.index(name)) for name in columns_of(test)]
        last = request.order[max(places, default=-1)]
        found[last] = (*found.get(last, ()), BoundRule(test, test))
    return found


def draw_kept(
    request: Request, n: int, rng: np.random.Generator, tests: Mapping[int, tuple[BoundRule, ...]]
) -> Particles:
    """Draw ``n`` unconstrained rows over the request's columns and return those that keep every rule.

    They are the rows that `draw_unconstrained` draws. A test is evaluated as soon as its columns are drawn, and columns
    after it are drawn for the remaining rows only. Columns outside of the request are not set.
    """
    d = len(request.columns.names)
    rows = Particles(np.zeros((d, n), CODE), np.zeros((d, n)), np.zeros((d, 0), INDEX), np.zeros(n))
    uniforms = np.ascontiguousarray(rng.random((n, len(request.order))).T)
    alive = np.ones(n, bool)
    for place, column in enumerate(request.order):
        _draw_free(request, rows, column, uniforms[place])
        if column not in tests:
            continue
        names = dict.fromkeys(name for rule in tests[column] for name in sorted(columns_of(rule.test)))
        alive &= rows_that_hold(tests[column], values_table(request, rows.values, names))
        if place + 1 == len(request.order) or alive.mean() <= WORTH_DROPPING:
            kept = np.flatnonzero(alive)
            if len(kept) < rows.n:
                rows = _take(rows, kept, request.order[: place + 1], request.valued)
                uniforms = np.take(uniforms, kept, axis=1)
            alive = np.ones(rows.n, bool)
    return rows if alive.all() else _take(rows, np.flatnonzero(alive), request.order, request.valued)


def _draw_free(request: Request, rows: Particles, column: int, u: Floats) -> None:
    """Draw one column from its parents, or compute it; ``u`` is used up."""
    check_time()
    if column in request.links:
        compute_column(request, rows, column)
        return
    rows.x[column] = 0
    request.model.bags[column].draw(rows.x, u)
    if column in request.valued:
        rows.values[column] = decoded_values(request, column, rows.x[column], u)


def _take(rows: Particles, kept: LongInts, drawn: Sequence[int], valued: frozenset[int]) -> Particles:
    """Some rows with the columns that are drawn; the others are neither read nor set."""
    d, n = len(rows.x), len(kept)
    out = Particles(np.zeros((d, n), CODE), np.zeros((d, n)), np.zeros((d, 0), INDEX), np.zeros(n))
    for column in drawn:
        out.x[column] = rows.x[column, kept]
        if column in valued:
            out.values[column] = rows.values[column, kept]
    return out
