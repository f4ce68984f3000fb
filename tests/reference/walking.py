"""Reference for the walking kernels: recursion over one row and one node at a time."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.dtypes import N_RESIDUALS, REACH, UNKNOWN
from reference.surfacing import on_surface

BINS = np.arange(N_RESIDUALS + 1.0)


def place(r, bend):
    """Place of residuals among the bins: half of the bins are equally wide, half follow r (1 + c R) / (1 + c |r|)."""
    r = np.clip(r, -REACH, REACH)
    half_even, half_bent = r / REACH, r / REACH * (1 + bend * REACH) / (1 + bend * np.abs(r))
    return N_RESIDUALS / 2 * (1 + (half_even + half_bent) / 2)


def at_place(wanted, bend):
    """Residuals at places among the bins, by bisection."""
    wanted = np.asarray(wanted, float)
    low, high = np.full(wanted.shape, -REACH), np.full(wanted.shape, REACH)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (
            np.where(place(middle, bend) < wanted, middle, low),
            np.where(place(middle, bend) < wanted, high, middle),
        )
    return high


def goes_left(trees, node, code):
    """Side of a split that a code belongs to."""
    start = trees.set_start[node]
    return bool(code <= trees.cut[node] if start < 0 else trees.left_levels[start + code] == 1)


def share_of_left(left, right, count):
    """Share of each node's rows that go left, a half where there are none; and the rows of every node."""

    def rows(node):
        return count[node] if left[node] < 0 else rows(left[node]) + rows(right[node])

    total = np.array([rows(node) for node in range(len(left))])
    share = [rows(left[i]) / total[i] if left[i] >= 0 and total[i] > 0 else 0.5 for i in range(len(left))]
    return np.array(share), total


def leaf_weights(trees, node, row):
    """Leaves that a row may reach from a node, and their chances: 1 for one leaf if all columns are known."""
    if trees.left[node] < 0:
        return {int(trees.leaf_of_node[node]): 1.0}
    code = row[trees.feature[node]]
    if code != UNKNOWN:
        child = trees.left[node] if goes_left(trees, node, code) else trees.right[node]
        return leaf_weights(trees, child, row)
    share = float(trees.share_left[node])
    left, right = leaf_weights(trees, trees.left[node], row), leaf_weights(trees, trees.right[node], row)
    return {leaf: share * w for leaf, w in left.items()} | {leaf: (1 - share) * w for leaf, w in right.items()}


def leaves_of_rows(trees, x):
    """(rows, trees) the leaf of every row in every tree."""
    return np.array([[next(iter(leaf_weights(trees, root, row))) for root in trees.roots] for row in x.T])


# Distribution of a leaf


def centre(lines, leaf, row):
    """m(x) + s(x) (b + Σ β_j x_j): scores within the leaf's range, 0 for an unknown parent."""
    total = lines.coef[leaf, -1]
    for j, parent in enumerate(lines.parents):
        score = 0.0 if row[parent] == UNKNOWN else lines.score[j, row[parent]]
        total += lines.coef[leaf, j] * np.clip(score, lines.low[leaf, j], lines.high[leaf, j])
    mean, log_spread = on_surface(lines.surface, lines.parents, row)
    return mean + np.exp(log_spread) * total


def unit(lines, leaf, row):
    """s(x) s, the unit of a row's residual."""
    return lines.spread[leaf] * np.exp(on_surface(lines.surface, lines.parents, row)[1])


def below(cumulative, r, bend=0.0):
    """Share of residuals below r spreads, evenly spread over the places inside each bin."""
    return np.interp(place(r, bend), BINS, cumulative)


def on_line(trends, leaf, at, code, spread=None):
    """Mass of the residuals between the two edges of a code."""
    spread = trends.lines.spread[leaf] if spread is None else spread
    ends = ((trends.edge[e] - at) / spread for e in (code, code + 1))
    low, high = (below(trends.cumulative[leaf], end, trends.lines.bend) for end in ends)
    return high - low


def has_trend(trends, leaf):
    """Whether a leaf's trend has a positive weight."""
    return len(trends.weight) > 0 and trends.weight[leaf] > 0


