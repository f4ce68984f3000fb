"""Counts inside bins: those of the rows themselves, and the quantile functions that follow from them."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding.inside_bins import count_inside, with_inside_counts
from janus_synth.encoding.ordered import fit_ordered


def whole_numbers(n: int, seed: int):
    return np.random.default_rng(seed).normal(0, 20_000, n).round()


def test_counts_are_those_of_a_plain_loop():
    codec = fit_ordered(whole_numbers(3_000, 0), n_bins=20)
    values = np.append(whole_numbers(500, 1), [np.nan, 1e9, -1e9])
    codes = codec.encode(values)
    counts = count_inside(codec, values, codes)
    expected = np.zeros_like(counts)
    for value, k in zip(values, codes, strict=True):
        if k < codec.n_bins:
            expected[k, int(np.clip((codec.knot[k] < value).sum() - 1, 0, 15))] += 1
    np.testing.assert_array_equal(counts, expected)
    assert counts.sum() == 502


def test_counts_of_the_fitted_rows_change_nothing():
    values = whole_numbers(30_000, 0)
    codec = fit_ordered(values, n_bins=50)
    again = with_inside_counts(codec, count_inside(codec, values, codec.encode(values)), least=1)
    np.testing.assert_array_equal(again.level, codec.level)


def test_more_rows_make_held_out_rows_likelier():
    """The fit has 5 rows per point; counts of a hundred times as many rows come close to the truth."""
    codec = fit_ordered(whole_numbers(10_000, 0), n_bins=120)
    rows, test = whole_numbers(1_000_000, 1), whole_numbers(20_000, 2)
    counted = with_inside_counts(codec, count_inside(codec, rows, codec.encode(rows)), least=1)
    codes = codec.encode(test)
    before, after = (one.log_density(test, codes) for one in (codec, counted))
    possible = np.isfinite(before) & np.isfinite(after)
    assert possible.mean() > 0.99
    gain = after[possible] - before[possible]
    assert gain.mean() > 0.03 > 5 * gain.std() / np.sqrt(len(gain))


def test_first_and_last_bins_and_formulas_stay():
    values = np.random.default_rng(0).normal(size=20_000)
    smooth = fit_ordered(values, n_bins=60)
    codes = smooth.encode(values)
    np.testing.assert_array_equal(
        with_inside_counts(smooth, count_inside(smooth, values, codes), least=1).level, smooth.level
    )
    codec = fit_ordered(whole_numbers(10_000, 0), n_bins=20)
    other = with_inside_counts(codec, np.full((codec.n_bins, 16), 7), least=1)
    np.testing.assert_array_equal(other.level[[0, -1]], codec.level[[0, -1]])
    assert (other.level[1:-1] != codec.level[1:-1]).any()


@pytest.mark.parametrize("least", [1, 5])
def test_thin_intervals_share_their_rows_and_none_is_impossible(least):
    codec = fit_ordered(whole_numbers(10_000, 0), n_bins=20)
    counts = np.full((codec.n_bins, 16), 100)
    counts[1, :2] = 0, 4
    level = with_inside_counts(codec, counts, least=least).level[1]
    assert (np.diff(level) > 0).all()
    first, second = np.diff(level)[:2]
    assert (first == pytest.approx(second)) == (least == 5)
    assert level[-1] == 1.0


def test_a_column_without_values_has_no_counts():
    codec = fit_ordered(np.full(5, np.nan), n_bins=20, nullable=True)
    values = np.full(3, np.nan)
    assert count_inside(codec, values, codec.encode(values)).shape == (0, 16)
