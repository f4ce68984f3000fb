from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import mmd_squared
from janus_synth.metrics.joint import gaussian_mmd_squared


def plain_mmd_squared(x, y):
    """The unbiased estimate, pair by pair."""
    points = [*x, *y]
    distances = [((a - b) ** 2).sum() for a, b in combinations(points, 2)]
    width = np.median(distances)

    def kernel(a, b):
        return np.exp(-((a - b) ** 2).sum() / (2 * width))

    within = [np.mean([kernel(a, b) for a, b in combinations(part, 2)]) for part in (x, y)]
    return sum(within) - 2 * np.mean([kernel(a, b) for a in x for b in y])


def test_mmd_is_that_of_the_plain_definition(rng):
    x, y = rng.normal(size=(12, 3)), rng.normal(0.5, 1.0, size=(9, 3))
    assert gaussian_mmd_squared(x, y) == pytest.approx(plain_mmd_squared(x, y))


def test_identical_points_have_no_discrepancy():
    assert gaussian_mmd_squared(np.ones((4, 2)), np.ones((6, 2))) == 0.0


def test_mostly_coinciding_points_are_still_told_apart():
    x = np.zeros((20, 1))
    y = np.zeros((20, 1))
    y[:3] = 1.0
    assert gaussian_mmd_squared(x, y) > 0.0


@pytest.mark.statistical
def test_samples_of_one_distribution_have_none_on_average(draw):
    estimates = [mmd_squared(draw(150), draw(150)) for _ in range(20)]
    # A t statistic beyond 6 with 19 degrees of freedom: false alarms below 10⁻⁵; a shift of 0.5 is caught.
    assert abs(np.mean(estimates)) <= 6 * np.std(estimates, ddof=1) / np.sqrt(20)


def test_a_broken_dependence_is_seen_where_the_columns_look_right(rng):
    x = rng.normal(size=600)
    real = pd.DataFrame({"x": x, "y": x})
    assert mmd_squared(real, real.assign(y=rng.permutation(x))) > 0.02


def test_a_single_row_has_no_mmd(draw):
    assert np.isnan(mmd_squared(draw(50), draw(50)[:1]))
