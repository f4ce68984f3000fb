# distutils: extra_compile_args = -ftree-vectorize -fvect-cost-model=dynamic
# Vector instructions make `mean_shares` faster: 2.4 -> 1.3 ms for 4,096 rows, 8 histograms each, of 255 codes.
"""Walk decision trees with known columns or with one column free: rows of codes in, what their leaves predict out.

A leaf predicts a distribution over the target's codes: a histogram (a row of ``table``), or a mixture of the histogram
and a linear regression (`Trends`). The regression predicts a normal score; the bins of its residuals, laid around that
score, share their mass out to the codes they overlap. Places among the residuals are counted in bins: 0 is the lower
end of the first bin, ``N_RESIDUALS`` the upper end of the last, and the predicted score lies at ``MIDDLE``. Where bins
are bent (`trees.residual_grid`), the distribution of residuals is linear in the place inside each of them.

Columns that are not drawn yet (``UNKNOWN``) are averaged over: both sides of their splits are followed, weighted by the
share of training rows on each side; in a regression their score is 0, the mean.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.residuals import place_of
from cython.cimports.libc.math import exp, log

from janus_synth.kernels.dtypes import INDEX, MIDDLE, N_RESIDUALS, PER_SPREAD, REACH, REAL, UNKNOWN
from janus_synth.kernels.surfacing import surface_of_rows
from janus_synth.kernels.views import Lines, Trees, Trends

__all__ = [
    "MIDDLE",
    "PER_SPREAD",
    "Lines",
    "Trees",
    "Trends",
    "centres_of_rows",
    "leaves_of_rows",
    "left_out_shares",
    "mean_shares",
    "multiply_by_free",
    "share_of_left",
    "shares_of_codes",
    "values_of_rows",
]

# The constants of Python as constants of C.
_UNKNOWN = cython.declare(cython.int, UNKNOWN)
_N_BINS = cython.declare(cython.int, N_RESIDUALS)
_REACH = cython.declare(cython.double, REACH)
_TINY = cython.declare(cython.double, 1e-30)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def within_reach(residual: cython.double) -> cython.double:
    """A residual, or the end of the bins beyond which it lies."""
    return min(max(residual, -_REACH), _REACH)


@cython.final
@cython.cclass
class Forest:
    """The arrays of `Trees`."""

    roots: cython.const[cython.int][::1]
    feature: cython.const[cython.int][::1]
    cut: cython.const[cython.int][::1]
    left: cython.const[cython.int][::1]
    right: cython.const[cython.int][::1]
    set_start: cython.const[cython.int][::1]
    left_levels: cython.const[cython.uchar][::1]
    leaf_of_node: cython.const[cython.int][::1]
    share_left: cython.const[cython.float][::1]
    uses: cython.const[cython.uchar][:, ::1]

    def __init__(self, trees):
        (
            self.roots, self.feature, self.cut, self.left, self.right, self.set_start, self.left_levels,
            self.leaf_of_node, self.share_left, self.uses,
        ) = trees  # fmt: skip

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def goes_left(self, node: cython.Py_ssize_t, code: cython.int) -> cython.bint:
        """Whether a split sends a code to the left child."""
        if self.set_start[node] < 0:
            return code <= self.cut[node]
        return self.left_levels[self.set_start[node] + code] == 1


@cython.final
@cython.cclass
class FreeWalk:
    """Scratch space of a walk with one column free: nodes that wait, and the codes that reach each of them."""

    waiting: cython.int[:, ::1]
    """Stack of nodes, and the first and stop of the codes that reach each."""
    weight: cython.double[::1]
    """Share of the row that reaches a node of the stack."""
    codes: cython.int[::1]
    """Codes of an unordered free column, in an order in which those that reach a node stand side by side."""
    spare: cython.int[::1]
    value: cython.double[::1]
    """The tree's value at every code."""
    lower: cython.double[::1]
    """For every code, where the lower and the upper bound of a score lie among the bins, and the bins there."""
    upper: cython.double[::1]
    lower_bin: cython.int[::1]
    upper_bin: cython.int[::1]
    low: cython.double[::1]
    """For every code, the two bounds of a score, standardised by the surface."""
    high: cython.double[::1]

    def __init__(self, n_nodes: cython.Py_ssize_t, n_codes: cython.Py_ssize_t, with_bounds: cython.bint):
        self.waiting, self.weight = np.empty((n_nodes + 2, 3), INDEX), np.empty(n_nodes + 2, REAL)
        self.codes, self.spare, self.value = np.empty(n_codes, INDEX), np.empty(n_codes, INDEX), np.empty(n_codes, REAL)
        if with_bounds:
            self.lower, self.upper = np.empty(n_codes, REAL), np.empty(n_codes, REAL)
            self.lower_bin, self.upper_bin = np.empty(n_codes, INDEX), np.empty(n_codes, INDEX)
            self.low, self.high = np.empty(n_codes, REAL), np.empty(n_codes, REAL)


