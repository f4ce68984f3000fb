"""A compiled problem in, a verdict out: propagation first, then a short search, then the mixed-integer program."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.rules.feasibility.clauses import Clause, Problem, Space
from janus_synth.rules.feasibility.mixed_integer import solve
from janus_synth.rules.feasibility.propagation import Changes, Domains, Network, contradict
from janus_synth.rules.feasibility.search import Places, polish, search_row
from janus_synth.rules.holds import judge
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import Rule
from janus_synth.table import Schema, Table

SHORT_SEARCH = 1_000
"""Visits of clauses in the search before the solver is asked."""
PATIENCE = 10.0
"""Further visits per clause, if there is hope for a row."""
SECONDS = 10.0
"""Time for the solver, and again for the long search."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a row keeps all clauses (None: it could not be decided), the row, and what propagation left."""

    feasible: bool | None
    row: Places
    domains: Domains


@dataclass(frozen=True, slots=True)
class Part:
    """Open columns that hang together, and the clauses about them."""

    columns: tuple[int, ...]
    clauses: tuple[Clause, ...]


def decide(problem: Problem, *, seconds: float = SECONDS, patience: float = PATIENCE) -> Verdict:
    """Find a row that keeps all clauses, or that there is none; with less patience the solver is asked sooner."""
    domains = _propagated(problem)
    if domains is None:
        return Verdict(False, {}, {})
    parts, settled = _parts(problem, domains)
    if not _accepts(settled, problem.space, domains):
        return Verdict(False, {}, domains)
    row: Changes = dict(domains)
    undecided = False
    for part in parts:
        found, impossible = _settle(part, problem, domains, seconds, patience)
        if impossible:
            return Verdict(False, {}, domains)
        undecided |= found is None
        row.update(found or {})
    if undecided:
        return Verdict(None, {}, domains)
    return Verdict(True, {column: _some_place(row, column) for column in range(len(problem.space.columns))}, domains)


def is_ruled_out(problem: Problem) -> bool:
    """Whether propagation alone finds that no row keeps all clauses."""
    return _propagated(problem) is None


def clashing(problem: Problem, numbers: Sequence[int]) -> list[int]:
    """Numbers of rules that clash, of which none can be left out."""
    kept = list(numbers)
    if is_ruled_out(problem):  # cheap, and mostly enough
        kept = _shrunk(kept, lambda some: is_ruled_out(problem.of_rules(some)))
    return _shrunk(kept, lambda some: decide(problem.of_rules(some), patience=0.0).feasible is False)


def _shrunk(kept: list[int], clash: Callable[[list[int]], bool]) -> list[int]:
    """Leave out long runs while the rest still clashes, then shorter ones, and at last single rules."""
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if clash(fewer):
                kept = fewer
            else:
                at += size
        if size == 1:
            return kept
        size //= 2


def _propagated(problem: Problem) -> Changes | None:
    used = {column for clause in problem.clauses for column in clause.node.columns}
    if any(problem.domains[column].is_empty for column in used) or contradict(problem.clauses):
        return None
    return Network(problem.clauses, problem.grids).propagate(dict(enumerate(problem.domains)))


def _some_place(domains: Domains, column: int) -> float | None:
    pieces = domains[column].pieces
    return float(pieces[0, 0]) if len(pieces) else None


def _settle(
    part: Part, problem: Problem, domains: Changes, seconds: float, patience: float
) -> tuple[Changes | None, bool]:
    """A row for one part; or None, and whether there is provably none."""
    network = Network(part.clauses, problem.grids)
    nodes = [clause.node for clause in part.clauses]

    def accepts(row: Domains) -> bool:
        return _accepts(part.clauses, problem.space, row)

    def fixed(places: Places) -> Changes:
        return {**domains, **{column: domains[column].at(place) for column, place in places.items()}}

    visits = SHORT_SEARCH + patience * len(nodes)
    first = search_row(network, domains, part.columns, accepts, most_visits=visits)
    if first.row is not None or first.exhausted:
        return _only(first.row, part.columns), first.exhausted
    involved = distinct(column for node in nodes for column in node.columns)
    answer = solve(nodes, involved, domains, problem.grids, seconds)
    if answer.impossible:
        return None, True
    if answer.places is not None:
        for places in (answer.places, polish(answer.places, nodes, domains, problem.grids)):
            if accepts(fixed(places)):
                return _only(fixed(places), part.columns), False
    hints = {} if answer.places is None else answer.places
    last = search_row(network, domains, part.columns, accepts, hints=hints, most_visits=math.inf, seconds=seconds)
    return _only(last.row, part.columns), last.exhausted


def _only(row: Changes | None, columns: Iterable[int]) -> Changes | None:
    return None if row is None else {column: row[column] for column in columns}


def _parts(problem: Problem, domains: Domains) -> tuple[list[Part], list[Clause]]:
    """Groups of open columns that clauses link, and the clauses without any."""
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


def _accepts(clauses: Sequence[Clause], space: Space, row: Domains) -> bool:
    """Whether the judge finds that a row keeps all clauses."""
    return keeps(
        [clause.test for clause in clauses], space, {i: _some_place(row, i) for i in range(len(space.columns))}
    )


def keeps(tests: Sequence[Rule], space: Space, row: Mapping[int, float | None]) -> bool:
    """Whether the judge finds that a row keeps all bound tests."""
    if not tests:
        return True
    names = frozenset(name for test in tests for name in test.columns)
    chosen = [i for i, column in enumerate(space.columns) if column.name in names]
    cells = {}
    for i in chosen:
        place, column = row[i], space.columns[i]
        missing = -1 if column.is_discrete else np.nan
        cells[column.name] = np.array([missing if place is None else space.grids[i].value(place)])
    table = Table(Schema(tuple(space.columns[i] for i in chosen)), cells, 1)
    return all(judge(BoundRule(test, test), table)[0] for test in tests)
