"""Particles: partly drawn rows with importance weights in; the same rows with one more column drawn out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Codes, Floats, Ints, LongInts
from janus_synth.deadlines import check_time
from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.rules.compilation import Sets
from janus_synth.sampling.computing import compute_and_weigh, decoded_values
from janus_synth.sampling.forward import Columns, compute_cells
from janus_synth.sampling.request import Request
from janus_synth.sampling.truncation import as_cells
from janus_synth.trees.compiled import CompiledTrees, in_tree

Twist = Callable[[Floats, Floats], None]
"""A twisting function (Whiteley & Lee 2014): multiplies the scores (rows, codes) of a column in place; the second array
collects logs of factors common to a row."""


def no_twist(score: Floats, log_scale: Floats) -> None:
    """Leave scores as they are."""


@dataclass(slots=True)
class Particles:
    """Partly drawn rows: codes, values of the columns that rules name, the tree of each cell, and weights."""

    x: Codes
    """(columns, rows), ``UNKNOWN`` where a column is not drawn."""
    values: Floats
    """(columns, rows), NaN for null."""
    tree: Ints
    """(columns, rows) the tree of the bag that drew the cell."""
    log_weight: Floats
    """(rows,) log importance weight since the last resampling."""
    log_mass: float = 0.0
    """Sum of the logs of the mean weights at earlier resamplings."""
    effective: list[float] = field(default_factory=list)
    """Effective sample size, as a share of the rows, after each column."""

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
        """Overwrite some rows."""
        self.x[:, rows], self.values[:, rows], self.tree[:, rows] = part.x, part.values, part.tree

    def weights(self) -> Floats:
        """Weights, the largest scaled to 1; all zero if every row has weight zero."""
        most = self.log_weight.max(initial=-np.inf)
        return np.exp(self.log_weight - most) if most > -np.inf else np.zeros(self.n)

    def log_mean_weight(self) -> float:
        """Log of the estimated probability of the conditions so far; the estimate is unbiased for any proposal."""
        most = self.log_weight.max(initial=-np.inf)
        if most == -np.inf:
            return -np.inf
        return self.log_mass + float(most + np.log(np.mean(np.exp(self.log_weight - most))))

    def effective_share(self) -> float:
        """Effective sample size as a share of the rows."""
        weights = self.weights()
        return float(weights.sum() ** 2 / (weights @ weights) / self.n) if weights.any() else 0.0

    def resample_indices(self, n: int, rng: np.random.Generator) -> Ints:
        """Positions of ``n`` rows drawn by systematic resampling."""
        from janus_synth.kernels.placing import systematic

        rows = np.empty(n, INDEX)
        systematic(self.weights(), rng.random(), rows)
        return rows


def new_particles(request: Request, n: int) -> Particles:
    """Rows with no cell drawn yet."""
    d = len(request.model.codec.names)
    return Particles(np.full((d, n), UNKNOWN, CODE), np.full((d, n), np.nan), np.zeros((d, n), INDEX), np.zeros(n))


class Scored(NamedTuple):
    """Scores of a column's codes: the model's probability given the parents times the mass that the rules allow."""

    leaves: Ints
    """(rows, trees)"""
    sets: Sets | None
    score: Floats
    """(rows, codes)"""


def score_column(
    request: Request, rows: Particles, column: int, *, given_trees: bool = False, most_trees: int | None = None
) -> Scored:
    """Score the codes of one column for all rows: averaged over the bag, or by the tree that each row has for it."""
    check_time()
    trees = request.trees(column)
    leaves = trees.leaves(rows.x, most_trees=most_trees)
    score = trees.shares(in_tree(leaves, rows.tree[column]) if given_trees else leaves, rows.x)
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
    """Draw code, value and tree of one column in proportion to its scores times the twist.

    Returns the log of the sum of the scores. A row without any allowed code keeps its cell, and its sum is 0. The code
    is drawn averaged over the whole bag or, much cheaper where there are trends, given the row's tree; then the tree is
    drawn given the code. A computed column is computed; its sum is 1, or 0 if it breaks a rule that it settles.
    """
    from janus_synth.kernels.placing import draw_scored

    if column in request.links:
        return compute_and_weigh(request, rows, column)
    leaves, sets, score = score_column(request, rows, column, given_trees=given_trees)
    log_scale = np.zeros(rows.n)
    twist(score, log_scale)
    u, codes, totals = rng.random(rows.n), rows.x[column].copy(), np.empty(rows.n)
    draw_scored(score, u, codes, totals)
    alive = totals > 0
    codes[~alive & (codes == UNKNOWN)] = 0
    if sets is not None:
        rows.values[column, alive] = request.truncations[column].draw_within(codes, u, sets)[alive]
    elif column in request.valued:
        rows.values[column, alive] = decoded_values(request, column, codes, u)[alive]
    rows.x[column] = codes
    rows.tree[column], _ = _trees_of(request.trees(column), leaves, rows.x, codes, rng)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(totals) + log_scale)


def draw_from_parents(request: Request, rows: Particles, column: int, rng: np.random.Generator) -> None:
    """Draw code and tree of an unconstrained column from its parents alone; much cheaper than by scores."""
    rows.x[column] = 0
    u = rng.random(rows.n)
    request.model.bags[column].draw(rows.x, u)
    if column in request.valued:
        rows.values[column] = decoded_values(request, column, rows.x[column], u)
    draw_trees(request, rows, column, rng, np.arange(rows.n))


def draw_trees(request: Request, rows: Particles, column: int, rng: np.random.Generator, at: LongInts) -> Floats:
    """Draw the trees of some cells given their codes; returns the cells' log probabilities, averaged over the bag."""
    trees, x = request.trees(column), np.ascontiguousarray(rows.x[:, at])
    rows.tree[column, at], total = _trees_of(trees, trees.leaves(x), x, x[column], rng)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total / trees.n_trees))


