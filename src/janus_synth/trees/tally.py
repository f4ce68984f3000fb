"""Counts of many rows in the leaves of one tree: splits and codes in; sparse counts, and the leaf of each row, out.

Rows that agree in all columns that a tree asks about are counted once, with their number. Rows are counted in a table
(leaves × codes) where it is not too large, and otherwise sorted by leaf first. All ways give the same counts.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Ints
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX
from janus_synth.trees.leaves import count_tree
from janus_synth.trees.splits import Splits, leaves_of_tree

MOST_CELLS = 2**23
"""Largest table, 32 MB. Of a tree of 3,300 leaves on 12 columns it takes 6 MB."""
CELLS_PER_ROW = 16
"""Tables with more cells than this per row are left to sorting: they would take longer to make than to fill."""
FEWEST_ROWS = 4_096
"""Fewer rows are not searched for equal ones."""
MOST_DISTINCT = 0.5
"""Largest share of different rows with which counting them once is worth the search."""


class GroupedRows(NamedTuple):
    """Rows that differ in some columns, and how often each occurs."""

    x: Codes
    """(columns, groups) codes; only those of the columns that were asked for are valid."""
    weight: Ints
    """(groups,) rows in each group."""
    group: Ints
    """(rows,) group of each row."""

    @property
    def n_rows(self) -> int:
        """Rows before grouping."""
        return len(self.group)


class TreeTally(NamedTuple):
    """Counts of rows in the leaves of one tree."""

    forward: Any
    """csr_array (leaves × codes) of the tree's own column."""
    backward: Any
    """csr_array (leaves × keys) of the columns that it splits on."""
    leaf: Ints
    """(rows,) leaf of each row, counted over all trees of the bag; empty if nobody asked."""


def group_rows(x: Codes, columns: Ints, n_codes: Ints) -> GroupedRows | None:
    """Groups of rows that agree in some columns; None if too many rows differ."""
    from janus_synth.kernels import tallying

    n = x.shape[1]
    sizes = n_codes[columns].astype(INDEX)
    if n < FEWEST_ROWS or prod(sizes.tolist()) >= 2**64:
        return None
    group, room = np.empty(n, INDEX), int(MOST_DISTINCT * n)
    first, weight = np.empty(room, INDEX), np.empty(room, COUNT)
    found = tallying.group_rows(x, columns.astype(INDEX), sizes, group, first, weight)
    if found < 0:
        return None
    codes = np.empty((len(x), found), CODE)
    for column in columns:
        codes[column] = x[column, first[:found]]
    return GroupedRows(codes, weight[:found].copy(), group)


def tally_tree(
    splits: Splits,
    t: int,
    x: Codes,
    target: int,
    n_codes: Ints,
    *,
    with_leaf: bool,
    groups: GroupedRows | None = None,
) -> TreeTally:
    """Counts of rows in one tree; ``groups`` are the rows by the columns that it needs, if many of them are equal."""
    from janus_synth.kernels import tallying

    at, leaves = splits.nodes_of(t), leaves_of_tree(splits, t)
    used = np.unique(splits.feature[at][splits.left[at] >= 0]).astype(INDEX)
    columns = np.concatenate([[target], used]).astype(INDEX)
    ends = np.cumsum(n_codes[columns])
    width, n_own = int(ends[-1]), int(n_codes[target])
    if len(leaves) * width > min(MOST_CELLS, CELLS_PER_ROW * x.shape[1]):
        return _sorted_tally(splits, t, x, target, n_codes, with_leaf=with_leaf)
    rows, weight = (x, np.empty(0, COUNT)) if groups is None else (groups.x, groups.weight)
    table, leaf = np.zeros((len(leaves), width), COUNT), np.empty(rows.shape[1] if with_leaf else 0, INDEX)
    tallying.tally_tree(
        rows, splits.roots[t], splits.feature, splits.cut, splits.left, splits.right, splits.set_start,
        splits.left_levels, splits.leaf_of_node, leaves.start, columns, (ends - n_codes[columns]).astype(INDEX),
        table, leaf, weight,
    )  # fmt: skip
    offsets = np.concatenate([[0], np.cumsum(n_codes)])
    keys = [np.arange(n_own), *(np.arange(offsets[c], offsets[c + 1]) for c in used)]
    key_of = np.concatenate(keys).astype(INDEX)
    forward = _sparse(tallying.sparse_rows(table, 0, n_own, key_of), len(leaves), n_own)
    backward = _sparse(tallying.sparse_rows(table, n_own, width, key_of), len(leaves), int(offsets[-1]))
    return TreeTally(forward, backward, leaf if groups is None or not with_leaf else leaf[groups.group])


def _sorted_tally(splits: Splits, t: int, x: Codes, target: int, n_codes: Ints, *, with_leaf: bool) -> TreeTally:
    rows = splits.ordered_rows(x, t)
    forward, backward = count_tree(splits, t, x, target, n_codes, rows)
    first = INDEX(leaves_of_tree(splits, t).start)
    return TreeTally(forward, backward, rows.leaf_of_row + first if with_leaf else np.empty(0, INDEX))


def _sparse(parts: tuple[Ints, Ints, Ints], n_leaves: int, width: int) -> Any:
    from scipy.sparse import csr_array

    start, key, count = parts
    return csr_array((count, key, start), shape=(n_leaves, width))
