"""Regressions and mixture weights of leaves, against least squares, reference kernels and held-out likelihood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import rankdata

from janus_synth.encoding import Codec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.trees import (
    GrowthSettings,
    grow_tree,
    join_bags,
    prepare_growth,
    prepare_trends,
    subsample_rows,
)
from janus_synth.trees.fit_trend import (
    ENOUGH_JUDGES,
    JUDGES,
    JUDGES_PER_LEAF,
    LEVEL_PRIOR_ROWS,
    MOST_PARENTS,
    RIDGE,
    SPREAD_PRIOR_ROWS,
    choose_judges,
)
from janus_synth.trees.scale import mean_scores, places
from reference import trending, walking
from strategies import bag_for, quick, related_codes, trend_tables, trended_bag
from trees.trend_data import heaped_table, levels_table, line_table, table_of


def test_a_tree_without_a_design_has_no_trends():
    table = related_codes(np.random.default_rng(9), "oo", 300, n_values=9)
    rules = GrowthSettings(n_trees=1)
    context = prepare_growth(table.codec, table.x, rules)
    design = prepare_trends(context, 0, (1,), rules)
    plain, lined = (grow_tree(context, 0, (1,), rules, np.random.default_rng(0), which) for which in (None, design))
    assert plain.trends is None
    assert lined.trends is not None


def test_ordered_parents_have_normal_scores_and_levels_the_mean_score_of_the_target():
    table = levels_table(np.random.default_rng(10), 400)
    context = prepare_growth(table.codec, table.x, GrowthSettings())
    design = prepare_trends(context, 0, (1, 2, 3), GrowthSettings())
    assert design.parents.tolist() == [1, 2, 3]
    for place, parent in ((0, 1), (2, 3)):
        n_codes = int(context.n_codes[parent])
        np.testing.assert_array_equal(design.score[place, :n_codes], mean_scores(context.shares[parent]))
    on_scale = ~design.scale.apart[table.x[0]]
    np.testing.assert_array_equal(design.rows, np.flatnonzero(on_scale))
    on = np.ascontiguousarray(table.x[:, on_scale])
    np.testing.assert_array_equal(design.place, places(on))
    assert ((design.scale.edge[on[0]] <= design.z) & (design.z <= design.scale.edge[on[0] + 1])).all()
    z = design.scale.scores(on[0], design.place)
    for level in range(int(context.n_codes[2])):
        own = z[table.x[2, on_scale] == level]
        assert design.score[1, level] == pytest.approx(own.sum() / (len(own) + LEVEL_PRIOR_ROWS), abs=1e-12)
    assert np.ptp(design.score[1]) > 0.5  # levels differ


@pytest.mark.parametrize("max_rows", [1_000, 400, 399, 150, 7])
def test_a_design_takes_every_kth_row_on_the_scale_if_there_are_too_many(max_rows):
    table = related_codes(np.random.default_rng(12), "oo", 450, n_values=9)
    context = prepare_growth(table.codec, table.x, GrowthSettings())
    design = prepare_trends(context, 0, (1,), GrowthSettings(max_rows=max_rows))
    on_scale = np.flatnonzero(~design.scale.apart[table.x[0]])
    step = int(np.ceil(len(on_scale) / max_rows))
    np.testing.assert_array_equal(design.rows, on_scale[::step])
    assert len(design.rows) <= max_rows


@pytest.mark.parametrize(("n", "most"), [(3_000, MOST_PARENTS), (180, 6)])
def test_regressions_use_the_strongest_of_many_parents(n, most):
    """Only three of forty parents determine the target; few rows allow few parents."""
    rng = np.random.default_rng(11)
    points = rng.normal(size=(40, n))
    telling = [4, 17, 33]
    y = points[telling].sum(axis=0) + 0.5 * rng.normal(size=n)
    columns = [fit_ordered(values, n_bins=20) for values in (y, *points)]
    x = np.stack([codec.encode(values) for codec, values in zip(columns, (y, *points), strict=True)])
    context = prepare_growth(Codec({f"x{i}": codec for i, codec in enumerate(columns)}), x, GrowthSettings())
    design = prepare_trends(context, 0, range(1, 41), GrowthSettings())
    assert len(design.parents) == most
    assert design.score.shape == (most, 21)
    assert (np.diff(design.parents) > 0).all()
    assert {1 + i for i in telling} <= set(design.parents.tolist())
    for place, parent in enumerate(design.parents):  # the scores have come along
        np.testing.assert_array_equal(design.score[place], mean_scores(context.shares[parent]))


def log_likelihood(bag, x, weight=None):
    """Mean log probability of the rows' codes, one tree drawn at random; optionally with other trend weights."""
    if weight is not None:
        bag = replace(bag, trends=replace(bag.trends, weight=weight))
    walker = bag.compiled(len(x))
    return float(np.log(walker.shares_of(x[0], walker.leaves(x), x)).mean())


