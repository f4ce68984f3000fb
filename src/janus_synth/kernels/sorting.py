"""Stable sorting: keys in, the order of their places out."""

import cython

RUN = cython.declare(cython.Py_ssize_t, 16)  # places sorted by insertion before runs are merged


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def argsort(key: cython.const[cython.double][::1], order: cython.int[::1], spare: cython.int[::1]) -> cython.void:
    """Write into ``order`` the places of the keys in ascending order; equal keys keep their order (merge sort).

    key (n,) REAL, no NaN | order (≥ n,) INDEX | spare (≥ n,) INDEX: work space
    """
    n: cython.Py_ssize_t = key.shape[0]
    width: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    end: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    begin = 0
    while begin < n:
        for i in range(begin, min(begin + RUN, n)):
            at = i
            while at > begin and key[order[at - 1]] > key[i]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = cython.cast(cython.int, i)
        begin += RUN
    width = RUN
    while width < n:
        begin = 0
        while begin + width < n:
            middle, end = begin + width, min(begin + 2 * width, n)
            for i in range(begin, middle):
                spare[i] = order[i]
            i, j, at = begin, middle, begin
            while i < middle:  # what is left of the second run stands where it belongs
                if j < end and key[order[j]] < key[spare[i]]:
                    order[at] = order[j]
                    j += 1
                else:
                    order[at] = spare[i]
                    i += 1
                at += 1
            begin = end
        width *= 2
