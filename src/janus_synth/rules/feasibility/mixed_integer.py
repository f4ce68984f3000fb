"""Mixed-integer program: clauses and domains in, a row or a proof that there is none out (HiGHS, through SciPy).

Each column is a variable over its positions, starting at 0; it is an integer unless its lattice is very long. Binary
variables (switches) choose null, the interval of a domain, the parts of a disjunction and the rows of a table. A strict
comparison of continuous columns must hold by a margin, which the program maximises. Products of columns are left out,
so that a solution need not satisfy them; that there is none remains a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.deadlines import check_time
from janus_synth.rules.feasibility.clauses import (
    Conjunction,
    Disjunction,
    InDomain,
    InTable,
    LinearBound,
    Node,
    ProductBound,
)
from janus_synth.rules.feasibility.domains import Assignment, Domain, Grid
from janus_synth.rules.feasibility.propagation import Domains
from janus_synth.rules.holds import DOUBLE, ULPS

MAX_INTEGER_RANGE = 2.0**30
"""Longest lattice that is an integer variable; longer ones are relaxed to continuous variables."""
MARGIN = 1e-3
"""Largest margin of strict comparisons, as a share of the sum's range."""
MIN_MARGIN = 1e-8
"""Smaller margins are within the solver's tolerance and count as none."""
MAX_PRESOLVE_SIZE = 4_000
"""Largest number of coefficients with which presolve is tried; it ignores the time limit on long rows."""
MAX_VARIABLES = 20_000
"""Most variables of a program; the solver may ignore its time limit on larger ones, so they stay open."""
SOLVED, INFEASIBLE = 0, 2
"""Status codes of ``scipy.optimize.milp``."""


class Solution(NamedTuple):
    """Positions that satisfy the clauses up to the solver's tolerance; or None, and whether that is proven."""

    positions: Assignment | None
    infeasible: bool


def solve_program(
    nodes: Iterable[Node], columns: Sequence[int], domains: Domains, grids: Sequence[Grid], seconds: float
) -> Solution:
    """Find a position for every column such that all nodes hold."""
    model = _Model(columns, domains, grids)
    for node in nodes:
        model.require(node, None)
    return model.solve(seconds)


@dataclass(frozen=True, slots=True)
class _ColumnVariable:
    """A column in the program: position = first + unit · variable, and a switch for null."""

    domain: Domain
    unit: float
    index: int
    null: int | None

    @property
    def first(self) -> float:
        return self.domain.low if len(self.domain.intervals) else 0.0

    def scaled(self, position: float) -> float:
        """Value of the variable at a position."""
        return (position - self.first) / self.unit


