"""Graphs from codes: chain and forest; and graphs that users hand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import StructureError, UnknownColumnError
from janus_synth.graph.dag import Dag
from janus_synth.graph.knowledge import Edge, Knowledge, as_edge
from janus_synth.graph.reach import Reach

Importance = Callable[[str, Sequence[str]], Floats]
"""How much each candidate parent tells about a column, in nats of evidence."""

MOST_PARENTS = 8


def chain(knowledge: Knowledge, order: Sequence[str]) -> Dag:
    """Let every earlier column be a parent; the trees pick.

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


def forest(knowledge: Knowledge, importance: Importance, *, most_parents: int = MOST_PARENTS) -> Dag:
    """Keep the likeliest_strength arrows that close no loop and lead to no earlier tier.

    ``importance`` asks a small forest per column; arrows enter from the likeliest_strength down, so of a pair that
    tell of each other the better direction wins. Required arrows stay, however many a column has.

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
    reach = Reach(knowledge.earlier())  # as if every tier led to the next, so no path comes back
    for _, parent, child in scored:
        full = len(parents[child]) >= most_parents
        if not full and parent not in parents[child] and not reach.leads(child, parent):
            parents[child].append(parent)
            reach.add(parent, child)
    return Dag({column: tuple(its) for column, its in parents.items()})


def user_graph(graph: object, knowledge: Knowledge) -> Dag:
    """Read a graph given as edge list, dict of parents, ``Dag`` or networkx DiGraph."""
    named, edges = _parts(graph)
    for column in (*named, *(column for edge in edges for column in edge)):
        if column not in knowledge.columns:
            raise UnknownColumnError(column, knowledge.columns)
    dag = Dag.from_edges(knowledge.columns, (*edges, *knowledge.required))
    for parent, child in edges:
        if (parent, child) in knowledge.forbidden:
            raise StructureError(f"the graph has the edge {parent!r} → {child!r}, which is forbidden.")
    knowledge.check_tiers(dag.parents, what="the edges of the graph")
    return dag


def _parts(graph: object) -> tuple[Sequence[str], Sequence[Edge]]:
    """Columns that a user's graph names, and its edges."""
    if isinstance(graph, Dag):
        return graph.columns, graph.edges
    if isinstance(graph, Mapping):
        edges = [(parent, str(child)) for child, its in graph.items() for parent in _names(child, its)]
        return [str(child) for child in graph], edges
    if hasattr(graph, "edges") and hasattr(graph, "nodes"):
        if not getattr(graph, "is_directed", lambda: True)():
            raise StructureError("the networkx graph is undirected. Give a DiGraph, with arrows from parent to child.")
        return [str(node) for node in graph.nodes], [(str(edge[0]), str(edge[1])) for edge in graph.edges]
    if isinstance(graph, Sequence) and not isinstance(graph, str):
        return (), [as_edge(edge, "the edges of a graph") for edge in graph]
    raise StructureError(
        f"structure={graph!r} is neither a learner (auto, chain, forest, pc, ges) nor a graph. Give an edge "
        "list [(parent, child), …], a dict {child: [parents]}, a Dag or a networkx.DiGraph."
    )


def _names(child: object, parents: object) -> Sequence[str]:
    if isinstance(parents, str):
        return (parents,)
    if not isinstance(parents, Iterable):
        raise StructureError(f"the parents of {child!r} are a list of columns, not {parents!r}.")
    return [str(parent) for parent in parents]
