"""Ordered columns: codes decode and encode back, and draws inside a bin follow its quantile function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE
from strategies import CONTINUOUS, ON_LATTICE, SHAPES, ordered_columns, quick, seeds

ENDS = [0.0, 5e-324, 1e-17, 1e-9, 1 - 1e-9, float(np.nextafter(1.0, 0.0)), 1.0]
"""Uniforms that are rare, and where rounding goes wrong."""


def draws(codec, u):
    """Every code at every u: codes and values."""
    codes = np.repeat(np.arange(codec.n_bins), len(u)).astype(CODE)
    return codes, codec.decode(codes, np.tile(np.asarray(u, float), codec.n_bins))


def is_atom(codec):
    return codec.knot[:, 0] == codec.knot[:, -1]


def lattice_points(codec, k):
    """All values of a bin on the lattice, by the bin's own ends."""
    first, last = codec.smallest(k), codec.largest(k)
    return codec.lattice.snap(first + codec.lattice.step * np.arange(round((last - first) / codec.lattice.step) + 1))


# Codes and values


@settings(quick, max_examples=80)
@given(ordered_columns(), seeds)
def test_encoding_decoded_codes_gives_the_codes_back(column, seed):
    codec = column.fit()
    codes, values = draws(codec, np.random.default_rng(seed).random(25))
    np.testing.assert_array_equal(codec.encode(values), codes)


@settings(quick, max_examples=80)
@given(ordered_columns())
def test_codes_come_back_at_the_very_ends_of_a_bin(column):
    codec = column.fit()
    codes, values = draws(codec, ENDS)
    np.testing.assert_array_equal(codec.encode(values), codes)


@settings(quick, max_examples=80)
@given(ordered_columns())
def test_decoded_values_stay_in_the_domain_and_on_the_lattice(column):
    codec = column.fit()
    _, values = draws(codec, [*ENDS, *np.linspace(0, 1, 23)])
    low = column.present.min() if column.low is None else column.low
    high = column.present.max() if column.high is None else column.high
    slack = 1e-9 * (0.0 if codec.lattice is None else codec.lattice.step)  # a bound may be off by rounding
    assert values.min() >= low - slack
    assert values.max() <= high + slack
    if codec.lattice is not None:
        np.testing.assert_array_equal(codec.lattice.snap(values), values)


@quick
@given(ordered_columns())
def test_training_values_lie_in_their_bin(column):
    """A row's own value is possible under its code, so its likelihood is never zero."""
    codec = column.fit()
    codes = codec.encode(column.values)
    assert np.isfinite(codec.log_density(column.values, codes)).all()
    present = ~np.isnan(column.values)
    assert (codes[~present] == codec.n_codes - 1).all()
    assert (codes[present] < codec.n_bins).all()


@quick
@given(ordered_columns())
def test_codes_keep_the_order_of_values(column):
    codec = column.fit()
    codes = codec.encode(np.sort(column.present))
    assert (np.diff(codes.astype(int)) >= 0).all()
    _, values = draws(codec, [0.5])
    assert (np.diff(values) > 0).all()


@quick
@given(ordered_columns())
def test_ends_of_a_bin_bound_its_draws(column):
    codec = column.fit()
    codes, values = draws(codec, np.linspace(0.01, 0.99, 15))
    smallest = np.array([codec.smallest(int(k)) for k in codes])
    largest = np.array([codec.largest(int(k)) for k in codes])
    assert (smallest <= values).all()
    assert (values <= largest).all()


@pytest.mark.parametrize("shape", ["cents", "cents, mostly zero", "sums of tenths"])
@pytest.mark.parametrize("n_bins", [10, 254])
def test_decimals_come_back_as_the_decimals_a_reader_gets(shape, n_bins):
    """Not 0.30000000000000004 but 0.3, bit for bit."""
    values = SHAPES[shape](np.random.default_rng(0), 3_000)
    codec = fit_ordered(values, n_bins=n_bins)
    _, drawn = draws(codec, np.linspace(0.01, 0.99, 37))
    assert all(value == float(f"{value:.2f}") for value in drawn)


