"""Rank of a value in its conditional distribution given the row's parents, and the value with a given rank.

Together they carry a value from one set of parents to another (abduction and prediction of a counterfactual). A
position is a code and a share of its mass; inside a code ranks are linear between ``N_STEPS`` even shares. A row's
distribution is the mean of its leaves' histograms, or, where ``lined``, one regression: the mean of the leaves'
predicted scores and spreads with the mean distribution of their residuals, which is less noisy than the leaves' own
histograms and finer than a code. Null has no rank.
"""

import cython
from cython.cimports.janus_synth.kernels.residuals import place_of

from janus_synth.kernels.dtypes import N_RESIDUALS, N_STEPS, REACH

__all__ = ["N_STEPS", "at_ranks", "ranks_of"]

# The constants of Python as constants of C.
_N_BINS = cython.declare(cython.int, N_RESIDUALS)
_REACH = cython.declare(cython.double, REACH)
_STEPS = cython.declare(cython.Py_ssize_t, N_STEPS)


@cython.final
@cython.cclass
class Distribution:
    """The arrays that both kernels take, and the row that is looked at."""

    coef: cython.const[cython.double][:, :]
    spread: cython.const[cython.double][:]
    low: cython.const[cython.double][:, :]
    high: cython.const[cython.double][:, :]
    cumulative: cython.const[cython.double][:, :]
    apart: cython.const[cython.longlong][:]
    cdf: cython.const[cython.float][:, :]
    steps: cython.const[cython.double][:, :]
    leaves: cython.const[cython.int][:, :]
    scores: cython.const[cython.double][:, :]
    surface: cython.const[cython.double][:, :]
    bend: cython.double
    n_leaves: cython.Py_ssize_t
    """Leaves per row."""
    last: cython.Py_ssize_t
    """The last present code."""
    row: cython.Py_ssize_t
    lined: cython.bint
    centre: cython.double
    """The row's predicted score, and the spread around it."""
    width: cython.double
    on_scale: cython.double
    """Probability of all codes on the scale, where ``lined``."""

    def __init__(self, lines, cumulative, apart, cdf, steps, leaves, scores, surface):
        _, _, self.coef, self.spread, self.low, self.high, _, self.bend = lines
        self.cumulative, self.apart, self.cdf, self.steps = cumulative, apart, cdf, steps
        self.leaves, self.scores, self.surface = leaves, scores, surface
        self.n_leaves, self.last = self.leaves.shape[1], self.cdf.shape[1] - 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def load_row(self, r: cython.Py_ssize_t, lined: cython.bint) -> cython.void:
        """Look at a row: the mean of its leaves' predicted scores and spreads, and the mass on the scale."""
        self.row, self.lined = r, lined
        if not lined:
            return
        p: cython.Py_ssize_t = self.scores.shape[0]
        at: cython.double = 0.0
        spread: cython.double = 0.0
        for t in range(self.n_leaves):
            leaf: cython.Py_ssize_t = self.leaves[r, t]
            at += self.coef[leaf, p]
            spread += self.spread[leaf]
            for j in range(p):
                at += self.coef[leaf, j] * min(max(self.scores[j, r], self.low[leaf, j]), self.high[leaf, j])
        self.centre = self.surface[0, r] + self.surface[1, r] * (at / self.n_leaves)
        self.width = self.surface[1, r] * (spread / self.n_leaves)
        self.on_scale = 1.0 - self.apart_below(self.cdf.shape[1], 1.0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def apart_below(self, k: cython.Py_ssize_t, share: cython.double) -> cython.double:
        """Mean probability of the codes apart that lie below a share of code k."""
        total: cython.double = 0.0
        for i in range(self.apart.shape[0]):
            code: cython.Py_ssize_t = self.apart[i]
            if code <= k:
                for t in range(self.n_leaves):
                    leaf: cython.Py_ssize_t = self.leaves[self.row, t]
                    own: cython.double = self.cdf[leaf, code]
                    if code > 0:
                        own -= self.cdf[leaf, code - 1]
                    total += own if code < k else share * own
        return total / self.n_leaves

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def residuals_below(self, residual: cython.double) -> cython.double:
        """Mean over the row's leaves of the share of residuals below one, which is given in spreads."""
        if residual <= -_REACH:
            return 0.0
        if residual >= _REACH:
            return 1.0
        place: cython.double = max(place_of(residual, self.bend), 0.0)
        b: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, place), _N_BINS - 1)
        total: cython.double = 0.0
        for t in range(self.n_leaves):
            leaf: cython.Py_ssize_t = self.leaves[self.row, t]
            low: cython.double = self.cumulative[leaf, b]
            total += low + (place - b) * (self.cumulative[leaf, b + 1] - low)
        return total / self.n_leaves

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def total(self) -> cython.double:
        """Probability of all present values, and of what a regression puts beyond the first and the last.

        Dividing by what lies between them would rank a value by how far the regression exceeds an end, and not by its
        residual; and nothing at all may lie between them.
        """
        if self.lined:
            return self.apart_below(self.last, 1.0) + self.on_scale
        return self.mass_below(self.last, _STEPS)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mass_below(self, k: cython.Py_ssize_t, step: cython.Py_ssize_t) -> cython.double:
        """Probability of all that lies below ``step / N_STEPS`` of code k; null aside, and not normalised."""
        share: cython.double = cython.cast(cython.double, step) / _STEPS
        if self.lined:
            apart: cython.double = self.apart_below(k, share)
            return apart + self.on_scale * self.residuals_below((self.steps[k, step] - self.centre) / self.width)
        total: cython.double = 0.0
        for t in range(self.n_leaves):
            leaf: cython.Py_ssize_t = self.leaves[self.row, t]
            lower: cython.double = self.cdf[leaf, k - 1] if k > 0 else 0.0
            total += lower + share * (self.cdf[leaf, k] - lower)
        return total / self.n_leaves


