"""Grow a value tree: how likely something is, as a function of codes; rows with a chance each in, splits out."""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.sorting import argsort
from cython.cimports.libc.math import log

from janus_synth.kernels.dtypes import INDEX, REAL

NEXT_TO_NOTHING = cython.declare(cython.double, 1e-300)


@cython.cclass
class Work:
    """Space for the sums of a feature's codes."""

    total: cython.double[::1]
    weight: cython.double[::1]
    mean: cython.double[::1]
    count: cython.int[::1]
    order: cython.int[::1]
    spare: cython.int[::1]

    def __init__(self, width: cython.Py_ssize_t):
        self.total, self.weight, self.mean = np.empty(width, REAL), np.empty(width, REAL), np.empty(width, REAL)
        self.count, self.order, self.spare = np.empty(width, INDEX), np.empty(width, INDEX), np.empty(width, INDEX)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def deviance_part(total: cython.double, n: cython.double) -> cython.double:
    """Part of a node in the Poisson log likelihood of its rows' chances."""
    return total * log(total / n) if total > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sum_by_code(
    codes: cython.const[cython.ushort][::1],
    v: cython.const[cython.double][::1],
    w: cython.const[cython.double][::1],
    rows: cython.const[cython.int][::1],
    width: cython.Py_ssize_t,
    ordered: cython.bint,
    work: Work,
) -> cython.void:
    """Write each code's total chance, weight and count, and the codes' order: an unordered feature's by their mean.

    codes, v, w (n,) | rows (r,) INDEX
    """
    total: cython.double[::1] = work.total
    weight: cython.double[::1] = work.weight
    count: cython.int[::1] = work.count
    at: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for k in range(width):
        total[k], weight[k], count[k], work.order[k] = 0.0, 0.0, 0, cython.cast(cython.int, k)
    for at in range(rows.shape[0]):
        i = rows[at]
        k = codes[i]
        total[k] += w[i] * v[i]
        weight[k] += w[i]
        count[k] += 1
    if not ordered:
        for k in range(width):
            work.mean[k] = total[k] / max(weight[k], NEXT_TO_NOTHING)
        argsort(work.mean[:width], work.order, work.spare)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_split(
    x: cython.const[cython.ushort][:, ::1],
    v: cython.const[cython.double][::1],
    w: cython.const[cython.double][::1],
    rows: cython.const[cython.int][::1],
    features: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    ordered: cython.const[cython.int][::1],
    least: cython.Py_ssize_t,
    side: cython.uchar[::1],
    work: Work,
) -> tuple[cython.double, cython.int, cython.int]:
    """`best_split` of the given rows."""
    n: cython.Py_ssize_t = rows.shape[0]
    total_all: cython.double = 0.0
    weight_all: cython.double = 0.0
    best_gain: cython.double = 0.0
    best_feature: cython.int = -1
    best_cut: cython.int = -1
    whole: cython.double
    left_total: cython.double
    left_weight: cython.double
    gain: cython.double
    left_n: cython.Py_ssize_t
    at: cython.Py_ssize_t
    f: cython.Py_ssize_t
    place: cython.Py_ssize_t
    width: cython.Py_ssize_t
    feature: cython.int
    k: cython.int
    for at in range(n):
        total_all += w[rows[at]] * v[rows[at]]
        weight_all += w[rows[at]]
    whole = deviance_part(total_all, weight_all)
    for f in range(features.shape[0]):
        feature = features[f]
        width = n_codes[feature]
        sum_by_code(x[feature], v, w, rows, width, ordered[feature] != 0, work)
        left_total, left_weight, left_n = 0.0, 0.0, 0
        for place in range(width - 1):
            k = work.order[place]
            left_total += work.total[k]
            left_weight += work.weight[k]
            left_n += work.count[k]
            if work.count[k] == 0 or left_n < least:
                continue
            if n - left_n < least:
                break
            gain = deviance_part(left_total, left_weight) - whole
            gain += deviance_part(max(total_all - left_total, 0.0), max(weight_all - left_weight, NEXT_TO_NOTHING))
            if gain > best_gain:
                best_gain, best_feature, best_cut = gain, feature, k
                if ordered[feature] == 0:
                    for at in range(side.shape[0]):
                        side[at] = 0
                    for at in range(place + 1):
                        side[work.order[at]] = 1
    return best_gain, best_feature, best_cut


