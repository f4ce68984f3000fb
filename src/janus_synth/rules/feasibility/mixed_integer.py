"""Clauses and domains in, a row or the proof that there is none out, by mixed-integer programming (HiGHS in SciPy).

Every column is a variable over its places, from 0 at the first; whole where a lattice is not too long to count.
Binary switches choose null, the pieces of a domain, the parts of an alternative and the lines of a list. A strict
comparison of continuous columns must hold by a margin, which is made as large as it can be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from janus_synth.rules.feasibility.clauses import Every, Listed, Node, Some, Sum, Within
from janus_synth.rules.feasibility.domains import Domain, Grid
from janus_synth.rules.feasibility.propagation import Domains
from janus_synth.rules.feasibility.search import Places
from janus_synth.rules.holds import DOUBLE, ULPS

MOST_COUNT = 2.0**30
"""Longest lattice whose places the solver counts one by one; it takes longer ones as continuous."""
MARGIN = 1e-3
"""Margin of strict comparisons that is plenty, as a share of the sum's range."""
LEAST_MARGIN = 1e-8
"""Margin that the solver cannot tell from none."""
MOST_CELLS = 4_000
"""Numbers in a problem that presolve is trusted with."""
SOLVED, IMPOSSIBLE = 0, 2
"""What the solver calls its answers."""


class Answer(NamedTuple):
    """Places that satisfy the clauses as far as the solver can tell; or none, and whether that is proven."""

    places: Places | None
    impossible: bool


def solve(
    nodes: Iterable[Node], columns: Sequence[int], domains: Domains, grids: Sequence[Grid], seconds: float
) -> Answer:
    """Find a place for every column such that all nodes hold."""
    model = _Model(columns, domains, grids)
    for node in nodes:
        model.require(node, None)
    return model.solved(seconds)


@dataclass(frozen=True, slots=True)
class _Axis:
    """A column as variables: place = first + unit · variable, and a switch for null."""

    domain: Domain
    unit: float
    variable: int
    null: int | None

    @property
    def first(self) -> float:
        return self.domain.low if len(self.domain.pieces) else 0.0

    def share(self, place: float) -> float:
        """A place in units of the variable."""
        return (place - self.first) / self.unit


