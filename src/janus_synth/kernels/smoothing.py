# distutils: extra_compile_args = -ftree-vectorize -fvect-cost-model=dynamic -fno-trapping-math
"""Turn counts in leaves into distributions that lean on the nodes above."""

import cython
import numpy as np
from cython.cimports.libc.math import log

from janus_synth.kernels.dtypes import COUNT, INDEX, REAL


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def leaning(
    count: cython.double, rows: cython.double, strength: cython.double, share: cython.double, left_out: cython.double
) -> cython.double:
    """Share of ``count`` among ``rows`` that leans on another; with ``left_out`` 1, as one of the counted sees it."""
    if rows <= 0.0:
        return share
    if count <= 0.0:
        left_out = 0.0
    return (count - left_out + strength * share) / (rows - left_out + strength)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def digamma(x: cython.double) -> cython.double:
    """ψ(x) for x > 0, to about 1e-12: up to where the asymptotic series is short, then by it."""
    shift: cython.double = 0.0
    y: cython.double
    series: cython.double
    while x < 8.0:
        shift -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (
        1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0 - y * 691.0 / 32760.0))))
    )
    return shift + log(x) - 0.5 / x - series


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mean_surprise(alpha: cython.double, total: cython.double) -> cython.double:
    """Mean of −p log p where p is one share of a Dirichlet: its parameter, and the sum of all."""
    return alpha / total * (digamma(total + 1.0) - digamma(alpha + 1.0)) if alpha > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lean_on(
    share: cython.pointer[cython.const[cython.double]],
    strength: cython.pointer[cython.const[cython.double]],
    left_out: cython.double,
    slot_up: cython.pointer[cython.const[cython.int]],
    n_slots: cython.Py_ssize_t,
    rows: cython.pointer[cython.double],
    own: cython.pointer[cython.double],
) -> cython.void:
    """Turn a node's counts into shares that lean on others, slot by slot: `leaning` without branches.

    own (s,) REAL: counts, overwritten by shares | rows (s,) REAL: work space | the others (s,)
    """
    s: cython.Py_ssize_t
    less: cython.double
    found: cython.double
    for s in range(1, n_slots):
        rows[s] = own[slot_up[s]]
    for s in range(1, n_slots):
        less = left_out if own[s] > 0.0 else 0.0
        found = (own[s] - less + strength[s] * share[s]) / (rows[s] - less + strength[s])
        own[s] = share[s] if rows[s] <= 0.0 else found


