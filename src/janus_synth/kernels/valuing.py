"""Grow a value tree: how likely something is, as a function of codes; rows with a chance each in, splits out."""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import INDEX, REAL


@njit(cache=True, nogil=True)
def deviance_part(total, n):
    """Part of a node in the Poisson log likelihood of its rows' chances."""
    return total * np.log(total / n) if total > 0.0 else 0.0


@njit(cache=True, nogil=True)
def best_split(x, v, w, rows, lo, hi, features, n_codes, ordered, least, side):
    """Best split of the rows in a segment; returns (gain, feature, cut).

    ``side`` (K,) uint8 receives 1 for the levels that go left where the feature is unordered.
    """
    total_all, weight_all = 0.0, 0.0
    for at in range(lo, hi):
        total_all += w[rows[at]] * v[rows[at]]
        weight_all += w[rows[at]]
    whole = deviance_part(total_all, weight_all)
    best_gain, best_feature, best_cut = 0.0, -1, -1
    for f in range(features.size):
        feature = features[f]
        width = n_codes[feature]
        total, weight, count = np.zeros(width, REAL), np.zeros(width, REAL), np.zeros(width, INDEX)
        for at in range(lo, hi):
            k, row_weight = x[feature, rows[at]], w[rows[at]]
            total[k] += row_weight * v[rows[at]]
            weight[k] += row_weight
            count[k] += 1
        order = np.arange(width)
        if ordered[feature] == 0:
            order = np.argsort(total / np.maximum(weight, 1e-300), kind="mergesort")
        left_total, left_weight, left_n = 0.0, 0.0, 0
        for place in range(width - 1):
            k = order[place]
            left_total += total[k]
            left_weight += weight[k]
            left_n += count[k]
            if count[k] == 0 or left_n < least:
                continue
            if hi - lo - left_n < least:
                break
            gain = deviance_part(left_total, left_weight) - whole
            gain += deviance_part(max(total_all - left_total, 0.0), max(weight_all - left_weight, 1e-300))
            if gain > best_gain:
                best_gain, best_feature, best_cut = gain, feature, k
                if ordered[feature] == 0:
                    side[:] = 0
                    for early in range(place + 1):
                        side[order[early]] = 1
    return best_gain, best_feature, best_cut


@njit(cache=True, nogil=True)
def grow_values(x, v, w, features, n_codes, ordered, most_leaves, least, strength):
    """Grow a tree, best split first, by the Poisson likelihood of chances in [0, 1].

    A node's value leans on the one above by ``strength`` rows, so that no leaf says never.

    x (d, n) CODE | v, w (n,) REAL: chances, weights | features (f,) INDEX | n_codes, ordered (d,) INDEX
    returns feature, cut, left, right, set_start INDEX | left_levels uint8 | value, count REAL, per node
    """
    n, most_nodes, width = v.size, 2 * most_leaves - 1, n_codes.max()
    feature, cut = np.full(most_nodes, -1, INDEX), np.full(most_nodes, -1, INDEX)
    left, right = np.full(most_nodes, -1, INDEX), np.full(most_nodes, -1, INDEX)
    set_start = np.full(most_nodes, -1, INDEX)
    begin, end = np.zeros(most_nodes, INDEX), np.zeros(most_nodes, INDEX)
    gain = np.zeros(most_nodes, REAL)
    sides = np.zeros((most_nodes, width), np.uint8)
    value, count = np.zeros(most_nodes, REAL), np.zeros(most_nodes, REAL)
    rows, spare = np.arange(n).astype(INDEX), np.empty(n, INDEX)
    end[0], count[0] = n, w.sum()
    value[0] = (w * v).sum() / count[0]
    gain[0], feature[0], cut[0] = best_split(x, v, w, rows, 0, n, features, n_codes, ordered, least, sides[0])
    n_nodes = 1
    while n_nodes + 2 <= most_nodes:
        node = np.argmax(gain[:n_nodes])
        if gain[node] <= 1e-9:
            break
        at, late = begin[node], 0
        for i in range(begin[node], end[node]):
            k = x[feature[node], rows[i]]
            to_left = k <= cut[node] if ordered[feature[node]] == 1 else sides[node, k] == 1
            if to_left:
                rows[at] = rows[i]
                at += 1
            else:
                spare[late] = rows[i]
                late += 1
        for i in range(late):
            rows[at + i] = spare[i]
        gain[node] = 0.0
        if ordered[feature[node]] == 0:
            set_start[node] = node
        left[node], right[node] = n_nodes, n_nodes + 1
        begin[n_nodes], end[n_nodes], begin[n_nodes + 1], end[n_nodes + 1] = begin[node], at, at, end[node]
        for child in range(n_nodes, n_nodes + 2):
            lo, hi = begin[child], end[child]
            total = 0.0
            for i in range(lo, hi):
                total += w[rows[i]] * v[rows[i]]
                count[child] += w[rows[i]]
            lean = strength * count[child] / (hi - lo)
            value[child] = (total + lean * value[node]) / (count[child] + lean)
            if hi - lo >= 2 * least:
                gain[child], feature[child], cut[child] = best_split(
                    x, v, w, rows, lo, hi, features, n_codes, ordered, least, sides[child]
                )
        n_nodes += 2
    starts = np.full(n_nodes, -1, INDEX)
    levels = np.zeros(n_nodes * width, np.uint8)
    used = 0
    for node in range(n_nodes):
        if left[node] >= 0 and set_start[node] >= 0:
            starts[node] = used
            levels[used : used + width] = sides[node]
            used += width
    return (
        feature[:n_nodes].copy(), cut[:n_nodes].copy(), left[:n_nodes].copy(), right[:n_nodes].copy(), starts,
        levels[: max(used, 1)].copy(), value[:n_nodes].copy(), count[:n_nodes].copy(),
    )  # fmt: skip
