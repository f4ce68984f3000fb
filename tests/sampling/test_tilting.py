"""Tilting: means are met, weights are exponential, nothing is chosen twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.sampling.tilting import choose_rows, exchange_rows, tilt
from strategies import quick, seeds


def candidates(seed, n=600, n_means=1):
    rng = np.random.default_rng(seed)
    return rng.normal(-0.4, 1.0, (n_means, n)), rng.integers(0, 3, n), rng


@quick
@given(seeds)
def test_inclusion_adds_up_and_meets_the_means(seed):
    g, strata, _ = candidates(seed, n_means=2)
    counts = np.array([20, 10, 30])
    found = tilt(g, strata, counts)
    assert found.error < 1e-6
    np.testing.assert_allclose(np.bincount(strata, found.inclusion), counts, rtol=1e-9)
    np.testing.assert_allclose(g @ found.inclusion / 60, 0.0, atol=1e-6)
    assert found.inclusion.max() <= 1.0


@quick
@given(seeds)
def test_the_log_of_the_inclusion_is_linear_within_a_stratum(seed):
    """Exponential tilting: log inclusion = λ·g plus a constant of the stratum, where it is below 1."""
    g, strata, _ = candidates(seed)
    found = tilt(g, strata, np.array([5, 5, 5]))
    for stratum in range(3):
        at = (strata == stratum) & (found.inclusion < 1)
        slope, _ = np.polyfit(g[0][at], np.log(found.inclusion[at]), 1)
        assert slope == pytest.approx(found.slopes[0], rel=1e-6)


def test_a_mean_that_no_choice_has_leaves_an_error():
    g, strata, _ = candidates(0)
    assert tilt(g - 50.0, strata, np.array([5, 5, 5])).error > 1.0


def test_the_effective_sample_size_is_that_of_the_weights():
    g = np.array([[-1.0, 1.0, 2.0, -2.0, 0.5]])
    found = tilt(g - 0.3, np.zeros(5, int), np.array([0.01]))
    weight = found.inclusion
    assert found.effective == pytest.approx(weight.sum() ** 2 / (weight @ weight))


@quick
@given(seeds)
def test_chosen_rows_have_the_counts_and_exchanges_bring_the_means_within_their_limits(seed):
    g, strata, rng = candidates(seed, n_means=2)
    counts = np.array([30, 0, 40])
    chosen = choose_rows(tilt(g, strata, counts), g, strata, counts, rng)
    assert np.bincount(strata[chosen], minlength=3).tolist() == counts.tolist()
    limits = np.array([0.002, 0.01])
    better = exchange_rows(chosen, g, np.ones_like(g, bool), strata, limits, rng)
    assert np.bincount(strata[better], minlength=3).tolist() == counts.tolist()
    assert (np.abs(g[:, better].mean(axis=1)) <= limits).all()


def test_rows_within_their_limits_are_left_alone():
    g, strata, rng = candidates(1)
    chosen = np.arange(600) < 100
    limits = np.abs(g[:, chosen].mean(axis=1)) + 0.01
    np.testing.assert_array_equal(exchange_rows(chosen, g, np.ones_like(g, bool), strata, limits, rng), chosen)


@pytest.mark.statistical
def test_systematic_choice_follows_the_inclusion_probabilities():
    """40 candidates, 4,000 choices: a frequency is off by 0.04, five standard errors, once in a million."""
    g, strata, rng = candidates(2, n=40)
    counts = np.array([4, 3, 2])
    found = tilt(g, strata, counts)
    often = np.mean([choose_rows(found, g, strata, counts, rng) for _ in range(4_000)], axis=0)
    assert np.abs(often - found.inclusion).max() < 0.04