@pytest.mark.parametrize("n_bins", [4, 10, 254])
def test_noise_in_the_last_bit_changes_nothing(n_bins):
    """0.1 + 0.2 is 0.30000000000000004 and means 0.3."""
    clean = np.repeat([0.3, 0.5, 0.7, 1.3, 2.9, 4.1], [90, 5, 5, 30, 2, 8])
    noisy = clean.copy()
    noisy[:40] = 0.1 + 0.2
    by_noisy, by_clean = fit_ordered(noisy, n_bins=n_bins), fit_ordered(clean, n_bins=n_bins)
    np.testing.assert_array_equal(by_noisy.knot, by_clean.knot)
    np.testing.assert_array_equal(by_noisy.level, by_clean.level)
    np.testing.assert_array_equal(by_clean.encode(noisy), by_clean.encode(clean))
    assert np.isfinite(by_clean.log_density(noisy, by_clean.encode(noisy))).all()


@pytest.mark.parametrize("n_bins", [10, 20, 254])
def test_single_precision_decimals_find_their_own_bin(n_bins):
    """0.1 as a 32-bit float is 0.10000000149; it is the atom 0.1, not a value just above it."""
    rng = np.random.default_rng(1)
    decimal = np.where(rng.random(4_000) < 0.5, 0.1, rng.integers(0, 2_000, 4_000) / 100)
    stored = decimal.astype(np.float32).astype(float)
    codec = fit_ordered(stored, n_bins=n_bins, single_precision=True)
    codes = codec.encode(stored)
    np.testing.assert_array_equal(codes, codec.encode(decimal))
    counts = np.bincount(codes, minlength=codec.n_codes)
    at = int(codec.encode(np.array([0.1]))[0])
    assert counts[at] >= (decimal == 0.1).sum()
    assert (counts[: codec.n_bins] > 0).all()
    assert np.isfinite(codec.log_density(stored, codes)).all()
    _, values = draws(codec, np.linspace(0.01, 0.99, 7))
    assert all(value == float(f"{value:.2f}") for value in values)


@pytest.mark.parametrize("values", [[7.25], [3.0] * 5, [1.0, 2.0], [-0.5] * 3 + [1e9], [0.0, np.nan]])
def test_one_or_two_values_come_back_exactly(values):
    codec = fit_ordered(np.array(values), n_bins=254, nullable=True)
    codes = codec.encode(np.array(values))
    for u in ENDS:
        np.testing.assert_array_equal(codec.decode(codes, np.full(len(codes), u)), values)


def test_missing_is_the_last_code_and_comes_back_as_nan():
    values = np.array([1.0, np.nan, 2.5, np.nan])
    codec = fit_ordered(values, n_bins=5, nullable=True)
    codes = codec.encode(values)
    assert codes.tolist() == [0, 2, 1, 2]
    assert codes.dtype == CODE
    assert np.isnan(codec.decode(codes, np.full(4, 0.5))).tolist() == [False, True, False, True]
    assert codec.log_density(values, codes).tolist() == [0.0] * 4
    assert codec.allowed.tolist() == [True, True, True]
    assert fit_ordered(values[::2], n_bins=5).allowed.tolist() == [True, True, False]


# Domains beyond the data


@pytest.mark.parametrize("shape", ["normal", "integers", "mostly zero", "one value"])
def test_a_declared_domain_gets_empty_bins_beyond_the_data(shape):
    values = SHAPES[shape](np.random.default_rng(2), 500)
    low, high = values.min() - 100.0, values.max() + 100.0
    plain, wide = fit_ordered(values, n_bins=20), fit_ordered(values, n_bins=20, low=low, high=high)
    assert wide.n_bins == plain.n_bins + 2
    counts = np.bincount(wide.encode(values), minlength=wide.n_bins)
    assert counts[0] == counts[-1] == 0
    assert wide.encode(np.array([low, high])).tolist() == [0, wide.n_bins - 1]
    _, drawn = draws(wide, np.linspace(0.001, 0.999, 400))
    inside = drawn[:400]
    assert (inside < values.min()).all()
    assert inside.min() <= low + 1
    assert inside.min() >= low
    assert (drawn[-400:] > values.max()).all()
    assert drawn.max() <= high


