"""Reference for the tallying kernels: walk every row, count with ``np.add.at``, invert the normal distribution."""

from __future__ import annotations

from scipy.stats import truncnorm

from reference.counting import count_ordered
from reference.routing import leaf_of_row


def tally_tree(x, root, splits, columns, offsets, width):
    """Leaf of each row, and the dense table of all leaves of the bag."""
    leaf = splits.leaf_of_node[leaf_of_row(x, root, splits)]
    return leaf, count_ordered(x, columns, offsets, width, leaf, splits.n_leaves)


def group_rows(x, columns):
    """Number of each row among the different ones, in the order of their first, and how often each occurs."""
    rows = list(zip(*x[columns].tolist(), strict=True))
    number = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    return [number[row] for row in rows], [rows.count(row) for row in number]


def residual(low, high, place):
    """Quantile of a standard normal distribution truncated to an interval."""
    return truncnorm.ppf(place, low, high)