def mean_weight(bag):
    """Mean mixture weight of the trends, leaves weighted by their rows."""
    return float(np.average(bag.trends.weight, weights=bag.leaves.forward.sum(axis=1)))


@pytest.mark.parametrize("leaves", ["auto", "trend"])
@pytest.mark.parametrize("max_rows", [200, 300, 449, 898, 899, 900])
def test_lines_may_come_from_fewer_rows_but_residuals_count_all(max_rows, leaves):
    table = related_codes(np.random.default_rng(5), "oo", 900, n_values=12, missing=0.0)
    bag = bag_for(table, n_trees=2, max_rows=max_rows, leaves=leaves)
    assert bag.trends.residuals.sum() == 2 * 900
    recounted = bag.counted(table.x, table.codec.n_codes)
    np.testing.assert_array_equal(recounted.trends.residuals.toarray(), bag.trends.residuals.toarray())


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.6, 0.95])
def test_a_noisy_straight_line_is_recovered(noise):
    """One leaf, against least squares on the columns' normal scores.

    Codes hold 20 rows each; most are 0.01 wide, the outer two 1. Binning changes the slope by less than 0.015 (its
    standard error at a noise of 1) and adds less than 0.02 to the residual standard deviation.
    """
    n = 5_000
    x, y = line_table(np.random.default_rng(8), n, noise)
    table = table_of(y=y, x=x)
    bag = bag_for(table, n_trees=1, min_samples_leaf=n, most_smooth_parents=0)
    assert bag.splits.n_leaves == 1
    of_x, of_y = (ndtri((rankdata(values) - 0.5) / n) for values in (x, y))
    slope, intercept = np.polyfit(of_x, of_y, 1)
    np.testing.assert_allclose(bag.trends.coef[0], [slope, intercept], atol=0.015)
    assert bag.trends.spread[0] == pytest.approx((of_y - slope * of_x - intercept).std(), abs=0.02)
    for found, code in ((bag.trends.low, table.x[1].min()), (bag.trends.high, table.x[1].max())):
        assert found[0, 0] == pytest.approx(of_x[table.x[1] == code].mean(), abs=0.1)


@pytest.mark.statistical
@pytest.mark.parametrize("cuts", [[0.0], [1.2], [-0.5, 0.3, 1.0]])
def test_the_ordered_probit_recovers_the_slope_of_the_latent_score(cuts):
    """Grades of a latent score whose correlation with x is 0.6; scores drawn at random inside a grade attenuate it.

    With two equal grades 0.64 of it remains (the variance of a normal's half means), 0.38; with a tenth and the rest a
    third. Standard error with 8,192 rows: below 0.02 for an ordered probit's slope, at most doubled by random scores.
    """
    rng, n = np.random.default_rng(15), 20_000
    x, other = rng.normal(size=(2, n))
    hidden = 0.6 * x + 0.8 * rng.normal(size=n)
    table = table_of(y=np.searchsorted(cuts, hidden).astype(float), x=x, other=other)
    bag = bag_for(table, n_trees=1, min_samples_leaf=n, most_smooth_parents=0)
    np.testing.assert_allclose(bag.trends.coef[0, :2], [0.6, 0.0], atol=0.08)
    assert bag.trends.spread[0] == pytest.approx(0.8, abs=0.06)


def test_a_line_over_several_parents_has_a_slope_for_each():
    rng, n = np.random.default_rng(9), 5_000
    points = rng.normal(size=(3, n))
    y = 0.7 * points[0] - 0.5 * points[1] + 0.51 * rng.normal(size=n)
    table = table_of(y=y, a=points[0], b=points[1], c=points[2])
    coef = bag_for(table, n_trees=1, min_samples_leaf=n, most_smooth_parents=0).trends.coef[0]
    # The columns' standard deviations are 1 ± 0.01, and the standard errors of the slopes are of that size (0.5 / √n).
    np.testing.assert_allclose(coef, [0.7, -0.5, 0.0, 0.0], atol=0.04)


def test_a_shift_between_categories_is_a_slope_over_their_scores():
    rng, n = np.random.default_rng(10), 4_000
    category = rng.integers(0, 3, n).astype(np.int32)
    y = np.array([0.0, 4.0, -4.0])[category] + rng.normal(size=n)
    bag = bag_for(table_of(y=y, category=category), n_trees=1, min_samples_leaf=n, most_smooth_parents=0)
    score = bag.trends.score[0, :3]
    assert np.argsort(score).tolist() == [2, 0, 1]
    assert bag.trends.coef[0, 0] == pytest.approx(1.0, abs=0.02)  # scores are the target's means


