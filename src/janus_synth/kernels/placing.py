"""Sets of values against a column's codes: how much of each code a set leaves, and a value drawn inside it.

The sets of n rows are sorted closed intervals, those of row r in ``intervals[start[r] : start[r + 1]]``, and a null
flag per row. Sets of a single row serve all rows. Also here: draws of codes by their scores, and systematic resampling.
"""

import cython
from cython.cimports.libc.math import INFINITY, NAN, ceil, fabs, floor, nextafter, rint

from janus_synth.kernels.dtypes import NEAR

__all__ = ["NEAR", "Bins", "draw_scored", "place_in_bins", "place_levels", "systematic", "weigh_bins", "weigh_levels"]

_NEAR = cython.declare(cython.double, NEAR)


@cython.final
@cython.cclass
class Bins:
    """Quantile functions of an ordered column's bins: bin k has the share ``level[k, t]`` of its mass below a knot.

    level, knot (K, q) REAL | half: half a lattice step, by which intervals are widened, or 0
    """

    level: cython.const[cython.double][:, ::1]
    knot: cython.const[cython.double][:, ::1]
    smallest: cython.const[cython.double][::1]
    """(K,) first knot of each bin; beside each other, since searches read one per bin."""
    largest: cython.const[cython.double][::1]
    """(K,) last knot."""
    n_bins: cython.Py_ssize_t
    last: cython.Py_ssize_t
    """Number of the last knot."""
    half: cython.double

    def __init__(self, level, knot, half):
        self.level, self.knot, self.half = level, knot, half
        self.n_bins, self.last = self.knot.shape[0], self.knot.shape[1] - 1
        self.smallest, self.largest = knot[:, 0].copy(), knot[:, -1].copy()

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def share_below(self, k: cython.Py_ssize_t, value: cython.double) -> cython.double:
        """Share of bin k's mass below a value."""
        if value <= self.smallest[k]:
            return 0.0
        if value >= self.largest[k]:
            return 1.0
        t: cython.Py_ssize_t = 1
        width: cython.Py_ssize_t = self.last
        while width > 1:  # first knot that is not below the value
            step: cython.Py_ssize_t = width >> 1
            t += step if self.knot[k, t + step - 1] < value else 0
            width -= step
        gap: cython.double = self.knot[k, t] - self.knot[k, t - 1]
        along: cython.double = (value - self.knot[k, t - 1]) / gap if gap > 0.0 else 0.0
        return self.level[k, t - 1] + along * (self.level[k, t] - self.level[k, t - 1])

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def value_at(self, k: cython.Py_ssize_t, u: cython.double) -> cython.double:
        """Quantile function of bin k."""
        t: cython.Py_ssize_t = 1
        width: cython.Py_ssize_t = self.last
        while width > 1:  # first knot whose level is not below u
            step: cython.Py_ssize_t = width >> 1
            t += step if self.level[k, t + step - 1] < u else 0
            width -= step
        below: cython.double = self.level[k, t - 1]
        above: cython.double = self.level[k, t]
        along: cython.double = (u - below) / (above - below) if above > below else 0.0
        if along < 1.0:
            return self.knot[k, t - 1] + along * (self.knot[k, t] - self.knot[k, t - 1])
        return self.knot[k, t]

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def mass_between(self, k: cython.Py_ssize_t, low: cython.double, high: cython.double) -> cython.double:
        """Mass of bin k between two values; on a lattice the cells of both belong to it."""
        first: cython.double = self.smallest[k]
        last: cython.double = self.largest[k]
        if first == last:
            near: cython.double = _NEAR * fabs(first)
            return 1.0 if low - near <= first and first <= high + near else 0.0
        # Rounding of half a step reaches into no other bin.
        if high < first or low > last or (low == high and self.half == 0.0):
            return 0.0
        return self.share_below(k, high + self.half) - self.share_below(k, low - self.half)

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def first_bin(self, value: cython.double) -> cython.Py_ssize_t:
        """First bin that does not end below a value."""
        lo: cython.Py_ssize_t = 0
        hi: cython.Py_ssize_t = self.n_bins
        while lo < hi:
            middle: cython.Py_ssize_t = (lo + hi) >> 1
            if self.largest[middle] < value:
                lo = middle + 1
            else:
                hi = middle
        return lo

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def density_at(self, k: cython.Py_ssize_t, value: cython.double) -> cython.double:
        """Density of bin k per unit at a value; at a knot, of the segment that ends there."""
        if value < self.smallest[k] or value > self.largest[k]:
            return 0.0
        for t in range(1, self.last + 1):
            if self.knot[k, t] >= value and self.knot[k, t] > self.knot[k, t - 1]:
                return (self.level[k, t] - self.level[k, t - 1]) / (self.knot[k, t] - self.knot[k, t - 1])
        return 0.0

    @cython.ccall
    @cython.nogil
    @cython.exceptval(check=False)
    def density_where_it_begins(self, k: cython.Py_ssize_t, low: cython.double, high: cython.double) -> cython.double:
        """Density where an interval begins, if it begins in bin k."""
        if high < self.smallest[k] or low > self.largest[k] or self.first_bin(low) != k:
            return 0.0
        return self.density_at(k, max(low, self.smallest[k]))


