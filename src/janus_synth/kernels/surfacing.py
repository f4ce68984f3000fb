"""Evaluate a surface: rows of codes in, mean and log spread of the target's score out.

See `Surface` for the arrays. Columns that are not drawn yet (``UNKNOWN``) have no effect.
"""

import cython

from janus_synth.kernels.dtypes import UNKNOWN

# The constants of Python as constants of C.
_UNKNOWN = cython.declare(cython.int, UNKNOWN)


@cython.final
@cython.cclass
class Effects:
    """The arrays of `Surface`, and the columns that its codes are of."""

    def __init__(self, surface, parents):
        self.parents, self.constant, self.single = parents, surface.constant, surface.single
        self.pairs, self.joint = surface.pairs, surface.joint

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def at(
        self, x: cython.const[cython.ushort][:, :], r: cython.Py_ssize_t, skipped: cython.Py_ssize_t
    ) -> tuple[cython.double, cython.double]:
        """Mean and log spread of a row, without the effects of the parent in place ``skipped``."""
        width: cython.Py_ssize_t = self.joint.shape[2]  # less than UNKNOWN, and less than other codes without effects
        total: cython.double = self.constant[0]
        total_log: cython.double = self.constant[1]
        j: cython.Py_ssize_t
        for j in range(self.parents.shape[0]):
            own: cython.int = x[self.parents[j], r]
            if j != skipped and own != _UNKNOWN:
                total += self.single[0, j, own]
                total_log += self.single[1, j, own]
        for q in range(self.pairs.shape[0]):
            a: cython.Py_ssize_t = self.pairs[q, 0]
            b: cython.Py_ssize_t = self.pairs[q, 1]
            first: cython.int = x[self.parents[a], r]
            second: cython.int = x[self.parents[b], r]
            if a != skipped and b != skipped and first < width and second < width:
                total += self.joint[0, q, first, second]
                total_log += self.joint[1, q, first, second]
        return total, total_log


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
    effects = Effects(surface, parents)
    r: cython.Py_ssize_t
    with cython.nogil:
        for r in range(x.shape[1]):
            mean[r], log_spread[r] = effects.at(x, r, skipped)
