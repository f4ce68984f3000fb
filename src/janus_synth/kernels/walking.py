"""Walk trees with known columns or with one column free: rows of codes in, what their leaves say out.

A leaf says how likely each code is: by its shares in a table, by its trend, or by a mixture of the two. Columns that
are not drawn yet (``UNKNOWN``) are averaged: both sides of their splits are followed, weighted by the share of training
rows on each side.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import INDEX, N_RESIDUALS, REACH, REAL, UNKNOWN

MIDDLE = N_RESIDUALS / 2.0
PER_SPREAD = N_RESIDUALS / (2.0 * REACH)
"""Bins of residuals in a spread."""


class Trees(NamedTuple):
    """A bag of trees for walking: its splits, and the share of rows that each node sends to the left."""

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    set_start: NDArray[np.int32]
    left_levels: NDArray[np.uint8]
    leaf_of_node: NDArray[np.int32]
    share_left: NDArray[np.float32]
    uses: NDArray[np.uint8]
    """(b, d) 1 where a tree's splits or trends depend on a column."""


class Lines(NamedTuple):
    """Lines of the leaves over the scores of the parents' codes, each parent kept within the leaf's range."""

    parents: NDArray[np.int32]
    score: NDArray[np.float64]
    """(p, K) score of every code of every parent."""
    coef: NDArray[np.float64]
    """(L, p + 1) slopes, then the intercept."""
    spread: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Trends(NamedTuple):
    """What trends say of the target's codes; no leaves at all where a bag has no trends."""

    lines: Lines
    weight: NDArray[np.float64]
    """(L,) share of the trend in what a leaf says."""
    rest: NDArray[np.float64]
    """(L,) probability of all codes on the scale together."""
    cumulative: NDArray[np.float64]
    """(L, N_RESIDUALS + 1) share of residuals below each bin."""
    edge: NDArray[np.float64]
    """(K + 1,) scores between the target's codes."""
    apart: NDArray[np.uint8]
    """(K,) 1 for codes that keep the table's share."""


@njit(cache=True, nogil=True)
def goes_left(trees, node, code):
    """Side of a split that a code belongs to."""
    if trees.set_start[node] < 0:
        return code <= trees.cut[node]
    return trees.left_levels[trees.set_start[node] + code] == 1


@njit(cache=True, nogil=True)
def share_of_left(left, right, count):
    """Share of each node's rows that go left, a half where there are none; ``count`` holds the leaves' rows.

    left, right (m,) INDEX, children after their parents | count (m,) REAL, filled in for inner nodes
    returns (m,) float32
    """
    share = np.full(left.size, 0.5, np.float32)
    for node in range(left.size - 1, -1, -1):
        if left[node] >= 0:
            count[node] = count[left[node]] + count[right[node]]
            if count[node] > 0.0:
                share[node] = count[left[node]] / count[node]
    return share


# What runs in the innermost loops takes plain arrays: handing over a tuple of arrays costs more than the work itself.


@njit(cache=True, nogil=True)
def centre(parents, score, coef, low, high, leaf, x, r, but):
    """Where a leaf's line puts a row, without the parent in place ``but``; an unknown parent is taken as usual."""
    p = parents.size
    total = coef[leaf, p]
    for j in range(p):
        if j != but:
            code = x[parents[j], r]
            scored = score[j, code] if code != UNKNOWN else 0.0
            total += coef[leaf, j] * min(max(scored, low[leaf, j]), high[leaf, j])
    return total


@njit(cache=True, nogil=True)
def below(cumulative, leaf, at):
    """Share of a leaf's residuals below a place, counted in bins from the first one on."""
    if at <= 0.0:
        return 0.0
    if at >= N_RESIDUALS:
        return 1.0
    b = int(at)
    return cumulative[leaf, b] + (at - b) * (cumulative[leaf, b + 1] - cumulative[leaf, b])


@njit(cache=True, nogil=True)
def on_line(cumulative, leaf, lower, upper, at, pace):
    """Share of the scores between two bounds, given where the line puts the row and how many bins a score spans."""
    return below(cumulative, leaf, (upper - at) * pace + MIDDLE) - below(cumulative, leaf, (lower - at) * pace + MIDDLE)


@njit(cache=True, nogil=True)
def leaves_of_rows(trees, x, leaves):
    """Leaf of every row in the first trees; all columns that the trees use are known.

    x (d, n) CODE | leaves (n, b) INDEX, written: as many trees as it has room for
    """
    for t in range(leaves.shape[1]):
        for r in range(x.shape[1]):
            node = trees.roots[t]
            while trees.left[node] >= 0:
                node = trees.left[node] if goes_left(trees, node, x[trees.feature[node], r]) else trees.right[node]
            leaves[r, t] = trees.leaf_of_node[node]


