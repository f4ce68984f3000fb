"""Fit trends to the nodes of a tree: codes and scores of rows in, a line and its spread per node out.

A trend says  z = b + Σ_j β_j x_j + s · r  of the target's score z, the parents' scores x, and a residual r.
Every node's coefficients lean on those of the node above it (ridge), and so does its spread.
"""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import INDEX, REAL

ROUNDS = 10
"""Rounds of expectation and maximisation for the weights of two predictions."""


@njit(cache=True, nogil=True)
def lay_rows(left, right, leaf_of_node, leaf_of_row):
    """Order rows so that those of a node stand side by side; returns the order and where each node's rows begin, end.

    left, right, leaf_of_node (m,) INDEX: one tree, leaves numbered from 0 | leaf_of_row (n,) INDEX
    returns order (n,), start, stop (m,) INDEX
    """
    m, n = left.size, leaf_of_row.size
    count = np.zeros(m + 1, INDEX)
    for i in range(n):
        count[leaf_of_row[i]] += 1
    start, stop = np.empty(m, INDEX), np.empty(m, INDEX)
    place = np.empty(m, INDEX)
    stack = np.empty(m + 1, INDEX)
    stack[0], depth, at = 0, 1, 0
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
    order = np.empty(n, INDEX)
    for i in range(n):
        order[place[leaf_of_row[i]]] = i
        place[leaf_of_row[i]] += 1
    return order, start, stop


@njit(cache=True, nogil=True)
def solve(matrix, right):
    """Solve a positive definite system in place (Cholesky); the solution is written over ``right``.

    matrix (p, p) REAL, lower half read, overwritten | right (p,) REAL
    """
    p = right.size
    for i in range(p):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(total) if i == j else total / matrix[j, j]
    for i in range(p):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(p - 1, -1, -1):
        for k in range(i + 1, p):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@njit(cache=True, nogil=True)
def trace_of_inverse(factor):
    """Trace of the inverse of a matrix whose Cholesky factor is given: the squares of the factor's inverse.

    factor (p, p) REAL, lower half read
    """
    p = factor.shape[0]
    column = np.empty(p, REAL)
    total = 0.0
    for j in range(p):
        for i in range(j, p):
            value = 1.0 if i == j else 0.0
            for k in range(j, i):
                value -= factor[i, k] * column[k]
            column[i] = value / factor[i, i]
            total += column[i] ** 2
    return total


@njit(cache=True, nogil=True)
def add_moments(rows, x, parents, score, z, gram, cross, low, high):
    """Add Σ v vᵀ (lower half) and Σ v z over rows, v = (scores, 1), the last of ``cross`` Σ z²; widen the ranges.

    rows (n,) INDEX | x (d, N) CODE | parents (p,) INDEX | score (p, K) REAL | z (N,) REAL
    gram (p+1, p+1), cross (p+2,), low, high (p,) REAL
    """
    p = parents.size
    v = np.empty(p, REAL)
    for i in rows:
        for j in range(p):
            v[j] = score[j, x[parents[j], i]]
            low[j], high[j] = min(low[j], v[j]), max(high[j], v[j])
        for j in range(p):
            for k in range(j + 1):
                gram[j, k] += v[j] * v[k]
            gram[p, j] += v[j]
            cross[j] += v[j] * z[i]
        cross[p] += z[i]
        cross[p + 1] += z[i] * z[i]
    gram[p, p] += rows.size


