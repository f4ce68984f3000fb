"""Spread of noise: a known one is found, an even one stays even, and scale does not matter."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.questions.noise_spread import fit_spread


def basis(doses):
    """A line, and hinges."""
    return np.column_stack([doses, *(np.maximum(doses - knot, 0) for knot in np.linspace(-1.5, 1.5, 10))])


GROUPS = np.array([0, *[1] * 10])


def noise(n: int, seed: int, spread):
    rng = np.random.default_rng(seed)
    t, x = rng.normal(size=(2, n))
    return t, x, spread(t, x) * rng.normal(size=n)


def test_a_known_spread_is_found():
    t, x, residual = noise(4_000, 0, lambda t, x: (0.3 + np.abs(t)) * np.exp(0.4 * x))
    found = fit_spread(basis, t, GROUPS, x[:, None], residual)
    assert found.is_clear
    gap = np.log(found.by_row) - np.log((0.3 + np.abs(t)) * np.exp(0.4 * x))
    assert gap.std() < 0.15
    along = np.log(found.of_doses(np.array([-1.0, 0.0, 1.0])))
    assert along[0] - along[1] == pytest.approx(np.log(1.3 / 0.3), abs=0.4)
    assert found.weights.mean() == pytest.approx(1)
    np.testing.assert_allclose(found.weights * found.by_row**2, (found.weights * found.by_row**2)[0])


@pytest.mark.statistical
def test_even_noise_is_taken_to_be_even():
    """Akaike's criterion gains more than 10 by chance once in a thousand tables or less; of 40, none may be clear."""
    for seed in range(40):
        t, x, residual = noise(300, seed, lambda t, x: 1.0)
        assert not fit_spread(basis, t, GROUPS, x[:, None], residual).is_clear


def test_the_unit_of_the_residuals_does_not_matter():
    t, x, residual = noise(500, 3, lambda t, x: np.exp(0.5 * t))
    one, other = (fit_spread(basis, t, GROUPS, x[:, None], scale * residual) for scale in (1.0, 1e6))
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-4)  # the likeliest variances are found by a search
    nothing = fit_spread(basis, t, GROUPS, x[:, None], np.zeros(500))
    assert not nothing.is_clear
    np.testing.assert_allclose(nothing.weights, 1.0)
