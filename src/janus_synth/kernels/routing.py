"""Send rows down trees: codes in; leaves, or rows in the order of their leaves, out."""

import cython
import numpy as np
from cython.cimports.libc.string import memcpy

from janus_synth.kernels.dtypes import INDEX

_BELOW_ONE = cython.declare(cython.float, 1.0 - 2.0**-24)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def send_down(
    x: cython.const[cython.ushort][:, ::1],
    root: cython.int,
    first: cython.int,
    last: cython.int,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    name: cython.const[cython.int][::1],
    rows: cython.int[::1],
    spare: cython.int[::1],
    stack: cython.int[:, ::1],
    out: cython.int[::1],
) -> cython.void:
    """Order the rows from ``first`` to before ``last`` by the leaf that they reach, and write its name for each.

    Rows go down a tree together, split by split, as they did when it grew: twice as fast as one by one, because no
    branch has to be guessed.

    x (d, N) CODE | feature, cut, left, right, set_start, name (m,) INDEX | left_levels (q,) uint8
    rows, out (n,) INDEX | spare (≥ last − first,), stack (m+1, 3) INDEX: work space
    """
    row_at: cython.pointer[cython.int] = cython.address(rows[0])
    spare_at: cython.pointer[cython.int] = cython.address(spare[0])
    parent: cython.pointer[cython.const[cython.ushort]]
    levels: cython.pointer[cython.const[cython.uchar]]
    r: cython.Py_ssize_t
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    late: cython.Py_ssize_t
    depth: cython.Py_ssize_t = 1
    node: cython.int
    row: cython.int
    bound: cython.int
    stack[0, 0], stack[0, 1], stack[0, 2] = root, first, last
    while depth > 0:
        depth -= 1
        node, lo, hi = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if lo == hi:
            continue
        if left[node] < 0:
            for r in range(lo, hi):
                out[r] = name[node]
            continue
        parent = cython.address(x[feature[node], 0])
        late = 0  # rows that go to the right, put aside until the others are in place
        if set_start[node] < 0:
            bound = cut[node]
            for r in range(lo, hi):
                row = row_at[r]
                row_at[r - late] = row
                spare_at[late] = row
                late += parent[row] > bound
        else:
            levels = cython.address(left_levels[set_start[node]])
            for r in range(lo, hi):
                row = row_at[r]
                row_at[r - late] = row
                spare_at[late] = row
                late += levels[parent[row]] == 0
        memcpy(row_at + (hi - late), spare_at, late * cython.sizeof(cython.int))
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = left[node], lo, hi - late
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = right[node], hi - late, hi
        depth += 2


