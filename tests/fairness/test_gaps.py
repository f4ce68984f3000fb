"""Intervals over random splits cover the variance of training and of test rows."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.fairness.gaps import estimate_over_splits


@pytest.mark.statistical
def test_intervals_over_halves_cover_what_training_and_test_rows_bring():
    """600 tables, nominal 95 %: coverage below 0.92 has a chance of 1e-3 if it is 0.95, above 0.99 of 1e-7.

    The statistic is the mean of training rows plus the mean of test rows, with luck from both sides alike.
    """
    rng, covered, n, n_splits = np.random.default_rng(0), [], 200, 10
    for _ in range(600):
        trained, tested = rng.normal(size=(2, n))
        values = []
        for _ in range(n_splits):
            rows = rng.permutation(n)
            values.append(trained[rows[: n // 2]].mean() + tested[rows[n // 2 :]].mean())
        estimate = estimate_over_splits(values, n_train=n // 2, n_test=n // 2, level=0.95)
        covered.append(estimate.low <= 0 <= estimate.high)
    assert 0.92 <= np.mean(covered) <= 0.99