def _trees_of(
    trees: CompiledTrees, leaves: Ints, x: Codes, codes: Codes, rng: np.random.Generator
) -> tuple[Codes, Floats]:
    """Draw a tree per row in proportion to the probability it gave the row's code; returns the sum over trees, too."""
    from janus_synth.kernels.placing import draw_scored

    tree, totals = np.zeros(len(codes), CODE), np.empty(len(codes))
    draw_scored(trees.shares_of(codes, leaves, x), rng.random(len(codes)), tree, totals)
    return tree, totals


def draw_remaining(request: Request, rows: Particles, rng: np.random.Generator) -> Columns:
    """Draw the columns that no condition depends on, and decode all codes to values."""
    return complete_rows(request, rows, rng.random((rows.n, len(columns_to_decode(request)))))


def columns_to_decode(request: Request) -> list[str]:
    """Columns that have codes but no values once a request's columns are drawn, parents first."""
    return [name for name in request.model.dag.order if request.index(name) not in request.valued]


def complete_rows(request: Request, rows: Particles, uniforms: Floats) -> Columns:
    """Draw the remaining columns and decode all codes; ``uniforms`` (rows, columns to decode) is used up."""
    left = dict(zip(columns_to_decode(request), np.ascontiguousarray(uniforms.T), strict=True))
    columns: Columns = {}
    for name in request.model.dag.order:
        i = request.index(name)
        codec = request.model.codec.columns[name]
        if i in request.valued:
            columns[name] = as_cells(codec, rows.values[i])
            continue
        if i in request.links:
            columns[name] = compute_cells(request.model, request.links[i], columns)
            rows.x[i] = codec.encode(columns[name])
            continue
        if i not in request.order:
            rows.x[i] = 0
            request.model.bags[i].draw(rows.x, left[name])
        columns[name] = codec.decode(rows.x[i], left[name])
    return columns


def concatenate(parts: Sequence[Particles]) -> Particles:
    """Join several sets of particles, weights included."""
    if len(parts) == 1:
        return parts[0]
    x, values, tree = (
        np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("x", "values", "tree")
    )
    return Particles(x, values, tree, np.concatenate([part.log_weight for part in parts]))
