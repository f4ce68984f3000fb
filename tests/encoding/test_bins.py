"""Bins: few values one bin each, heavy values atoms, and the rest cut at quantiles of what is left."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding.bins import FEW_VALUES, LEAST_ROWS, Bins, cut_bins, find_atoms, join_thin_bins
from janus_synth.encoding.lattice import find_lattice
from strategies import SHAPES, quick, seeds


def mass_of(bins):
    return np.add.reduceat(bins.counts, bins.first[:-1])


CASES = (
    st.sampled_from(list(SHAPES)),
    st.integers(1, 2_000),
    st.sampled_from([1, 2, 7, 50, 254]),
    st.booleans(),
    seeds,
)


@quick
@given(*CASES)
def test_bins_hold_every_value_once_and_in_order(shape, n, n_bins, equal_mass, seed):
    values = SHAPES[shape](np.random.default_rng(seed), n)
    bins = cut_bins(values, n_bins, equal_mass=equal_mass)
    np.testing.assert_array_equal(bins.values, np.unique(values))
    assert bins.counts.sum() == n
    assert bins.first[0] == 0
    assert bins.first[-1] == len(bins.values)
    assert (np.diff(bins.first) > 0).all()  # no bin is without a value
    assert (bins.largest[:-1] < bins.smallest[1:]).all()


@quick
@given(*CASES)
def test_there_are_at_most_n_bins(shape, n, n_bins, equal_mass, seed):
    values = SHAPES[shape](np.random.default_rng(seed), n)
    assert len(cut_bins(values, n_bins, equal_mass=equal_mass)) <= n_bins


@pytest.mark.parametrize("n_bins", [5, 7, 20])
def test_atoms_with_something_between_them_still_fit(n_bins):
    """Ten heavy values with a thin smooth background: every atom parts the background once more."""
    background = np.random.default_rng(4).uniform(0, 110, 100)
    values = np.concatenate([np.repeat(10.0 * np.arange(1, 11), 500), background])
    assert len(cut_bins(values, n_bins)) <= n_bins


def test_few_distinct_values_get_a_bin_each():
    values = np.repeat(np.arange(20.0) ** 2, np.arange(1, 21))
    bins = cut_bins(values, 20)
    assert len(bins) == 20
    np.testing.assert_array_equal(bins.smallest, bins.largest)


def test_a_lattice_without_gaps_gets_a_bin_per_value():
    values = np.repeat(np.arange(200.0), 3)
    assert len(cut_bins(values, 254, lattice=find_lattice(values))) == 200


def test_values_missed_by_chance_get_a_bin_without_rows():
    values = np.delete(np.repeat(np.arange(100.0), 3), slice(150, 156))  # 50 and 51 are missing
    bins = cut_bins(values, 254, lattice=find_lattice(values))
    np.testing.assert_array_equal(bins.smallest, np.arange(100.0))
    np.testing.assert_array_equal(bins.counts[[49, 50, 51, 52]], [3, 0, 0, 3])


def test_a_code_keeps_its_gaps():
    """1, 2, 4 or 8 doors: what lies between was not missed, it does not exist."""
    values = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 20)
    assert cut_bins(values, 254, lattice=find_lattice(values)).smallest.tolist() == [1, 2, 4, 8, 16]


@pytest.mark.parametrize("n_rows", [FEW_VALUES + 1, 100, 254, 1_000])
def test_bins_of_a_smooth_column_hold_several_rows(n_rows):
    """One row per bin would copy the rows out."""
    bins = cut_bins(np.random.default_rng(5).normal(size=n_rows), 254)
    assert mass_of(bins).min() >= LEAST_ROWS - 1
    assert (bins.smallest < bins.largest).all()


@pytest.mark.parametrize("n_bins", [20, 50, 254])
def test_a_column_of_zeros_leaves_the_other_bins_to_the_rest(n_bins):
    rng = np.random.default_rng(0)
    values = np.where(rng.random(20_000) < 0.92, 0.0, rng.normal(3.0, 1.0, 20_000))
    bins = cut_bins(values, n_bins)
    atom = bins.smallest == bins.largest
    assert bins.smallest[atom].tolist() == [0.0]
    rest = mass_of(bins)[~atom]
    assert n_bins - 2 <= len(rest) <= n_bins  # zero may lie inside a bin of the rest and cut it in two
    assert rest.max() <= 1.1 * rest.sum() / (n_bins - 1) + 1


def test_bins_of_a_smooth_column_have_equal_mass():
    bins = cut_bins(np.random.default_rng(1).normal(size=10_000), 50)
    assert len(bins) == 50
    assert (mass_of(bins) == 200).all()


def test_every_heavy_value_is_a_bin_of_its_own():
    rng = np.random.default_rng(2)
    values = np.concatenate([np.repeat([10.0, 20.0, 30.0], 500), rng.uniform(0, 40, 3_000)])
    bins = cut_bins(values, 30)
    for heavy in (10.0, 20.0, 30.0):
        at = np.flatnonzero(bins.smallest == heavy)
        assert bins.largest[at].tolist() == [heavy]


def test_equal_mass_makes_no_atoms():
    """The paper's cut: quantiles of the whole column, so 92 % zeros leave few bins for the rest."""
    rng = np.random.default_rng(3)
    values = np.where(rng.random(10_000) < 0.92, 0.0, rng.normal(5.0, 1.0, 10_000))
    bins = cut_bins(values, 50, equal_mass=True)
    assert len(bins) <= 6
    smooth = cut_bins(rng.normal(size=1_000), 50, equal_mass=True)
    assert len(smooth) == 50
    assert (mass_of(smooth) == 20).all()


