"""Posterior draws of leaves against their closed-form moments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from janus_synth.trees.cells import regression_precision
from janus_synth.trees.code_tree import flat_tree, polya_tree
from janus_synth.trees.posterior import draw_bag, draw_distributions, single_tree
from sampling.small_models import small_model
from sampling.test_trends import smooth_model


@pytest.mark.statistical
def test_a_flat_leaf_is_drawn_from_its_dirichlet():
    """Means and variances of 20,000 draws within 6 standard errors."""
    rng, counts = np.random.default_rng(0), np.array([6, 3, 0, 1])
    tree = flat_tree(counts)
    concentration, prior = tree.concentration(2.0), tree.share_of_allowed(np.ones(4, bool))
    mean = tree.posterior_mean(counts, prior, concentration)
    many = csr_array(np.tile(counts, (20_000, 1)).astype(np.int32))
    drawn = draw_distributions(many, np.tile(mean, (20_000, 1)), tree, concentration, rng).astype(float)
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0, atol=1e-5)
    whole = counts.sum() + 2.0
    variance = mean * (1 - mean) / (whole + 1)
    assert (np.abs(drawn.mean(axis=0) - mean) < 6 * np.sqrt(variance / 20_000)).all()
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.1)


@pytest.mark.statistical
def test_an_ordered_leaf_is_drawn_split_by_split():
    """The share of the first half has a Beta posterior: moments of 20,000 draws agree within a tenth."""
    rng, counts = np.random.default_rng(1), np.array([4, 4, 2, 2, 0])
    tree = polya_tree(counts)
    concentration, prior = tree.concentration(1.0), tree.share_of_allowed(np.array([1, 1, 1, 1, 0], bool))
    mean = tree.posterior_mean(counts, prior, concentration)
    many = csr_array(np.tile(counts, (20_000, 1)).astype(np.int32))
    drawn = draw_distributions(many, np.tile(mean, (20_000, 1)), tree, concentration, rng).astype(float)
    assert (drawn[:, 4] == 0).all()
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.005)
    first = [code for code in range(4) if tree.path_slot[tree.path_start[code] + 1] == tree.path_slot[1]]
    half, p = drawn[:, first].sum(axis=1), mean[first].sum()
    assert half.var() == pytest.approx(p * (1 - p) / (12 + concentration[tree.path_slot[1]] + 1), rel=0.1)


@pytest.mark.parametrize("column", ["b", "c", "f"])
def test_a_tree_taken_out_of_a_bag_keeps_its_shares(column):
    bag = small_model("sparse").model_.bag(column)
    lone = [single_tree(bag, t) for t in range(bag.splits.n_trees)]
    assert sum(one.splits.n_leaves for one in lone) == bag.splits.n_leaves
    assert all(one.splits.n_trees == 1 for one in lone)
    shares = np.concatenate([one.leaves.shares(one.splits) for one in lone])
    np.testing.assert_array_equal(shares, bag.shares)


def test_draws_differ_and_average_to_the_bag():
    bag, rng = single_tree(smooth_model("trend").model_.bag("b"), 0), np.random.default_rng(0)
    drawn = [draw_bag(bag, rng) for _ in range(60)]
    assert np.std([one.trends.surface.constant[0] for one in drawn]) > 0
    shares = np.mean([one.leaves.shares(one.splits) for one in drawn], axis=0)
    assert np.abs(shares - bag.shares).max() < 0.25
    assert np.abs(shares - bag.shares).mean() < 0.005


@pytest.mark.statistical
def test_a_regression_intercept_is_drawn_with_the_standard_error_of_a_mean():
    """Pooled over all leaves, 80 draws in units of σ / √n have variance 1: χ² bounds, false-alarm rate 1e-6."""
    bag, rng = single_tree(smooth_model("trend").model_.bag("b"), 0), np.random.default_rng(1)
    bag = replace(bag, trends=replace(bag.trends, surface=None))
    rows = np.asarray(bag.trends.residuals.sum(axis=1)).ravel()
    error = bag.trends.spread / np.sqrt(np.maximum(rows, 1))
    assert rows.max() > 20  # σ / n would be far too small
    heights = np.array([draw_bag(bag, rng).trends.coef[:, -1] for _ in range(80)])
    standard = (heights - bag.trends.coef[:, -1])[:, error > 0] / error[error > 0]
    low, high = stats.chi2.ppf([5e-7, 1 - 5e-7], standard.size)
    assert low <= (standard**2).sum() <= high


@pytest.mark.statistical
def test_a_surface_and_its_lines_are_drawn_with_the_variance_that_uncertainty_assumes():
    """400 draws at the codes of 40 rows: the mean ratio of variances within 5 standard errors of 1, as if one row."""
    bag, rng = single_tree(smooth_model("trend").model_.bag("b"), 0), np.random.default_rng(2)
    trends = bag.trends
    middle, precision = regression_precision(bag)
    codes = np.stack([rng.integers(0, (~np.isnan(one)).sum(), 40) for one in trends.surface.place]).astype(np.uint16)
    leaf = rng.integers(0, len(middle), 40)
    z = np.clip(
        np.stack([s[c] for s, c in zip(trends.score, codes, strict=True)]).T, trends.low[leaf], trends.high[leaf]
    )
    _, spread = trends.surface.at_codes(codes)
    draws = []
    for _ in range(400):
        one = draw_bag(bag, rng).trends
        line = (one.coef[leaf, :-1] * z).sum(axis=1) + one.coef[leaf, -1]
        draws.append(one.surface.at_codes(codes)[0] + spread * line)
    of_lines = ((z - middle[leaf]) ** 2 / precision[leaf, :-1]).sum(axis=1) + 1 / precision[leaf, -1]
    assumed = trends.surface.variances(codes)[0] + (spread * trends.spread[leaf]) ** 2 * of_lines
    assert np.mean(np.var(draws, axis=0) / assumed) == pytest.approx(1.0, abs=5 * np.sqrt(2 / 400))
