"""Bound rules in, programs for the solving kernel out: what a column may be, given the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_synth.arrays import Bytes, Floats, LongInts
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.errors import RuleError
from janus_synth.kernels.dtypes import INDEX, REAL
from janus_synth.rules.holds import ULPS, precision_of
from janus_synth.rules.language.nodes import (
    And,
    Compare,
    FixedCombinations,
    Increments,
    IsIn,
    IsNull,
    Not,
    Or,
    Rule,
    leaf_columns,
)
from janus_synth.table import Schema

if TYPE_CHECKING:
    from janus_synth.kernels.solving import Ground, Program


MOST_POINTS = 1 << 20
"""Points that a set may list, as ``increments`` does."""
LEAST = 2.0**-126
"""Smallest step away from 0 that storage in single precision keeps."""
_OPS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_LINEAR, _MEMBER, _TABLE, _AND, _OR = range(5)


class Sets(NamedTuple):
    """A set of values per row, or one for all rows: sorted closed intervals, and whether null is in it."""

    start: LongInts
    intervals: Floats
    null: Bytes

    @property
    def is_empty(self) -> bool:
        """Whether some row has no value left."""
        return bool(((np.diff(self.start) == 0) & (self.null == 0)).any())


@dataclass(frozen=True, slots=True)
class Footing:
    """What solving must know of a table's columns: their places, boxes, rounding and lattices."""

    names: tuple[str, ...]
    box: Floats
    """(columns, 2) bounds that rows which keep the rules do not exceed."""
    precision: Floats
    lattice: Floats
    reach: Floats
    """(columns, 2) smallest and largest value of each column, whatever the rules."""

    def index(self, name: str) -> int:
        """Place of a column."""
        return self.names.index(name)

    def within(self, boxes: Mapping[int, tuple[float, float]]) -> Footing:
        """The same with narrower boxes for some columns."""
        box = self.box.copy()
        for column, (low, high) in boxes.items():
            box[column] = max(box[column, 0], low), min(box[column, 1], high)
        return Footing(self.names, box, self.precision, self.lattice, self.reach)

    @property
    def ground(self) -> Ground:
        """The arrays as kernels take them."""
        from janus_synth.kernels.solving import Ground

        return Ground(self.box, self.precision, self.lattice)


def footing_of(schema: Schema, codec: Codec) -> Footing:
    """Boxes, rounding and lattices of a model's learnt columns; levels are whole numbers."""
    box, lattice = np.zeros((len(codec.names), 2)), np.zeros((len(codec.names), 3))
    for i, column in enumerate(codec.columns.values()):
        if isinstance(column, OrderedCodec):
            if column.n_bins:
                box[i] = column.smallest(0), column.largest(column.n_bins - 1)
            if column.lattice is not None:
                lattice[i] = column.lattice.base, column.lattice.gap, column.lattice.scale
        elif isinstance(column, LevelCodec):
            box[i] = 0, max(0, len(column.weight) - 1)
            lattice[i] = 0, 1, 1
    precision = np.array([precision_of(schema[name]) for name in codec.names])
    return Footing(codec.names, box, precision, lattice, box)


def conjuncts(tests: Iterable[Rule]) -> Iterator[Rule]:
    """Parts that must all hold."""
    for test in tests:
        if isinstance(test, And):
            yield from conjuncts(test.parts)
        else:
            yield test


def tightest(tests: Iterable[Rule]) -> list[Rule]:
    """The same conjunction without tests that another one implies: equal ones, and looser bounds of the same sum."""
    kept: dict[object, Rule] = {}
    for test in conjuncts(tests):
        key: object = test
        if isinstance(test, Compare) and test.op in ("<", "<=", ">", ">="):
            key = test.left, test.op
            other = kept.get(key)
            if isinstance(other, Compare) and _is_tighter(other, test):
                continue
        kept[key] = test
    return list(kept.values())


def _is_tighter(one: Compare, other: Compare) -> bool:
    """Whether one bound implies the other bound of the same kind on the same sum."""
    if one.op in ("<", "<="):
        return one.right.constant <= other.right.constant
    return one.right.constant >= other.right.constant


def columns_of(test: Rule) -> frozenset[str]:
    """Columns of a bound test; constants have none."""
    return frozenset(leaf_columns(test))


def compile_program(tests: Sequence[Rule], free: str, footing: Footing) -> Program:
    """Program that solves a conjunction of bound tests for one column."""
    return _Compiler(footing, footing.index(free)).compiled(tests)


def solve_alone(tests: Sequence[Rule], column: str, footing: Footing) -> Sets:
    """Values of a column that tests about it alone leave."""
    from janus_synth.kernels.dtypes import CODE, UNKNOWN
    from janus_synth.kernels.solving import solve_rows

    d = len(footing.names)
    x, values = np.full((d, 1), UNKNOWN, CODE), np.full((d, 1), np.nan)
    return Sets(*solve_rows(compile_program(tests, column, footing), footing.ground, x, values))