@cython.final
@cython.cclass
class Regressions:
    """The arrays of `Lines`, rows of codes, and the parents' scores of the row that is looked at.

    With a surface, a predicted score is  mean + spread · line  and a residual's unit is spread · the leaf's spread.
    """

    parents: cython.const[cython.int][::1]
    score: cython.const[cython.double][:, ::1]
    coef: cython.const[cython.double][:, ::1]
    spread: cython.const[cython.double][::1]
    low: cython.const[cython.double][:, ::1]
    high: cython.const[cython.double][:, ::1]
    x: cython.const[cython.ushort][:, :]
    row_score: cython.double[::1]
    has_surface: cython.bint
    single: cython.const[cython.double][:, :, ::1]
    pairs: cython.const[cython.int][:, ::1]
    joint: cython.const[cython.double][:, :, :, ::1]
    mean: cython.double[::1]
    """(n,) mean and log spread of the surface, without the effects of the parent that is free."""
    log_spread: cython.double[::1]
    row_mean: cython.double
    row_spread: cython.double
    bend: cython.double

    def __init__(self, lines, x, free=-1):
        self.parents, self.score, self.coef, self.spread, self.low, self.high, surface, self.bend = lines
        self.x = x
        self.row_score = np.zeros(self.parents.shape[0], REAL)
        self.row_mean, self.row_spread = 0.0, 1.0
        self.single, self.pairs, self.joint = surface.single, surface.pairs, surface.joint
        self.has_surface = self.single.shape[1] > 0
        if self.has_surface:
            self.mean, self.log_spread = np.empty(x.shape[1], REAL), np.empty(x.shape[1], REAL)
            surface_of_rows(surface, lines.parents, x, free, self.mean, self.log_spread)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def load_row(self, r: cython.Py_ssize_t, skipped: cython.Py_ssize_t) -> cython.bint:
        """Look up the scores of a row's parents, which serve all its leaves; returns whether they are new.

        The parent in place ``skipped`` is not read.
        """
        is_new: cython.bint = False
        for j in range(self.parents.shape[0]):
            if j != skipped:
                code: cython.int = self.x[self.parents[j], r]
                score: cython.double = self.score[j, code] if code != _UNKNOWN else 0.0
                is_new |= score != self.row_score[j]
                self.row_score[j] = score
        if self.has_surface and skipped < 0:
            spread: cython.double = exp(self.log_spread[r])
            is_new |= self.mean[r] != self.row_mean or spread != self.row_spread
            self.row_mean, self.row_spread = self.mean[r], spread
        return is_new

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def clipped(self, leaf: cython.Py_ssize_t, j: cython.Py_ssize_t, score: cython.double) -> cython.double:
        """A score of parent j within the range of a leaf's training rows."""
        return min(max(score, self.low[leaf, j]), self.high[leaf, j])

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def predicted_score(self, leaf: cython.Py_ssize_t, skipped: cython.Py_ssize_t) -> cython.double:
        """Score that a leaf's regression predicts for the loaded row.

        Without a parent ``skipped`` it is the regression alone, less the term of that parent.
        """
        p: cython.Py_ssize_t = self.parents.shape[0]
        total: cython.double = self.coef[leaf, p]
        for j in range(p):
            if j != skipped:
                total += self.coef[leaf, j] * self.clipped(leaf, j, self.row_score[j])
        return self.row_mean + self.row_spread * total if self.has_surface and skipped < 0 else total

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def per_unit(self, leaf: cython.Py_ssize_t) -> cython.double:
        """Spreads of a leaf's residuals per unit of the score, for the loaded row."""
        return 1.0 / (self.spread[leaf] * self.row_spread)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def standardise(
        self,
        r: cython.Py_ssize_t,
        place: cython.Py_ssize_t,
        lower: cython.double,
        upper: cython.double,
        walk: FreeWalk,
    ) -> cython.void:
        """Two scores, less the mean and divided by the spread of the surface at each code of the free parent."""
        for k in range(walk.value.shape[0]):
            mean: cython.double = self.mean[r] + self.single[0, place, k]
            log_spread: cython.double = self.log_spread[r] + self.single[1, place, k]
            walk.low[k], walk.high[k] = mean, log_spread
        for q in range(self.pairs.shape[0]):
            a: cython.Py_ssize_t = self.pairs[q, 0]
            b: cython.Py_ssize_t = self.pairs[q, 1]
            if a == place or b == place:
                other: cython.int = self.x[self.parents[b if a == place else a], r]
                if other < self.joint.shape[2]:
                    for k in range(min(walk.value.shape[0], self.joint.shape[2])):
                        walk.low[k] += self.joint[0, q, k, other] if a == place else self.joint[0, q, other, k]
                        walk.high[k] += self.joint[1, q, k, other] if a == place else self.joint[1, q, other, k]
        for k in range(walk.value.shape[0]):
            mean = walk.low[k]
            log_spread = exp(-walk.high[k])
            walk.low[k], walk.high[k] = (lower - mean) * log_spread, (upper - mean) * log_spread


