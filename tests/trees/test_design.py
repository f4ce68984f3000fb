"""Designs of columns: how deep their trees are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.trees import (
    GrowthSettings,
    grow_tree,
    join_bags,
    prepare_column,
    prepare_design,
    prepare_growth,
    prepare_trends,
)
from janus_synth.trees.design import FEWEST_PILOT_ROWS, grow_bag, should_be_deep

SETTINGS = GrowthSettings()


def codes_of(columns, known=None):
    codec = known or Codec({name: fit_ordered(values, n_bins=254) for name, values in columns.items()})
    return codec, np.stack([codec.columns[name].encode(values) for name, values in columns.items()])


def context_of(columns, settings=SETTINGS):
    codec, x = codes_of(columns)
    return prepare_growth(codec, x, settings, columns)


def chooses_deep(context, settings):
    """Whether the trees of the first column given the two others are deep."""
    return should_be_deep(context, 0, [1, 2], settings, prepare_trends(context, 0, [1, 2], settings))


def cells(rng, table, n):
    """Numbers around one of 400 means, which depend on where two parents lie: too many for few rows to prove."""
    a, b = rng.random((2, n))
    means = table[(a * 20).astype(int), (b * 20).astype(int)]
    return {"y": means + 0.5 * rng.normal(size=n), "a": a, "b": b}


@pytest.mark.parametrize("seed", range(3))
def test_noise_and_lines_need_no_deep_trees(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, 4_000))
    for y in (rng.normal(size=4_000), a + b + 0.3 * rng.normal(size=4_000)):
        assert not chooses_deep(context_of({"y": y, "a": a, "b": b}), SETTINGS)


def bills(rng, n):
    """Amounts that are null, a share, or a little more than an earlier amount."""
    a = rng.lognormal(0, 1, n) * (rng.random(n) < 0.8)
    b = a * rng.choice([0, 1, 0.5, 1.2], n, p=[0.2, 0.3, 0.3, 0.2]) * rng.lognormal(0, 0.05, n)
    return {"y": np.where(rng.random(n) < 0.3, b, 0.9 * b + 0.3 * rng.lognormal(-1, 1, n)), "a": a, "b": b}


def gain_of_deep_trees(columns, fresh):
    """Whether deep trees are chosen, and what they gain in log likelihood per new row."""
    codec, x = codes_of(columns)
    context, new = prepare_growth(codec, x, SETTINGS, columns), codes_of(fresh, codec)[1]
    likely = []
    for growth in (SETTINGS, replace(SETTINGS, deep=True)):
        design = prepare_design(prepare_trends(context, 0, [1, 2], growth), context, [1, 2], growth)
        trees = [grow_tree(context, 0, [1, 2], growth, np.random.default_rng(i), design) for i in range(8)]
        likely.append(np.log(join_bags(trees).compiled(3).probability_of(new[0], new)).mean())
    return prepare_column(context, 0, [1, 2], SETTINGS).growth.deep, likely[1] - likely[0]


@pytest.mark.parametrize("seed", range(2))
def test_deep_trees_are_chosen_where_they_predict_new_rows_better(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(20, 20))
    deep, gain = gain_of_deep_trees(cells(rng, table, 5_000), cells(rng, table, 5_000))
    assert deep
    assert gain > 0.01
    deep, gain = gain_of_deep_trees(bills(rng, 5_000), bills(rng, 5_000))
    assert not deep
    assert gain < -0.01


def test_a_bag_grows_as_deep_as_its_design():
    rng = np.random.default_rng(0)
    context = context_of(cells(rng, rng.normal(size=(20, 20)), 5_000))
    rngs = [np.random.default_rng(i) for i in range(8)]
    bag = grow_bag(context, 0, [1, 2], SETTINGS, rngs)
    usual = [grow_tree(context, 0, [1, 2], SETTINGS, np.random.default_rng(i)) for i in range(8)]
    assert bag.splits.n_leaves > 1.5 * sum(one.splits.n_leaves for one in usual)


def test_few_rows_and_single_trees_and_levels_are_never_deep():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 20))
    columns = cells(rng, table, 5_000)
    assert chooses_deep(context_of(columns), SETTINGS)
    few = {name: values[: FEWEST_PILOT_ROWS - 1] for name, values in columns.items()}
    assert not chooses_deep(context_of(few), SETTINGS)
    single = GrowthSettings(n_trees=1)
    assert not chooses_deep(context_of(columns, single), single)
    levels = np.digitize(columns["y"], [-1.0, 0.0, 1.0]).astype(np.int32)
    codec = Codec(
        {
            "y": fit_levels(levels, n_levels=4, ordered=False, nullable=False),
            **{name: fit_ordered(columns[name], n_bins=254) for name in ("a", "b")},
        }
    )
    x = np.stack([codec.columns[name].encode(values) for name, values in (columns | {"y": levels}).items()])
    assert not chooses_deep(prepare_growth(codec, x, SETTINGS), SETTINGS)
