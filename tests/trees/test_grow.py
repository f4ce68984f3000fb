"""Growing: one seed, one bag; what all trees of a table share; resamples; which columns have trends."""

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
    axes_for,
    grow_bag,
    grow_splits,
    grow_tree,
    prepare_growth,
    resample,
)
from janus_synth.trees.code_tree import likeliest_strength
from janus_synth.trees.fit_trend import LEVEL_ROWS, MOST_PARENTS
from janus_synth.trees.scale import mean_scores, places
from reference.splitting import Task, evidence_gain
from strategies import CodeTable, bag_for, code_tables, quick, related_codes, trend_tables


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
    ground = prepare_growth(table.codec, table.x, rules)
    bag = grow_bag(ground, 1, (), rules, np.random.default_rng(0).spawn(4))
    assert (bag.splits.n_trees, bag.splits.n_leaves) == (1, 1)
    np.testing.assert_array_equal(bag.leaves.forward.toarray()[0], np.bincount(table.x[1], minlength=ground.n_codes[1]))


def test_slots_look_up_the_logs_of_their_own_masses():
    """Tables are shared by mass: each slot of each column must find its own."""
    table = related_codes(np.random.default_rng(1), "ouuo", 60)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([60.0]), ordered=False, nullable=False)
    codec = Codec({**table.codec.columns, "same": constant})
    ground = prepare_growth(codec, np.vstack([table.x, np.zeros((1, 60), CODE)]), GrowthSettings())
    counts = np.arange(ground.logs.shape[2])
    for tree, tables in zip(ground.evidence, ground.flat[-1], strict=True):
        for mass, table_of in zip((tree.mass[-1], tree.split_mass[0]), tables, strict=True):
            np.testing.assert_allclose(ground.logs[table_of, 0], np.log(counts + mass), atol=1e-12)
        assert (tree.mass[1:] == tree.mass[-1]).all()
        assert set(tree.split_mass[tree.split_mass > 0]) <= {tree.split_mass[0]}


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
    rules = GrowthSettings()
    ground = prepare_growth(table.codec, table.x, rules)
    rows = np.arange(200, dtype=INDEX)
    splits, score = grow_splits(ground, 0, (1,), rules, rows)
    goes_left = table.x[1] <= splits.cut[0]
    assert score[0] == pytest.approx(evidence_gain(table.x[0], goes_left, ground.evidence[0]), abs=1e-9)
    task = Task(table.x, 0, (1,), ground.n_codes, ground.ordered, ground.evidence, min_leaf=5)
    assert score[0] == pytest.approx(max(cut[0] for cut in task.cuts(rows)), abs=1e-9)
    assert (score[splits.left < 0] == 0).all()


def test_a_single_tree_sees_every_row_and_those_of_a_bag_different_bootstrap_resamples():
    rng = np.random.default_rng(4)
    assert resample(50, GrowthSettings(n_trees=1), rng).tolist() == list(range(50))
    rules = GrowthSettings(n_trees=2)
    first, second = resample(1_000, rules, rng), resample(1_000, rules, rng)
    for rows in (first, second):
        assert len(rows) == 1_000
        assert (np.diff(rows) >= 0).all()  # sorted
        assert 0 <= rows[0] <= rows[-1] < 1_000
        assert 580 < len(np.unique(rows)) < 680  # 1 − 1/e of the rows, ± 5 standard deviations
    assert not np.array_equal(first, second)
    assert resample(1, rules, rng).tolist() == [0]


def test_splits_may_come_from_fewer_rows_but_leaves_count_all():
    table = related_codes(np.random.default_rng(5), "ooo", 600)
    few = bag_for(table, n_trees=2, max_rows=100)
    assert len(resample(600, GrowthSettings(n_trees=1, max_rows=100), np.random.default_rng(0))) == 100
    assert few.leaves.forward.sum() == 2 * 600
    assert few.splits.n_leaves < bag_for(table, n_trees=2).splits.n_leaves


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_an_irrelevant_parent_is_not_split_on(order):
    rng = np.random.default_rng(6)
    number = fit_ordered(np.arange(4.0), n_bins=10)
    parent, noise = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    x = np.stack([parent, parent, noise]).astype(CODE)
    rules = GrowthSettings()
    ground = prepare_growth(Codec({"y": number, "p": number, "noise": number}), x, rules)
    splits, _ = grow_splits(ground, 0, order, rules, np.arange(500, dtype=INDEX))
    assert splits.features.tolist() == [1]
    assert splits.n_leaves == 4


# What all trees of a table share


@pytest.mark.parametrize("flat_prior", [False, True])
def test_the_ground_knows_the_shares_of_every_columns_codes(flat_prior):
    table = related_codes(np.random.default_rng(7), "ouo", 300, n_values=9)
    ground = prepare_growth(table.codec, table.x, GrowthSettings(flat_prior=flat_prior))
    for i, column in enumerate(table.codec.columns.values()):
        counts, tree = np.bincount(table.x[i], minlength=column.n_codes), ground.smoothing[i]
        floor = tree.share_of_allowed(column.allowed | (counts > 0))
        strength = 1.0 if flat_prior or not column.ordered else likeliest_strength(tree, counts, floor, 1.0)
        assert ground.root_strength[i] == strength
        np.testing.assert_array_equal(ground.shares[i], tree.shares(counts, floor, tree.lean(1.0, strength)))
        assert ground.shares[i].sum() == pytest.approx(1.0)


