"""Programs against ``judge``: a value is in the solved set if and only if the row with it satisfies the rule."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE, UNKNOWN
from janus_synth.kernels.solving import solve_rows
from janus_synth.rules import bind, judge
from janus_synth.rules.compilation.program import Sets, compile_program, solve_single_column, solver_columns
from janus_synth.rules.holds import DOUBLE, SINGLE
from janus_synth.rules.language import (
    OPS,
    And,
    Compare,
    FixedCombinations,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Linear,
    Not,
    Or,
    Term,
)
from janus_synth.sampling.truncation import as_cells
from janus_synth.table import Column, Schema, Table, shown_value
from janus_synth.table.cells import as_floats
from rules.small_worlds import worlds_and_rules
from strategies import DAY, seeds

many = settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])

MOMENT = 1_709_208_000_000_000.0
"""A moment in 2024 in microseconds."""
LEVELS = ("a", "b", "c", "d")
N_POOL = 300


# A table with every sort of column


def _with_gaps(rng, values):
    return np.where(rng.random(len(values)) < 0.1, np.nan, values)


def _sorts(rng, n):
    """Kind, dtype and values of every column; narrow ranges, so that all values of a lattice can be tried."""
    return {
        "n": ("numeric", "Int64", _with_gaps(rng, rng.integers(-3, 9, n).astype(float))),
        "k": ("numeric", "int64", 3.0 * rng.integers(-2, 10, n)),
        "d": ("numeric", "float64", _with_gaps(rng, rng.integers(0, 300, n) / 100)),
        "big": ("numeric", "float64", (100_000_000 + rng.integers(0, 200, n)) / 100),
        "x": ("numeric", "float64", _with_gaps(rng, np.where(rng.random(n) < 0.3, 0.0, rng.normal(size=n)))),
        "y": ("numeric", "float64", 1e6 + rng.random(n)),
        "s": ("numeric", "float32", _with_gaps(rng, rng.integers(0, 40, n) / 10)),
        "z": ("numeric", "float32", (100 * rng.normal(size=n)).astype(np.float32).astype(float)),
        "t": ("datetime", "datetime64[us]", MOMENT + rng.integers(0, 40, n)),
        "u": ("datetime", "datetime64[us]", _with_gaps(rng, MOMENT + rng.integers(10, 30, n))),
        "day": ("datetime", "datetime64[us]", MOMENT + DAY * rng.integers(-5, 5, n)),
        "c": ("categorical", "str", rng.integers(-1, 4, n).astype(np.int32)),
        "e": ("categorical", "str", rng.integers(0, 4, n).astype(np.int32)),
        "b": ("boolean", "boolean", rng.integers(-1, 2, n).astype(np.int32)),
    }


NUMBERS, MOMENTS, CLASSES = ("n", "k", "d", "big", "x", "y", "s", "z"), ("t", "u", "day"), ("c", "e", "b")
SINGLES = {"s", "z"}


@cache
def example_table():
    """Schema, codec and solver columns of a table with every sort of column."""
    columns, codecs = [], {}
    for name, (kind, dtype, values) in _sorts(np.random.default_rng(0), 2_000).items():
        if kind in ("numeric", "datetime"):
            nullable = bool(np.isnan(values).any())
            single = dtype == "float32"
            codecs[name] = fit_ordered(values, n_bins=30, nullable=nullable, single_precision=single)
            columns.append(Column(name, kind, dtype, nullable=nullable))
        else:
            levels, nullable = (LEVELS if kind == "categorical" else (False, True)), bool((values < 0).any())
            codecs[name] = fit_levels(values, n_levels=len(levels), ordered=False, nullable=nullable)
            columns.append(Column(name, kind, dtype, nullable=nullable, levels=levels))
    schema, codec = Schema(tuple(columns)), Codec(codecs)
    return schema, codec, solver_columns(schema, codec)


@cache
def pool():
    """(columns, rows) values that the codecs emit, NaN for null."""
    _, codec, _ = example_table()
    rng = np.random.default_rng(1)
    rows = []
    for column in codec.columns.values():
        codes = rng.choice(np.flatnonzero(column.allowed), N_POOL).astype(CODE)
        rows.append(as_floats(column.decode(codes, rng.random(N_POOL))))
    return np.array(rows)


def shown_cell(name, value):
    """A value as a user would write it."""
    schema, _, _ = example_table()
    return None if np.isnan(value) else shown_value(schema[name], value)


# Rules


@st.composite
def comparisons(draw):
    """Comparisons of up to four terms; the bound is the sum of some row, or a step away from it."""
    columns = example_table()[2]
    names = draw(st.lists(st.sampled_from([*NUMBERS, "b"]), min_size=1, max_size=4, unique=True).filter(_has_number))
    sizes = draw(st.lists(st.sampled_from([1, 1, -1, 2, -3, 0.5, 0.1, 1 / 3]), min_size=4, max_size=4))
    row = np.nan_to_num(pool()[:, draw(st.integers(0, N_POOL - 1))])
    total = sum(size * row[columns.index(name)] for name, size in zip(names, sizes, strict=False))
    bound = float(total) + draw(st.sampled_from([0, 0, 0.01, -0.1, 1, 0.5, 3]))
    bound = round(bound, draw(st.sampled_from([0, 2, 16])))
    terms = tuple(Term(name, size) for name, size in zip(names, sizes, strict=False))
    return Compare(Linear(terms), draw(st.sampled_from(OPS)), Linear(constant=bound))


def _has_number(names):
    return names != ["b"]


@st.composite
def moment_comparisons(draw):
    """A moment compared with a date, or with another moment plus a whole duration."""
    name, other = draw(st.permutations(MOMENTS))[:2]
    op = draw(st.sampled_from(OPS))
    left = Linear((Term(name),))
    match draw(st.sampled_from(["date", "moment", "counted"])):
        case "date":
            right = Linear(text=shown_cell(name, MOMENT + draw(st.integers(-2, 42))))
        case "moment":
            right = Linear((Term(other),), span=draw(st.sampled_from([0, 3, -7, DAY, -2 * DAY])))
        case _:
            right = Linear((Term(other), Term(draw(st.sampled_from(["n", "k"])), draw(st.sampled_from([1, -2])), True)))
    return Compare(left, op, right)


@st.composite
def memberships(draw):
    _, _, columns = example_table()
    name = draw(st.sampled_from(columns.names))
    values = pool()[columns.index(name)]
    present = st.sampled_from(np.unique(values[~np.isnan(values)]).tolist()).map(lambda v: shown_cell(name, v))
    off = st.sampled_from([0.125, 0.3, -1.0, 0.0]) if name in NUMBERS else present
    values = draw(st.lists(present | off, min_size=1, max_size=6).map(tuple))
    return IsIn(name, values, draw(st.booleans()))


@st.composite
def known_combinations(draw):
    _, _, columns = example_table()
    names = draw(st.lists(st.sampled_from(columns.names), min_size=2, max_size=3, unique=True))
    some = pool()[[columns.index(name) for name in names]]
    rows = draw(st.lists(st.tuples(*[st.integers(0, 12)] * len(names)), min_size=1, max_size=8))
    cells = [tuple(shown_cell(name, some[i, row[i]]) for i, name in enumerate(names)) for row in rows]
    return FixedCombinations(tuple(names), tuple(cells))


LITERALS = st.one_of(
    comparisons(),
    comparisons(),
    moment_comparisons(),
    memberships(),
    known_combinations(),
    st.builds(IsNull, st.sampled_from([*NUMBERS, *MOMENTS, *CLASSES]), st.booleans()),
    st.builds(Increments, st.sampled_from(["n", "k", "d", "s", "x", "z"]), st.sampled_from([0.25, 1, 2, 0.3, 0.5])),
    st.builds(Increments, st.just("big"), st.sampled_from([0.25, 1, 0.3])),
)


def _joined(inner):
    some = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return some.map(And) | some.map(Or) | inner.map(Not) | st.builds(Implies, inner, inner)


RULES = st.recursive(LITERALS, _joined, max_leaves=4)


# Solving and evaluating


def add_storage_noise(values, rng):
    """Values with the noise of sums and of 32-bit storage, as a user's table may hold them."""
    _, _, columns = example_table()
    noisy = values.copy()
    for name in ("d", "big", "x", "y"):
        noisy[columns.index(name)] *= 1 + DOUBLE * rng.integers(-1, 2, values.shape[1])
    noisy[columns.index("s")] = noisy[columns.index("s")].astype(np.float32)
    return noisy


