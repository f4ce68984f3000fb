"""Sequential Monte Carlo: a compiled request and a proposal in, weighted rows that keep every rule out.

Columns are drawn parents first, twisted towards the conditions still to come, and resampled where weights become
uneven. The mean weight is an unbiased estimate of the probability of the request.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.computing import compute_column
from janus_synth.sampling.particles import (
    Particles,
    Twist,
    draw_column,
    draw_from_parents,
    new_particles,
    score_column,
)
from janus_synth.sampling.proposals.lookahead import Lookahead
from janus_synth.sampling.request import Request


def run_smc(
    request: Request, lookahead: Lookahead, n: int, rng: np.random.Generator, *, resample_below: float = 0.5
) -> Particles:
    """Draw the request's columns for ``n`` particles, and weight them.

    The weights are exact importance weights, target over proposal, however rough the value trees are: at each column a
    particle's weight gains the total of the twisted scores and loses the values that the twist used before. Particles
    are resampled when the effective sample size falls below ``resample_below`` of their number.
    """
    rows = new_particles(request, n)
    log_values = lookahead.initial_log_values(n)
    rows.log_weight += log_values.sum(axis=0)
    for column in request.order:
        if lookahead.is_idle(column):
            draw_idle(request, rows, column, rng)
            continue
        about = lookahead.about(column)
        before = log_values[about].sum(axis=0)
        stirred = _Stirred(lookahead, lookahead.twist(rows.x, column, log_values))
        log_total = draw_column(request, rows, column, rng, stirred if lookahead.stir else stirred.twist)
        rows.log_weight -= stirred.log_ratios(rows.x[column])
        lookahead.update(log_values, rows.x, column)
        if column in request.links:  # computed without any choice, so no twist was part of the total
            log_total += log_values[about].sum(axis=0)
        with np.errstate(invalid="ignore"):
            rows.log_weight += log_total - before
        rows.log_weight[np.isnan(rows.log_weight)] = -np.inf
        rows.effective.append(rows.effective_share())
        if rows.effective[-1] == 0.0:
            break
        if rows.effective[-1] < resample_below and column != request.order[-1]:
            chosen = rows.resample_indices(n, rng)
            rows, log_values = rows.take(chosen), log_values[:, chosen]
    return rows


class _Stirred:
    """A twist that mixes scores with even ones, and remembers by how much."""

    def __init__(self, lookahead: Lookahead, twist: Twist) -> None:
        self.lookahead, self.twist = lookahead, twist
        self.log_ratio: Floats | None = None

    def __call__(self, score: Floats, log_scale: Floats) -> None:
        """Twist scores, then mix them."""
        self.twist(score, log_scale)
        self.log_ratio = self.lookahead.stir_scores(score)

    def log_ratios(self, codes: Codes) -> Floats | float:
        """Log ratio of each row's score after and before, at the code that was drawn."""
        return 0.0 if self.log_ratio is None else self.log_ratio[np.arange(len(codes)), codes]


def draw_idle(request: Request, rows: Particles, column: int, rng: np.random.Generator) -> None:
    """Draw or compute a column that neither settles nor predicts any condition."""
    if column in request.links:
        compute_column(request, rows, column)
    else:
        draw_from_parents(request, rows, column, rng)


def log_importance_weights(request: Request, lookaheads: Sequence[Lookahead], rows: Particles) -> Floats:
    """(proposals, rows) log importance weight, target over proposal, that each proposal would give to drawn rows."""
    prefix = rows.take(np.arange(rows.n))
    prefix.x[:] = UNKNOWN
    log_weights, at = np.zeros((len(lookaheads), rows.n)), np.arange(rows.n)
    all_log_values = [lookahead.initial_log_values(rows.n) for lookahead in lookaheads]
    for column in request.order:
        if all(lookahead.is_idle(column) for lookahead in lookaheads):
            prefix.x[column] = rows.x[column]
            continue
        if column in request.links:
            prefix.x[column] = rows.x[column]
            for lookahead, log_values in zip(lookaheads, all_log_values, strict=True):
                lookahead.update(log_values, prefix.x, column)
            continue
        free = score_column(request, prefix, column).score
        target = free[at, rows.x[column]]
        for log_weight, lookahead, log_values in zip(log_weights, lookaheads, all_log_values, strict=True):
            score = free.copy()
            lookahead.twist(prefix.x, column, log_values)(score, np.zeros(rows.n))
            if lookahead.stir:
                lookahead.stir_scores(score)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.log(target) - np.log(score[at, rows.x[column]] / score.sum(axis=1))
            log_weight += np.where(target > 0, step, -np.inf)
        prefix.x[column] = rows.x[column]
        for lookahead, log_values in zip(lookaheads, all_log_values, strict=True):
            lookahead.update(log_values, prefix.x, column)
    return log_weights