def levels_table(rng, n_rows):
    """A number, another one, an ordered category and an unordered one."""
    table = related_codes(rng, "oou", n_rows, n_values=9)
    levels = rng.integers(0, 6, n_rows).astype(np.int32)
    grades = fit_levels(levels, n_levels=6, ordered=True, nullable=False)
    return CodeTable(Codec({**table.codec.columns, "grade": grades}), np.vstack([table.x, grades.encode(levels)]))


def test_numbers_may_have_trends_and_categories_may_not():
    table = levels_table(np.random.default_rng(8), 300)
    rules = GrowthSettings(n_trees=2)
    ground = prepare_growth(table.codec, table.x, rules)
    assert [scale is not None for scale in ground.scales] == [True, True, False, False]
    for target in range(4):
        others = [i for i in range(4) if i != target]
        bag = grow_bag(ground, target, others, rules, np.random.default_rng(0).spawn(2))
        assert (bag.trends is not None) == (target < 2)
        assert (axes_for(ground, target, others, rules) is not None) == (target < 2)
    assert grow_bag(ground, 0, (), rules, np.random.default_rng(0).spawn(2)).trends is None  # nothing to run over


def test_leaves_of_histograms_alone_have_no_trends():
    table = related_codes(np.random.default_rng(9), "oo", 300, n_values=9)
    plain, auto, trend = (bag_for(table, leaves=leaves) for leaves in ("histogram", "auto", "trend"))
    assert plain.trends is None
    assert auto.trends is not None
    assert trend.trends is not None
    for other in (auto, trend):  # trends change neither splits nor histograms
        assert same(plain.splits, other.splits)
        np.testing.assert_array_equal(plain.leaves.shares(plain.splits), other.leaves.shares(other.splits))


def test_a_tree_without_axes_has_no_trends():
    table = related_codes(np.random.default_rng(9), "oo", 300, n_values=9)
    rules = GrowthSettings(n_trees=1)
    ground = prepare_growth(table.codec, table.x, rules)
    axes = axes_for(ground, 0, (1,), rules)
    plain, lined = (grow_tree(ground, 0, (1,), rules, np.random.default_rng(0), which) for which in (None, axes))
    assert plain.trends is None
    assert lined.trends is not None


# Axes


def test_parents_are_scored_by_their_own_order_or_by_what_the_target_does_in_each_level():
    table = levels_table(np.random.default_rng(10), 400)
    ground = prepare_growth(table.codec, table.x, GrowthSettings())
    axes = axes_for(ground, 0, (1, 2, 3), GrowthSettings())
    assert axes.parents.tolist() == [1, 2, 3]
    for place, parent in ((0, 1), (2, 3)):
        n_codes = int(ground.n_codes[parent])
        np.testing.assert_array_equal(axes.score[place, :n_codes], mean_scores(ground.shares[parent]))
    on_scale = ~axes.scale.apart[table.x[0]]
    np.testing.assert_array_equal(axes.rows, np.flatnonzero(on_scale))
    on = np.ascontiguousarray(table.x[:, on_scale])
    np.testing.assert_array_equal(axes.place, places(on))
    assert ((axes.scale.edge[on[0]] <= axes.z) & (axes.z <= axes.scale.edge[on[0] + 1])).all()
    z = axes.scale.scores(on[0], axes.place)
    for level in range(int(ground.n_codes[2])):
        own = z[table.x[2, on_scale] == level]
        assert axes.score[1, level] == pytest.approx(own.sum() / (len(own) + LEVEL_ROWS), abs=1e-12)
    assert np.ptp(axes.score[1]) > 0.5  # levels differ


@pytest.mark.parametrize("max_rows", [1_000, 400, 399, 150, 7])
def test_axes_hold_every_kth_row_on_the_scale_of_very_many(max_rows):
    table = related_codes(np.random.default_rng(12), "oo", 450, n_values=9)
    ground = prepare_growth(table.codec, table.x, GrowthSettings())
    axes = axes_for(ground, 0, (1,), GrowthSettings(max_rows=max_rows))
    on_scale = np.flatnonzero(~axes.scale.apart[table.x[0]])
    step = int(np.ceil(len(on_scale) / max_rows))
    np.testing.assert_array_equal(axes.rows, on_scale[::step])
    assert len(axes.rows) <= max_rows


def test_lines_run_over_the_most_telling_of_many_parents():
    """Three of forty parents make the target."""
    rng, n = np.random.default_rng(11), 3_000
    points = rng.normal(size=(40, n))
    telling = [4, 17, 33]
    y = points[telling].sum(axis=0) + 0.5 * rng.normal(size=n)
    columns = [fit_ordered(values, n_bins=20) for values in (y, *points)]
    x = np.stack([codec.encode(values) for codec, values in zip(columns, (y, *points), strict=True)])
    ground = prepare_growth(Codec({f"x{i}": codec for i, codec in enumerate(columns)}), x, GrowthSettings())
    axes = axes_for(ground, 0, range(1, 41), GrowthSettings())
    assert len(axes.parents) == MOST_PARENTS
    assert axes.score.shape == (MOST_PARENTS, 21)
    assert (np.diff(axes.parents) > 0).all()
    assert {1 + i for i in telling} <= set(axes.parents.tolist())
    for place, parent in enumerate(axes.parents):  # the scores have come along
        np.testing.assert_array_equal(axes.score[place], mean_scores(ground.shares[parent]))
