"""Normal scores: intervals of codes on the normal scale, spikes kept apart, and reproducible scores of rows."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import norm, truncnorm

from janus_synth.kernels.dtypes import CODE
from janus_synth.trees.scale import LEAST_SHARE, MOST_GRADES, SPIKE_SHARE, Scale, mean_scores, places, target_scale
from strategies import quick, seeds


@st.composite
def counted_columns(draw, max_codes=40):
    """Counts of an ordered column's codes, *missing* last, some codes much more frequent; and their shares."""
    rng = np.random.default_rng(draw(seeds))
    counts = rng.poisson(draw(st.sampled_from([1.0, 20.0])), draw(st.integers(3, max_codes)))
    for _ in range(draw(st.integers(0, 3))):
        counts[rng.integers(len(counts))] += draw(st.sampled_from([50, 500]))
    counts[rng.integers(len(counts) - 1)] += 1
    return counts, (counts + 0.1) / (counts + 0.1).sum()


def scale_of(counts):
    counts = np.asarray(counts)
    return target_scale(counts, counts / counts.sum())


def scored(scale, x, target, **line):
    return scale.scores(x[target], places(x), **line)


# Which codes lie on the scale


@quick
@given(counted_columns())
def test_codes_have_the_same_shares_of_the_normal_distribution_as_of_the_column(column):
    counts, shares = column
    scale = target_scale(counts, shares)
    assume(scale is not None)
    on_scale = np.where(scale.apart, 0.0, shares)
    np.testing.assert_allclose(np.diff(ndtr(scale.edge)), on_scale / on_scale.sum(), atol=1e-12)
    assert (np.diff(scale.below) >= 0).all()
    assert (scale.edge[0], scale.edge[-1]) == (-np.inf, np.inf)
    assert (np.diff(scale.below)[scale.apart] == 0).all()  # exactly zero width: no score maps to a code kept apart


@quick
@given(counted_columns())
def test_missing_and_spikes_are_kept_apart(column):
    counts, shares = column
    scale = target_scale(counts, shares)
    assume(scale is not None)
    assert scale.apart[-1]
    for k, count in enumerate(counts[:-1]):
        beside = [counts[j] for j in (k - 1, k + 1) if 0 <= j < len(counts) - 1]
        spike = count >= SPIKE_SHARE * counts.sum() and all(count >= 3 * other for other in beside)
        assert scale.apart[k] == (spike and np.count_nonzero(counts[:-1]) > MOST_GRADES)


def test_grades_are_all_on_the_scale():
    spike = [10] * (MOST_GRADES - 1) + [500]
    assert np.flatnonzero(scale_of([*spike, 7]).apart).tolist() == [MOST_GRADES]
    assert np.flatnonzero(scale_of([*spike, 0, 7]).apart).tolist() == [MOST_GRADES + 1]  # empty codes do not count
    assert np.flatnonzero(scale_of([10, *spike, 7]).apart).tolist() == [MOST_GRADES, MOST_GRADES + 1]
    np.testing.assert_allclose(scale_of([30, 90, 0]).below, [0, 0.25, 1, 1])


def test_missing_is_no_neighbour_of_the_largest_value():
    many_missing = scale_of([10] * MOST_GRADES + [40, 200])
    assert np.flatnonzero(many_missing.apart).tolist() == [MOST_GRADES, MOST_GRADES + 1]


def test_heavy_values_side_by_side_are_no_spikes():
    more = [10] * MOST_GRADES
    assert np.flatnonzero(scale_of([10, 10, 10, 100, 90, *more, 0]).apart).tolist() == [MOST_GRADES + 5]
    assert np.flatnonzero(scale_of([10, 10, 10, 100, 10, *more, 0]).apart).tolist() == [3, MOST_GRADES + 5]


def test_a_value_with_a_small_share_is_no_spike_even_among_empty_codes():
    counts = np.full(101, 10)
    counts[[49, 51]] = 0
    counts[-1] = 0
    assert np.flatnonzero(scale_of(counts).apart).tolist() == [100]


