"""Small tables whose rows can all be enumerated, random rules that fit them, and the rows that satisfy the rules."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.rules import BoundRule, bind, judge, one_hot
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
from janus_synth.table import Column, Schema, Table
from strategies import seeds

LEVELS = ("a", "b", "c")


@dataclass(frozen=True)
class World:
    """A schema and a codec with few values per column."""

    schema: Schema
    codec: Codec

    def values(self, name: str) -> np.ndarray:
        """All values that the codec emits for a column, found by drawing; NaN or −1 for null."""
        column = self.codec.columns[name]
        codes = np.flatnonzero(column.allowed)
        if isinstance(column, OrderedCodec) and column.n_bins == 0:
            codes = np.array([0])
        u = np.linspace(0, 1, 401)
        drawn = [column.decode(np.full(len(u), code, np.uint16), u) for code in codes]
        return np.unique(np.concatenate(drawn))

    def rows(self) -> Table:
        """Every possible row."""
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


def positions_of(space, rows):
    """Positions of every row's cells, NaN for null."""
    found = []
    for column, grid in zip(space.columns, space.grids, strict=True):
        cells = np.where(rows.missing(column.name), np.nan, rows[column.name].astype(float))
        found.append(np.rint(grid.positions(cells)))
    return found


def worlds_and_rules(most_rules: int = 6):
    """Worlds of two to four columns, and bound rules that fit them; built from a single drawn seed, which is fast."""
    return seeds.map(lambda seed: _world_and_rules(Random(seed), most_rules))


def _world_and_rules(rng: Random, most_rules: int) -> tuple[World, list[BoundRule]]:
    names = rng.choice(["xy", "xyz", "xc", "xyc", "xyb", "cd", "xycd", "bex", "xbcy"])
    makers = {"c": _levels, "d": _levels, "b": _truths, "e": _truths}
    made = [makers.get(name, _ordered)(name, rng) for name in names]
    schema = Schema(tuple(column for column, _ in made))
    world = World(schema, Codec({column.name: codec for column, codec in made}))
    leaf = _Leaf(world, rng)
    rules = [_grow(rng, leaf, rng.randint(1, 4)) for _ in range(rng.randint(0, most_rules))]
    return world, [bind(rule, schema) for rule in rules]


def _ordered(name, rng):
    step = rng.choice([1.0, 1.0, 1.0, 2.0, 0.5, 0.1, 30.0])
    values = step * np.array(rng.choices(range(-3, 7), k=rng.randint(1, 6)))
    nullable, dtype = rng.random() < 0.5, rng.choice(["float64", "float64", "float32"])
    codec = fit_ordered(
        np.repeat(values, rng.choice([1, 7])),
        n_bins=rng.choice([2, 20]),
        nullable=nullable,
        single_precision=dtype == "float32",
    )
    return Column(name, "numeric", dtype, nullable=nullable), codec


def _levels(name, rng):
    codes = np.repeat(np.array(rng.choices(range(3), k=rng.randint(1, 5)), np.int32), 3)
    nullable, ordered = rng.random() < 0.5, rng.random() < 0.5
    codec = fit_levels(codes, n_levels=3, ordered=ordered, nullable=nullable)
    return Column(name, "categorical", "str", nullable=nullable, levels=LEVELS, ordered=ordered), codec


def _truths(name, rng):
    codes, nullable = np.array(rng.choices(range(2), k=rng.randint(1, 5)), np.int32), rng.random() < 0.5
    codec = fit_levels(codes, n_levels=2, ordered=False, nullable=nullable)
    return Column(name, "boolean", "boolean", nullable=nullable), codec


def _grow(rng, leaf, n_leaves):
    """A rule with some leaves."""
    if n_leaves == 1:
        return Not(leaf()) if rng.random() < 0.2 else leaf()
    left = rng.randint(1, n_leaves - 1)
    parts = _grow(rng, leaf, left), _grow(rng, leaf, n_leaves - left)
    joined = rng.choice([And, Or, Or, lambda two: Implies(*two)])(parts)
    return Not(joined) if rng.random() < 0.2 else joined


class _Leaf:
    """Makes leaves that fit a world."""

    def __init__(self, world: World, rng: Random) -> None:
        self.rng, self.schema = rng, world.schema
        self.cells = {name: _cells(world, name) for name in world.schema.names}
        self.numbers = [column.name for column in world.schema if column.kind == "numeric"]
        self.summands = [column.name for column in world.schema if column.kind != "categorical"]
        self.makers = [self.null, self.listed, self.listed, self.combinations]
        if self.numbers:
            self.makers += [self.compared, self.compared, self.increments]
        if self.numbers and len(self.summands) > 1:
            self.makers += [self.total, self.total, self.total, self.hot]
        if {"c", "d"} <= set(world.schema.names):
            self.makers.append(self.same)

    def __call__(self):
        return self.rng.choice(self.makers)()

    def null(self):
        return IsNull(self.rng.choice(self.schema.names), self.rng.random() < 0.5)

    def listed(self):
        name = self.rng.choice(self.schema.names)
        return IsIn(name, tuple(self.rng.choices(self.cells[name], k=self.rng.randint(1, 3))), self.rng.random() < 0.5)

    def compared(self):
        name = self.rng.choice(self.numbers)
        return self.comparison({name: 1}, self.rng.choice(self.cells[name]))

    def increments(self):
        return Increments(self.rng.choice(self.numbers), self.rng.choice([0.5, 1, 2, 3, 0.3, 60]))

    def total(self):
        sizes = {name: self.rng.choice([1, 1, -1, 2, -3, 0.5, 0.1, 1 / 3]) for name in self.summands}
        return self.comparison(sizes, self.rng.choice([*self.cells[self.numbers[0]], 0, 1, 2.5, -1]))

    def hot(self):
        return one_hot(*self.summands)

    def same(self):
        return Compare(Linear((Term("c"),)), self.rng.choice(["==", "!="]), Linear((Term("d"),)))

    def combinations(self):
        pair = tuple(self.rng.sample(self.schema.names, 2))
        rows = [[self.rng.choice([None, *self.cells[name]]) for name in pair] for _ in range(self.rng.randint(1, 4))]
        return FixedCombinations(pair, tuple(map(tuple, rows)))

    def comparison(self, sizes, constant):
        terms = tuple(Term(name, size) for name, size in sizes.items())
        return Compare(Linear(terms), self.rng.choice(OPS), Linear(constant=constant))


def _cells(world, name):
    """Constants for comparisons: values that the column takes, and some that it does not."""
    column = world.schema[name]
    if column.kind == "boolean":
        return [False, True]
    if column.kind == "categorical":
        return list(LEVELS)
    values = world.values(name)
    values = values[~np.isnan(values)]
    return [*values.tolist(), *(values[:1] + 0.25).tolist(), 1.0, 1000.0]
