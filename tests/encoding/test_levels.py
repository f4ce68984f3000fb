"""Levels: own codes round-trip exactly, rare levels share one code and are drawn by weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding.levels import MAX_OWN_CODES, MIN_COUNT, fit_levels
from janus_synth.kernels.dtypes import CODE
from strategies import quick, seeds


def levels_with(counts, missing=0):
    """Indices of levels with these counts."""
    return np.concatenate([np.repeat(np.arange(len(counts)), counts), np.full(missing, -1)]).astype(np.int32)


def fit(counts, *, ordered=False, missing=0, **options):
    levels = levels_with(counts, missing)
    return fit_levels(levels, n_levels=len(counts), ordered=ordered, nullable=missing > 0, **options), levels


@st.composite
def level_columns(draw):
    counts = draw(st.lists(st.sampled_from([0, 1, 2, 4, 5, 30]), min_size=1, max_size=12).filter(any))
    return fit(counts, ordered=draw(st.booleans()), missing=draw(st.sampled_from([0, 3])))


@quick
@given(level_columns(), seeds)
def test_encoding_decoded_codes_gives_the_codes_back(column, seed):
    codec, _ = column
    codes = np.repeat(np.flatnonzero(codec.allowed), 20).astype(CODE)
    u = np.random.default_rng(seed).random(len(codes))
    np.testing.assert_array_equal(codec.encode(codec.decode(codes, u)), codes)


@quick
@given(level_columns())
def test_own_levels_come_back_exactly_and_every_level_has_a_code(column):
    codec, levels = column
    codes = codec.encode(levels)
    assert codes.dtype == CODE
    assert codec.allowed[codes].all()
    back = codec.decode(codes, np.full(len(codes), 0.5))
    own = np.isin(levels, codec.own) | (levels < 0)
    np.testing.assert_array_equal(back[own], levels[own])
    np.testing.assert_array_equal(codes == codec.n_codes - 1, levels < 0)
    assert np.isfinite(codec.log_density(levels, codes)).all()


def test_rare_levels_share_a_code_and_are_drawn_by_weight():
    codec, _ = fit([50, 1, MIN_COUNT, 3, MIN_COUNT - 1, 0])
    assert codec.own.tolist() == [0, 2]
    assert codec.encode(np.arange(6)).tolist() == [0, 2, 1, 2, 2, 2]
    n = 8_000
    drawn = codec.decode(np.full(n, 2, CODE), (np.arange(n) + 0.5) / n)
    assert np.bincount(drawn, minlength=6).tolist() == [0, 1_000, 0, 3_000, 4_000, 0]
    shares = np.exp(codec.log_density(np.array([1, 3, 4, 5, 0]), np.array([2, 2, 2, 2, 0], CODE)))
    assert shares == pytest.approx([1 / 8, 3 / 8, 4 / 8, 0.0, 1.0])


@pytest.mark.parametrize("u", [0.0, float(np.nextafter(1.0, 0.0)), 1.0])
@pytest.mark.parametrize("counts", [[50, 1, 2], [1, 2, 50], [0, 3, 1, 0, 50]])
def test_the_ends_of_the_shared_code_are_levels_of_it(u, counts):
    codec, _ = fit(counts)
    drawn = codec.decode(np.full(1, codec.n_codes - 2, CODE), np.full(1, u))
    assert drawn[0] in np.flatnonzero(codec.shared_weight)


def test_a_lone_rare_level_shares_with_nobody():
    codec, _ = fit([50, 40, 1])
    assert codec.own.tolist() == [0, 1, 2]
    assert codec.allowed.tolist() == [True, True, True, False, False]


def test_missing_is_the_last_code_and_comes_back_as_minus_one():
    codec, levels = fit([10, 10], missing=4)
    codes = codec.encode(levels)
    assert (codes[-4:] == codec.n_codes - 1).all()
    assert codec.decode(codes, np.zeros(24)).tolist() == levels.tolist()
    assert codec.allowed.tolist() == [True, True, False, True]
    assert (codec.log_density(levels, codes) == 0).all()


def test_an_unseen_level_goes_to_the_shared_code_and_has_no_share():
    codec, _ = fit([10, 10])
    assert codec.encode(np.array([2, 7, 0])).tolist() == [2, 2, 0]
    assert codec.log_density(np.array([2, 7]), np.array([2, 2], CODE)).tolist() == [-np.inf, -np.inf]
    assert not codec.allowed[2]


@pytest.mark.parametrize("counts", [[60, 40], [99, 1], [100, 0], [1, 2]])
def test_booleans_keep_their_two_values(counts):
    codec, levels = fit(counts)
    codes = codec.encode(levels)
    u = (np.arange(len(codes)) + 0.5) / len(codes)
    assert np.bincount(codec.decode(codes, u), minlength=2).tolist() == counts


def test_ordered_levels_all_keep_their_codes():
    codec, levels = fit([50, 1, 0, 2, 30], ordered=True)
    assert codec.own.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(codec.encode(levels), levels)
    assert codec.ordered


def test_a_lower_bound_on_counts_can_be_given():
    codec, _ = fit([50, 4, 3, 1], min_count=3)
    assert codec.own.tolist() == [0, 1, 2, 3]  # the last would share with nobody
    codec, _ = fit([50, 4, 3, 1, 1], min_count=3)
    assert codec.own.tolist() == [0, 1, 2]


def test_further_rows_add_weight_and_new_levels_sit_behind_the_shared_code():
    codec, _ = fit([50, 50, 1, 3])
    more = codec.count_more(np.array([2, 2, 5, 5, 5, 0, -1], np.int32), 6)
    assert more.own.tolist() == codec.own.tolist()
    assert more.n_codes == codec.n_codes
    assert more.weight.tolist() == [51, 50, 3, 3, 0, 3]
    assert more.nullable
    assert not codec.nullable
    assert more.encode(np.array([5])).tolist() == [2]
    drawn = more.decode(np.full(900, 2, CODE), (np.arange(900) + 0.5) / 900)
    assert np.bincount(drawn, minlength=6).tolist() == [0, 0, 300, 300, 0, 300]


def test_a_new_level_opens_the_shared_code():
    codec, _ = fit([10, 10])
    assert not codec.allowed[2]
    more = codec.count_more(np.array([2], np.int32), 3)
    assert more.allowed[2]
    assert more.decode(np.full(1, 2, CODE), np.array([0.9])).tolist() == [2]


def test_ten_thousand_levels_fit_a_byte_and_all_come_back():
    rng = np.random.default_rng(0)
    levels = np.minimum(rng.zipf(1.3, 60_000), 10_000).astype(np.int32) - 1
    codec = fit_levels(levels, n_levels=10_000, ordered=False, nullable=False)
    assert len(codec.own) == MAX_OWN_CODES
    assert codec.n_codes <= 256
    weight = np.bincount(levels, minlength=10_000)
    assert weight[codec.own].min() >= np.delete(weight, codec.own).max()
    assert (np.diff(codec.own) > 0).all()
    codes = codec.encode(levels)
    shared = codes == MAX_OWN_CODES
    assert weight[np.delete(np.arange(10_000), codec.own)].sum() == shared.sum()
    n = int(shared.sum())
    drawn = codec.decode(np.full(n, MAX_OWN_CODES, CODE), (np.arange(n) + 0.5) / n)
    np.testing.assert_array_equal(np.bincount(drawn, minlength=10_000), np.where(codec.shared_weight, weight, 0))


def test_all_levels_rare_makes_a_column_of_one_shared_code():
    codec, levels = fit([1] * 400)
    assert codec.own.tolist() == []
    assert (codec.encode(levels) == 0).all()
    drawn = codec.decode(np.zeros(400, CODE), (np.arange(400) + 0.5) / 400)
    assert drawn.tolist() == list(range(400))
