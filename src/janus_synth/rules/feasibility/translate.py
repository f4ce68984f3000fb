"""Bound rules and a space in, a problem out: every test becomes a clause over domains, sums and tables.

Tests about one column collapse into a single domain. If all columns of a sum lie on lattices, the sum runs over their
positions, in integers, and is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.deadlines import check_time
from janus_synth.rules.feasibility.clauses import (
    FALSE,
    Clause,
    Conjunction,
    Disjunction,
    InDomain,
    InTable,
    LinearBound,
    Node,
    Problem,
    ProductBound,
    Space,
)
from janus_synth.rules.feasibility.domains import UNITS, Domain, Grid, merge_intervals, next_position, previous_position
from janus_synth.rules.holds import DOUBLE, ULPS
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.dates import InCalendar
from janus_synth.rules.language.linear import distinct
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
from janus_synth.table.calendar import calendar_intervals

MAX_DENOMINATOR = 10**6
"""Largest denominator of a fraction that a float is taken to approximate, such as a decimal or a third."""


def build_problem(rules: Sequence[BoundRule], space: Space) -> Problem:
    """Translate all rules; each clause carries the number of its rule."""
    translator = _Translator(space)
    clauses = []
    for number, rule in enumerate(rules):
        check_time()
        tests = rule.test.parts if isinstance(rule.test, And) else (rule.test,)
        clauses += [Clause(number, test, translator.node(test)) for test in tests]
    return Problem(space, tuple(translator.grids), tuple(translator.domains), tuple(clauses))


class _Translator:
    """Turns tests into nodes, and collects the auxiliary integer variables they need."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.indices = {column.name: i for i, column in enumerate(space.columns)}
        self.grids, self.domains = list(space.grids), list(space.domains)

    def node(self, test: Rule) -> Node:
        match test:
            case And(parts):
                return _join(Conjunction, [self.node(part) for part in parts])
            case Or(parts):
                return _join(Disjunction, [self.node(part) for part in parts])
            case IsNull(column, negated):
                i = self.indices[column]
                intervals = np.array([[-np.inf, np.inf]]) if negated else np.empty((0, 2))
                return InDomain(i, Domain(intervals, not negated, self.grids[i].whole))
            case IsIn(column, values, negated):
                i = self.indices[column]
                return InDomain(i, self.values_in(i, [float(value) for value in values], negated))
            case Compare(left, op, right):
                columns = tuple(self.indices[term.column] for term in left.terms)
                coefficients = tuple(float(term.coefficient) for term in left.terms)
                if coefficients == (1.0,):
                    return InDomain(columns[0], self.values_compared(columns[0], op, float(right.constant)))
                return self.compare_sum(columns, coefficients, op, float(right.constant))
            case CompareProducts():
                return self.compare_products(test, test.op)
            case InCalendar(column):
                i = self.indices[column]
                return InDomain(i, self.times_in(i, test))
            case Increments(column, step):
                return self.multiple_of(self.indices[column], float(step), negated=False)
            case Not(Increments(column, step)):
                return self.multiple_of(self.indices[column], float(step), negated=True)
            case FixedCombinations():
                return self.in_table(test, negated=False)
            case Not(FixedCombinations() as part):
                return self.in_table(part, negated=True)
        raise TypeError(f"{test!r} is not a bound rule.")

    def edges(self, i: int, number: float, precision: float = DOUBLE) -> tuple[float, float, float, float]:
        """Last position below a number, first and last equal to it, and first above it, compared as ``judge`` does."""
        grid = self.grids[i]
        below, above = grid.edges(number, self.domains[i], precision)
        first, last = next_position(below, grid.whole), previous_position(above, grid.whole)
        if not grid.whole and number.is_integer():  # integers are compared exactly, even where the tolerance exceeds 1
            below, above = max(below, number - 1), min(above, number + 1)
        return below, first, last, above

    def values_in(self, i: int, values: Sequence[float], negated: bool) -> Domain:
        """Positions whose value equals one of some values, or none of them, compared as ``judge`` does."""
        whole = self.grids[i].whole
        if self.space.columns[i].is_discrete:
            edges = [(value - 1, value, value, value + 1) for value in values]
        else:
            edges = [self.edges(i, value, self.grids[i].precision) for value in values]
        near = [(first, last) for _, first, last, _ in edges if math.isfinite(first + last)]
        if not negated:
            return merge_intervals(np.array(near).reshape(-1, 2), False, whole)
        near = [
            (next_position(below, whole), previous_position(above, whole))
            for below, _, _, above in edges
            if below < above
        ]
        return merge_intervals(np.array(near).reshape(-1, 2), False, whole).complement()

    def times_in(self, i: int, test: InCalendar) -> Domain:
        """Positions whose moment has a part of the calendar in some ranges."""
        grid, domain = self.grids[i], self.domains[i]
        if not len(domain.intervals):
            return Domain(np.empty((0, 2)), False, grid.whole)
        ends = grid.value(domain.low), grid.value(domain.high)
        times = grid.positions(calendar_intervals(test.part, test.ranges, *ends, test.zone))
        if grid.whole:
            times = np.column_stack([np.ceil(times[:, 0]), np.floor(times[:, 1])])
        return merge_intervals(times, False, grid.whole)

    def values_compared(self, i: int, op: str, number: float) -> Domain:
        """Positions whose value satisfies a comparison with a number."""
        below, first, last, above = self.edges(i, number)
        ends = {
            "<": [(-math.inf, below)],
            "<=": [(-math.inf, last)],
            ">": [(above, math.inf)],
            ">=": [(first, math.inf)],
            "==": [(first, last)],
            "!=": [(-math.inf, below), (above, math.inf)],
        }
        return merge_intervals(np.array(ends[op]), False, self.grids[i].whole)

    def compare_products(self, test: CompareProducts, op: str) -> Node:
        """Compare a sum of products with a number."""
        columns = tuple(self.indices[name] for name in test.own_columns)
        if not all(len(self.domains[i].intervals) for i in columns):
            return FALSE
        if op == "!=":
            return _join(Disjunction, [self.compare_products(test, side) for side in ("<", ">")])
        terms = tuple(
            (float(size), tuple((self.indices[name], power) for name, power in factors)) for factors, size in test.terms
        )
        low = test.bound if op in (">", ">=", "==") else -math.inf
        high = test.bound if op in ("<", "<=", "==") else math.inf
        return ProductBound(columns, terms, low, high, strict=op in ("<", ">"))

    def compare_sum(self, columns: tuple[int, ...], coefficients: tuple[float, ...], op: str, bound: float) -> Node:
        """Compare a weighted sum with a number."""
        if not all(len(self.domains[i].intervals) for i in columns):
            return FALSE
        if op == "!=":
            return _join(Disjunction, [self.compare_sum(columns, coefficients, side, bound) for side in ("<", ">")])
        exact = self.compare_integer_sum(columns, coefficients, op, bound)
        if exact is not None:
            return exact
        low = bound if op in (">", ">=", "==") else -math.inf
        high = bound if op in ("<", "<=", "==") else math.inf
        return LinearBound(columns, coefficients, low, high, exact=False, strict=op in ("<", ">"))

    def compare_integer_sum(
        self, columns: tuple[int, ...], coefficients: tuple[float, ...], op: str, bound: float
    ) -> Node | None:
        """The same in integers over positions; None if the tolerance of ``judge`` is too coarse for that."""
        lattices = [self.grids[i].lattice for i in columns]
        factors, target = [rational(size) for size in coefficients], rational(bound)
        if target is None:
            return None
        steps = []
        for factor, lattice in zip(factors, lattices, strict=True):
            if factor is None or lattice is None:
                return None
            steps.append(factor * lattice.gap / lattice.scale)
            target -= factor * lattice.base / lattice.scale
        unit = reduce(_common_step, steps, Fraction(0))
        target /= unit
        remainder = target - math.floor(target)
        apart = unit * (min(remainder, 1 - remainder) if remainder else 1)
        if not self.can_distinguish(columns, coefficients, bound, float(apart)):
            return None
        if op == "==" and remainder:
            return FALSE
        low = math.floor(target) + 1 if op == ">" else math.ceil(target)
        high = math.ceil(target) - 1 if op == "<" else math.floor(target)
        integer_coefficients = tuple(int(step / unit) for step in steps)
        return LinearBound(
            columns,
            integer_coefficients,
            low if op in (">", ">=", "==") else -math.inf,
            high if op in ("<", "<=", "==") else math.inf,
            exact=True,
        )

    def can_distinguish(
        self, columns: tuple[int, ...], coefficients: tuple[float, ...], bound: float, apart: float
    ) -> bool:
        """Whether ``judge`` distinguishes sums that differ by ``apart``."""
        ends = [
            [self.grids[i].value(position) for position in (self.domains[i].low, self.domains[i].high)] for i in columns
        ]
        terms = [abs(size) * max(map(abs, pair)) for size, pair in zip(coefficients, ends, strict=True)]
        lattices = [self.grids[i].lattice or UNITS for i in columns]
        whole = all(lattice.base % lattice.scale == lattice.gap % lattice.scale == 0 for lattice in lattices)
        whole = whole and all(number.is_integer() for number in (*coefficients, bound))
        if whole and abs(bound) + sum(terms) < 2**53:
            return True
        slack = DOUBLE * abs(bound)
        slack += sum(self.grids[i].precision * term for i, term in zip(columns, terms, strict=True))
        return apart > (2 * ULPS + len(columns)) * slack

    def multiple_of(self, i: int, step: float, *, negated: bool) -> Node:
        """The column is k times a step, or lies strictly between two multiples; k is an auxiliary integer variable."""
        if not len(self.domains[i].intervals):
            return FALSE
        ends = self.grids[i].value(self.domains[i].low) / step, self.grids[i].value(self.domains[i].high) / step
        count = len(self.grids)
        self.grids.append(Grid(UNITS, self.grids[i].precision))
        self.domains.append(Domain(np.array([[np.floor(ends[0]) - 1, np.ceil(ends[1]) + 1]]), False, True))
        if not negated:
            return self.compare_sum((i, count), (1.0, -step), "==", 0.0)
        sides = [self.compare_sum((i, count), (1.0, -step), op, bound) for op, bound in ((">", 0.0), ("<", step))]
        return _join(Conjunction, sides)

    def in_table(self, test: FixedCombinations, *, negated: bool) -> Node:
        """The columns take a known combination, or if negated any other."""
        columns = tuple(self.indices[name] for name in test.combined)
        values = np.array([[np.nan if cell is None else cell for cell in row] for row in test.rows or ()], np.float64)
        cells = values.reshape(-1, len(columns)).copy()
        known = np.ones(len(cells), bool)
        for c, i in enumerate(columns):
            grid, given = self.grids[i], cells[:, c].copy()
            if grid.whole:
                cells[:, c] = np.rint(grid.positions(given))
            same = _stored_alike(grid.values(cells[:, c]), given, grid.precision) | np.isnan(given)
            known &= same & self.domains[i].contains(cells[:, c])
        cells = np.unique(cells[known], axis=0)
        if not negated:
            return InTable(columns, cells) if len(cells) else FALSE
        others = [
            _join(
                Disjunction,
                [
                    InDomain(i, _all_but(position, self.grids[i].whole))
                    for i, position in zip(columns, row, strict=True)
                ],
            )
            for row in cells.tolist()
        ]
        return _join(Conjunction, others)


