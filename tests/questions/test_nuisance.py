"""Cross-fitted regressions: folds, closed forms against loops, kinks and nulls, and no leak from a row to itself."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.questions import nuisance
from janus_synth.questions.nuisance import (
    RIDGE_PENALTIES,
    assign_folds,
    convex_weights,
    mixture_weights,
    predict_means,
    predict_nested_means,
    predict_probabilities,
    read_covariates,
    ridge_predictions,
    with_products,
)
from janus_synth.table import Column, Schema, Table

SCHEMA = Schema((Column("x", "numeric", "float64"), Column("g", "categorical", "str", levels=("a", "b", "c"))))


def covariates(n: int, seed: int = 0, null_share: float = 0.0):
    rng = np.random.default_rng(seed)
    x, g = rng.normal(size=n), rng.integers(0, 3, n)
    x[rng.random(n) < null_share] = np.nan
    return x, g, read_covariates(Table.from_columns(SCHEMA, {"x": x, "g": g}), ["x", "g"]), rng


def test_covariates_have_indicators_hinges_and_nulls():
    _, g, found, _ = covariates(300, null_share=0.1)
    assert found.linear.shape == (300, 1 + 1 + 2)  # x, its nulls, two of three levels
    assert found.hinges.shape == (300, 4 + 5)
    assert found.categorical.tolist() == [False, True]
    assert np.isnan(found.raw[:, 0]).any()
    assert set(found.raw[:, 1]) == set(g.astype(float))
    assert np.isfinite(found.hinges).all()
    assert read_covariates(Table.from_columns(SCHEMA, {"x": np.ones(4), "g": np.ones(4, int)}), []).linear.shape == (
        4,
        0,
    )


def test_folds_are_balanced_within_strata():
    strata = np.repeat([0, 1, 2], [50, 23, 7])
    folds = assign_folds(strata, np.random.default_rng(0))
    for stratum in range(3):
        counts = np.bincount(folds[strata == stratum], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_ridge_leaves_each_row_out_to_choose_its_penalty():
    """The closed form against refits without each row."""
    rng = np.random.default_rng(1)
    z, new = rng.normal(size=(25, 4)), rng.normal(size=(3, 4))
    y = z @ [1.0, 0.5, 0.0, 0.0] + rng.normal(size=25)

    def solved(rows, penalty):
        # Centred on all rows: the penalty leaves the mean out, and one row moves it by little.
        centred, target = z - z.mean(axis=0), y - y.mean()
        matrix = np.column_stack([np.ones(len(rows)), centred[rows]])
        ridge = np.diag([0.0, *[penalty] * 4])
        return np.linalg.solve(matrix.T @ matrix + ridge, matrix.T @ target[rows])

    def loss(penalty):
        errors = []
        for i in range(25):
            beta = solved(np.delete(np.arange(25), i), penalty)
            errors.append((y[i] - y.mean()) - beta[0] - (z[i] - z.mean(axis=0)) @ beta[1:])
        return np.mean(np.square(errors))

    best = min(RIDGE_PENALTIES, key=loss)
    beta = solved(np.arange(25), best)
    expected = y.mean() + beta[0] + (new - z.mean(axis=0)) @ beta[1:]
    np.testing.assert_allclose(ridge_predictions(z, y[:, None], new)[:, 0], expected, rtol=1e-6)


@pytest.mark.statistical
def test_a_row_is_predicted_without_itself():
    """Pure noise: predictions that saw their own rows would correlate with them. |r| > 0.2 has 1e-9 of 1,000 rows."""
    _, _, x, rng = covariates(1_000)
    y = rng.normal(size=(1_000, 1))
    predicted = predict_means(x, y, assign_folds(np.zeros(1_000, int), rng))
    assert np.corrcoef(predicted[:, 0], y[:, 0])[0, 1] < 0.2 or predicted.std() < 1e-9


def test_kinks_levels_and_nulls_are_followed():
    x, g, found, rng = covariates(1_500, null_share=0.1)
    truth = np.where(np.isnan(x), 3.0, 2 * np.maximum(np.nan_to_num(x), 0)) + (g == 1)
    y = truth + 0.5 * rng.normal(size=len(x))
    predicted = predict_means(found, y[:, None], assign_folds(g, rng))[:, 0]
    assert np.mean((predicted - truth) ** 2) < 0.05  # a line leaves 0.3


def interacting(n: int):
    """Three numbers, whose products of two decide: no column tells anything by itself."""
    rng = np.random.default_rng(4)
    values = {name: rng.normal(size=n) for name in "abc"}
    schema = Schema(tuple(Column(name, "numeric", "float64") for name in values))
    return values, read_covariates(Table.from_columns(schema, values), list(values)), rng


def test_interactions_of_two_columns_are_followed():
    """Variance 5 of two products. Boosted trees and hinges leave 0.7 of it, products 0.03."""
    v, found, rng = interacting(1_200)
    truth = 2 * v["a"] * v["b"] + v["b"] * v["c"]
    y = truth + rng.normal(size=1_200)
    predicted = predict_means(found, y[:, None], assign_folds(np.zeros(1_200, int), rng))[:, 0]
    assert np.mean((predicted - truth) ** 2) < 0.1
    arms = (rng.random(1_200) < 1 / (1 + np.exp(-truth))).astype(int)
    probability = predict_probabilities(found, arms, 2, assign_folds(arms, rng))[:, 1]
    assert np.sqrt(np.mean((probability - 1 / (1 + np.exp(-truth))) ** 2)) < 0.1


def test_of_many_products_those_are_kept_that_tell_something(monkeypatch):
    monkeypatch.setattr(nuisance, "MAX_PRODUCTS", 1)
    v, found, _ = interacting(600)
    y = v["b"] * v["c"]
    kept = with_products(found, y[:, None], np.arange(600))
    assert kept.shape[1] == found.hinges.shape[1] + 1
    assert np.corrcoef(kept[:, -1], y)[0, 1] > 0.99


def test_probabilities_are_calibrated_and_sum_to_one():
    x, g, found, rng = covariates(1_500)
    truth = 1 / (1 + np.exp(-(1.5 * x + (g == 1))))
    arms = (rng.random(len(x)) < truth).astype(int)
    predicted = predict_probabilities(found, arms, 2, assign_folds(arms, rng))
    np.testing.assert_allclose(predicted.sum(axis=1), 1)
    assert np.sqrt(np.mean((predicted[:, 1] - truth) ** 2)) < 0.06


def test_nested_means_average_over_the_mediators_of_others():
    """E[E[y | m, learn] | average] with m = 1 in the arm learnt from and m = 0 in the other, on average."""
    _, _, found, rng = covariates(2_000)
    arm = rng.random(2_000) < 0.5
    m = arm + rng.normal(size=2_000)
    wide_schema = Schema((*SCHEMA, Column("m", "numeric", "float64")))
    table = Table.from_columns(wide_schema, {"x": found.raw[:, 0], "g": found.raw[:, 1].astype(int), "m": m})
    wide = read_covariates(table, ["x", "g", "m"])
    y = 3 * m + arm + 0.1 * rng.normal(size=2_000)
    inner, nested = predict_nested_means(
        wide, found, y, assign_folds(arm.astype(int), rng), learn=arm, average=~arm
    )  # fmt: skip
    assert np.mean(np.abs(inner - (3 * m + 1))) < 0.15
    assert nested.mean() == pytest.approx(1.0, abs=0.3)  # not 4, the mean where it was learnt


def test_weights_are_convex_and_find_the_best_learner():
    rng = np.random.default_rng(2)
    y = rng.normal(size=200)
    good, bad = y + 0.1 * rng.normal(size=200), rng.normal(size=200)
    weights = convex_weights(np.column_stack([good, bad]), y)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.9
    assert mixture_weights(np.array([np.full(50, 0.9), np.full(50, 0.3)]))[0] > 0.99


def test_weighted_ridge_is_weighted_least_squares_without_a_penalty(monkeypatch):
    monkeypatch.setattr(nuisance, "RIDGE_PENALTIES", (1e-9,))
    rng = np.random.default_rng(3)
    x, weights = rng.normal(size=(200, 3)), rng.exponential(size=200)
    y = x @ [1.0, -2.0, 0.5] + rng.normal(size=200)
    design = np.column_stack([np.ones(200), x])
    beta = np.linalg.solve(design.T @ (design * weights[:, None]), design.T @ (weights * y))
    found = ridge_predictions(x, y[:, None], x[:5], weights)[:, 0]
    np.testing.assert_allclose(found, design[:5] @ beta, atol=1e-6)


@pytest.mark.parametrize("weights", [None, np.array([1.0, 3.0])])
def test_without_columns_ridge_predicts_the_mean(weights):
    found = ridge_predictions(np.zeros((2, 0)), np.array([[0.0], [4.0]]), np.zeros((3, 0)), weights)
    np.testing.assert_allclose(found, np.full((3, 1), 2.0 if weights is None else 3.0))


def test_weighted_means_follow_the_heavy_rows():
    """Two sorts of rows with the same covariates and outcomes 0 and 1: the weighted mean is the share of the weight."""
    _, g, found, rng = covariates(600, 4)
    ones = rng.random(600) < 0.5
    folds = assign_folds(g, rng)
    weights = np.where(ones, 3.0, 1.0)
    for given, mean in ((None, ones.mean()), (weights, np.average(ones, weights=weights))):
        predicted = predict_means(found, ones[:, None].astype(float), folds, weights=given)[:, 0]
        assert predicted.mean() == pytest.approx(mean, abs=0.03)
