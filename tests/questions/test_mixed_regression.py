"""Regression with normal priors against a dense Gaussian model; kinks are found where they are, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from janus_synth.questions.mixed_regression import ABOVE_ROWS, fit_mixed, fit_with_kinks


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
    bounds = [(-6.0, np.log(80) + ABOVE_ROWS)] * 2
    starts = [
        optimize.minimize(lambda p: dense_reml(z, y, groups, p), [s, s], method="Nelder-Mead", bounds=bounds)
        for s in (0, 6)
    ]
    logs = min(starts, key=lambda one: one.fun).x
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


KNOTS = np.linspace(-1.5, 1.5, 16)


def hinged(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An intercept, a line and hinges, with their groups."""
    matrix = np.column_stack([np.ones(len(t)), t, np.maximum(t[:, None] - KNOTS, 0)])
    return matrix, np.array([0, 0, *[1] * len(KNOTS)])


def averaged(curve: np.ndarray, t: np.ndarray, seed: int, at: np.ndarray) -> tuple[float, np.ndarray]:
    """Probability that there is no kink, and the averaged curve."""
    matrix, groups = hinged(t)
    y = curve + 0.5 * np.random.default_rng(seed).normal(size=len(t))
    _, fits = fit_with_kinks(matrix, y, groups, 1)
    assert sum(weight for weight, _ in fits) == pytest.approx(1.0)
    smooth = fit_mixed(matrix, y, groups).coefficients
    without = sum(weight for weight, fit in fits if np.array_equal(fit.coefficients, smooth))
    return without, hinged(at)[0] @ sum(weight * fit.coefficients for weight, fit in fits)


def test_a_sharp_kink_is_told_from_a_smooth_curve():
    """Slopes 0 and 2 with 600 rows: the kink is 40 standard errors; a parabola has none."""
    t, at = np.random.default_rng(2).normal(size=600), np.array([-1.0, 0.0, 0.35, 1.0])
    without, curve = averaged(2 * np.maximum(t - 0.35, 0), t, 3, at)
    assert without < 0.05
    np.testing.assert_allclose(curve, 2 * np.maximum(at - 0.35, 0), atol=0.15)
    without, curve = averaged(t**2, t, 4, at)
    assert without > 0.5
    np.testing.assert_allclose(curve, at**2, atol=0.2)


def test_two_kinks_are_found():
    t, at = np.random.default_rng(5).normal(size=2_000), np.array([-1.0, 0.0, 1.0, 1.4])

    def tent(v: np.ndarray) -> np.ndarray:
        return 3 * np.maximum(v + 0.5, 0) - 5 * np.maximum(v - 0.7, 0)

    matrix, groups = hinged(t)
    _, fits = fit_with_kinks(matrix, tent(t) + 0.5 * np.random.default_rng(6).normal(size=2_000), groups, 1)
    curve = hinged(at)[0] @ sum(weight * fit.coefficients for weight, fit in fits)
    np.testing.assert_allclose(curve, tent(at), atol=0.15)


def test_the_evidence_prefers_the_regressors_that_made_the_outcome():
    """One kink is enough along t; along exp(t) the same curve needs more. Without hinges it is that of the line."""
    t = np.random.default_rng(7).normal(size=800)
    y = 2 * np.maximum(t - 0.35, 0) + 0.5 * np.random.default_rng(8).normal(size=800)
    right, wrong = (fit_with_kinks(*(m, y, g), 1)[0] for m, g in (hinged(t), hinged(np.exp(t))))
    assert right > wrong + 3
    line = np.column_stack([np.ones(800), t])
    evidence, fits = fit_with_kinks(line, y, np.array([0, 0]), 1)
    assert evidence == pytest.approx(
        -dense_reml(line / np.sqrt(np.mean(line**2)), y, np.array([0, 0]), []) / 2, abs=1e-3
    )
    assert len(fits) == 1
    assert right > evidence + 50
