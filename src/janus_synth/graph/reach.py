"""Which columns lead to which while a graph grows, so that no arrow ever closes a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from janus_synth.graph.dag import topological_order


class Reach:
    """Columns above each column, kept up to date as arrows are added.

    Examples
    --------
    >>> reach = Reach({"a": (), "b": ("a",), "c": ()})
    >>> reach.add("b", "c")
    >>> reach.leads("a", "c"), reach.leads("c", "a")
    (True, False)
    """

    def __init__(self, parents: Mapping[str, Sequence[str]]) -> None:
        self._above: dict[str, set[str]] = {}
        for column in topological_order(parents):
            above = (self._above[parent] for parent in parents[column])
            self._above[column] = set(parents[column]).union(*above)

    def leads(self, start: str, end: str) -> bool:
        """Whether a path of arrows, perhaps of length zero, goes from ``start`` to ``end``."""
        return start == end or start in self._above[end]

    def add(self, parent: str, child: str) -> None:
        """Note the arrow ``parent`` → ``child``."""
        gained = self._above[parent] | {parent}
        for column, above in self._above.items():
            if column == child or child in above:
                above |= gained