def best_split(
    x: cython.const[cython.ushort][:, ::1],
    v: cython.const[cython.double][::1],
    w: cython.const[cython.double][::1],
    rows: cython.const[cython.int][::1],
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    features: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    ordered: cython.const[cython.int][::1],
    least: cython.Py_ssize_t,
    side: cython.uchar[::1],
):
    """Best split of the rows in a segment; returns (gain, feature, cut).

    ``side`` (K,) uint8 receives 1 for the levels that go left where the feature is unordered.
    """
    work: Work = Work(max(n_codes))
    found: tuple[cython.double, cython.int, cython.int]
    with cython.nogil:
        found = find_split(x, v, w, rows[lo:hi], features, n_codes, ordered, least, side, work)
    return found


def grow_values(
    x: cython.const[cython.ushort][:, ::1],
    v: cython.const[cython.double][::1],
    w: cython.const[cython.double][::1],
    features: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    ordered: cython.const[cython.int][::1],
    most_leaves: cython.Py_ssize_t,
    least: cython.Py_ssize_t,
    strength: cython.double,
):
    """Grow a tree, best split first, by the Poisson likelihood of chances in [0, 1].

    A node's value leans on the one above by ``strength`` rows, so that no leaf says never.

    x (d, n) CODE | v, w (n,) REAL: chances, weights | features (f,) INDEX | n_codes, ordered (d,) INDEX
    returns feature, cut, left, right, set_start INDEX | left_levels uint8 | value, count REAL, per node
    """
    n: cython.Py_ssize_t = v.shape[0]
    most_nodes: cython.Py_ssize_t = 2 * most_leaves - 1
    width: cython.Py_ssize_t = max(n_codes)
    features_of, cuts = np.full(most_nodes, -1, INDEX), np.full(most_nodes, -1, INDEX)
    lefts, rights = np.full(most_nodes, -1, INDEX), np.full(most_nodes, -1, INDEX)
    values, counts = np.zeros(most_nodes, REAL), np.zeros(most_nodes, REAL)
    all_sides = np.zeros((most_nodes, width), np.uint8)
    feature: cython.int[::1] = features_of
    cut: cython.int[::1] = cuts
    left: cython.int[::1] = lefts
    right: cython.int[::1] = rights
    value: cython.double[::1] = values
    count: cython.double[::1] = counts
    sides: cython.uchar[:, ::1] = all_sides
    begin: cython.int[::1] = np.zeros(most_nodes, INDEX)
    end: cython.int[::1] = np.zeros(most_nodes, INDEX)
    gain: cython.double[::1] = np.zeros(most_nodes, REAL)
    rows: cython.int[::1] = np.arange(n, dtype=INDEX)
    spare: cython.int[::1] = np.empty(n, INDEX)
    work: Work = Work(width)
    n_nodes: cython.Py_ssize_t = 1
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    i: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    at: cython.Py_ssize_t
    late: cython.Py_ssize_t
    k: cython.int
    to_left: cython.bint
    total: cython.double = 0.0
    lean: cython.double
    with cython.nogil:
        for i in range(n):
            count[0] += w[i]
            total += w[i] * v[i]
        end[0] = cython.cast(cython.int, n)
        value[0] = total / count[0]
        gain[0], feature[0], cut[0] = find_split(x, v, w, rows, features, n_codes, ordered, least, sides[0], work)
        while n_nodes + 2 <= most_nodes:
            node = 0
            for i in range(1, n_nodes):
                if gain[i] > gain[node]:
                    node = i
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
            left[node], right[node] = cython.cast(cython.int, n_nodes), cython.cast(cython.int, n_nodes + 1)
            begin[n_nodes], end[n_nodes] = begin[node], cython.cast(cython.int, at)
            begin[n_nodes + 1], end[n_nodes + 1] = cython.cast(cython.int, at), end[node]
            for child in range(n_nodes, n_nodes + 2):
                lo, hi = begin[child], end[child]
                total = 0.0
                for i in range(lo, hi):
                    total += w[rows[i]] * v[rows[i]]
                    count[child] += w[rows[i]]
                lean = strength * count[child] / (hi - lo)
                value[child] = (total + lean * value[node]) / (count[child] + lean)
                if hi - lo >= 2 * least:
                    gain[child], feature[child], cut[child] = find_split(
                        x, v, w, rows[lo:hi], features, n_codes, ordered, least, sides[child], work
                    )
            n_nodes += 2
    starts = np.full(n_nodes, -1, INDEX)
    with_sets = [node for node in range(n_nodes) if left[node] >= 0 and ordered[feature[node]] == 0]
    starts[with_sets] = width * np.arange(len(with_sets), dtype=INDEX)
    levels = all_sides[with_sets].ravel() if with_sets else np.zeros(1, np.uint8)
    per_node = (array[:n_nodes].copy() for array in (features_of, cuts, lefts, rights, values, counts))
    features_of, cuts, lefts, rights, values, counts = per_node
    return features_of, cuts, lefts, rights, starts, levels, values, counts
