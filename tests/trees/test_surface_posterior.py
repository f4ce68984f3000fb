"""The covariance of a surface's splines against dense linear algebra and an exact Bayesian linear model."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.trees import surface_posterior
from janus_synth.trees.fit_surface import fit_surface
from janus_synth.trees.surface_posterior import covariance_factor


def problem(k: int = 12):
    """Splines of 60 rows, weights, and a prior."""
    rng = np.random.default_rng(0)
    splines, weight = rng.normal(size=(60, k)) * np.linspace(2, 0.1, k), rng.uniform(0.5, 2, 60)
    return splines, weight, np.diag(rng.uniform(0.1, 3, k))


def test_all_directions_give_the_covariance():
    splines, weight, prior = problem()
    factor = covariance_factor(splines, weight, prior)
    np.testing.assert_allclose(
        factor.T @ factor, np.linalg.inv(splines.T @ np.diag(weight) @ splines + prior), atol=1e-9
    )


def test_few_directions_give_most_of_the_variance_at_the_rows(monkeypatch):
    monkeypatch.setattr(surface_posterior, "MOST_DIRECTIONS", 8)
    splines, weight, prior = problem()
    factor = covariance_factor(splines, weight, prior)
    exact = np.linalg.inv(splines.T @ np.diag(weight) @ splines + prior)
    assert len(factor) <= 8
    of_rows, of_factor = np.einsum("ij,jk,ik->i", splines, exact, splines), ((splines @ factor.T) ** 2).sum(axis=1)
    assert (of_factor <= of_rows + 1e-12).all()
    assert of_factor.mean() > 0.7 * of_rows.mean()


@pytest.mark.statistical
def test_a_line_is_known_about_as_well_as_by_the_bayesian_linear_model():
    """z = x + noise, where the exact variance is σ² (1 / n + (x − x̄)² / Sxx): splines know less than a line."""
    rng = np.random.default_rng(1)
    n, n_codes, sigma = 4_000, 200, 0.5
    codes = rng.integers(0, n_codes, n)
    place = (np.arange(n_codes) + 0.5) / n_codes
    x = place[codes]
    surface = fit_surface(place[None], codes[None].astype(np.uint16), x + sigma * rng.normal(size=n), posterior=True)
    found, found_log = surface.variances(np.arange(n_codes, dtype=np.uint16)[None])
    exact = sigma**2 * (1 / n + (place - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    assert (found > 0.8 * exact).all()
    assert (found < 4 * exact).all()
    assert found.mean() < 2 * exact.mean()
    # A log spread has the Fisher information 2 per row: the exact variance of a constant one is 1 / 2n.
    assert 0.8 / (2 * n) < found_log.mean() < 8 / (2 * n)


def test_a_fit_without_posterior_counts_as_known():
    codes = np.arange(100, dtype=np.uint16)[None] % 20
    surface = fit_surface(np.linspace(0, 1, 20)[None], codes, np.sin(codes[0]))
    assert not surface.variances(codes).any()
