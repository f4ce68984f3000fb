"""Curves of numeric treatments: kinks, groups and support."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from janus_synth.questions import dose_response, noise_spread
from janus_synth.questions.dose_response import curve_scores, fit_basis
from janus_synth.questions.nuisance import BOOSTING, read_covariates
from janus_synth.table import Column, Schema, Table
from questions.test_nuisance import covariates


def test_the_basis_has_a_line_and_distinct_hinges():
    assert fit_basis(np.arange(100.0))(np.array([3.0, 4.0])).shape == (2, 5 + 30)
    assert fit_basis(np.repeat([1.0, 2.0, 3.0], 30))(np.ones(2)).shape[1] == 5 + 1


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


def growing(seed: int):
    """y = |t| with noise 0.3 + |t|: most of what is known about the kink is known where noise is small."""
    x, _, found, rng = covariates(600, 200 + seed)
    t = 0.5 * x + rng.normal(size=600)
    return found, t, np.abs(t) + x + (0.3 + np.abs(t)) * rng.normal(size=600)


def test_rows_with_much_noise_count_less(monkeypatch):
    """Mean squared errors of three effects in eight tables: a third with weights of what they are without."""
    monkeypatch.setitem(BOOSTING, "max_iter", 5)
    doses = np.array([0.0, -1.0, 1.0, 0.5])
    losses = {}
    for clear in (noise_spread.CLEAR_GAIN, np.inf):
        monkeypatch.setattr(noise_spread, "CLEAR_GAIN", clear)
        gaps = []
        for seed in range(8):
            x, t, y = growing(seed)
            found = curve_scores(x, t, y, np.ones(600, bool), list(doses[:, None]), rng=np.random.default_rng(seed))
            gaps.append(found.values[1:] - found.values[0] - np.abs(doses[1:]))
        losses[clear] = np.mean(np.square(gaps))
    assert losses[10.0] < 0.6 * losses[np.inf]


def test_rows_with_even_noise_count_alike(monkeypatch):
    x, _, t, y, _ = kinked(600, 8)
    settings, everyone = [np.array([0.0]), np.array([1.0])], np.ones(600, bool)
    found = curve_scores(x, t, y, everyone, settings, rng=np.random.default_rng(0))
    monkeypatch.setattr(noise_spread, "CLEAR_GAIN", np.inf)
    plain = curve_scores(x, t, y, everyone, settings, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(found.values, plain.values)
    np.testing.assert_array_equal(found.covariance, plain.covariance)


def jointly_modified(seed: int, strength: float):
    """y = t (1 + strength x z) with doses at random: the curve depends on a product of two covariates."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, 600))
    schema = Schema((Column("x", "numeric", "float64"), Column("z", "numeric", "float64")))
    t = rng.normal(size=600)
    found = read_covariates(Table.from_columns(schema, {"x": x, "z": z}), ["x", "z"])
    return found, t, t * (1 + strength * x * z) + rng.normal(size=600)


def test_a_curve_that_depends_on_a_product_of_covariates_is_followed(monkeypatch):
    """The step of 2 has the variance 4 / n of the slope, and 4 / n of the units' products, within a third.

    A curve that is straight for all units is not known to be, and its variance may be larger. So it is if only single
    covariates modify the curve; where no product of two does, allowing for them changes nothing.
    """
    monkeypatch.setitem(BOOSTING, "max_iter", 5)
    everyone, settings, contrast = np.ones(600, bool), [np.array([-1.0]), np.array([1.0])], np.array([-1, 1])
    for strength, most in ((1.0, 0.8), (0.0, 1.0)):
        x, t, y = jointly_modified(5, strength)
        variances = []
        for number in (dose_response.MAX_JOINT, 0):
            monkeypatch.setattr(dose_response, "MAX_JOINT", number)
            found = curve_scores(x, t, y, everyone, settings, rng=np.random.default_rng(0))
            variances.append(contrast @ found.covariance @ contrast)
            monkeypatch.undo()
            monkeypatch.setitem(BOOSTING, "max_iter", 5)
        assert variances[0] <= most * variances[1]
        if strength:
            assert variances[0] == pytest.approx(4 * (1 + strength**2) / 600, rel=1 / 3)
        assert abs(contrast @ found.values - 2) < 5 * np.sqrt(variances[1])
