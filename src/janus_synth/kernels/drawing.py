"""Draw codes from leaves: rows of codes and a uniform each in; the target's codes out.

Rows come in the order of their leaves (`routing.order_by_leaf`), so that the tables of a leaf are read once, and are
drawn in small batches, one step after the other: no step waits for another row's result. Searches in cumulative shares
begin at a guide (an indexed search; Chen & Asau 1974) and go on without branches where they take few steps. Tables of
leaves are fetched into the cache before the steps that read them. The place inside the code's bin follows other bits of
the uniform, scrambled, which is cheaper than where in the code's share the uniform lies. Measured for 131,072 rows of
eight columns with trends: 60 -> 32 ns per cell by order and guides; fetching tables and scrambling made draws a third
faster, fetching cells and shares another sixth.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.prefetching import prefetch
from cython.cimports.janus_synth.kernels.scrambling import scrambled
from cython.cimports.janus_synth.kernels.surfacing import Effects
from cython.cimports.libc.math import exp, sqrt

from janus_synth.kernels.dtypes import INDEX, MIDDLE, N_RESIDUALS, PER_SPREAD, REACH, REAL, UNKNOWN
from janus_synth.kernels.views import Guides

__all__ = ["Guides", "draw_codes", "fill_guide"]

_UNKNOWN = cython.declare(cython.int, UNKNOWN)
_N_BINS = cython.declare(cython.int, N_RESIDUALS)
_MIDDLE = cython.declare(cython.double, MIDDLE)
_PER_BIN = cython.declare(cython.double, 1.0 / PER_SPREAD)
_REACH = cython.declare(cython.double, REACH)
_BELOW_ONE = cython.declare(cython.float, 1.0 - 2.0**-24)
_BATCH = cython.declare(cython.int, 1024)
"""Rows whose draws are computed together, step by step: what the steps hand over stays in the cache."""
_AHEAD = cython.declare(cython.int, 16)
"""Rows whose cells are fetched before they are read; they are far apart, because rows are in the order of leaves."""


def fill_guide(shares: cython.const[cython.float][:, ::1], guide: cython.ushort[:, ::1]) -> None:
    """Count in every row the shares that are not above the start of each of the cells of equal width from 0 to 1.

    shares (L, m) float32, ascending | guide (L, c) CODE, written
    """
    n_cells: cython.Py_ssize_t = guide.shape[1]
    with cython.nogil:
        for leaf in range(shares.shape[0]):
            k: cython.Py_ssize_t = 0
            for cell in range(n_cells):
                start: cython.float = cython.cast(cython.float, cell) / n_cells
                while k < shares.shape[1] and shares[leaf, k] <= start:
                    k += 1
                guide[leaf, cell] = cython.cast(cython.ushort, k)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def clipped(value: cython.double, low: cython.double, high: cython.double) -> cython.double:
    """A value, or the nearer of two bounds beyond them."""
    value = value if value > low else low
    return value if value < high else high


@cython.final
@cython.cclass
class Batch:
    """Some rows in the order of their leaves, with the share of the uniform that is left for the code."""

    row: cython.int[::1]
    leaf: cython.int[::1]
    share: cython.double[::1]
    centre: cython.double[::1]
    """Score that the leaf's regression predicts."""
    spread: cython.double[::1]
    """Unit of its residuals."""
    z: cython.double[::1]
    """Score that is drawn around it."""
    code: cython.int[::1]
    n: cython.Py_ssize_t

    def __init__(self, size):
        self.row, self.leaf = np.empty(size, INDEX), np.empty(size, INDEX)
        self.share, self.centre, self.spread = np.empty(size, REAL), np.empty(size, REAL), np.empty(size, REAL)
        self.z, self.code = np.empty(size, REAL), np.empty(size, INDEX)
        self.n = 0


