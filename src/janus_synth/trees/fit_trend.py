"""Fit the trends of a tree: a column's axes, rows and a grown tree in, `Trends` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.ground import Ground, GrowthSettings
from janus_synth.trees.leaves import HistogramLeaves
from janus_synth.trees.scale import Scale, mean_scores, places
from janus_synth.trees.splits import Splits, lone_leaf
from janus_synth.trees.trend import Trends, along_lines, count_residuals

MOST_PARENTS = 16
"""Parents that a line runs over, the most telling ones in wide tables."""
SCOUT_ROWS = 8192
"""Rows that tell which those are, and where in their codes rows lie."""
MOST_ROUNDS = 30
"""How often they are asked that at most,"""
SETTLED = 0.002
"""and by how much their answers may still change, as a root of mean squares."""
RIDGE = 300.0
"""One over the variance by which a line's coefficients differ from those of the node above."""
SPREAD_ROWS = 10.0
"""How many rows' worth a line's spread leans on that of the node above."""
LEVEL_ROWS = 5.0
"""How many rows' worth the score of an unordered parent's level leans on the middle."""
RESIDUAL_STRENGTH = 3.0
"""How many rows' worth the residuals of a leaf lean on those of the node above."""
HANDICAP = 0.1
"""Nats per row by which a histogram must foretell better to be as good: steps are easier to tell than lines."""
WEIGHT_ROWS = 20.0
"""How many rows' worth a leaf's weight of the trend leans on that of the node above."""


@dataclass(frozen=True, slots=True)
class Axes:
    """What the trends of a column are drawn on: its scale, and its parents' codes as scores."""

    target: int
    scale: Scale
    parents: Ints
    score: Floats
    """(p, most codes)"""
    rows: LongInts
    """Rows on the scale, every k-th of very many."""
    x: Codes
    """Their codes, of all columns."""
    place: Floats
    """How far through its code each of them is."""
    z: Floats
    """Their scores."""


