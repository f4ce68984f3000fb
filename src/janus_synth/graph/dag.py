"""A directed acyclic graph over columns as a frozen value, and reachability while a graph is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError as GraphlibCycle
from graphlib import TopologicalSorter
from typing import Any

from janus_synth.errors import CycleError, StructureError, UnknownColumnError, require_extra


@dataclass(frozen=True, slots=True)
class Dag:
    """Parents of every column; acyclic by construction.

    Examples
    --------
    >>> dag = Dag.from_edges(["age", "pay", "loan"], [("age", "pay"), ("pay", "loan")])
    >>> dag.order
    ('age', 'pay', 'loan')
    >>> sorted(dag.ancestors("loan"))
    ['age', 'pay']
    >>> print(dag.without_edges_into("pay"))
    age
    pay
    loan ← pay
    """

    parents: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Columns in topological order: parents before children."""

    def __post_init__(self) -> None:
        # A copy: the caller may change the dict later, and lists would not hash.
        object.__setattr__(self, "parents", {column: tuple(its) for column, its in self.parents.items()})
        for column, its_parents in self.parents.items():
            for parent in its_parents:
                if parent not in self.parents:
                    raise UnknownColumnError(parent, self.parents, where="the graph")
            if len(set(its_parents)) < len(its_parents):
                raise StructureError(f"the graph names a parent of {column!r} twice: {its_parents}.")
        object.__setattr__(self, "order", topological_order(self.parents))

    @classmethod
    def from_edges(cls, columns: Iterable[str], edges: Iterable[tuple[str, str]]) -> Dag:
        """Build a graph from edges ``(parent, child)``; repeated edges count once."""
        parents: dict[str, list[str]] = {column: [] for column in columns}
        for parent, child in edges:
            if child not in parents:
                raise UnknownColumnError(child, parents, where="the graph")
            if parent not in parents[child]:
                parents[child].append(parent)
        return cls({column: tuple(its) for column, its in parents.items()})

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns in the table's order."""
        return tuple(self.parents)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All edges ``(parent, child)``."""
        return tuple((parent, child) for child, its in self.parents.items() for parent in its)

    def __iter__(self) -> Iterator[str]:
        return iter(self.parents)

    def __hash__(self) -> int:
        return hash(frozenset(self.parents.items()))  # equal graphs may list their columns differently

    def __str__(self) -> str:
        return "\n".join(
            f"{column} ← {', '.join(self.parents[column])}" if self.parents[column] else column for column in self.order
        )

    def children(self, column: str) -> tuple[str, ...]:
        """Columns with an edge from ``column``."""
        self._known(column)
        return tuple(child for child, its in self.parents.items() if column in its)

    def ancestors(self, *columns: str) -> frozenset[str]:
        """Columns from which a directed path leads to one of ``columns``."""
        return self._reach(columns, lambda column: self.parents[column])

    def descendants(self, *columns: str) -> frozenset[str]:
        """Columns to which a directed path leads from one of ``columns``."""
        return self._reach(columns, self.children)

    def without_edges_into(self, *columns: str) -> Dag:
        """Graph mutilation: remove all edges into ``columns``."""
        for column in columns:
            self._known(column)
        return Dag({column: () if column in columns else its for column, its in self.parents.items()})

    def without_edges(self, *edges: tuple[str, str]) -> Dag:
        """Remove edges; those that do not exist are ignored."""
        for column in (column for edge in edges for column in edge):
            self._known(column)
        gone = set(edges)
        return Dag({child: tuple(p for p in its if (p, child) not in gone) for child, its in self.parents.items()})

    def to_networkx(self) -> Any:
        """Convert to a ``networkx.DiGraph``."""
        networkx = require_extra("networkx", "causal", purpose="Dag.to_networkx()")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.columns)
        graph.add_edges_from(self.edges)
        return graph

    def to_dot(self) -> str:
        """Return the graph in Graphviz DOT."""
        lines = [f"  {_quote_name(column)};" for column in self.columns]
        lines += [f"  {_quote_name(parent)} -> {_quote_name(child)};" for parent, child in self.edges]
        return "\n".join(["digraph {", "  rankdir=LR;", *lines, "}"])

    def to_mermaid(self) -> str:
        """Return the graph as a Mermaid diagram, which notebooks and code hosts render."""
        number = {column: f"n{i}" for i, column in enumerate(self.columns)}
        shown = {column: column.replace('"', "#quot;") for column in self.columns}
        lines = [f'  {number[column]}["{shown[column]}"]' for column in self.columns]
        lines += [f"  {number[parent]} --> {number[child]}" for parent, child in self.edges]
        return "\n".join(["graph LR", *lines])

    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Group columns by the length of the longest path to them: the layers of a drawing."""
        depth: dict[str, int] = {}
        for column in self.order:
            depth[column] = 1 + max((depth[parent] for parent in self.parents[column]), default=-1)
        deepest = max(depth.values(), default=-1)
        return tuple(tuple(column for column in self.columns if depth[column] == level) for level in range(deepest + 1))

    def _known(self, column: str) -> None:
        if column not in self.parents:
            raise UnknownColumnError(column, self.parents, where="the graph")

    def _reach(self, start: Sequence[str], step: Callable[[str], Sequence[str]]) -> frozenset[str]:
        reached: set[str] = set()
        waiting = list(start)
        for column in start:
            self._known(column)
        while waiting:
            for following in step(waiting.pop()):
                if following not in reached:
                    reached.add(following)
                    waiting.append(following)
        return frozenset(reached)


def topological_order(parents: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Sort columns so that parents come first, ties in the given order; raise ``CycleError`` with a loop."""
    try:
        TopologicalSorter(parents).prepare()
    except GraphlibCycle as error:
        raise CycleError(error.args[1][:-1]) from None
    order: list[str] = []
    placed: set[str] = set()
    waiting = list(parents)
    while waiting:
        for column in waiting:  # the first that is ready: the given order breaks ties
            if placed.issuperset(parents[column]):
                order.append(column)
                placed.add(column)
                waiting.remove(column)
                break
    return tuple(order)


class Reachability:
    """Transitive closure of a graph, kept up to date as edges are added, to find edges that would close a loop.

    Examples
    --------
    >>> reach = Reachability({"a": (), "b": ("a",), "c": ()})
    >>> reach.add_edge("b", "c")
    >>> reach.has_path("a", "c"), reach.has_path("c", "a")
    (True, False)
    """

    def __init__(self, parents: Mapping[str, Sequence[str]]) -> None:
        self._ancestors: dict[str, set[str]] = {}
        for column in topological_order(parents):
            above = (self._ancestors[parent] for parent in parents[column])
            self._ancestors[column] = set(parents[column]).union(*above)

    def has_path(self, start: str, end: str) -> bool:
        """Whether a directed path, possibly of length zero, leads from ``start`` to ``end``."""
        return start == end or start in self._ancestors[end]

    def add_edge(self, parent: str, child: str) -> None:
        """Add the edge ``parent`` → ``child``."""
        gained = self._ancestors[parent] | {parent}
        for column, ancestors in self._ancestors.items():
            if column == child or child in ancestors:
                ancestors |= gained


def _quote_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
