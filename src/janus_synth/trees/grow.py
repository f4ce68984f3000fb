"""Grow bags of trees: a growth context, a target and its possible parents in, a `Bag` out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Floats, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.context import GrowthContext, GrowthSettings, subsample_rows
from janus_synth.trees.fit_trend import TrendDesign, fit_trends, held_out_log_likelihood, prepare_trends
from janus_synth.trees.leaves import HistogramLeaves, count_leaves
from janus_synth.trees.smooth_design import candidate_scales, with_surface
from janus_synth.trees.splits import Splits, single_leaf
from janus_synth.trees.surface import FEW_PARENTS

HELD_OUT = 3
"""One row of so many compares designs."""
SLACK = 2.0
"""With few parents, a column has a surface unless that lowers the log likelihood of held-out rows by so many standard
errors: regressions of neighbouring leaves predict as well, but counterfactuals are less exact."""
MARGIN = 0.03
"""With more parents, nats per row by which a surface must raise it: averaging over trees helps regressions in leaves
more than it helps a surface."""


def grow_tree(
    context: GrowthContext,
    target: int,
    parents: Sequence[int],
    settings: GrowthSettings,
    rng: np.random.Generator,
    design: TrendDesign | None = None,
) -> Bag:
    """Grow one tree on a subsample and count all rows into its leaves; with a design also fit its trends.

    Splits come from the subsample, counts from every row: a leaf's counts are then plain counts of the data, which
    is what makes updates and merges exact.
    """
    splits, rows, nodes = single_leaf(), np.zeros(0, INDEX), None
    if parents:
        rows = subsample_rows(context.n_rows, settings, rng)
        splits, _, nodes = _grow(context, target, parents, settings, rows)
    leaf = splits.leaves_reached(context.x, 0, nodes)
    del nodes  # a table of many rows takes much memory here
    leaves = _count(context, target, settings, splits, leaf)
    trends = None if design is None else fit_trends(design, context, splits, leaves, rows, settings, leaf=leaf)
    return Bag(target, splits, leaves, trends)


def _count(
    context: GrowthContext, target: int, settings: GrowthSettings, splits: Splits, leaf: Ints
) -> HistogramLeaves:
    """Count all rows into the leaves of one tree."""
    return count_leaves(
        splits,
        context.x,
        target,
        context.n_codes,
        tree=context.smoothing[target],
        allowed=context.allowed[target],
        prior_strength=settings.prior_strength,
        root_strength=context.root_strength[target],
        hierarchical=not settings.flat_prior,
        leaf=leaf,
    )


def prepare_design(
    context: GrowthContext, target: int, parents: Sequence[int], settings: GrowthSettings
) -> TrendDesign | None:
    """Design of a column's trends, with a surface if that predicts held-out rows well; None if it has no trends.

    Surfaces are fitted to two rows of three, and a pilot tree to as many of these as a tree of the bag has; on the
    others trends with each surface are compared with trends without one. The surface that is kept is then fitted to all
    rows.
    """
    design = prepare_trends(context, target, parents, settings)
    most = settings.most_smooth_parents
    if design is None or (most is not None and len(parents) > most):
        return design
    scales = candidate_scales(design, context)
    if not scales:
        return design
    order, n_held_out = np.random.default_rng(0).permutation(context.n_rows), context.n_rows // HELD_OUT
    held_out = np.zeros(context.n_rows, bool)
    held_out[order[:n_held_out]] = True
    rows = np.sort(order[n_held_out:][: settings.subsample_size(context.n_rows)]).astype(INDEX)
    splits, _, _ = _grow(context, target, parents, settings, rows)
    leaf = splits.leaves_reached(context.x, 0)
    leaves, held_out = _count(context, target, settings, splits, leaf), held_out[design.rows]
    plain = held_out_log_likelihood(design, splits, leaves, held_out, leaf=leaf)
    best, scale = -np.inf, None
    for one in scales:
        smooth = with_surface(design, context, one, fitted_to=~held_out)
        gain = held_out_log_likelihood(smooth, splits, leaves, held_out, leaf=leaf) - plain
        if gain.mean() > max(best, _least_gain(gain, len(design.parents))):
            best, scale = float(gain.mean()), one
    return design if scale is None else with_surface(design, context, scale)


def _least_gain(gain: Floats, n_parents: int) -> float:
    """Mean log likelihood that a surface must gain over held-out rows."""
    return MARGIN if n_parents > FEW_PARENTS else -SLACK * float(gain.std()) / np.sqrt(len(gain))


def grow_bag(
    context: GrowthContext,
    target: int,
    parents: Sequence[int],
    settings: GrowthSettings,
    rngs: Sequence[np.random.Generator],
) -> Bag:
    """Grow a column's bag, a tree per generator; a column without parents needs a single leaf."""
    design = prepare_design(context, target, parents, settings)
    trees = [grow_tree(context, target, parents, settings, rng, design) for rng in (rngs if parents else rngs[:1])]
    return join_bags(trees)


def grow_splits(
    context: GrowthContext, target: int, parents: Sequence[int], settings: GrowthSettings, rows: Ints
) -> tuple[Splits, Floats]:
    """Grow one tree on the given rows; also returns what each node gained in log marginal likelihood by splitting."""
    splits, score, _ = _grow(context, target, parents, settings, rows)
    return splits, score


def _grow(
    context: GrowthContext, target: int, parents: Sequence[int], settings: GrowthSettings, rows: Ints
) -> tuple[Splits, Floats, Ints]:
    """`grow_splits`, and the node that each row of the table reached, −1 for those that the tree was not grown on."""
    from janus_synth.kernels.splitting import grow_tree

    assert len(rows) + 2 <= context.logs.shape[2]  # the kernel looks up every count of rows
    feature, cut, left, right, set_start, left_levels, score, nodes = grow_tree(
        context.x, rows, target, np.asarray(parents, INDEX), context.n_codes, context.ordered,
        (*context.flat, context.logs), float(settings.lambda_unsup), float(settings.lambda_div),
        settings.price(ordered=bool(context.ordered[target])), settings.least_sampled, settings.max_leaves,
    )  # fmt: skip
    is_leaf = left < 0
    leaf_of_node = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(INDEX)
    splits = Splits(np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node)
    return splits, score, nodes