def solved(tests, free, values, columns, unknown=()):
    """Sets of the free column, one per row of ``values``."""
    x = np.zeros(values.shape, CODE)
    values = values.copy()
    for name in unknown:
        x[columns.index(name)], values[columns.index(name)] = UNKNOWN, np.nan
    return Sets(*solve_rows(compile_program(tests, free, columns), columns.ground, x, values))


def in_set(sets, row, candidates):
    """Which candidates a row's set holds; NaN is null."""
    ends = sets.intervals[sets.start[row] : sets.start[row + 1]]
    inside = ((ends[:, :1] <= candidates) & (candidates <= ends[:, 1:])).any(axis=0)
    return np.where(np.isnan(candidates), sets.null[row] == 1, inside)


def judged(bound, free, row, candidates):
    """Which candidates make the row satisfy the rule."""
    schema, codec, columns = example_table()
    cells = np.repeat(row[:, None], len(candidates), axis=1)
    cells[columns.index(free)] = candidates
    columns = {name: as_cells(codec.columns[name], cells[i]) for i, name in enumerate(columns.names)}
    return judge(bound, Table(schema, columns, len(candidates)))


def lattice_values(name):
    """All values of a column in its box, or None where it is continuous."""
    columns = example_table()[2]
    i = columns.index(name)
    base, gap, scale = columns.lattice[i]
    if not scale:
        return None
    m = np.rint((columns.box[i] * scale - base) / gap)
    return (base + gap * np.arange(m[0], m[1] + 1)) / scale


