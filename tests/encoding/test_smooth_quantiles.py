"""Smooth quantile functions: nearer the truth than the sample where a column is smooth, and none elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from janus_synth.encoding.ordered import fit_ordered
from janus_synth.encoding.smooth_quantiles import GRID, PIECES, ROWS_PER_PIECE, SmoothQuantiles, smooth_quantiles
from janus_synth.kernels.dtypes import CODE
from strategies import CONTINUOUS, quick, seeds

TRUTHS = {
    "normal": stats.norm(3.0, 2.0),
    "exponential": stats.expon(),
    "Pareto": stats.pareto(2.5),
}
ENDS = [0.0, 5e-324, 1e-17, 1e-9, 0.3, 1 - 1e-9, float(np.nextafter(1.0, 0.0)), 1.0]
"""Uniforms where rounding goes wrong, and one where it does not."""
NEEDED = PIECES[1] * ROWS_PER_PIECE
"""Rows from which two candidate numbers of pieces can be compared."""


def smooth(values):
    """Curve through unsorted values, between the least and the largest."""
    values = np.sort(values)
    return smooth_quantiles(values, values[0], values[-1])


def clusters(rng, n, n_clusters, width=1e-3):
    """Values in narrow clusters around whole numbers."""
    return rng.integers(0, n_clusters, n) + width * rng.normal(size=n)


def between(values):
    """Share of values that lie in no cluster."""
    return float((np.abs(values - np.rint(values)) > 0.1).mean())


def astray(codec, values):
    """The same of a column drawn anew inside its bins."""
    n = 100
    codes = np.repeat(codec.encode(values), n)
    return between(codec.decode(codes, np.tile((np.arange(n) + 0.5) / n, len(values))))


def uneven(codec, truth):
    """Root mean square of  K · (true mass of a bin) − 1  over the bins of the middle 80 %; K bins of equal mass."""
    below = truth.cdf(codec.upper)
    middle = (below[:-1] > 0.1) & (below[1:] < 0.9)
    return float(np.sqrt(np.mean((codec.n_bins * np.diff(below)[middle] - 1) ** 2)))


def everywhere(codec):
    """Every code at every end: codes and values."""
    codes = np.repeat(np.arange(codec.n_bins), len(ENDS)).astype(CODE)
    return codes, codec.decode(codes, np.tile(ENDS, codec.n_bins))


def assert_sound(values, n_bins):
    """Codes come back, values stay within the column's, and every row of it is possible."""
    codec = fit_ordered(values, n_bins=n_bins)
    codes, drawn = everywhere(codec)
    np.testing.assert_array_equal(codec.encode(drawn), codes)
    assert values.min() <= drawn.min()
    assert drawn.max() <= values.max()
    assert np.isfinite(codec.log_density(values, codec.encode(values))).all()
    assert (np.diff(codec.knot, axis=1) >= 0).all()
    return codec


# Nearer the truth


@pytest.mark.statistical
@pytest.mark.parametrize("name", TRUTHS)
def test_bins_of_a_smooth_column_hold_what_they_should(name):
    """Bins of twenty rows are off by 1/√20 = 0.22 by chance; along a curve of 16 or 32 pieces by 0.06 or 0.08.

    Five samples have the squares of 130 pieces of the coarser kind in their middle (χ²): even those of 32 exceed half
    of what chance does to the bins with a probability of less than 1e-4, and a curve that follows every bin does so.
    """
    truth, n, squares = TRUTHS[name], 5_000, []
    for seed in range(5):
        values = truth.rvs(size=n, random_state=seed)
        raw, curved = (fit_ordered(values, n_bins=254, within=how) for how in ("knots", "smooth"))
        assert smooth(values) is not None
        assert curved.n_bins == raw.n_bins == 254
        squares.append([uneven(raw, truth) ** 2, uneven(curved, truth) ** 2])
    of_raw, of_curved = np.sqrt(np.mean(squares, axis=0))
    assert of_raw == pytest.approx(np.sqrt(254 / n), rel=0.1)  # the measure measures chance: 1,000 bins, ± 4 deviations
    assert of_curved < of_raw / 2


@pytest.mark.statistical
@pytest.mark.parametrize("name", TRUTHS)
def test_a_smooth_curve_keeps_the_quantiles_of_the_sample(name):
    """It may not trade chance for a bias."""
    truth, n, false_alarm = TRUTHS[name], 5_000, 1e-6
    for seed in range(3):
        values = np.sort(truth.rvs(size=n, random_state=seed))
        shares = np.linspace(0.01, 0.99, 99)
        # DKW for the sample, 0.038, is what chance may do; the curve adds less than a third of it to the sample.
        bound = np.sqrt(np.log(2 / false_alarm) / (2 * n))
        reached = truth.cdf(smooth(values)(shares))
        assert np.abs(reached - shares).max() <= bound
        assert np.abs(reached - truth.cdf(np.quantile(values, shares))).max() <= bound / 3


