"""Consistent extension of a PDAG: a partially directed graph and background knowledge in, a DAG out.

Causal discovery directs only the edges that the data decide. The extension removes columns one by one, each as a sink
of the remaining graph (Dor and Tarsi, 1992, "A simple algorithm to construct a consistent extension of a partially
oriented graph"). Where no column is a valid sink, the one that changes least is removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from janus_synth.errors import UnknownColumnError
from janus_synth.graph.dag import Dag, Reachability
from janus_synth.graph.knowledge import Edge, Knowledge


def extend_to_dag(
    columns: Sequence[str], directed: Iterable[Edge], undirected: Iterable[Edge], knowledge: Knowledge
) -> Dag:
    """Extend a partially directed graph to a DAG that respects background knowledge.

    If a consistent extension exists (same adjacencies, same colliders), it is found. Otherwise edges that close a loop
    are reversed, or dropped if knowledge forbids that, and new colliders may appear.

    Parameters
    ----------
    columns : sequence of str
        Columns of the graph; undirected edges point from earlier to later ones where nothing else decides.
    directed : iterable of (parent, child)
        Directed edges. An edge in both directions counts as undirected.
    undirected : iterable of (column, column)
        Undirected edges.
    knowledge : Knowledge
        Required and forbidden edges, and tiers; it takes precedence over the graph.

    Examples
    --------
    >>> columns = ("rain", "sprinkler", "wet", "slippery")
    >>> directed = [("rain", "wet"), ("sprinkler", "wet")]
    >>> print(extend_to_dag(columns, directed, [("slippery", "wet")], Knowledge(columns)))
    rain
    sprinkler
    wet ← rain, sprinkler
    slippery ← wet
    """
    graph = _read_marks(columns, directed, undirected, knowledge)
    position = {column: i for i, column in enumerate(columns)}
    remaining = dict.fromkeys(columns)
    parents: dict[str, tuple[str, ...]] = {}
    while remaining:
        free = [column for column in remaining if remaining.keys().isdisjoint(graph.later[column])]
        sink = min(free, key=lambda column: (graph.cost_of_sink(column, remaining), -position[column]))
        del remaining[sink]
        parents[sink] = tuple(other for other in remaining if graph.may_enter(other, sink))
    return Dag({column: parents[column] for column in columns})


class _Cost(NamedTuple):
    """Changes to the graph if a column becomes a sink, the worst first; all 0 for a valid sink of Dor and Tarsi."""

    dropped: int
    reversed: int
    new_colliders: int


class _Marks(NamedTuple):
    """The graph combined with background knowledge: for each column, sets of other columns."""

    adjacent: Mapping[str, set[str]]
    into: Mapping[str, set[str]]  # with a directed edge into it
    fixed: Mapping[str, set[str]]  # with an edge into it that knowledge does not allow to reverse
    later: Mapping[str, set[str]]  # that must come after it

    def may_enter(self, parent: str, sink: str) -> bool:
        return parent in self.adjacent[sink] and sink not in self.fixed[parent]

    def cost_of_sink(self, column: str, remaining: Mapping[str, None]) -> _Cost:
        """Count what changes if every edge between ``column`` and the remaining columns points into it."""
        near = [other for other in remaining if other in self.adjacent[column]]
        dropped = [other for other in near if column in self.fixed[other]]
        reversed_ = [other for other in near if column in self.into[other] - self.fixed[other]]
        new_colliders = sum(
            other not in self.adjacent[one] and not {one, other} <= self.into[column]
            for one, other in combinations((other for other in near if other not in dropped), 2)
        )
        return _Cost(len(dropped), len(reversed_), new_colliders)


def _read_marks(
    columns: Sequence[str], directed: Iterable[Edge], undirected: Iterable[Edge], knowledge: Knowledge
) -> _Marks:
    """Combine the graph with knowledge, which adds, drops and directs edges."""
    adjacent, into, fixed = ({column: set[str]() for column in columns} for _ in range(3))
    given, given_undirected = _check_edges(directed, columns), _check_edges(undirected, columns)
    required = {edge for edge in knowledge.required if adjacent.keys() >= {*edge}}
    reach = Reachability({**dict.fromkeys(columns, ()), **knowledge.earlier()})
    for one, other in {*given, *given_undirected, *required}:
        both = (one, other), (other, one)
        allowed = [edge for edge in both if knowledge.allows(*edge) and not reach.has_path(*edge[::-1])]
        directed_as = [edge for edge in allowed if edge in given]
        if allowed:
            adjacent[one].add(other)
            adjacent[other].add(one)
        for parent, child in allowed if len(allowed) == 1 else ():
            fixed[child].add(parent)
            into[child].add(parent)
        for parent, child in directed_as if len(directed_as) == 1 else ():
            into[child].add(parent)
    return _Marks(adjacent, into, fixed, _later(columns, knowledge))


def _later(columns: Sequence[str], knowledge: Knowledge) -> dict[str, set[str]]:
    """Columns that must come after each column."""
    later: dict[str, set[str]] = {column: set() for column in columns}
    for column, earlier in knowledge.earlier().items():
        for other in earlier:
            if other in later:
                later[other].add(column)
    return later


def _check_edges(edges: Iterable[Edge], columns: Sequence[str]) -> set[Edge]:
    known = set(columns)
    found = {(one, other) for one, other in edges if one != other}
    for column in (column for edge in sorted(found) for column in edge):
        if column not in known:
            raise UnknownColumnError(column, columns, where="the graph")
    return found
