"""Graphs that need no causal discovery: a chain, a sparse graph by importance, or a graph given by the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import StructureError, UnknownColumnError
from janus_synth.graph.dag import Dag, Reachability
from janus_synth.graph.knowledge import Edge, Knowledge, as_edge

Importance = Callable[[str, Sequence[str]], Floats]
"""Importance of each candidate parent of a column: gain in log evidence, in nats."""

MAX_PARENTS = 8
"""Maximum number of parents that ``forest`` adds to a column."""


def chain(knowledge: Knowledge, order: Sequence[str]) -> Dag:
    """Make every earlier column in the order a parent; the trees select among them.

    Examples
    --------
    >>> print(chain(Knowledge(("pay", "age"), required=(("age", "pay"),)), ("pay", "age")))
    age
    pay ← age
    """
    order = knowledge.ordered(order)
    missing = [column for column in knowledge.columns if column not in order]
    if missing:
        raise StructureError(f"the order leaves out {', '.join(map(repr, missing))}.")
    parents = {
        column: tuple(earlier for earlier in order[:i] if knowledge.allows(earlier, column))
        for i, column in enumerate(order)
    }
    return Dag({column: parents[column] for column in knowledge.columns})


def forest(knowledge: Knowledge, importance: Importance, *, most_parents: int = MAX_PARENTS) -> Dag:
    """Add edges greedily by importance, skipping those that close a loop or lead to an earlier tier.

    ``importance`` comes from a small forest per column. Edges enter in decreasing order of importance, so that of two
    columns that predict each other the better direction wins. Required edges always stay.

    Examples
    --------
    >>> known = Knowledge(("age", "pay"))
    >>> print(forest(known, lambda child, others: np.array([{"age": 1.0, "pay": 2.0}[child]])))
    age
    pay ← age
    """
    parents = {column: list(its) for column, its in knowledge.required_parents().items()}
    scored = []
    for child in knowledge.columns:
        candidates = [column for column in knowledge.columns if knowledge.allows(column, child)]
        gains = importance(child, candidates) if candidates else np.zeros(0)
        scored += [(gain, parent, child) for gain, parent in zip(gains, candidates, strict=True) if gain > 0]
    position = {column: i for i, column in enumerate(knowledge.columns)}
    scored.sort(key=lambda item: (-item[0], position[item[1]], position[item[2]]))
    reach = Reachability(knowledge.earlier())  # every tier precedes the next, so no path leads back
    for _, parent, child in scored:
        full = len(parents[child]) >= most_parents
        if not full and parent not in parents[child] and not reach.has_path(child, parent):
            parents[child].append(parent)
            reach.add_edge(parent, child)
    return Dag({column: tuple(its) for column, its in parents.items()})


def read_graph(graph: object, knowledge: Knowledge) -> Dag:
    """Read a graph given as edge list, dict of parents, ``Dag`` or networkx DiGraph."""
    named, edges = _columns_and_edges(graph)
    for column in (*named, *(column for edge in edges for column in edge)):
        if column not in knowledge.columns:
            raise UnknownColumnError(column, knowledge.columns)
    dag = Dag.from_edges(knowledge.columns, (*edges, *knowledge.required))
    for parent, child in edges:
        if (parent, child) in knowledge.forbidden:
            raise StructureError(f"the graph has the edge {parent!r} → {child!r}, which is forbidden.")
    knowledge.check_tiers(dag.parents, what="the edges of the graph")
    return dag


def given_edges(graph: object) -> Sequence[Edge]:
    """Edges of a graph that the user gave in any of the accepted forms."""
    return _columns_and_edges(graph)[1]


def _columns_and_edges(graph: object) -> tuple[Sequence[str], Sequence[Edge]]:
    """Columns that a user's graph mentions, and its edges."""
    if isinstance(graph, Dag):
        return graph.columns, graph.edges
    if isinstance(graph, Mapping):
        edges = [(parent, str(child)) for child, its in graph.items() for parent in _names(child, its)]
        return [str(child) for child in graph], edges
    if hasattr(graph, "edges") and hasattr(graph, "nodes"):
        if not getattr(graph, "is_directed", lambda: True)():
            raise StructureError("the networkx graph is undirected. Give a DiGraph, with edges from parent to child.")
        return [str(node) for node in graph.nodes], [(str(edge[0]), str(edge[1])) for edge in graph.edges]
    if isinstance(graph, Sequence) and not isinstance(graph, str):
        return (), [as_edge(edge, "the edges of a graph") for edge in graph]
    raise StructureError(
        f"structure={graph!r} is neither a learner (auto, chain, forest, pc, ges, notears, bootstrap) nor a graph. "
        "Give an edge list [(parent, child), …], a dict {child: [parents]}, a Dag or a networkx.DiGraph."
    )


def _names(child: object, parents: object) -> Sequence[str]:
    if isinstance(parents, str):
        return (parents,)
    if not isinstance(parents, Iterable):
        raise StructureError(f"the parents of {child!r} are a list of columns, not {parents!r}.")
    return [str(parent) for parent in parents]