@pytest.mark.parametrize("name", TRUTHS)
def test_draws_from_a_column_with_a_curve_follow_it(name):
    """Every code at every level of its bin lies on the curve of the whole column."""
    values = TRUTHS[name].rvs(size=3_000, random_state=0)
    codec, curve = fit_ordered(values, n_bins=50), smooth(values)
    for k in range(50):
        np.testing.assert_allclose(codec.knot[k], curve((k + codec.level[k]) / 50), rtol=1e-12)
    np.testing.assert_array_equal(codec.upper, codec.knot[:-1, -1])
    np.testing.assert_array_equal(codec.knot[1:, 0], codec.knot[:-1, -1])


def test_bins_are_smooth_only_where_it_was_asked_for():
    values = np.random.default_rng(0).normal(size=3_000)
    curved, raw = fit_ordered(values, n_bins=20), fit_ordered(values, n_bins=20, within="knots")
    assert not np.array_equal(curved.upper, raw.upper)
    for settings in ({"within": "uniform"}, {"equal_mass": True}, {"within": "uniform", "equal_mass": True}):
        np.testing.assert_array_equal(fit_ordered(values, n_bins=20, **settings).upper, raw.upper)


def test_a_lattice_is_not_smoothed():
    cents = np.round(np.random.default_rng(0).normal(size=3_000), 2)
    smooth_one, raw = (fit_ordered(cents, n_bins=20, within=how) for how in ("smooth", "knots"))
    assert raw.lattice is not None
    for part in ("upper", "knot", "level"):
        np.testing.assert_array_equal(getattr(smooth_one, part), getattr(raw, part))


# Out of the way


@pytest.mark.parametrize("width", [1e-3, 0.01])
@pytest.mark.parametrize(("n_clusters", "n"), [(10, 5_000), (40, 5_000), (10, 600), (3, 5_000), (3, 600)])
def test_narrow_clusters_stay_clusters(n_clusters, n, width):
    """No curve, or one that crosses each gap with a piece of the finest kind at most."""
    values = clusters(np.random.default_rng(0), n, n_clusters, width)
    curve = smooth(values)
    if curve is not None:
        assert between(curve((np.arange(50_000) + 0.5) / 50_000)) <= (n_clusters - 1) / PIECES[-2]
    raw, codec = (fit_ordered(values, n_bins=254, within=how) for how in ("knots", "smooth"))
    assert astray(codec, values) <= astray(raw, values) + (n_clusters - 1) / PIECES[-2]


def test_values_rough_to_the_finest_piece_get_no_curve():
    assert smooth(clusters(np.random.default_rng(3), 5_000, 40, width=0.05)) is None


@pytest.mark.parametrize("n", [1, 2, 10, NEEDED - 1])
def test_few_rows_get_no_curve(n):
    assert smooth(np.random.default_rng(4).normal(size=n)) is None


def test_enough_rows_of_a_smooth_column_get_a_curve():
    found = [smooth(np.random.default_rng(seed).normal(size=NEEDED)) for seed in range(20)]
    assert any(curve is not None for curve in found)
    assert smooth(np.random.default_rng(4).normal(size=4 * NEEDED)) is not None


@pytest.mark.parametrize("share", [0.001, 0.2, 0.9])
def test_repeated_values_do_not_break_it(share):
    """Atoms split the column into runs with a curve each; values that recur too rarely to be atoms do no harm."""
    rng = np.random.default_rng(5)
    values = np.where(rng.random(4_000) < share, rng.choice([0.0, 1.0, -0.7], 4_000), rng.normal(size=4_000))
    codec = assert_sound(values, 254)
    for value in (0.0, 1.0, -0.7):
        code = codec.encode(np.array([value]))[0]
        assert (codec.knot[code, 0] == codec.knot[code, -1]) == (share >= 0.2)


def test_values_that_all_recur_have_no_curve():
    values = np.repeat(np.random.default_rng(6).normal(size=50), 40)
    assert smooth(values) is None
    assert_sound(values, 254)


# Sound in any case


