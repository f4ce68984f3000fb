"""Gibbs sweeps (rejuvenation): rows that keep every rule in, rows from the same conditional distribution out.

A sweep redraws every column from its full conditional, given all other cells of the row. Each move keeps every rule and
leaves the model's conditional distribution invariant, so that copies made by resampling become different rows. Columns
that an equation ties together cannot move one by one; they move as a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.computing import computed_rules_hold
from janus_synth.sampling.particles import Particles, Twist, draw_column, no_twist, score_column
from janus_synth.sampling.request import Request
from janus_synth.trees.compiled import in_tree

CANDIDATES = 8
"""Candidates of a block move, besides the current row."""


def gibbs_sweep(request: Request, rows: Particles, rng: np.random.Generator, *, blocks: bool = True) -> None:
    """Redraw every column of the request given all others; then blocks of columns that equations tie together.

    A column that others are computed from moves together with them.
    """
    for column in request.order:
        if column in request.links:
            continue
        if computed := request.computed_from(column):
            move_block(request, rows, (column, *computed), rng)
            continue
        draw_column(request, rows, column, rng, likelihood_of_children(request, rows, column), given_trees=True)
    for block in request.blocks if blocks else ():
        move_block(request, rows, block, rng)


def likelihood_of_children(request: Request, rows: Particles, column: int) -> Twist:
    """Twist of a column's scores by the probability that each code gives to the known cells of its children."""

    def multiply(score: Floats, log_scale: Floats) -> None:
        for child in request.children(column):
            known = rows.x[child] != UNKNOWN
            if not known.any():
                continue
            part = slice(None) if known.all() else np.flatnonzero(known)
            some, scale = score[part], log_scale[part]
            request.trees(child).multiply(
                some,
                np.ascontiguousarray(rows.x[:, part]),
                column,
                ordered=request.ordered(column),
                tree=np.ascontiguousarray(rows.tree[child, part]),
                of=np.ascontiguousarray(rows.x[child, part]),
                log_scale=scale,
            )
            score[part], log_scale[part] = some, scale

    return multiply


def move_block(
    request: Request,
    rows: Particles,
    block: tuple[int, ...],
    rng: np.random.Generator,
    avoided: Mapping[int, Sequence[int]] | None = None,
) -> None:
    """Redraw a block of columns in all rows: importance resampling among new candidates and the current row.

    One of them is chosen by its importance weight, target over proposal, which leaves the conditional distribution
    invariant. A row without any of the ``avoided`` codes of the block's columns gets none of them.
    """
    fresh = rows.take(np.repeat(np.arange(rows.n), CANDIDATES))
    fresh.x[list(block)] = UNKNOWN
    log_weight = np.zeros(fresh.n)
    for column in block:
        log_weight += draw_column(request, fresh, column, rng, no_twist)
    log_weight += _log_likelihood_below(request, fresh, block)
    log_weight[~computed_rules_hold(request, fresh, block)] = -np.inf
    if avoided is not None:
        log_weight[_has_codes(fresh, avoided) & ~np.repeat(_has_codes(rows, avoided), CANDIDATES)] = -np.inf
    current = _log_proposal_totals(request, rows, block) + _log_likelihood_below(request, rows, block)
    choice = np.column_stack([current, log_weight.reshape(rows.n, CANDIDATES)])
    choice[np.isnan(choice)] = -np.inf
    chosen = np.argmax(choice + rng.gumbel(size=choice.shape), axis=1)  # Gumbel-max: a draw in proportion to weights
    moved = np.flatnonzero(chosen > 0)
    rows.put(moved, fresh.take(moved * CANDIDATES + chosen[moved] - 1))


def _has_codes(rows: Particles, codes: Mapping[int, Sequence[int]]) -> Bools:
    """Mask of the rows with one of some codes in one of some columns."""
    return np.asarray(np.any([np.isin(rows.x[column], its) for column, its in codes.items()], axis=0))


def _log_proposal_totals(request: Request, rows: Particles, block: tuple[int, ...]) -> Floats:
    """Log weights that the rows would have if the proposal had drawn them as they are."""
    prefix = rows.take(np.arange(rows.n))
    prefix.x[list(block)] = UNKNOWN
    total = np.zeros(rows.n)
    for column in block:
        if column in request.links:  # computed without any choice, from cells that keep the rules
            prefix.x[column] = rows.x[column]
            continue
        with np.errstate(divide="ignore"):
            total += np.log(score_column(request, prefix, column).score.sum(axis=1))
        prefix.x[column] = rows.x[column]
    return total


def _log_likelihood_below(request: Request, rows: Particles, block: tuple[int, ...]) -> Floats:
    """Log probability of the cells of the block's children."""
    children = {child for column in block for child in request.children(column)} - set(block)
    total = np.zeros(rows.n)
    for child in sorted(children):
        trees = request.trees(child)
        leaf = in_tree(trees.leaves(rows.x), rows.tree[child])
        with np.errstate(divide="ignore"):
            total += np.log(trees.shares_of(rows.x[child], leaf, rows.x)[:, 0])
    return total
