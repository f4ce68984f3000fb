"""Truncation to the set that a rule allows: weights and draws of one column against ``judge``, codec and rejection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.errors import RuleError
from janus_synth.kernels.dtypes import CODE
from janus_synth.kernels.placing import draw_scored
from janus_synth.rules import bind, judge
from janus_synth.rules.compilation import EVERYTHING, Sets, solve_single_column, solver_columns
from janus_synth.rules.language import OPS, And, Compare, Increments, IsIn, IsNull, Linear, Not, Or, Term
from janus_synth.sampling.truncation import Truncations, as_cells, truncation_of
from janus_synth.table import Column, Schema, Table
from janus_synth.table.cells import as_floats
from sampling.small_models import small_model
from strategies import SHAPES, ordered_columns, seeds

many = settings(deadline=None, max_examples=100)

ANYTHING = Sets(np.array([0, 1]), EVERYTHING, np.ones(1, np.uint8))


def drawn(codec, sets, rng, n):
    """Codes and values drawn under a set, all codes being equally likely a priori."""
    cells = truncation_of(codec)
    score = np.repeat(cells.allowed_mass(sets) * codec.allowed, n, axis=0)
    codes, totals, u = np.zeros(n, CODE), np.empty(n), rng.random(n)
    draw_scored(score, u, codes, totals)
    if not (totals > 0).all():
        return None, None
    return codes, cells.draw_within(codes, u, sets)


def rules_for(values, rng):
    """A rule on column x about values at or near those it takes."""
    some = [float(v) for v in rng.choice(values, 3)]
    compares = [
        Compare(Linear((Term("x"),)), str(rng.choice(OPS)), Linear(constant=bound))
        for bound in (some[0], round(some[1], 2))
    ]
    spread = float(np.ptp(values)) or 1.0
    leaves = [
        *compares,
        And((compares[0], Compare(Linear((Term("x"),)), "!=", Linear(constant=some[2])))),
        IsIn("x", tuple(some), bool(rng.random() < 0.5)),
        Increments("x", spread / 7),
        Not(Increments("x", spread / 3)),
        IsNull("x", bool(rng.random() < 0.5)),
    ]
    one, other = (leaves[i] for i in rng.choice(len(leaves), 2, replace=False))
    return [one, And((one, other)), Or((one, other))][int(rng.integers(3))]


@many
@given(ordered_columns(), seeds)
def test_every_drawn_value_satisfies_the_rule_and_lies_in_its_code_and_on_the_lattice(column, seed):
    codec, rng = column.fit(), np.random.default_rng(seed)
    schema = Schema((Column("x", "numeric", "float64", nullable=codec.nullable),))
    rule = bind(rules_for(column.present, rng), schema)
    try:
        sets = solve_single_column([rule.test], "x", solver_columns(schema, Codec({"x": codec})))
    except RuleError:  # a tiny step has too many multiples
        return
    codes, values = drawn(codec, sets, rng, 60)
    if codes is None:
        return
    assert judge(rule, Table(schema, {"x": values}, 60)).all()
    assert (np.isnan(values) == (codes == codec.n_bins)).all()
    borders = np.isclose(values[:, None], codec.knot[np.minimum(codes, codec.n_bins - 1)], rtol=1e-12).any(axis=1)
    clear = ~borders | (codec.lattice is not None)  # two bins of the line share a border
    np.testing.assert_array_equal(codec.encode(values)[clear], codes[clear])
    if codec.lattice is not None:
        np.testing.assert_allclose(codec.lattice.snap(values), values, rtol=1e-15, atol=0)


@many
@given(seeds, st.integers(1, 9), st.booleans(), st.booleans())
def test_levels_are_weighted_by_their_share_of_the_code(seed, n_levels, ordered, nullable):
    """Frequent levels have a code of their own; rare ones share a code and are drawn by their training frequency."""
    rng = np.random.default_rng(seed)
    seen = rng.integers(-1 if nullable else 0, n_levels, 40).astype(np.int32)
    seen[rng.random(40) < 0.5] = 0
    codec = fit_levels(seen, n_levels=n_levels, ordered=ordered, nullable=nullable, min_count=6)
    cells = truncation_of(codec)
    assert cells.n_codes == codec.n_codes
    kept = np.flatnonzero(rng.random(n_levels) < 0.6)
    points = np.column_stack([kept, kept]).astype(float)
    null = np.array([rng.integers(0, 2)], np.uint8)
    w = cells.allowed_mass(Sets(np.array([0, len(kept)]), points, null))[0]
    n = 2000
    u = (np.arange(n) + 0.5) / n
    for code in np.flatnonzero(codec.allowed)[:-1] if nullable else np.flatnonzero(codec.allowed):
        levels = codec.decode(np.full(n, code, CODE), u)
        assert w[code] == pytest.approx(np.isin(levels, kept).mean(), abs=2 * n_levels / n)
        if w[code] > 0:
            sets = Sets(np.array([0, len(kept)]), points, null)
            placed = as_cells(codec, cells.draw_within(np.full(n, code, CODE), u, sets))
            assert np.isin(placed, kept).all()
            assert (codec.encode(placed) == code).all()
            expected = np.bincount(levels[np.isin(levels, kept)], minlength=n_levels) / np.isin(levels, kept).sum()
            np.testing.assert_allclose(np.bincount(placed, minlength=n_levels) / n, expected, atol=0.01)
    assert w[-1] == null[0]


def test_a_set_that_allows_everything_keeps_the_full_mass_of_every_code():
    ordered = fit_ordered(SHAPES["cents, mostly zero"](np.random.default_rng(0), 300), n_bins=12, nullable=True)
    levels = fit_levels(np.arange(60, dtype=np.int32) % 7, n_levels=7, ordered=False, nullable=True)
    np.testing.assert_allclose(truncation_of(ordered).allowed_mass(ANYTHING), 1.0)
    np.testing.assert_allclose(truncation_of(levels).allowed_mass(ANYTHING)[0, levels.allowed], 1.0)


def test_one_set_for_all_rows_equals_the_same_set_repeated_for_each_row():
    codec = fit_ordered(SHAPES["normal"](np.random.default_rng(0), 300), n_bins=12)
    one = Sets(np.array([0, 2]), np.array([[-1.0, -0.5], [0.2, 0.9]]), np.zeros(1, np.uint8))
    rng = np.random.default_rng(1)
    codes = rng.choice(np.flatnonzero(truncation_of(codec).allowed_mass(one)[0] > 0), 30).astype(CODE)
    u = rng.random(30)
    each = Sets(2 * np.arange(31), np.tile(one.intervals, (30, 1)), np.zeros(30, np.uint8))
    cells = truncation_of(codec)
    np.testing.assert_array_equal(cells.draw_within(codes, u, one), cells.draw_within(codes, u, each))
    np.testing.assert_array_equal(np.repeat(cells.allowed_mass(one), 30, axis=0), cells.allowed_mass(each))


def test_table_cells_convert_to_values_and_back():
    ordered = fit_ordered(np.array([1.0, 2.0, np.nan]), n_bins=4, nullable=True)
    levels = fit_levels(np.array([0, 1, -1], np.int32), n_levels=2, ordered=False, nullable=True)
    for codec, cells in ((ordered, np.array([1.0, np.nan])), (levels, np.array([1, -1], np.int32))):
        values = as_floats(cells)
        assert values.dtype == np.float64
        assert np.isnan(values).tolist() == [False, True]
        back = as_cells(codec, values)
        np.testing.assert_array_equal(back, cells)
        assert back.dtype == cells.dtype


@pytest.mark.statistical
@pytest.mark.parametrize("shape", ["lognormal", "mostly zero", "counts with a tail", "cents"])
@pytest.mark.parametrize("text", ["x > 3", "x <= 12 and x != 0", "x < 1 or x > 20"])
def test_draws_under_a_rule_have_the_distribution_of_rejection_sampling(shape, text):
    n, false_alarm = 20_000, 1e-6
    rng = np.random.default_rng(5)
    codec = fit_ordered(SHAPES[shape](rng, 1_000), n_bins=20)
    schema = Schema((Column("x", "numeric", "float64"),))
    rule = bind(text, schema)
    sets = solve_single_column([rule.test], "x", solver_columns(schema, Codec({"x": codec})))
    _, values = drawn(codec, sets, rng, n)
    free = codec.decode(rng.integers(0, codec.n_bins, 8 * n).astype(CODE), rng.random(8 * n))
    kept = np.sort(free[judge(rule, Table(schema, {"x": free}, 8 * n))])
    at = np.unique(kept)
    gap = np.abs(
        np.searchsorted(np.sort(values), at, side="right") / n - np.searchsorted(kept, at, side="right") / len(kept)
    ).max()
    # Two samples, half the false-alarm rate each: 0.019 + at most 0.02; a true gap of 0.06 is detected.
    assert gap <= sum(np.sqrt(np.log(4 / false_alarm) / (2 * size)) for size in (n, len(kept)))
    assert judge(rule, Table(schema, {"x": values}, n)).all()


def test_truncations_are_made_when_they_are_needed_and_only_once():
    codecs = tuple(small_model("dense").model_.codec.columns.values())
    made = Truncations(codecs)
    assert len(made) == 0
    assert made[1].n_codes == codecs[1].n_codes
    assert made[1] is made[1]
    assert set(made) == {1}