def test_equal_mass_joins_few_values_into_fewer_bins():
    bins = cut_bins(np.repeat(np.arange(10.0), 100), 5, equal_mass=True)
    assert mass_of(bins).tolist() == [200] * 5


@quick
@given(st.lists(st.integers(1, 60), min_size=1, max_size=60), st.integers(1, 30))
def test_atoms_hold_a_bin_of_the_remaining_mass_and_no_other_value_does(counts, n_bins):
    counts = np.array(counts)
    atom = find_atoms(counts, n_bins)
    left = n_bins - atom.sum()
    assert left >= 0
    assert (counts[atom] >= LEAST_ROWS).all()  # a rare value is never copied out for its weight
    if left > 1:
        others = counts[~atom]
        assert not ((others * left >= others.sum()) & (others >= LEAST_ROWS)).any()
    if atom.any():
        assert counts[atom].min() * n_bins >= counts[~atom].sum()


# Thin bins


def joined(counts, least, *, dense=False):
    counts = np.array(counts)
    bins = join_thin_bins(Bins(np.arange(len(counts)) * 10.0, counts, np.arange(len(counts) + 1)), least, dense=dense)
    return [(bins.values[a:b] / 10).astype(int).tolist() for a, b in pairwise(bins.first)]


def test_thin_bins_become_one():
    assert joined([9, 2, 2, 2, 9], 5) == [[0], [1, 2, 3], [4]]


def test_a_thin_bin_between_atoms_is_left_out():
    assert joined([9, 1, 9], 5) == [[0], [2]]


def test_on_a_dense_lattice_no_value_is_left_out():
    assert joined([9, 1, 7], 5, dense=True) == [[0], [1, 2]]


def test_a_rare_whole_number_between_atoms_has_a_bin():
    """More values than bins, so that frequent ones are atoms; 14 is neither a code nor an outlier."""
    values = np.repeat(np.arange(22.0), [20] * 13 + [7, 3, 9, 9, 4, 3, 2, 2, 3])
    bins = cut_bins(values, 20, lattice=find_lattice(values), least=5)
    np.testing.assert_array_equal(bins.values, np.arange(22.0))
    assert min(np.add.reduceat(bins.counts, bins.first[:-1])) >= 5


def test_a_column_of_fewer_rows_is_one_bin():
    assert joined([1, 1, 1], 5) == [[0, 1, 2]]


@quick
@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.booleans())
def test_joined_bins_hold_enough_rows(counts, dense):
    counts = np.array(counts)
    bins = join_thin_bins(Bins(np.arange(len(counts)) * 1.0, counts, np.arange(len(counts) + 1)), 5, dense=dense)
    rows = [int(bins.counts[a:b].sum()) for a, b in pairwise(bins.first)]
    assert len(rows) == 1 or min(rows) >= 5
    assert (np.diff(bins.values) > 0).all()
    assert set(np.flatnonzero(counts >= 5)) <= set(bins.values)
    if dense:
        assert len(bins.values) == len(counts)


def test_rare_codes_have_no_bin_of_their_own():
    values = np.repeat([1.0, 2.0, 55.0, 90.0], [50, 30, 1, 40])
    assert cut_bins(values, 254, least=5).values.tolist() == [1.0, 2.0, 90.0]
    assert cut_bins(values, 254).values.tolist() == [1.0, 2.0, 55.0, 90.0]


def test_moved_values_make_no_value_frequent():
    values = np.repeat([1.0, 2.0, 9.0, 50.0], [50, 30, 6, 40])
    assert 9.0 in cut_bins(values, 254, least=5).values
    assert 9.0 in cut_bins(values, 254, least=5, moved=np.full(6, 9.0)).values  # nobody's value
    assert 9.0 not in cut_bins(values, 254, least=5, moved=np.full(2, 9.0)).values