def test_the_trend_has_nearly_all_the_weight_in_a_leaf_with_a_line():
    for seed in range(3):
        x, y = line_table(np.random.default_rng(seed), 2_000)
        bag = bag_for(table_of(y=y, x=x), n_trees=1, min_samples_leaf=2_000, most_smooth_parents=0)
        assert bag.splits.n_leaves == 1
        assert bag.trends.weight[0] > 0.9


@pytest.mark.parametrize("n_trees", [1, 4])
def test_the_trend_has_little_weight_where_values_have_no_linear_order(n_trees):
    for seed in range(3):
        bag = bag_for(table_of(**heaped_table(np.random.default_rng(seed), 2_000)), n_trees=n_trees)
        assert bag.trends is not None
        assert mean_weight(bag) < 0.01


@pytest.mark.parametrize("n_trees", [1, 4])
def test_fresh_rows_are_likelier_with_trends_where_there_is_a_line(n_trees):
    x, y = line_table(np.random.default_rng(11), 4_000)
    table = table_of(y=y[:2_000], x=x[:2_000])
    fresh = np.stack([codec.encode(v[2_000:]) for codec, v in zip(table.codec.columns.values(), (y, x), strict=True)])
    bag = bag_for(table, n_trees=n_trees)
    assert log_likelihood(bag, fresh) > log_likelihood(bag, fresh, np.zeros_like(bag.trends.weight)) + 0.05


@pytest.mark.parametrize("n_trees", [1, 4])
def test_fresh_rows_lose_next_to_nothing_by_trends_where_there_is_no_line(n_trees):
    columns = heaped_table(np.random.default_rng(12), 4_000)
    table = table_of(**{name: values[:2_000] for name, values in columns.items()})
    fresh = np.stack([table.codec.columns[name].encode(values[2_000:]) for name, values in columns.items()])
    bag = bag_for(table, n_trees=n_trees)
    without_trends = log_likelihood(bag, fresh, np.zeros_like(bag.trends.weight))
    assert log_likelihood(bag, fresh) > without_trends - 0.01
    rows = bag.trends.residuals.sum(axis=1)
    assert log_likelihood(bag, fresh, rows / (rows + 1.0)) < without_trends - 1  # trends alone would lose a lot


