"""Bound rules in, clauses out: sets of places where one column is concerned, sums and lists where several are.

Tests about one column collapse into a single set. Where all columns of a sum lie on lattices, the sum is over their
places, in whole numbers, and exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np

from janus_synth.rules.feasibility.clauses import NEVER, Clause, Every, Listed, Node, Problem, Some, Space, Sum, Within
from janus_synth.rules.feasibility.domains import UNITS, Domain, Grid, after, before, domain
from janus_synth.rules.holds import DOUBLE, ULPS
from janus_synth.rules.language.bind import BoundRule
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

MOST_DENOMINATOR = 10**6
"""Decimals and thirds are fractions; other floats are not taken for one."""


def compile_rules(rules: Sequence[BoundRule], space: Space) -> Problem:
    """Clauses of all rules, numbered by rule."""
    compiler = _Compiler(space)
    clauses = []
    for number, rule in enumerate(rules):
        tests = rule.test.parts if isinstance(rule.test, And) else (rule.test,)
        clauses += [Clause(number, test, compiler.node(test)) for test in tests]
    return Problem(space, tuple(compiler.grids), tuple(compiler.domains), tuple(clauses))


class _Compiler:
    """Turns tests into nodes, and collects the helper counts they need."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.indices = {column.name: i for i, column in enumerate(space.columns)}
        self.grids, self.domains = list(space.grids), list(space.domains)

    def node(self, test: Rule) -> Node:
        match test:
            case And(parts):
                return _joined(Every, [self.node(part) for part in parts])
            case Or(parts):
                return _joined(Some, [self.node(part) for part in parts])
            case IsNull(column, negated):
                i = self.indices[column]
                pieces = np.array([[-np.inf, np.inf]]) if negated else np.empty((0, 2))
                return Within(i, Domain(pieces, not negated, self.grids[i].whole))
            case IsIn(column, values, negated):
                i = self.indices[column]
                return Within(i, self.among(i, [float(value) for value in values], negated))
            case Compare(left, op, right):
                columns = tuple(self.indices[term.column] for term in left.terms)
                sizes = tuple(float(term.coefficient) for term in left.terms)
                if sizes == (1.0,):
                    return Within(columns[0], self.compared(columns[0], op, float(right.constant)))
                return self.total(columns, sizes, op, float(right.constant))
            case Increments(column, step):
                return self.multiple(self.indices[column], float(step), negated=False)
            case Not(Increments(column, step)):
                return self.multiple(self.indices[column], float(step), negated=True)
            case FixedCombinations():
                return self.listed(test, negated=False)
            case Not(FixedCombinations() as part):
                return self.listed(part, negated=True)
        raise TypeError(f"{test!r} is no bound rule.")

    def edges(self, i: int, number: float, precision: float = DOUBLE) -> tuple[float, float, float, float]:
        """Last place below a number, first and last place equal to it, first place above, as the judge sees it."""
        grid = self.grids[i]
        below, above = grid.edges(number, self.domains[i], precision)
        first, last = after(below, grid.whole), before(above, grid.whole)
        if not grid.whole and number.is_integer():  # whole numbers are told apart even where tolerance exceeds 1
            below, above = max(below, number - 1), min(above, number + 1)
        return below, first, last, above

    def among(self, i: int, values: Sequence[float], negated: bool) -> Domain:
        """Places whose value the judge finds equal to one of some, or to none."""
        whole = self.grids[i].whole
        if self.space.columns[i].is_discrete:
            edges = [(value - 1, value, value, value + 1) for value in values]
        else:
            edges = [self.edges(i, value, self.grids[i].precision) for value in values]
        near = [(first, last) for _, first, last, _ in edges if math.isfinite(first + last)]
        if not negated:
            return domain(np.array(near).reshape(-1, 2), False, whole)
        near = [(after(below, whole), before(above, whole)) for below, _, _, above in edges if below < above]
        return domain(np.array(near).reshape(-1, 2), False, whole).complement()

    def compared(self, i: int, op: str, number: float) -> Domain:
        """Places whose value compares with a number as asked."""
        below, first, last, above = self.edges(i, number)
        ends = {
            "<": [(-math.inf, below)],
            "<=": [(-math.inf, last)],
            ">": [(above, math.inf)],
            ">=": [(first, math.inf)],
            "==": [(first, last)],
            "!=": [(-math.inf, below), (above, math.inf)],
        }
        return domain(np.array(ends[op]), False, self.grids[i].whole)

    def total(self, columns: tuple[int, ...], sizes: tuple[float, ...], op: str, bound: float) -> Node:
        """Comparison of a weighted sum with a number."""
        if not all(len(self.domains[i].pieces) for i in columns):
            return NEVER
        if op == "!=":
            return _joined(Some, [self.total(columns, sizes, side, bound) for side in ("<", ">")])
        exact = self.exact_total(columns, sizes, op, bound)
        if exact is not None:
            return exact
        low = bound if op in (">", ">=", "==") else -math.inf
        high = bound if op in ("<", "<=", "==") else math.inf
        return Sum(columns, sizes, low, high, exact=False, strict=op in ("<", ">"))

    def exact_total(self, columns: tuple[int, ...], sizes: tuple[float, ...], op: str, bound: float) -> Node | None:
        """The same in whole numbers, if the judge's tolerance is too small to see the difference."""
        lattices = [self.grids[i].lattice for i in columns]
        factors, target = [rational(size) for size in sizes], rational(bound)
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
        beyond = target - math.floor(target)
        apart = unit * (min(beyond, 1 - beyond) if beyond else 1)
        if not self.sees_apart(columns, sizes, bound, float(apart)):
            return None
        if op == "==" and beyond:
            return NEVER
        low = math.floor(target) + 1 if op == ">" else math.ceil(target)
        high = math.ceil(target) - 1 if op == "<" else math.floor(target)
        whole_sizes = tuple(int(step / unit) for step in steps)
        return Sum(
            columns,
            whole_sizes,
            low if op in (">", ">=", "==") else -math.inf,
            high if op in ("<", "<=", "==") else math.inf,
            exact=True,
        )

    def sees_apart(self, columns: tuple[int, ...], sizes: tuple[float, ...], bound: float, apart: float) -> bool:
        """Whether the judge tells two sums from each other that lie so far apart."""
        ends = [[self.grids[i].value(place) for place in (self.domains[i].low, self.domains[i].high)] for i in columns]
        terms = [abs(size) * max(map(abs, pair)) for size, pair in zip(sizes, ends, strict=True)]
        lattices = [self.grids[i].lattice or UNITS for i in columns]
        whole = all(lattice.base % lattice.scale == lattice.gap % lattice.scale == 0 for lattice in lattices)
        whole = whole and all(number.is_integer() for number in (*sizes, bound))
        if whole and abs(bound) + sum(terms) < 2**53:
            return True
        slack = DOUBLE * abs(bound)
        slack += sum(self.grids[i].precision * term for i, term in zip(columns, terms, strict=True))
        return apart > (2 * ULPS + len(columns)) * slack

    def multiple(self, i: int, step: float, *, negated: bool) -> Node:
        """The column is a count times a step, or lies strictly between two such."""
        if not len(self.domains[i].pieces):
            return NEVER
        ends = self.grids[i].value(self.domains[i].low) / step, self.grids[i].value(self.domains[i].high) / step
        count = len(self.grids)
        self.grids.append(Grid(UNITS, self.grids[i].precision))
        self.domains.append(Domain(np.array([[np.floor(ends[0]) - 1, np.ceil(ends[1]) + 1]]), False, True))
        if not negated:
            return self.total((i, count), (1.0, -step), "==", 0.0)
        sides = [self.total((i, count), (1.0, -step), op, bound) for op, bound in ((">", 0.0), ("<", step))]
        return _joined(Every, sides)

    def listed(self, test: FixedCombinations, *, negated: bool) -> Node:
        """Known combinations, or all others."""
        columns = tuple(self.indices[name] for name in test.combined)
        values = np.array([[np.nan if cell is None else cell for cell in row] for row in test.rows or ()], np.float64)
        cells = values.reshape(-1, len(columns)).copy()
        known = np.ones(len(cells), bool)
        for c, i in enumerate(columns):
            grid, given = self.grids[i], cells[:, c].copy()
            if grid.whole:
                cells[:, c] = np.rint(grid.places(given))
            same = (grid.values(cells[:, c]) == given) | np.isnan(given)
            known &= same & self.domains[i].holds(cells[:, c])
        cells = np.unique(cells[known], axis=0)
        if not negated:
            return Listed(columns, cells) if len(cells) else NEVER
        others = [
            _joined(
                Some, [Within(i, _all_but(place, self.grids[i].whole)) for i, place in zip(columns, row, strict=True)]
            )
            for row in cells.tolist()
        ]
        return _joined(Every, others)


