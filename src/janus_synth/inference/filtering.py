"""The forward pass: rows drawn column by column towards the conditions, with exact weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from janus_synth.inference.lookahead import Lookahead
from janus_synth.inference.particles import Particles, draw_column, new_particles
from janus_synth.inference.request import Request

Floats = NDArray[np.float64]


def run_forward(
    request: Request, lookahead: Lookahead, n: int, rng: np.random.Generator, *, resample_below: float = 0.5
) -> Particles:
    """Draw the request's columns for ``n`` rows, looking ahead, and weigh the rows.

    Weights stay exact however rough the value trees are: a row's weight gains the total of what was drawn from,
    which contains the values looked ahead to, and loses the values of the look before.
    """
    rows = new_particles(request, n)
    looked = lookahead.first_look(n)
    rows.log_weight += looked.sum(axis=0)
    for column in request.order:
        log_total = draw_column(request, rows, column, rng, lookahead.twist(rows.x, column))
        with np.errstate(invalid="ignore"):
            rows.log_weight += log_total - looked[lookahead.about(column)].sum(axis=0)
        rows.log_weight[np.isnan(rows.log_weight)] = -np.inf
        lookahead.look_again(looked, rows.x, column)
        rows.effective.append(rows.effective_share())
        if rows.effective[-1] == 0.0:
            break
        if rows.effective[-1] < resample_below and column != request.order[-1]:
            chosen = rows.drawn_rows(n, rng)
            rows, looked = rows.take(chosen), looked[:, chosen]
    return rows
