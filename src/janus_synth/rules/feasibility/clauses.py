"""The constraint satisfaction problem that propagation, search and the mixed-integer program solve.

A fitted table gives a ``Space``: columns with their domains. ``translate.build_problem`` turns bound rules into
clauses over it, which are trees of six nodes. Four are literals: ``InDomain`` restricts one column to some positions,
``LinearBound`` bounds a weighted sum, ``ProductBound`` a sum of products, and ``InTable`` lists the combinations of
some columns. ``Conjunction`` and ``Disjunction`` join them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from janus_synth.arrays import Floats
from janus_synth.encoding import Codec
from janus_synth.rules.feasibility.domains import Domain, Grid, column_domain, column_grid
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import Rule
from janus_synth.table import Column, Schema


@dataclass(frozen=True, slots=True, eq=False)
class InDomain:
    """A column takes a position of a domain."""

    column: int
    domain: Domain

    @property
    def columns(self) -> tuple[int, ...]:
        """The column."""
        return (self.column,)


@dataclass(frozen=True, slots=True, eq=False)
class LinearBound:
    """A weighted sum of columns, none of them null, lies between two numbers."""

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    low: float
    high: float
    exact: bool
    """The sum is over positions, in integers of any length; otherwise over values, in floats."""
    strict: bool = False
    """The two numbers themselves are excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductBound:
    """A sum of products of powers of columns, none of them null or a divisor 0, lies between two numbers."""

    columns: tuple[int, ...]
    terms: tuple[tuple[float, tuple[tuple[int, int], ...]], ...]
    """Coefficient of each product, and its columns with their powers."""
    low: float
    high: float
    strict: bool = False
    """The two numbers themselves are excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class InTable:
    """Columns take one of some listed combinations (a table constraint)."""

    columns: tuple[int, ...]
    cells: Floats
    """(n, len(columns)) positions, NaN for null."""


@dataclass(frozen=True, slots=True, eq=False)
class Conjunction:
    """All parts hold."""

    parts: tuple[Node, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Disjunction:
    """At least one part holds."""

    parts: tuple[Node, ...]
    columns: tuple[int, ...]


Node = InDomain | LinearBound | ProductBound | InTable | Conjunction | Disjunction
FALSE = Disjunction((), ())
"""The empty disjunction, which nothing satisfies."""


def has_products(node: Node) -> bool:
    """Whether a node bounds products of columns somewhere."""
    if isinstance(node, Conjunction | Disjunction):
        return any(map(has_products, node.parts))
    return isinstance(node, ProductBound)


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One conjunct of a rule: the rule's number, the bound test that ``judge`` evaluates, and the same as a node."""

    rule: int
    test: Rule
    node: Node


@dataclass(frozen=True, slots=True)
class Space:
    """Columns with the values that the model can emit for them."""

    columns: tuple[Column, ...]
    grids: tuple[Grid, ...]
    domains: tuple[Domain, ...]

    def index(self, name: str) -> int:
        """Position of a column."""
        return next(i for i, column in enumerate(self.columns) if column.name == name)

    def with_domain(self, i: int, grid: Grid, to: Domain) -> Space:
        """Return a copy with another domain for one column."""
        grids, domains = list(self.grids), list(self.domains)
        grids[i], domains[i] = grid, to
        return Space(self.columns, tuple(grids), tuple(domains))


def build_space(names: Iterable[str], schema: Schema, codec: Codec) -> Space:
    """Collect grids and domains of some columns of a fitted table."""
    columns = tuple(schema[name] for name in distinct(names))
    grids = tuple(column_grid(column, codec.columns[column.name]) for column in columns)
    return Space(columns, grids, tuple(column_domain(codec.columns[column.name]) for column in columns))


@dataclass(frozen=True, slots=True)
class Problem:
    """Clauses over the columns of a space and over auxiliary integer variables, which are numbered after them."""

    space: Space
    grids: tuple[Grid, ...]
    domains: tuple[Domain, ...]
    clauses: tuple[Clause, ...]

    def restricted_to(self, rules: Iterable[int]) -> Problem:
        """Return a copy with only the clauses of some rules."""
        wanted = frozenset(rules)
        return Problem(self.space, self.grids, self.domains, tuple(c for c in self.clauses if c.rule in wanted))
