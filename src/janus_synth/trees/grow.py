"""Grow trees: a growth context, a target, its possible parents and their design in, a `Bag` of one tree out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Floats, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag
from janus_synth.trees.context import GrowthContext, GrowthSettings, subsample_rows
from janus_synth.trees.fit_trend import TrendDesign, fit_trends
from janus_synth.trees.leaves import HistogramLeaves, count_leaves
from janus_synth.trees.splits import Splits, single_leaf


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
    if parents:
        rows = subsample_rows(context.n_rows, settings, rng)
        splits, _, nodes = _grow(context, target, parents, settings, rows)
    else:
        splits, rows, nodes = single_leaf(), np.zeros(0, INDEX), None
    leaf = splits.leaves_reached(context.x, 0, nodes)
    del nodes  # a table of many rows takes much memory here
    leaves = count_rows(context, target, settings, splits, leaf)
    trends = None if design is None else fit_trends(design, context, splits, leaves, rows, settings, leaf=leaf)
    return Bag(target, splits, leaves, trends)


def count_rows(
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

    assert not settings.deep or context.ordered[target]  # no other column has tables of deep trees
    logs = context.deep_logs if settings.deep else context.logs
    assert len(rows) + 2 <= logs.shape[2]  # the kernel looks up every count of rows
    feature, cut, left, right, set_start, left_levels, score, nodes = grow_tree(
        context.x, rows, target, np.asarray(parents, INDEX), context.n_codes, context.ordered,
        (*context.flat, logs), float(settings.lambda_unsup), float(settings.lambda_div),
        settings.price(ordered=bool(context.ordered[target])), settings.least_sampled, settings.max_leaves,
    )  # fmt: skip
    is_leaf = left < 0
    leaf_of_node = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(INDEX)
    splits = Splits(np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node)
    return splits, score, nodes