def leaf_of_row(
    x: cython.const[cython.ushort][:, ::1],
    root: cython.int,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    out: cython.int[::1],
) -> None:
    """Write into ``out`` the node (a leaf) that each row reaches from ``root``; rows that have one already keep it.

    x (d, n) CODE | feature, cut, left, right, set_start (m,) INDEX | left_levels (q,) uint8
    out (n,) INDEX: known nodes, −1 for others
    """
    n_rows: cython.Py_ssize_t = np.count_nonzero(np.asarray(out) < 0)
    if n_rows == 0:
        return
    rows: cython.int[::1] = np.empty(n_rows, INDEX)
    spare: cython.int[::1] = np.empty(n_rows, INDEX)
    node_at: cython.int[::1] = np.empty(n_rows, INDEX)
    itself: cython.int[::1] = np.arange(left.shape[0], dtype=INDEX)
    stack: cython.int[:, ::1] = np.empty((left.shape[0] + 1, 3), INDEX)
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(out.shape[0]):
            if out[i] < 0:
                rows[n] = cython.cast(cython.int, i)
                n += 1
        send_down(
            x, root, 0, cython.cast(cython.int, n), feature, cut, left, right, set_start, left_levels, itself, rows,
            spare, stack, node_at,
        )  # fmt: skip
        for i in range(n):
            out[rows[i]] = node_at[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def group_by_tree(
    u: cython.const[cython.double][::1],
    start: cython.int[::1],
    place: cython.int[::1],
    rows: cython.int[::1],
    share: cython.float[::1],
) -> cython.void:
    """Order rows by the tree that their uniform picks; ``start`` receives where each tree's rows begin.

    u (n,) REAL | rows (n,) INDEX | start, place (b+1,) INDEX, start all zero, place work space
    share (n,) float32, written: what is left of each uniform
    """
    n_trees: cython.Py_ssize_t = start.shape[0] - 1
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    for i in range(u.shape[0]):
        start[min(cython.cast(cython.Py_ssize_t, u[i] * n_trees), n_trees - 1) + 1] += 1
    for t in range(n_trees):
        start[t + 1] += start[t]
    for t in range(n_trees + 1):
        place[t] = start[t]
    for i in range(u.shape[0]):
        scaled: cython.double = u[i] * n_trees
        t = min(cython.cast(cython.Py_ssize_t, scaled), n_trees - 1)
        share[i] = min(cython.cast(cython.float, scaled - t), _BELOW_ONE)
        rows[place[t]] = cython.cast(cython.int, i)
        place[t] += 1


def rows_of_leaves(
    x: cython.const[cython.ushort][:, ::1],
    root: cython.int,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    leaf_of_node: cython.const[cython.int][::1],
    rows: cython.int[::1],
    begin: cython.int[::1],
    end: cython.int[::1],
) -> None:
    """Order all rows by the leaf that they reach from ``root``; a leaf's rows are those from its begin to its end.

    x (d, n) CODE | feature, cut, left, right, set_start, leaf_of_node (m,) INDEX | left_levels uint8
    rows (n,) INDEX, written | begin, end (leaves,) INDEX, zero, written for leaves that rows reach
    """
    n: cython.Py_ssize_t = rows.shape[0]
    if n == 0:
        return
    spare: cython.int[::1] = np.empty(n, INDEX)
    leaf_of: cython.int[::1] = np.empty(n, INDEX)
    stack: cython.int[:, ::1] = np.empty((left.shape[0] + 1, 3), INDEX)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            rows[i] = cython.cast(cython.int, i)
        send_down(
            x, root, 0, cython.cast(cython.int, n), feature, cut, left, right, set_start, left_levels, leaf_of_node,
            rows, spare, stack, leaf_of,
        )  # fmt: skip
        for i in range(n):
            if i == 0 or leaf_of[i] != leaf_of[i - 1]:
                begin[leaf_of[i]] = cython.cast(cython.int, i)
            end[leaf_of[i]] = cython.cast(cython.int, i + 1)


def order_by_leaf(
    x: cython.const[cython.ushort][:, ::1],
    u: cython.const[cython.double][::1],
    roots: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    leaf_of_node: cython.const[cython.int][::1],
    rows: cython.int[::1],
    leaf_of: cython.int[::1],
    share: cython.float[::1],
) -> None:
    """Order rows by the leaf that they reach in the tree that their uniform picks.

    x (d, n) CODE | u (n,) REAL | roots (b,), feature, cut, left, right, set_start, leaf_of_node (m,) INDEX
    left_levels uint8 | rows, leaf_of (n,) INDEX, written | share (n,) float32, written: what is left of each uniform
    """
    if rows.shape[0] == 0:
        return
    n_trees: cython.Py_ssize_t = roots.shape[0]
    start: cython.int[::1] = np.zeros(n_trees + 1, INDEX)
    place: cython.int[::1] = np.empty(n_trees + 1, INDEX)
    spare: cython.int[::1] = np.empty(rows.shape[0], INDEX)
    stack: cython.int[:, ::1] = np.empty((left.shape[0] + 1, 3), INDEX)
    t: cython.Py_ssize_t
    with cython.nogil:
        group_by_tree(u, start, place, rows, share)
        for t in range(n_trees):
            send_down(
                x, roots[t], start[t], start[t + 1], feature, cut, left, right, set_start, left_levels, leaf_of_node,
                rows, spare, stack, leaf_of,
            )  # fmt: skip
