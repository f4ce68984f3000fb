"""Rejection sampling: unconstrained rows of the model in, those that keep every rule out.

Accepted rows follow the model's conditional distribution by definition, independently of one another. It is the
cheapest method for a common request; a pilot estimates how common a request is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from janus_synth.sampling.computing import compute_column, decoded_values, rows_that_hold, values_table
from janus_synth.sampling.forward import Columns
from janus_synth.sampling.particles import Particles, draw_remaining, new_particles
from janus_synth.sampling.request import Request
from janus_synth.table import Table

LEAST_ROUND, MOST_ROUND = 256, 16_384
"""Unconstrained rows that are drawn at once; larger rounds are faster per row and cost more memory."""


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
        if column in request.links:
            compute_column(request, rows, column)
            continue
        rows.x[column] = 0
        request.model.bags[column].draw(rows.x, u)
        if column in request.valued:
            rows.values[column] = decoded_values(request, column, rows.x[column], u)
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
    parts: list[Columns] = []
    found = drawn = 0
    while found < n and drawn < most_drawn:
        wanted = int(1.1 * (n - found) / share) + 1
        free = draw_unconstrained(request, min(max(wanted, LEAST_ROUND), MOST_ROUND), for_request)
        kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, free)))[: n - found]
        parts.append(draw_remaining(request, free.take(kept), for_rest))
        found, drawn = found + len(kept), drawn + free.n
    return {name: np.concatenate([part[name] for part in parts]) for name in request.columns.names}
