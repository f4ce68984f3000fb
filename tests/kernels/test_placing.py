"""Weights and draws inside sets against the reference, bin by bin, with stated false-alarm rates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels import placing
from janus_synth.kernels.dtypes import CODE, INDEX, REAL
from reference import placing as reference
from strategies import SHAPES, ordered_columns, quick, seeds

EXACT = 1e-9
BELOW_ONE = float(np.nextafter(1.0, 0.0))


def grid_of(codec):
    """Base, gap, scale of a codec's lattice; scale 0 where there is none."""
    lattice = codec.lattice
    return np.array([lattice.base, lattice.gap, lattice.scale] if lattice else [0, 1, 0], REAL)


def step_of(codec):
    return codec.lattice.step if codec.lattice else 0.0


def bins_of(codec):
    return placing.Bins(codec.level, codec.knot, step_of(codec) / 2)


def cuts_of(codec, rng, n):
    """Sorted values to cut the line at: drawn ones, ends of bins, and some outside; on the lattice if there is one."""
    low, high = codec.smallest(0), codec.largest(codec.n_bins - 1)
    drawn = codec.decode(rng.integers(0, codec.n_bins, n).astype(CODE), rng.random(n))
    spread = max(high - low, 1.0)
    cuts = np.concatenate([drawn, rng.choice(codec.knot.ravel(), n), rng.uniform(low - spread, high + spread, 2)])
    cuts = np.unique(rng.choice(cuts, n))
    return cuts if codec.lattice is None else np.unique(codec.lattice.snap(cuts))


def partition_of(codec, cuts):
    """Closed intervals that cover the line: they share their ends, or on a lattice are neighbours."""
    ends = [-np.inf, *cuts, np.inf]
    if codec.lattice is None:
        return [(float(a), float(b)) for a, b in pairwise(ends)]
    step = codec.lattice.step
    after = [-np.inf, *codec.lattice.snap(cuts + step)]
    pairs = zip(after, [*map(float, cuts), np.inf], strict=True)
    return [(float(a), float(b)) for a, b in pairs if a <= b]


def some_sets(codec, rng, n_rows):
    """Random sets, some empty, some of single points, as start, intervals and null, and as lists."""
    lists = []
    for _ in range(n_rows):
        parts = partition_of(codec, cuts_of(codec, rng, int(rng.integers(1, 8))))
        kept = [part for part in parts[:: int(rng.integers(1, 3))] if rng.random() < 0.7]
        if rng.random() < 0.3:
            points = cuts_of(codec, rng, 2)
            kept = [(float(v), float(v)) for v in points]
        lists.append([part for i, part in enumerate(kept) if i == 0 or kept[i - 1][1] < part[0]])
    return *flat(lists), rng.integers(0, 2, n_rows).astype(np.uint8), lists


def flat(lists):
    """Start and intervals of some lists."""
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return start, np.array([part for some in lists for part in some], REAL).reshape(-1, 2)


def weigh(codec, start, intervals, null):
    w = np.full((len(null), codec.n_codes), np.nan, REAL)
    placing.weigh_bins(start, intervals, null, codec.level, codec.knot, step_of(codec) / 2, w)
    return w


def place(codec, codes, u, start, intervals):
    values = np.full(len(codes), -99.0)
    placing.place_in_bins(
        codes.astype(CODE), u, start, intervals, codec.level, codec.knot, codec.upper, grid_of(codec), values
    )
    return values


def inside(values, intervals):
    values = np.asarray(values)[:, None]
    return ((intervals[:, 0] <= values) & (values <= intervals[:, 1])).any(axis=1)


# Weights


@quick
@given(ordered_columns(), seeds)
def test_shares_below_a_value_are_those_of_the_codec(column, seed):
    codec, rng = column.fit(), np.random.default_rng(seed)
    for value in cuts_of(codec, rng, 20):
        bins = np.arange(codec.n_bins).astype(CODE)
        expected = codec.share_below(bins, np.full(codec.n_bins, value))
        wide = codec.knot[:, 0] < codec.knot[:, -1]
        found = [bins_of(codec).share_below(k, value) for k in range(codec.n_bins)]
        np.testing.assert_allclose(np.array(found)[wide], expected[wide], atol=EXACT)
        twin = [reference.share_below(codec.level, codec.knot, k, value) for k in range(codec.n_bins)]
        np.testing.assert_allclose(np.array(found)[wide], np.array(twin)[wide], atol=EXACT)


