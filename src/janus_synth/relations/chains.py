"""Pairs of columns in, such as those of which one determines the other; the pairs that follow step by step out."""

from __future__ import annotations

from collections.abc import Iterable


def closure(pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs that follow from others step by step.

    Examples
    --------
    >>> sorted(closure({("country", "city"), ("city", "store")}))
    [('city', 'store'), ('country', 'city'), ('country', 'store')]
    """
    found = set(pairs)
    while True:
        new = {(a, d) for a, b in found for c, d in found if b == c and a != d} - found
        if not new:
            return found
        found |= new
