"""Conditional independence tests: features, leave-one-out residuals against refits, size and power by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from janus_synth.graph import independence
from janus_synth.graph.independence import IndependenceTests, column_features, ridge_residuals

LEVELS = {"c", "label", "flag"}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def columns_tested(columns, **settings):
    features = {name: column_features(values, ordered=name not in LEVELS) for name, values in columns.items()}
    return IndependenceTests(features, **settings)


def world(rng, n, *, effect=0.0, curve=0.0):
    """Columns x and others that depend on z, w and c in curves, steps and products; x has nulls that depend on z."""
    z, w, c = rng.normal(size=n), rng.normal(size=n), rng.integers(3, size=n)
    x = np.sin(2 * z) + w**2 + 2 * (z > 0) * (c == 1) + rng.normal(size=n)
    mean = np.cos(z) * w + (c == 2) * (w > 0) + effect * x + curve * (x - x.mean()) ** 2
    y, label = mean + rng.normal(size=n), np.digitize(mean + rng.logistic(size=n), [-1, 1])
    flag = rng.random(n) < 1 / (1 + np.exp(-mean))
    x = np.where(rng.random(n) < 0.1 + 0.1 * (z > 0), np.nan, x)
    kinds = {"c": c, "label": label, "flag": flag}
    return {"z": z, "w": w, "x": x, "y": y, **{name: values.astype(np.int32) for name, values in kinds.items()}}


# Features


def test_a_number_has_a_score_a_curve_and_an_indicator_of_null():
    values = np.concatenate([np.arange(100.0), np.full(30, np.nan)])
    features = column_features(values, ordered=True)
    assert features.shape == (130, 3)
    assert np.allclose(features.mean(axis=0), 0)
    assert stats.spearmanr(features[:100, 0], np.arange(100)).statistic == pytest.approx(1)
    assert features[:, 1].argmin() in (49, 50)
    assert len(np.unique(features[100:], axis=0)) == 1


def test_rare_levels_and_rare_nulls_have_no_indicator():
    levels = np.concatenate([np.repeat([0, 1, 2], [60, 50, 40]), [3] * 5, [-1] * 7]).astype(np.int32)
    assert column_features(levels, ordered=False).shape == (162, 3)
    assert column_features(np.repeat([0, 1], 50).astype(np.int32), ordered=False).shape == (100, 1)


@pytest.mark.parametrize("values", [np.full(50, 3.0), np.full(50, np.nan), np.zeros(50, np.int32)], ids=str)
def test_a_constant_column_has_no_features_and_is_independent_of_everything(values):
    columns = {"x": np.arange(50.0), "constant": values}
    features = {name: column_features(v, ordered=v.dtype.kind == "f") for name, v in columns.items()}
    assert features["constant"].shape == (50, 0)
    tests = IndependenceTests(features)
    assert tests.p_value("x", "constant") == 1
    assert tests.p_value("constant", "x") == 1
    assert tests.p_value("x", "constant", ["constant"]) == 1
    also = IndependenceTests({**features, "y": column_features(np.arange(50.0) ** 2, ordered=True)})
    assert also.p_value("x", "y", ["constant"]) == also.p_value("x", "y")


# Residuals


def test_residuals_are_those_of_refits_without_each_row(rng, monkeypatch):
    monkeypatch.setattr(independence, "PENALTIES", np.array([0.1]))
    inputs, n = rng.normal(size=(60, 2)), 60
    outputs = np.column_stack([np.sin(inputs[:, 0]), inputs[:, 1]]) + 0.1 * rng.normal(size=(n, 2))
    outputs -= outputs.mean(axis=0)
    found = ridge_residuals(inputs, outputs, np.random.default_rng(0))
    basis = independence._basis(inputs, np.random.default_rng(0))
    penalty = 0.1 * np.trace(basis.T @ basis) / basis.shape[1] * np.eye(basis.shape[1])
    expected = np.empty_like(outputs)
    for i in range(n):
        rest = np.arange(n) != i
        weights = np.linalg.solve(basis[rest].T @ basis[rest] + penalty, basis[rest].T @ outputs[rest])
        expected[i] = outputs[i] - basis[i] @ weights
    assert np.allclose(found, expected - expected.mean(axis=0), atol=1e-8)


def test_a_feature_that_does_not_depend_on_the_inputs_is_left_as_it_is(rng):
    inputs, outputs = rng.normal(size=(400, 2)), rng.normal(size=(400, 1))
    outputs -= outputs.mean()
    left = ridge_residuals(inputs, outputs, rng)
    assert np.corrcoef(left[:, 0], outputs[:, 0])[0, 1] > 0.95


def test_a_column_that_others_determine_is_independent_of_the_rest_given_them(rng):
    a, b = rng.normal(size=(2, 500))
    found = columns_tested({"a": a, "copy": a**3, "b": a + b})
    assert found.p_value("a", "b") < 1e-6
    assert found.p_value("copy", "b", ["a"]) > 0.01


# Chance


@pytest.mark.slow
@pytest.mark.statistical
def test_independent_columns_are_rejected_about_as_often_as_the_level_says(rng):
    # The size may be up to 8 % at the level 5 %; at 8 % more than `most` rejections have probability 1e-6.
    n_tables, false_alarm = 120, 1e-6
    others = ["y", "label", "flag"]
    p = [[*columns_tested(world(rng, 600)).p_values("x", others, ["z", "w", "c"]).values()] for _ in range(n_tables)]
    most = stats.binom.isf(false_alarm, n_tables, 0.08)  # 26 of 120: a size of 35 % is caught with probability 0.99
    assert ((np.array(p) < 0.05).sum(axis=0) <= most).all()


@pytest.mark.statistical
def test_dependence_is_found_where_it_is_monotone_and_where_it_is_not(rng):
    for settings in ({"effect": 0.6}, {"curve": 0.3}):
        found = columns_tested(world(rng, 2_000, **settings)).p_values("x", ["y", "label", "flag"], ["z", "w", "c"])
        assert max(found.values()) < 1e-4, (settings, found)


@pytest.mark.statistical
def test_gaussian_columns_agree_with_partial_correlations(rng):
    z = rng.normal(size=(1_000, 3))
    x = z @ [1, 1, 0] + rng.normal(size=1_000)
    y = z @ [0, 1, 1] + 0.25 * x + rng.normal(size=1_000)
    left = [v - z @ np.linalg.lstsq(z, v, rcond=None)[0] for v in (x, y)]
    exact = stats.pearsonr(*left).pvalue  # about 1e-13
    columns = {"x": x, "y": y, **{f"z{i}": z[:, i] for i in range(3)}}
    found = columns_tested(columns).p_value("x", "y", ["z0", "z1", "z2"])
    assert exact < 1e-9
    assert found < np.sqrt(exact) * 10


# Manners


def test_answers_do_not_depend_on_the_order_of_questions(rng):
    columns = world(rng, 300)
    once, again = columns_tested(columns, seed=3), columns_tested(columns, seed=3)
    first = once.p_values("x", ["y", "label"], ["z", "c"])
    again.p_value("y", "flag", ["w"])
    assert again.p_value("x", "label", ["c", "z"]) == pytest.approx(first["label"], rel=1e-9)
    assert once.p_values("x", ["y"], ["c", "z"]) == {"y": first["y"]}


def test_wide_and_repeated_conditions_are_no_trouble(rng):
    z = rng.normal(size=(150, 40))
    columns = {f"z{i}": z[:, i] for i in range(40)} | {"twin": z[:, 0], "x": z[:, 0] + rng.normal(size=150)}
    p = columns_tested(columns | {"y": rng.normal(size=150)}).p_value("x", "y", [*columns.keys() - {"x"}])
    assert 0 <= p <= 1