@cython.final
@cython.cclass
class Mixture:
    """The arrays of `Trends` beside the lines."""

    weight: cython.const[cython.double][::1]
    rest: cython.const[cython.double][::1]
    cumulative: cython.const[cython.double][:, ::1]
    edge: cython.const[cython.double][::1]
    apart: cython.const[cython.uchar][::1]
    bend: cython.double
    has_lines: cython.bint
    off_scale: cython.int[::1]
    """Codes that are apart, in order."""
    n_off_scale: cython.Py_ssize_t
    place: cython.double[::1]
    """Scratch space, one per code: place of its upper edge among the bins, the bin there, residuals below."""
    bin: cython.int[::1]
    below: cython.double[::1]

    def __init__(self, trends):
        lines, self.weight, self.rest, self.cumulative, self.edge, self.apart = trends
        self.bend = lines.bend
        self.has_lines = self.weight.shape[0] > 0

    @cython.cfunc
    def look_at_all_codes(self):
        """List the codes apart and make scratch space, which not all kernels need."""
        n = self.edge.shape[0]
        self.place, self.below = np.empty(n, REAL), np.empty(n, REAL)
        self.bin, self.off_scale = np.empty(n, INDEX), np.empty(n, INDEX)
        self.n_off_scale = 0
        for k in range(self.apart.shape[0]):
            if self.apart[k] == 1:
                self.off_scale[self.n_off_scale] = cython.cast(cython.int, k)
                self.n_off_scale += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def residuals_below(self, leaf: cython.Py_ssize_t, residual: cython.double) -> cython.double:
        """Cumulative distribution of a leaf's residuals, linear in the place inside each bin."""
        if residual <= -_REACH:
            return 0.0
        if residual >= _REACH:
            return 1.0
        place: cython.double = max(place_of(residual, self.bend), 0.0)
        b: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, place), _N_BINS - 1)
        low: cython.double = self.cumulative[leaf, b]
        return low + (place - b) * (self.cumulative[leaf, b + 1] - low)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def mass_between(
        self,
        leaf: cython.Py_ssize_t,
        lower: cython.double,
        upper: cython.double,
        centre: cython.double,
        per_unit: cython.double,
    ) -> cython.double:
        """Probability of the scores between two bounds, given the predicted score and the spreads per unit."""
        above: cython.double = self.residuals_below(leaf, (upper - centre) * per_unit)
        return above - self.residuals_below(leaf, (lower - centre) * per_unit)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def last_at_most(
    sorted_values: cython.pointer[cython.const[cython.double]], n: cython.Py_ssize_t, value: cython.double
) -> cython.Py_ssize_t:
    """Index of the last of n sorted values that is not above a value; the first one is not."""
    at: cython.Py_ssize_t = 0
    while n > 1:  # without branches, which would be guessed wrong half of the time
        half: cython.Py_ssize_t = n >> 1
        at += half if sorted_values[at + half] <= value else 0
        n -= half
    return at


def share_of_left(left: cython.const[cython.int][:], right: cython.const[cython.int][:], count: cython.double[:]):
    """Share of each node's rows that go left, a half where there are none; ``count`` holds the leaves' rows.

    left, right (m,) INDEX, children after their parents | count (m,) REAL, filled in for inner nodes
    returns (m,) float32
    """
    share = np.full(left.shape[0], 0.5, np.float32)
    out: cython.float[::1] = share
    node: cython.Py_ssize_t
    with cython.nogil:
        for node in range(left.shape[0] - 1, -1, -1):
            if left[node] >= 0:
                count[node] = count[left[node]] + count[right[node]]
                if count[node] > 0.0:
                    out[node] = cython.cast(cython.float, count[left[node]] / count[node])
    return share


