"""A problem in, a verdict out: whether some row satisfies all clauses, and which one.

Propagation comes first. The remaining problem is split into parts without common columns, solved one by one: by a
short search, then by the mixed-integer program, then by a search that starts near the program's solution; among boxes
where there are products of columns.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.deadlines import OutOfTime, seconds_left, time_limit
from janus_synth.rules.feasibility.clauses import Clause, Problem, Space, has_products
from janus_synth.rules.feasibility.domains import Assignment
from janus_synth.rules.feasibility.mixed_integer import polish, solve_program
from janus_synth.rules.feasibility.propagation import Changes, Domains, Network, has_contradicting_bounds
from janus_synth.rules.feasibility.search import search_row
from janus_synth.rules.feasibility.witness import search_boxes
from janus_synth.rules.holds import judge
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import Rule
from janus_synth.table import Schema, Table

SHORT_SEARCH = 1_000
"""Clause visits in the first search, before the mixed-integer program."""
VISITS_PER_CLAUSE = 10.0
"""Further visits per clause in the first search."""
SECONDS = 10.0
"""Time limit of the mixed-integer program, and again of the last search."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a row satisfies all clauses (None if undecided), the row, and the domains after propagation."""

    feasible: bool | None
    row: Assignment
    domains: Domains


@dataclass(frozen=True, slots=True)
class Part:
    """Open columns that clauses link with one another, and those clauses."""

    columns: tuple[int, ...]
    clauses: tuple[Clause, ...]


def decide(problem: Problem, *, seconds: float = SECONDS, visits_per_clause: float = VISITS_PER_CLAUSE) -> Verdict:
    """Find a row that satisfies all clauses, or prove that there is none.

    With fewer ``visits_per_clause`` the mixed-integer program starts sooner, which is faster for a proof. The verdict
    is open after twice the ``seconds``, or when an earlier time limit has passed.
    """
    try:
        with time_limit(2 * seconds):
            return _decide(problem, seconds, visits_per_clause)
    except OutOfTime:
        return Verdict(None, {}, dict(enumerate(problem.domains)))


def decide_quickly(problem: Problem) -> Verdict:
    """Like ``decide``, by propagation and a short search; the verdict may be open, but depends on no clock."""
    return _decide(problem, 0.0, VISITS_PER_CLAUSE)


def _decide(problem: Problem, seconds: float, visits_per_clause: float) -> Verdict:
    domains = propagate(problem)
    if domains is None:
        return Verdict(False, {}, {})
    parts, settled = _split_parts(problem, domains)
    if not _satisfied(settled, problem.space, domains):
        return Verdict(False, {}, domains)
    row: Changes = dict(domains)
    undecided = False
    for part in parts:
        found, infeasible = _solve_part(part, problem, domains, seconds, visits_per_clause)
        if infeasible:
            return Verdict(False, {}, domains)
        undecided |= found is None
        row.update(found or {})
    if undecided:
        return Verdict(None, {}, domains)
    return Verdict(True, _positions(row, len(problem.space.columns)), domains)


def is_ruled_out(problem: Problem) -> bool:
    """Whether propagation alone proves, in time, that no row satisfies all clauses."""
    try:
        with time_limit(SECONDS):
            return propagate(problem) is None
    except OutOfTime:
        return False


def propagate(problem: Problem) -> Changes | None:
    """Narrow the domains of a problem; None if no row is left. Takes a bounded number of steps."""
    used = {column for clause in problem.clauses for column in clause.node.columns}
    if any(problem.domains[column].is_empty for column in used) or has_contradicting_bounds(problem.clauses):
        return None
    return Network(problem.clauses, problem.grids).propagate(dict(enumerate(problem.domains)))


def _positions(row: Domains, n_columns: int) -> Assignment:
    """First position of each column's domain, None for null."""
    intervals = (row[column].intervals for column in range(n_columns))
    return {column: float(each[0, 0]) if len(each) else None for column, each in enumerate(intervals)}