def test_the_example_columns_have_the_intended_lattices():
    sizes = {
        name: None if (values := lattice_values(name)) is None else len(values) for name in example_table()[2].names
    }
    assert [name for name, size in sizes.items() if size is None] == ["x", "y", "z"]
    assert sizes["d"] == 300
    assert sizes["big"] == 200
    assert sizes["t"] == 40


def points_of(sets, row, name, rng):
    """Values to try in a continuous column: ends, the next float and a bit inside, drawn ones, and null."""
    _, codec, columns = example_table()
    low, high = columns.box[columns.index(name)]
    ends = sets.intervals[sets.start[row] : sets.start[row + 1]]
    clipped = np.clip(ends, low, high)
    inner = clipped[:, :1] + rng.random((len(ends), 4)) * (clipped[:, 1:] - clipped[:, :1])
    next_inside = np.nextafter(ends, ends[:, ::-1])[np.isfinite(ends)]
    column = codec.columns[name]
    assert isinstance(column, OrderedCodec)
    drawn = column.decode(rng.integers(0, column.n_bins, 40).astype(CODE), rng.random(40))
    points = np.concatenate([ends.ravel(), next_inside, inner.ravel(), drawn, [low, high, 0.0]])
    return np.append(points[np.isfinite(points)], np.nan)


def near_ends(sets, row, candidates, margin):
    """Which candidates lie within a margin of an interval end, where rounding may decide."""
    ends = sets.intervals[sets.start[row] : sets.start[row + 1]]
    return ((ends[:, :1] - margin <= candidates) & (candidates <= ends[:, 1:] + margin)).any(axis=0)


def assert_solved(bound, free, row, sets, r, rng):
    """The row's set and ``judge`` agree: exactly on lattices, elsewhere up to rounding just outside the set."""
    candidates = lattice_values(free)
    if candidates is not None:
        candidates = np.append(candidates, np.nan)
        holds, inside = judged(bound, free, row, candidates), in_set(sets, r, candidates)
        wrong = np.flatnonzero(inside != holds)
        assert not len(wrong), f"{bound} at {free} = {candidates[wrong[0]]!r}: set {inside[wrong[0]]}"
        return
    candidates = points_of(sets, r, free, rng)
    holds, inside = judged(bound, free, row, candidates), in_set(sets, r, candidates)
    assert holds[inside].all(), f"{bound} broken by {free} = {candidates[inside & ~holds][0]!r}"
    margin = 0.05 if SINGLES & set(bound.columns) else 1e-6  # rounding over the smallest coefficient
    missed = holds & ~inside & ~near_ends(sets, r, candidates, margin)
    assert not missed.any(), f"{bound} misses {free} = {candidates[missed][0]!r}"