def ranks_of(
    lines,
    cumulative,
    apart,
    cdf,
    steps,
    leaves,
    scores,
    surface,
    lined,
    codes: cython.const[cython.ushort][:],
    shares: cython.const[cython.double][:],
    out: cython.double[:],
) -> None:
    """Rank of each row's position among the present values, from 0 to 1.

    cumulative (L, N_RESIDUALS + 1) REAL | apart int64: present codes apart | cdf (L, K) float32
    steps (K, N_STEPS + 1) REAL: scores at even shares of each code | leaves (n, b) INDEX
    scores (p, n) REAL: of the regressions' parents | surface (2, n) REAL: mean and spread of the surface, 0 and 1
    without one | lined (n,) bool: rank by the regression
    codes (n,) CODE, none missing | shares (n,) REAL | out (n,) REAL, written
    """
    row = Distribution(lines, cumulative, apart, cdf, steps, leaves, scores, surface)
    by_line: cython.const[cython.uchar][:] = lined.view("uint8")
    step: cython.Py_ssize_t
    with cython.nogil:
        for r in range(codes.shape[0]):
            row.load_row(r, by_line[r])
            k = codes[r]
            step = min(cython.cast(cython.Py_ssize_t, shares[r] * _STEPS), _STEPS - 1)
            low: cython.double = row.mass_below(k, step)
            high: cython.double = row.mass_below(k, step + 1)
            out[r] = (low + (shares[r] * _STEPS - step) * (high - low)) / row.total()
            # A value at an end may lie beyond it: the middle of the ranks there.
            if k == row.last and shares[r] >= 1.0:
                out[r] = (out[r] + 1.0) / 2
            elif k == 0 and shares[r] <= 0.0:
                out[r] /= 2


def at_ranks(
    lines,
    cumulative,
    apart,
    cdf,
    steps,
    leaves,
    scores,
    surface,
    lined,
    ranks: cython.const[cython.double][:],
    codes: cython.ushort[:],
    shares: cython.double[:],
) -> None:
    """Write the position that has each row's rank, or the end that is nearest: the inverse of `ranks_of`.

    ranks (n,) REAL | codes (n,) CODE, shares (n,) REAL, written
    """
    row = Distribution(lines, cumulative, apart, cdf, steps, leaves, scores, surface)
    by_line: cython.const[cython.uchar][:] = lined.view("uint8")
    node: cython.Py_ssize_t
    first: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    with cython.nogil:
        for r in range(ranks.shape[0]):
            row.load_row(r, by_line[r])
            high: cython.double = row.mass_below(row.last, _STEPS)
            low: cython.double = row.mass_below(0, 0)
            target: cython.double = ranks[r] * row.total()
            first, stop = 0, (row.last + 1) * _STEPS  # what lies below the first node is at most the target
            while stop - first > 1:
                node = (first + stop) >> 1
                mass: cython.double = row.mass_below(node // _STEPS, node % _STEPS)
                if mass <= target:
                    first, low = node, mass
                else:
                    stop, high = node, mass
            along: cython.double = (target - low) / (high - low) if high > low else 0.5
            codes[r] = cython.cast(cython.ushort, first // _STEPS)
            shares[r] = min(max((first % _STEPS + along) / _STEPS, 0.0), 1.0)
