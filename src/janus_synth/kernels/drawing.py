"""Draw codes from leaves: rows of codes and uniforms in; the target's codes and what is left of the uniforms out.

Rows come in the order of their leaves (`routing.order_by_leaf`), so that the tables of a leaf are read once, and are
drawn in small batches, one step after the other: no step waits for another row's result. Searches in cumulative shares
begin at a guide (an indexed search; Chen & Asau 1974) and go on without branches where they take few steps. Measured
for 131,072 rows of eight columns with trends: 60 -> 32 ns per cell, of which 13 put rows in the order of their leaves.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.residuals import place_of
from cython.cimports.libc.math import sqrt

from janus_synth.kernels.dtypes import INDEX, MIDDLE, N_RESIDUALS, PER_SPREAD, REACH, REAL, UNKNOWN
from janus_synth.kernels.surfacing import surface_of_rows
from janus_synth.kernels.views import Guides

__all__ = ["Guides", "draw_codes", "fill_guide"]

_UNKNOWN = cython.declare(cython.int, UNKNOWN)
_N_BINS = cython.declare(cython.int, N_RESIDUALS)
_MIDDLE = cython.declare(cython.double, MIDDLE)
_PER_BIN = cython.declare(cython.double, 1.0 / PER_SPREAD)
_REACH = cython.declare(cython.double, REACH)
_BELOW_ONE = cython.declare(cython.double, 1.0 - 2.0**-53)
_SINGLE_BELOW_ONE = cython.declare(cython.float, 1.0 - 2.0**-24)
_BATCH = cython.declare(cython.int, 1024)
"""Rows whose draws are computed together, step by step: what the steps hand over stays in the cache."""


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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def below_residual(
    cumulative: cython.pointer[cython.const[cython.float]], residual: cython.double, bend: cython.double
) -> cython.double:
    """Cumulative distribution of residuals, linear in the place among the bins inside each."""
    residual = clipped(residual, -_REACH, _REACH)
    place: cython.double = clipped(place_of(residual, bend), 0.0, _N_BINS)
    b: cython.int = cython.cast(cython.int, place)
    b = b if b < _N_BINS else _N_BINS - 1
    low: cython.double = cumulative[b]
    return low + (place - b) * (cumulative[b + 1] - low)


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
    u: cython.double[::1]
    target: cython.Py_ssize_t
    n_trees: cython.Py_ssize_t
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
    has_surface: cython.bint
    mean: cython.double[::1]
    """(n,) mean and spread of the surface."""
    width: cython.double[::1]

    def __init__(self, x, target, n_trees, cdf, trends, guides, u):
        self.x, self.u, self.target, self.n_trees, self.cdf = x, u, target, n_trees, cdf
        lines, self.weight, _, _, self.edge, self.apart = trends
        self.parents, self.score, self.coef, self.spread, self.low, self.high, surface, self.bend = lines
        self.guide, self.cumulative, self.residual_guide, self.on_scale = guides[:4]
        self.edge_guide, self.lowest, self.cells_per_unit = guides[4:]
        self.has_lines = self.weight.shape[0] > 0
        self.has_surface = surface.single.shape[1] > 0
        if self.has_surface:
            mean, width = np.empty(x.shape[1], REAL), np.empty(x.shape[1], REAL)
            surface_of_rows(surface, lines.parents, x, -1, mean, width)
            self.mean, self.width = mean, np.exp(width)

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
        u: cython.pointer[cython.double] = cython.address(self.u[0])
        most: cython.Py_ssize_t = self.n_trees - 1
        n_trees: cython.double = self.n_trees
        a: cython.Py_ssize_t = 0
        b: cython.Py_ssize_t = 0
        row: cython.pointer[cython.int] = cython.address(by_table.row[0])
        leaf: cython.pointer[cython.int] = cython.address(by_table.leaf[0])
        share: cython.pointer[cython.double] = cython.address(by_table.share[0])
        row_: cython.pointer[cython.int] = cython.address(by_line.row[0])
        leaf_: cython.pointer[cython.int] = cython.address(by_line.leaf[0])
        share_: cython.pointer[cython.double] = cython.address(by_line.share[0])
        for r in range(n):
            scaled: cython.double = u[rows[r]] * n_trees
            tree: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, scaled)
            tree = tree if tree < most else most
            rest: cython.double = scaled - tree
            rest = rest if rest < _BELOW_ONE else _BELOW_ONE
            weight: cython.double = self.weight[leaves[r]] if self.has_lines else 0.0
            line: cython.Py_ssize_t = rest < weight
            row[a] = row_[b] = rows[r]
            leaf[a] = leaf_[b] = leaves[r]
            share[a] = share_[b] = rest
            a += 1 - line
            b += line
        by_table.n, by_line.n = a, b

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_by_table(self, batch: Batch) -> cython.void:
        """Draw codes by the histograms of their leaves."""
        u: cython.pointer[cython.double] = cython.address(self.u[0])
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
            share = share if share < _SINGLE_BELOW_ONE else _SINGLE_BELOW_ONE
            cdf: cython.pointer[cython.const[cython.float]] = cython.address(self.cdf[leaf, 0])
            code: cython.Py_ssize_t = self.guide[leaf, cython.cast(cython.int, share * cells)]
            # Up to seven codes further without branches, which would be guessed wrong; the last cumulative share is 1.
            at: cython.Py_ssize_t = code + 3 if code + 3 < n_codes else n_codes - 1
            code += 4 & -cython.cast(cython.Py_ssize_t, cdf[at] <= share)
            at = code + 1 if code + 1 < n_codes else n_codes - 1
            code += 2 & -cython.cast(cython.Py_ssize_t, cdf[at] <= share)
            code += 1 & -cython.cast(cython.Py_ssize_t, cdf[code] <= share)
            while cdf[code] <= share:
                code += 1
            below: cython.double = cdf[code - 1] if code > 0 else 0.0
            mass: cython.double = cdf[code] - below
            i: cython.Py_ssize_t = batch.row[r]
            codes[i] = cython.cast(cython.ushort, code)
            u[i] = clipped((rest - below) / mass, 0.0, 1.0)

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
        self.keep_rest(batch)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw_apart(self, i: cython.Py_ssize_t, leaf: cython.Py_ssize_t, share: cython.double) -> cython.void:
        """Draw one of the codes that are not on the scale, in proportion to their shares of the histogram."""
        last: cython.Py_ssize_t = 0
        mass: cython.double = 0.0
        for k in range(self.apart.shape[0]):
            if self.apart[k] == 1:
                own: cython.double = self.cdf[leaf, k]
                if k > 0:
                    own -= self.cdf[leaf, k - 1]
                if own > 0.0:
                    last, mass = k, own
                    if share < own:
                        break
                    share -= own
        self.x[self.target, i] = cython.cast(cython.ushort, last)
        self.u[i] = clipped(share / mass, 0.0, 1.0) if mass > 0.0 else 0.5

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def predict_scores(self, batch: Batch) -> cython.void:
        """Score that the regression of its leaf predicts for each row."""
        p: cython.Py_ssize_t = self.parents.shape[0]
        for r in range(batch.n):
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
            if self.has_surface:
                batch.centre[r] = self.mean[i] + self.width[i] * total
                batch.spread[r] *= self.width[i]

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
            part: cython.double = 2.0 + self.bend * (_REACH - 2.0 * abs(even))
            root: cython.double = sqrt(part * part + 8.0 * self.bend * abs(even))
            batch.z[r] = batch.centre[r] + 4.0 * even / (part + root) * batch.spread[r]

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
    def keep_rest(self, batch: Batch) -> cython.void:
        """Write codes, and where in the share of its code each uniform lies."""
        u: cython.pointer[cython.double] = cython.address(self.u[0])
        codes: cython.pointer[cython.ushort] = cython.address(self.x[self.target, 0])
        edge: cython.pointer[cython.const[cython.double]] = cython.address(self.edge[0])
        for r in range(batch.n):
            leaf: cython.Py_ssize_t = batch.leaf[r]
            code: cython.Py_ssize_t = batch.code[r]
            centre: cython.double = batch.centre[r]
            per_unit: cython.double = 1.0 / batch.spread[r]
            cumulative: cython.pointer[cython.const[cython.float]] = cython.address(self.cumulative[leaf, 0])
            start: cython.double = below_residual(cumulative, (edge[code] - centre) * per_unit, self.bend)
            mass: cython.double = below_residual(cumulative, (edge[code + 1] - centre) * per_unit, self.bend) - start
            i: cython.Py_ssize_t = batch.row[r]
            codes[i] = cython.cast(cython.ushort, code)
            u[i] = clipped((batch.share[r] - start) / mass, 0.0, 1.0) if mass > 0.0 else 0.5


def draw_codes(
    x: cython.ushort[:, ::1],
    target: cython.Py_ssize_t,
    rows: cython.const[cython.int][::1],
    leaf_of: cython.const[cython.int][::1],
    n_trees: cython.Py_ssize_t,
    cdf: cython.const[cython.float][:, ::1],
    trends,
    guides,
    u: cython.double[::1],
) -> None:
    """Draw the target's code of every row given its leaf; one uniform per row does it all.

    The uniform has picked the tree of the bag and now picks the code; what is left of it comes back in ``u`` as a fresh
    uniform for the place inside the bin.

    x (d, n) CODE: row ``target`` is written | rows (n,) INDEX, every row once | leaf_of (n,) INDEX: its leaf
    cdf (L, K) float32, rows ending in 1 | trends: `Trends` | guides: `Guides` | u (n,) REAL, changed
    """
    n: cython.Py_ssize_t = rows.shape[0]
    if n == 0:
        return
    leaves = Leaves(x, target, n_trees, cdf, trends, guides, u)
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