@many
@given(RULES, seeds, st.booleans())
def test_a_value_is_in_the_set_if_and_only_if_the_row_satisfies_the_rule(rule, seed, exact):
    schema, _, columns = example_table()
    bound, rng = bind(rule, schema), np.random.default_rng(seed)
    values = pool()[:, rng.choice(N_POOL, 4)]
    if not exact:
        values = add_storage_noise(values, rng)
    for free in bound.columns:
        sets = solved([bound.test], free, values, columns)
        for r in range(values.shape[1]):
            assert_solved(bound, free, values[:, r], sets, r, rng)


def boxes_of(values, names, rng):
    """Boxes for some of the columns that hold the values of all rows."""
    boxes = {}
    for i in (example_table()[2].index(name) for name in names):
        if rng.random() < 0.5 and not np.isnan(values[i]).all():
            boxes[i] = float(np.nanmin(values[i])), float(np.nanmax(values[i]))
    return boxes


@many
@given(RULES, seeds)
def test_unknown_columns_never_exclude_a_value_that_a_full_row_allows(rule, seed):
    """A value allowed by a full row is also allowed with some columns unknown, given boxes that contain the row."""
    schema, _, columns = example_table()
    bound, rng = bind(rule, schema), np.random.default_rng(seed)
    values = pool()[:, rng.choice(N_POOL, 4)]
    for free in bound.columns:
        unknown = [name for name in columns.names if name != free and rng.random() < 0.5]
        full = solved([bound.test], free, values, columns)
        part = solved([bound.test], free, values, columns.within(boxes_of(values, unknown, rng)), unknown)
        for r in range(values.shape[1]):
            lattice = lattice_values(free)
            candidates = points_of(full, r, free, rng) if lattice is None else np.append(lattice, np.nan)
            allowed = in_set(full, r, candidates)
            missed = allowed & ~in_set(part, r, candidates)
            assert not missed.any(), f"{bound} without {unknown} misses {free} = {candidates[missed][0]!r}"


@many
@given(worlds_and_rules(most_rules=3))
def test_rules_of_small_tables_are_solved_for_every_column(world_and_rules):
    """With unusual steps, constant columns, 32-bit tenths, and several rules at once."""
    world, rules = world_and_rules
    assume(rules)
    columns = solver_columns(world.schema, world.codec)
    rows = world.rows().take(np.random.default_rng(0).integers(0, world.rows().n_rows, 6))
    values = np.array([as_floats(rows[name]) for name in columns.names])
    for free in columns.names:
        codec = world.codec.columns[free]
        candidates = as_floats(world.values(free))
        sets = solved([rule.test for rule in rules], free, values, columns)
        for r in range(rows.n_rows):
            cells = {name: np.repeat(rows[name][r], len(candidates)) for name in columns.names}
            cells[free] = as_cells(codec, candidates)
            holds = world.kept(rules, Table(world.schema, cells, len(candidates)))
            np.testing.assert_array_equal(in_set(sets, r, candidates), holds, err_msg=f"{free} of row {r}")


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("bound", [0.0, 0.3, -2.0, 1e6])
@pytest.mark.parametrize("single", [False, True])
def test_the_ends_of_a_continuous_set_hold_even_at_zero(op, bound, single):
    """A margin relative to the bound vanishes at 0, where columns have their atoms."""
    rng = np.random.default_rng(0)
    dtype = "float32" if single else "float64"
    values = np.append(rng.normal(0, 2e6, 400), [0.0] * 50).astype(dtype).astype(float)
    schema = Schema((Column("x", "numeric", dtype),))
    codec = Codec({"x": fit_ordered(values, n_bins=20, single_precision=single)})
    rule = bind(Compare(Linear((Term("x"),)), op, Linear(constant=bound)), schema)
    sets = solve_single_column([rule.test], "x", solver_columns(schema, codec))
    ends = sets.intervals[np.isfinite(sets.intervals)]
    assert len(ends) == (2 if op in ("==", "!=") else 1)
    for stored in (ends, ends.astype(dtype).astype(float)):  # also after rounding to the dtype of the frame
        assert judge(rule, Table(schema, {"x": stored}, len(stored))).all()
    assert np.allclose(ends, bound, rtol=1e-4, atol=1e-30)


