"""Check the arrays of a bag of trees: splits in, the first error in them out."""

import cython
import numpy as np


def find_problem(
    roots: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    leaf_of_node: cython.const[cython.int][::1],
) -> int:
    """The first thing that is wrong with the trees of a bag, or 0.

    1 a node has one child, 2 a child comes before its parent or lies outside its tree, 3 a node has no parent or two,
    4 a split has no column, 5 levels are out of range, 6 leaves are not numbered in order.

    roots (t,) INDEX, ascending from 0 | feature, left, right, set_start, leaf_of_node (m,) INDEX | left_levels uint8
    """
    n_nodes: cython.Py_ssize_t = left.shape[0]
    n_trees: cython.Py_ssize_t = roots.shape[0]
    is_child: cython.uchar[::1] = np.zeros(n_nodes, np.uint8)
    node: cython.Py_ssize_t
    tree: cython.Py_ssize_t
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    child: cython.int
    side: cython.int
    n_leaves: cython.int = 0
    first: cython.int = 0
    found: cython.uchar[::1] = np.zeros(7, np.uint8)
    with cython.nogil:
        for tree in range(n_trees):
            stop = roots[tree + 1] if tree + 1 < n_trees else n_nodes
            for node in range(roots[tree], stop):
                if left[node] < -1 or (left[node] >= 0) != (right[node] >= 0):
                    found[1] = 1
                elif left[node] < 0:
                    if leaf_of_node[node] != n_leaves:
                        found[6] = 1
                    n_leaves += 1
                else:
                    for side in range(2):
                        child = left[node] if side == 0 else right[node]
                        if child <= node or child >= stop:
                            found[2] = 1
                        else:
                            if is_child[child]:
                                found[3] = 1
                            is_child[child] = 1
                    if feature[node] < 0:
                        found[4] = 1
                    if leaf_of_node[node] != -1:
                        found[6] = 1
                if set_start[node] >= left_levels.shape[0]:
                    found[5] = 1
            for node in range(roots[tree], stop):
                if is_child[node] == (1 if node == roots[tree] else 0):
                    found[3] = 1
        for at in range(left_levels.shape[0]):
            if left_levels[at] > 1:
                found[5] = 1
        for at in range(1, 7):
            if found[at] and first == 0:
                first = cython.cast(cython.int, at)
    return first