@njit(cache=True, nogil=True)
def fit_lines(left, right, order, start, stop, x, parents, score, z, ridge, lean, coef, spread, freedom, low, high):
    """Fit a line to every node of a tree: coefficients differ from those of the node above by about 1 / √``ridge``.

    By Bayes' rule that is a ridge of ``ridge`` times the residuals' variance, for which the node above stands: noisy
    lines lean more. A spread leans on that of the node above by ``lean`` rows, and so does the root's line on none.

    left, right, start, stop (m,), order (n,) INDEX, as from `lay_rows` | x, parents, score, z as in `add_moments`
    coef (m, p+1), spread, freedom (m,), low, high (m, p) REAL, written: freedom is how many parameters the rows decide
    """
    m, p = left.size, parents.size
    gram = np.zeros((m, p + 1, p + 1), REAL)
    cross = np.zeros((m, p + 2), REAL)
    above = np.full(m, -1, INDEX)
    low[:], high[:] = np.inf, -np.inf
    for node in range(m - 1, -1, -1):
        if left[node] < 0:
            rows = order[start[node] : stop[node]]
            add_moments(rows, x, parents, score, z, gram[node], cross[node], low[node], high[node])
        else:
            for child in (left[node], right[node]):
                above[child] = node
                for j in range(p + 1):
                    for k in range(j + 1):
                        gram[node, j, k] += gram[child, j, k]
                for j in range(p + 2):
                    cross[node, j] += cross[child, j]
                for j in range(p):
                    low[node, j] = min(low[node, j], low[child, j])
                    high[node, j] = max(high[node, j], high[child, j])
    matrix = np.empty((p + 1, p + 1), REAL)
    for node in range(m):
        variance, pull = 1.0, lean
        coef[node] = 0.0
        if node > 0:
            coef[node] = coef[above[node]]
            variance = spread[above[node]] ** 2
            pull = ridge * variance
        spread[node], freedom[node] = np.sqrt(variance), 0.0
        n = stop[node] - start[node]
        if n == 0:
            low[node], high[node] = low[above[node]], high[above[node]]
            continue
        for j in range(p + 1):
            for k in range(j + 1):
                matrix[j, k] = gram[node, j, k]
            matrix[j, j] += pull
            coef[node, j] = cross[node, j] + pull * coef[node, j]
        solve(matrix, coef[node])
        freedom[node] = p + 1 - pull * trace_of_inverse(matrix)
        squares = cross[node, p + 1]
        for j in range(p + 1):
            squares -= 2.0 * coef[node, j] * cross[node, j]
            for k in range(p + 1):
                squares += coef[node, j] * coef[node, k] * gram[node, max(j, k), min(j, k)]
        spread[node] = np.sqrt((max(squares, 0.0) + lean * variance) / (max(n - freedom[node], 0.0) + lean))


@njit(cache=True, nogil=True)
def choose_lines(left, right, order, start, stop, x, parents, score, z, judged, coef, spread, freedom, low, high, line):
    """Write for every node whose line it is to use: its own, or that of a node above which foretells rows better.

    Bottom up, a node's line beats those below it if judged rows are likelier by it, taken as normal, each row left out.

    judged (N,) bool | coef, spread, freedom, low, high as `fit_lines` wrote them | line (m,) INDEX, written
    """
    m, p = left.size, parents.size
    own, best = np.zeros(m, REAL), np.zeros(m, REAL)
    for node in range(m - 1, -1, -1):
        n = stop[node] - start[node]
        kept = 1.0 - min(freedom[node] / max(n, 1), 0.9)
        for at in range(start[node], stop[node]):
            i = order[at]
            if judged[i]:
                total = coef[node, p]
                for j in range(p):
                    v = min(max(score[j, x[parents[j], i]], low[node, j]), high[node, j])
                    total += coef[node, j] * v
                off = (z[i] - total) / (kept * spread[node])
                own[node] -= np.log(spread[node]) + 0.5 * off * off
        below = best[left[node]] + best[right[node]] if left[node] >= 0 else -np.inf
        line[node] = node if own[node] >= below else -1
        best[node] = max(own[node], below)
    for node in range(m):  # the highest node that beats those below it speaks for them
        if left[node] >= 0:
            for child in (left[node], right[node]):
                if line[node] >= 0:
                    line[child] = line[node]


@njit(cache=True, nogil=True)
def weigh_predictions(left, right, leaf_of_node, leaf_of_row, first, second, strength, weight):
    """Write per leaf the weight of the second of two predictions in the mixture that suits the rows best.

    Expectation and maximisation, the weight of every node leaning on that of the node above by ``strength`` rows.

    left, right, leaf_of_node (m,) INDEX: one tree | leaf_of_row (n,) INDEX | first, second (n,) REAL: probabilities
    weight (L,) REAL, written
    """
    m = left.size
    mix = np.full(m, 0.5, REAL)
    weight[:] = 0.5
    taken = np.empty(weight.size, REAL)
    rows = np.empty(weight.size, REAL)
    node_taken, node_rows = np.empty(m, REAL), np.empty(m, REAL)
    for _ in range(ROUNDS):
        taken[:], rows[:] = 0.0, 0.0
        for i in range(leaf_of_row.size):
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
        mix[0] = (node_taken[0] + 0.5) / (node_rows[0] + 1.0)
        for node in range(m):
            if left[node] >= 0:
                for child in (left[node], right[node]):
                    mix[child] = (node_taken[child] + strength * mix[node]) / (node_rows[child] + strength)
            else:
                weight[leaf_of_node[node]] = mix[node]