@njit(cache=True, nogil=True)
def add_leaf(
    parents, scores, coef, spreads, lows, highs, weights, rests, cumulative, edge, off_scale, table, leaf, x, r, row
):
    """Add to a row of codes how likely a leaf makes each of them."""
    shares = table[leaf]
    weight = weights[leaf] if weights.size > 0 else 0.0
    if weight == 0.0:
        for k in range(row.size):
            row[k] += shares[k]
        return
    for k in range(row.size):
        row[k] += (1.0 - weight) * shares[k]
    for k in off_scale:
        row[k] += weight * shares[k]
    at, pace = centre(parents, scores, coef, lows, highs, leaf, x, r, -1), PER_SPREAD / spreads[leaf]
    mass, reached = weight * rests[leaf], 0.0
    # Only codes within reach of the line; one apart has no width, and gets nothing here.
    k = np.searchsorted(edge, at - MIDDLE / pace, side="right") - 1
    while reached < 1.0:
        upper = below(cumulative, leaf, (edge[k + 1] - at) * pace + MIDDLE)
        row[k] += mass * (upper - reached)
        reached = upper
        k += 1


@njit(cache=True, nogil=True)
def mean_shares(trends, table, leaves, x, score):
    """How likely each code is in the mean over each row's leaves.

    table (L, K) float32 | leaves (n, b) INDEX | x (d, n) CODE | score (n, K) REAL, written
    """
    parents, scores, coef, spreads, lows, highs = trends.lines
    weights, rests, cumulative, edge = trends.weight, trends.rest, trends.cumulative, trends.edge
    off_scale = np.flatnonzero(trends.apart)
    for r in range(score.shape[0]):
        row = score[r]
        row[:] = 0.0
        for t in range(leaves.shape[1]):
            add_leaf(
                parents, scores, coef, spreads, lows, highs, weights, rests, cumulative, edge, off_scale, table,
                leaves[r, t], x, r, row,
            )  # fmt: skip
        for k in range(row.size):
            row[k] /= leaves.shape[1]


@njit(cache=True, nogil=True)
def entropies_of_rows(trends, table, leaves, x, total, by_leaf, overlap):
    """Entropy of each row's mean distribution and of each of its leaves', and how much of a leaf is its table's.

    table, leaves, x as for `mean_shares` | total (n,) REAL, written | by_leaf, overlap (n, b) REAL, written: overlap
    is the sum over codes of h² / p, where p is what a leaf says and h the part of it that comes from the table
    """
    parents, scores, coef, spreads, lows, highs = trends.lines
    weights, rests, cumulative, edge = trends.weight, trends.rest, trends.cumulative, trends.edge
    off_scale = np.flatnonzero(trends.apart)
    n_leaves = leaves.shape[1]
    row, mean = np.empty(table.shape[1], REAL), np.empty(table.shape[1], REAL)
    for r in range(total.size):
        mean[:] = 0.0
        for t in range(n_leaves):
            leaf = leaves[r, t]
            row[:] = 0.0
            add_leaf(
                parents, scores, coef, spreads, lows, highs, weights, rests, cumulative, edge, off_scale, table,
                leaf, x, r, row,
            )  # fmt: skip
            rest = 1.0 - weights[leaf] if weights.size > 0 else 1.0
            entropy, shared = 0.0, 0.0
            for k in range(row.size):
                p = row[k]
                if p > 0.0:
                    entropy -= p * np.log(p)
                    shared += (rest * table[leaf, k]) ** 2 / p
                    mean[k] += p / n_leaves
            by_leaf[r, t], overlap[r, t] = entropy, shared
        total[r] = 0.0
        for k in range(row.size):
            if mean[k] > 0.0:
                total[r] -= mean[k] * np.log(mean[k])


@njit(cache=True, nogil=True)
def shares_of_codes(trends, table, leaves, x, codes, out):
    """How likely each row's code is in each of its leaves.

    table (L, K) float32 | leaves (n, b) INDEX | x (d, n) CODE | codes (n,) CODE | out (n, b) REAL, written
    """
    parents, scores, coef, spreads, lows, highs = trends.lines
    weights, rests, cumulative, edge, apart = trends.weight, trends.rest, trends.cumulative, trends.edge, trends.apart
    for r in range(codes.size):
        code = codes[r]
        for t in range(leaves.shape[1]):
            leaf = leaves[r, t]
            share = float(table[leaf, code])
            weight = weights[leaf] if weights.size > 0 else 0.0
            if weight > 0.0 and apart[code] == 0:
                at = centre(parents, scores, coef, lows, highs, leaf, x, r, -1)
                along = on_line(cumulative, leaf, edge[code], edge[code + 1], at, PER_SPREAD / spreads[leaf])
                share = (1.0 - weight) * share + weight * rests[leaf] * along
            out[r, t] = share