def weigh_bins(
    start: cython.const[cython.longlong][:],
    intervals: cython.const[cython.double][:, :],
    null: cython.const[cython.uchar][:],
    level,
    knot,
    half: cython.double,
    w: cython.double[:, ::1],
) -> None:
    """Share of every code that each row's set leaves; densities where the set has no mass, as in ``x == 0.3``.

    level, knot (K, q) REAL | half: half a lattice step, or 0 | w (n, K+1) REAL, written
    """
    bins = Bins(level, knot, half)
    with cython.nogil:
        for r in range(w.shape[0]):
            for k in range(w.shape[1]):
                w[r, k] = 0.0
            w[r, bins.n_bins] = null[r]
            total: cython.double = 0.0
            for i in range(start[r], start[r + 1]):
                low: cython.double = intervals[i, 0]
                high: cython.double = intervals[i, 1]
                beyond: cython.double = high + half + _NEAR * fabs(high)
                k = bins.first_bin(low - half - _NEAR * fabs(low))
                while k < bins.n_bins and bins.smallest[k] <= beyond:
                    mass: cython.double = 1.0  # of a bin inside the interval
                    if bins.smallest[k] < low or bins.largest[k] > high:
                        mass = bins.mass_between(k, low, high)
                    w[r, k] += mass
                    total += mass
                    k += 1
            if total > 0.0:
                continue
            for i in range(start[r], start[r + 1]):
                k = bins.first_bin(intervals[i, 0])
                if k < bins.n_bins:
                    w[r, k] += bins.density_where_it_begins(k, intervals[i, 0], intervals[i, 1])


def weigh_levels(
    start: cython.const[cython.longlong][:],
    intervals: cython.const[cython.double][:, :],
    null: cython.const[cython.uchar][:],
    code_of_level: cython.const[cython.int][:],
    share_of_level: cython.const[cython.double][:],
    w: cython.double[:, ::1],
) -> None:
    """Share of every code that each row's set of levels leaves.

    code_of_level (m,) INDEX | share_of_level (m,) REAL, of the code | w (n, K) REAL, written
    """
    level: cython.Py_ssize_t
    n_levels: cython.Py_ssize_t = code_of_level.shape[0]
    with cython.nogil:
        for r in range(w.shape[0]):
            for k in range(w.shape[1]):
                w[r, k] = 0.0
            w[r, w.shape[1] - 1] = null[r]
            for i in range(start[r], start[r + 1]):
                low: cython.double = max(intervals[i, 0], 0.0)
                high: cython.double = min(intervals[i, 1], n_levels - 1.0)
                if low <= high:
                    for level in range(
                        cython.cast(cython.Py_ssize_t, ceil(low)), cython.cast(cython.Py_ssize_t, floor(high)) + 1
                    ):
                        w[r, code_of_level[level]] += share_of_level[level]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def on_lattice(
    bins: Bins,
    k: cython.Py_ssize_t,
    value: cython.double,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
) -> cython.double:
    """Lattice value nearest to a value of bin k, or its neighbour if rounding leads out of the bin."""
    m: cython.double = rint((value * scale - base) / gap)
    nearest: cython.double = (base + gap * m) / scale
    if nearest < bins.smallest[k]:
        return (base + gap * (m + 1)) / scale
    if nearest > bins.largest[k]:
        return (base + gap * (m - 1)) / scale
    return nearest


