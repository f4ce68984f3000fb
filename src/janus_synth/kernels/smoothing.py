"""Turn counts in leaves into distributions that lean on the nodes above."""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import REAL


@njit(cache=True, nogil=True)
def leaning(count, rows, strength, share, left_out):
    """Share of ``count`` among ``rows`` that leans on another; with ``left_out`` 1, as one of the counted sees it."""
    if rows <= 0.0:
        return share
    if count <= 0.0:
        left_out = 0.0
    return (count - left_out + strength * share) / (rows - left_out + strength)


@njit(cache=True, nogil=True)
def digamma(x):
    """ψ(x) for x > 0, to about 1e-12: up to where the asymptotic series is short, then by it."""
    shift = 0.0
    while x < 8.0:
        shift -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))
    return shift + np.log(x) - 0.5 / x - series


@njit(cache=True, nogil=True)
def mean_surprise(alpha, total):
    """Mean of −p log p where p is one share of a Dirichlet: its parameter, and the sum of all."""
    return alpha / total * (digamma(total + 1.0) - digamma(alpha + 1.0)) if alpha > 0.0 else 0.0


@njit(cache=True, nogil=True)
def shrink_down(
    left, right, start, code, count, leaf_of_node, path_start, path_slot, slot_up, strength, first, floor, hierarchical,
    left_out, out, noise,
):  # fmt: skip
    """Write each leaf's distribution over codes: the posterior mean of a hierarchical Dirichlet tree.

    At every slot of the code tree a node takes the share  (count[child] + c · r) / (count[slot] + c)  where r is
    the share that the node above it has, c = ``strength``; the root leans on r = ``floor``, the prior's own share,
    by c = ``first``. Without ``hierarchical`` every node leans on ``floor``. Counts of inner nodes are sums over
    their leaves. With ``left_out`` 1 a code's share is the one that the other rows give it: what the leaf would
    have said of one of its rows had it not been there.

    Where ``noise`` has room it receives the mean entropy of each leaf's distribution under its posterior. A split's
    shares are Dirichlet with α = count + c · r and A = Σ α, independent of the splits above it, so that the entropy's
    chain rule holds for the means too:  Σ over slots  P(slot above) · (α / A) (ψ(A + 1) − ψ(α + 1)).

    left, right, leaf_of_node (m,) INDEX: one tree, children after parents, leaf_of_node -1 for inner nodes
    start, code INDEX, count COUNT: counts of all leaves in compressed rows
    path_start (K+1,), path_slot, slot_up (s,) INDEX | strength, first, floor (s,) REAL per slot | left_out: 0 or 1
    out (L, K) float32 | noise (L,) REAL or empty
    """
    n_nodes = left.size
    n_slots = slot_up.size
    n_codes = path_start.size - 1
    total = np.zeros((n_nodes, n_slots), REAL)
    for node in range(n_nodes - 1, -1, -1):
        if left[node] < 0:
            leaf = leaf_of_node[node]
            for at in range(start[leaf], start[leaf + 1]):
                total[node, 0] += count[at]
                for step in range(path_start[code[at]], path_start[code[at] + 1]):
                    total[node, path_slot[step]] += count[at]
        else:
            for s in range(n_slots):
                total[node, s] = total[left[node], s] + total[right[node], s]
    spread = np.zeros((n_nodes if noise.size > 0 else 0, n_slots), REAL)  # of a leaf's slots, each in its split
    # From here on `total` is overwritten, top down, by shares.
    for s in range(n_slots - 1, 0, -1):
        if noise.size > 0 and left[0] < 0:
            spread[0, s] = mean_surprise(total[0, s] + first[s] * floor[s], total[0, slot_up[s]] + first[s])
        total[0, s] = leaning(total[0, s], total[0, slot_up[s]], first[s], floor[s], left_out)
    for node in range(n_nodes):
        if left[node] >= 0:
            for child in (left[node], right[node]):
                for s in range(n_slots - 1, 0, -1):
                    share, rows = total[node, s] if hierarchical else floor[s], total[child, slot_up[s]]
                    if noise.size > 0 and left[child] < 0:
                        spread[child, s] = mean_surprise(total[child, s] + strength[s] * share, rows + strength[s])
                    total[child, s] = leaning(total[child, s], rows, strength[s], share, left_out)
        else:
            leaf = leaf_of_node[node]
            total[node, 0] = 1.0
            if noise.size > 0:
                noise[leaf] = 0.0
            for s in range(1, n_slots):  # shares of the split above become shares of the whole
                if noise.size > 0:
                    noise[leaf] += total[node, slot_up[s]] * spread[node, s]
                total[node, s] *= total[node, slot_up[s]]
            for k in range(n_codes):
                out[leaf, k] = total[node, path_slot[path_start[k + 1] - 1]]


@njit(cache=True, nogil=True)
def cumulate(shares, out):
    """Write the cumulative shares of every row, exactly 1 from its last positive share on.

    shares, out (L, K) float32
    """
    n_rows, n_codes = shares.shape
    for row in range(n_rows):
        total = 0.0
        last = 0
        for k in range(n_codes):
            total += shares[row, k]
            if shares[row, k] > 0.0:
                last = k
        below = 0.0
        for k in range(n_codes):
            below += shares[row, k]
            out[row, k] = below / total if k < last else 1.0
