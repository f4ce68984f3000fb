"""Fit trends to the nodes of a tree: codes and scores of rows in, a line and its spread per node out.

A trend says  z = b + Σ_j β_j x_j + s · r  of the target's score z, the parents' scores x, and a residual r.
Every node's coefficients lean on those of the node above it (ridge), and so does its spread.
"""

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, log, sqrt

from janus_synth.kernels.dtypes import INDEX, REAL

CLOSE = 1e-3
"""Variance of residuals below which a root needs no further pass; a smaller ridge would let sums cancel."""


def lay_rows(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    leaf_of_node: cython.const[cython.int][::1],
    leaf_of_row: cython.const[cython.int][::1],
):
    """Order rows so that those of a node stand side by side; returns the order and where each node's rows begin, end.

    left, right, leaf_of_node (m,) INDEX: one tree, leaves numbered from 0 | leaf_of_row (n,) INDEX
    returns order (n,), start, stop (m,) INDEX
    """
    m: cython.Py_ssize_t = left.shape[0]
    n: cython.Py_ssize_t = leaf_of_row.shape[0]
    orders, starts, stops = np.empty(n, INDEX), np.empty(m, INDEX), np.empty(m, INDEX)
    order: cython.int[::1] = orders
    start: cython.int[::1] = starts
    stop: cython.int[::1] = stops
    count: cython.int[::1] = np.zeros(m + 1, INDEX)
    place: cython.int[::1] = np.empty(m, INDEX)
    stack: cython.int[::1] = np.empty(m + 1, INDEX)
    depth: cython.Py_ssize_t = 1
    at: cython.int = 0
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            count[leaf_of_row[i]] += 1
        stack[0] = 0
        while depth > 0:
            depth -= 1
            node = stack[depth]
            start[node] = at
            if left[node] >= 0:
                stack[depth], stack[depth + 1] = right[node], left[node]
                depth += 2
            else:
                place[leaf_of_node[node]] = at
                at += count[leaf_of_node[node]]
                stop[node] = at
        for node in range(m - 1, -1, -1):
            if left[node] >= 0:
                stop[node] = stop[right[node]]
        for i in range(n):
            order[place[leaf_of_row[i]]] = cython.cast(cython.int, i)
            place[leaf_of_row[i]] += 1
    return orders, starts, stops


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def solve(matrix: cython.double[:, ::1], right: cython.double[::1]) -> cython.void:
    """Solve a positive definite system in place (Cholesky); the solution is written over ``right``.

    matrix (p, p) REAL, lower half read, overwritten | right (p,) REAL
    """
    p: cython.Py_ssize_t = right.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    total: cython.double
    for i in range(p):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = sqrt(total) if i == j else total / matrix[j, j]
    for i in range(p):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(p - 1, -1, -1):
        for k in range(i + 1, p):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sum_inverse_squares(factor: cython.const[cython.double][:, ::1], column: cython.double[::1]) -> cython.double:
    """`trace_of_inverse` with work space ``column`` (p,) REAL."""
    p: cython.Py_ssize_t = factor.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    value: cython.double
    total: cython.double = 0.0
    for j in range(p):
        for i in range(j, p):
            value = 1.0 if i == j else 0.0
            for k in range(j, i):
                value -= factor[i, k] * column[k]
            column[i] = value / factor[i, i]
            total += column[i] * column[i]
    return total


