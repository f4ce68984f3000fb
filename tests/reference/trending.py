"""Reference for the trending kernels: least squares of one node at a time by NumPy's solvers."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.trending import CLOSE
from reference.smoothing import leaves_below


def rows_of(left, right, leaf_of_node, leaf_of_row, node):
    """Rows of a node, leaf by leaf from left to right."""
    leaves = leaves_below(left, right, leaf_of_node, node)
    return np.concatenate([np.flatnonzero(leaf_of_row == leaf) for leaf in leaves])


def lay_rows(left, right, leaf_of_node, leaf_of_row):
    """Rows in the order of the root's leaves, and where those of each node begin and end."""
    order = rows_of(left, right, leaf_of_node, leaf_of_row, 0)
    leaves = leaves_below(left, right, leaf_of_node, 0)
    start, stop = [], []
    for node in range(len(left)):
        before = leaves[: leaves.index(leaves_below(left, right, leaf_of_node, node)[0])]
        start.append(int(np.isin(leaf_of_row, before).sum()))
        stop.append(start[-1] + len(rows_of(left, right, leaf_of_node, leaf_of_row, node)))
    return order, np.array(start), np.array(stop)


def solve(matrix, right):
    """Solution of a symmetric system of which only the lower half counts."""
    lower = np.tril(matrix)
    return np.linalg.solve(lower + np.tril(lower, -1).T, right)


def points_of(rows, x, parents, score):
    """(rows, p + 1) scores of the parents, then 1."""
    return np.array([[*(score[j, x[parent, i]] for j, parent in enumerate(parents)), 1.0] for i in rows])


def add_moments(rows, x, parents, score, z):
    """Σ v vᵀ, then Σ v z and Σ z², then the least and the largest of each parent's scores."""
    v = points_of(rows, x, parents, score)
    scores = v[:, :-1]
    return v.T @ v, np.append(v.T @ z[rows], z[rows] @ z[rows]), scores.min(axis=0), scores.max(axis=0)


def fit_lines(left, right, leaf_of_node, leaf_of_row, x, parents, score, z, ridge, lean, weight=None, passes=1):
    """Coefficients, spread, freedom and ranges of every node.

    Least squares, by the weights of the rows if there are any,
    with ``ridge`` times the variance above (the root: ``lean``) further rows per coefficient that say
    what the node above says (the root: 0), and for the spread ``lean`` with a residual as large as the spread above
    (the root: 1). Of several ``passes`` over the root, each takes the spread of the one before for the spread above,
    and ``lean`` for the ridge, until its square is below `CLOSE`. A node without rows is like the node above it.
    """
    nodes, p = len(left), len(parents)
    coef, spread, freedom = np.zeros((nodes, p + 1)), np.ones(nodes), np.zeros(nodes)
    low, high = np.full((nodes, p), np.nan), np.full((nodes, p), np.nan)
    above = {int(child): node for node in range(nodes) if left[node] >= 0 for child in (left[node], right[node])}
    for node in range(nodes):
        prior, before = (coef[above[node]], spread[above[node]]) if node else (np.zeros(p + 1), 1.0)
        rows = rows_of(left, right, leaf_of_node, leaf_of_row, node)
        if not len(rows):
            coef[node], spread[node], low[node], high[node] = prior, before, low[above[node]], high[above[node]]
            continue
        v = points_of(rows, x, parents, score)
        w = np.ones(len(rows)) if weight is None else weight[rows]
        gram = v.T @ (w[:, None] * v)
        for _ in range(1 if node else passes):
            pull = (ridge if node else lean) * before**2
            with_prior = np.vstack([np.sqrt(w)[:, None] * v, np.sqrt(pull) * np.eye(p + 1)])
            coef[node] = np.linalg.lstsq(with_prior, np.concatenate([np.sqrt(w) * z[rows], np.sqrt(pull) * prior]))[0]
            freedom[node] = np.trace(np.linalg.solve(gram + pull * np.eye(p + 1), gram))  # of the hat matrix
            off = z[rows] - v @ coef[node]
            before = np.sqrt((off @ (w * off) + lean * before**2) / (max(0.0, len(rows) - freedom[node]) + lean))
            if before**2 < CLOSE:
                break
        spread[node] = before
        low[node], high[node] = v[:, :-1].min(axis=0), v[:, :-1].max(axis=0)
    return coef, spread, freedom, low, high


def choose_lines(left, right, leaf_of_node, leaf_of_row, x, parents, score, z, judged, lines, price=0.0, heavy=False):
    """Whose line each node is to use: the highest node whose own line suits its judged rows at least as well as all
    that could be chosen below it, less ``price`` for each two in the place of one; ``heavy`` tails are Cauchy's."""
    coef, spread, freedom, low, high = lines

    def own(node):
        rows = rows_of(left, right, leaf_of_node, leaf_of_row, node)
        if not len(rows):
            return 0.0
        scores = points_of(rows, x, parents, score)[:, :-1]
        off = z[rows] - np.clip(scores, low[node], high[node]) @ coef[node, :-1] - coef[node, -1]
        off = off / (1 - min(freedom[node] / max(1, len(rows)), 0.9)) / spread[node]
        lost = np.log1p(off**2) if heavy else off**2 / 2
        return np.sum((-np.log(spread[node]) - lost)[judged[rows]])

    def best(node):
        return own(node) if left[node] < 0 else max(own(node), best(left[node]) + best(right[node]) - price)

    line = np.full(len(left), -1)

    def visit(node, speaker):
        if speaker < 0 and (left[node] < 0 or own(node) >= best(left[node]) + best(right[node]) - price):
            speaker = node
        line[node] = speaker
        if left[node] >= 0:
            visit(left[node], speaker)
            visit(right[node], speaker)

    visit(0, -1)
    return line


def weigh_predictions(left, right, leaf_of_node, leaf_of_row, first, second, strength, at_root, rounds):
    """Weight of the second prediction in each leaf, by expectation and maximisation from a half each.

    The expected share of a node's rows that follow the second leans on the weight of the node above by ``strength``
    rows, at the root on a half by ``at_root`` rows.
    """
    weight = np.full(int(np.max(leaf_of_node)) + 1, 0.5)

    def visit(node, above, by):
        own = chance[rows_of(left, right, leaf_of_node, leaf_of_row, node)]
        mix = (own.sum() + by * above) / (len(own) + by)
        if left[node] < 0:
            weight[leaf_of_node[node]] = mix
            return
        for child in (left[node], right[node]):
            visit(child, mix, strength)

    for _ in range(rounds):
        chance = weight[leaf_of_row]  # that a row follows the second; as before where neither foretells it
        for i, w in enumerate(chance):
            if first[i] + second[i] > 0:
                chance[i] = w * second[i] / (w * second[i] + (1 - w) * first[i])
        visit(0, 0.5, at_root)
    return weight
