"""Grow bags of trees: codes, a target and its possible parents in, a ``Bag`` out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Floats, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.fit_trend import Axes, axes_for, fit_trends
from janus_synth.trees.ground import Ground, GrowthSettings, resample
from janus_synth.trees.leaves import count_leaves
from janus_synth.trees.splits import Splits, lone_leaf


def grow_tree(
    ground: Ground,
    target: int,
    parents: Sequence[int],
    rules: GrowthSettings,
    rng: np.random.Generator,
    axes: Axes | None = None,
) -> Bag:
    """Grow one tree on a resample and count all rows into its leaves; with axes also fit its trends.

    Splits come from the resample, counts from every row: a leaf's counts are then plain counts of the data, which
    is what makes updates and merges exact.
    """
    splits, rows = lone_leaf(), np.zeros(0, INDEX)
    if parents:
        rows = resample(ground.n_rows, rules, rng)
        splits, _ = grow_splits(ground, target, parents, rules, rows)
    leaves = count_leaves(
        splits,
        ground.x,
        target,
        ground.n_codes,
        tree=ground.smoothing[target],
        allowed=ground.allowed[target],
        prior_strength=rules.prior_strength,
        root_strength=ground.root_strength[target],
        hierarchical=not rules.flat_prior,
    )
    trends = None if axes is None else fit_trends(axes, ground.x, splits, leaves, rows, rules)
    return Bag(target, splits, leaves, trends)


def grow_bag(
    ground: Ground,
    target: int,
    parents: Sequence[int],
    rules: GrowthSettings,
    rngs: Sequence[np.random.Generator],
) -> Bag:
    """Grow a column's bag, a tree per generator; without parents one leaf says it all."""
    axes = axes_for(ground, target, parents, rules)
    trees = [grow_tree(ground, target, parents, rules, rng, axes) for rng in (rngs if parents else rngs[:1])]
    return join_bags(trees)


def grow_splits(
    ground: Ground, target: int, parents: Sequence[int], rules: GrowthSettings, rows: Ints
) -> tuple[Splits, Floats]:
    """One tree on the given rows, and what each of its nodes gained by splitting."""
    from janus_synth.kernels.splitting import grow_tree

    feature, cut, left, right, set_start, left_levels, score = grow_tree(
        ground.x, rows, target, np.asarray(parents, INDEX), ground.n_codes, ground.ordered,
        (*ground.flat, ground.logs), float(rules.lambda_unsup), float(rules.lambda_div),
        rules.price(ordered=bool(ground.ordered[target])), rules.min_samples_leaf, rules.max_leaves,
    )  # fmt: skip
    is_leaf = left < 0
    leaf_of_node = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(INDEX)
    splits = Splits(np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node)
    return splits, score
