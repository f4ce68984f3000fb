"""Reference for the counting kernels: a dense table and ``np.add.at``."""

from __future__ import annotations

import numpy as np


def group_by_leaf(leaf_of_row, n_leaves):
    """Rows in the order of their leaves, and where those of each leaf begin."""
    rows = [row for leaf in range(n_leaves) for row in range(len(leaf_of_row)) if leaf_of_row[row] == leaf]
    return rows, [sum(leaf_of_row < leaf) for leaf in range(n_leaves + 1)]


def count_ordered(x, columns, offsets, width, leaf_of_row, n_leaves):
    """Dense table (leaves × keys): how often each key ``offsets[c] + code`` occurs among a leaf's rows."""
    table = np.zeros((n_leaves, width), int)
    for column, offset in zip(columns, offsets, strict=True):
        np.add.at(table, (leaf_of_row, offset + x[column].astype(int)), 1)
    return table


def add(one, other):
    """Sum of two dense tables."""
    return one + other