@quick
@given(ordered_columns(), seeds)
def test_weights_of_bins_equal_the_reference(column, seed):
    codec = column.fit()
    start, intervals, null, lists = some_sets(codec, np.random.default_rng(seed), 8)
    found = weigh(codec, start, intervals, null)
    for row, own, flag in zip(found, lists, null, strict=True):
        expected = reference.weigh_bins(own, flag, codec.level, codec.knot, step_of(codec) / 2)
        np.testing.assert_allclose(row, expected, rtol=1e-6, atol=EXACT)


@quick
@given(ordered_columns(), seeds)
def test_the_parts_of_a_partition_share_each_bin_out(column, seed):
    """An atom at the border of two closed intervals of the line belongs to both; nothing else is counted twice."""
    codec, rng = column.fit(), np.random.default_rng(seed)
    parts = partition_of(codec, cuts_of(codec, rng, 6))
    masses = [[bins_of(codec).mass_between(k, *part) for k in range(codec.n_bins)] for part in parts]
    atom = codec.knot[:, 0] == codec.knot[:, -1]
    times = np.array([sum(low <= value <= high for low, high in parts) for value in codec.knot[:, 0]])
    np.testing.assert_allclose(np.sum(masses, axis=0), np.where(atom, times, 1.0), atol=1e-6)
    assert (times[atom] == 1).all() or codec.lattice is None
    whole = weigh(codec, *flat([parts[:1], [(-np.inf, np.inf)], []]), np.array([0, 1, 0], np.uint8))
    np.testing.assert_allclose(whole[1], 1.0)
    assert not whole[2].any()


@quick
@given(ordered_columns(tuple(SHAPES)), seeds)
def test_on_a_lattice_weights_are_shares_of_the_values_that_the_codec_emits(column, seed):
    """Decode an even grid of uniforms: the share inside the set equals the weight."""
    codec, rng = column.fit(), np.random.default_rng(seed)
    if codec.lattice is None:
        return
    start, intervals, null, _ = some_sets(codec, rng, 3)
    w = weigh(codec, start, intervals, null)
    n = 1000
    u = (np.arange(n) + 0.5) / n
    for code in rng.integers(0, codec.n_bins, 5):
        values = codec.decode(np.full(n, code, CODE), u)
        for r in range(3):
            own = intervals[start[r] : start[r + 1]]
            assert inside(values, own).mean() == pytest.approx(w[r, code], abs=(2 * len(own) + 1) / n)


def test_points_without_mass_are_weighed_by_density():
    codec = fit_ordered(np.concatenate([np.linspace(0, 1, 400), np.linspace(1, 5, 100)]) + 1e-7, n_bins=10)
    start, intervals = flat([[(0.2, 0.2)], [(0.2, 0.2), (2.6, 2.6)], [(0.2, 0.2), (2.6, 2.6001)], [(7.0, 7.0)]])
    w = weigh(codec, start, intervals, np.zeros(4, np.uint8))
    dense, thin = (int(codec.encode(np.array([value]))[0]) for value in (0.2, 2.6))
    for row, codes in zip(w, ([dense], sorted((dense, thin)), [thin], []), strict=True):
        assert np.flatnonzero(row).tolist() == codes  # a mass makes densities void
    slopes = np.exp(codec.log_density(np.array([0.2, 2.6]), np.array([dense, thin], CODE)))
    np.testing.assert_allclose(w[1, [dense, thin]], slopes)
    assert 0 < w[2, thin] < 1