def rational(number: float) -> Fraction | None:
    """The fraction a float stands for: 0.1 is a tenth; None if no simple one is near."""
    if number.is_integer():
        return Fraction(number)
    simple = Fraction(number).limit_denominator(MOST_DENOMINATOR)
    return simple if abs(simple - Fraction(number)) <= 2 * DOUBLE * abs(number) else None


def _common_step(first: Fraction, second: Fraction) -> Fraction:
    """Largest number that both are whole multiples of."""
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def _all_but(place: float, whole: bool) -> Domain:
    """Everything but a place, or but null."""
    if math.isnan(place):
        return Domain(np.array([[-np.inf, np.inf]]), False, whole)
    others = Domain(np.array([[place, place]]), False, whole).complement()
    return Domain(others.pieces, True, whole)


def _joined(how: type[Every] | type[Some], parts: Iterable[Node]) -> Node:
    """Parts as one node; sets of the same column become one set."""
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, how) else (part,))
    sets: dict[int, Domain] = {}
    rest: list[Node] = []
    for part in flat:
        if not isinstance(part, Within):
            rest.append(part)
        elif part.column not in sets:
            sets[part.column] = part.domain
        elif how is Every:
            sets[part.column] = sets[part.column].meet(part.domain)
        else:
            sets[part.column] = sets[part.column].join(part.domain)
    merged: list[Node] = [*(Within(column, found) for column, found in sets.items()), *rest]
    if len(merged) == 1:
        return merged[0]
    return how(tuple(merged), distinct(column for part in merged for column in part.columns))