@cython.final
@cython.cclass
class Leaves:
    """Distributions of a bag's leaves over the target's codes, and the rows to draw it for."""

    x: cython.ushort[:, ::1]
    share: cython.const[cython.float][::1]
    target: cython.Py_ssize_t
    cdf: cython.const[cython.float][:, ::1]
    guide: cython.const[cython.ushort][:, ::1]
    has_lines: cython.bint
    weight: cython.const[cython.double][::1]
    on_scale: cython.const[cython.double][::1]
    """(L,) probability of all codes on the scale, by the cumulative shares."""
    parents: cython.const[cython.int][::1]
    score: cython.const[cython.double][:, ::1]
    coef: cython.const[cython.double][:, ::1]
    spread: cython.const[cython.double][::1]
    low: cython.const[cython.double][:, ::1]
    high: cython.const[cython.double][:, ::1]
    cumulative: cython.const[cython.float][:, ::1]
    residual_guide: cython.const[cython.ushort][:, ::1]
    edge: cython.const[cython.double][::1]
    edge_guide: cython.const[cython.ushort][::1]
    lowest: cython.double
    cells_per_unit: cython.double
    apart: cython.const[cython.uchar][::1]
    bend: cython.double
    surface: Effects

    def __init__(self, x, target, share, cdf, trends, guides):
        self.x, self.target, self.share, self.cdf = x, target, share, cdf
        lines, self.weight, _, _, self.edge, self.apart = trends
        self.parents, self.score, self.coef, self.spread, self.low, self.high, surface, self.bend = lines
        self.guide, self.cumulative, self.residual_guide, self.on_scale = guides[:4]
        self.edge_guide, self.lowest, self.cells_per_unit = guides[4:]
        self.has_lines = self.weight.shape[0] > 0
        self.surface = Effects(surface, lines.parents) if surface.single.shape[1] > 0 else None

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def part(
        self,
        rows: cython.pointer[cython.const[cython.int]],
        leaves: cython.pointer[cython.const[cython.int]],
        n: cython.Py_ssize_t,
        by_table: Batch,
        by_line: Batch,
    ) -> cython.void:
        """Part rows into those that follow the histogram of their leaf and those that follow its regression."""
        share: cython.pointer[cython.const[cython.float]] = cython.address(self.share[0])
        a: cython.Py_ssize_t = 0
        b: cython.Py_ssize_t = 0
        last: cython.int = -1
        for r in range(n):
            if r + _AHEAD < n:
                prefetch(cython.address(share[rows[r + _AHEAD]]), 1)
            rest: cython.double = share[rows[r]]
            weight: cython.double = 0.0
            if self.has_lines:
                weight = self.weight[leaves[r]]
                if leaves[r] != last:
                    last = leaves[r]
                    self.fetch_line(last)
            line: cython.Py_ssize_t = rest < weight
            by_table.row[a] = by_line.row[b] = rows[r]
            by_table.leaf[a] = by_line.leaf[b] = leaves[r]
            by_table.share[a] = by_line.share[b] = rest
            a += 1 - line
            b += line
        by_table.n, by_line.n = a, b

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def fetch_line(self, leaf: cython.Py_ssize_t) -> cython.void:
        """Ask for what draws by a leaf's regression read, before it is needed."""
        prefetch(cython.address(self.residual_guide[leaf, 0]), _N_BINS * cython.sizeof(cython.ushort))
        prefetch(cython.address(self.cumulative[leaf, 0]), (_N_BINS + 1) * cython.sizeof(cython.float))
        size: cython.Py_ssize_t = self.coef.shape[1] * cython.sizeof(cython.double)
        prefetch(cython.address(self.coef[leaf, 0]), size)
        prefetch(cython.address(self.low[leaf, 0]), size)
        prefetch(cython.address(self.high[leaf, 0]), size)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_by_table(self, batch: Batch) -> cython.void:
        """Draw codes by the histograms of their leaves."""
        codes: cython.pointer[cython.ushort] = cython.address(self.x[self.target, 0])
        n_codes: cython.Py_ssize_t = self.cdf.shape[1]
        n_cells: cython.Py_ssize_t = self.guide.shape[1]
        cells: cython.float = cython.cast(cython.float, n_cells)
        for r in range(batch.n):
            leaf: cython.Py_ssize_t = batch.leaf[r]
            rest: cython.double = batch.share[r]
            if self.has_lines:
                rest = (rest - self.weight[leaf]) / (1.0 - self.weight[leaf])
            share: cython.float = cython.cast(cython.float, rest)
            share = share if share < _BELOW_ONE else _BELOW_ONE
            first: cython.int = self.guide[leaf, cython.cast(cython.int, share * cells)]
            batch.share[r], batch.code[r] = share, first
            prefetch(cython.address(self.cdf[leaf, first]), 1)
        for r in range(batch.n):
            cdf: cython.pointer[cython.const[cython.float]] = cython.address(self.cdf[batch.leaf[r], 0])
            share = cython.cast(cython.float, batch.share[r])
            code: cython.Py_ssize_t = batch.code[r]
            # Up to seven codes further without branches, which would be guessed wrong; the last cumulative share is 1.
            at: cython.Py_ssize_t = code + 3 if code + 3 < n_codes else n_codes - 1
            code += 4 & -cython.cast(cython.Py_ssize_t, cdf[at] <= share)
            at = code + 1 if code + 1 < n_codes else n_codes - 1
            code += 2 & -cython.cast(cython.Py_ssize_t, cdf[at] <= share)
            code += 1 & -cython.cast(cython.Py_ssize_t, cdf[code] <= share)
            while cdf[code] <= share:
                code += 1
            codes[batch.row[r]] = cython.cast(cython.ushort, code)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_by_line(self, batch: Batch) -> cython.void:
        """Draw codes by the regressions of their leaves; those of the codes that are not on the scale come first."""
        if batch.n == 0:
            return
        n: cython.Py_ssize_t = 0
        for r in range(batch.n):
            leaf: cython.Py_ssize_t = batch.leaf[r]
            apart: cython.double = 1.0 - self.on_scale[leaf]
            share: cython.double = batch.share[r] / self.weight[leaf]
            if share < apart or self.on_scale[leaf] <= 0.0:
                self.draw_apart(batch.row[r], leaf, share)
                continue
            share = (share - apart) / self.on_scale[leaf]
            batch.row[n], batch.leaf[n] = batch.row[r], batch.leaf[r]
            batch.share[n] = share if share < _BELOW_ONE else _BELOW_ONE
            n += 1
        batch.n = n
        self.predict_scores(batch)
        self.draw_scores(batch)
        self.find_codes(batch)
        self.write_codes(batch)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_apart(self, i: cython.Py_ssize_t, leaf: cython.Py_ssize_t, share: cython.double) -> cython.void:
        """Draw one of the codes that are not on the scale, in proportion to their shares of the histogram."""
        last: cython.Py_ssize_t = 0
        for k in range(self.apart.shape[0]):
            if self.apart[k] == 1:
                own: cython.double = self.cdf[leaf, k]
                if k > 0:
                    own -= self.cdf[leaf, k - 1]
                if own > 0.0:
                    last = k
                    if share < own:
                        break
                    share -= own
        self.x[self.target, i] = cython.cast(cython.ushort, last)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def predict_scores(self, batch: Batch) -> cython.void:
        """Score that the regression of its leaf predicts for each row."""
        p: cython.Py_ssize_t = self.parents.shape[0]
        for r in range(batch.n):
            if r + _AHEAD < batch.n:
                for j in range(p):
                    prefetch(cython.address(self.x[self.parents[j], batch.row[r + _AHEAD]]), 1)
            i: cython.Py_ssize_t = batch.row[r]
            leaf: cython.Py_ssize_t = batch.leaf[r]
            coef: cython.pointer[cython.const[cython.double]] = cython.address(self.coef[leaf, 0])
            low: cython.pointer[cython.const[cython.double]] = cython.address(self.low[leaf, 0])
            high: cython.pointer[cython.const[cython.double]] = cython.address(self.high[leaf, 0])
            total: cython.double = coef[p]
            for j in range(p):
                known: cython.int = self.x[self.parents[j], i]
                score: cython.double = self.score[j, known] if known != _UNKNOWN else 0.0
                total += coef[j] * clipped(score, low[j], high[j])
            batch.centre[r], batch.spread[r] = total, self.spread[leaf]
        if self.surface is not None:
            for r in range(batch.n):
                mean, log_spread = self.surface.at(self.x, batch.row[r], -1)
                width: cython.double = exp(log_spread)
                batch.centre[r] = mean + width * batch.centre[r]
                batch.spread[r] *= width

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_scores(self, batch: Batch) -> cython.void:
        """Draw a score around each predicted one: the quantile of the leaf's residuals at the row's share."""
        for r in range(batch.n):
            leaf: cython.Py_ssize_t = batch.leaf[r]
            share: cython.double = batch.share[r]
            cumulative: cython.pointer[cython.const[cython.float]] = cython.address(self.cumulative[leaf, 0])
            b: cython.int = cython.cast(cython.int, share * _N_BINS)
            b = self.residual_guide[leaf, b]
            b += cython.cast(cython.int, cumulative[b + 1] <= share)
            b += cython.cast(cython.int, cumulative[b + 1] <= share)
            while cumulative[b + 1] <= share:
                b += 1
            low: cython.double = cumulative[b]
            mass: cython.double = cumulative[b + 1] - low
            along: cython.double = (share - low) / mass if mass > 0.0 else 0.5
            # The inverse of the place among the bins: a root of a quadratic equation.
            even: cython.double = (b + along - _MIDDLE) * _PER_BIN
            if self.bend != 0.0:
                part: cython.double = 2.0 + self.bend * (_REACH - 2.0 * abs(even))
                even = 4.0 * even / (part + sqrt(part * part + 8.0 * self.bend * abs(even)))
            batch.z[r] = batch.centre[r] + even * batch.spread[r]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_codes(self, batch: Batch) -> cython.void:
        """Find the codes that the scores fall on."""
        edge: cython.pointer[cython.const[cython.double]] = cython.address(self.edge[0])
        first: cython.pointer[cython.const[cython.ushort]] = cython.address(self.edge_guide[0])
        last_cell: cython.double = self.edge_guide.shape[0] - 1
        lowest: cython.double = self.lowest
        cells_per_unit: cython.double = self.cells_per_unit
        for r in range(batch.n):
            z: cython.double = batch.z[r]
            code: cython.int = first[cython.cast(cython.int, clipped((z - lowest) * cells_per_unit, 0.0, last_cell))]
            code += cython.cast(cython.int, edge[code + 1] <= z)
            while edge[code + 1] <= z:
                code += 1
            while self.apart[code] == 1:  # beyond the last code on the scale
                code -= 1
            batch.code[r] = code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_codes(self, batch: Batch) -> cython.void:
        """Write the codes of the rows."""
        codes: cython.pointer[cython.ushort] = cython.address(self.x[self.target, 0])
        for r in range(batch.n):
            codes[batch.row[r]] = cython.cast(cython.ushort, batch.code[r])