@njit(cache=True, nogil=True)
def draw_on_lines(trends, cdf, leaf_of_row, x, target, u):
    """Draw the target's code of the rows that follow a trend, those with a leaf, and keep what is left of the uniform.

    cdf (L, K) float32: cumulative shares of the table | leaf_of_row (n,) INDEX, −1 for other rows
    x (d, n) CODE: row ``target`` is written | u (n,) REAL
    """
    parents, scores, coef, spreads, lows, highs = trends.lines
    cumulative, edge, off_scale = trends.cumulative, trends.edge, trends.apart
    apart = np.flatnonzero(off_scale)
    for r in range(leaf_of_row.size):
        leaf = leaf_of_row[r]
        if leaf < 0:
            continue
        share, rest, code = u[r], 1.0, -1
        for k in apart:
            mass = float(cdf[leaf, k]) - (float(cdf[leaf, k - 1]) if k > 0 else 0.0)
            if share < mass:
                code = k
                u[r] = share / mass
                break
            share -= mass
            rest -= mass
        if code < 0:
            share = min(max(share / rest, 0.0), 1.0) if rest > 0.0 else 0.5
            at, spread = centre(parents, scores, coef, lows, highs, leaf, x, r, -1), spreads[leaf]
            b = min(np.searchsorted(cumulative[leaf], share, side="right") - 1, N_RESIDUALS - 1)
            mass = cumulative[leaf, b + 1] - cumulative[leaf, b]
            along = (share - cumulative[leaf, b]) / mass if mass > 0.0 else 0.5
            z = at + spread * ((b + along) / PER_SPREAD - REACH)
            code = np.searchsorted(edge, z, side="right") - 1
            while off_scale[code] == 1:  # beyond the last code on the scale
                code -= 1
            start = below(cumulative, leaf, (edge[code] - at) * PER_SPREAD / spread + MIDDLE)
            mass = below(cumulative, leaf, (edge[code + 1] - at) * PER_SPREAD / spread + MIDDLE) - start
            u[r] = min(max((share - start) / mass, 0.0), 1.0) if mass > 0.0 else 0.5
        x[target, r] = code


@njit(cache=True, nogil=True)
def centres_of_rows(lines, leaf_of_row, x, out):
    """Where on the scale the line of its leaf expects each row.

    leaf_of_row (n,) INDEX | x (d, n) CODE | out (n,) REAL, written
    """
    parents, scores, coef, _, lows, highs = lines
    for r in range(out.size):
        out[r] = centre(parents, scores, coef, lows, highs, leaf_of_row[r], x, r, -1)


@njit(cache=True, nogil=True)
def left_out_shares(trends, alone, leaf_of_row, codes, residual, z, out):
    """How likely the trends make each row's code among those on the scale, the row itself left out.

    alone (L, N_RESIDUALS) float32: shares of the residuals, left out | leaf_of_row (n,) INDEX | codes (n,) CODE
    residual (n,) REAL, as seen by a line without the row | z (n,) REAL | out (n,) REAL, written
    """
    cumulative, edge, spreads = trends.cumulative, trends.edge, trends.lines.spread
    for r in range(out.size):
        leaf, code, pace = leaf_of_row[r], codes[r], PER_SPREAD / spreads[leaf_of_row[r]]
        place = residual[r] * PER_SPREAD + MIDDLE  # in bins
        low, high = place + (edge[code] - z[r]) * pace, place + (edge[code + 1] - z[r]) * pace
        own = min(max(int(place), 0), N_RESIDUALS - 1)
        overlap = max(0.0, min(high, own + 1.0) - max(low, float(own)))
        others = below(cumulative, leaf, high) - below(cumulative, leaf, low)
        others -= overlap * (cumulative[leaf, own + 1] - cumulative[leaf, own])
        out[r] = max(others, 0.0) + overlap * alone[leaf, own]