def place_in_bins(
    codes: cython.const[cython.ushort][:],
    u: cython.const[cython.double][:],
    start: cython.const[cython.longlong][:],
    intervals: cython.const[cython.double][:, :],
    level,
    knot,
    upper: cython.const[cython.double][:],
    lattice: cython.const[cython.double][:],
    values: cython.double[:],
) -> None:
    """Draw each row's value inside its bin and its set; on the lattice, never outside.

    codes (n,) CODE | u (n,) REAL | upper (K−1,) REAL | lattice (3,) REAL: base, gap, scale | values (n,) REAL, written
    """
    base: cython.double = lattice[0]
    gap: cython.double = lattice[1]
    scale: cython.double = lattice[2]
    half: cython.double = 0.5 * gap / scale if scale > 0.0 else 0.0
    bins = Bins(level, knot, half)
    own: cython.Py_ssize_t
    chosen: cython.Py_ssize_t
    low: cython.double
    high: cython.double
    with cython.nogil:
        for r in range(codes.shape[0]):
            k = codes[r]
            if k >= bins.n_bins:
                values[r] = NAN
                continue
            own = 0 if start.shape[0] == 2 else r
            total: cython.double = 0.0
            for i in range(start[own], start[own + 1]):
                total += bins.mass_between(k, intervals[i, 0], intervals[i, 1])
            by_density: cython.bint = total == 0.0  # as weigh_bins does
            if by_density:
                for i in range(start[own], start[own + 1]):
                    total += bins.density_where_it_begins(k, intervals[i, 0], intervals[i, 1])
            target: cython.double = u[r] * total
            mass: cython.double
            chosen = -1
            for i in range(start[own], start[own + 1]):
                if by_density:
                    mass = bins.density_where_it_begins(k, intervals[i, 0], intervals[i, 1])
                else:
                    mass = bins.mass_between(k, intervals[i, 0], intervals[i, 1])
                if mass > 0.0:
                    chosen = i
                    if target <= mass:
                        break
                    target -= mass
            if chosen < 0:  # nothing is left of this bin
                values[r] = NAN
                continue
            low, high = intervals[chosen, 0], intervals[chosen, 1]
            if bins.smallest[k] == bins.largest[k]:
                values[r] = min(max(bins.smallest[k], low), high)
                continue
            below: cython.double = bins.share_below(k, low - half)
            above: cython.double = bins.share_below(k, high + half)
            share: cython.double = min(max(target / (above - below), 0.0), 1.0) if above > below else 0.5
            value: cython.double = bins.value_at(k, below + share * (above - below))
            if scale > 0.0:
                value = on_lattice(bins, k, value, base, gap, scale)
            else:
                value = min(value, upper[k] if k < bins.n_bins - 1 else bins.largest[k])
                if k > 0 and value <= upper[k - 1]:
                    value = nextafter(upper[k - 1], INFINITY)
            values[r] = min(max(value, low), high)