def shrink_down(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    code: cython.const[cython.int][::1],
    count: cython.const[cython.double][::1],
    leaf_of_node: cython.const[cython.int][::1],
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    strength: cython.const[cython.double][::1],
    first: cython.const[cython.double][::1],
    floor: cython.const[cython.double][::1],
    hierarchical: cython.bint,
    left_out: cython.double,
    out: cython.float[:, ::1],
    noise: cython.double[::1],
) -> None:
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
    start, code INDEX, count REAL: counts of all leaves in compressed rows
    path_start (K+1,), path_slot, slot_up (s,) INDEX | strength, first, floor (s,) REAL per slot | left_out: 0 or 1
    out (L, K) float32 | noise (L,) REAL or empty
    """
    n_nodes: cython.Py_ssize_t = left.shape[0]
    n_slots: cython.Py_ssize_t = slot_up.shape[0]
    n_codes: cython.Py_ssize_t = path_start.shape[0] - 1
    noisy: cython.bint = noise.shape[0] > 0
    total: cython.double[:, ::1] = np.empty((n_nodes, n_slots), REAL)
    spread: cython.double[:, ::1] = np.zeros((n_nodes if noisy else 0, n_slots), REAL)  # of slots, each in its split
    above: cython.double[::1] = np.empty(n_slots, REAL)
    node: cython.Py_ssize_t
    child: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    at: cython.Py_ssize_t
    step: cython.Py_ssize_t
    s: cython.Py_ssize_t
    k: cython.Py_ssize_t
    side: cython.int
    share: cython.double
    rows: cython.double
    with cython.nogil:
        for node in range(n_nodes - 1, -1, -1):
            if left[node] < 0:
                leaf = leaf_of_node[node]
                for s in range(n_slots):
                    total[node, s] = 0.0
                for at in range(start[leaf], start[leaf + 1]):
                    total[node, 0] += count[at]
                    for step in range(path_start[code[at]], path_start[code[at] + 1]):
                        total[node, path_slot[step]] += count[at]
            else:
                for s in range(n_slots):
                    total[node, s] = total[left[node], s] + total[right[node], s]
        # From here on `total` is overwritten, top down, by shares.
        if noisy and left[0] < 0:
            for s in range(1, n_slots):
                spread[0, s] = mean_surprise(total[0, s] + first[s] * floor[s], total[0, slot_up[s]] + first[s])
        lean_on(
            cython.address(floor[0]), cython.address(first[0]), left_out, cython.address(slot_up[0]), n_slots,
            cython.address(above[0]), cython.address(total[0, 0]),
        )  # fmt: skip
        for node in range(n_nodes):
            if left[node] >= 0:
                for side in range(2):
                    child = left[node] if side == 0 else right[node]
                    if noisy and left[child] < 0:
                        for s in range(1, n_slots):
                            share = total[node, s] if hierarchical else floor[s]
                            rows = total[child, slot_up[s]] + strength[s]
                            spread[child, s] = mean_surprise(total[child, s] + strength[s] * share, rows)
                    lean_on(
                        cython.address(total[node, 0]) if hierarchical else cython.address(floor[0]),
                        cython.address(strength[0]), left_out, cython.address(slot_up[0]), n_slots,
                        cython.address(above[0]), cython.address(total[child, 0]),
                    )  # fmt: skip
            else:
                leaf = leaf_of_node[node]
                total[node, 0] = 1.0
                if noisy:
                    noise[leaf] = 0.0
                for s in range(1, n_slots):  # shares of the split above become shares of the whole
                    if noisy:
                        noise[leaf] += total[node, slot_up[s]] * spread[node, s]
                    total[node, s] *= total[node, slot_up[s]]
                for k in range(n_codes):
                    out[leaf, k] = cython.cast(cython.float, total[node, path_slot[path_start[k + 1] - 1]])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_codes(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    code: cython.const[cython.int][::1],
    count: cython.const[cython.int][::1],
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    total: cython.int[::1],
    sign: cython.int,
) -> cython.void:
    """Add a leaf's counts, from ``begin`` to before ``end``, to all slots above its codes, or take them off again."""
    at: cython.Py_ssize_t
    step: cython.Py_ssize_t
    for at in range(begin, end):
        total[0] += sign * count[at]
        for step in range(path_start[code[at]], path_start[code[at] + 1]):
            total[path_slot[step]] += sign * count[at]