def leaves_of_rows(trees, x: cython.const[cython.ushort][:, :], leaves: cython.int[:, ::1]) -> None:
    """Leaf of every row in the first trees; all columns that the trees use are known.

    x (d, n) CODE | leaves (n, b) INDEX, written: as many trees as it has room for
    """
    forest = Forest(trees)
    node: cython.Py_ssize_t
    with cython.nogil:
        for t in range(leaves.shape[1]):
            for r in range(x.shape[1]):
                node = forest.roots[t]
                while forest.left[node] >= 0:
                    if forest.goes_left(node, x[forest.feature[node], r]):
                        node = forest.left[node]
                    else:
                        node = forest.right[node]
                leaves[r, t] = forest.leaf_of_node[node]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_regression(
    lines: Regressions,
    trends: Mixture,
    leaf: cython.Py_ssize_t,
    mass: cython.double,
    score: cython.double[:, ::1],
    r: cython.Py_ssize_t,
) -> cython.void:
    """Share a mass out to the codes on the scale as a leaf's regression predicts them for the loaded row."""
    centre: cython.double = lines.predicted_score(leaf, -1)
    per_unit: cython.double = lines.per_unit(leaf)
    bend: cython.double = lines.bend
    n_bins: cython.double = _N_BINS
    # Only codes within reach of the residuals: from the first whose upper edge lies above their lower end to the
    # first, ``last``, whose upper edge does not lie below their upper end. A code apart has no width and gets nothing.
    edges: cython.pointer[cython.const[cython.double]] = cython.address(trends.edge[0])
    first: cython.Py_ssize_t = last_at_most(edges, trends.edge.shape[0], centre - _REACH / per_unit)
    last: cython.Py_ssize_t = last_at_most(edges, trends.edge.shape[0], centre + _REACH / per_unit)
    while last > first and (edges[last] - centre) * per_unit >= _REACH:
        last -= 1
    while (edges[last + 1] - centre) * per_unit < _REACH:
        last += 1
    # Separate loops, which the compiler turns into vector instructions.
    for k in range(first, last):
        residual: cython.double = max((trends.edge[k + 1] - centre) * per_unit, -_REACH)
        trends.place[k] = min(max(place_of(residual, bend), 0.0), n_bins)
    for k in range(first, last):
        trends.bin[k] = cython.cast(cython.int, min(trends.place[k], n_bins - 1.0))
        trends.place[k] -= trends.bin[k]
    trends.below[first] = 0.0
    for k in range(first, last):
        b: cython.Py_ssize_t = trends.bin[k]
        low: cython.double = trends.cumulative[leaf, b]
        trends.below[k + 1] = low + trends.place[k] * (trends.cumulative[leaf, b + 1] - low)
    trends.below[last + 1] = 1.0
    for k in range(first, last + 1):
        score[r, k] += mass * (trends.below[k + 1] - trends.below[k])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_leaf(
    lines: Regressions,
    trends: Mixture,
    table: cython.const[cython.float][:, ::1],
    leaf: cython.Py_ssize_t,
    score: cython.double[:, ::1],
    r: cython.Py_ssize_t,
) -> cython.void:
    """Add a leaf's distribution over the codes to row r of the scores, given the loaded row of codes."""
    weight: cython.double = trends.weight[leaf] if trends.has_lines else 0.0
    rest: cython.double = 1.0 - weight
    for k in range(score.shape[1]):
        score[r, k] += rest * table[leaf, k]
    if weight == 0.0:
        return
    for i in range(trends.n_off_scale):
        k = trends.off_scale[i]
        score[r, k] += weight * table[leaf, k]
    add_regression(lines, trends, leaf, weight * trends.rest[leaf], score, r)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_histograms(
    table: cython.const[cython.float][:, ::1],
    leaves: cython.const[cython.int][:, :],
    score: cython.double[:, ::1],
    r: cython.Py_ssize_t,
) -> cython.void:
    """Write the sum of the histograms of a row's leaves, in the order of the leaves."""
    t: cython.Py_ssize_t = 0
    n_leaves: cython.Py_ssize_t = leaves.shape[1]
    if n_leaves % 4:
        for k in range(score.shape[1]):
            score[r, k] = table[leaves[r, 0], k]
        for t in range(1, n_leaves % 4):
            for k in range(score.shape[1]):
                score[r, k] += table[leaves[r, t], k]
        t = n_leaves % 4
    else:
        for k in range(score.shape[1]):
            score[r, k] = 0.0
    while t < n_leaves:  # four leaves in one pass
        a: cython.Py_ssize_t = leaves[r, t]
        b: cython.Py_ssize_t = leaves[r, t + 1]
        c: cython.Py_ssize_t = leaves[r, t + 2]
        d: cython.Py_ssize_t = leaves[r, t + 3]
        for k in range(score.shape[1]):
            score[r, k] = score[r, k] + table[a, k] + table[b, k] + table[c, k] + table[d, k]
        t += 4


