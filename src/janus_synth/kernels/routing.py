"""Send rows down trees: codes in, leaves out."""

import cython


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
    """Write into ``out`` the node (a leaf) that each row reaches from ``root``.

    x (d, n) CODE | feature, cut, left, right, set_start (m,) INDEX | left_levels (q,) uint8 | out (n,) INDEX
    """
    i: cython.Py_ssize_t
    node: cython.int
    code: cython.int
    goes_left: cython.bint
    with cython.nogil:
        for i in range(x.shape[1]):
            node = root
            while left[node] >= 0:  # a leaf has left == -1
                code = x[feature[node], i]
                goes_left = code <= cut[node] if set_start[node] < 0 else left_levels[set_start[node] + code] == 1
                node = left[node] if goes_left else right[node]
            out[i] = node