def axes_for(ground: Ground, target: int, parents: Sequence[int], rules: GrowthSettings) -> Axes | None:
    """Axes of a column; None if it can have no trends.

    Ordered parents are scored by their own distribution, unordered ones by the target's mean score in each level.
    """
    scale = ground.scales[target]
    if scale is None or not len(parents):
        return None
    rows = np.flatnonzero(~scale.apart[ground.x[target]])
    rows = rows[:: max(1, -(-len(rows) // rules.max_rows))]
    part = np.ascontiguousarray(ground.x[:, rows])
    place = places(part)
    z = scale.scores(part[target], place)
    score = np.zeros((len(parents), int(ground.n_codes.max())))
    for j, parent in enumerate(parents):
        n_codes = int(ground.n_codes[parent])
        codes = part[parent]
        if ground.ordered[parent]:
            score[j, :n_codes] = mean_scores(ground.shares[parent])
        else:
            count = np.bincount(codes, minlength=n_codes)
            score[j, :n_codes] = np.bincount(codes, weights=z, minlength=n_codes) / (count + LEVEL_ROWS)
    kept = np.arange(len(parents))
    scouts = np.linspace(0, len(rows) - 1, min(len(rows), SCOUT_ROWS)).astype(int)
    if len(parents) > MOST_PARENTS:
        points = [score[j, part[parent, scouts]] for j, parent in enumerate(parents)]
        kept = np.sort(_telling(np.column_stack(points), z[scouts])[:MOST_PARENTS])
    axes = Axes(
        target, scale, np.asarray(parents, INDEX)[kept], np.ascontiguousarray(score[kept]), rows, part, place, z
    )
    return replace(axes, z=_settled(axes, scouts))


def _settled(axes: Axes, scouts: Ints) -> Floats:
    """Scores of rows inside their codes as a line through all rows has it.

    A wide code does not say where in it a row lies. Placed there by chance, rows make lines too flat; placed where the
    line before has them, round by round, they make it as steep as it is. Of two codes that says nothing of the line's
    scale: scores of all rows have a spread of 1.
    """
    x, sample = axes.x, np.ascontiguousarray(axes.x[:, scouts])
    place, z = axes.place[scouts], axes.z[scouts]
    lone, root = lone_leaf(), np.zeros(len(scouts), INDEX)
    for _ in range(MOST_ROUNDS):
        lines = _lines(axes, sample, lone, root, (z - z.mean()) / z.std(), np.zeros(len(z), bool))[0].lines
        before, (z, _) = z, along_lines(axes.scale, lines, root, sample, axes.target, place)
        if np.mean((z - before) ** 2) < SETTLED**2:
            break
    return along_lines(axes.scale, lines, np.zeros(x.shape[1], INDEX), x, axes.target, axes.place)[0]


def _telling(points: Floats, z: Floats) -> Ints:
    """Columns of ``points`` from the most to the least telling: by correlation first, the best by a joint line."""
    points = points - points.mean(axis=0)
    alone = np.abs(points.T @ (z - z.mean())) / np.sqrt((points**2).sum(axis=0) + 1e-12)
    best = np.argsort(-alone, kind="stable")[: 4 * MOST_PARENTS]
    own = points[:, best]
    slope = np.linalg.solve(own.T @ own + RIDGE * np.eye(len(best)), own.T @ (z - z.mean()))
    return np.asarray(best[np.argsort(-np.abs(slope) * own.std(axis=0), kind="stable")])


def fit_trends(
    axes: Axes, x: Codes, splits: Splits, leaves: HistogramLeaves, grown_on: Ints, rules: GrowthSettings
) -> Trends:
    """Draw a line in every leaf of one tree, and weigh it against the leaf's histogram.

    Both are judged on rows that the tree did not grow on, each left out of its leaf's counts: splits flatter the rows
    that chose them.
    """
    target, rows, part = axes.target, axes.rows, axes.x
    leaf = splits.leaves_reached(part, 0)
    grown = np.zeros(x.shape[1], bool)
    grown[grown_on] = rules.n_trees > 1
    judged = ~grown[rows]
    trends, freedom = _lines(axes, part, splits, leaf, axes.z, judged)
    z, residual = along_lines(axes.scale, trends.lines, leaf, part, target, axes.place)
    trends = trends.with_residuals(count_residuals(residual, leaf, splits.n_leaves))
    n = np.bincount(leaf, minlength=splits.n_leaves)
    weight = n / (n + 1.0)  # a little of the histogram always: no possible code may become impossible
    if rules.leaves != "trend":
        alone = residual / (1.0 - freedom)[leaf]  # as seen by lines without the row
        weight *= _weights(trends, splits, leaves, leaf[judged], part[target, judged], alone[judged], z[judged])
    trends = replace(trends, weight=weight)
    if len(rows) == np.count_nonzero(~axes.scale.apart[x[target]]):
        return trends
    return trends.with_residuals(trends.counted(splits, x, target))


def _lines(axes: Axes, x: Codes, splits: Splits, leaf: Ints, z: Floats, judged: Bools) -> tuple[Trends, Floats]:
    """Lines of all leaves, and the share of a row's own weight in them; no weights or residuals yet.

    A leaf uses the line of a node above it where that foretells the judged rows better.
    """
    from janus_synth.kernels.trending import choose_lines, fit_lines, lay_rows

    n_nodes, p = len(splits.left), len(axes.parents)
    coef, low, high = np.empty((n_nodes, p + 1)), np.empty((n_nodes, p)), np.empty((n_nodes, p))
    spread, freedom = np.empty(n_nodes), np.empty(n_nodes)
    order, start, stop = lay_rows(splits.left, splits.right, splits.leaf_of_node, leaf)
    fit_lines(
        splits.left, splits.right, order, start, stop, x, axes.parents, axes.score, z, RIDGE,
        SPREAD_ROWS, coef, spread, freedom, low, high,
    )  # fmt: skip
    line = np.empty(n_nodes, INDEX)
    choose_lines(
        splits.left, splits.right, order, start, stop, x, axes.parents, axes.score, z, judged,
        coef, spread, freedom, low, high, line,
    )  # fmt: skip
    at = line[splits.left < 0]
    nothing = count_residuals(np.zeros(0), np.zeros(0, INDEX), splits.n_leaves)
    lines = Trends(
        axes.scale, axes.parents, axes.score, coef[at], spread[at], low[at], high[at],
        weight=np.zeros(splits.n_leaves), residuals=nothing, strength=RESIDUAL_STRENGTH,
    )  # fmt: skip
    return lines, np.minimum(freedom / np.maximum(stop - start, 1), 0.9)[at]


def _weights(
    trends: Trends, splits: Splits, leaves: HistogramLeaves, leaf: Ints, codes: Codes, residual: Floats, z: Floats
) -> Floats:
    """Weight of the trend in each leaf, by rows left out."""
    from janus_synth.kernels.trending import weigh_predictions
    from janus_synth.kernels.walking import left_out_shares

    table = leaves.left_out(splits)
    arrays = trends.beside(splits, _rest_alone(trends, splits, leaves))
    by_trend, weight = np.empty(len(codes)), np.empty(splits.n_leaves)
    alone = trends.residual_shares(splits, left_out=1.0)
    left_out_shares(arrays, alone, leaf, codes, residual, z, by_trend)
    by_trend *= arrays.rest[leaf]
    by_histogram = np.exp(-HANDICAP) * table[leaf, codes].astype(float)
    weigh_predictions(splits.left, splits.right, splits.leaf_of_node, leaf, by_histogram, by_trend, WEIGHT_ROWS, weight)
    return weight


def _rest_alone(trends: Trends, splits: Splits, leaves: HistogramLeaves) -> Floats:
    """(leaves,) probability of all codes on the scale as one of the leaf's rows on it sees it."""
    codes, rows = np.flatnonzero(trends.scale.apart), np.asarray(leaves.forward.sum(axis=1)).ravel()
    if not leaves.forward[:, codes].nnz:
        return np.ones(splits.n_leaves)
    apart = leaves.shares(splits)[:, codes].sum(axis=1, dtype=float)
    without = (rows + leaves.prior_strength) / (np.maximum(rows - 1, 0) + leaves.prior_strength)
    return np.asarray(np.maximum(1.0 - apart * without, 0.0))
