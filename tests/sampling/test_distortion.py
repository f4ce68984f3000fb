"""The warning that rules distort what was learnt: where it comes, where it does not, and its distance."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus
from janus_synth.sampling.distortion import distance

RULES = ["total == casual + registered"]


def rentals(n: int = 1_500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    casual, registered = rng.gamma(1.5, 60, n).astype(int), rng.gamma(1.5, 200, n).astype(int)
    return pd.DataFrame({"casual": casual, "registered": registered, "total": casual + registered})


def test_an_equation_that_the_model_does_not_know_is_warned_of():
    with pytest.warns(UserWarning, match="the rules change how the rows look"):
        Janus(rules=RULES, links="off", n_trees=2, random_state=0).fit(rentals())


def test_a_link_leaves_nothing_to_warn_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Janus(rules=RULES, n_trees=2, random_state=0).fit(rentals())


def test_distances_of_numbers_are_kolmogorov_smirnov_distances():
    rng = np.random.default_rng(1)
    for _ in range(20):
        one, other = rng.integers(0, 9, 40).astype(float), rng.integers(0, 12, 30).astype(float)
        assert distance(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)


def test_distances_of_levels_are_total_variation_distances():
    one, other = np.array([0, 0, 1, -1], np.int32), np.array([0, 1, 1, 2], np.int32)
    assert distance(one, other) == pytest.approx(0.5)
    assert distance(one, one) == 0.0


def test_missing_counts_as_a_value():
    assert distance(np.array([1.0, np.nan]), np.array([1.0, 1.0])) == pytest.approx(0.5)
