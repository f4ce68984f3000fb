"""A partially directed graph and background knowledge in, a DAG out.

Searches return arrows where the data decide and plain lines where they do not. The extension takes columns
away one by one, each as a sink of what remains (Dor and Tarsi, 1992, "A simple algorithm to construct a
consistent extension of a partially oriented graph"). Where no column can be one without harm, the one that
does least harm goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from janus_synth.errors import UnknownColumnError
from janus_synth.graph.dag import Dag
from janus_synth.graph.knowledge import Edge, Knowledge
from janus_synth.graph.reach import Reach


def extend_to_dag(
    columns: Sequence[str], directed: Iterable[Edge], undirected: Iterable[Edge], knowledge: Knowledge
) -> Dag:
    """Turn arrows and lines into a DAG that respects what is known.

    Where a consistent extension exists (same adjacencies, same colliders), it is found. Elsewhere arrows that
    close a loop are turned round, or dropped if knowledge forbids that, and a few new colliders appear.

    Parameters
    ----------
    columns : sequence of str
        Columns of the graph; lines point from earlier to later ones where nothing else decides.
    directed : iterable of (parent, child)
        Arrows. Both directions of a pair make a line.
    undirected : iterable of (column, column)
        Lines.
    knowledge : Knowledge
        Arrows that must or must not be there, and tiers; it outranks the graph.

    Examples
    --------
    >>> columns = ("rain", "sprinkler", "wet", "slippery")
    >>> arrows = [("rain", "wet"), ("sprinkler", "wet")]
    >>> print(extend_to_dag(columns, arrows, [("slippery", "wet")], Knowledge(columns)))
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
        sink = min(free, key=lambda column: (graph.harm(column, remaining), -position[column]))
        del remaining[sink]
        parents[sink] = tuple(other for other in remaining if graph.may_enter(other, sink))
    return Dag({column: parents[column] for column in columns})


class _Harm(NamedTuple):
    """What making a column a sink costs, the worst first; nothing at all for a sink of Dor and Tarsi."""

    dropped: int
    turned: int
    new_colliders: int


class _Marks(NamedTuple):
    """What graph and knowledge say of each column, as sets of other columns."""

    adjacent: Mapping[str, set[str]]
    into: Mapping[str, set[str]]  # with an arrow to it
    fixed: Mapping[str, set[str]]  # with an arrow to it that knowledge does not let turn
    later: Mapping[str, set[str]]  # that must come after it

    def may_enter(self, parent: str, sink: str) -> bool:
        return parent in self.adjacent[sink] and sink not in self.fixed[parent]

    def harm(self, column: str, remaining: Mapping[str, None]) -> _Harm:
        """Count what changes if every edge between ``column`` and the remaining ones points into it."""
        near = [other for other in remaining if other in self.adjacent[column]]
        dropped = [other for other in near if column in self.fixed[other]]
        turned = [other for other in near if column in self.into[other] - self.fixed[other]]
        new_colliders = sum(
            other not in self.adjacent[one] and not {one, other} <= self.into[column]
            for one, other in combinations((other for other in near if other not in dropped), 2)
        )
        return _Harm(len(dropped), len(turned), new_colliders)


def _read_marks(
    columns: Sequence[str], directed: Iterable[Edge], undirected: Iterable[Edge], knowledge: Knowledge
) -> _Marks:
    """Let knowledge add, drop and turn edges, and note the rest as given."""
    adjacent, into, fixed = ({column: set[str]() for column in columns} for _ in range(3))
    arrows, lines = _known_edges(directed, columns), _known_edges(undirected, columns)
    required = {edge for edge in knowledge.required if adjacent.keys() >= {*edge}}
    reach = Reach({**dict.fromkeys(columns, ()), **knowledge.earlier()})
    for one, other in {*arrows, *lines, *required}:
        both = (one, other), (other, one)
        allowed = [edge for edge in both if knowledge.allows(*edge) and not reach.leads(*edge[::-1])]
        drawn = [edge for edge in allowed if edge in arrows]
        if allowed:
            adjacent[one].add(other)
            adjacent[other].add(one)
        for parent, child in allowed if len(allowed) == 1 else ():
            fixed[child].add(parent)
            into[child].add(parent)
        for parent, child in drawn if len(drawn) == 1 else ():
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


def _known_edges(edges: Iterable[Edge], columns: Sequence[str]) -> set[Edge]:
    known = set(columns)
    found = {(one, other) for one, other in edges if one != other}
    for column in (column for edge in sorted(found) for column in edge):
        if column not in known:
            raise UnknownColumnError(column, columns, where="the graph")
    return found