def _stored_alike(first: Floats, second: Floats, precision: float) -> Bools:
    """Whether values are stored as the same number: in single precision, or but for rounding."""
    if precision > DOUBLE:
        return np.asarray(first.astype(np.float32) == second.astype(np.float32))
    whole = (first == np.rint(first)) & (second == np.rint(second))
    slack = np.where(whole, 0.0, ULPS * precision * (np.abs(first) + np.abs(second)))
    return np.asarray(np.abs(first - second) <= slack)


def rational(number: float) -> Fraction | None:
    """Return the simple fraction that a float approximates (0.1 is a tenth), or None if there is none."""
    if number.is_integer():
        return Fraction(number)
    simple = Fraction(number).limit_denominator(MAX_DENOMINATOR)
    return simple if abs(simple - Fraction(number)) <= 2 * DOUBLE * abs(number) else None


def _common_step(first: Fraction, second: Fraction) -> Fraction:
    """Return the largest number that both are whole multiples of."""
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def _all_but(position: float, whole: bool) -> Domain:
    """Return everything except one position; NaN stands for null."""
    if math.isnan(position):
        return Domain(np.array([[-np.inf, np.inf]]), False, whole)
    others = Domain(np.array([[position, position]]), False, whole).complement()
    return Domain(others.intervals, True, whole)


def _join(how: type[Conjunction] | type[Disjunction], parts: Iterable[Node]) -> Node:
    """Join parts into one node; domains of the same column become one domain."""
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, how) else (part,))
    sets: dict[int, Domain] = {}
    rest: list[Node] = []
    for part in flat:
        if not isinstance(part, InDomain):
            rest.append(part)
        elif part.column not in sets:
            sets[part.column] = part.domain
        elif how is Conjunction:
            sets[part.column] = sets[part.column].intersect(part.domain)
        else:
            sets[part.column] = sets[part.column].unite(part.domain)
    merged: list[Node] = [*(InDomain(column, found) for column, found in sets.items()), *rest]
    if len(merged) == 1:
        return merged[0]
    return how(tuple(merged), distinct(column for part in merged for column in part.columns))
