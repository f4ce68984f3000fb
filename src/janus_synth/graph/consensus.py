"""A set of graphs: graphs and their weights in; the confidence of every edge, and one consensus graph, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from janus_synth.graph.dag import Dag, Reachability
from janus_synth.graph.knowledge import Edge, Knowledge

MAJORITY = 0.5
"""Least weight of the graphs in which two columns are adjacent for an edge of the consensus."""


def distinct_graphs(dags: Sequence[Dag]) -> tuple[tuple[Dag, ...], tuple[float, ...]]:
    """Distinct graphs, the most frequent first, with their shares."""
    counts: dict[frozenset[Edge], int] = {}
    first: dict[frozenset[Edge], Dag] = {}
    for dag in dags:
        key = frozenset(dag.edges)
        counts[key] = counts.get(key, 0) + 1
        first.setdefault(key, dag)
    order = sorted(first, key=lambda key: -counts[key])
    return tuple(first[key] for key in order), tuple(counts[key] / len(dags) for key in order)


def edge_confidences(dags: Sequence[Dag], weights: Sequence[float]) -> dict[Edge, float]:
    """Weight of the graphs that have each edge, the most confident first.

    Examples
    --------
    >>> one, other = Dag({"a": (), "b": ("a",)}), Dag({"a": ("b",), "b": ()})
    >>> edge_confidences([one, other], [0.75, 0.25])
    {('a', 'b'): 0.75, ('b', 'a'): 0.25}
    """
    found: dict[Edge, float] = {}
    for dag, weight in zip(dags, weights, strict=True):
        for edge in dag.edges:
            found[edge] = found.get(edge, 0.0) + weight
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def consensus_graph(confidence: Mapping[Edge, float], knowledge: Knowledge) -> Dag:
    """One graph of the adjacencies that most graphs have, in the directions that more of them have.

    Edges enter in decreasing order of confidence. One that would close a loop is reversed, or dropped if that closes a
    loop as well. The graph of maximum total confidence is NP-hard to find; this is the greedy approximation.

    Examples
    --------
    >>> known = Knowledge(("a", "b", "c"))
    >>> print(consensus_graph({("a", "b"): 0.9, ("b", "c"): 0.3, ("c", "b"): 0.4, ("a", "c"): 0.2}, known))
    a
    c
    b ← a, c
    """
    parents = {column: list(its) for column, its in knowledge.required_parents().items()}
    reach = Reachability(knowledge.earlier())
    for (one, other), weight in sorted(confidence.items(), key=lambda item: -item[1]):
        joined = one in parents[other] or other in parents[one]
        if joined or weight + confidence.get((other, one), 0.0) < MAJORITY:
            continue
        for parent, child in ((one, other), (other, one)):
            if knowledge.allows(parent, child) and not reach.has_path(child, parent):
                parents[child].append(parent)
                reach.add_edge(parent, child)
                break
    return Dag({column: tuple(its) for column, its in parents.items()})
