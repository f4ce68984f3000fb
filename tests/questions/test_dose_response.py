"""Curves of numeric treatments: the penalised regression against a dense Gaussian model, kinks, groups and support."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from janus_synth.questions.dose_response import curve_scores, fit_basis, fit_mixed
from janus_synth.questions.nuisance import BOOSTING
from questions.test_nuisance import covariates


def dense_reml(z, y, groups, logs) -> float:
    """Minus twice the restricted likelihood of y ~ N(Z_free b, s (I + Σ Z_g Z_gᵀ / penalty_g)), from n × n matrices."""
    free = z[:, groups == 0]
    spread = np.eye(len(y))
    for kind, log in zip(np.unique(groups[groups > 0]), logs, strict=True):
        own = z[:, groups == kind]
        spread += own @ own.T / np.exp(log)
    inverse = np.linalg.inv(spread)
    inner = free.T @ inverse @ free
    projection = inverse - inverse @ free @ np.linalg.solve(inner, free.T @ inverse)
    degrees = len(y) - free.shape[1]
    return degrees * np.log(y @ projection @ y) + np.linalg.slogdet(spread)[1] + np.linalg.slogdet(inner)[1]


def test_the_mixed_regression_is_that_of_the_dense_gaussian_model():
    rng = np.random.default_rng(0)
    z, groups = rng.normal(size=(80, 8)), np.array([0, 0, 1, 1, 1, 1, 2, 2])
    z[:, 2:] /= np.sqrt(np.mean(z[:, 2:] ** 2, axis=0))
    y = z @ [1, -1, 0.6, -0.5, 0.4, 0.5, 0.05, 0.0] + rng.normal(size=80)
    found = fit_mixed(z, y, groups)
    start = [optimize.minimize(lambda p: dense_reml(z, y, groups, p), [s, s], method="Nelder-Mead") for s in (0, 6)]
    logs = np.minimum(min(start, key=lambda one: one.fun).x, 14.0)
    penalty = np.exp(np.array([logs[g - 1] if g else -np.inf for g in groups]))
    expected = np.linalg.solve(z.T @ z + np.diag(penalty), z.T @ y)
    np.testing.assert_allclose(found.coefficients, expected, atol=2e-3)
    # Errors of rows and the prior's bias together are the posterior covariance if noise is homoscedastic.
    inverse = np.linalg.inv(z.T @ z + np.diag(penalty))
    noise = np.sum((y - z @ expected) ** 2) / (80 - np.trace(inverse @ z.T @ z))
    np.testing.assert_allclose(found.bias, noise * inverse @ np.diag(penalty) @ inverse, atol=2e-3)


def test_a_regressor_without_variation_is_ignored():
    rng = np.random.default_rng(1)
    z = np.column_stack([rng.normal(size=50), np.zeros(50)])
    found = fit_mixed(z, 2 * z[:, 0], np.array([0, 1]))
    assert found.coefficients == pytest.approx([2.0, 0.0])


def test_the_basis_has_a_line_and_distinct_hinges():
    assert fit_basis(np.arange(100.0))(np.array([3.0, 4.0])).shape == (2, 3 + 30)
    assert fit_basis(np.repeat([1.0, 2.0, 3.0], 30))(np.ones(2)).shape[1] == 3 + 1


def kinked(n: int, seed: int):
    """y = 2 max(t, 0) + x-effects; in group 1 it also rises with t."""
    x, g, found, rng = covariates(n, seed)
    t = 0.7 * x + rng.normal(size=n)
    y = 2 * np.maximum(t, 0) + (g == 1) * t + np.maximum(x, 0) + 0.5 * rng.normal(size=n)
    return found, g, t, y, rng


@pytest.mark.statistical
def test_a_kink_is_found_in_all_rows_and_in_a_group():
    """Four standard errors: six effects give a false alarm in 2,600 runs."""
    x, g, t, y, rng = kinked(3_000, 4)
    settings = [np.array([dose]) for dose in (-1.0, 0.0, 1.0)]
    for among, slope in ((np.ones(3_000, bool), 1 / 3), (g == 1, 1.0), (g == 2, 0.0)):
        found = curve_scores(x, t, y, among, settings, rng=rng)
        for j, truth in ((1, slope), (2, 2 + 2 * slope)):
            contrast = np.eye(3)[j] - np.eye(3)[0]
            error = np.sqrt(contrast @ found.covariance @ contrast)
            assert abs(contrast @ found.values - truth) < 4 * error
            assert error < 0.2
        assert not found.overlap.weak


def test_a_range_is_the_mean_of_its_doses():
    x, _, t, y, rng = kinked(1_000, 5)
    doses = np.array([-0.5, 0.25, 1.0])
    found = curve_scores(x, t, y, np.ones(1_000, bool), [doses, *doses[:, None]], rng=rng)
    assert found.values[0] == pytest.approx(found.values[1:].mean())


def test_support_is_weak_where_few_units_could_have_a_dose():
    x, _, t, y, rng = kinked(1_000, 6)
    far = curve_scores(x, t, y, np.ones(1_000, bool), [np.array([0.0]), np.array([t.max()])], rng=rng)
    near = curve_scores(x, t, y, np.ones(1_000, bool), [np.array([0.0]), np.array([0.5])], rng=rng)
    assert far.overlap.weak
    assert not near.overlap.weak
    assert far.overlap.trimmed > near.overlap.trimmed


def test_noise_that_grows_with_the_dose_widens_the_interval_there(monkeypatch):
    """Heteroscedastic: the sandwich against the spread of estimates of 24 tables, by chi-square at 1e-4."""
    monkeypatch.setitem(BOOSTING, "max_iter", 5)
    values, errors = [], []
    for seed in range(24):
        x, _, found, rng = covariates(300, 100 + seed)
        t = 0.5 * x + rng.normal(size=300)
        y = t + np.exp(0.7 * t) * rng.normal(size=300)
        scores = curve_scores(found, t, y, np.ones(300, bool), [np.array([0.0]), np.array([1.5])], rng=rng)
        values.append(scores.values[1] - scores.values[0])
        errors.append(np.array([-1, 1]) @ scores.covariance @ np.array([-1, 1]))
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], 23) / 23
    assert low < np.var(values, ddof=1) / np.mean(errors) < 1.3 * high