@pytest.mark.parametrize("op", OPS)
def test_a_tolerance_wider_than_the_lattice_never_admits_a_wrong_value(op):
    """Cents added to 32-bit millions: ``judge`` cannot distinguish neighbouring cents; the set must be conservative."""
    rng = np.random.default_rng(3)
    cents, millions = rng.integers(0, 400, 300) / 100, (1e6 * rng.random(300)).astype(np.float32).astype(float)
    schema = Schema((Column("d", "numeric", "float64"), Column("z", "numeric", "float32")))
    codec = Codec({"d": fit_ordered(cents, n_bins=30), "z": fit_ordered(millions, n_bins=30, single_precision=True)})
    columns = solver_columns(schema, codec)
    candidates = np.arange(400) / 100
    for z in millions[:20]:
        terms = Linear((Term("d"), Term("z")))
        rule = bind(Compare(terms, op, Linear(constant=round(z + 2, 2))), schema)
        inside = in_set(solved([rule.test], "d", np.array([[0.0], [z]]), columns), 0, candidates)
        holds = judge(rule, Table(schema, {"d": candidates, "z": np.full(400, z)}, 400))
        assert holds[inside].all()
        clearly = holds & (np.abs(candidates + z - round(z + 2, 2)) > 6 * SINGLE * z)
        assert inside[clearly].all()
        assert inside.any() or not clearly.any()


def test_neighbours_on_a_lattice_are_values_of_the_lattice():
    """0.3 − 0.1 is not 0.2 in floats: the neighbours of an excluded value must be exact lattice values."""
    tenths = np.arange(41) / 10
    schema = Schema((Column("s", "numeric", "float64"), Column("e", "categorical", "str", levels=LEVELS)))
    codec = Codec(
        {
            "s": fit_ordered(np.repeat(tenths, 3), n_bins=20),
            "e": fit_levels(np.arange(20, dtype=np.int32) % 4, n_levels=4, ordered=False, nullable=False),
        }
    )
    columns = solver_columns(schema, codec)
    for gone in (tenths[1:-1], [0.3], [0.2, 0.3, 0.7], [0.35], [0.3, 0.45]):
        for rule in (
            IsIn("s", tuple(map(float, gone)), True),
            Not(FixedCombinations(("s", "e"), tuple((float(value), "a") for value in gone))),
        ):
            sets = solved([bind(rule, schema).test], "s", np.array([[0.0], [0.0]]), columns)
            assert in_set(sets, 0, tenths).tolist() == [value not in np.asarray(gone) for value in tenths]
            ends = sets.intervals[np.isfinite(sets.intervals)]
            assert np.isin(ends, [-0.1, *tenths, 4.1]).all()


def test_a_known_value_with_the_noise_of_storage_is_in_a_list():
    schema, _, columns = example_table()
    rule = bind("implies(s in [0.1, 0.7], n == 3) and implies(s not in [0.1, 0.7], n == 4)", schema)
    values = np.repeat(pool()[:, :1], 4, axis=1)
    values[columns.index("s")] = np.array([0.1, 0.7, 0.2, 0.6], np.float32)
    sets = solved([rule.test], "n", values, columns)
    assert sets.intervals[:, 0].tolist() == [3, 3, 4, 4]


def test_an_unknown_column_that_is_constant_is_compared_exactly():
    """Microseconds around 2024 are exact as whole numbers, and only as such."""
    schema, _, columns = example_table()
    rule = bind(Compare(Linear((Term("t"),)), "<", Linear((Term("u"),))), schema)
    constant = columns.within({columns.index("u"): (MOMENT + 20, MOMENT + 20)})
    sets = solved([rule.test], "t", pool()[:, :1], constant, ["u"])
    assert sets.intervals[-1, 1] == MOMENT + 19


# Parts


