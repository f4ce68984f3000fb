"""Count what rows bring to leaves, as sparse rows: leaf by leaf, only what occurs."""

import cython
import numpy as np

from janus_synth.kernels.dtypes import COUNT, INDEX


def group_by_leaf(leaf_of_row: cython.const[cython.int][::1], first: cython.int[::1], rows: cython.int[::1]) -> None:
    """Order rows by leaf; ``first`` receives where each leaf's rows begin.

    leaf_of_row, rows (n,) INDEX | first (n_leaves+1,) INDEX, all zero
    """
    n: cython.Py_ssize_t = leaf_of_row.shape[0]
    n_leaves: cython.Py_ssize_t = first.shape[0] - 1
    i: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    before: cython.int = 0
    size: cython.int
    with cython.nogil:
        for i in range(n):
            first[leaf_of_row[i]] += 1
        for leaf in range(n_leaves):
            size = first[leaf]
            first[leaf] = before
            before += size
        for i in range(n):
            leaf = leaf_of_row[i]
            rows[first[leaf]] = cython.cast(cython.int, i)
            first[leaf] += 1
        for leaf in range(n_leaves, 0, -1):  # each has moved on to where the next one begins
            first[leaf] = first[leaf - 1]
        first[0] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_seen(
    key: cython.int[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t, seen: cython.const[cython.int][::1]
) -> cython.void:
    """Sort a stretch of different keys, exactly those of their range that have been seen.

    key (≥ end,) INDEX | seen (width,) COUNT: above 0 for these keys, and for no other between them
    """
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.int
    lowest: cython.int
    highest: cython.int
    n: cython.Py_ssize_t = end - begin
    if n < 2:
        return
    lowest, highest = key[begin], key[begin]
    for i in range(begin + 1, end):
        lowest, highest = min(lowest, key[i]), max(highest, key[i])
    if n * n < highest - lowest:  # insertion sort: few keys, a wide range
        for i in range(begin + 1, end):
            k, at = key[i], i
            while at > begin and key[at - 1] > k:
                key[at] = key[at - 1]
                at -= 1
            key[at] = k
        return
    at = begin
    for k in range(lowest, highest + 1):
        key[at] = k
        at += 1 if seen[k] > 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_leaves(
    x: cython.const[cython.ushort][:, ::1],
    columns: cython.const[cython.int][::1],
    offsets: cython.const[cython.int][::1],
    begin: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
    rows: cython.const[cython.int][::1],
    seen: cython.int[::1],
    start: cython.int[::1],
    key: cython.int[::1],
    count: cython.int[::1],
    leaf: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Count the rows of a leaf and of those after it; returns the leaf whose keys might not fit, or their number."""
    used: cython.Py_ssize_t = start[leaf]
    before: cython.Py_ssize_t
    block: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t
    k: cython.int
    codes: cython.pointer[cython.const[cython.ushort]]
    n_columns: cython.Py_ssize_t = columns.shape[0]
    while leaf < begin.shape[0]:
        if used + min((end[leaf] - begin[leaf]) * n_columns, seen.shape[0]) >= key.shape[0]:
            break
        before = used
        if begin[leaf] < end[leaf]:
            for c in range(n_columns):
                block = used
                codes = cython.address(x[columns[c], 0])
                for at in range(begin[leaf], end[leaf]):
                    k = offsets[c] + codes[rows[at]]
                    key[used] = k  # without a branch, which would be guessed wrong
                    used += 1 if seen[k] == 0 else 0
                    seen[k] += 1
                sort_seen(key, block, used, seen)
        for at in range(before, used):
            count[at] = seen[key[at]]
            seen[key[at]] = 0
        leaf += 1
        start[leaf] = cython.cast(cython.int, used)
    return leaf


def count_ordered(
    x: cython.const[cython.ushort][:, ::1],
    columns: cython.const[cython.int][::1],
    offsets: cython.const[cython.int][::1],
    width: cython.Py_ssize_t,
    rows: cython.const[cython.int][::1],
    begin: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
):
    """Count, for each leaf, how often each (column, code) key occurs among its rows.

    A key is ``offsets[c] + code``. The result is a sparse matrix (leaves × keys) in compressed rows; the keys of
    a leaf stand in ascending order.

    x (d, n) CODE | columns, offsets (c,) INDEX | rows (n,) INDEX: those of a leaf are from its begin to its end
    begin, end (n_leaves,) INDEX | returns start (n_leaves+1,) INDEX, key INDEX, count COUNT
    """
    n: cython.Py_ssize_t = rows.shape[0]
    n_leaves: cython.Py_ssize_t = begin.shape[0]
    seen: cython.int[::1] = np.zeros(width, COUNT)
    starts = np.zeros(n_leaves + 1, INDEX)
    start: cython.int[::1] = starts
    keys, counts = np.empty(max(16, 2 * n), INDEX), np.empty(max(16, 2 * n), COUNT)
    key: cython.int[::1] = keys
    count: cython.int[::1] = counts
    leaf: cython.Py_ssize_t = 0
    used: cython.Py_ssize_t
    with cython.nogil:
        leaf = count_leaves(x, columns, offsets, begin, end, rows, seen, start, key, count, 0)
    while leaf < n_leaves:
        used = start[leaf]
        longer = np.empty(2 * len(keys) + n + width, INDEX), np.empty(2 * len(keys) + n + width, COUNT)
        longer[0][:used], longer[1][:used] = keys[:used], counts[:used]
        keys, counts = longer
        key, count = keys, counts
        with cython.nogil:
            leaf = count_leaves(x, columns, offsets, begin, end, rows, seen, start, key, count, leaf)
    used = start[n_leaves]
    return starts, keys[:used].copy(), counts[:used].copy()


def add_sparse(
    start: cython.const[cython.int][::1],
    key: cython.const[cython.int][::1],
    count: cython.const[cython.int][::1],
    other_start: cython.const[cython.int][::1],
    other_key: cython.const[cython.int][::1],
    other_count: cython.const[cython.int][::1],
):
    """Sum of two sparse matrices in compressed rows, in arrays that are no longer than it needs.

    start, other_start (n+1,) INDEX | key, other_key INDEX: ascending in each row | count, other_count COUNT: their sums
    fit | returns start (n+1,) INDEX, key INDEX, count COUNT
    """
    n_rows: cython.Py_ssize_t = start.shape[0] - 1
    starts = np.zeros(n_rows + 1, INDEX)
    total: cython.int[::1] = starts
    i: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    used: cython.Py_ssize_t = 0
    takes_a: cython.bint
    takes_b: cython.bint
    with cython.nogil:
        for i in range(n_rows):
            a, b = start[i], other_start[i]
            while a < start[i + 1] and b < other_start[i + 1]:
                takes_a, takes_b = key[a] <= other_key[b], other_key[b] <= key[a]
                a += takes_a
                b += takes_b
                used += 1
            used += (start[i + 1] - a) + (other_start[i + 1] - b)
            total[i + 1] = cython.cast(cython.int, used)
    keys, counts = np.empty(used, INDEX), np.empty(used, COUNT)
    if used == 0:
        return starts, keys, counts
    key_out: cython.int[::1] = keys
    count_out: cython.int[::1] = counts
    with cython.nogil:
        used = 0
        for i in range(n_rows):
            a, b = start[i], other_start[i]
            while a < start[i + 1] and b < other_start[i + 1]:
                takes_a, takes_b = key[a] <= other_key[b], other_key[b] <= key[a]
                key_out[used] = min(key[a], other_key[b])
                count_out[used] = count[a] * takes_a + other_count[b] * takes_b  # no branch to guess
                a += takes_a
                b += takes_b
                used += 1
            while a < start[i + 1]:
                key_out[used], count_out[used] = key[a], count[a]
                a += 1
                used += 1
            while b < other_start[i + 1]:
                key_out[used], count_out[used] = other_key[b], other_count[b]
                b += 1
                used += 1
    return starts, keys, counts
