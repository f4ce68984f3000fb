"""Sets of positions against Python sets, domains against values that codecs emit, and edges against ``judge``."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from janus_synth.encoding.lattice import Lattice
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import N_KNOTS, OrderedCodec
from janus_synth.rules import bind, judge
from janus_synth.rules.feasibility.domains import Domain, Grid, column_domain, column_grid, merge_intervals
from janus_synth.rules.language import OPS, Compare, IsIn, Linear, Term
from janus_synth.table import Column, Schema, Table
from strategies import ON_LATTICE, ordered_columns, quick

LOW, HIGH = -20, 20
intervals = st.lists(st.tuples(st.integers(-9, 9), st.integers(-1, 6)), max_size=5)


def as_domain(found, null):
    intervals = np.array([(low, low + width) for low, width in found], float).reshape(-1, 2)
    return merge_intervals(intervals, null, whole=True)


def as_set(found):
    positions = found.clip(LOW, HIGH, null=True).positions()
    return {None if np.isnan(position) else position for position in positions.tolist()}


@quick
@given(intervals, st.booleans(), intervals, st.booleans(), st.integers(-10, 10))
def test_sets_of_places_behave_as_sets(first, first_null, second, second_null, position):
    a, b = as_domain(first, first_null), as_domain(second, second_null)
    everything = set(range(LOW, HIGH + 1))
    assert as_set(a.intersect(b)) == as_set(a) & as_set(b)
    assert as_set(a.unite(b)) == as_set(a) | as_set(b)
    assert as_set(a.complement()) == everything - as_set(a)
    assert as_set(a.without_null()) == as_set(a) - {None}
    assert as_set(a.without(position)) == as_set(a) - {position}
    assert as_set(a.without(None)) == as_set(a) - {None}
    assert as_set(a.clip(position, position + 3, null=False)) == as_set(a) & set(range(position, position + 4))
    assert a.contains(np.array([float(position)]))[0] == (position in as_set(a))
    assert a.contains(np.array([np.nan]))[0] == a.null
    assert (a.size, a.is_empty, a.is_fixed) == (len(as_set(a)), not as_set(a), len(as_set(a)) == 1)
    assert len(a.intervals) < 2 or (np.diff(a.intervals.ravel()) >= 0).all()
    assert (a.intervals[1:, 0] > a.intervals[:-1, 1] + 1).all(), "neighbours are one piece"
    if len(a.intervals):
        assert abs(a.nearest(position + 0.3) - position - 0.3) == min(
            abs(p - position - 0.3) for p in as_set(a.without_null())
        )


@quick
@given(intervals, intervals)
def test_operations_that_change_nothing_return_the_same_object(first, second):
    a = as_domain(first, True)
    assert a.intersect(a.unite(as_domain(second, True))) is a
    assert a.clip(-math.inf, math.inf, null=True) is a


def test_continuous_sets_can_exclude_single_values():
    line = Domain(np.array([[0.0, 2.0]]), False, whole=False)
    holed = line.without(1.0)
    assert holed.contains(np.array([1.0, np.nextafter(1.0, 0), np.nextafter(1.0, 2)])).tolist() == [False, True, True]
    assert line.size == math.inf
    assert all(holed.at(position).is_fixed for position in (0.5, None))


@quick
@given(ordered_columns())
def test_a_domain_holds_what_the_codec_emits(column):
    codec = column.fit()
    found = column_domain(codec)
    codes = np.repeat(np.flatnonzero(codec.allowed), 33).astype(np.uint16)
    values = codec.decode(codes, np.tile(np.linspace(0, 1, 33), len(codes) // 33))
    positions = column_grid(Column("x", "numeric", "float64"), codec).positions(values)
    if found.whole:
        np.testing.assert_allclose(positions, np.rint(positions), atol=1e-6)
        positions = np.rint(positions)
    assert found.contains(positions).all()
    assert found.null == codec.nullable
    assert (found.low, found.high) == (np.nanmin(positions), np.nanmax(positions))


@quick
@given(ordered_columns(shapes=tuple(ON_LATTICE), max_rows=60))
def test_a_domain_holds_nothing_else_on_a_lattice(column):
    codec = column.fit()
    found = column_domain(codec)
    if found.size > 300:
        return
    codes = np.repeat(np.arange(codec.n_bins), 2001).astype(np.uint16)
    values = codec.decode(codes, np.tile(np.linspace(0, 1, 2001), codec.n_bins))
    emitted = np.unique(np.rint(codec_places(codec, values)))
    held = found.without_null().positions()
    assert set(emitted.tolist()) <= set(held.tolist())
    inner = [
        position for k in range(codec.n_bins) for position in codec_places(codec, [codec.smallest(k), codec.largest(k)])
    ]
    assert set(np.rint(inner).tolist()) <= set(held.tolist())
    assert len(held) - len(emitted) <= 0.2 * len(held), "rare positions may be missed by so few draws"


def codec_places(codec, values):
    return Grid(codec.lattice).positions(np.asarray(values))


def test_levels_without_rows_are_no_part_of_the_domain():
    codec = fit_levels(np.array([0, 0, 2, 3, -1], np.int32), n_levels=5, ordered=False, nullable=True)
    found = column_domain(codec)
    assert found.positions()[:-1].tolist() == [0, 2, 3]
    assert found.null


def test_a_column_without_values_is_always_null():
    empty = np.empty((0, N_KNOTS))
    found = column_domain(OrderedCodec(np.empty(0), empty, empty, None, nullable=False))
    assert found.null
    assert not len(found.intervals)


numbers = st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([0.0, 0.1, 0.3, 1.0, -2.5, 1e-12, -7.0])
grids = st.sampled_from([None, Lattice(0, 1, 1), Lattice(3, 10, 100), Lattice(-5, 7, 10), Lattice(1, 3, 1)])


@quick
@given(numbers, grids, st.sampled_from(["float64", "float32"]), st.sampled_from(OPS))
@example(0.0, None, "float64", "<")
@example(16777216.0, Lattice(0, 1, 1), "float32", "<")
@example(1e15, Lattice(0, 1, 1), "float64", "<")
@example(100000.05, Lattice(0, 5, 100), "float32", "==")
def test_edges_agree_with_the_rule_evaluator(number, lattice, dtype, op):
    column = Column("x", "numeric", dtype)
    grid = Grid(lattice, 2.0**-23 if dtype == "float32" else 2.0**-52)
    centre = np.rint(grid.position(number)) if grid.whole else number
    width = max(50.0, 1e-4 * abs(centre))
    held = Domain(np.array([[centre - width, centre + width]]), False, grid.whole)
    below, above = grid.edges(number, held)
    if grid.whole:
        positions = np.unique(np.concatenate([np.arange(-40, 41) + edge for edge in (centre, below, above)]))
    else:
        near = [below, np.nextafter(below, np.inf), number, np.nextafter(above, -np.inf), above]
        positions = np.concatenate([near, centre + np.linspace(-40, 40, 81)])
    positions = positions[held.contains(positions)]
    table = Table(Schema((column,)), {"x": grid.values(positions)}, len(positions))
    rule = bind(Compare(Linear((Term("x"),)), op, Linear(constant=number)), table.schema)
    sign = np.where(positions <= below, -1, np.where(positions >= above, 1, 0))
    expected = {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0}[op]
    assert judge(rule, table).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_edges_of_listed_values_agree_with_the_rule_evaluator(dtype):
    grid = Grid(None, 2.0**-23 if dtype == "float32" else 2.0**-52)
    below, above = grid.edges(0.3, Domain(np.array([[0.0, 1.0]]), False, whole=False), grid.precision)
    cells = np.array([below, np.nextafter(below, 1), 0.1 + 0.2, np.nextafter(above, 0), above])
    table = Table(Schema((Column("x", "numeric", dtype),)), {"x": cells}, 5)
    assert judge(bind(IsIn("x", (0.3,)), table.schema), table).tolist() == [False, True, True, True, False]


def test_edges_beyond_a_domain_are_infinite():
    held = Domain(np.array([[0.0, 9.0]]), False, whole=True)
    grid = Grid(Lattice(0, 1, 1))
    assert grid.edges(1e300, held) == (math.inf, math.inf)
    assert grid.edges(-1e300, held) == (-math.inf, -math.inf)