def trace_of_inverse(factor: cython.const[cython.double][:, ::1]):
    """Trace of the inverse of a matrix whose Cholesky factor is given: the squares of the factor's inverse.

    factor (p, p) REAL, lower half read
    """
    return sum_inverse_squares(factor, np.empty(factor.shape[0], REAL))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_row_moments(
    rows: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, ::1],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    z: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    gram: cython.double[:, ::1],
    cross: cython.double[::1],
    low: cython.double[::1],
    high: cython.double[::1],
    work: cython.double[::1],
) -> cython.void:
    """`add_moments` of rows with a weight (N,) REAL each, 1 if there are none; work space of `moment_space` numbers.

    With u = (scores, 1, z), times the root of the row's weight, all sums are cells of Σ u uᵀ. Four rows are added at a
    time, the last ones filled up with zeros: a cell is then read and written once for four products, which are added in
    the order of the rows.
    """
    p: cython.Py_ssize_t = parents.shape[0]
    n: cython.Py_ssize_t = rows.shape[0]
    width: cython.Py_ssize_t = p + 3  # cells go in pairs
    total: cython.p_double = cython.address(work[0])
    u: cython.p_double = total + width * width
    t: cython.p_double = u + width
    v: cython.p_double = t + width
    w: cython.p_double = v + width
    cell: cython.p_double
    first: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    r: cython.Py_ssize_t
    one: cython.double
    other: cython.double
    for j in range(p):
        for k in range(j + 1):
            total[j * width + k] = gram[j, k]
        total[j * width + j + 1] = 0.0  # the other half of a pair
        total[p * width + j], total[(p + 1) * width + j] = gram[p, j], cross[j]
    total[p * width + p + 1] = total[(p + 1) * width + p + 2] = 0.0
    total[p * width + p], total[(p + 1) * width + p], total[(p + 1) * width + p + 1] = (
        gram[p, p],
        cross[p],
        cross[p + 1],
    )
    for first in range(0, n, 4):
        for r in range(4):
            cell = u + r * width
            if first + r >= n:
                for j in range(width):
                    cell[j] = 0.0
                continue
            i = rows[first + r]
            for j in range(p):
                cell[j] = score[j, x[parents[j], i]]
                low[j], high[j] = min(low[j], cell[j]), max(high[j], cell[j])
            cell[p], cell[p + 1], cell[p + 2] = 1.0, z[i], 0.0
            if weight.shape[0] > 0:
                one = sqrt(weight[i])
                for j in range(p + 2):
                    cell[j] *= one
        for j in range(p + 2):
            cell = total + j * width
            for k in range(0, j + 1, 2):
                one, other = cell[k] + u[j] * u[k], cell[k + 1] + u[j] * u[k + 1]
                one, other = one + t[j] * t[k], other + t[j] * t[k + 1]
                one, other = one + v[j] * v[k], other + v[j] * v[k + 1]
                cell[k], cell[k + 1] = one + w[j] * w[k], other + w[j] * w[k + 1]
    for j in range(p):
        for k in range(j + 1):
            gram[j, k] = total[j * width + k]
        gram[p, j], cross[j] = total[p * width + j], total[(p + 1) * width + j]
    gram[p, p], cross[p], cross[p + 1] = (
        total[p * width + p],
        total[(p + 1) * width + p],
        total[(p + 1) * width + p + 1],
    )


def moment_space(p: cython.Py_ssize_t) -> int:
    """Numbers of work space that `add_row_moments` needs for so many parents."""
    return (p + 3) * (p + 7)


def add_moments(
    rows: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, ::1],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    z: cython.const[cython.double][::1],
    gram: cython.double[:, ::1],
    cross: cython.double[::1],
    low: cython.double[::1],
    high: cython.double[::1],
) -> None:
    """Add Σ v vᵀ (lower half) and Σ v z over rows, v = (scores, 1), the last of ``cross`` Σ z²; widen the ranges.

    rows (n,) INDEX | x (d, N) CODE | parents (p,) INDEX | score (p, K) REAL | z (N,) REAL
    gram (p+1, p+1), cross (p+2,), low, high (p,) REAL
    """
    work: cython.double[::1] = np.empty(moment_space(parents.shape[0]), REAL)
    add_row_moments(rows, x, parents, score, z, np.empty(0, REAL), gram, cross, low, high, work)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather_moments(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    order: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    stop: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, ::1],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    z: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    gram: cython.double[:, :, ::1],
    cross: cython.double[:, ::1],
    low: cython.double[:, ::1],
    high: cython.double[:, ::1],
    work: cython.double[::1],
) -> cython.void:
    """Moments and ranges of all nodes: leaves add up their rows, inner nodes their children.

    gram (m, p+1, p+1), cross (m, p+2), low, high (m, p) REAL, written | the others as in `fit_lines`
    """
    p: cython.Py_ssize_t = parents.shape[0]
    node: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] < 0:
            for j in range(p):
                low[node, j], high[node, j] = INFINITY, -INFINITY
            for j in range(p + 1):
                for k in range(j + 1):
                    gram[node, j, k] = 0.0
            for j in range(p + 2):
                cross[node, j] = 0.0
            add_row_moments(
                order[start[node] : stop[node]],
                x,
                parents,
                score,
                z,
                weight,
                gram[node],
                cross[node],
                low[node],
                high[node],
                work,
            )
        else:
            one, other = left[node], right[node]
            for j in range(p + 1):
                for k in range(j + 1):
                    gram[node, j, k] = gram[one, j, k] + gram[other, j, k]
            for j in range(p + 2):
                cross[node, j] = cross[one, j] + cross[other, j]
            for j in range(p):
                low[node, j] = min(low[one, j], low[other, j])
                high[node, j] = max(high[one, j], high[other, j])


