"""Draws of levels, percentages of amounts, and columns of a frame."""

from decimal import ROUND_HALF_UP, Decimal
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth.datasets.columns import days_after, generator, nullable, pick, seconds_after, share_of, text, without


@pytest.mark.statistical
def test_levels_are_drawn_in_proportion_to_their_weights():
    n, weights = 40_000, np.array([1.0, 0.0, 5.0, 2.0])
    drawn = np.bincount(pick(np.random.default_rng(0), weights, n), minlength=4) / n
    bound = sqrt(log(2 * 4 / 1e-6) / (2 * n))  # Hoeffding with four shares: 0.014
    assert np.abs(drawn - weights / 8).max() <= bound
    assert drawn[1] == 0


def test_every_row_may_have_weights_of_its_own():
    own = np.eye(3)[[2, 0, 1, 1]]
    assert pick(np.random.default_rng(0), own, 4).tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("percent", [0, 5, 7, 15, 19, 50])
def test_percentages_are_rounded_half_up_to_the_cent(percent):
    cents = np.arange(1_000)
    by_hand = [int((Decimal(int(c)) * percent / 100).quantize(Decimal(1), ROUND_HALF_UP)) for c in cents]
    assert share_of(cents, percent).tolist() == by_hand


def test_times_count_from_their_start():
    assert seconds_after(np.datetime64("2024-02-28T23:59:59"), np.array([1]))[0] == np.datetime64("2024-02-29T00:00:00")
    assert days_after(np.datetime64("2024-02-28"), np.array([2]))[0] == np.datetime64("2024-03-01")


def test_nulls_are_where_they_are_asked_for():
    null = np.array([False, True])
    assert pd.isna(nullable(np.array([1, 2]), null=null)).tolist() == [False, True]
    assert np.isnat(without(days_after(np.datetime64("2024-01-01"), np.array([0, 1])), null=null)).tolist() == [
        False,
        True,
    ]
    assert text(("a", "b"), np.array([1, 0])).tolist() == ["b", "a"]


def test_a_negative_number_of_rows_raises_an_error():
    with pytest.raises(ValueError, match="n=-2"):
        generator(-2, 0)