@njit(cache=True, nogil=True)
def multiply_by_free(trees, trends, tree_of_row, table, column, x, free, ordered, score, log_scale):
    """Multiply each row's scores by the value of its tree as a function of the free column.

    A tree that never asks for the free column would multiply all its codes alike, and is left out. Scores that
    become tiny are scaled up again, so that long products do not underflow.

    tree_of_row (n,) INDEX | table (L, m) float32: a leaf's value is in column ``column[r]`` | column (n,) CODE
    x (d, n) CODE, the free column is not read | score (n, K), log_scale (n,) REAL, changed
    """
    n_codes = score.shape[1]
    depth_limit = trees.left.size + 2
    stack = np.empty((depth_limit, 3), INDEX)
    weight_of = np.empty(depth_limit, REAL)
    codes = np.empty(n_codes, INDEX)  # a permutation: the codes that reach a node stand side by side
    spare = np.empty(n_codes, INDEX)
    value = np.empty(n_codes, REAL)
    parents, scores, coef, spreads, lows, highs = trends.lines
    weights, rests, cumulative, edge, apart = trends.weight, trends.rest, trends.cumulative, trends.edge, trends.apart
    place = -1  # of the free column among the parents of the lines
    for j in range(parents.size):
        if parents[j] == free:
            place = j
    for r in range(score.shape[0]):
        if trees.uses[tree_of_row[r], free] == 0:
            continue
        if not ordered:
            for k in range(n_codes):
                codes[k] = k
        value[:] = 0.0
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.roots[tree_of_row[r]], 0, n_codes
        weight_of[0] = 1.0
        depth = 1
        while depth > 0:
            depth -= 1
            node, lo, hi, weight = stack[depth, 0], stack[depth, 1], stack[depth, 2], weight_of[depth]
            while trees.left[node] >= 0:  # go left at once, leave the right for later
                feature = trees.feature[node]
                middle = lo
                if feature == free:
                    if ordered:
                        middle = min(max(trees.cut[node] + 1, lo), hi)
                    else:
                        late = 0
                        for i in range(lo, hi):
                            if goes_left(trees, node, codes[i]):
                                codes[middle] = codes[i]
                                middle += 1
                            else:
                                spare[late] = codes[i]
                                late += 1
                        for i in range(late):
                            codes[middle + i] = spare[i]
                    if middle == hi:
                        node = trees.left[node]
                    elif middle == lo:
                        node = trees.right[node]
                    else:
                        stack[depth, 0], stack[depth, 1], stack[depth, 2] = trees.right[node], middle, hi
                        weight_of[depth] = weight
                        depth += 1
                        node, hi = trees.left[node], middle
                elif x[feature, r] == UNKNOWN:
                    share = trees.share_left[node]
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = trees.right[node], lo, hi
                    weight_of[depth] = weight * (1.0 - share)
                    depth += 1
                    node, weight = trees.left[node], weight * share
                else:
                    node = trees.left[node] if goes_left(trees, node, x[feature, r]) else trees.right[node]
            leaf = trees.leaf_of_node[node]
            own = column[r]
            gain = weight * table[leaf, own]
            share = weights[leaf] if weights.size > 0 else 0.0
            slope = 0.0
            if share > 0.0 and apart[own] == 0:
                mass, pace = weight * share * rests[leaf], PER_SPREAD / spreads[leaf]
                gain *= 1.0 - share
                at = centre(parents, scores, coef, lows, highs, leaf, x, r, place)
                slope = coef[leaf, place] if place >= 0 else 0.0
                if slope == 0.0:
                    gain += mass * on_line(cumulative, leaf, edge[own], edge[own + 1], at, pace)
            if ordered:
                for k in range(lo, hi):
                    value[k] += gain
            else:
                for i in range(lo, hi):
                    value[codes[i]] += gain
            if slope != 0.0:
                low, high, lower, upper = lows[leaf, place], highs[leaf, place], edge[own], edge[own + 1]
                for i in range(lo, hi):
                    k = i if ordered else codes[i]
                    if score[r, k] > 0.0:
                        moved = at + slope * min(max(scores[place, k], low), high)
                        value[k] += mass * on_line(cumulative, leaf, lower, upper, moved, pace)
        most = 0.0
        for k in range(n_codes):
            score[r, k] *= value[k]
            most = max(most, score[r, k])
        if 0.0 < most < 1e-30:
            log_scale[r] += np.log(most)
            for k in range(n_codes):
                score[r, k] /= most


@njit(cache=True, nogil=True)
def values_of_rows(trees, table, x, out):
    """Value of each row in the first tree, columns that are not drawn yet averaged.

    table (L, 1) float32 | x (d, n) CODE | out (n,) REAL, written
    """
    stack = np.empty(trees.left.size + 2, INDEX)
    weights = np.empty(trees.left.size + 2, REAL)
    for r in range(out.size):
        stack[0], weights[0] = trees.roots[0], 1.0
        depth, total = 1, 0.0
        while depth > 0:
            depth -= 1
            node, weight = stack[depth], weights[depth]
            while trees.left[node] >= 0:
                code = x[trees.feature[node], r]
                if code == UNKNOWN:
                    share = trees.share_left[node]
                    stack[depth], weights[depth] = trees.right[node], weight * (1.0 - share)
                    depth += 1
                    node, weight = trees.left[node], weight * share
                else:
                    node = trees.left[node] if goes_left(trees, node, code) else trees.right[node]
            total += weight * table[trees.leaf_of_node[node], 0]
        out[r] = total
