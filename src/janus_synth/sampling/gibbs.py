"""Gibbs sweeps: every move keeps every rule and leaves the model's conditional distribution as it is."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.block_moves import move_block
from janus_synth.sampling.particles import Particles, Twist, draw_column
from janus_synth.sampling.request import Request


def gibbs_sweep(request: Request, rows: Particles, rng: np.random.Generator, *, groups: bool = True) -> None:
    """Draw every column of the request anew, given all others, and groups that hang together at once."""
    for column in request.order:
        draw_column(request, rows, column, rng, likelihood_of_children(request, rows, column), given_trees=True)
    for group in request.groups if groups else ():
        move_block(request, rows, group, rng)


def likelihood_of_children(request: Request, rows: Particles, column: int) -> Twist:
    """Multiplier of the scores of a column's codes by how likely each makes the children's known cells."""

    def multiply(score: Floats, log_scale: Floats) -> None:
        for child in request.children(column):
            known = rows.x[child] != UNKNOWN
            if not known.any():
                continue
            part = slice(None) if known.all() else np.flatnonzero(known)
            some, scale = score[part], log_scale[part]
            request.walker(child).multiply(
                some,
                np.ascontiguousarray(rows.x[:, part]),
                column,
                ordered=request.ordered(column),
                tree=np.ascontiguousarray(rows.tree[child, part]),
                of=np.ascontiguousarray(rows.x[child, part]),
                log_scale=scale,
            )
            if not known.all():
                score[part], log_scale[part] = some, scale

    return multiply