def place_levels(
    codes: cython.const[cython.ushort][:],
    u: cython.const[cython.double][:],
    start: cython.const[cython.longlong][:],
    intervals: cython.const[cython.double][:, :],
    code_of_level: cython.const[cython.int][:],
    share_of_level: cython.const[cython.double][:],
    values: cython.double[:],
) -> None:
    """Draw each row's level among those of its code and its set; NaN for missing, the last code.

    codes (n,) CODE | u (n,) REAL | code_of_level (m,) INDEX | share_of_level (m,) REAL | values (n,) REAL, written
    """
    own: cython.Py_ssize_t
    best: cython.Py_ssize_t
    level: cython.Py_ssize_t
    n_levels: cython.Py_ssize_t = code_of_level.shape[0]
    code: cython.int
    summing: cython.bint
    with cython.nogil:
        for r in range(codes.shape[0]):
            own = 0 if start.shape[0] == 2 else r
            code = codes[r]
            total: cython.double = 0.0
            target: cython.double = 0.0
            best = -1
            for summing in (True, False):  # first the sum of all shares, then the level that the uniform falls on
                target = u[r] * total
                for i in range(start[own], start[own + 1]):
                    low: cython.double = max(intervals[i, 0], 0.0)
                    high: cython.double = min(intervals[i, 1], n_levels - 1.0)
                    if low > high:
                        continue
                    for level in range(
                        cython.cast(cython.Py_ssize_t, ceil(low)), cython.cast(cython.Py_ssize_t, floor(high)) + 1
                    ):
                        if code_of_level[level] != code or share_of_level[level] <= 0.0:
                            continue
                        if summing:
                            total += share_of_level[level]
                        else:
                            best = level
                            target -= share_of_level[level]
                            if target < 0.0:
                                break
                    if target < 0.0:
                        break
            values[r] = best if best >= 0 else NAN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def draw_in_row(
    score: cython.const[cython.double][:, :],
    r: cython.Py_ssize_t,
    total: cython.double,
    u: cython.double[:],
    codes: cython.ushort[:],
) -> cython.void:
    """Draw the code of one row whose scores have a positive sum."""
    k: cython.Py_ssize_t = 0
    n_codes: cython.Py_ssize_t = score.shape[1]
    target: cython.double = u[r] * total
    while k < n_codes and not target < score[r, k]:
        target -= score[r, k]
        k += 1
    if k == n_codes:  # rounding has led beyond the last code with a score: take that one
        k -= 1
        while not score[r, k] > 0.0:
            k -= 1
    codes[r] = cython.cast(cython.ushort, k)
    u[r] = min(max(target / score[r, k], 0.0), 1.0)


def draw_scored(
    score: cython.const[cython.double][:, :],
    u: cython.double[:],
    codes: cython.ushort[:],
    totals: cython.double[:],
) -> None:
    """Draw each row's code by its scores and keep what is left of the uniform; an all-zero row keeps its code.

    score (n, K) REAL, none negative | u (n,) REAL, overwritten | codes (n,) CODE, written | totals (n,) REAL, written
    """
    r: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = score.shape[0]
    with cython.nogil:
        while r < n:
            # Four rows at a time: each sum waits for its last addition, so four run as fast as one.
            a: cython.double = 0.0
            b: cython.double = 0.0
            c: cython.double = 0.0
            d: cython.double = 0.0
            if r + 4 <= n:
                for k in range(score.shape[1]):
                    a += score[r, k]
                    b += score[r + 1, k]
                    c += score[r + 2, k]
                    d += score[r + 3, k]
                totals[r], totals[r + 1], totals[r + 2], totals[r + 3] = a, b, c, d
            else:
                for i in range(r, n):
                    a = 0.0
                    for k in range(score.shape[1]):
                        a += score[i, k]
                    totals[i] = a
            for i in range(r, min(r + 4, n)):
                if totals[i] > 0.0:
                    draw_in_row(score, i, totals[i], u, codes)
            r += 4


def systematic(weights: cython.const[cython.double][:], u: cython.double, chosen: cython.int[:]) -> None:
    """Systematic resampling: the row that each of the evenly spaced points falls on.

    weights (m,) REAL, not all 0 | u: one uniform | chosen (n,) INDEX, written
    """
    n: cython.Py_ssize_t = chosen.shape[0]
    row: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = 0
    if n == 0:
        return
    with cython.nogil:
        total: cython.double = 0.0
        for i in range(weights.shape[0]):
            total += weights[i]
        step: cython.double = total / n
        reached: cython.double = weights[0]
        for i in range(n):
            point: cython.double = (i + u) * step
            while reached <= point and row < weights.shape[0] - 1:
                row += 1
                reached += weights[row]
                if weights[row] > 0.0:  # rounding may lead beyond the last row with a weight
                    last = row
            chosen[i] = cython.cast(cython.int, last)
