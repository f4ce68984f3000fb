"""The forward pass: rows drawn column by column towards the conditions, with exact weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.particles import Particles, draw_column, draw_from_parents, new_particles, score_column
from janus_synth.sampling.proposals.lookahead import Lookahead
from janus_synth.sampling.request import Request


def run_smc(
    request: Request, lookahead: Lookahead, n: int, rng: np.random.Generator, *, resample_below: float = 0.5
) -> Particles:
    """Draw the request's columns for ``n`` rows, looking ahead, and weigh the rows.

    Weights stay exact however rough the value trees are: a row's weight gains the total of what was drawn from,
    which contains the values looked ahead to, and loses the values of the look before.
    """
    rows = new_particles(request, n)
    looked = lookahead.initial_log_values(n)
    rows.log_weight += looked.sum(axis=0)
    for column in request.order:
        if lookahead.is_idle(column):
            draw_from_parents(request, rows, column, rng)
            continue
        log_total = draw_column(request, rows, column, rng, lookahead.twist(rows.x, column, looked))
        with np.errstate(invalid="ignore"):
            rows.log_weight += log_total - looked[lookahead.about(column)].sum(axis=0)
        rows.log_weight[np.isnan(rows.log_weight)] = -np.inf
        lookahead.update(looked, rows.x, column)
        rows.effective.append(rows.effective_share())
        if rows.effective[-1] == 0.0:
            break
        if rows.effective[-1] < resample_below and column != request.order[-1]:
            chosen = rows.resample_indices(n, rng)
            rows, looked = rows.take(chosen), looked[:, chosen]
    return rows


def log_importance_weights(request: Request, lookaheads: Sequence[Lookahead], rows: Particles) -> Floats:
    """(lookaheads, rows) log importance weight, target over proposal, of finished rows under ways of looking ahead."""
    prefix = rows.take(np.arange(rows.n))
    prefix.x[:] = UNKNOWN
    log_weights, at = np.zeros((len(lookaheads), rows.n)), np.arange(rows.n)
    all_looked = [lookahead.initial_log_values(rows.n) for lookahead in lookaheads]
    for column in request.order:
        if all(lookahead.is_idle(column) for lookahead in lookaheads):
            prefix.x[column] = rows.x[column]
            continue
        free = score_column(request, prefix, column).score
        target = free[at, rows.x[column]]
        for log_weight, lookahead, looked in zip(log_weights, lookaheads, all_looked, strict=True):
            score = free.copy()
            lookahead.twist(prefix.x, column, looked)(score, np.zeros(rows.n))
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.log(target) - np.log(score[at, rows.x[column]] / score.sum(axis=1))
            log_weight += np.where(target > 0, step, -np.inf)
        prefix.x[column] = rows.x[column]
        for lookahead, looked in zip(lookaheads, all_looked, strict=True):
            lookahead.update(looked, prefix.x, column)
    return log_weights