@quick
@given(seeds, st.integers(1, 12), st.integers(1, 6))
def test_levels_are_weighed_and_placed_as_in_the_reference(seed, n_levels, n_codes):
    rng = np.random.default_rng(seed)
    code_of_level = rng.integers(0, n_codes, n_levels).astype(INDEX)
    share = np.round(rng.random(n_levels), 2) * (rng.random(n_levels) < 0.8)
    lists = []
    for _ in range(5):
        ends = np.sort(rng.choice(np.arange(-2.0, 2 * n_levels) / 2, 4, replace=False)) if n_levels > 2 else [0.0, 0.5]
        pairs = [(float(a), float(b)) for a, b in zip(ends[::2], ends[1::2], strict=True)]
        lists.append([pairs, [(-np.inf, np.inf)], []][int(rng.choice(3, p=[0.6, 0.2, 0.2]))])
    start, intervals = flat(lists)
    null = rng.integers(0, 2, 5).astype(np.uint8)
    w = np.full((5, n_codes + 1), np.nan, REAL)
    placing.weigh_levels(start, intervals, null, code_of_level, share, w)
    codes, u = rng.integers(0, n_codes + 1, 5).astype(CODE), rng.random(5)
    u[0] = rng.choice([0.0, BELOW_ONE])
    values = np.full(5, -99.0)
    placing.place_levels(codes, u, start, intervals, code_of_level, share, values)
    for r in range(5):
        expected = reference.weigh_levels(lists[r], null[r], code_of_level, share, n_codes + 1)
        np.testing.assert_allclose(w[r], expected, atol=EXACT)
        np.testing.assert_equal(values[r], reference.place_levels(codes[r], u[r], lists[r], code_of_level, share))
    for r in range(5):  # one set for all rows
        placing.place_levels(codes, u, *flat([lists[r]]), code_of_level, share, values)
        expected = [reference.place_levels(codes[i], u[i], lists[r], code_of_level, share) for i in range(5)]
        np.testing.assert_equal(values, expected)


# Draws


@quick
@given(ordered_columns(), seeds)
def test_values_lie_in_the_set_in_the_bin_and_on_the_lattice(column, seed):
    codec, rng = column.fit(), np.random.default_rng(seed)
    start, intervals, null, lists = some_sets(codec, rng, 6)
    w = weigh(codec, start, intervals, null)
    for r, own in enumerate(lists):
        codes = np.flatnonzero(w[r, :-1] > 1e-6)
        if not len(codes):
            continue
        codes = np.repeat(rng.choice(codes, 8), 5)
        u = rng.random(len(codes))
        u[:3] = 0.0, 1.0, BELOW_ONE
        values = place(codec, codes, u, *flat([own]))
        assert inside(values, np.array(own)).all()
        borders = codec.knot[codes][:, [0, -1]]  # two bins share a border, up to rounding
        shared = np.isclose(values[:, None], borders, rtol=1e-12, atol=0.0).any(axis=1) & (step_of(codec) == 0)
        np.testing.assert_array_equal(codec.encode(values)[~shared], codes[~shared])
        if codec.lattice is not None:
            np.testing.assert_array_equal(codec.lattice.snap(values), values)


@quick
@given(ordered_columns(), seeds)
def test_values_are_the_truncated_quantile_function_at_u(column, seed):
    """Also with a set per row; a missing code is NaN, and so is a bin of which nothing is left."""
    codec, rng = column.fit(), np.random.default_rng(seed)
    start, intervals, null, lists = some_sets(codec, rng, 30)
    w = weigh(codec, start, intervals, null)
    codes, u = rng.integers(0, codec.n_codes, 30).astype(CODE), rng.random(30)
    values = place(codec, codes, u, start, intervals)
    step = step_of(codec)
    for r, code in enumerate(codes):
        if code == codec.n_bins or not lists[r]:
            assert np.isnan(values[r])
        elif w[r, code] > 1e-6:
            expected = reference.place_in_bins(code, u[r], lists[r], codec.level, codec.knot, grid_of(codec))
            close = 1e-6 * (codec.knot[code, -1] - codec.knot[code, 0]) + EXACT * abs(expected)
            assert abs(values[r] - expected) <= close + step  # a rounding apart, a lattice value may be the next