class _Model:
    """Collects the variables and constraint rows of a program."""

    def __init__(self, columns: Sequence[int], domains: Domains, grids: Sequence[Grid]) -> None:
        self.grids = grids
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[bool] = []
        self.rows: list[tuple[list[tuple[int, float]], float, float]] = []
        self.margin: int | None = None
        self.variables = {column: self.add_column(domains[column]) for column in columns}

    def add_variable(self, high: float = 1.0, *, whole: bool = True) -> int:
        self.low.append(0.0)
        self.high.append(high)
        self.whole.append(whole)
        return len(self.low) - 1

    def add_row(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        self.rows.append((terms, low, high))

    def add_column(self, domain: Domain) -> _ColumnVariable:
        width = domain.high - domain.low if len(domain.intervals) else 0.0
        integer = domain.whole and width <= MAX_INTEGER_RANGE
        unit = 1.0 if domain.whole or not width else width
        index = self.add_variable(width / unit, whole=integer)
        null = self.add_variable() if domain.null else None
        variable = _ColumnVariable(domain, unit, index, null)
        if null is not None and not len(domain.intervals):
            self.low[null] = 1.0
        if len(domain.intervals) > 1:
            switches = [self.add_variable() for _ in domain.intervals]
            self.add_row([(switch, 1.0) for switch in switches] + ([] if null is None else [(null, 1.0)]), 1.0, 1.0)
            self.bind_to_intervals(variable, switches, domain.intervals)
        return variable

    def bind_to_intervals(self, variable: _ColumnVariable, switches: Sequence[int], ends: Floats) -> None:
        """If one of the switches is on, keep the position between its two ends; at most one may be on."""
        last = self.high[variable.index]
        rises = [(switch, -variable.scaled(low)) for switch, (low, _) in zip(switches, ends.tolist(), strict=True)]
        falls = [
            (switch, last - variable.scaled(high)) for switch, (_, high) in zip(switches, ends.tolist(), strict=True)
        ]
        if any(size for _, size in rises):
            self.add_row([(variable.index, 1.0), *rises], 0.0, math.inf)
        if any(size for _, size in falls):
            self.add_row([(variable.index, 1.0), *falls], -math.inf, last)

    def require(self, node: Node, switch: int | None) -> None:
        """Require a node, always or only if a switch is on."""
        match node:
            case Conjunction(parts):
                check_time()
                for part in parts:
                    self.require(part, switch)
            case Disjunction(parts):
                choices = [self.add_variable() for _ in parts]
                self.at_least_one(choices, switch)
                for choice, part in zip(choices, parts, strict=True):
                    self.require(part, choice)
            case InDomain(column, allowed):
                self.require_domain(self.variables[column], self.variables[column].domain.intersect(allowed), switch)
            case InTable():
                self.require_table(node, switch)
            case LinearBound():
                self.require_sum(node, switch)
            case ProductBound():  # not linear: only what it says about nulls
                for column in node.columns:
                    self.require_present(self.variables[column], switch)

    def at_least_one(self, choices: Sequence[int], switch: int | None, most: float = math.inf) -> None:
        """Require one of some choices, always or only if a switch is on; ``most`` 0 forbids them if it is off."""
        terms = [(choice, 1.0) for choice in choices]
        if switch is None:
            self.add_row(terms, 1.0, max(1.0, most))
        else:
            self.add_row([*terms, (switch, -1.0)], 0.0, most)

    def require_present(self, variable: _ColumnVariable, switch: int | None) -> None:
        """Forbid null, always or only if a switch is on."""
        if variable.null is not None and switch is None:
            self.high[variable.null] = 0.0
        elif variable.null is not None and switch is not None:
            self.add_row([(variable.null, 1.0), (switch, 1.0)], -math.inf, 1.0)

    def require_domain(self, variable: _ColumnVariable, left: Domain, switch: int | None) -> None:
        if left is variable.domain:
            return
        choices = [self.add_variable() for _ in left.intervals]
        for choice in choices:
            self.require_present(variable, choice)
        self.bind_to_intervals(variable, choices, left.intervals)
        ways = [*choices, variable.null] if left.null and variable.null is not None else choices
        self.add_row([(choice, 1.0) for choice in choices], 0.0, 1.0)
        self.at_least_one(ways, switch)

    def require_table(self, node: InTable, switch: int | None) -> None:
        variables = [self.variables[column] for column in node.columns]
        pairs = zip(variables, node.cells.T, strict=True)
        kept = np.logical_and.reduce([variable.domain.contains(cells) for variable, cells in pairs])
        choices = [self.add_variable() for _ in range(int(kept.sum()))]
        self.at_least_one(choices, switch, most=0.0)
        for variable, cells in zip(variables, node.cells[kept].T, strict=True):
            present = [choice for choice, cell in zip(choices, cells, strict=True) if not np.isnan(cell)]
            absent = [choice for choice, cell in zip(choices, cells, strict=True) if np.isnan(cell)]
            self.bind_to_intervals(variable, present, np.repeat(cells[~np.isnan(cells)], 2).reshape(-1, 2))
            if variable.null is not None:
                self.add_row([(variable.null, 1.0), *((choice, 1.0) for choice in present)], -math.inf, 1.0)
                self.add_row([(variable.null, 1.0), *((choice, -1.0) for choice in absent)], 0.0, math.inf)

    def require_sum(self, node: LinearBound, switch: int | None) -> None:
        variables = [self.variables[column] for column in node.columns]
        for variable in variables:
            if not len(variable.domain.intervals):
                self.forbid(switch)
                return
            self.require_present(variable, switch)
        if node.exact:
            pairs = list(zip(node.coefficients, variables, strict=True))
            offset: float = sum(int(size) * int(variable.first) for size, variable in pairs)
            coefficients = [size * variable.unit for size, variable in pairs]
            slack, scale = 0.0, 1.0  # not rescaled, so that a difference of 1 stays above the solver's tolerance
        else:
            offset, coefficients, slack = self.float_terms(node, variables)
            ranges = [max(1.0, self.high[variable.index]) for variable in variables]
            scale = max(abs(size) * width for size, width in zip(coefficients, ranges, strict=True))
        low, high = node.low - offset - slack, node.high - offset + slack
        terms = [(variable.index, size / scale) for variable, size in zip(variables, coefficients, strict=True)]
        self.bound_sum(terms, low / scale, high / scale, switch, strict=node.strict)

    def float_terms(self, node: LinearBound, variables: Sequence[_ColumnVariable]) -> tuple[float, list[float], float]:
        """Sum at the first positions, coefficients of the variables, and the tolerance of ``judge``."""
        offset, coefficients = 0.0, []
        slack = 0.0 if node.strict else DOUBLE * max(abs(b) for b in (node.low, node.high) if math.isfinite(b))
        for column, size, variable in zip(node.columns, node.coefficients, variables, strict=True):
            grid = self.grids[column]
            first, last = size * grid.value(variable.domain.low), size * grid.value(variable.domain.high)
            step = 1.0 if grid.lattice is None else grid.lattice.step
            offset += first
            coefficients.append(size * step * variable.unit)
            slack += 0.0 if node.strict else grid.precision * max(abs(first), abs(last))
        return offset, coefficients, ULPS * slack

    def forbid(self, switch: int | None) -> None:
        """Make the program infeasible, or only turn a switch off."""
        if switch is None:
            self.add_row([(next(iter(self.variables.values())).index, 0.0)], 1.0, 1.0)
        else:
            self.high[switch] = 0.0

    def bound_sum(
        self, terms: list[tuple[int, float]], low: float, high: float, switch: int | None, *, strict: bool
    ) -> None:
        """Keep a weighted sum between two numbers, always or only if a switch is on (big-M rows)."""
        least = sum(min(0.0, size * self.high[variable]) for variable, size in terms)
        most = sum(max(0.0, size * self.high[variable]) for variable, size in terms)
        margin = [(self.margin_variable(), 1.0)] if strict else []
        spare = MARGIN if strict else 0.0
        if math.isfinite(high) and most + spare > high:
            reach = [] if switch is None else [(switch, most + spare - high)]
            self.add_row([*terms, *margin, *reach], -math.inf, high if switch is None else most + spare)
        if math.isfinite(low) and least - spare < low:
            reach = [] if switch is None else [(switch, least - spare - low)]
            self.add_row(
                [*terms, *((t, -size) for t, size in margin), *reach],
                low if switch is None else least - spare,
                math.inf,
            )

    def margin_variable(self) -> int:
        if self.margin is None:
            self.margin = self.add_variable(MARGIN, whole=False)
        return self.margin

    def solve(self, seconds: float) -> Solution:
        """Solve without presolve first, and with it only if that gives no answer and the program is small."""
        if len(self.low) > MAX_VARIABLES:
            return Solution(None, infeasible=False)
        found = self.run(seconds, presolve=False)
        is_small = sum(len(terms) for terms, _, _ in self.rows) < MAX_PRESOLVE_SIZE
        if found.x is None and found.status != INFEASIBLE and is_small:
            found = self.run(seconds, presolve=True)
        if found.x is None:
            return Solution(None, infeasible=found.status == INFEASIBLE)
        if self.margin is not None and found.x[self.margin] < MIN_MARGIN:
            return Solution(None, infeasible=found.status == SOLVED)
        positions = {column: self.position(variable, found.x) for column, variable in self.variables.items()}
        return Solution(positions, infeasible=False)

    def run(self, seconds: float, *, presolve: bool) -> Any:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        goal = np.zeros(len(self.low))
        if self.margin is not None:
            goal[self.margin] = -1.0
        cells = [[(variable, size) for variable, size in terms if size] for terms, _, _ in self.rows]
        coefficients = [size for row in cells for _, size in row]
        variables = [variable for row in cells for variable, _ in row]
        start = np.cumsum([0, *map(len, cells)])
        matrix = csr_array((coefficients, variables, start), shape=(len(cells), len(goal)))
        return milp(
            goal,
            integrality=np.array(self.whole, int),
            bounds=Bounds(self.low, self.high),
            constraints=LinearConstraint(matrix, *np.array([ends for _, *ends in self.rows]).reshape(-1, 2).T),
            options={"time_limit": seconds, "presolve": presolve},
        )

    def position(self, variable: _ColumnVariable, x: Floats) -> float | None:
        if variable.null is not None and x[variable.null] > 0.5:
            return None
        return variable.domain.nearest(variable.first + variable.unit * float(x[variable.index]))


def polish(positions: Assignment, nodes: Iterable[Node], domains: Domains, grids: Sequence[Grid]) -> Assignment:
    """Correct the solver's rounding error: move continuous columns so that sums that nearly meet a bound meet it."""
    free = [column for column, position in positions.items() if position is not None and not grids[column].whole]
    rows, gaps = [], []
    for each in _float_sums(nodes):
        cells = [positions[column] for column in each.columns]
        if any(cell is None for cell in cells):
            continue
        terms = [
            size * grids[column].value(cell)
            for column, size, cell in zip(each.columns, each.coefficients, cells, strict=True)
            if cell is not None
        ]
        near = 1e-6 * sum(map(abs, terms))
        missed = [bound - sum(terms) for bound in (each.low, each.high) if abs(bound - sum(terms)) <= near]
        if missed and not each.strict:
            weights = dict(zip(each.columns, each.coefficients, strict=True))
            rows.append([weights.get(column, 0.0) for column in free])
            gaps.append(missed[0])
    if not rows or not free:
        return positions
    moves = np.linalg.lstsq(np.array(rows), np.array(gaps))[0]
    moved = {
        column: domains[column].nearest((positions[column] or 0.0) + move)
        for column, move in zip(free, moves, strict=True)
    }
    return {**positions, **moved}


def _float_sums(nodes: Iterable[Node]) -> Iterator[LinearBound]:
    for node in nodes:
        if isinstance(node, Conjunction | Disjunction):
            yield from _float_sums(node.parts)
        elif isinstance(node, LinearBound) and not node.exact:
            yield node