def shrink_at(
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    start: cython.const[cython.int][::1],
    code: cython.const[cython.int][::1],
    count: cython.const[cython.int][::1],
    leaf_of_node: cython.const[cython.int][::1],
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    strength: cython.const[cython.double][::1],
    first: cython.const[cython.double][::1],
    floor: cython.const[cython.double][::1],
    hierarchical: cython.bint,
    left_out: cython.double,
    leaves: cython.const[cython.int][::1],
    codes: cython.const[cython.ushort][::1],
    out: cython.double[::1],
) -> None:
    """Write single shares of `shrink_down`: those of ``codes`` in ``leaves``, pair by pair.

    Few rows ask for few of a leaf's codes: a share is computed when a pair first needs it. Leaves come in the order of
    a walk through the tree, and shares are kept for the nodes on the way to the leaf, so that they stay in the cache.

    leaves (q,) INDEX | codes (q,) CODE | out (q,) REAL, written | count COUNT | the others as in `shrink_down`
    """
    n_nodes: cython.Py_ssize_t = left.shape[0]
    n_slots: cython.Py_ssize_t = slot_up.shape[0]
    is_inner = np.asarray(left) >= 0
    n_inner: cython.Py_ssize_t = np.count_nonzero(is_inner)
    # Counts of inner nodes, and of one leaf at a time in the last line.
    total: cython.int[:, ::1] = np.zeros((n_inner + 1, n_slots), COUNT)
    place: cython.int[::1] = np.where(is_inner, np.cumsum(is_inner) - 1, n_inner).astype(INDEX)
    above: cython.int[::1] = np.full(n_nodes, -1, INDEX)
    depth: cython.int[::1] = np.zeros(n_nodes, INDEX)
    way: cython.int[::1] = np.empty(n_nodes + 1, INDEX)
    share: cython.double[:, ::1]  # by depth, each in the split above it
    node_of_share: cython.int[:, ::1]
    first_pair: cython.int[::1] = np.zeros(start.shape[0] + 1, INDEX)
    pairs: cython.int[::1] = np.empty(out.shape[0], INDEX)
    node: cython.Py_ssize_t
    other: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    line: cython.Py_ssize_t
    q: cython.Py_ssize_t
    i: cython.Py_ssize_t
    step: cython.Py_ssize_t
    s: cython.Py_ssize_t
    n_waiting: cython.Py_ssize_t
    steps: cython.Py_ssize_t
    deepest: cython.int = 0
    weight: cython.double
    found: cython.double
    with cython.nogil:
        for node in range(n_nodes):
            if left[node] >= 0:
                above[left[node]] = above[right[node]] = cython.cast(cython.int, node)
                depth[left[node]] = depth[right[node]] = depth[node] + 1
                deepest = max(deepest, depth[node] + 1)
        for node in range(n_nodes - 1, 0, -1):
            line = place[above[node]]
            if left[node] < 0:
                leaf = leaf_of_node[node]
                add_codes(start[leaf], start[leaf + 1], code, count, path_start, path_slot, total[line], 1)
            else:
                for s in range(n_slots):
                    total[line, s] += total[place[node], s]
        for q in range(out.shape[0]):
            first_pair[leaves[q] + 2] += 1
        for leaf in range(2, first_pair.shape[0]):
            first_pair[leaf] += first_pair[leaf - 1]
        for q in range(out.shape[0]):
            pairs[first_pair[leaves[q] + 1]] = cython.cast(cython.int, q)
            first_pair[leaves[q] + 1] += 1
    share, node_of_share = np.empty((deepest + 1, n_slots), REAL), np.full((deepest + 1, n_slots), -1, INDEX)
    waiting: cython.int[::1] = np.zeros(deepest + 2, INDEX)
    with cython.nogil:
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if left[node] >= 0:
                waiting[n_waiting], waiting[n_waiting + 1] = right[node], left[node]
                n_waiting += 2
                continue
            leaf = leaf_of_node[node]
            if first_pair[leaf] == first_pair[leaf + 1]:
                continue
            add_codes(start[leaf], start[leaf + 1], code, count, path_start, path_slot, total[n_inner], 1)
            for i in range(first_pair[leaf], first_pair[leaf + 1]):
                q = pairs[i]
                out[q] = 1.0
                for step in range(path_start[codes[q]], path_start[codes[q] + 1]):
                    s, other, steps = path_slot[step], node, 0
                    while other >= 0 and node_of_share[depth[other], s] != other:
                        way[steps] = cython.cast(cython.int, other)
                        steps += 1
                        other = above[other] if hierarchical else -1
                    found = share[depth[other], s] if other >= 0 else floor[s]
                    while steps > 0:
                        steps -= 1
                        other = way[steps]
                        line, weight = place[other], first[s] if other == 0 else strength[s]
                        found = leaning(total[line, s], total[line, slot_up[s]], weight, found, left_out)
                        share[depth[other], s] = found
                        node_of_share[depth[other], s] = cython.cast(cython.int, other)
                    out[q] *= found
            add_codes(start[leaf], start[leaf + 1], code, count, path_start, path_slot, total[n_inner], -1)


def cumulate(shares: cython.const[cython.float][:, ::1], out: cython.float[:, ::1]) -> None:
    """Write the cumulative shares of every row, exactly 1 from its last positive share on.

    shares, out (L, K) float32
    """
    n_rows: cython.Py_ssize_t = shares.shape[0]
    n_codes: cython.Py_ssize_t = shares.shape[1]
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t
    total: cython.double
    below: cython.double
    with cython.nogil:
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
                out[row, k] = cython.cast(cython.float, below / total) if k < last else 1.0