def fit_lines(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    order: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    stop: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, ::1],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    z: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    ridge: cython.double,
    lean: cython.double,
    passes: cython.int,
    coef: cython.double[:, ::1],
    spread: cython.double[::1],
    freedom: cython.double[::1],
    low: cython.double[:, ::1],
    high: cython.double[:, ::1],
) -> None:
    """Fit a line to every node of a tree: coefficients differ from those of the node above by about 1 / √``ridge``.

    By Bayes' rule that is a ridge of ``ridge`` times the residuals' variance, for which the node above stands: noisy
    lines lean more. A spread leans on that of the node above by ``lean`` rows. The root's line leans on 0, with
    ``lean`` for the ridge, and its spread on 1; each further pass over the root takes the spread of the pass before for
    that of a node above, unless its variance is below `CLOSE`. Squares of residuals count by the weights of their rows.

    left, right, start, stop (m,), order (n,) INDEX, as from `lay_rows` | x, parents, score, z as in `add_moments`
    weight (N,) REAL, or none: 1 for every row
    coef (m, p+1), spread, freedom (m,), low, high (m, p) REAL, written: freedom is how many parameters the rows decide
    """
    m: cython.Py_ssize_t = left.shape[0]
    p: cython.Py_ssize_t = parents.shape[0]
    gram: cython.double[:, :, ::1] = np.empty((m, p + 1, p + 1), REAL)
    cross: cython.double[:, ::1] = np.empty((m, p + 2), REAL)
    above: cython.int[::1] = np.full(m, -1, INDEX)
    matrix: cython.double[:, ::1] = np.empty((p + 1, p + 1), REAL)
    work: cython.double[::1] = np.empty(moment_space(p), REAL)
    node: cython.Py_ssize_t
    up: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    variance: cython.double
    pull: cython.double
    passes_left: cython.int
    close: cython.double = CLOSE
    squares: cython.double
    with cython.nogil:
        gather_moments(left, right, order, start, stop, x, parents, score, z, weight, gram, cross, low, high, work)
        for node in range(m):
            if left[node] >= 0:
                above[left[node]] = above[right[node]] = cython.cast(cython.int, node)
        for node in range(m):
            variance, pull, up, passes_left = 1.0, lean, above[node], passes if node == 0 else 1
            if node > 0:
                variance = spread[up] * spread[up]
                pull = ridge * variance
            for j in range(p + 1):
                coef[node, j] = 0.0 if node == 0 else coef[up, j]
            spread[node], freedom[node] = sqrt(variance), 0.0
            n = stop[node] - start[node]
            if n == 0:
                for j in range(p):
                    low[node, j], high[node, j] = low[up, j], high[up, j]
                continue
            while passes_left > 0:
                passes_left -= 1
                for j in range(p + 1):
                    for k in range(j + 1):
                        matrix[j, k] = gram[node, j, k]
                    matrix[j, j] += pull
                    coef[node, j] = cross[node, j] + (pull * coef[up, j] if node > 0 else 0.0)
                solve(matrix, coef[node])
                freedom[node] = p + 1 - pull * sum_inverse_squares(matrix, work)
                squares = cross[node, p + 1]
                for j in range(p + 1):
                    squares -= 2.0 * coef[node, j] * cross[node, j]
                    for k in range(p + 1):
                        squares += coef[node, j] * coef[node, k] * gram[node, max(j, k), min(j, k)]
                variance = (max(squares, 0.0) + lean * variance) / (max(n - freedom[node], 0.0) + lean)
                if variance < close:
                    break
                pull = lean * variance
            spread[node] = sqrt(variance)


