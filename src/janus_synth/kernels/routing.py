"""Send rows down trees: codes in, leaves out."""

from numba import njit


@njit(cache=True, nogil=True)
def leaf_of_row(x, root, feature, cut, left, right, set_start, left_levels, out):
    """Write into ``out`` the node (a leaf) that each row reaches from ``root``.

    x (d, n) CODE | feature, cut, left, right, set_start (m,) INDEX | left_levels (q,) uint8 | out (n,) INDEX
    """
    for i in range(x.shape[1]):
        node = root
        while left[node] >= 0:  # a leaf has left == -1
            code = x[feature[node], i]
            goes_left = code <= cut[node] if set_start[node] < 0 else left_levels[set_start[node] + code] == 1
            node = left[node] if goes_left else right[node]
        out[i] = node
