"""Rejection sampling: free rows of the model in, those that keep every rule out.

Rows come from the model's conditional distribution by definition, and independently. It is the cheapest way where a
request is common, and a pilot of it tells how common a request is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats
from janus_synth.rules import BoundRule, judge
from janus_synth.rules.holds import SINGLE
from janus_synth.sampling.forward import Physical
from janus_synth.sampling.particles import Particles, draw_remaining, new_particles
from janus_synth.sampling.request import Request
from janus_synth.sampling.truncation import as_cells, as_values
from janus_synth.table import Schema, Table

ROUND_ROWS = 4096
"""Free rows that are drawn at once."""


class Acceptance(NamedTuple):
    """How many of some free rows keep every rule."""

    n_accepted: int
    n_drawn: int

    @property
    def share(self) -> float:
        """Share of the free rows that keep every rule."""
        return self.n_accepted / self.n_drawn


def draw_unconstrained(request: Request, n: int, rng: np.random.Generator) -> Particles:
    """Free rows over the request's columns, with values where rules need them, as the table will hold them."""
    rows = new_particles(request, n)
    for column in request.order:
        u = rng.random(n)
        rows.x[column] = 0
        request.model.bags[column].draw(rows.x, u)
        if column in request.constrained:
            rows.values[column] = unconstrained_values(request, column, rows.x[column], u)
    return rows


def unconstrained_values(request: Request, column: int, codes: Codes, u: Floats) -> Floats:
    """Values of a column at shares ``u`` of their codes, rounded as the table stores them."""
    codec = request.codec(column)
    values = as_values(codec, codec.decode(codes, u))
    if request.columns.precision[column] == SINGLE:
        values = values.astype(np.float32).astype(np.float64)
    return values


def constrained_table(request: Request, rows: Particles) -> Table:
    """The columns that rules name, as a table that the judge can read."""
    names = [name for i, name in enumerate(request.columns.names) if i in request.constrained]
    cells = {
        name: as_cells(request.model.codec.columns[name], rows.values[request.columns.index(name)]) for name in names
    }
    return Table(Schema(tuple(request.model.schema[name] for name in names)), cells, rows.n)


def rows_that_hold(rules: tuple[BoundRule, ...], table: Table) -> Bools:
    """Rows of a table that keep all rules."""
    kept = np.ones(table.n_rows, bool)
    for rule in rules:
        kept &= judge(rule, table)
    return kept


def draw_accepted(request: Request, n: int, rng: np.random.Generator) -> Physical:
    """Draw free rows until ``n`` of them keep every rule; these, with all columns of the model."""
    parts: list[Physical] = []
    found = 0
    while found < n:
        free = draw_unconstrained(request, ROUND_ROWS, rng)
        kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, free)))
        parts.append(draw_remaining(request, free.take(kept), rng))
        found += len(kept)
    return {name: np.concatenate([part[name] for part in parts])[:n] for name in request.columns.names}