def test_rounding_does_not_leave_the_declared_domain():
    largest, high = next(
        (a, b) for a, b in np.random.default_rng(0).normal([2.0, 90.0], 1.0, (1000, 2)).tolist() if a + (b - a) > b
    )
    values = np.append(np.random.default_rng(1).normal(size=200), largest)
    values = values[values <= largest]
    codec = fit_ordered(values, n_bins=5, high=high)
    assert codec.decode(np.array([codec.n_bins - 1], np.uint16), np.array([1.0]))[0] <= high


def test_a_domain_that_ends_off_the_lattice_is_rounded_inwards():
    codec = fit_ordered(np.array([3.0, 4.0, 7.0]), n_bins=10, low=0.5, high=9.9)
    _, drawn = draws(codec, np.linspace(0, 1, 101))
    assert sorted(set(drawn)) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]


@pytest.mark.parametrize(("low", "high"), [(3.0, 7.0), (2.9, 7.4), (None, None)])
def test_a_domain_without_room_beyond_the_data_adds_no_bin(low, high):
    codec = fit_ordered(np.array([3.0, 4.0, 7.0]), n_bins=10, low=low, high=high)
    assert [codec.smallest(k) for k in range(codec.n_bins)] == [3.0, 4.0, 5.0, 6.0, 7.0]


def test_values_beyond_all_bins_go_to_the_nearest():
    codec = fit_ordered(np.random.default_rng(3).normal(size=500), n_bins=10)
    assert codec.encode(np.array([-1e9, 1e9, -np.inf, np.inf])).tolist() == [0, 9, 0, 9]


# The distribution inside a bin


@quick
@given(ordered_columns())
def test_quantile_functions_ascend_from_nothing_to_all(column):
    codec = column.fit()
    assert (np.diff(codec.knot, axis=1) >= 0).all()
    assert (np.diff(codec.level, axis=1) >= 0).all()
    assert (codec.level[:, 0] == 0).all()
    assert (codec.level[:, -1] == 1).all()
    assert (np.diff(codec.upper) >= 0).all()
    assert len(codec.upper) == codec.n_bins - 1


