"""Count what rows bring to leaves, as sparse rows: leaf by leaf, only what occurs."""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import COUNT, INDEX


@njit(cache=True, nogil=True)
def count_by_leaf(x, columns, offsets, width, leaf_of_row, n_leaves):
    """Count, for each leaf, how often each (column, code) key occurs among its rows.

    A key is ``offsets[c] + code``. The result is a sparse matrix (leaves × keys) in compressed rows; the keys of
    a leaf stand in ascending order.

    x (d, n) CODE | columns, offsets (c,) INDEX | leaf_of_row (n,) INDEX
    returns start (n_leaves+1,) INDEX, key INDEX, count COUNT
    """
    n = leaf_of_row.size
    first = np.zeros(n_leaves + 1, INDEX)
    for i in range(n):
        first[leaf_of_row[i] + 1] += 1
    for leaf in range(n_leaves):
        first[leaf + 1] += first[leaf]
    rows = np.empty(n, INDEX)
    place = first[:-1].copy()
    for i in range(n):
        rows[place[leaf_of_row[i]]] = i
        place[leaf_of_row[i]] += 1

    seen = np.zeros(width, COUNT)
    start = np.zeros(n_leaves + 1, INDEX)
    key = np.empty(max(16, 2 * n), INDEX)
    count = np.empty(max(16, 2 * n), COUNT)
    used = 0
    for leaf in range(n_leaves):
        begin = used
        for c in range(columns.size):
            if used + first[leaf + 1] - first[leaf] > key.size:
                longer = np.empty(2 * key.size + n, INDEX)
                longer[:used] = key[:used]
                key = longer
                longer_count = np.empty(key.size, COUNT)
                longer_count[:used] = count[:used]
                count = longer_count
            block = used
            for at in range(first[leaf], first[leaf + 1]):
                k = offsets[c] + x[columns[c], rows[at]]
                if seen[k] == 0:
                    key[used] = k
                    used += 1
                seen[k] += 1
            key[block:used].sort()
        for at in range(begin, used):
            count[at] = seen[key[at]]
            seen[key[at]] = 0
        start[leaf + 1] = used
    return start, key[:used].copy(), count[:used].copy()
