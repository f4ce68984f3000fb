"""Scales of skewed doses: they are increasing, make the quantiles symmetric, and curves along them are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.questions.dose_response import curve_scores
from janus_synth.questions.dose_scale import ENDS, dose_scales
from janus_synth.questions.nuisance import BOOSTING
from questions.test_nuisance import covariates
from strategies import quick, seeds


@quick
@given(seeds, st.floats(0.5, 2.0), st.floats(-50, 50), st.sampled_from([1, -1]))
def test_skewed_doses_have_a_second_scale_that_is_increasing_and_symmetric(seed, spread, shift, sign):
    doses = sign * (np.random.default_rng(seed).lognormal(sigma=spread, size=300) + shift)
    own, log = dose_scales(doses)
    np.testing.assert_array_equal(own(doses), doses)
    places = np.linspace(doses.min(), doses.max(), 200)
    assert np.isfinite(log(places)).all()
    assert (np.diff(log(places)) > 0).all()
    low, middle, high = log(np.quantile(doses, ENDS))
    assert high - middle == pytest.approx(middle - low, rel=1e-6)


@pytest.mark.parametrize("doses", [np.arange(50.0), np.repeat([0.0, 1.0], [95, 5]), np.ones(40)])
def test_even_doses_and_doses_with_most_rows_at_one_value_have_their_own_scale_alone(doses):
    assert len(dose_scales(doses)) == 1


@pytest.mark.statistical
def test_effects_of_a_skewed_dose_hold_the_truth_whether_curved_or_straight():
    """Four standard errors of six effects: a false alarm in 2,600 runs."""
    x, _, found, rng = covariates(1_500, 12)
    t = np.exp(0.5 * x + 0.6 * rng.normal(size=1_500))
    asked = np.array([0.4, 1.0, 2.0, 3.0])
    for curve in (lambda v: 4 * v / (1 + v), lambda v: 1.5 * v):
        y = curve(t) + np.maximum(x, 0) + rng.normal(size=1_500)
        scores = curve_scores(found, t, y, np.ones(1_500, bool), list(asked[:, None]), rng=rng)
        for j in (1, 2, 3):
            contrast = np.eye(4)[j] - np.eye(4)[0]
            error = np.sqrt(contrast @ scores.covariance @ contrast)
            assert abs(contrast @ scores.values - (curve(asked[j]) - curve(asked[0]))) < 4 * error
            assert error < 0.25


@pytest.mark.statistical
def test_a_saturating_curve_is_followed_where_it_bends(monkeypatch):
    """The mean gap of 8 tables is within four of its standard errors; with the doses' own scale alone it is seven."""
    monkeypatch.setitem(BOOSTING, "max_iter", 20)  # as good here as the usual 60
    gaps, errors = [], []
    for seed in range(8):
        x, _, found, rng = covariates(600, 40 + seed)
        t = np.exp(0.8 * x + 0.5 * rng.normal(size=600))
        y = 6 * t / (0.3 + t) + x + 0.5 * rng.normal(size=600)
        scores = curve_scores(found, t, y, np.ones(600, bool), [np.array([0.2]), np.array([1.0])], rng=rng)
        contrast = np.array([-1.0, 1.0])
        gaps.append(contrast @ scores.values - 6 * (1 / 1.3 - 0.2 / 0.5))
        errors.append(np.sqrt(contrast @ scores.covariance @ contrast))
    assert abs(np.mean(gaps)) < 4 / np.sqrt(8) * np.mean(errors)
    assert np.mean(errors) < 0.2
