"""Growing bags: reproducibility, split scores, resamples, the penalty against noise, and which columns have trends."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given

from janus_synth.encoding import Codec, LevelCodec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.trees import (
    GrowthSettings,
    Splits,
    grow_bag,
    grow_splits,
    prepare_growth,
    prepare_trends,
    subsample_rows,
)
from reference.gaining import evidence_gain
from reference.splitting import Task
from strategies import bag_for, code_tables, quick, related_codes, trend_tables
from trees.trend_data import levels_table


def same(a: Splits, b: Splits) -> bool:
    return all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(Splits))


@quick
@given(code_tables() | trend_tables())
def test_one_seed_means_one_bag(table):
    first, again = (bag_for(table, seed=4, min_samples_leaf=2) for _ in range(2))
    assert same(first.splits, again.splits)
    np.testing.assert_array_equal(first.leaves.cdf(first.splits), again.leaves.cdf(again.splits))
    assert (first.trends is None) == (again.trends is None)
    if first.trends is not None:
        for part in ("parents", "score", "coef", "spread", "low", "high", "weight"):
            np.testing.assert_array_equal(getattr(first.trends, part), getattr(again.trends, part))
        np.testing.assert_array_equal(first.trends.residuals.toarray(), again.trends.residuals.toarray())


def test_trees_of_a_bag_differ():
    table = related_codes(np.random.default_rng(0), "ooo", 400)
    splits = bag_for(table, n_trees=2).splits
    first, second = (splits.cut[splits.nodes_of(tree)].tolist() for tree in (0, 1))
    assert first != second


def test_a_column_without_parents_is_one_leaf():
    table = related_codes(np.random.default_rng(0), "ou", 100)
    rules = GrowthSettings(n_trees=4)
    context = prepare_growth(table.codec, table.x, rules)
    bag = grow_bag(context, 1, (), rules, np.random.default_rng(0).spawn(4))
    assert (bag.splits.n_trees, bag.splits.n_leaves) == (1, 1)
    np.testing.assert_array_equal(
        bag.leaves.forward.toarray()[0], np.bincount(table.x[1], minlength=context.n_codes[1])
    )


def test_a_constant_column_does_not_change_the_trees_of_the_others():
    rng = np.random.default_rng(2)
    table = related_codes(rng, "ooo", 400)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([400.0]), ordered=False, nullable=False)
    with_it = type(table)(
        Codec({**table.codec.columns, "same": constant}), np.vstack([table.x, np.zeros((1, 400), CODE)])
    )
    for rules in ({}, {"lambda_unsup": 0.5}):
        assert same(bag_for(table, **rules).splits, bag_for(with_it, **rules).splits)


def test_scores_are_those_of_the_best_cut():
    table = related_codes(np.random.default_rng(3), "oo", 200)
    rules = GrowthSettings(n_trees=1)
    context = prepare_growth(table.codec, table.x, rules)
    rows = np.arange(200, dtype=INDEX)
    splits, score = grow_splits(context, 0, (1,), rules, rows)
    goes_left = table.x[1] <= splits.cut[0]
    assert score[0] == pytest.approx(evidence_gain(table.x[0], goes_left, context.evidence[0]), abs=1e-9)
    task = Task(table.x, 0, (1,), context.n_codes, context.ordered, context.evidence, min_leaf=5)
    assert score[0] == pytest.approx(max(cut[0] for cut in task.cuts(rows)), abs=1e-9)
    assert (score[splits.left < 0] == 0).all()


def test_splits_may_come_from_fewer_rows_but_leaves_count_all():
    table = related_codes(np.random.default_rng(5), "ooo", 600)
    few = bag_for(table, n_trees=2, max_rows=100)
    assert len(subsample_rows(600, GrowthSettings(n_trees=1, max_rows=100), np.random.default_rng(0))) == 100
    assert few.leaves.forward.sum() == 2 * 600
    assert few.splits.n_leaves < bag_for(table, n_trees=2).splits.n_leaves


def test_leaves_have_enough_sampled_rows_and_those_of_deep_trees_half_as_many():
    rng = np.random.default_rng(17)
    x = rng.uniform(size=3_000)
    columns = {"y": np.sin(40 * x) + 0.01 * rng.normal(size=3_000), "x": x}
    codec = Codec({name: fit_ordered(values, n_bins=254) for name, values in columns.items()})
    codes = np.stack([codec.columns[name].encode(values) for name, values in columns.items()])
    for deep, least in ((False, 13), (True, 7)):  # 63 % of 20, and of 10
        rules = GrowthSettings(min_samples_leaf=20, deep=deep)
        context, rows = prepare_growth(codec, codes, rules), subsample_rows(3_000, rules, np.random.default_rng(0))
        splits, _ = grow_splits(context, 0, (1,), rules, rows)
        found = np.bincount(splits.leaves_reached(codes, 0)[rows])
        assert least <= found.min() < 1.3 * least


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_an_irrelevant_parent_is_not_split_on(order):
    rng = np.random.default_rng(6)
    number = fit_ordered(np.arange(4.0), n_bins=10)
    parent, noise = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    x = np.stack([parent, parent, noise]).astype(CODE)
    rules = GrowthSettings()
    context = prepare_growth(Codec({"y": number, "p": number, "noise": number}), x, rules)
    splits, _ = grow_splits(context, 0, order, rules, np.arange(500, dtype=INDEX))
    assert splits.features.tolist() == [1]
    assert splits.n_leaves == 4


def test_numbers_may_have_trends_and_categories_may_not():
    table = levels_table(np.random.default_rng(8), 300)
    rules = GrowthSettings(n_trees=2)
    context = prepare_growth(table.codec, table.x, rules)
    assert [scale is not None for scale in context.scales] == [True, True, False, False]
    for target in range(4):
        others = [i for i in range(4) if i != target]
        bag = grow_bag(context, target, others, rules, np.random.default_rng(0).spawn(2))
        assert (bag.trends is not None) == (target < 2)
        assert (prepare_trends(context, target, others, rules) is not None) == (target < 2)
    assert grow_bag(context, 0, (), rules, np.random.default_rng(0).spawn(2)).trends is None  # no parents


def test_leaves_of_histograms_alone_have_no_trends():
    table = related_codes(np.random.default_rng(9), "oo", 300, n_values=9)
    plain, auto, trend = (bag_for(table, leaves=leaves) for leaves in ("histogram", "auto", "trend"))
    assert plain.trends is None
    assert auto.trends is not None
    assert trend.trends is not None
    for other in (auto, trend):  # trends change neither splits nor histograms
        assert same(plain.splits, other.splits)
        np.testing.assert_array_equal(plain.leaves.shares(plain.splits), other.leaves.shares(other.splits))


@pytest.mark.statistical
def test_trees_do_not_chase_noise():
    """A coin independent of four continuous columns stays a single leaf, although the best of 252 cuts has some gain.

    With the penalty 1.9 % of 1,500 such trees split, without it 94 % of 300. More than 5 of 20 have a probability of
    2e-6 at a rate of 2 %, and are practically certain without the penalty.
    """
    n_split = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        coin, values = rng.integers(0, 2, 200).astype(np.int32), rng.normal(size=(4, 200))
        columns = {"coin": fit_levels(coin, n_levels=2, ordered=False, nullable=False)}
        columns |= {f"x{i}": fit_ordered(value, n_bins=64) for i, value in enumerate(values)}
        codec, rules = Codec(columns), GrowthSettings(n_trees=1)
        x = np.stack([column.encode(cells) for column, cells in zip(columns.values(), [coin, *values], strict=True)])
        splits, _ = grow_splits(prepare_growth(codec, x, rules), 0, range(1, 5), rules, np.arange(200, dtype=INDEX))
        n_split += splits.n_leaves > 1
    assert n_split <= 5