def choose_lines(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    order: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    stop: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, ::1],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    z: cython.const[cython.double][::1],
    judged,
    coef: cython.const[cython.double][:, ::1],
    spread: cython.const[cython.double][::1],
    freedom: cython.const[cython.double][::1],
    low: cython.const[cython.double][:, ::1],
    high: cython.const[cython.double][:, ::1],
    price: cython.double,
    heavy: cython.bint,
    line: cython.int[::1],
) -> None:
    """Write for every node whose line it uses: its own, or that of an ancestor which predicts rows better.

    Bottom up, a node's line beats those below it if judged rows are likelier by it, each row left out; two lines in the
    place of one pay ``price`` in log likelihood. Residuals are taken as normal, with ``heavy`` tails as Cauchy.

    judged (N,) bool | coef, spread, freedom, low, high as `fit_lines` wrote them | line (m,) INDEX, written
    """
    m: cython.Py_ssize_t = left.shape[0]
    p: cython.Py_ssize_t = parents.shape[0]
    n_rows: cython.Py_ssize_t = order.shape[0]
    is_judged: cython.const[cython.uchar][::1] = judged.view(np.uint8)
    # Judged rows in the order of the nodes, side by side in memory: every node on the way to a leaf reads them again.
    n_judged: cython.Py_ssize_t = np.count_nonzero(judged[np.asarray(order)])
    values: cython.double[:, ::1] = np.empty((n_judged, p + 1), REAL)
    before: cython.int[::1] = np.zeros(n_rows + 1, INDEX)
    own: cython.double[::1] = np.zeros(m, REAL)
    best: cython.double[::1] = np.zeros(m, REAL)
    node: cython.Py_ssize_t
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t
    kept: cython.double
    total: cython.double
    lost: cython.double
    below: cython.double
    with cython.nogil:
        n = 0
        for at in range(n_rows):
            i = order[at]
            if is_judged[i]:
                for j in range(p):
                    values[n, j] = score[j, x[parents[j], i]]
                values[n, p] = z[i]
                n += 1
            before[at + 1] = cython.cast(cython.int, n)
        for node in range(m - 1, -1, -1):
            n = stop[node] - start[node]
            kept = (1.0 - min(freedom[node] / max(n, 1), 0.9)) * spread[node]
            lost = 0.0
            for i in range(before[start[node]], before[stop[node]]):
                total = values[i, p] - coef[node, p]
                for j in range(p):
                    total -= coef[node, j] * min(max(values[i, j], low[node, j]), high[node, j])
                lost += log(1.0 + (total / kept) * (total / kept)) if heavy else total * total
            n = before[stop[node]] - before[start[node]]
            own[node] = -(n * log(spread[node]) + (lost if heavy else 0.5 * lost / (kept * kept)))
            below = best[left[node]] + best[right[node]] - price if left[node] >= 0 else -INFINITY
            line[node] = cython.cast(cython.int, node) if own[node] >= below else -1
            best[node] = max(own[node], below)
        for node in range(m):  # the highest node that beats those below it speaks for them
            if left[node] >= 0 and line[node] >= 0:
                line[left[node]] = line[right[node]] = line[node]


def weigh_predictions(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    leaf_of_node: cython.const[cython.int][::1],
    leaf_of_row: cython.const[cython.int][::1],
    first: cython.const[cython.double][::1],
    second: cython.const[cython.double][::1],
    strength: cython.double,
    at_root: cython.double,
    rounds: cython.int,
    weight: cython.double[::1],
) -> None:
    """Write per leaf the weight of the second of two predictions in the mixture that suits the rows best.

    Expectation and maximisation from a half each, the weight of every node leaning on that of the node above by
    ``strength`` rows, that of the root on a half by ``at_root`` rows. After few ``rounds`` weights lean on the half by
    more.

    left, right, leaf_of_node (m,) INDEX: one tree | leaf_of_row (n,) INDEX | first, second (n,) REAL: probabilities
    weight (L,) REAL, written
    """
    m: cython.Py_ssize_t = left.shape[0]
    n_leaves: cython.Py_ssize_t = weight.shape[0]
    mix: cython.double[::1] = np.full(m, 0.5, REAL)
    taken: cython.double[::1] = np.empty(n_leaves, REAL)
    rows: cython.double[::1] = np.empty(n_leaves, REAL)
    node_taken: cython.double[::1] = np.empty(m, REAL)
    node_rows: cython.double[::1] = np.empty(m, REAL)
    i: cython.Py_ssize_t
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    side: cython.int
    ours: cython.double
    whole: cython.double
    with cython.nogil:
        for leaf in range(n_leaves):
            weight[leaf] = 0.5
        for _ in range(rounds):
            for leaf in range(n_leaves):
                taken[leaf], rows[leaf] = 0.0, 0.0
            for i in range(leaf_of_row.shape[0]):
                leaf = leaf_of_row[i]
                ours = weight[leaf] * second[i]
                whole = ours + (1.0 - weight[leaf]) * first[i]
                rows[leaf] += 1.0
                taken[leaf] += ours / whole if whole > 0.0 else weight[leaf]
            for node in range(m - 1, -1, -1):
                if left[node] < 0:
                    node_taken[node], node_rows[node] = taken[leaf_of_node[node]], rows[leaf_of_node[node]]
                else:
                    node_taken[node] = node_taken[left[node]] + node_taken[right[node]]
                    node_rows[node] = node_rows[left[node]] + node_rows[right[node]]
            mix[0] = (node_taken[0] + 0.5 * at_root) / (node_rows[0] + at_root)
            for node in range(m):
                if left[node] >= 0:
                    for side in range(2):
                        child = left[node] if side == 0 else right[node]
                        mix[child] = (node_taken[child] + strength * mix[node]) / (node_rows[child] + strength)
                else:
                    weight[leaf_of_node[node]] = mix[node]
