"""What propagation, search and solver work on: clauses over sets of places and over whole numbers.

A clause is a tree of five nodes. ``Within`` leaves one column some places; ``Sum`` bounds a weighted sum; ``Listed``
names the combinations of some columns; ``Every`` and ``Some`` join. ``literals`` makes them from bound rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from janus_synth.arrays import Floats
from janus_synth.encoding import Codec
from janus_synth.rules.feasibility.domains import Domain, Grid, domain_of, grid_of
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import Rule
from janus_synth.table import Column, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """A column takes a place of a set."""

    column: int
    domain: Domain

    @property
    def columns(self) -> tuple[int, ...]:
        """The column."""
        return (self.column,)


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A weighted sum of columns, none of them null, lies between two numbers."""

    columns: tuple[int, ...]
    sizes: tuple[float, ...]
    low: float
    high: float
    exact: bool
    """The sum is over places, in whole numbers of any length; otherwise over values, in floats."""
    strict: bool = False
    """The two numbers themselves are too low or too high."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Columns take one of some combinations."""

    columns: tuple[int, ...]
    cells: Floats
    """(n, len(columns)) places, NaN for null."""


@dataclass(frozen=True, slots=True, eq=False)
class Every:
    """All parts hold."""

    parts: tuple[Node, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Some:
    """Some part holds."""

    parts: tuple[Node, ...]
    columns: tuple[int, ...]


Node = Within | Sum | Listed | Every | Some
NEVER = Some((), ())


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One of the conditions that a rule is made of: the test the judge knows, and the node."""

    rule: int
    test: Rule
    node: Node


@dataclass(frozen=True, slots=True)
class Space:
    """Columns with what the model can emit for them."""

    columns: tuple[Column, ...]
    grids: tuple[Grid, ...]
    domains: tuple[Domain, ...]

    def index(self, name: str) -> int:
        """Number of a column."""
        return next(i for i, column in enumerate(self.columns) if column.name == name)

    def changed(self, i: int, grid: Grid, to: Domain) -> Space:
        """The same with other values for one column."""
        grids, domains = list(self.grids), list(self.domains)
        grids[i], domains[i] = grid, to
        return Space(self.columns, tuple(grids), tuple(domains))


def space_of(names: Iterable[str], schema: Schema, codec: Codec) -> Space:
    """Some columns of a fitted table."""
    columns = tuple(schema[name] for name in distinct(names))
    grids = tuple(grid_of(column, codec.columns[column.name]) for column in columns)
    return Space(columns, grids, tuple(domain_of(codec.columns[column.name]) for column in columns))


@dataclass(frozen=True, slots=True)
class Problem:
    """Clauses over the columns of a space and over helper counts, which are numbered after them."""

    space: Space
    grids: tuple[Grid, ...]
    domains: tuple[Domain, ...]
    clauses: tuple[Clause, ...]

    def of_rules(self, kept: Iterable[int]) -> Problem:
        """Only the clauses of some rules."""
        wanted = frozenset(kept)
        return Problem(self.space, self.grids, self.domains, tuple(c for c in self.clauses if c.rule in wanted))