@quick
@given(st.sampled_from(list(CONTINUOUS)), st.integers(NEEDED, 5_000), st.sampled_from([2, 20, 254]), seeds)
def test_codes_come_back_and_values_stay_within_the_column(shape, n, n_bins, seed):
    assert_sound(CONTINUOUS[shape](np.random.default_rng(seed), n), n_bins)


@pytest.mark.parametrize("n_bins", [2, 254])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda rng: 1e-300 * rng.normal(size=600), id="tiny"),
        pytest.param(lambda rng: 1e307 * rng.normal(size=600), id="huge"),
        pytest.param(lambda rng: np.append(rng.normal(size=600), [-1e300, 1e300]), id="marks for none"),
        pytest.param(lambda rng: np.exp(rng.uniform(-600, 0, 600)), id="of every size"),
        pytest.param(lambda rng: 1e12 + rng.normal(size=600), id="far from zero"),
        pytest.param(lambda rng: 1e15 + 100 * rng.normal(size=600), id="nearly as far apart as floats"),
    ],
)
def test_values_of_any_size_are_sound(values, n_bins):
    assert_sound(values(np.random.default_rng(7)), n_bins)


@pytest.mark.parametrize("shape", ["normal", "lognormal", "mostly zero", "round values among smooth ones"])
def test_sorted_and_unsorted_values_give_the_same_codec(shape):
    values = CONTINUOUS[shape](np.random.default_rng(8), 4_000)
    one, *others = (fit_ordered(some, n_bins=100) for some in (values, np.sort(values), np.sort(values)[::-1].copy()))
    for other in others:
        for part in ("upper", "knot", "level"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def test_a_column_has_the_same_curve_every_time():
    values = np.random.default_rng(9).normal(size=2_000)
    shares = np.linspace(0, 1, 101)
    np.testing.assert_array_equal(smooth(values)(shares), smooth(values)(shares))


def test_a_run_between_atoms_reaches_from_one_to_the_other():
    rng = np.random.default_rng(10)
    values = np.concatenate([np.zeros(3_000), np.ones(3_000), rng.uniform(0, 1, 3_000)])
    codec = assert_sound(values, 100)
    atoms = codec.encode(np.array([0.0, 1.0]))
    inside = codec.knot[atoms[0] + 1 : atoms[1]]
    assert (inside[0, 0], inside[-1, -1]) == (0.0, 1.0)
    np.testing.assert_allclose(inside[:, -1], np.arange(1, len(inside) + 1) / len(inside), atol=0.04)  # DKW at 1e-4


# The curve itself


@quick
@given(st.sampled_from(list(TRUTHS)), st.integers(4 * NEEDED, 4_000), seeds)
def test_a_curve_ascends_from_end_to_end(name, n, seed):
    values = np.sort(TRUTHS[name].rvs(size=n, random_state=seed))
    curve = smooth_quantiles(values, values[0] - 1.0, values[-1] + 1.0)
    if curve is None:
        return  # a sample may look rough by chance
    found = curve(np.linspace(0, 1, 2_001))
    assert (np.diff(found) > 0).all()
    assert (found[0], found[-1]) == (values[0] - 1.0, values[-1] + 1.0)


def test_a_curve_runs_through_its_points_and_its_density_integrates_to_one():
    points, shares = np.array([-2.0, 0.0, 0.5, 4.0]), np.array([0.0, 0.3, 0.8, 1.0])
    curve = SmoothQuantiles(points, shares)
    np.testing.assert_allclose(curve(shares), points, atol=1e-12)
    grid = np.linspace(-2, 4, 60_001)
    middle = (grid[1:] + grid[:-1]) / 2
    density = np.exp(curve.log_density(middle))
    assert (density * np.diff(grid)).sum() == pytest.approx(1.0, abs=1e-6)
    for point, share in zip(points, shares, strict=True):
        assert density[middle < point].sum() * (grid[1] - grid[0]) == pytest.approx(share, abs=1e-4)
    assert (curve.log_density(np.array([-2.1, 4.1])) < -15).all()


def test_between_its_points_the_quantile_function_runs_straight_in_short_pieces():
    """The quantile function is the curve turned over, to within the straight pieces of its grid."""
    points, shares = np.array([-2.0, 0.0, 0.5, 4.0]), np.array([0.0, 0.3, 0.8, 1.0])
    curve, grid = SmoothQuantiles(points, shares), np.linspace(-2, 4, 100_001)
    middle = (grid[1:] + grid[:-1]) / 2
    below = np.cumsum(np.exp(curve.log_density(middle)) * np.diff(grid))
    np.testing.assert_allclose(curve(below), grid[1:], atol=np.diff(points).max() / GRID)