def share_of_code(trends, table, leaf, row, code):
    """(1 − ω) h(k) + ω · h(scale) · mass of the residuals in k; h(k) alone for codes apart and without a trend."""
    share = float(table[leaf, code])
    if not has_trend(trends, leaf) or trends.apart[code]:
        return share
    weight, of_scale = trends.weight[leaf], trends.rest[leaf]
    at, spread = centre(trends.lines, leaf, row), unit(trends.lines, leaf, row)
    return (1 - weight) * share + weight * of_scale * on_line(trends, leaf, at, code, spread)


def mean_shares(trends, table, leaves, x):
    """(rows, codes) how likely each code is in the mean over each row's leaves."""
    out = np.empty((x.shape[1], table.shape[1]))
    for r, row in enumerate(x.T):
        out[r] = [
            np.mean([share_of_code(trends, table, leaf, row, code) for leaf in leaves[r]])
            for code in range(table.shape[1])
        ]
    return out


def shares_of_codes(trends, table, leaves, x, codes):
    """(rows, leaves) how likely each row's code is in each of its leaves."""
    return np.array(
        [[share_of_code(trends, table, leaf, row, codes[r]) for leaf in leaves[r]] for r, row in enumerate(x.T)]
    )


# Draws and residuals


def draw_on_line(trends, shares, leaf, row, u):
    """Code of a row that follows its leaf's trend.

    First the codes apart with the table's ``shares``, then those on the scale by the quantile of the residuals.
    """
    for code in np.flatnonzero(trends.apart):
        if u < shares[code]:
            return int(code)
        u -= shares[code]
    share = u / shares[trends.apart == 0].sum()
    at, spread, cumulative = centre(trends.lines, leaf, row), unit(trends.lines, leaf, row), trends.cumulative[leaf]
    z = at + spread * at_place(np.interp(share, cumulative, BINS), trends.lines.bend)
    (code,) = [k for k in np.flatnonzero(trends.apart == 0) if trends.edge[k] <= z < trends.edge[k + 1]]
    return int(code)


def centres_of_rows(lines, leaf_of_row, x):
    """m of every row."""
    return np.array([centre(lines, leaf, x[:, r]) for r, leaf in enumerate(leaf_of_row)])


def units_of_rows(lines, leaf_of_row, x):
    """s of every row."""
    return np.array([unit(lines, leaf, x[:, r]) for r, leaf in enumerate(leaf_of_row)])


def left_out_shares(trends, alone, leaf_of_row, codes, residual, z, spread):
    """Mass of the residuals in each row's code, bin by bin; in the row's own bin that without the row."""
    out = []
    for r, leaf in enumerate(leaf_of_row):
        shares = np.diff(trends.cumulative[leaf])
        own = int(np.clip(place(residual[r], trends.lines.bend), 0, N_RESIDUALS - 1))
        shares[own] = alone[leaf, own]
        ends = (residual[r] + (trends.edge[codes[r] + e] - z[r]) / spread[r] for e in (0, 1))
        low, high = (place(end, trends.lines.bend) for end in ends)
        out.append(float(shares @ np.clip(np.minimum(high, BINS[1:]) - np.maximum(low, BINS[:-1]), 0.0, None)))
    return np.array(out)


# With a column free


def value_of_row(trees, trends, root, table, column, row):
    """Value of a row in a tree, averaged over unknown columns."""
    leaves = leaf_weights(trees, root, row)
    return sum(weight * share_of_code(trends, table, leaf, row, column) for leaf, weight in leaves.items())


def asks_for(trees, trends, node, column):
    """Whether a node or one below it splits on a column, or a trend runs over it."""
    if column in trends.lines.parents:
        return True
    if trees.left[node] < 0:
        return False
    children = trees.left[node], trees.right[node]
    return trees.feature[node] == column or any(asks_for(trees, trends, child, column) for child in children)


def multiply_by_free(trees, trends, tree_of_row, table, column, x, free, score):
    """Scores times the value of each row's tree, the free column set to every code in turn; nothing is scaled.

    A tree that does not ask for the free column changes nothing.
    """
    product = np.array(score, float)
    for r, row in enumerate(x.T):
        root = trees.roots[tree_of_row[r]]
        for code in range(score.shape[1]) if asks_for(trees, trends, root, free) else ():
            asked = row.copy()
            asked[free] = code
            product[r, code] *= value_of_row(trees, trends, root, table, column[r], asked)
    return product


def values_of_rows(trees, trends, table, x):
    """Value of each row in the first tree."""
    return np.array([value_of_row(trees, trends, trees.roots[0], table, 0, row) for row in x.T])
