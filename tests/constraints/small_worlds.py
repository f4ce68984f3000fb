"""Small tables whose every row can be listed, rules that fit them, and the rows that the judge accepts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from janus_synth.constraints import bind, judge, one_hot
from janus_synth.constraints.nodes import (
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
from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.table import Column, Schema, Table

LEVELS = ("a", "b", "c")


@dataclass(frozen=True)
class World:
    """A schema and a codec with few values per column."""

    schema: Schema
    codec: Codec

    def values(self, name: str) -> np.ndarray:
        """All that the codec emits for a column, found by drawing; NaN or −1 for null."""
        column = self.codec.columns[name]
        codes = np.flatnonzero(column.allowed)
        if isinstance(column, OrderedCodec) and column.n_bins == 0:
            codes = np.array([0])
        u = np.linspace(0, 1, 401)
        drawn = [column.decode(np.full(len(u), code, np.uint16), u) for code in codes]
        return np.unique(np.concatenate(drawn))

    def rows(self) -> Table:
        """Every row there can be."""
        grids = np.meshgrid(*[self.values(name) for name in self.schema.names], indexing="ij")
        cells = {name: grid.ravel() for name, grid in zip(self.schema.names, grids, strict=True)}
        return Table(self.schema, cells, grids[0].size)

    def kept(self, rules, rows: Table) -> np.ndarray:
        """Which rows satisfy all rules."""
        return np.logical_and.reduce([judge(rule, rows) for rule in rules], initial=True) & np.ones(len(rows), bool)

    def row(self, witness) -> Table:
        """A witness as a table; columns it does not name are null."""
        cells = {}
        for column in self.schema:
            cell = witness.get(column.name)
            cells[column.name] = [(-1 if column.is_discrete else np.nan) if cell is None else cell]
        return Table(self.schema, {name: np.array(cell) for name, cell in cells.items()}, 1)


@st.composite
def _ordered(draw, name):
    step = draw(st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.5, 0.1, 30.0]))
    places = draw(st.lists(st.integers(-3, 6), min_size=1, max_size=6))
    repeats = draw(st.sampled_from([1, 7]))
    values = np.repeat(step * np.array(places), repeats)
    nullable = draw(st.booleans())
    dtype = draw(st.sampled_from(["float64", "float64", "float32"]))
    codec = fit_ordered(
        values, n_bins=draw(st.sampled_from([2, 20])), nullable=nullable, single_precision=dtype == "float32"
    )
    return Column(name, "numeric", dtype, nullable=nullable), codec


@st.composite
def _levels(draw, name):
    codes = np.repeat(np.array(draw(st.lists(st.integers(0, 2), min_size=1, max_size=5)), np.int32), 3)
    nullable = draw(st.booleans())
    ordered = draw(st.booleans())
    codec = fit_levels(codes, n_levels=3, ordered=ordered, nullable=nullable)
    return Column(name, "categorical", "str", nullable=nullable, levels=LEVELS, ordered=ordered), codec


@st.composite
def _truths(draw, name):
    codes = np.array(draw(st.lists(st.integers(0, 1), min_size=1, max_size=5)), np.int32)
    nullable = draw(st.booleans())
    return Column(name, "boolean", "boolean", nullable=nullable), fit_levels(
        codes, n_levels=2, ordered=False, nullable=nullable
    )


@st.composite
def worlds(draw):
    """Two to four columns."""
    names = draw(st.sampled_from(["xy", "xyz", "xc", "xyc", "xyb", "cd", "xycd", "bex", "xbcy"]))
    makers = {"c": _levels, "d": _levels, "b": _truths, "e": _truths}
    made = [draw(makers.get(name, _ordered)(name)) for name in names]
    schema = Schema(tuple(column for column, _ in made))
    return World(schema, Codec({column.name: codec for column, codec in made}))


@st.composite
def rule_lists(draw, world, max_rules=6):
    """Bound rules that fit a world."""
    leaves = _leaves(world)
    rules = st.recursive(leaves, _joined, max_leaves=4)
    return [bind(rule, world.schema) for rule in draw(st.lists(rules, max_size=max_rules))]


def _joined(inner):
    some = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return some.map(And) | some.map(Or) | inner.map(Not) | st.builds(Implies, inner, inner)


def _leaves(world):
    numbers = [column.name for column in world.schema if column.kind == "numeric"]
    summands = [column.name for column in world.schema if column.kind != "categorical"]
    cells = {name: _cells(world, name) for name in world.schema.names}
    found = [st.builds(IsNull, st.sampled_from(world.schema.names), st.booleans())]
    ops = st.sampled_from(OPS)
    for column in world.schema:
        name, known = column.name, st.sampled_from(cells[column.name])
        lists = st.lists(known, min_size=1, max_size=3).map(tuple)
        found.append(st.builds(IsIn, st.just(name), lists, st.booleans()))
        if column.kind == "numeric":
            found.append(st.builds(lambda op, c, name=name: _compare({name: 1}, op, c), ops, known))
            found.append(st.builds(Increments, st.just(name), st.sampled_from([0.5, 1, 2, 3, 0.3, 60])))
    if len(summands) > 1 and numbers:
        constants = st.sampled_from(sorted({*cells[numbers[0]], 0, 1, 2.5, -1}))
        weights = st.lists(st.sampled_from([1, 1, -1, 2, -3, 0.5, 0.1, 1 / 3]), min_size=len(summands), max_size=4)
        found += 3 * [
            st.builds(
                lambda op, c, sizes: _compare(dict(zip(summands, sizes, strict=False)), op, c), ops, constants, weights
            )
        ]
    pairs = list(itertools.combinations(world.schema.names, 2))
    for one, other in pairs:
        rows = st.tuples(*(st.none() | st.sampled_from(cells[name]) for name in (one, other)))
        found.append(
            st.builds(FixedCombinations, st.just((one, other)), st.lists(rows, min_size=1, max_size=4).map(tuple))
        )
        if {one, other} == {"c", "d"}:
            equal = st.sampled_from(["==", "!="])
            found.append(st.builds(lambda op: Compare(Linear((Term("c"),)), op, Linear((Term("d"),))), equal))
    if len(summands) > 1:
        found.append(st.just(one_hot(*summands)))
    return st.one_of(found)


def _compare(sizes, op, constant):
    return Compare(Linear(tuple(Term(name, size) for name, size in sizes.items())), op, Linear(constant=constant))


def _cells(world, name):
    """Values to ask for: those the column takes, and some it does not."""
    column = world.schema[name]
    if column.kind == "boolean":
        return [False, True]
    if column.kind == "categorical":
        return list(LEVELS)
    values = world.values(name)
    values = values[~np.isnan(values)]
    return [*values.tolist(), *(values[:1] + 0.25).tolist(), 1.0, 1000.0]
