"""Reference for the kernels of local evidence: one row, one tree and one column at a time, without shortcuts."""

from __future__ import annotations

import numpy as np
from scipy.special import psi

from janus_synth.kernels.dtypes import N_RESIDUALS, REACH
from reference.walking import BINS, place

UNSEEN = 700.0


def has_code(evidence, node, j, code):
    """Whether a node has rows with a code."""
    return bool(int(evidence.occupied[node, j, code // 64]) >> (code % 64) & 1)


def path_to_leaf(trees, t, row):
    """Nodes from the root of a tree to the leaf of a row of codes."""
    path = [int(trees.roots[t])]
    while trees.left[path[-1]] >= 0:
        node = path[-1]
        code = int(row[trees.feature[node]])
        if trees.set_start[node] < 0:
            goes_left = code <= trees.cut[node]
        else:
            goes_left = trees.left_levels[trees.set_start[node] + code] == 1
        path.append(int(trees.left[node] if goes_left else trees.right[node]))
    return path


def distance(evidence, node, leaf, row, value, off):
    """Sum over columns: spreads beyond what chance explains, and nats for levels."""
    spreads = nats = 0.0
    for j, column in enumerate(evidence.columns):
        if not evidence.uses[leaf, j]:
            continue
        code, n_bins = int(row[column]), int(evidence.n_bins[j])
        if code < n_bins:
            ends = [(evidence.low[j, k], evidence.high[j, k]) for k in range(n_bins) if has_code(evidence, node, j, k)]
            nearest = min((max(low - value[j], value[j] - high, 0.0) for low, high in ends), default=np.inf)
            if has_code(evidence, node, j, code):
                nearest = 0.0
            spreads += min(max(nearest, off[j]) * evidence.per_spread[node, j], UNSEEN)
        elif off[j] > 0:
            nats += UNSEEN
        elif not has_code(evidence, node, j, code):
            rows = evidence.rows[node]
            nats += min(rows * evidence.rate[j, code], np.log(1 + rows))
    return max(spreads - evidence.slack[node] * evidence.allowance[leaf], 0.0) + nats


def support_of_rows(trees, evidence, x, value, off, cells, noise):
    """Leaves, support in each, and what nodes above add to the mean distribution and expected entropy."""
    n, n_trees = x.shape[1], len(trees.roots)
    leaves, support = np.empty((n, n_trees), int), np.empty((n, n_trees))
    mean, expected = np.zeros((n, cells.shape[1])), np.zeros(n)
    for r in range(n):
        for t in range(n_trees):
            path = path_to_leaf(trees, t, x[:, r])
            leaf = leaves[r, t] = trees.leaf_of_node[path[-1]]
            kept, above = 1.0, path[0]
            for node in path:
                now = min(kept, np.exp(-distance(evidence, node, leaf, x[:, r], value[:, r], off[:, r])))
                mean[r] += (kept - now) / n_trees * cells[above]
                expected[r] += (kept - now) / n_trees * noise[above]
                kept, above = now, node
            support[r, t] = kept
    return leaves, support, mean, expected


def add_mixtures(mixture, leaves, support, centre, leverage, width, log_variance):
    """Mean distribution and expected entropy of leaves with trends."""
    n, n_trees = leaves.shape
    mean, expected = np.zeros((n, mixture.hist.shape[1])), np.zeros(n)
    for r in range(n):
        for t in range(n_trees):
            leaf = leaves[r, t]
            w, share = mixture.weight[leaf], support[r, t] / n_trees
            z = (mixture.edge - centre[r, t]) / (mixture.spread[leaf] * width[r])
            places, tiny = place(z, mixture.bend), 1e-6
            below = np.interp(places, BINS, mixture.cumulative[leaf])
            near = np.clip(z, -REACH + tiny, REACH - tiny)
            per_spread = (place(near + tiny, mixture.bend) - place(near - tiny, mixture.bend)) / (2 * tiny)
            in_bin = np.diff(mixture.cumulative[leaf])[np.clip(places, 0, N_RESIDUALS - 1).astype(int)]
            at = np.where(np.abs(z) < REACH, in_bin * per_spread, 0.0)
            h = (1 - w) * mixture.hist[leaf]
            p = h + w * (mixture.rest[leaf] * np.diff(below) + mixture.apart[leaf])
            here = p > 0
            entropy = -(p[here] * np.log(p[here])).sum()
            shared = (h[here] ** 2 / p[here]).sum()
            fisher = ((w * mixture.rest[leaf] * np.diff(at)[here]) ** 2 / p[here]).sum()
            stretch = at * np.where(at > 0, z, 0.0)  # minus the derivative of a share below an edge by the log spread
            fisher_log = ((w * mixture.rest[leaf] * np.diff(stretch)[here]) ** 2 / p[here]).sum()
            counts, apart, rows = mixture.gain[leaf]
            g = np.diff(below)
            g = g[g > 0]
            residuals = (g * (psi(rows * g + 1) - np.log(rows * g))).sum() - (psi(rows + 1) - np.log(rows))
            known = shared * counts
            known += np.clip(2 * w - 1 + shared, 0, 1) * (apart + mixture.rest[leaf] * max(residuals, 0.0))
            known += 0.5 * np.log1p(leverage[r, t] * fisher) + 0.5 * np.log1p(log_variance[r] * fisher_log)
            mean[r] += share * p
            expected[r] += share * max(entropy - known, 0.0)
    return mean, expected
