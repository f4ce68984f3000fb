"""Moves of columns that an equality ties together, where moving one alone would break it.

All columns of such a group are drawn anew at once, several times over; one of the candidates or the row as it is gets
chosen by its weight, target over proposal, which leaves the conditional distribution as it is.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.particles import Particles, draw_column, score_column
from janus_synth.sampling.request import Request
from janus_synth.trees.compiled import in_tree

CANDIDATES = 8


def move_block(request: Request, rows: Particles, group: tuple[int, ...], rng: np.random.Generator) -> None:
    """Draw a group of columns anew in all rows."""
    fresh = rows.take(np.repeat(np.arange(rows.n), CANDIDATES))
    fresh.x[list(group)] = UNKNOWN
    log_weight = np.zeros(fresh.n)
    for column in group:
        log_weight += draw_column(request, fresh, column, rng, _as_is)
    log_weight += _log_below(request, fresh, group)
    old = _log_proposed(request, rows, group) + _log_below(request, rows, group)
    choice = np.column_stack([old, log_weight.reshape(rows.n, CANDIDATES)])
    choice[np.isnan(choice)] = -np.inf
    chosen = np.argmax(choice + rng.gumbel(size=choice.shape), axis=1)
    moved = np.flatnonzero(chosen > 0)
    rows.put(moved, fresh.take(moved * CANDIDATES + chosen[moved] - 1))


def _as_is(score: Floats, log_scale: Floats) -> None:
    """No twist."""


def _log_proposed(request: Request, rows: Particles, group: tuple[int, ...]) -> Floats:
    """Totals that the rows as they are would have met on the way."""
    prefix = rows.take(np.arange(rows.n))
    prefix.x[list(group)] = UNKNOWN
    total = np.zeros(rows.n)
    for column in group:
        with np.errstate(divide="ignore"):
            total += np.log(score_column(request, prefix, column).score.sum(axis=1))
        prefix.x[column] = rows.x[column]
    return total


def _log_below(request: Request, rows: Particles, group: tuple[int, ...]) -> Floats:
    """Log probability of the children's cells that hang on the group."""
    children = {child for column in group for child in request.children(column)} - set(group)
    total = np.zeros(rows.n)
    for child in sorted(children):
        walker = request.walker(child)
        leaf = in_tree(walker.leaves(rows.x), rows.tree[child])
        with np.errstate(divide="ignore"):
            total += np.log(walker.shares_of(rows.x[child], leaf, rows.x)[:, 0])
    return total