def draw_codes(
    x: cython.ushort[:, ::1],
    target: cython.Py_ssize_t,
    rows: cython.const[cython.int][::1],
    leaf_of: cython.const[cython.int][::1],
    share: cython.const[cython.float][::1],
    cdf: cython.const[cython.float][:, ::1],
    trends,
    guides,
) -> None:
    """Draw the target's code of every row given its leaf and a uniform.

    x (d, n) CODE: row ``target`` is written | rows (n,) INDEX, every row once | leaf_of (n,) INDEX: its leaf
    share (n,) float32, a uniform below 1 per row, in the order of x | cdf (L, K) float32, rows ending in 1
    trends: `Trends` | guides: `Guides`
    """
    n: cython.Py_ssize_t = rows.shape[0]
    if n == 0:
        return
    leaves = Leaves(x, target, share, cdf, trends, guides)
    by_table, by_line = Batch(min(n, _BATCH) + 1), Batch(min(n, _BATCH) + 1)
    start: cython.Py_ssize_t = 0
    with cython.nogil:
        while start < n:
            leaves.part(
                cython.address(rows[start]), cython.address(leaf_of[start]), min(n - start, _BATCH), by_table, by_line
            )
            leaves.draw_by_table(by_table)
            leaves.draw_by_line(by_line)
            start += _BATCH


def scramble(uniforms: cython.double[::1]) -> None:
    """Replace uniforms by the scrambled bits of each: they tell nothing of what its first bits have decided.

    uniforms (n,) REAL, changed
    """
    with cython.nogil:
        for i in range(uniforms.shape[0]):
            uniforms[i] = scrambled(uniforms[i])
