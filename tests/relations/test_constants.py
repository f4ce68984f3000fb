"""Constants of proportionality: the range against a direct check of every row, and the simplest number in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.relations.constants import factor_range, simplest_constant
from janus_synth.rules.language.notation import constant_text
from strategies import quick, seeds


@quick
@given(seeds)
def test_a_range_holds_the_factors_that_fit_all_rows(seed):
    rng = np.random.default_rng(seed)
    x = rng.choice([-3.0, 0.0, 1.5, 40.0, 7.0], 30) * rng.random(30)
    factor = rng.choice([-2.0, 0.0145, 1 / 3600, 12.5])
    y, slack = np.round(factor * x, 2), np.full(30, 0.0050001)
    low, high = factor_range(y, x, slack)
    assert low <= factor <= high
    for inside, tried in ((True, (low + high) / 2), (False, high + 1e-6 * abs(high)), (False, low - 1e-6 * abs(low))):
        assert (np.abs(y - tried * x) <= slack).all() == inside


def test_no_factor_fits_rows_that_disagree_or_are_all_zero():
    assert factor_range(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.full(2, 0.1)) is None
    assert factor_range(np.array([1.0, 2.0]), np.array([0.0, 2.0]), np.full(2, 0.1)) is None
    assert factor_range(np.zeros(3), np.zeros(3), np.full(3, 0.1)) is None


@pytest.mark.parametrize("factor", [1.0, 0.062, 12.5, -0.3, 1000.0, 1 / 3600, 1 / 1.60934, 1.95583])
def test_the_simplest_number_is_found_again(factor):
    found = simplest_constant(*sorted((factor * (1 - 1e-7), factor * (1 + 1e-7))))
    assert found == pytest.approx(factor, rel=1e-6)
    before, after = constant_text(found)
    assert eval(f"{before}1{after}") == pytest.approx(factor, rel=1e-6)


def test_a_range_around_zero_has_none():
    assert simplest_constant(-0.1, 0.2) is None