def test_fresh_rows_lose_next_to_nothing_by_trends_in_a_column_of_few_values_that_jumps():
    """Months in arrears that mostly stay, and else start anew: no regression of normal scores explains where.

    They lose 0.004; with the penalty and the rounds of other columns, 0.011.
    """
    rng, n = np.random.default_rng(15), 8_000
    x = rng.choice(6, n, p=[0.1, 0.2, 0.5, 0.01, 0.14, 0.05])
    y = np.where(rng.random(n) < 0.8, x, np.array([4, 2, 2, 5, 1, 0])[x])
    columns = {"y": y.astype(float), "x": x.astype(float), "noise": rng.normal(size=n)}
    table = table_of(**{name: values[: n // 2] for name, values in columns.items()})
    fresh = np.stack([table.codec.columns[name].encode(values[n // 2 :]) for name, values in columns.items()])
    bag = bag_for(table, n_trees=8)
    assert log_likelihood(bag, fresh) > log_likelihood(bag, fresh, np.zeros_like(bag.trends.weight)) - 0.006


def test_codes_are_grades_where_each_is_a_single_value_and_they_are_few():
    rng, rules = np.random.default_rng(16), GrowthSettings()
    numbers = {"few": rng.integers(0, 15, 400), "many": rng.integers(0, 40, 400), "smooth": rng.normal(size=400)}
    for name, expected in (("few", True), ("many", False), ("smooth", False)):
        table = table_of(y=numbers[name].astype(float), x=rng.normal(size=400))
        design = prepare_trends(prepare_growth(table.codec, table.x, rules), 0, (1,), rules)
        assert design.has_grades == expected
    coarse = table_of(y=rng.normal(size=60), x=rng.normal(size=60))  # twelve bins of five rows
    assert coarse.codec.columns["y"].n_bins <= 15
    assert not prepare_trends(prepare_growth(coarse.codec, coarse.x, rules), 0, (1,), rules).has_grades


@quick
@given(trend_tables(), st.sampled_from([1, 3]))
def test_with_trend_leaves_the_histogram_has_the_weight_of_one_row(table, n_trees):
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2, leaves="trend")
    rows = bag.trends.residuals.sum(axis=1)
    np.testing.assert_array_equal(bag.trends.weight, rows / (rows + 1.0))
    auto = trended_bag(table, n_trees=n_trees, min_samples_leaf=2)
    assert (auto.trends.weight <= bag.trends.weight).all()
    assert (auto.trends.weight[rows > 0] > 0).all()


def judged_weights(table, bag, design, judged, lines_by):
    """Mixture weights by the reference kernels, with each given row left out of the counts and of the regression.

    Leaving a row out of the regression enlarges its residual by 1 / (1 − parameters / rows) on average.
    """
    trends, s = bag.trends, bag.splits
    rows = np.flatnonzero(~design.scale.apart[table.x[0]])
    x = np.ascontiguousarray(table.x[:, rows])
    leaf = s.leaves_reached(x, 0)
    tree, points = (s.left, s.right, s.leaf_of_node, leaf), (x, design.parents, design.score, design.z)
    lines = trending.fit_lines(*tree, *points, RIDGE, SPREAD_PRIOR_ROWS, design.weight, design.root_passes)
    heavy = design.has_heavy_tails
    line = trending.choose_lines(*tree, *points, np.isin(rows, lines_by), lines, heavy=heavy)[s.left < 0]
    np.testing.assert_allclose(trends.coef, lines[0][line], atol=1e-6)
    n = np.bincount(leaf, minlength=s.n_leaves)
    of_line = np.array([len(trending.rows_of(*tree, node)) for node in line])
    inflation = 1 / (1 - np.minimum(lines[2][line] / np.maximum(of_line, 1), 0.9))
    centres = walking.centres_of_rows(trends.lines, leaf, x)
    z = design.scale.scores(x[0], places(x), centres, trends.spread[leaf])
    residual = (z - centres) / trends.spread[leaf] * inflation[leaf]
    arrays, alone = bag.trend_arrays(), trends.residual_shares(s, left_out=1.0)
    apart = bag.leaves.shares(s)[:, design.scale.apart].sum(axis=1, dtype=float)
    all_rows = bag.leaves.forward.sum(axis=1)  # of a prior of strength 1: (n + 1) shares without the row are n
    of_scale = (1 - apart * (all_rows + 1) / all_rows)[leaf]
    second = of_scale * walking.left_out_shares(arrays, alone, leaf, x[0], residual, z, trends.spread[leaf])
    first = np.exp(-design.histogram_penalty) * bag.leaves.shares_at(s, leaf, x[0], left_out=1.0)
    use = np.isin(rows, judged)
    weight = trending.weigh_predictions(
        s.left, s.right, s.leaf_of_node, leaf[use], first[use], second[use], *design.weighing
    )
    return weight * n / (n + 1)


def test_judges_are_enough_unseen_rows_spread_over_the_table():
    unseen = np.random.default_rng(0).random(30_000) < 0.5
    chosen = choose_judges(unseen, n_leaves=1)
    assert chosen.sum() == ENOUGH_JUDGES
    assert not (chosen & ~unseen).any()
    blocks = np.arange(0, 30_000, 5_000)
    shares = np.add.reduceat(chosen.astype(int), blocks) / np.add.reduceat(unseen.astype(int), blocks)
    np.testing.assert_allclose(shares, chosen.sum() / unseen.sum(), atol=0.01)
    assert choose_judges(unseen, n_leaves=1_000).sum() == 1_000 * JUDGES_PER_LEAF
    np.testing.assert_array_equal(choose_judges(unseen[:900], n_leaves=1), unseen[:900])


@pytest.mark.parametrize("n_trees", [1, 2])
def test_weights_come_from_rows_left_out_that_did_not_choose_the_splits(n_trees):
    """A single tree grows on all rows, so all of them have to be used."""
    table = related_codes(np.random.default_rng(13), "oou", 300, n_values=12)
    rules = GrowthSettings(n_trees=n_trees)
    context = prepare_growth(table.codec, table.x, rules)
    design, rng = prepare_trends(context, 0, (1, 2), rules), np.random.default_rng(0)
    grown_on = subsample_rows(300, rules, np.random.default_rng(0))
    bag = join_bags([grow_tree(context, 0, (1, 2), rules, rng, design)])
    assert bag.splits.n_leaves > 2
    judged = np.arange(300)
    if n_trees > 1:
        judged = np.setdiff1d(judged, [*grown_on, *range(0, 300, JUDGES)])
    np.testing.assert_allclose(bag.trends.weight, judged_weights(table, bag, design, judged, judged), atol=1e-5)
    if n_trees > 1:
        assert np.abs(bag.trends.weight - judged_weights(table, bag, design, np.arange(300), judged)).max() > 0.01