def test_solver_columns_hold_boxes_rounding_and_lattices():
    _, _, columns = example_table()
    index = columns.index
    assert columns.box[index("n")].tolist() == [-3, 8]
    assert columns.box[index("big")].tolist() == [1_000_000.0, 1_000_001.99]
    assert columns.box[index("c")].tolist() == [0, 3]
    assert columns.box[index("t")].tolist() == [MOMENT, MOMENT + 39]
    assert columns.lattice[index("k"), 1:].tolist() == [3, 1]
    assert columns.lattice[index("c")].tolist() == [0, 1, 1]
    assert columns.lattice[index("x")].tolist() == [0, 0, 0]
    assert {name for name in columns.names if columns.precision[index(name)] == SINGLE} == SINGLES
    narrow = columns.within({index("n"): (0.0, 99.0)})
    assert narrow.box[index("n")].tolist() == [0, 8]
    assert columns.box[index("n")].tolist() == [-3, 8]


def test_a_set_is_empty_if_some_row_has_nothing_left():
    schema, _, columns = example_table()
    for text, empty in (("n > 8", True), ("n > 7", False), ("n > 8 or n is null", False), ("n in [0.5]", True)):
        sets = solve_single_column([bind(text, schema).test], "n", columns.within({}))
        inside = in_set(sets, 0, np.append(lattice_values("n"), np.nan))
        assert inside.any() == (not empty)
    assert solve_single_column([bind("n in [0.5]", schema).test], "n", columns).is_empty
    assert not solve_single_column([bind("n is null", schema).test], "n", columns).is_empty


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (np.array([0.0, 1e9, 0.5, 3.0, 7.25]), 0.1),  # a lattice of quarters, with 10 billion multiples
        (np.arange(0, 2_000_000_000, 7_000_001.0), 3.0),
        (np.random.default_rng(0).normal(0, 1e7, 500), 0.25),  # continuous
        (np.arange(0, 1000, 5.0), np.pi / 1e4),  # on a lattice, with a step that is no fraction
    ],
)
def test_millions_of_multiples_are_a_subset_that_satisfies_the_rule(values, step):
    schema = Schema((Column("v", "numeric", "float64"),))
    columns = solver_columns(schema, Codec({"v": fit_ordered(values, n_bins=50)}))
    for rule in (Increments("v", step), Not(Increments("v", step))):
        bound = bind(rule, schema)
        intervals = solve_single_column([bound.test], "v", columns).intervals
        ends = intervals[np.isfinite(intervals).all(axis=1)].ravel()
        assert len(ends) <= 4 * 2**16
        assert judge(bound, Table(schema, {"v": ends}, len(ends))).all()


def test_a_lattice_of_multiples_is_left_whole():
    cents = np.random.default_rng(0).integers(0, 10**9, 400) / 100
    schema = Schema((Column("v", "numeric", "float64"),))
    columns = solver_columns(schema, Codec({"v": fit_ordered(cents, n_bins=50)}))
    everything = solve_single_column([Increments("v", 0.01)], "v", columns)
    assert everything.intervals.tolist() == [[-np.inf, np.inf]]
    assert solve_single_column([Not(Increments("v", 0.01))], "v", columns).is_empty


@pytest.mark.parametrize("values", [(0.1, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), (-0.3, -0.2, -0.1)])
def test_an_end_of_the_domain_counts_as_a_multiple_despite_rounding(values):
    """0.3 / 0.1 is a little less than 3, and −0.3 / 0.1 a little more than −3: without a tolerance the end is lost."""
    step, schema = min(map(abs, values)), Schema((Column("v", "numeric", "float64"),))
    assert {np.floor(values[-1] / step), np.ceil(values[0] / step)} & {2.0, 5.0, -2.0}
    codec = Codec({"v": fit_ordered(np.array(values), n_bins=100)})
    columns, table = solver_columns(schema, codec), Table(schema, {"v": np.array(values)}, len(values))
    for rule, expected in ((Increments("v", step), True), (Not(Increments("v", step)), False)):
        bound = bind(rule, schema)
        intervals = solve_single_column([bound.test], "v", columns).intervals
        assert (judge(bound, table) == expected).all()
        for value in values:
            assert ((intervals[:, 0] <= value) & (value <= intervals[:, 1])).any() == expected
