"""Bound tests in, a postfix program out that solves them for one column: which values it may take, given the others.

The kernel ``solve_rows`` runs a program on many rows. Each literal pushes a set of intervals, ``AND`` and ``OR`` join
the two topmost sets (``kernels.solving`` describes the instructions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_synth.arrays import Bytes, Floats, LongInts
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.kernels.dtypes import INDEX, REAL
from janus_synth.rules.holds import DOUBLE, ULPS, precision_of
from janus_synth.rules.language.dates import InCalendar
from janus_synth.rules.language.monomials import Product
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
)
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Schema
from janus_synth.table.calendar import calendar_intervals

if TYPE_CHECKING:
    from janus_synth.kernels.solving import Ground, Program


MAX_POINTS, MAX_POINTS_OF_ALL = 1 << 13, 1 << 16
"""Most multiples that ``increments`` lists for each row, and for all rows at once.

Of more, sequential Monte Carlo draws from an even subset; rejection draws from all of them.
"""
MAX_DENOMINATOR = 10**6
"""Largest denominator of a step that counts as a simple fraction."""
SMALLEST_NORMAL = 2.0**-126
"""Smallest distance from 0 that single precision stores without loss."""
EVERYTHING: Floats = np.array([[-np.inf, np.inf]])
NOTHING: Floats = np.empty((0, 2))
_OPS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_LINEAR, _MEMBER, _TABLE, _AND, _OR, _PRODUCTS = range(6)
MAX_SETS = 40
"""Most intervals that a comparison with products leaves."""


class Sets(NamedTuple):
    """A set of values per row, or one set for all rows: sorted closed intervals, and whether null is in it."""

    start: LongInts
    """(rows + 1,) where each row's intervals begin."""
    intervals: Floats
    """(m, 2) first and last value of each interval."""
    null: Bytes
    """(rows,) 1 where null is in the set."""

    @property
    def is_empty(self) -> bool:
        """Whether some row's set is empty, without even null."""
        return bool(((np.diff(self.start) == 0) & (self.null == 0)).any())


@dataclass(frozen=True, slots=True)
class SolverColumns:
    """A table's columns in the form that the solver uses: positions, bounds, rounding and lattices."""

    names: tuple[str, ...]
    box: Floats
    """(columns, 2) bounds of the rows that satisfy the rules."""
    precision: Floats
    """(columns,) relative rounding of stored values."""
    lattice: Floats
    """(columns, 3) base, gap and scale of values (base + gap · m) / scale; scale 0 for continuous columns."""
    reach: Floats
    """(columns, 2) smallest and largest value of each column without any rules."""

    def index(self, name: str) -> int:
        """Position of a column."""
        return self.names.index(name)

    def within(self, boxes: Mapping[int, tuple[float, float]]) -> SolverColumns:
        """Return a copy with narrower boxes for some columns."""
        box = self.box.copy()
        for column, (low, high) in boxes.items():
            box[column] = max(box[column, 0], low), min(box[column, 1], high)
        return SolverColumns(self.names, box, self.precision, self.lattice, self.reach)

    @property
    def ground(self) -> Ground:
        """The arrays that the kernel takes."""
        from janus_synth.kernels.solving import Ground

        return Ground(self.box, self.precision, self.lattice)


def solver_columns(schema: Schema, codec: Codec) -> SolverColumns:
    """Collect bounds, rounding and lattices of a model's learnt columns; levels are integers from 0."""
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
    return SolverColumns(codec.names, box, precision, lattice, box)


def compile_program(tests: Sequence[Rule], free: str, columns: SolverColumns) -> Program:
    """Compile a conjunction of bound tests into a program that solves for one column."""
    return _Compiler(columns, columns.index(free), MAX_POINTS).compile(tests)


def solve_single_column(tests: Sequence[Rule], column: str, columns: SolverColumns) -> Sets:
    """Return the values of a column that satisfy tests about no other column."""
    from janus_synth.kernels.dtypes import CODE, UNKNOWN
    from janus_synth.kernels.solving import solve_rows

    d = len(columns.names)
    x, values = np.full((d, 1), UNKNOWN, CODE), np.full((d, 1), np.nan)
    program = _Compiler(columns, columns.index(column), MAX_POINTS_OF_ALL).compile(tests)
    return Sets(*solve_rows(program, columns.ground, x, values))