def test_ends_of_the_scale_are_open_if_the_outer_codes_lie_apart():
    n = MOST_GRADES
    scale = scale_of([100, *[10] * n, 100, 0])
    assert np.flatnonzero(scale.apart).tolist() == [0, n + 1, n + 2]
    assert np.isinf(scale.edge).tolist() == [True, True, *[False] * (n - 1), True, True, True]


def test_a_column_of_one_value_or_of_few_rows_has_no_scale():
    assert scale_of([10, 0]) is None
    assert scale_of([10, 10, 0]) is not None
    assert scale_of([10] + [0] * 20 + [0]) is None  # codes without rows do not count
    missing = int(20 / LEAST_SHARE) - 20
    assert scale_of([10, 10, missing]) is not None
    assert scale_of([10, 10, missing + 1]) is None


# Scores of rows


def random_codes(seed, n_rows, n_codes=40, n_columns=4):
    return np.random.default_rng(seed).integers(0, n_codes, (n_columns, n_rows)).astype(CODE)


def even_scale(n_codes=40):
    return scale_of(np.append(np.full(n_codes, 10), 0))


@quick
@given(counted_columns(), seeds)
def test_scores_lie_inside_the_rows_codes(column, seed):
    scale = target_scale(*column)
    assume(scale is not None)
    x = random_codes(seed, 200, len(scale.apart))
    x = np.ascontiguousarray(x[:, ~scale.apart[x[1]]])
    z = scored(scale, x, 1)
    assert np.isfinite(z).all()
    assert (scale.edge[x[1]] <= z).all()
    assert (z <= scale.edge[x[1] + 1]).all()


@quick
@given(seeds)
def test_the_score_of_a_row_does_not_depend_on_the_other_rows(seed):
    x, scale = random_codes(seed, 300), even_scale()
    z = scored(scale, x, 2)
    some = np.random.default_rng(seed).permutation(300)[:120]
    np.testing.assert_array_equal(scored(scale, np.ascontiguousarray(x[:, some]), 2), z[some])
    np.testing.assert_array_equal(scored(scale, np.repeat(x[:, :1], 3, axis=1), 2), z[[0, 0, 0]])


@pytest.mark.statistical
@pytest.mark.parametrize("n_columns", [2, 8])
def test_scores_are_normal_given_the_codes_of_the_other_columns(n_columns):
    """Rows that differ in some other column get pseudo-random places inside their code."""
    n, false_alarm, scale = 20_000, 1e-6, even_scale(400)
    x = np.unique(random_codes(0, n, 400, n_columns), axis=1)
    share = (ndtr(scored(scale, x, 0)) - scale.below[x[0]]) * 400
    groups = [np.ones(x.shape[1], bool), *(x[c] % 3 == part for c in range(n_columns) for part in range(3))]
    for group in groups:
        part = np.sort(share[group])
        gap = np.abs(part - (np.arange(len(part)) + 0.5) / len(part)).max() - 0.5 / len(part)
        # DKW per group: 0.019 for all rows, 0.037 for a third; scores that depend on another column would give 0.3
        assert gap <= sqrt(log(2 * len(groups) / false_alarm) / (2 * len(part)))


def test_the_place_inside_a_code_depends_on_the_other_columns():
    x, scale = random_codes(1, 200), even_scale()
    other = x.copy()
    other[3] = (other[3] + 1) % 40
    assert (scored(scale, x, 0) != scored(scale, other, 0)).mean() > 0.99


@pytest.mark.parametrize("n_columns", [1, 2, 5, 12])
def test_a_row_of_all_zero_codes_does_not_lie_at_the_edge_of_its_code(n_columns):
    """This is the commonest row of many tables. By chance it lies in an outer millionth with probability 2e-6."""
    scale = even_scale()
    share = float(ndtr(scored(scale, np.zeros((n_columns, 1), CODE), 0))[0] / scale.below[1])
    assert 1e-6 < share < 1 - 1e-6


