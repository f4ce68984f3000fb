"""Holes: values of a lattice that few rows have, between two atoms, belong to one of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth import Janus
from janus_synth.encoding.bins import cut_bins
from janus_synth.encoding.holes import SHORT, UNSEEN, find_holes, hole_knots
from janus_synth.encoding.lattice import find_lattice
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE
from strategies import quick


def minutes(rows_of: dict[int, int], *, each=40, n=300):
    """Whole numbers below n, more than there are bins: the first 240 are atoms, but for those in ``rows_of``."""
    rows = np.where(np.arange(n) < 240, each, 10)
    for value, count in rows_of.items():
        rows[value] = count
    return np.repeat(np.arange(n * 1.0), rows)


def codec_of(values):
    return fit_ordered(values, n_bins=254, least=5)


def share_in_bin(codec, values):
    values = np.asarray(values, float)
    return np.exp(codec.log_density(values, codec.encode(values)))


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_values_between_atoms_share_their_rows_evenly(rows):
    values = minutes({60: rows, 111: 0, 150: 2})
    codec = codec_of(values)
    of_hole = (rows + 2 + UNSEEN) / 3
    np.testing.assert_allclose(share_in_bin(codec, [60, 111, 150]), of_hole / (of_hole + 40))
    u = (np.arange(10_000) + 0.5) / 10_000
    drawn = codec.decode(np.full(10_000, codec.encode(np.array([60.0]))[0]), u)
    assert (drawn == 60).mean() == pytest.approx(of_hole / (of_hole + 40), abs=2e-4)
    assert set(drawn.tolist()) == {59.0, 60.0}


@quick
@given(st.dictionaries(st.integers(20, 200), st.integers(0, 4), max_size=12))
def test_all_values_of_each_bin_have_mass_one_and_keep_their_codes(rows_of):
    """Enumeration: the densities of a bin's values add up to 1, and no value moves to another bin."""
    values = minutes(rows_of)
    codec = codec_of(values)
    every = np.arange(values.max() + 1)
    codes = codec.encode(every)
    total = np.bincount(codes, np.exp(codec.log_density(every, codes)), minlength=codec.n_bins)
    np.testing.assert_allclose(total, 1.0)
    middle = codec.encode(codec.decode(np.arange(codec.n_bins, dtype=CODE), np.full(codec.n_bins, 0.5)))
    np.testing.assert_array_equal(middle, np.arange(codec.n_bins))
    bins = cut_bins(values, 254, lattice=find_lattice(values), least=5)
    left_out = np.setdiff1d(values, bins.values)
    nearest = bins.values[np.abs(left_out[:, None] - bins.values).argmin(axis=1)]  # the lower one of two
    np.testing.assert_array_equal(codec.encode(left_out), codec.encode(nearest))


@quick
@given(st.integers(0, 3), st.integers(0, 3), st.floats(0.01, 5), st.integers(5, 10_000))
def test_levels_end_at_one(below, above, rows, own):
    """Model files refuse levels that do not ascend to 1."""
    knots, levels = hole_knots(60.0, below, above, rows, own, 1.0)
    assert levels[0] == 0
    assert levels[-1] == 1
    assert (np.diff(levels) > 0).all()
    assert (np.diff(knots) > 0).all()


@quick
@given(st.sets(st.integers(20, 200), max_size=12))
def test_holes_of_up_to_four_values_are_filled(rare):
    codec = codec_of(minutes(dict.fromkeys(rare, 0)))
    missing = np.isin(np.arange(300), sorted(rare))
    run_ends = np.flatnonzero(np.diff(np.concatenate([[0], missing, [0]])))
    for start, stop in zip(run_ends[::2], run_ends[1::2], strict=True):
        found = share_in_bin(codec, np.arange(start, stop)) > 0
        assert found.all() if stop - start <= SHORT else not found.any()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.repeat([1.0, 2, 5, 20, 40, 55, 90], 50), "few values: codes"),
        (np.repeat(np.cumsum(np.tile([1.0, 4, 3], 30)), 50), "most of the lattice never occurs"),
        (np.repeat(np.delete(np.arange(60.0), slice(20, 20 + SHORT + 1)), 50), "a longer run is a gap"),
    ],
)
def test_codes_and_gaps_stay_as_they_are(values, why):
    lattice = find_lattice(values)
    holes = find_holes(cut_bins(values, 40, lattice=lattice, least=5), values, lattice)
    assert not (holes.below + holes.above).any(), why


def heaped(rng, n_odd, *, codes):
    """Areas that are multiples of 20 in most rows; the others are any whole number, or some that recur."""
    odd = rng.choice(np.setdiff1d(np.arange(500, 3000), np.arange(500, 3000, 20)), n_odd, replace=not codes)
    odd = np.repeat(odd, rng.integers(1, 5, n_odd)) if codes else odd
    return np.concatenate([np.repeat(np.arange(500.0, 3000, 20), 30), odd])


def test_single_values_between_round_ones_are_spread_over_all_between():
    values = heaped(np.random.default_rng(0), 200, codes=False)
    codec = codec_of(values)
    every = np.arange(520.0, 2961)
    shares = share_in_bin(codec, every)
    assert (shares > 0).all()
    mass = np.bincount(codec.encode(values), minlength=codec.n_bins)[codec.encode(every)] * shares
    assert mass[every % 20 != 0].sum() == pytest.approx(200, rel=0.03)


def test_values_between_round_ones_that_recur_are_codes():
    values = heaped(np.random.default_rng(0), 60, codes=True)
    holes = find_holes(cut_bins(values, 254, lattice=find_lattice(values), least=5), values, find_lattice(values))
    assert not (holes.below + holes.above).any()


def test_a_condition_on_a_value_between_atoms_has_rows():
    rng = np.random.default_rng(0)
    delay = np.concatenate([minutes({60: 3}, each=12), [900.0] * 5])
    frame = pd.DataFrame({"delay": delay.astype(int), "late": delay + rng.normal(0, 20, len(delay)) > 100})
    model = Janus(random_state=0).fit(frame)
    assert model.sample(20, where="delay == 60", random_state=0)["delay"].eq(60).all()
    assert np.isfinite(model.log_prob(frame[frame["delay"] == 60])).all()
