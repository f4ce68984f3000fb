"""A model or a graph in; a ``networkx.DiGraph`` out, and back."""

from __future__ import annotations

from typing import Any

from janus_synth.errors import DataError, require_extra
from janus_synth.graph import Dag
from janus_synth.janus import Janus

EXTRA = "integrations"


def graph_of(source: Janus | Dag) -> Dag:
    """Return the graph of a fitted model, without columns that are learnt for links only; a graph is itself.

    Examples
    --------
    >>> print(graph_of(Dag({"a": (), "b": ("a",)})))
    a
    b ← a
    """
    if isinstance(source, Dag):
        return source
    if not isinstance(source, Janus):
        raise DataError(f"a {type(source).__name__} is neither a Janus nor a Dag. Give a fitted model, or its dag_.")
    dag, hidden = source.dag_, set(source.model_.hidden)
    parents = {}
    for column in dag.columns:
        if column not in hidden:
            parents[column] = tuple(dict.fromkeys(_visible_parents(dag, column, hidden)))
    return Dag(parents)


def _visible_parents(dag: Dag, column: str, hidden: set[str]) -> list[str]:
    """Parents of a column; a hidden one stands for its own parents."""
    found: list[str] = []
    for parent in dag.parents[column]:
        found += _visible_parents(dag, parent, hidden) if parent in hidden else [parent]
    return found


def to_networkx(source: Janus | Dag) -> Any:
    """Convert the graph of a fitted model.

    Parameters
    ----------
    source : Janus or Dag
        A fitted model, or a graph.

    Returns
    -------
    networkx.DiGraph
        With an edge from each parent to its child.

    Examples
    --------
    >>> list(to_networkx(Dag({"age": (), "pay": ("age",)})).edges)
    [('age', 'pay')]
    """
    require_extra("networkx", EXTRA, purpose="to_networkx()")
    return graph_of(source).to_networkx()


def from_networkx(graph: Any) -> Dag:
    """Convert a directed graph, such as for ``Janus(structure=...)``.

    Parameters
    ----------
    graph : networkx.DiGraph
        Nodes are names of columns; edges lead from parents to children.

    Returns
    -------
    Dag
        Columns in the order of the nodes.

    Raises
    ------
    DataError
        If the graph is undirected.
    CycleError
        If it has a loop.

    Examples
    --------
    >>> import networkx as nx
    >>> print(from_networkx(nx.DiGraph([("age", "pay")])))
    age
    pay ← age
    """
    if not graph.is_directed():
        raise DataError("the graph is undirected, and a model needs directions. Orient its edges first.")
    return Dag.from_edges([str(node) for node in graph.nodes], [(str(a), str(b)) for a, b in graph.edges])