def _solve_part(
    part: Part, problem: Problem, domains: Changes, seconds: float, visits_per_clause: float
) -> tuple[Changes | None, bool]:
    """Return a row for one part; or None, and whether there is provably none."""
    network = Network(part.clauses, problem.grids)
    nodes = [clause.node for clause in part.clauses]

    def accepts(row: Domains) -> bool:
        return _satisfied(part.clauses, problem.space, row)

    def as_domains(positions: Assignment) -> Changes:
        return {**domains, **{column: domains[column].at(position) for column, position in positions.items()}}

    visits = SHORT_SEARCH + visits_per_clause * len(nodes)
    first = search_row(network, domains, part.columns, accepts, max_visits=visits)
    curved = any(has_products(node) for node in nodes)  # then only whole numbers can be tried one by one
    proof = first.exhausted and not (curved and any(not domains[column].whole for column in part.columns))
    if first.row is not None or proof or not seconds:
        return _restrict(first.row, part.columns), proof
    involved = distinct(column for node in nodes for column in node.columns)
    solution = solve_program(nodes, involved, domains, problem.grids, min(seconds, max(seconds_left(), 0.0)))
    if solution.infeasible:
        return None, True
    if solution.positions is not None:
        for positions in (solution.positions, polish(solution.positions, nodes, domains, problem.grids)):
            if accepts(as_domains(positions)):
                return _restrict(as_domains(positions), part.columns), False
    hints = {} if solution.positions is None else solution.positions
    if curved:
        found = search_boxes(network, domains, part.columns, accepts, hints=hints, seconds=seconds)
        return _restrict(found.row, part.columns), found.exhausted
    last = search_row(network, domains, part.columns, accepts, hints=hints, max_visits=math.inf, seconds=seconds)
    return _restrict(last.row, part.columns), last.exhausted


def _restrict(row: Changes | None, columns: Iterable[int]) -> Changes | None:
    return None if row is None else {column: row[column] for column in columns}


def _split_parts(problem: Problem, domains: Domains) -> tuple[list[Part], list[Clause]]:
    """Return groups of open columns that clauses link (union-find), and the clauses without open columns."""
    leader = {column: column for column, domain in domains.items() if not domain.is_fixed}

    def find(column: int) -> int:
        while leader[column] != column:
            leader[column] = leader[leader[column]]
            column = leader[column]
        return column

    settled, linked = [], []
    for clause in problem.clauses:
        still_open = [column for column in clause.node.columns if column in leader]
        if not still_open:
            settled.append(clause)
            continue
        linked.append((still_open[0], clause))
        for column in still_open[1:]:
            leader[find(column)] = find(still_open[0])
    clauses: dict[int, list[Clause]] = defaultdict(list)
    columns: dict[int, list[int]] = defaultdict(list)
    for column, clause in linked:
        clauses[find(column)].append(clause)
    for column in leader:
        columns[find(column)].append(column)
    return [Part(tuple(columns[first]), tuple(clauses[first])) for first in clauses], settled


def _satisfied(clauses: Sequence[Clause], space: Space, row: Domains) -> bool:
    """Whether a row of fixed domains satisfies all clauses."""
    return satisfies([clause.test for clause in clauses], space, _positions(row, len(space.columns)))


def satisfies(tests: Sequence[Rule], space: Space, row: Assignment) -> bool:
    """Whether a row satisfies all bound tests, as ``judge`` evaluates them."""
    if not tests:
        return True
    names = frozenset(name for test in tests for name in test.columns)
    chosen = [i for i, column in enumerate(space.columns) if column.name in names]
    cells = {}
    for i in chosen:
        position, column = row[i], space.columns[i]
        missing = -1 if column.is_discrete else np.nan
        cells[column.name] = np.array([missing if position is None else space.grids[i].value(position)])
    table = Table(Schema(tuple(space.columns[i] for i in chosen)), cells, 1)
    return all(judge(BoundRule(test, test), table)[0] for test in tests)