class _Compiler:
    """Collects the instructions and constants of one program."""

    def __init__(self, columns: SolverColumns, free: int, most: int) -> None:
        self.columns, self.free, self.most = columns, free, most
        self.code: list[tuple[int, int, int, int, int]] = []
        self.terms: list[tuple[int, float]] = []
        self.products: list[Product] = []
        self.numbers: list[float] = []
        self.sets: list[Floats] = []
        self.set_null: list[bool] = []
        self.tables: list[tuple[list[int], Floats]] = []
        self.capacity = 0

    def compile(self, tests: Sequence[Rule]) -> Program:
        from janus_synth.kernels.solving import Program

        self.add_all(tests, _AND)
        return Program(
            free=self.free,
            code=np.array(self.code, INDEX).reshape(-1, 5),
            term_column=np.array([column for column, _ in self.terms], INDEX),
            term_size=np.array([size for _, size in self.terms], REAL),
            product_size=np.array([product.coefficient for product in self.products], REAL),
            factor_start=np.cumsum([0, *(len(product.factors) for product in self.products)]).astype(INDEX),
            factor_column=np.array([self.columns.index(n) for p in self.products for n, _ in p.factors], INDEX),
            factor_power=np.array([power for p in self.products for _, power in p.factors], INDEX),
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

    def add_all(self, tests: Sequence[Rule], how: int) -> None:
        """Add tests that ``_AND`` or ``_OR`` joins."""
        for number, test in enumerate(tests):
            self.add(test)
            if number:
                self.code.append((how, 0, 0, 0, 0))

    def add(self, test: Rule) -> None:
        """Add the instructions of one test."""
        match test:
            case And(parts):
                self.add_all(parts, _AND)
            case Or(parts):
                self.add_all(parts, _OR)
            case Compare(left, op, right):
                first = len(self.terms)
                self.terms += [(self.columns.index(term.column), float(term.coefficient)) for term in left.terms]
                self.numbers.append(float(right.constant))
                self.code.append((_LINEAR, first, len(self.terms), _OPS[op], len(self.numbers) - 1))
                self.capacity += 2
            case CompareProducts(terms, op, bound):
                first = len(self.products)
                self.products += terms
                self.numbers.append(float(bound))
                self.code.append((_PRODUCTS, first, len(self.products), _OPS[op], len(self.numbers) - 1))
                self.capacity += MAX_SETS
            case IsNull(column, negated):
                self.add_member(column, EVERYTHING if negated else NOTHING, null=not negated)
            case IsIn(column, values, negated):
                points = self.points(column, np.array(values, REAL))
                self.add_member(column, self.complement(column, points) if negated else points)
            case InCalendar(column):
                self.add_member(column, self.calendar(test))
            case Increments(column, step):
                self.add_multiples(column, step, 1)
            case Not(Increments(column, step)):
                self.add_multiples(column, step, 2)
            case FixedCombinations():
                self.add_table(test, negated=False)
            case Not(FixedCombinations() as part):
                self.add_table(part, negated=True)
            case _:
                raise TypeError(f"{test!r} is not a bound rule.")

    def add_member(self, column: str, intervals: Floats, *, null: bool = False) -> None:
        self.code.append((_MEMBER, 0, 0, self.columns.index(column), len(self.sets)))
        self.sets.append(intervals)
        self.set_null.append(null)
        self.capacity += len(intervals) + 1

    def add_multiples(self, column: str, step: float, kind: int) -> None:
        """Add the multiples of a step (1), or all other values (2); only the free column needs them listed."""
        is_free = self.columns.index(column) == self.free
        make = self.multiples if kind == 1 else self.between_multiples
        self.add_member(column, make(column, step) if is_free else NOTHING)
        self.numbers.append(float(step))
        member, _, _, *rest = self.code[-1]
        self.code[-1] = (member, kind, len(self.numbers) - 1, rest[0], rest[1])

    def add_table(self, test: FixedCombinations, *, negated: bool) -> None:
        cells = np.array([[np.nan if cell is None else cell for cell in row] for row in test.rows or ()], REAL)
        cells = cells.reshape(-1, len(test.combined))
        for c, column in enumerate(test.combined):
            cells[:, c] = self.as_emitted(column, cells[:, c])
            if self.columns.index(column) == self.free:  # points are then found in order, and need no sorting
                cells = cells[np.argsort(cells[:, c], kind="stable")]
        self.code.append((_TABLE, len(self.tables), int(negated), 0, 0))
        self.tables.append(([self.columns.index(column) for column in test.combined], cells))
        self.capacity += len(cells) + 2

    def points(self, column: str, values: Floats) -> Floats:
        """Return values as intervals of one point, without those off the column's lattice."""
        points = np.unique(self.snap(column, values))
        return np.column_stack([points, points])

    def snap(self, column: str, values: Floats) -> Floats:
        """Round values to the column's lattice, and drop those that are not on it within rounding."""
        i = self.columns.index(column)
        base, gap, scale = self.columns.lattice[i]
        if not scale:
            return values
        near = (base + gap * np.rint((values * scale - base) / gap)) / scale
        whole = (near == np.rint(near)) & (values == np.rint(values))
        slack = np.where(whole, 0.0, ULPS * self.columns.precision[i] * (np.abs(near) + np.abs(values)))
        return np.asarray(near[np.abs(near - values) <= slack])

    def as_emitted(self, column: str, values: Floats) -> Floats:
        """Return known values as the model emits them: on the column's lattice, if they are stored as such a value."""
        i = self.columns.index(column)
        base, gap, scale = self.columns.lattice[i]
        if not scale:
            return values
        near = (base + gap * np.rint((values * scale - base) / gap)) / scale
        slack = ULPS * self.columns.precision[i] * (np.abs(near) + np.abs(values))
        return np.where(np.abs(near - values) <= slack, near, values)

    def complement(self, column: str, points: Floats) -> Floats:
        """Return everything but some points and the values that ``judge`` considers equal to them."""
        below, above = self.beside(column, points[:, 0])
        low, high = np.append(-np.inf, above), np.append(below, np.inf)
        return np.column_stack([low, high])[low <= high]

    def beside(self, column: str, values: Floats) -> tuple[Floats, Floats]:
        """Return the nearest values below and above some others that ``judge`` does not consider equal to them."""
        i = self.columns.index(column)
        base, gap, scale = self.columns.lattice[i]
        margin = 2 * ULPS * self.columns.precision[i] * np.abs(values)
        if scale:
            m = np.rint((values * scale - base) / gap)
            steps = 1 + np.floor(margin * scale / gap) if scale > 1 else 1  # whole numbers are compared exactly
            above, below = ((base + gap * (m + side * steps)) / scale for side in (1, -1))
        else:
            margin = np.maximum(2 * margin, SMALLEST_NORMAL)
            above, below = values + margin, values - margin
        return below, above

    def calendar(self, test: InCalendar) -> Floats:
        """Return the times of a part of the calendar within the column's reach, as intervals of its lattice."""
        i = self.columns.index(test.column)
        low, high = self.columns.reach[i].tolist()
        found = calendar_intervals(test.part, test.ranges, low, high, test.zone)
        base, gap, scale = self.columns.lattice[i]
        if scale:
            first, last = np.ceil((found[:, 0] * scale - base) / gap), np.floor((found[:, 1] * scale - base) / gap)
            found = np.column_stack([base + gap * first, base + gap * last])[first <= last] / scale
        return found

    def multiples(self, column: str, step: float) -> Floats:
        """Return the multiples of a step within the column's reach, and the next one on either side.

        An end of the reach may equal the next multiple but for rounding. The box would be too narrow: the complement
        must exclude multiples outside the box, too. Of more than ``self.most`` an even subset is returned.
        """
        i = self.columns.index(column)
        low, high = self.columns.reach[i]
        base, gap, scale = self.columns.lattice[i]
        found = _common_multiples(int(base), int(gap), int(scale), step) if scale else None
        if found is None:
            return self.points(column, step * _evenly(np.floor(low / step), np.ceil(high / step), self.most))
        start, period = found
        if not period:
            return NOTHING
        if period == 1:
            return EVERYTHING
        ends = [((end * scale - base) / gap - start) / period for end in (low, high)]
        points = (base + gap * (start + period * _evenly(np.floor(ends[0]), np.ceil(ends[1]), self.most))) / scale
        return np.column_stack([points, points])

    def between_multiples(self, column: str, step: float) -> Floats:
        """Return the values that are no multiples; those between an even subset of them if there are too many."""
        points = self.multiples(column, step)
        if np.isinf(points).any():
            return NOTHING
        i = self.columns.index(column)
        first, last = np.floor(self.columns.reach[i, 0] / step), np.ceil(self.columns.reach[i, 1] / step)
        is_complete = _is_simple(step) and self.columns.lattice[i, 2] > 0 and len(points) < self.most
        if last - first + 1 < self.most or is_complete:
            return self.complement(column, points)
        below = step * _evenly(first, last - 1, self.most)
        intervals = np.column_stack([self.beside(column, below)[1], self.beside(column, below + step)[0]])
        return intervals[intervals[:, 0] <= intervals[:, 1]]


def _evenly(first: float, last: float, most: int) -> Floats:
    """Return the whole numbers from ``first`` to ``last``, or if there are more, ``most`` of them, evenly spread."""
    if last - first + 1 < most:
        return np.arange(first, last + 1)
    return np.rint(np.linspace(first, last, most))


def _is_simple(step: float) -> bool:
    """Whether a step is a simple fraction, such as a decimal or a third."""
    return abs(float(Fraction(step).limit_denominator(MAX_DENOMINATOR)) - step) <= 4 * DOUBLE * step


def _common_multiples(base: int, gap: int, scale: int, step: float) -> tuple[int, int] | None:
    """Return which values of a lattice are multiples of a step: m = start + period · j, with j any integer.

    The period is 0 if there are none. None if the step is no simple fraction.

    Examples
    --------
    >>> _common_multiples(0, 5, 1, 2.0), _common_multiples(0, 1, 100, 0.01), _common_multiples(1, 2, 1, 4.0)
    ((0, 2), (0, 1), (0, 0))
    """
    if not _is_simple(step):
        return None
    unit = Fraction(step).limit_denominator(MAX_DENOMINATOR) * scale
    p, a, b = unit.numerator, gap * unit.denominator, base * unit.denominator
    common = math.gcd(a, p)
    if b % common:
        return 0, 0
    period = p // common
    return (-(b // common) * pow(a // common, -1, period)) % period if period > 1 else 0, period
