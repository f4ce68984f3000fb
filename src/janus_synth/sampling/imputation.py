"""Rows with holes in, the same rows filled out: every missing cell drawn given the row's present ones, rules kept."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, LongInts
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling.forward import Physical
from janus_synth.sampling.gibbs import likelihood_of_children
from janus_synth.sampling.particles import Particles, Twist, draw_column, draw_trees, new_particles
from janus_synth.sampling.request import Request
from janus_synth.sampling.truncation import as_cells, as_values
from janus_synth.table import Table

COPIES = 8
"""Fillings of each row to choose from."""
SWEEPS = 4


def impute_cells(
    request: Request, table: Table, rng: np.random.Generator, holes: Mapping[str, Bools] | None = None
) -> Physical:
    """Physical columns of rows whose holes are filled, by default the missing cells; the others stay as they are."""
    if holes is None:
        holes = {name: table.missing(name) for name in request.columns.names}
    rows = new_particles(request, table.n_rows)
    for i, name in enumerate(request.columns.names):
        codec, present = request.codec(i), ~holes[name]
        rows.x[i, present] = codec.encode(table[name])[present]
        rows.values[i] = as_values(codec, table[name])
    filled = impute(request, rows, rng)
    columns: Physical = {}
    for i, name in enumerate(request.columns.names):
        codec, missing = request.codec(i), holes[name]
        column, u = table[name].copy(), rng.random(filled.n)
        if i in request.constrained:
            column[missing] = as_cells(codec, filled.values[i, missing])
        else:
            column[missing] = codec.decode(filled.x[i, missing], u[missing])
        columns[name] = column
    return columns


def impute(request: Request, rows: Particles, rng: np.random.Generator, *, sweeps: int = SWEEPS) -> Particles:
    """Fill the unknown cells of the request's columns; a cell is left null only where the rules leave nothing else."""
    hole = rows.x == UNKNOWN
    filled = _best_of(request, _first_imputations(request, rows, rng), rng)
    for _ in range(sweeps):
        for column in request.order:
            _draw_where(request, filled, column, np.flatnonzero(hole[column]), rng)
            draw_trees(request, filled, column, rng, np.flatnonzero(~hole[column]))
    return filled


def _first_imputations(request: Request, rows: Particles, rng: np.random.Generator) -> Particles:
    """Copies of the rows, filled in topological order with a look at the known cells below, and their weights."""
    copies = rows.take(np.repeat(np.arange(rows.n), COPIES))
    for column in request.order:
        copies.tree[column] = request.walker(column).any_trees(copies.n, rng)
    for column in request.order:
        unknown = copies.x[column] == UNKNOWN
        known, holes = np.flatnonzero(~unknown), np.flatnonzero(unknown)
        copies.log_weight[holes] += _draw_where(request, copies, column, holes, rng)
        copies.log_weight[known] += draw_trees(request, copies, column, rng, known)
    return copies


def _best_of(request: Request, copies: Particles, rng: np.random.Generator) -> Particles:
    """One copy of each row, by their weights."""
    log_weight = np.nan_to_num(copies.log_weight, nan=-1e300, neginf=-1e300).reshape(-1, COPIES)
    chosen = np.argmax(log_weight + rng.gumbel(size=log_weight.shape), axis=1)
    return copies.take(np.arange(len(chosen)) * COPIES + chosen)


def _draw_where(request: Request, rows: Particles, column: int, at: LongInts, rng: np.random.Generator) -> Floats:
    """Draw a column of some rows; returns the log weights that the draws earn."""
    if not len(at):
        return np.zeros(0)
    part = rows.take(at)
    twist = _NonNullTwist(likelihood_of_children(request, part, column))
    log_total = draw_column(request, part, column, rng, twist)
    rows.put(at, part)
    with np.errstate(invalid="ignore"):
        return log_total - twist.log_factor(part.x[column])


class _NonNullTwist:
    """Another twist, no null where anything else is possible, and what both did to each code's score."""

    def __init__(self, twist: Twist) -> None:
        self.twist = twist

    def __call__(self, score: Floats, log_scale: Floats) -> None:
        before = score.copy()
        self.twist(score, log_scale)
        possible = score[:, :-1].sum(axis=1) > 0
        score[possible, -1] = 0.0
        self.before, self.after, self.log_scale = before, score, log_scale

    def log_factor(self, codes: Codes) -> Floats:
        """Log of the factor by which the score of each row's code changed."""
        at = np.arange(len(codes)), codes
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(self.after[at]) + self.log_scale - np.log(self.before[at]))