def mean_shares(
    trends,
    table: cython.const[cython.float][:, ::1],
    leaves: cython.const[cython.int][:, :],
    x: cython.const[cython.ushort][:, :],
    score: cython.double[:, ::1],
) -> None:
    """How likely each code is in the mean over each row's leaves.

    table (L, K) float32 | leaves (n, b) INDEX | x (d, n) CODE | score (n, K) REAL, written
    """
    mixture, lines = Mixture(trends), Regressions(trends.lines, x)
    mixture.look_at_all_codes()
    n_leaves: cython.Py_ssize_t = leaves.shape[1]
    by_inverse: cython.bint = n_leaves & (n_leaves - 1) == 0  # a power of two has an exact inverse
    inverse: cython.double = 1.0 / n_leaves
    with cython.nogil:
        for r in range(score.shape[0]):
            is_new: cython.bint = lines.load_row(r, -1) or r == 0
            for t in range(n_leaves):
                is_new |= leaves[r, t] != leaves[r - (r > 0), t]
            if not is_new:  # resampling leaves copies of a row side by side
                for k in range(score.shape[1]):
                    score[r, k] = score[r - 1, k]
                continue
            if mixture.has_lines:
                for k in range(score.shape[1]):
                    score[r, k] = 0.0
                for t in range(n_leaves):
                    add_leaf(lines, mixture, table, leaves[r, t], score, r)
            else:
                add_histograms(table, leaves, score, r)
            if n_leaves == 1:
                continue
            if by_inverse:
                for k in range(score.shape[1]):
                    score[r, k] *= inverse
            else:
                for k in range(score.shape[1]):
                    score[r, k] /= n_leaves


def shares_of_codes(
    trends,
    table: cython.const[cython.float][:, ::1],
    leaves: cython.const[cython.int][:, :],
    x: cython.const[cython.ushort][:, :],
    codes: cython.const[cython.ushort][:],
    out: cython.double[:, ::1],
) -> None:
    """How likely each row's code is in each of its leaves.

    table (L, K) float32 | leaves (n, b) INDEX | x (d, n) CODE | codes (n,) CODE | out (n, b) REAL, written
    """
    mixture, lines = Mixture(trends), Regressions(trends.lines, x)
    code: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    with cython.nogil:
        for r in range(codes.shape[0]):
            code = codes[r]
            if not mixture.has_lines or mixture.apart[code] == 1:
                for t in range(leaves.shape[1]):
                    out[r, t] = table[leaves[r, t], code]
                continue
            lines.load_row(r, -1)
            for t in range(leaves.shape[1]):
                leaf = leaves[r, t]
                share: cython.double = table[leaf, code]
                weight: cython.double = mixture.weight[leaf]
                if weight > 0.0:
                    along: cython.double = mixture.mass_between(leaf, mixture.edge[code], mixture.edge[code + 1],
                        lines.predicted_score(leaf, -1), lines.per_unit(leaf),
                    )  # fmt: skip
                    share = (1.0 - weight) * share + weight * mixture.rest[leaf] * along
                out[r, t] = share


def centres_of_rows(
    lines,
    leaf_of_row: cython.const[cython.int][:],
    x: cython.const[cython.ushort][:, :],
    out: cython.double[:],
    spread: cython.double[:],
) -> None:
    """Score that the regression of its leaf predicts for each row, and the unit of its residual.

    leaf_of_row (n,) INDEX | x (d, n) CODE | out, spread (n,) REAL, written
    """
    regressions = Regressions(lines, x)
    with cython.nogil:
        for r in range(out.shape[0]):
            regressions.load_row(r, -1)
            out[r] = regressions.predicted_score(leaf_of_row[r], -1)
            spread[r] = regressions.spread[leaf_of_row[r]] * regressions.row_spread