@quick
@given(counted_columns(), seeds, st.sampled_from([0.1, 1.0, 3.0]))
def test_scores_given_a_regression_follow_its_truncated_normal(column, seed, spread):
    scale = target_scale(*column)
    assume(scale is not None)
    x = random_codes(seed, 100, len(scale.apart))
    x = np.ascontiguousarray(x[:, ~scale.apart[x[1]]])
    middle = np.random.default_rng(seed).normal(size=x.shape[1])
    z = scored(scale, x, 1, middle=middle, spread=spread)
    low, high = ((scale.edge[x[1] + side] - middle) / spread for side in (0, 1))
    near = (low < 7) & (high > -7)  # scipy's quantiles are inaccurate beyond this
    expected = middle + spread * truncnorm.ppf(places(x), low, high)
    np.testing.assert_allclose(z[near], expected[near], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("middle", [-1e6, -50.0, -9.0, 9.0, 50.0, 1e6])
def test_rows_far_from_the_regression_stay_inside_their_codes(middle):
    scale, codes = even_scale(), np.arange(40, dtype=CODE)
    z = scale.scores(codes, np.full(40, 0.5), middle, 0.5)
    assert np.isfinite(z).all()
    slack = 1e-9 * abs(middle)
    assert (scale.edge[codes] - slack <= z).all()
    assert (z <= scale.edge[codes + 1] + slack).all()


def test_scores_of_the_rarest_codes_are_finite():
    shares = np.array([1e-15, *[0.2] * 5, 1e-15, 0.0])
    scale = Scale(np.minimum(np.concatenate([[0.0], np.cumsum(shares)]), 1.0), np.arange(8) == 7)
    assert np.isfinite(scored(scale, np.array([[0, 6]], CODE), 0)).all()


# Mean scores of codes


@quick
@given(counted_columns())
def test_the_score_of_a_code_is_the_mean_of_the_normal_inside_it(column):
    """Against the mean of many quantiles; the outermost quantiles of a tail are the least accurate."""
    _, shares = column
    scores = mean_scores(shares)
    below = np.concatenate([[0.0], np.cumsum(shares[:-1] / shares[:-1].sum())])
    grid = (np.arange(20_000) + 0.5) / 20_000
    for k in range(len(shares) - 1):
        inside = ndtri(np.minimum(below[k] + grid * (below[k + 1] - below[k]), 1 - 1e-16))
        assert scores[k] == pytest.approx(inside.mean(), abs=2e-4)


@quick
@given(counted_columns())
def test_scores_of_codes_ascend_and_have_mean_zero(column):
    _, shares = column
    scores = mean_scores(shares)
    assert (np.diff(scores[:-1]) > 0).all()
    assert scores[:-1] @ shares[:-1] == pytest.approx(0.0, abs=1e-9)
    assert scores[-1] == 0.0  # missing


def test_two_halves_score_at_the_mean_of_the_half_normal():
    expected = sqrt(2 / np.pi)
    np.testing.assert_allclose(mean_scores(np.array([0.4, 0.4, 0.2])), [-expected, expected, 0.0])
    thirds = norm.expect(lambda z: z, lb=norm.ppf(2 / 3), conditional=True)
    np.testing.assert_allclose(
        mean_scores(np.array([1 / 3, 1 / 3, 1 / 3, 0.0])), [-thirds, 0.0, thirds, 0.0], atol=1e-9
    )


def test_codes_without_rows_have_a_finite_score():
    scores = mean_scores(np.array([0.5, 0.0, 0.5, 0.0, 0.0]))
    assert np.isfinite(scores).all()
    assert scores[0] < scores[1] < scores[2] < scores[3]


def test_a_column_of_nulls_only_has_one_score():
    assert mean_scores(np.array([1.0])).tolist() == [0.0]
