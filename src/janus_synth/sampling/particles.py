"""Rows in the making, and the one move that all of inference is made of: draw a column of all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Codes, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.rules.compilation import Sets
from janus_synth.sampling.forward import Physical
from janus_synth.sampling.request import Request
from janus_synth.sampling.truncation import as_cells
from janus_synth.trees.compiled import CompiledTrees, in_tree

Twist = Callable[[Floats, Floats], None]
"""Multiplies the scores (rows, codes) of a column in place; the second array collects logs of common factors."""


@dataclass(slots=True)
class Particles:
    """Rows in the making: codes, values of the columns that rules name, and each cell's tree."""

    x: Codes
    """(columns, rows), ``UNKNOWN`` where a column is not drawn."""
    values: Floats
    """(columns, rows), NaN for null."""
    tree: Ints
    """(columns, rows) the tree of the bag that drew the cell."""
    log_weight: Floats
    """(rows,)"""
    log_mass: float = 0.0
    """Log of the mean weights at earlier resamplings."""
    effective: list[float] = field(default_factory=list)
    """Effective sample, as a share of the rows, after each column."""

    @property
    def n(self) -> int:
        """Rows."""
        return int(self.x.shape[1])

    def take(self, rows: NDArray[np.integer]) -> Particles:
        """Some rows, as particles of equal weight."""
        return Particles(
            np.ascontiguousarray(self.x[:, rows]),
            np.ascontiguousarray(self.values[:, rows]),
            np.ascontiguousarray(self.tree[:, rows]),
            np.zeros(len(rows)),
            self.log_mean_weight(),
            self.effective,
        )

    def put(self, rows: NDArray[np.integer], part: Particles) -> None:
        """Write rows back."""
        self.x[:, rows], self.values[:, rows], self.tree[:, rows] = part.x, part.values, part.tree

    def weights(self) -> Floats:
        """Weights with the largest at 1; all zero if every row is dead."""
        most = self.log_weight.max(initial=-np.inf)
        return np.exp(self.log_weight - most) if most > -np.inf else np.zeros(self.n)

    def log_mean_weight(self) -> float:
        """Log of the estimate so far: unbiased, however rough the looking ahead."""
        most = self.log_weight.max(initial=-np.inf)
        if most == -np.inf:
            return -np.inf
        return self.log_mass + float(most + np.log(np.mean(np.exp(self.log_weight - most))))

    def effective_share(self) -> float:
        """Effective sample as a share of the rows."""
        weights = self.weights()
        return float(weights.sum() ** 2 / (weights @ weights) / self.n) if weights.any() else 0.0

    def resample_indices(self, n: int, rng: np.random.Generator) -> Ints:
        """Rows picked systematically by their weights."""
        from janus_synth.kernels.placing import systematic

        rows = np.empty(n, INDEX)
        systematic(self.weights(), rng.random(), rows)
        return rows


def new_particles(request: Request, n: int) -> Particles:
    """Rows without a single cell."""
    d = len(request.model.codec.names)
    return Particles(np.full((d, n), UNKNOWN, CODE), np.full((d, n), np.nan), np.zeros((d, n), INDEX), np.zeros(n))


class Scored(NamedTuple):
    """Scores of a column's codes by its parents and by what the rules leave."""

    leaves: Ints
    """(rows, trees)"""
    sets: Sets | None
    score: Floats
    """(rows, codes)"""


def score_column(
    request: Request, rows: Particles, column: int, *, given_trees: bool = False, most_trees: int | None = None
) -> Scored:
    """Score the codes of one column for all rows: over the bag, or each by the tree that the row has for it."""
    walker = request.walker(column)
    leaves = walker.leaves(rows.x, most_trees=most_trees)
    score = walker.shares(in_tree(leaves, rows.tree[column]) if given_trees else leaves, rows.x)
    sets = request.sets(column, rows.x, rows.values)
    if sets is not None:
        score *= request.allowed_mass(column, sets)
    return Scored(leaves, sets, score)


def draw_column(
    request: Request,
    rows: Particles,
    column: int,
    rng: np.random.Generator,
    twist: Twist,
    *,
    given_trees: bool = False,
) -> Floats:
    """Draw code, value and tree of one column: by its parents, what the rules leave, and the twist.

    Returns the log of the sum of all codes' scores. A row to which nothing is left keeps its cell, and its sum is 0.
    The code is drawn over the whole bag, or, much cheaper where there are trends, given the row's tree; then the tree
    is drawn given the code.
    """
    from janus_synth.kernels.placing import draw_scored

    leaves, sets, score = score_column(request, rows, column, given_trees=given_trees)
    log_scale = np.zeros(rows.n)
    twist(score, log_scale)
    u, codes, totals = rng.random(rows.n), rows.x[column].copy(), np.empty(rows.n)
    draw_scored(score, u, codes, totals)
    alive = totals > 0
    codes[~alive & (codes == UNKNOWN)] = 0
    if sets is not None:
        rows.values[column, alive] = request.cells[column].draw_within(codes, u, sets)[alive]
    rows.x[column] = codes
    rows.tree[column], _ = _trees_of(request.walker(column), leaves, rows.x, codes, rng)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(totals) + log_scale)


def draw_from_parents(request: Request, rows: Particles, column: int, rng: np.random.Generator) -> None:
    """Draw code and tree of a column that nothing is asked of, by its parents alone; much cheaper than by scores."""
    rows.x[column] = 0
    request.model.bags[column].draw(rows.x, rng.random(rows.n))
    draw_trees(request, rows, column, rng, np.arange(rows.n))


def draw_trees(request: Request, rows: Particles, column: int, rng: np.random.Generator, at: LongInts) -> Floats:
    """Draw the trees of some cells of a column; returns the cells' log probabilities over the whole bag."""
    walker, x = request.walker(column), np.ascontiguousarray(rows.x[:, at])
    rows.tree[column, at], total = _trees_of(walker, walker.leaves(x), x, x[column], rng)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total / walker.n_trees))


def _trees_of(
    walker: CompiledTrees, leaves: Ints, x: Codes, codes: Codes, rng: np.random.Generator
) -> tuple[Codes, Floats]:
    """A tree per row: the more a tree expected the row's code, the likelier it is; and the sum of what all expected."""
    from janus_synth.kernels.placing import draw_scored

    tree, totals = np.zeros(len(codes), CODE), np.empty(len(codes))
    draw_scored(walker.shares_of(codes, leaves, x), rng.random(len(codes)), tree, totals)
    return tree, totals


def draw_remaining(request: Request, rows: Particles, rng: np.random.Generator) -> Physical:
    """Draw the columns that no condition depends on, and turn codes into values."""
    columns: Physical = {}
    for name in request.model.dag.order:
        i = request.columns.index(name)
        codec = request.model.codec.columns[name]
        if i in request.constrained:
            columns[name] = as_cells(codec, rows.values[i])
            continue
        u = rng.random(rows.n)
        if i not in request.order:
            rows.x[i] = 0
            request.model.bags[i].draw(rows.x, u)
        columns[name] = codec.decode(rows.x[i], u)
    return columns


def concatenate(parts: Sequence[Particles]) -> Particles:
    """Rows of several sets of particles as one, with their weights."""
    if len(parts) == 1:
        return parts[0]
    x, values, tree = (
        np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("x", "values", "tree")
    )
    return Particles(x, values, tree, np.concatenate([part.log_weight for part in parts]))