def test_points_without_mass_are_drawn_by_density():
    codec = fit_ordered(np.concatenate([np.linspace(0, 1, 400), np.linspace(1, 5, 100)]) + 1e-7, n_bins=1)
    points = np.array([0.2, 0.7, 3.0])
    start, intervals = flat([[(float(point), float(point)) for point in points]])
    n = 9_000
    values = place(codec, np.zeros(n, int), (np.arange(n) + 0.5) / n, start, intervals)
    found, counts = np.unique(values, return_counts=True)
    slopes = np.exp(codec.log_density(points, np.zeros(3, CODE)))
    np.testing.assert_array_equal(found, points)
    np.testing.assert_allclose(counts / n, slopes / slopes.sum(), atol=2 / n)


def test_an_atom_takes_the_exact_float_that_the_set_contains():
    """A known combination may hold 0.1 + 0.2, and only that very number satisfies it."""
    codec = fit_ordered(np.repeat([0.1, 0.3, 0.7], 20), n_bins=5)
    noisy = 0.1 + 0.2
    assert noisy != 0.3
    start, intervals = flat([[(noisy, noisy)]])
    w = weigh(codec, start, intervals, np.zeros(1, np.uint8))
    code = codec.encode(np.array([0.3]))
    assert w[0].tolist() == [float(k == code[0]) for k in range(codec.n_codes)]
    assert place(codec, code, np.array([0.5]), start, intervals).tolist() == [noisy]