class _Compiler:
    """Collects instructions and constants of one program."""

    def __init__(self, footing: Footing, free: int) -> None:
        self.footing, self.free = footing, free
        self.code: list[tuple[int, int, int, int, int]] = []
        self.terms: list[tuple[int, float]] = []
        self.numbers: list[float] = []
        self.sets: list[Floats] = []
        self.set_null: list[bool] = []
        self.tables: list[tuple[list[int], Floats]] = []
        self.capacity = 0

    def compiled(self, tests: Sequence[Rule]) -> Program:
        from janus_synth.kernels.solving import Program

        self.join(tests, _AND)
        return Program(
            free=self.free,
            code=np.array(self.code, INDEX).reshape(-1, 5),
            term_column=np.array([column for column, _ in self.terms], INDEX),
            term_size=np.array([size for _, size in self.terms], REAL),
            numbers=np.array(self.numbers, REAL),
            sets=np.concatenate([np.empty((0, 2)), *self.sets]),
            set_start=np.cumsum([0, *map(len, self.sets)]).astype(INDEX),
            set_null=np.array(self.set_null, INDEX),
            cells=np.concatenate([np.empty(0), *(cells.ravel() for _, cells in self.tables)]),
            cell_start=np.cumsum([0, *(cells.size for _, cells in self.tables)]).astype(INDEX),
            table_column=np.array([column for columns, _ in self.tables for column in columns], INDEX),
            table_start=np.cumsum([0, *(len(columns) for columns, _ in self.tables)]).astype(INDEX),
            capacity=self.capacity + 2,
        )

    def join(self, tests: Sequence[Rule], how: int) -> None:
        for number, test in enumerate(tests):
            self.add(test)
            if number:
                self.code.append((how, 0, 0, 0, 0))

    def add(self, test: Rule) -> None:
        match test:
            case And(parts):
                self.join(parts, _AND)
            case Or(parts):
                self.join(parts, _OR)
            case Compare(left, op, right):
                first = len(self.terms)
                self.terms += [(self.footing.index(term.column), float(term.coefficient)) for term in left.terms]
                self.numbers.append(float(right.constant))
                self.code.append((_LINEAR, first, len(self.terms), _OPS[op], len(self.numbers) - 1))
                self.capacity += 2
            case IsNull(column, negated):
                self.member(column, EVERYTHING if negated else NOTHING, null=not negated)
            case IsIn(column, values, negated):
                points = self.points(column, np.array(values, REAL))
                self.member(column, self.complement(column, points) if negated else points)
            case Increments(column, step):
                self.member(column, self.multiples(test, column, step))
            case Not(Increments(column, step)):
                self.member(column, self.complement(column, self.multiples(test, column, step)))
            case FixedCombinations():
                self.table(test, negated=False)
            case Not(FixedCombinations() as part):
                self.table(part, negated=True)
            case _:
                raise TypeError(f"{test!r} is no bound rule.")

    def member(self, column: str, intervals: Floats, *, null: bool = False) -> None:
        self.code.append((_MEMBER, 0, 0, self.footing.index(column), len(self.sets)))
        self.sets.append(intervals)
        self.set_null.append(null)
        self.capacity += len(intervals) + 1

    def table(self, test: FixedCombinations, *, negated: bool) -> None:
        cells = np.array([[np.nan if cell is None else cell for cell in row] for row in test.rows or ()], REAL)
        cells = cells.reshape(-1, len(test.combined))
        self.code.append((_TABLE, len(self.tables), int(negated), 0, 0))
        self.tables.append(([self.footing.index(column) for column in test.combined], cells))
        self.capacity += len(cells) + 2

    def points(self, column: str, values: Floats) -> Floats:
        """Values as intervals of one point; what is off the column's lattice drops out."""
        on_it = np.unique(self.snapped(column, values))
        return np.column_stack([on_it, on_it])

    def snapped(self, column: str, values: Floats) -> Floats:
        i = self.footing.index(column)
        base, gap, scale = self.footing.lattice[i]
        if not scale:
            return values
        near = (base + gap * np.rint((values * scale - base) / gap)) / scale
        whole = (near == np.rint(near)) & (values == np.rint(values))
        slack = np.where(whole, 0.0, ULPS * self.footing.precision[i] * (np.abs(near) + np.abs(values)))
        return np.asarray(near[np.abs(near - values) <= slack])

    def complement(self, column: str, points: Floats) -> Floats:
        """Everything but some points, with the judge's berth around them."""
        i = self.footing.index(column)
        base, gap, scale = self.footing.lattice[i]
        values = points[:, 0]
        berth = 2 * ULPS * self.footing.precision[i] * np.abs(values)
        if scale:
            m = np.rint((values * scale - base) / gap)
            steps = 1 + np.floor(berth * scale / gap) if scale > 1 else 1  # whole numbers are compared exactly
            above, below = ((base + gap * (m + side * steps)) / scale for side in (1, -1))
        else:
            berth = np.maximum(2 * berth, LEAST)
            above, below = values + berth, values - berth
        low, high = np.append(-np.inf, above), np.append(below, np.inf)
        return np.column_stack([low, high])[low <= high]

    def multiples(self, rule: Rule, column: str, step: float) -> Floats:
        """Multiples of a step within the column's reach, and the next ones: its ends may equal them but for rounding.

        Not within its box: what is no multiple must exclude multiples beyond the box, too.
        """
        i = self.footing.index(column)
        low, high = self.footing.reach[i]
        first, last = np.floor(low / step), np.ceil(high / step)
        if last - first >= MOST_POINTS:
            raise RuleError(
                f"column {column!r} has {last - first:,.0f} multiples of {step:g} between {low:g} and {high:g}, more "
                f"than {MOST_POINTS:,}. Use a larger step, or narrow the column in the schema.",
                rule=str(rule),
            )
        return self.points(column, step * np.arange(first, last + 1))


EVERYTHING: Floats = np.array([[-np.inf, np.inf]])
NOTHING: Floats = np.empty((0, 2))
