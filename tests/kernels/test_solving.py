"""Interval lists against plain lists, and programs against a reference that evaluates one value at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from janus_synth.encoding import Codec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels import solving
from janus_synth.kernels.dtypes import CODE, REAL, UNKNOWN
from janus_synth.kernels.solving import EQ, GE, GT, LE, LT, NE
from janus_synth.rules import as_rule, bind, judge
from janus_synth.rules.compilation.program import compile_program, solver_columns
from janus_synth.rules.language.nodes import IsIn
from janus_synth.table import Column, Schema, Table
from janus_synth.table.cells import as_floats
from reference import solving as reference
from rules.small_worlds import worlds_and_rules
from strategies import quick, seeds

OPS = (LT, LE, GT, GE, EQ, NE)
LINE, TENTHS = (0.0, 0.0, 0.0), (0.0, 1.0, 10.0)
"""Base, gap and scale of a continuous column, and of 0.1, 0.2, …"""


# Lists of intervals


def _apart(points):
    """Disjoint intervals between sorted points, some of them of one point, ends perhaps infinite."""
    points = sorted(points)
    intervals = [(float(a), float(b)) for a, b in zip(points[::2], points[1::2], strict=False)]
    return [pair for i, pair in enumerate(intervals) if i == 0 or intervals[i - 1][1] < pair[0]]


ends = st.integers(-9, 9) | st.sampled_from([-np.inf, np.inf])
interval_lists = st.lists(ends, max_size=10).map(_apart).map(lambda some: [p for p in some if np.isfinite(p).any()])


def joined(kernel, first, second):
    """What a kernel writes behind two lists."""
    n = len(first) + len(second)
    buffer = np.full((2 * n + 2, 2), np.nan, REAL)
    buffer[:n] = np.array([*first, *second]).reshape(-1, 2)
    length = kernel(buffer, 0, len(first), len(first), len(second), n)
    return [tuple(pair) for pair in buffer[n : n + length].tolist()]


@quick
@given(interval_lists, interval_lists)
def test_intersections_and_unions_equal_the_reference(first, second):
    assert joined(solving.intersect, first, second) == reference.intersect(first, second)
    assert joined(solving.unite, first, second) == reference.unite(first, second)


@quick
@given(interval_lists, st.sampled_from([0.0, 1e-3]))
def test_a_list_holds_the_values_of_its_intervals(intervals, precision):
    sets = np.array([(99.0, 99.0), *intervals, (0.0, 0.0)]).reshape(
        -1, 2
    )  # neighbouring entries of the array do not count
    for value in (*np.arange(-10.0, 10.5, 0.5), 2.501, -3.499, 0.001):
        berth = 0.0 if value == np.rint(value) else 2 * solving.ULPS * precision * abs(value)
        found = solving.contains(sets, 1, 1 + len(intervals), value, precision)
        assert found == reference.contains(intervals, value, berth)


@quick
@given(st.lists(st.integers(-5, 5).map(float), max_size=8))
def test_points_are_inserted_in_order_and_once(cells):
    buffer, n, expected = np.full((12, 2), np.nan, REAL), 0, []
    for cell in cells:
        n = solving.insert_point(buffer, 2, n, cell)
        expected = reference.insert_point(expected, cell)
    assert [tuple(pair) for pair in buffer[2 : 2 + n].tolist()] == expected


@quick
@given(st.lists(st.integers(-5, 5).map(lambda tenths: tenths / 10), max_size=10), st.booleans())
def test_points_are_cut_out_up_to_their_neighbours(cells, on_lattice):
    buffer, n, expected = np.full((12, 2), np.nan, REAL), 1, [(-np.inf, np.inf)]
    buffer[0] = -np.inf, np.inf
    for cell in cells:
        n = solving.cut_point(buffer, 0, n, cell, solving.DOUBLE, *(TENTHS if on_lattice else LINE))
        tenths, margin = round(10 * cell), max(4 * solving.ULPS * solving.DOUBLE * abs(cell), 2.0**-126)
        beside = ((tenths - 1) / 10, (tenths + 1) / 10) if on_lattice else cell + margin * np.array([-1, 1])
        expected = reference.cut_point(expected, cell, *map(float, beside))
    found = [tuple(pair) for pair in buffer[:n].tolist()]
    assert [pair for pair in found if pair[0] <= pair[1]] == expected  # solve_rows leaves empty ones out


def test_excluding_a_point_off_the_lattice_changes_nothing():
    buffer = np.array([[-np.inf, np.inf], [0.0, 0.0]])
    assert solving.cut_point(buffer, 0, 1, 0.25, solving.DOUBLE, *TENTHS) == 1
    assert buffer[0].tolist() == [-np.inf, np.inf]


# Comparisons


def linear(a, low, high, slack, whole, op, precision, lattice):
    """Intervals that solve a comparison."""
    out = np.full((4, 2), np.nan, REAL)
    n = solving.solve_linear(a, low, high, slack, whole, op, precision, *lattice, out, 1)
    return out[1 : 1 + n]


@quick
@given(seeds, st.sampled_from(OPS), st.sampled_from([1.0, -1.0, 0.1, -3.0, 1 / 3]), st.booleans())
def test_on_a_lattice_a_comparison_is_solved_value_by_value(seed, op, a, whole):
    rng = np.random.default_rng(seed)
    values = np.arange(-50, 51) / 10
    rest = -a * rng.choice(values) + rng.choice([0.0, 0.0, 0.05, 1.0])
    if whole:
        rest = np.rint(rest)
    slack = solving.DOUBLE * abs(rest)
    found = linear(a, rest, rest, slack, whole, op, solving.DOUBLE, TENTHS)
    for v in values:
        product = a * v
        both_whole = whole and product == np.rint(product)
        holds = reference.compares(product + rest, slack + solving.DOUBLE * abs(product), both_whole, op)
        assert reference.contains(found, v) == holds


@quick
@given(seeds, st.sampled_from(OPS), st.sampled_from([1.0, -1.0, 0.1, -3.0, 1 / 3]), st.sampled_from([LINE, TENTHS]))
def test_a_comparison_with_a_range_keeps_all_that_some_value_of_the_range_allows(seed, op, a, lattice):
    rng = np.random.default_rng(seed)
    low = float(np.round(rng.normal(0, 3), 1))
    high = low + float(rng.choice([0.1, 0.5, 4.0]))
    slack, precision = solving.DOUBLE * max(abs(low), abs(high)), solving.DOUBLE
    found = linear(a, low, high, slack, False, op, precision, lattice)
    for v in np.arange(-50, 51) / 10:
        product = a * v
        for rest in (low, (low + high) / 2, high):
            if reference.compares(product + rest, slack + precision * abs(product), False, op):
                assert reference.contains(found, v)
        if not reference.may_compare(product + low, product + high, 1e-9, op):
            assert not reference.contains(found, v)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("precision", [solving.DOUBLE, 2.0**-23])
@pytest.mark.parametrize("t", [0.0, 0.3, -7.0, 1e6, 1e15])
def test_the_ends_of_a_continuous_solution_hold_and_lie_close_to_the_bound(op, precision, t):
    for a in (1.0, -2.0, 0.1, 1 / 3):
        rest = -a * t
        slack = precision * abs(rest)
        found = linear(a, rest, rest, slack, rest == np.rint(rest), op, precision, LINE)
        assert len(found) == (2 if op == NE else 1)
        for x in found[np.isfinite(found)]:
            product = a * x
            whole = rest == np.rint(rest) and product == np.rint(product)
            assert reference.compares(product + rest, slack + precision * abs(product), whole, op)
            assert abs(x - t) <= 100 * precision * abs(t) + 1e-30


# Programs


@settings(deadline=None, max_examples=150)
@given(worlds_and_rules(most_rules=3), seeds)
def test_sets_hold_the_values_that_the_program_admits(world_and_rules, seed):
    """Every value that a column of a small table takes, with other columns known or still to come."""
    world, rules = world_and_rules
    assume(rules)
    rng = np.random.default_rng(seed)
    columns = solver_columns(world.schema, world.codec)
    pools = [as_floats(world.values(name)) for name in columns.names]
    values = np.array([rng.choice(pool, 5) for pool in pools])
    x = np.where(rng.random(values.shape) < 0.4, UNKNOWN, 0).astype(CODE)
    values[x == UNKNOWN] = np.nan
    free = int(rng.integers(len(pools)))
    program = compile_program([rule.test for rule in rules], columns.names[free], columns)
    start, intervals, null = solving.solve_rows(program, columns.ground, x, values)
    expected = reference.solve_rows(program, columns.ground, x, values, pools[free])
    assert (intervals[:, 0] <= intervals[:, 1]).all()
    for r in range(5):
        own = intervals[start[r] : start[r + 1]]
        assert (own[1:, 0] > own[:-1, 1]).all()  # sorted, and apart
        found = [null[r] == 1 if np.isnan(v) else reference.contains(own, v) for v in pools[free]]
        np.testing.assert_array_equal(found, expected[r])


@settings(deadline=None, max_examples=200)
@given(worlds_and_rules(most_rules=1), seeds)
def test_products_are_solved_as_rows_are_judged(world_and_rules, seed):
    """With all other columns known the values are those that ``judge`` accepts; with some to come, none is lost."""
    world, _ = world_and_rules
    rng = np.random.default_rng(seed)
    names = [column.name for column in world.schema if column.kind == "numeric"]
    assume(len(names) > 1)
    one, other = rng.permutation(names)[:2]
    shapes = ["{0} * {1} {op} {n}", "{0} / {1} {op} {n}", "{0} {op} {n} / {1} ** 2", "{0} * {1} - {0} {op} 2 * {1}"]
    text = str(rng.choice(shapes)).format(
        one, other, op=rng.choice(["<", "<=", ">", ">=", "==", "!="]), n=rng.integers(5)
    )
    rule = bind(text, world.schema)
    columns = solver_columns(world.schema, world.codec)
    rows = world.rows()
    cells = [as_floats(rows[name]) for name in columns.names]
    values = np.array(cells)[:, rng.permutation(rows.n_rows)[:40]]
    free = columns.index(str(one))
    kept = judge(rule, Table(world.schema, {n: rows[n] for n in world.schema.names}, rows.n_rows))
    accepted = {tuple(row) for row in np.nan_to_num(np.array(cells).T[kept], nan=1e99)}
    program = compile_program([rule.test], str(one), columns)
    for known in (True, False):
        x = np.zeros(values.shape, CODE)
        x[columns.index(str(other))] = 0 if known else UNKNOWN
        start, intervals, null = solving.solve_rows(program, columns.ground, x, values)
        assert not null.any()
        for r in range(values.shape[1]):
            fits = reference.contains(intervals[start[r] : start[r + 1]], values[free, r])
            if tuple(np.nan_to_num(values[:, r], nan=1e99)) in accepted:
                assert fits, text
            elif known and not np.isnan(values[free, r]):
                assert not fits, text


def test_many_intervals_in_many_rows_find_room():
    schema = Schema((Column("n", "numeric", "int64"), Column("m", "numeric", "int64")))
    codec = Codec({name: fit_ordered(np.arange(40.0), n_bins=40) for name in "nm"})
    columns = solver_columns(schema, codec)
    gone = tuple(range(1, 40, 2))
    program = compile_program([bind(IsIn("n", gone, True), schema).test], "n", columns)
    for n_rows in (0, 1, 100):
        x, values = np.zeros((2, n_rows), CODE), np.zeros((2, n_rows))
        start, intervals, null = solving.solve_rows(program, columns.ground, x, values)
        assert start.tolist() == [21 * r for r in range(n_rows + 1)]
        assert intervals.shape == (21 * n_rows, 2)
        assert null.tolist() == [0] * n_rows
        for r in range(n_rows):
            assert intervals[start[r] + 1 : start[r + 1] - 1, 0].tolist() == list(range(2, 40, 2))


def test_inputs_may_be_read_only():
    schema = Schema((Column("n", "numeric", "int64"), Column("m", "numeric", "int64")))
    columns = solver_columns(schema, Codec({name: fit_ordered(np.arange(40.0), n_bins=40) for name in "nm"}))
    program = compile_program([bind(as_rule("n > m and n != 7"), schema).test], "n", columns)
    x, values = np.zeros((2, 3), CODE), np.array([[0.0] * 3, [5.0, 6.0, 9.0]])
    for array in (x, values, *program[1:-1], *columns.ground):
        array.flags.writeable = False
    start, intervals, null = solving.solve_rows(program, columns.ground, x, values)
    assert start.tolist() == [0, 2, 3, 4]
    assert intervals[:, 0].tolist() == [6.0, 8.0, 8.0, 10.0]
    assert not null.any()