@pytest.mark.statistical
@pytest.mark.parametrize("shape", ["lognormal", "mostly zero", "cents", "integers", "two heavy tails"])
def test_draws_in_a_set_follow_the_truncated_distribution(shape):
    n, false_alarm = 20_000, 1e-6
    rng = np.random.default_rng(11)
    codec = fit_ordered(SHAPES[shape](rng, 800), n_bins=12)
    free = codec.decode(rng.integers(0, codec.n_bins, 4000).astype(CODE), rng.random(4000))
    low, middle, other, high = (float(v) for v in np.quantile(free, [0.2, 0.45, 0.6, 0.9]))
    start, intervals = flat([[(low, middle), (other, high)]])
    w = weigh(codec, start, intervals, np.zeros(1, np.uint8))
    weights = rng.dirichlet(np.ones(codec.n_codes))
    codes, totals, u = np.zeros(n, CODE), np.empty(n), rng.random(n)
    placing.draw_scored(np.repeat((weights * w[0])[None], n, axis=0), u, codes, totals)
    values = np.sort(place(codec, codes, u, start, intervals))

    def below(value):
        """Mass of the set up to a value."""
        parts = [(low, min(value, high)) for low, high in intervals if low <= value]
        return weights @ reference.weigh_bins(parts, 0, codec.level, codec.knot, step_of(codec) / 2)

    at = np.unique(values)[:: max(1, len(np.unique(values)) // 300)]
    expected = np.array([below(value) for value in at]) / (weights @ w[0])
    gap = np.abs(np.searchsorted(values, at, side="right") / n - expected).max()
    assert gap <= np.sqrt(np.log(2 / false_alarm) / (2 * n))  # DKW: 0.019; a true gap of 0.04 is caught


@quick
@given(seeds, st.integers(1, 8), st.integers(1, 6))
def test_codes_are_drawn_by_their_scores(seed, n_rows, n_codes):
    rng = np.random.default_rng(seed)
    score = rng.random((n_rows, n_codes)) * (rng.random((n_rows, n_codes)) < 0.6) * 10.0 ** rng.integers(-9, 3)
    u = rng.random(n_rows)
    u[0] = rng.choice([0.0, BELOW_ONE])
    rest, codes, totals = u.copy(), np.full(n_rows, 77, CODE), np.full(n_rows, np.nan)
    placing.draw_scored(score, rest, codes, totals)
    for r in range(n_rows):
        code, left, total = reference.draw_scored(score[r], u[r])
        assert totals[r] == pytest.approx(total)
        if code is None:
            assert (codes[r], rest[r]) == (77, u[r])
        else:
            assert codes[r] == code
            assert score[r, code] > 0
            assert 0 <= rest[r] <= 1
            assert u[r] == BELOW_ONE or rest[r] == pytest.approx(left, abs=EXACT)


def test_an_even_grid_of_uniforms_gives_every_code_its_share_of_the_scores():
    n, score = 9_000, np.array([0.0, 2.0, 1.0, 0.0, 6.0, 0.0])
    codes, u, totals = np.zeros(n, CODE), (np.arange(n) + 0.5) / n, np.empty(n)
    placing.draw_scored(np.repeat(score[None], n, axis=0), u, codes, totals)
    assert np.bincount(codes, minlength=6).tolist() == [0, 2000, 1000, 0, 6000, 0]
    assert (totals == 9).all()
    for code in (1, 2, 4):  # what is left of the uniforms is an even grid again
        own = np.sort(u[codes == code])
        np.testing.assert_allclose(own, (np.arange(len(own)) + 0.5) / len(own), atol=EXACT)


@quick
@given(seeds, st.integers(1, 40), st.integers(1, 60), st.sampled_from([0.0, 0.3, BELOW_ONE]))
def test_systematic_resampling_takes_every_row_its_share_rounded_up_or_down(seed, n_rows, n, u):
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=n_rows) ** 3 * (rng.random(n_rows) < 0.7)
    weights[rng.integers(n_rows)] = 1.0
    chosen = np.full(n, -1, INDEX)
    placing.systematic(weights, u, chosen)
    counts, due = np.bincount(chosen, minlength=n_rows), n * weights / weights.sum()
    assert (counts <= np.ceil(due + EXACT)).all()
    assert (counts >= np.floor(due - EXACT)).all()
    assert not counts[weights == 0].any()
    assert (np.diff(chosen) >= 0).all()
    if u == 0.3:  # at the ends of the unit interval rounding decides between neighbours
        np.testing.assert_array_equal(chosen, reference.systematic(weights, u, n))


def kept_from_writing(*arrays):
    """Read-only copies."""
    copies = [array.copy() for array in arrays]
    for copy in copies:
        copy.flags.writeable = False
    return copies


@pytest.mark.parametrize("n", [0, 1, 5])
def test_inputs_may_be_read_only_and_rows_few_or_none(n):
    rng = np.random.default_rng(4)
    codec = fit_ordered(np.round(rng.lognormal(size=300), 1), n_bins=9)
    start, intervals, null, _ = some_sets(codec, rng, n)
    codes, u = rng.integers(0, codec.n_codes, n).astype(CODE), rng.random(n)
    expected = weigh(codec, start, intervals, null), place(codec, codes, u, start, intervals)
    level, knot, upper, lattice = kept_from_writing(codec.level, codec.knot, codec.upper, grid_of(codec))
    start, intervals, null, codes, u = kept_from_writing(start, intervals, null, codes, u)
    w, values = np.full((n, codec.n_codes), np.nan), np.full(n, -99.0)
    placing.weigh_bins(start, intervals, null, level, knot, step_of(codec) / 2, w)
    placing.place_in_bins(codes, u, start, intervals, level, knot, upper, lattice, values)
    np.testing.assert_array_equal(w, expected[0])
    np.testing.assert_array_equal(values, expected[1])
    (score,) = kept_from_writing(rng.random((n, 3)))
    drawn, left, totals = np.full(n, 9, CODE), rng.random(n), np.full(n, np.nan)
    placing.draw_scored(score, left, drawn, totals)
    np.testing.assert_allclose(totals, score.sum(axis=1))
    assert (drawn < 3).all()
    code_of_level, share, every = kept_from_writing(np.zeros(2, INDEX), np.full(2, 0.5), np.array([[-np.inf, np.inf]]))
    (one,) = kept_from_writing(np.array([0, 1], np.int64))
    placing.place_levels(kept_from_writing(np.zeros(n, CODE))[0], u, one, every, code_of_level, share, values)
    np.testing.assert_array_equal(values, (u >= 0.5).astype(float))
    starts, w = np.arange(n + 1, dtype=np.int64), np.full((n, 2), np.nan)
    placing.weigh_levels(starts, np.repeat(every, n, axis=0), null, code_of_level, share, w)
    np.testing.assert_array_equal(w, np.column_stack([np.ones(n), null]))
    chosen = np.full(n, -1, INDEX)
    placing.systematic(kept_from_writing(np.array([0.0, 1.0]))[0], 0.5, chosen)
    assert chosen.tolist() == [1] * n