def left_out_shares(
    trends,
    alone: cython.const[cython.float][:, ::1],
    leaf_of_row: cython.const[cython.int][:],
    codes: cython.const[cython.ushort][:],
    residual: cython.const[cython.double][:],
    z: cython.const[cython.double][:],
    spread: cython.const[cython.double][:],
    out: cython.double[:],
) -> None:
    """How likely the regressions make each row's code among those on the scale, the row itself left out.

    alone (L, N_RESIDUALS) float32: shares of the residuals, left out | leaf_of_row (n,) INDEX | codes (n,) CODE
    residual (n,) REAL, as seen by a regression without the row | z (n,) REAL: scores | spread (n,) REAL: the units of
    the residuals, as from `centres_of_rows` | out (n,) REAL, written
    """
    mixture = Mixture(trends)
    own: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    code: cython.Py_ssize_t
    with cython.nogil:
        for r in range(out.shape[0]):
            leaf = leaf_of_row[r]
            code = codes[r]
            low: cython.double = residual[r] + (mixture.edge[code] - z[r]) / spread[r]
            high: cython.double = residual[r] + (mixture.edge[code + 1] - z[r]) / spread[r]
            own = cython.cast(cython.Py_ssize_t, place_of(within_reach(residual[r]), mixture.bend))
            own = min(max(own, 0), _N_BINS - 1)
            others: cython.double = mixture.residuals_below(leaf, high) - mixture.residuals_below(leaf, low)
            low, high = place_of(within_reach(low), mixture.bend), place_of(within_reach(high), mixture.bend)
            overlap: cython.double = max(0.0, min(high, own + 1.0) - max(low, cython.cast(cython.double, own)))
            others -= overlap * (mixture.cumulative[leaf, own + 1] - mixture.cumulative[leaf, own])
            out[r] = max(others, 0.0) + overlap * alone[leaf, own]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push_node(
    walk: FreeWalk,
    depth: cython.Py_ssize_t,
    node: cython.int,
    first: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    weight: cython.double,
) -> cython.Py_ssize_t:
    """Leave a node for later; returns the new depth of the stack."""
    walk.waiting[depth, 0] = node
    walk.waiting[depth, 1] = cython.cast(cython.int, first)
    walk.waiting[depth, 2] = cython.cast(cython.int, stop)
    walk.weight[depth] = weight
    return depth + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def part_codes(
    walk: FreeWalk, trees: Forest, node: cython.Py_ssize_t, lo: cython.Py_ssize_t, hi: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Move the codes lo … hi − 1 of the permutation that go left to the front; returns where the others begin."""
    middle: cython.Py_ssize_t = lo
    late: cython.Py_ssize_t = 0
    for i in range(lo, hi):  # a code is written to both sides, and stays where it belongs: there is no branch to guess
        code: cython.int = walk.codes[i]
        left: cython.bint = trees.goes_left(node, code)
        walk.codes[middle] = walk.spare[late] = code
        middle += left
        late += not left
    for i in range(late):
        walk.codes[middle + i] = walk.spare[i]
    return middle


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_moved_range(
    walk: FreeWalk,
    lines: Regressions,
    trends: Mixture,
    leaf: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    centre: cython.double,
    mass: cython.double,
) -> cython.void:
    """Add to the codes lo … hi − 1 of an ordered free column the mass between two bounds, as the regression moves.

    ``centre`` is the predicted score without the free column, which is the parent in place ``place``.
    """
    slope: cython.double = lines.coef[leaf, place]
    per_unit: cython.double = 1.0 / lines.spread[leaf]
    bend: cython.double = lines.bend
    low: cython.double = lines.low[leaf, place]
    high: cython.double = lines.high[leaf, place]
    last: cython.double = _N_BINS - 1.0
    n_bins: cython.double = _N_BINS
    # Beyond the leaf's range the regression is level: one value for all codes at either end.
    moved: cython.double
    along: cython.double
    end: cython.double
    if lo < hi and not lines.has_surface:
        end = min(max(lines.score[place, lo], low), high)
        moved = centre + slope * end
        along = mass * trends.mass_between(leaf, walk.low[lo], walk.high[lo], moved, per_unit)
        while lo < hi and min(max(lines.score[place, lo], low), high) == end:
            walk.value[lo] += along
            lo += 1
    if lo < hi and not lines.has_surface:
        end = min(max(lines.score[place, hi - 1], low), high)
        moved = centre + slope * end
        along = mass * trends.mass_between(leaf, walk.low[lo], walk.high[lo], moved, per_unit)
        while lo < hi and min(max(lines.score[place, hi - 1], low), high) == end:
            walk.value[hi - 1] += along
            hi -= 1
    # Separate loops, which the compiler turns into vector instructions. At the upper end of the last bin the
    # interpolation low + 1 · (1 − low) is 1 exactly, however it is rounded.
    for k in range(lo, hi):
        moved = centre + slope * min(max(lines.score[place, k], low), high)
        walk.lower[k] = min(max((walk.low[k] - moved) * per_unit, -_REACH), _REACH)
        walk.upper[k] = min(max((walk.high[k] - moved) * per_unit, -_REACH), _REACH)
    for k in range(lo, hi):
        walk.lower[k] = min(max(place_of(walk.lower[k], bend), 0.0), n_bins)
        walk.upper[k] = min(max(place_of(walk.upper[k], bend), 0.0), n_bins)
    for k in range(lo, hi):
        walk.lower_bin[k] = cython.cast(cython.int, min(walk.lower[k], last))
        walk.lower[k] -= walk.lower_bin[k]
    for k in range(lo, hi):
        walk.upper_bin[k] = cython.cast(cython.int, min(walk.upper[k], last))
        walk.upper[k] -= walk.upper_bin[k]
    for k in range(lo, hi):
        b: cython.Py_ssize_t = walk.lower_bin[k]
        t: cython.Py_ssize_t = walk.upper_bin[k]
        below: cython.double = trends.cumulative[leaf, b]
        above: cython.double = trends.cumulative[leaf, t]
        below += walk.lower[k] * (trends.cumulative[leaf, b + 1] - below)
        above += walk.upper[k] * (trends.cumulative[leaf, t + 1] - above)
        walk.value[k] += mass * (above - below)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def scale_up(
    score: cython.double[:, ::1], r: cython.Py_ssize_t, first: cython.Py_ssize_t, stop: cython.Py_ssize_t
) -> cython.double:
    """Divide a row of scores by the largest if that is tiny; returns the log of the factor, 0 for none."""
    most: cython.double = 0.0
    for k in range(first, stop):
        most = max(most, score[r, k])
        if most >= _TINY:
            return 0.0
    if most == 0.0:
        return 0.0
    for k in range(first, stop):
        score[r, k] /= most
    return log(most)


def multiply_by_free(
    trees,
    trends,
    tree_of_row: cython.const[cython.int][:],
    table: cython.const[cython.float][:, ::1],
    column: cython.const[cython.ushort][:],
    x: cython.const[cython.ushort][:, :],
    free: cython.Py_ssize_t,
    ordered: cython.bint,
    score: cython.double[:, ::1],
    log_scale: cython.double[:],
) -> None:
    """Multiply each row's scores by the value of its tree as a function of the free column.

    A tree that never asks for the free column would multiply all its codes alike, and is left out. Scores that
    become tiny are scaled up again, so that long products do not underflow.

    tree_of_row (n,) INDEX | table (L, m) float32: a leaf's value is in column ``column[r]`` | column (n,) CODE
    x (d, n) CODE, the free column is not read | score (n, K), log_scale (n,) REAL, changed
    """
    parents: cython.const[cython.int][::1] = trends.lines.parents
    place: cython.Py_ssize_t = -1  # of the free column among the parents of the regressions
    for j in range(parents.shape[0]):
        if parents[j] == free:
            place = j
    forest, mixture, lines = Forest(trees), Mixture(trends), Regressions(trends.lines, x, place)
    n_codes: cython.Py_ssize_t = score.shape[1]
    lo: cython.Py_ssize_t
    hi: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    depth: cython.Py_ssize_t
    node: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    feature: cython.Py_ssize_t
    own: cython.Py_ssize_t
    code: cython.int
    share: cython.double
    moves: cython.bint
    walk = FreeWalk(forest.left.shape[0], n_codes, place >= 0)
    with cython.nogil:
        for r in range(score.shape[0]):
            if forest.uses[tree_of_row[r], free] == 0:
                continue
            # A code with the score 0 keeps it, and is left out of the walk.
            first, stop = 0, n_codes
            if ordered:
                while first < stop and score[r, first] == 0.0:
                    first += 1
                while first < stop and score[r, stop - 1] == 0.0:
                    stop -= 1
                lo, hi = first, stop
            else:
                lo, hi = 0, 0
                for k in range(n_codes):
                    walk.codes[hi] = cython.cast(cython.int, k)
                    hi += score[r, k] > 0.0
            if lo == hi:
                continue
            for k in range(first, stop):
                walk.value[k] = 0.0
            own = column[r]
            lines.load_row(r, place)
            if place >= 0 and mixture.apart[own] == 0:
                if lines.has_surface:
                    lines.standardise(r, place, mixture.edge[own], mixture.edge[own + 1], walk)
                else:
                    for k in range(first, stop):
                        walk.low[k], walk.high[k] = mixture.edge[own], mixture.edge[own + 1]
            depth = push_node(walk, 0, forest.roots[tree_of_row[r]], lo, hi, 1.0)
            while depth > 0:
                depth -= 1
                node, lo, hi = walk.waiting[depth, 0], walk.waiting[depth, 1], walk.waiting[depth, 2]
                weight: cython.double = walk.weight[depth]
                while forest.left[node] >= 0:  # go left at once, leave the right for later
                    feature = forest.feature[node]
                    if feature == free:
                        if ordered:
                            middle = min(max(forest.cut[node] + 1, lo), hi)
                        else:
                            middle = part_codes(walk, forest, node, lo, hi)
                        if middle == hi:
                            node = forest.left[node]
                        elif middle == lo:
                            node = forest.right[node]
                        else:
                            depth = push_node(walk, depth, forest.right[node], middle, hi, weight)
                            node, hi = forest.left[node], middle
                        continue
                    code = x[feature, r]
                    if code == _UNKNOWN:
                        share = forest.share_left[node]
                        depth = push_node(walk, depth, forest.right[node], lo, hi, weight * (1.0 - share))
                        node, weight = forest.left[node], weight * share
                    else:
                        node = forest.left[node] if forest.goes_left(node, code) else forest.right[node]
                leaf = forest.leaf_of_node[node]
                gain: cython.double = weight * table[leaf, own]
                share = mixture.weight[leaf] if mixture.has_lines else 0.0
                slope: cython.double = 0.0
                moves = False
                mass: cython.double = 0.0
                per_unit: cython.double = 0.0
                centre: cython.double = 0.0
                if share > 0.0 and mixture.apart[own] == 0:
                    mass, per_unit = weight * share * mixture.rest[leaf], lines.per_unit(leaf)
                    gain *= 1.0 - share
                    centre = lines.predicted_score(leaf, place)
                    slope = lines.coef[leaf, place] if place >= 0 else 0.0
                    moves = slope != 0.0 or (lines.has_surface and place >= 0)
                    if not moves:
                        gain += mass * mixture.mass_between(
                            leaf, mixture.edge[own], mixture.edge[own + 1], centre, per_unit
                        )
                if ordered:
                    for k in range(lo, hi):
                        walk.value[k] += gain
                else:
                    for i in range(lo, hi):
                        walk.value[walk.codes[i]] += gain
                if moves:
                    if ordered:
                        add_moved_range(walk, lines, mixture, leaf, place, lo, hi, centre, mass)
                    else:
                        for i in range(lo, hi):
                            k = walk.codes[i]
                            moved: cython.double = centre + slope * lines.clipped(leaf, place, lines.score[place, k])
                            walk.value[k] += mass * mixture.mass_between(
                                leaf, walk.low[k], walk.high[k], moved, per_unit
                            )
            for k in range(first, stop):
                score[r, k] *= walk.value[k]
            log_scale[r] += scale_up(score, r, first, stop)


def values_of_rows(
    trees,
    table: cython.const[cython.float][:, :],
    x: cython.const[cython.ushort][:, :],
    out: cython.double[:],
) -> None:
    """Value of each row in the first tree, columns that are not drawn yet averaged.

    table (L, 1) float32 | x (d, n) CODE | out (n,) REAL, written
    """
    forest = Forest(trees)
    waiting: cython.int[::1] = np.empty(forest.left.shape[0] + 2, INDEX)
    weights: cython.double[::1] = np.empty(forest.left.shape[0] + 2, REAL)
    depth: cython.Py_ssize_t
    node: cython.Py_ssize_t
    code: cython.int
    with cython.nogil:
        for r in range(out.shape[0]):
            waiting[0], weights[0] = forest.roots[0], 1.0
            depth = 1
            total: cython.double = 0.0
            while depth > 0:
                depth -= 1
                node = waiting[depth]
                weight: cython.double = weights[depth]
                while forest.left[node] >= 0:
                    code = x[forest.feature[node], r]
                    if code == _UNKNOWN:
                        share: cython.double = forest.share_left[node]
                        waiting[depth], weights[depth] = forest.right[node], weight * (1.0 - share)
                        depth += 1
                        node, weight = forest.left[node], weight * share
                    else:
                        node = forest.left[node] if forest.goes_left(node, code) else forest.right[node]
                total += weight * table[forest.leaf_of_node[node], 0]
            out[r] = total
