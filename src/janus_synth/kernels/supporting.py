"""How far the rows of a tree's nodes support an answer for other rows, and the answer on few cells of the target."""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.residuals import place_of
from cython.cimports.libc.math import exp, log, log1p

from janus_synth.kernels.dtypes import INDEX, N_RESIDUALS, PER_SPREAD, REACH, REAL
from janus_synth.kernels.routing import rows_of_leaves
from janus_synth.kernels.surfacing import surface_of_rows

_N_BINS = cython.declare(cython.Py_ssize_t, N_RESIDUALS)
_REACH = cython.declare(cython.double, REACH)
_HALF_PER_SPREAD = cython.declare(cython.double, PER_SPREAD / 2.0)
_NOTHING = cython.declare(cython.double, 700.0)
"""Distance of a level that no row has: its support underflows to 0."""


@cython.final
@cython.cclass
class Places:
    """The arrays of `Evidence`, and values of the rows that are looked at."""

    columns: cython.const[cython.int][::1]
    n_bins: cython.const[cython.int][::1]
    low: cython.const[cython.double][:, ::1]
    high: cython.const[cython.double][:, ::1]
    rate: cython.const[cython.double][:, ::1]
    occupied: cython.const[cython.ulonglong][:, :, ::1]
    near: cython.const[cython.ulonglong][:, :, ::1]
    per_spread: cython.const[cython.double][:, ::1]
    slack: cython.const[cython.double][::1]
    rows: cython.const[cython.double][::1]
    uses: cython.const[cython.uchar][:, ::1]
    allowance: cython.const[cython.double][::1]
    x: cython.const[cython.ushort][:, ::1]
    value: cython.const[cython.double][:, ::1]
    off: cython.const[cython.double][:, ::1]

    def __init__(self, evidence, x, value, off):
        (
            self.columns, self.n_bins, self.low, self.high, self.rate, self.occupied, self.near,
            self.per_spread, self.slack, self.rows, self.uses, self.allowance,
        ) = evidence  # fmt: skip
        self.x, self.value, self.off = x, value, off

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def holds(self, node: cython.Py_ssize_t, j: cython.Py_ssize_t, code: cython.Py_ssize_t) -> cython.bint:
        """Whether a node has rows with a code of column j."""
        return (self.occupied[node, j, code >> 6] >> (code & 63)) & 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_near(self, node: cython.Py_ssize_t, leaf: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.bint:
        """Whether a row lies so near a node's rows, and those of all nodes above, that chance explains its distance."""
        for j in range(self.columns.shape[0]):
            if self.uses[leaf, j]:
                code: cython.Py_ssize_t = self.x[self.columns[j], r]
                if self.off[j, r] > 0.0 or not (self.near[node, j, code >> 6] >> (code & 63)) & 1:
                    return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mark_near(
        self,
        node: cython.Py_ssize_t,
        leaf: cython.Py_ssize_t,
        rows: cython.const[cython.int][::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        near: cython.uchar[::1],
    ) -> cython.void:
        """Mark the rows of a leaf that lie near its node, as `is_near` says; column by column, without branches."""
        for i in range(first, last):
            near[i] = 1
        for j in range(self.columns.shape[0]):
            if self.uses[leaf, j]:
                for i in range(first, last):
                    r: cython.Py_ssize_t = rows[i]
                    code: cython.Py_ssize_t = self.x[self.columns[j], r]
                    bit: cython.ulonglong = (self.near[node, j, code >> 6] >> (code & 63)) & 1
                    near[i] &= cython.cast(cython.uchar, bit) & (self.off[j, r] <= 0.0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def distance(self, node: cython.Py_ssize_t, leaf: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.double:
        """Distance of a row from the rows of a node, added up over the columns that count in the leaf."""
        in_spreads: cython.double = 0.0
        in_nats: cython.double = 0.0
        for j in range(self.columns.shape[0]):
            if self.uses[leaf, j]:
                if self.x[self.columns[j], r] < self.n_bins[j]:
                    in_spreads += self.spreads_off(node, j, r)
                else:
                    in_nats += self.nats_off(node, j, r)
        return max(in_spreads - self.slack[node] * self.allowance[leaf], 0.0) + in_nats

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def spreads_off(self, node: cython.Py_ssize_t, j: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.double:
        """Distance of a value from the nearest one of a node's rows, in units of their spread."""
        code: cython.Py_ssize_t = self.x[self.columns[j], r]
        off: cython.double = self.off[j, r]
        if not self.holds(node, j, code):
            off = max(off, self.gap_at(node, j, code, self.value[j, r]))
        return off * self.per_spread[node, j]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def nats_off(self, node: cython.Py_ssize_t, j: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.double:
        """How surprising it is that a node's rows lack a level: −log of its probability by chance, but bounded."""
        code: cython.Py_ssize_t = self.x[self.columns[j], r]
        if self.off[j, r] > 0.0:
            return _NOTHING
        if self.holds(node, j, code):
            return 0.0
        return min(self.rows[node] * self.rate[j, code], log1p(self.rows[node]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gap_at(
        self, node: cython.Py_ssize_t, j: cython.Py_ssize_t, code: cython.Py_ssize_t, value: cython.double
    ) -> cython.double:
        """Distance of a value from the nearest bin that a node's rows occupy; infinite if there is none."""
        nearest: cython.double = _NOTHING / max(self.per_spread[node, j], 1e-300)
        k: cython.Py_ssize_t = code - 1
        while k >= 0:
            if self.holds(node, j, k):
                nearest = min(nearest, max(value - self.high[j, k], 0.0))
                break
            k -= 1
        k = code + 1
        while k < self.n_bins[j]:
            if self.holds(node, j, k):
                nearest = min(nearest, max(self.low[j, k] - value, 0.0))
                break
            k += 1
        return nearest


def support_of_rows(
    trees,
    evidence,
    x: cython.const[cython.ushort][:, ::1],
    value: cython.const[cython.double][:, ::1],
    off: cython.const[cython.double][:, ::1],
    cells: cython.const[cython.double][:, ::1],
    noise: cython.const[cython.double][::1],
    leaves: cython.int[:, ::1],
    support: cython.double[:, ::1],
    mean: cython.double[:, ::1],
    expected: cython.double[::1],
) -> None:
    """Leaf of every row in every tree, its support there, and what the nodes above say in the leaf's place.

    Rows go down a tree together, and those of a leaf are compared with its node column by column: half the time of one
    row after the other.

    A node at distance e supports a row with probability exp(−e), and no more than the nodes above it do. A row that
    leaves the path at a node is answered by the node above that one, the root by itself.

    x (d, n) CODE | value, off (J, n) REAL: values of the columns of the evidence, and their distance from any row
    cells (m, C), noise (m,) REAL: distribution and expected entropy of a new part of each node
    leaves (n, b) INDEX, support (n, b), mean (n, C), expected (n,) REAL, written: means over the trees
    """
    roots: cython.const[cython.int][::1] = trees.roots
    left: cython.const[cython.int][::1] = trees.left
    right: cython.const[cython.int][::1] = trees.right
    leaf_of_node: cython.const[cython.int][::1] = trees.leaf_of_node
    places = Places(evidence, x, value, off)
    n_nodes: cython.Py_ssize_t = left.shape[0]
    n_trees: cython.Py_ssize_t = leaves.shape[1]
    rows: cython.int[::1] = np.empty(leaves.shape[0], INDEX)
    near: cython.uchar[::1] = np.empty(leaves.shape[0], np.uint8)
    begin: cython.int[::1] = np.zeros(n_nodes, INDEX)
    end: cython.int[::1] = np.zeros(n_nodes, INDEX)
    above: cython.int[::1] = np.full(n_nodes, -1, INDEX)
    path: cython.int[::1] = np.empty(n_nodes, INDEX)
    t: cython.Py_ssize_t
    node: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    last: cython.Py_ssize_t
    r: cython.Py_ssize_t
    for node in range(n_nodes):
        if left[node] >= 0:
            above[left[node]] = above[right[node]] = cython.cast(cython.int, node)
    mean[:, :] = 0.0
    expected[:] = 0.0
    for t in range(n_trees):
        rows_of_leaves(
            x, roots[t], trees.feature, trees.cut, left, right, trees.set_start, trees.left_levels, leaf_of_node,
            rows, begin, end,
        )  # fmt: skip
        last = roots[t + 1] if t + 1 < n_trees else n_nodes
        with cython.nogil:
            for node in range(roots[t], last):
                leaf = leaf_of_node[node]
                if left[node] >= 0 or begin[leaf] == end[leaf]:
                    continue
                places.mark_near(node, leaf, rows, begin[leaf], end[leaf], near)
                for i in range(begin[leaf], end[leaf]):
                    r = rows[i]
                    leaves[r, t] = cython.cast(cython.int, leaf)
                    support[r, t] = 1.0
                    if not near[i]:
                        support[r, t] = leave_path(
                            places, above, path, node, leaf, r, cells, noise, mean, expected, n_trees
                        )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def leave_path(
    places: Places,
    above: cython.const[cython.int][::1],
    path: cython.int[::1],
    node: cython.Py_ssize_t,
    leaf: cython.Py_ssize_t,
    r: cython.Py_ssize_t,
    cells: cython.const[cython.double][:, ::1],
    noise: cython.const[cython.double][::1],
    mean: cython.double[:, ::1],
    expected: cython.double[::1],
    n_trees: cython.Py_ssize_t,
) -> cython.double:
    """Support of a row in its leaf; adds what the nodes on the path to the leaf's node say for the rest.

    above (m,) INDEX: node above each | path (m,) INDEX: work space | others as for `support_of_rows`
    """
    n_steps: cython.Py_ssize_t = 1
    path[0] = cython.cast(cython.int, node)
    while above[path[n_steps - 1]] >= 0 and not places.is_near(above[path[n_steps - 1]], leaf, r):
        path[n_steps] = above[path[n_steps - 1]]
        n_steps += 1
    left_over: cython.double = 1.0
    asked: cython.Py_ssize_t = above[path[n_steps - 1]]  # the first node that is near, or else the root
    if asked < 0:
        asked = path[n_steps - 1]
    for step in range(n_steps - 1, -1, -1):
        reached: cython.double = min(left_over, exp(-places.distance(path[step], leaf, r)))
        if reached < left_over:
            for c in range(cells.shape[1]):
                mean[r, c] += (left_over - reached) / n_trees * cells[asked, c]
            expected[r] += (left_over - reached) / n_trees * noise[asked]
            left_over = reached
        asked = path[step]
    return left_over


def add_leaves(
    hist: cython.const[cython.double][:, ::1],
    noise: cython.const[cython.double][::1],
    leaves: cython.const[cython.int][:, ::1],
    support: cython.const[cython.double][:, ::1],
    mean: cython.double[:, ::1],
    expected: cython.double[::1],
) -> None:
    """Add what histogram leaves say, as far as they support each row.

    hist (L, C), noise (L,) REAL: distribution of each leaf on the cells, and its expected entropy
    leaves (n, b) INDEX, support (n, b) REAL | mean (n, C), expected (n,) REAL, changed
    """
    n_trees: cython.Py_ssize_t = leaves.shape[1]
    leaf: cython.Py_ssize_t
    with cython.nogil:
        for r in range(leaves.shape[0]):
            for t in range(n_trees):
                leaf = leaves[r, t]
                share: cython.double = support[r, t] / n_trees
                expected[r] += share * noise[leaf]
                for c in range(hist.shape[1]):
                    mean[r, c] += share * hist[leaf, c]


def predict_scores(
    lines,
    middle: cython.const[cython.double][:, ::1],
    precision: cython.const[cython.double][:, ::1],
    leaves: cython.const[cython.int][:, ::1],
    x: cython.const[cython.ushort][:, :],
    centre: cython.double[:, ::1],
    leverage: cython.double[:, ::1],
    spread: cython.double[::1],
) -> None:
    """Score that each leaf's regression predicts for a row, and its variance in units of the residuals' variance.

    The variance is that of the regression; that of a surface is added by the caller.

    middle (L, p): mean score of each parent in a leaf | precision (L, p + 1): of each slope, and last of the intercept
    leaves (n, b) INDEX | x (d, n) CODE | centre, leverage (n, b) REAL, written | spread (n,) REAL, written: that of the
    surface, 1 without one
    """
    parents: cython.const[cython.int][::1] = lines.parents
    score: cython.const[cython.double][:, ::1] = lines.score
    coef: cython.const[cython.double][:, ::1] = lines.coef
    low: cython.const[cython.double][:, ::1] = lines.low
    high: cython.const[cython.double][:, ::1] = lines.high
    p: cython.Py_ssize_t = parents.shape[0]
    leaf: cython.Py_ssize_t
    means = np.zeros(x.shape[1], REAL)
    mean: cython.double[::1] = means
    has_surface: cython.bint = lines.surface.single.shape[1] > 0
    if has_surface:
        surface_of_rows(lines.surface, lines.parents, x, -1, means, np.asarray(spread))
    with cython.nogil:
        for r in range(leaves.shape[0]):
            spread[r] = exp(spread[r]) if has_surface else 1.0
            for t in range(leaves.shape[1]):
                leaf = leaves[r, t]
                total: cython.double = coef[leaf, p]
                variance: cython.double = 1.0 / precision[leaf, p]
                for j in range(p):
                    z: cython.double = min(max(score[j, x[parents[j], r]], low[leaf, j]), high[leaf, j])
                    total += coef[leaf, j] * z
                    variance += (z - middle[leaf, j]) * (z - middle[leaf, j]) / precision[leaf, j]
                centre[r, t] = mean[r] + spread[r] * total
                leverage[r, t] = variance


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def density_at(
    cumulative: cython.const[cython.double][:, ::1],
    leaf: cython.Py_ssize_t,
    residual: cython.double,
    bend: cython.double,
) -> cython.double:
    """Density of a leaf's residuals, per spread."""
    if residual <= -_REACH or residual >= _REACH:
        return 0.0
    place: cython.double = max(place_of(residual, bend), 0.0)
    b: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, place), _N_BINS - 1)
    rest: cython.double = 1.0 + bend * abs(residual)
    bins_per_spread: cython.double = _HALF_PER_SPREAD * (1.0 + (1.0 + bend * _REACH) / (rest * rest))
    return (cumulative[leaf, b + 1] - cumulative[leaf, b]) * bins_per_spread


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def share_below(
    cumulative: cython.const[cython.double][:, ::1],
    leaf: cython.Py_ssize_t,
    residual: cython.double,
    bend: cython.double,
) -> cython.double:
    """Share of a leaf's residuals below one."""
    if residual <= -_REACH:
        return 0.0
    if residual >= _REACH:
        return 1.0
    place: cython.double = max(place_of(residual, bend), 0.0)
    b: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, place), _N_BINS - 1)
    return cumulative[leaf, b] + (place - b) * (cumulative[leaf, b + 1] - cumulative[leaf, b])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def unknown(alpha: cython.double) -> cython.double:
    """α (ψ(α + 1) − log α): what is not known of one cell of a Dirichlet, in units of its rows; to about 1e-6."""
    if alpha <= 0.0:
        return 0.0
    if alpha >= 8.0:
        return 0.5 - 1.0 / (12.0 * alpha) + 1.0 / (120.0 * alpha * alpha * alpha)
    x: cython.double = alpha + 4.0  # ψ(α + 1) by recurrence from where its series is short
    psi: cython.double = log(x) - 0.5 / x - 1.0 / (12.0 * x * x) + 1.0 / (120.0 * x * x * x * x)
    psi -= 1.0 / (alpha + 1.0) + 1.0 / (alpha + 2.0) + 1.0 / (alpha + 3.0)
    return alpha * (psi - log(alpha))


def add_mixtures(
    mixture,
    leaves: cython.const[cython.int][:, ::1],
    support: cython.const[cython.double][:, ::1],
    centre: cython.const[cython.double][:, ::1],
    leverage: cython.const[cython.double][:, ::1],
    width: cython.const[cython.double][::1],
    log_variance: cython.const[cython.double][::1],
    mean: cython.double[:, ::1],
    expected: cython.double[::1],
) -> None:
    """Add what leaves with trends say, as far as they support each row.

    A leaf's entropy is reduced by the information that one more row would give: about its histogram and its residuals,
    each weighted by its share of the mixture (see `trees.cells`), and about its regression: half the log of 1 plus the
    variance of the predicted score times the Fisher information that the cells carry about it. The log of the surface's
    spread adds likewise.

    leaves (n, b) INDEX, support, centre, leverage (n, b) REAL | width, log_variance (n,) REAL: spread of the surface,
    and variance of its log | mean (n, C), expected (n,) REAL, changed
    """
    weight: cython.const[cython.double][::1] = mixture.weight
    rest: cython.const[cython.double][::1] = mixture.rest
    cumulative: cython.const[cython.double][:, ::1] = mixture.cumulative
    spread: cython.const[cython.double][::1] = mixture.spread
    edge: cython.const[cython.double][::1] = mixture.edge
    hist: cython.const[cython.double][:, ::1] = mixture.hist
    apart: cython.const[cython.double][:, ::1] = mixture.apart
    gain: cython.const[cython.double][:, ::1] = mixture.gain
    bend: cython.double = mixture.bend
    n_trees: cython.Py_ssize_t = leaves.shape[1]
    n_cells: cython.Py_ssize_t = hist.shape[1]
    leaf: cython.Py_ssize_t
    with cython.nogil:
        for r in range(leaves.shape[0]):
            for t in range(n_trees):
                leaf = leaves[r, t]
                share: cython.double = support[r, t] / n_trees
                if share <= 0.0:
                    continue
                w: cython.double = weight[leaf]
                per_unit: cython.double = 1.0 / (spread[leaf] * width[r])
                entropy: cython.double = 0.0
                shared: cython.double = 0.0
                fisher: cython.double = 0.0
                fisher_log: cython.double = 0.0
                far: cython.double = 0.0
                below: cython.double = 0.0
                dense: cython.double = 0.0
                rows: cython.double = gain[leaf, 2]
                of_residuals: cython.double = -unknown(rows)
                for c in range(n_cells):
                    residual: cython.double = (edge[c + 1] - centre[r, t]) * per_unit
                    up_to: cython.double = share_below(cumulative, leaf, residual, bend)
                    at: cython.double = density_at(cumulative, leaf, residual, bend)
                    far_up: cython.double = at * residual if at > 0.0 else 0.0
                    h: cython.double = (1.0 - w) * hist[leaf, c]
                    p: cython.double = h + w * (rest[leaf] * (up_to - below) + apart[leaf, c])
                    if p > 0.0:
                        mean[r, c] += share * p
                        entropy -= p * log(p)
                        shared += h * h / p
                        slope: cython.double = w * rest[leaf] * (at - dense)
                        fisher += slope * slope / p
                        slope = w * rest[leaf] * (far_up - far)
                        fisher_log += slope * slope / p
                    of_residuals += unknown(rows * (up_to - below))
                    below = up_to
                    dense = at
                    far = far_up
                on_trend: cython.double = min(max(2.0 * w - 1.0 + shared, 0.0), 1.0)
                of_residuals = max(of_residuals, 0.0) / rows * rest[leaf]
                known: cython.double = shared * gain[leaf, 0] + on_trend * (gain[leaf, 1] + of_residuals)
                known += 0.5 * log1p(leverage[r, t] * fisher) + 0.5 * log1p(log_variance[r] * fisher_log)
                expected[r] += share * max(entropy - known, 0.0)
