"""Evaluate a surface: rows of codes in, mean and log spread of the target's score out.

See `Surface` for the arrays. Columns that are not drawn yet (``UNKNOWN``) have no effect.
"""

import cython

from janus_synth.kernels.dtypes import UNKNOWN

# The constants of Python as constants of C.
_UNKNOWN = cython.declare(cython.int, UNKNOWN)


def surface_of_rows(
    surface,
    parents: cython.const[cython.int][::1],
    x: cython.const[cython.ushort][:, :],
    skipped: cython.Py_ssize_t,
    mean: cython.double[::1],
    log_spread: cython.double[::1],
) -> None:
    """Mean and log spread of every row, without the effects of the parent in place ``skipped`` (−1 for none).

    parents (p,) INDEX: columns | x (d, n) CODE | mean, log_spread (n,) REAL, written
    """
    constant: cython.const[cython.double][::1] = surface.constant
    single: cython.const[cython.double][:, :, ::1] = surface.single
    pairs: cython.const[cython.int][:, ::1] = surface.pairs
    joint: cython.const[cython.double][:, :, :, ::1] = surface.joint
    width: cython.Py_ssize_t = joint.shape[2]  # less than UNKNOWN, and less than other codes without effects
    j: cython.Py_ssize_t
    q: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    with cython.nogil:
        for r in range(x.shape[1]):
            total: cython.double = constant[0]
            total_log: cython.double = constant[1]
            for j in range(parents.shape[0]):
                own: cython.int = x[parents[j], r]
                if j != skipped and own != _UNKNOWN:
                    total += single[0, j, own]
                    total_log += single[1, j, own]
            for q in range(pairs.shape[0]):
                a, b = pairs[q, 0], pairs[q, 1]
                first: cython.int = x[parents[a], r]
                second: cython.int = x[parents[b], r]
                if a != skipped and b != skipped and first < width and second < width:
                    total += joint[0, q, first, second]
                    total_log += joint[1, q, first, second]
            mean[r], log_spread[r] = total, total_log
