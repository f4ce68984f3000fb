"""Counts of leaves as sparse matrices, leaf by leaf: made, stacked and added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy.sparse import csr_array, vstack

from janus_synth.arrays import Codes, Ints


def counted(x: Codes, columns: Ints, offsets: Ints, width: int, leaf: Ints, n_leaves: int) -> Any:
    """csr_array (leaves × keys): how often each (column, code) occurs in each leaf; a key is offset + code."""
    from janus_synth.kernels.counting import count_by_leaf

    start, key, count = count_by_leaf(x, columns, offsets, width, leaf, n_leaves)
    return csr_array((count, key, start), shape=(n_leaves, width))


def stacked(parts: Sequence[Any]) -> Any:
    """Leaves of several trees, one after the other."""
    return parts[0] if len(parts) == 1 else vstack(parts, format="csr")


def added(one: Any, other: Any) -> Any:
    """Counts of both, the keys of each leaf in order."""
    total = one + other
    total.sort_indices()
    return total