@quick
@given(ordered_columns(max_rows=2_000))
def test_share_below_is_the_distribution_function_of_decode(column):
    codec = column.fit()
    n = 400
    grid = (np.arange(n) + 0.5) / n
    codes, values = draws(codec, grid)
    asked = np.linspace(-0.1, 1.1, 13)
    for k in range(0, codec.n_bins, max(1, codec.n_bins // 12)):
        first, last = codec.knot[k, 0], codec.knot[k, -1]
        points = first + asked * (last - first)
        if codec.lattice is not None:  # a draw is rounded onto the lattice: ask between its values
            points = codec.lattice.snap(points) + codec.lattice.step / 2
        share = codec.share_below(np.full(13, k, CODE), points)
        drawn = (values[codes == k][:, None] <= points).mean(axis=0)
        np.testing.assert_allclose(share, drawn, atol=1.01 / n)


@quick
@given(ordered_columns(shapes=tuple(CONTINUOUS), max_rows=2_000))
def test_density_integrates_to_the_share_below(column):
    """Between neighbouring knots the density is constant, so a midpoint per piece is the whole integral."""
    codec = column.fit()
    if codec.lattice is not None:
        return  # a handful of values may share a lattice
    for k in np.flatnonzero(~is_atom(codec)):
        knots = np.unique(codec.knot[k])
        middle, width = (knots[1:] + knots[:-1]) / 2, np.diff(knots)
        bins = np.full(len(middle), k, CODE)
        mass = np.exp(codec.log_density(middle, bins)) * width
        assert mass.sum() == pytest.approx(1.0, abs=1e-6)
        np.testing.assert_allclose(np.cumsum(mass), codec.share_below(bins, knots[1:]), atol=1e-6)


@quick
@given(ordered_columns(shapes=tuple(ON_LATTICE), max_rows=2_000))
def test_masses_of_the_lattice_sum_to_one_in_every_bin(column):
    codec = column.fit()
    for k in range(codec.n_bins):
        if codec.knot[k, -1] - codec.knot[k, 0] > 1e5 * codec.lattice.step:
            continue  # too many points to list
        points = lattice_points(codec, k)
        mass = np.exp(codec.log_density(points, np.full(len(points), k, CODE)))
        assert mass.sum() == pytest.approx(1.0, abs=1e-9)


@quick
@given(ordered_columns())
def test_an_atom_has_mass_one_and_its_neighbourhood_none(column):
    codec = column.fit()
    for k in np.flatnonzero(is_atom(codec)):
        value = codec.knot[k, :1]
        assert codec.log_density(value, np.full(1, k, CODE)).tolist() == [0.0]
        step = codec.lattice.step if codec.lattice else max(1e-3, abs(value[0]))
        assert codec.log_density(value + step, np.full(1, k, CODE)).tolist() == [-np.inf]


@pytest.mark.parametrize(
    ("values", "weight"),
    [
        ([0.0, 1.0, 2.0, 3.0], [10, 30, 40, 20]),
        ([0.0, 1.0, 2.0, 4.0], [10.5, 30.5, 40.5, 0.5, 20.5]),  # 3 was missed by chance: half a row
    ],
)
def test_a_short_run_of_integers_keeps_the_mass_of_each(values, weight):
    codec = fit_ordered(np.repeat(values, [10, 30, 40, 20]), n_bins=1)
    points = np.arange(float(len(weight)))
    mass = np.exp(codec.log_density(points, np.zeros(len(points), CODE)))
    np.testing.assert_allclose(mass, np.array(weight) / sum(weight), atol=1e-12)


def test_uniform_inside_the_bin_ignores_where_its_values_lie():
    values = np.sort(np.random.default_rng(4).exponential(size=2_000))
    codec = fit_ordered(values, n_bins=4, within="uniform", equal_mass=True)
    u = np.linspace(0, 1, 11)
    for k in range(4):
        first, last = codec.knot[k, 0], codec.knot[k, -1]
        np.testing.assert_allclose(codec.decode(np.full(11, k, CODE), u), first + u * (last - first), rtol=1e-12)


@pytest.mark.parametrize("shape", ["normal", "lognormal", "heavy tail", "two heavy tails", "mostly zero"])
@pytest.mark.parametrize("n_bins", [50, 254])
def test_quantiles_of_decoded_rows_are_those_of_the_column(shape, n_bins):
    """Each row's code is drawn anew inside its bin 20 times: counts per bin are exact, the inside is not."""
    rng = np.random.default_rng(5)
    values = SHAPES[shape](rng, 20_000)
    codec = fit_ordered(values, n_bins=n_bins, within="knots")
    codes = np.tile(codec.encode(values), 20)
    drawn = codec.decode(codes, rng.random(len(codes)))
    for share in (0.001, 0.01, 0.5, 0.99, 0.999):
        reached = (values <= np.quantile(drawn, share)).mean()
        before = (values < np.quantile(drawn, share)).mean()
        room = 0.15 * min(share, 1 - share)
        assert before - room <= share <= reached + room
    for share in (0.99, 0.999):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(values, share), rel=0.1)


def test_the_mean_of_a_heavy_tail_survives():
    rng = np.random.default_rng(6)
    values = rng.pareto(2.5, 20_000)
    codec = fit_ordered(values, n_bins=254)
    codes = np.tile(codec.encode(values), 20)
    drawn = codec.decode(codes, rng.random(len(codes)))
    assert drawn.mean() == pytest.approx(values.mean(), rel=0.02)
    assert drawn.max() <= values.max()


def test_the_shape_of_a_bin_is_not_that_of_single_rows_in_small_tables():
    """Cells of a lattice with fewer than five rows share theirs, though values of two rows are kept (least=2)."""
    values = np.repeat([0.0, 0.1, 0.3, 0.4, 0.5, 0.7, 0.9, 1.1, 1.3, 1.6], [1, 3, 2, 1, 4, 1, 2, 1, 3, 2])
    kept, shared = (fit_ordered(values, n_bins=3, least=least) for least in (1, 2))
    middle = slice(1, shared.n_bins - 1)

    def steps(codec):
        inside = np.diff(codec.level[middle])[np.diff(codec.knot[middle]) > 0]
        return np.unique(inside.round(9))

    assert len(steps(kept)) > 2
    assert len(steps(shared)) <= 2
