"""Reference for the counting kernels: a dense table and ``np.add.at``."""

from __future__ import annotations

import numpy as np


def count_by_leaf(x, columns, offsets, width, leaf_of_row, n_leaves):
    """Dense table (leaves × keys): how often each key ``offsets[c] + code`` occurs among a leaf's rows."""
    table = np.zeros((n_leaves, width), int)
    for column, offset in zip(columns, offsets, strict=True):
        np.add.at(table, (leaf_of_row, offset + x[column].astype(int)), 1)
    return table
