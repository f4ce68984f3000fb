"""Two graphs to how far they agree: F1 of their arrows, and of their adjacencies."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set

Edges = Iterable[tuple[str, str]]


def directed_f1(found: Edges, true: Edges) -> float:
    """F1 of arrows: an arrow counts as found only if it points the right way.

    Examples
    --------
    >>> directed_f1([("a", "b"), ("c", "b"), ("a", "c")], [("a", "b"), ("b", "c")])
    0.4
    """
    return _f1(set(found), set(true))


def skeleton_f1(found: Edges, true: Edges) -> float:
    """F1 of adjacencies: which pairs of columns are joined, whichever way.

    Examples
    --------
    >>> skeleton_f1([("a", "b"), ("c", "b"), ("a", "c")], [("a", "b"), ("b", "c")])
    0.8
    """
    return _f1({frozenset(edge) for edge in found}, {frozenset(edge) for edge in true})


def _f1(found: Set[Hashable], true: Set[Hashable]) -> float:
    """2 · both / (found + true); two empty graphs agree."""
    return 2 * len(found & true) / (len(found) + len(true)) if found or true else 1.0