class _Model:
    """Collects variables and rows."""

    def __init__(self, columns: Sequence[int], domains: Domains, grids: Sequence[Grid]) -> None:
        self.grids = grids
        self.low: list[float] = []
        self.high: list[float] = []
        self.whole: list[bool] = []
        self.rows: list[tuple[list[tuple[int, float]], float, float]] = []
        self.margin: int | None = None
        self.axes = {column: self.axis(domains[column]) for column in columns}

    def variable(self, high: float = 1.0, *, whole: bool = True) -> int:
        self.low.append(0.0)
        self.high.append(high)
        self.whole.append(whole)
        return len(self.low) - 1

    def row(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        self.rows.append((terms, low, high))

    def axis(self, domain: Domain) -> _Axis:
        width = domain.high - domain.low if len(domain.pieces) else 0.0
        counted = domain.whole and width <= MOST_COUNT
        unit = 1.0 if domain.whole or not width else width
        variable = self.variable(width / unit, whole=counted)
        null = self.variable() if domain.null else None
        axis = _Axis(domain, unit, variable, null)
        if null is not None and not len(domain.pieces):
            self.low[null] = 1.0
        if len(domain.pieces) > 1:
            switches = [self.variable() for _ in domain.pieces]
            self.row([(switch, 1.0) for switch in switches] + ([] if null is None else [(null, 1.0)]), 1.0, 1.0)
            self.place_between(axis, switches, domain.pieces)
        return axis

    def place_between(self, axis: _Axis, switches: Sequence[int], ends: np.ndarray) -> None:
        """Where a switch is on, and at most one is, the place lies between its two ends."""
        last = self.high[axis.variable]
        rises = [(switch, -axis.share(low)) for switch, (low, _) in zip(switches, ends.tolist(), strict=True)]
        falls = [(switch, last - axis.share(high)) for switch, (_, high) in zip(switches, ends.tolist(), strict=True)]
        if any(size for _, size in rises):
            self.row([(axis.variable, 1.0), *rises], 0.0, math.inf)
        if any(size for _, size in falls):
            self.row([(axis.variable, 1.0), *falls], -math.inf, last)

    def require(self, node: Node, switch: int | None) -> None:
        """Make a node hold, always or where a switch is on."""
        match node:
            case Every(parts):
                for part in parts:
                    self.require(part, switch)
            case Some(parts):
                choices = [self.variable() for _ in parts]
                self.at_least_one(choices, switch)
                for choice, part in zip(choices, parts, strict=True):
                    self.require(part, choice)
            case Within(column, allowed):
                self.require_within(self.axes[column], self.axes[column].domain.meet(allowed), switch)
            case Listed():
                self.require_listed(node, switch)
            case Sum():
                self.require_sum(node, switch)

    def at_least_one(self, choices: Sequence[int], switch: int | None, most: float = math.inf) -> None:
        """One of some choices is on, or where a switch is on; without it none if ``most`` is 0."""
        terms = [(choice, 1.0) for choice in choices]
        if switch is None:
            self.row(terms, 1.0, max(1.0, most))
        else:
            self.row([*terms, (switch, -1.0)], 0.0, most)

    def require_present(self, axis: _Axis, switch: int | None) -> None:
        if axis.null is not None and switch is None:
            self.high[axis.null] = 0.0
        elif axis.null is not None and switch is not None:
            self.row([(axis.null, 1.0), (switch, 1.0)], -math.inf, 1.0)

    def require_within(self, axis: _Axis, left: Domain, switch: int | None) -> None:
        if left is axis.domain:
            return
        choices = [self.variable() for _ in left.pieces]
        for choice in choices:
            self.require_present(axis, choice)
        self.place_between(axis, choices, left.pieces)
        ways = [*choices, axis.null] if left.null and axis.null is not None else choices
        self.row([(choice, 1.0) for choice in choices], 0.0, 1.0)
        self.at_least_one(ways, switch)

    def require_listed(self, node: Listed, switch: int | None) -> None:
        axes = [self.axes[column] for column in node.columns]
        kept = np.logical_and.reduce([axis.domain.holds(cells) for axis, cells in zip(axes, node.cells.T, strict=True)])
        choices = [self.variable() for _ in range(int(kept.sum()))]
        self.at_least_one(choices, switch, most=0.0)
        for axis, cells in zip(axes, node.cells[kept].T, strict=True):
            present = [choice for choice, cell in zip(choices, cells, strict=True) if not np.isnan(cell)]
            absent = [choice for choice, cell in zip(choices, cells, strict=True) if np.isnan(cell)]
            self.place_between(axis, present, np.repeat(cells[~np.isnan(cells)], 2).reshape(-1, 2))
            if axis.null is not None:
                self.row([(axis.null, 1.0), *((choice, 1.0) for choice in present)], -math.inf, 1.0)
                self.row([(axis.null, 1.0), *((choice, -1.0) for choice in absent)], 0.0, math.inf)

    def require_sum(self, node: Sum, switch: int | None) -> None:
        axes = [self.axes[column] for column in node.columns]
        for axis in axes:
            if not len(axis.domain.pieces):
                self.forbid(switch)
                return
            self.require_present(axis, switch)
        if node.exact:
            offset: float = sum(int(size) * int(axis.first) for size, axis in zip(node.sizes, axes, strict=True))
            sizes = [size * axis.unit for size, axis in zip(node.sizes, axes, strict=True)]
            slack = 0.0
        else:
            offset, sizes, slack = self.loose_terms(node, axes)
        low, high = node.low - offset - slack, node.high - offset + slack
        if node.exact:  # whole numbers stay whole, so that one more or less still counts
            scale = 1.0
        else:
            scale = max(abs(size) * max(1.0, self.high[axis.variable]) for size, axis in zip(sizes, axes, strict=True))
        terms = [(axis.variable, size / scale) for axis, size in zip(axes, sizes, strict=True)]
        self.bound(terms, low / scale, high / scale, switch, strict=node.strict)

    def loose_terms(self, node: Sum, axes: Sequence[_Axis]) -> tuple[float, list[float], float]:
        """Sum at the first places, weights of the variables, and the judge's tolerance."""
        offset, sizes = 0.0, []
        slack = 0.0 if node.strict else DOUBLE * max(abs(b) for b in (node.low, node.high) if math.isfinite(b))
        for column, size, axis in zip(node.columns, node.sizes, axes, strict=True):
            grid = self.grids[column]
            first, last = size * grid.value(axis.domain.low), size * grid.value(axis.domain.high)
            step = 1.0 if grid.lattice is None else grid.lattice.step
            offset += first
            sizes.append(size * step * axis.unit)
            slack += 0.0 if node.strict else grid.precision * max(abs(first), abs(last))
        return offset, sizes, ULPS * slack

    def forbid(self, switch: int | None) -> None:
        if switch is None:
            self.row([(next(iter(self.axes.values())).variable, 0.0)], 1.0, 1.0)
        else:
            self.high[switch] = 0.0

    def bound(
        self, terms: list[tuple[int, float]], low: float, high: float, switch: int | None, *, strict: bool
    ) -> None:
        """Keep a weighted sum between two numbers, always or where a switch is on."""
        least = sum(min(0.0, size * self.high[variable]) for variable, size in terms)
        most = sum(max(0.0, size * self.high[variable]) for variable, size in terms)
        margin = [(self.the_margin(), 1.0)] if strict else []
        spare = MARGIN if strict else 0.0
        if math.isfinite(high) and most + spare > high:
            reach = [] if switch is None else [(switch, most + spare - high)]
            self.row([*terms, *margin, *reach], -math.inf, high if switch is None else most + spare)
        if math.isfinite(low) and least - spare < low:
            reach = [] if switch is None else [(switch, least - spare - low)]
            self.row(
                [*terms, *((t, -size) for t, size in margin), *reach],
                low if switch is None else least - spare,
                math.inf,
            )

    def the_margin(self) -> int:
        if self.margin is None:
            self.margin = self.variable(MARGIN, whole=False)
        return self.margin

    def solved(self, seconds: float) -> Answer:
        """Solve without presolve, which has no eye on the time where rows are long; with it only if need be."""
        found = self.run(seconds, presolve=False)
        if found.x is None and found.status != IMPOSSIBLE and sum(len(terms) for terms, _, _ in self.rows) < MOST_CELLS:
            found = self.run(seconds, presolve=True)
        if found.x is None:
            return Answer(None, impossible=found.status == IMPOSSIBLE)
        if self.margin is not None and found.x[self.margin] < LEAST_MARGIN:
            return Answer(None, impossible=found.status == SOLVED)
        return Answer({column: self.place(axis, found.x) for column, axis in self.axes.items()}, impossible=False)

    def run(self, seconds: float, *, presolve: bool) -> Any:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        goal = np.zeros(len(self.low))
        if self.margin is not None:
            goal[self.margin] = -1.0
        cells = [[(variable, size) for variable, size in terms if size] for terms, _, _ in self.rows]
        sizes, variables = (
            [size for row in cells for _, size in row],
            [variable for row in cells for variable, _ in row],
        )
        start = np.cumsum([0, *map(len, cells)])
        matrix = csr_array((sizes, variables, start), shape=(len(cells), len(goal)))
        return milp(
            goal,
            integrality=np.array(self.whole, int),
            bounds=Bounds(self.low, self.high),
            constraints=LinearConstraint(matrix, *np.array([ends for _, *ends in self.rows]).reshape(-1, 2).T),
            options={"time_limit": seconds, "presolve": presolve},
        )

    def place(self, axis: _Axis, x: np.ndarray) -> float | None:
        if axis.null is not None and x[axis.null] > 0.5:
            return None
        return axis.domain.nearest(axis.first + axis.unit * float(x[axis.variable]))
