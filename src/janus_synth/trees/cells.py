"""Cells: a bag in; its leaves on a few cells of the target that stay the same however many rows there are, out.

The cells of an ordered column are the slots of its Pólya tree after three halvings of the mass, eight at most, and
*missing*; an unordered column has a cell per level. Entropies on cells compare between tables of any size, where those
on codes grow with the number of bins.

A leaf with a trend predicts the mixture p = (1 − ω) h + ω g of a histogram h and a regression g. If the component of a
row were observed, its information would be (1 − ω) I(h) + ω I(g), with I in closed form. It is not, so each component
is weighted by its expected responsibility, the mean of (1 − ω) h / p under h and of ω g / p under g: 1 if the
components do not overlap, their mixture weights if they coincide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.arrays import Floats, Ints, LongInts
from janus_synth.kernels.dtypes import COUNT, INDEX
from janus_synth.trees.bag import Bag
from janus_synth.trees.code_tree import CodeTree, slot_incidence
from janus_synth.trees.fit_trend import RIDGE, SMOOTH_RIDGE
from janus_synth.trees.leaves import dirichlet_epistemic, entropy_of, shrunken_shares
from janus_synth.trees.residual_grid import place_among_bins, residual_prior
from janus_synth.trees.surface import FEW_PARENTS

if TYPE_CHECKING:
    from janus_synth.kernels.views import CellMixture

HALVINGS = 3
"""Halvings of an ordered column's mass: eight cells."""
TYPICAL_EDGES = np.linspace(-1.5, 1.5, 7)
"""Residuals at which cells typically end, in spreads."""
N_TYPICAL = 9
"""Standard normal quantiles at which the entropy of a trend leaf is averaged."""


@dataclass(frozen=True, eq=False)
class CellLeaves:
    """Distribution of each leaf on the cells, with what one more row would teach about it."""

    cell_of_code: Ints
    """(K,)"""
    shares: Floats
    """(L, C) posterior mean of the leaf's histogram."""
    expected: Floats
    """(L,) expected entropy of a leaf: of its histogram, or of its mixture at typical parents."""
    mixture: CellMixture | None = None
    """Leaves with trends."""
    middle: Floats | None = None
    """(L, p) mean score of each parent in the leaf's regression,"""
    precision: Floats | None = None
    """(L, p + 1) and the precision of its slopes and intercept, in rows, see `regression_precision`."""

    @property
    def n_cells(self) -> int:
        """Cells of the target."""
        return int(self.shares.shape[1])


def cell_leaves(bag: Bag) -> CellLeaves:
    """Leaves of a bag on cells of the target."""
    leaves, splits = bag.leaves, bag.splits
    tree, cell_of_code = coarse_tree(leaves.tree)
    seen = np.asarray(leaves.forward.sum(axis=0)).ravel() > 0
    share_of_slot = leaves.tree.share_of_allowed(leaves.allowed | seen)[slots_of(leaves.tree, tree)]
    expected = np.zeros(splits.n_leaves)
    shares = shrunken_shares(
        splits,
        merge_codes(leaves.forward, cell_of_code),
        tree,
        prior=share_of_slot,
        concentration=tree.concentration(leaves.prior_strength),
        at_root=tree.concentration(leaves.prior_strength, leaves.root_strength),
        hierarchical=leaves.hierarchical,
        mean_entropy=expected,
    ).astype(float)
    if leaves.drawn is not None:  # a draw from the posterior is known
        shares = sum_codes(np.asarray(leaves.drawn, float), cell_of_code)
        expected = entropy_of(shares)
    found = CellLeaves(cell_of_code, shares, expected)
    return found if bag.trends is None else _with_trends(bag, found)


# Cells of codes


def coarse_tree(tree: CodeTree) -> tuple[CodeTree, Ints]:
    """The upper part of a code tree, and the cell of each code: one per slot at which it ends."""
    split_of_codes = np.bincount(tree.slot_up[1:], minlength=tree.n_slots)
    if split_of_codes[0] != 2:  # one split into levels
        return tree, np.arange(tree.n_codes, dtype=INDEX)
    deepest = HALVINGS + (1 if _splits_missing_first(tree) else 0)
    level, ends = tree.level, tree.path_slot[tree.path_start[1:] - 1].copy()
    while (deep := level[ends] > deepest).any():
        ends[deep] = tree.slot_up[ends[deep]]
    kept = np.flatnonzero(level <= deepest)
    number = np.full(tree.n_slots, -1, INDEX)
    number[kept] = np.arange(len(kept))
    slot_of_cell, cell_of_code = _in_order(ends)
    paths = [_path_to(tree, slot, number) for slot in slot_of_cell]
    start = np.concatenate([[0], np.cumsum([len(path) for path in paths])]).astype(INDEX)
    coarse = CodeTree(start, np.concatenate(paths).astype(INDEX), number[tree.slot_up[kept]], tree.mass[kept])
    return coarse, cell_of_code


def slots_of(tree: CodeTree, coarse: CodeTree) -> LongInts:
    """Slots of a code tree that its upper part keeps."""
    return np.arange(tree.n_slots) if coarse is tree else np.flatnonzero(tree.level <= coarse.level.max())


def _splits_missing_first(tree: CodeTree) -> bool:
    """Whether the first split of an ordered column separates its last code from all others."""
    last = tree.path_slot[tree.path_start[-2] : tree.path_start[-1]]
    return len(last) == 1 and tree.n_codes > 2


def _in_order(ends: Ints) -> tuple[Ints, Ints]:
    """Distinct slots in the order of their codes, and the place of each code's slot among them."""
    _, first = np.unique(ends, return_index=True)
    slots = ends[np.sort(first)]
    place = {int(slot): i for i, slot in enumerate(slots)}
    return slots, np.array([place[int(slot)] for slot in ends], INDEX)


def _path_to(tree: CodeTree, slot: int, number: Ints) -> list[int]:
    """Slots below the root down to one of them, by their new numbers."""
    path = []
    while slot:
        path.append(int(number[slot]))
        slot = int(tree.slot_up[slot])
    return path[::-1]


def merge_codes(counts: Any, cell_of_code: Ints) -> Any:
    """csr_array (leaves × cells): counts of the codes of each cell together."""
    from scipy.sparse import csr_array

    n_codes, n_cells = len(cell_of_code), int(cell_of_code.max()) + 1
    into = csr_array((np.ones(n_codes, COUNT), (np.arange(n_codes), cell_of_code)), shape=(n_codes, n_cells))
    merged = (counts @ into).tocsr()
    merged.sort_indices()
    return csr_array(
        (merged.data.astype(COUNT), merged.indices.astype(INDEX), merged.indptr.astype(INDEX)), shape=merged.shape
    )


def sum_codes(shares: Floats, cell_of_code: Ints) -> Floats:
    """(leaves, cells) share of each cell."""
    out = np.zeros((len(shares), int(cell_of_code.max()) + 1))
    np.add.at(out.T, cell_of_code, shares.T)
    return out


# Trends


def _with_trends(bag: Bag, plain: CellLeaves) -> CellLeaves:
    from janus_synth.kernels.views import CellMixture

    trends, arrays, cells = bag.trends, bag.trend_arrays(), plain.cell_of_code
    assert trends is not None
    off_scale = trends.scale.apart
    last_code = np.searchsorted(cells, np.arange(plain.n_cells), side="right")
    means = np.diff(arrays.cumulative, axis=1)
    residual_rows = rows_behind_residuals(trends.residuals, means, trends.strength, bend=trends.bend)
    parts = np.column_stack([bag.shares[:, off_scale], arrays.rest]).astype(float)
    gain = np.column_stack(
        [
            np.maximum(entropy_of(plain.shares) - plain.expected, 0.0),
            dirichlet_epistemic(parts, bag.leaves.n_rows + bag.leaves.prior_strength),
            residual_rows,
        ]
    )
    mixture = CellMixture(
        np.ascontiguousarray(trends.weight),
        arrays.rest,
        arrays.cumulative,
        np.ascontiguousarray(trends.spread),
        trends.scale.edge[np.concatenate([[0], last_code])],
        plain.shares,
        sum_codes(np.where(off_scale, bag.shares, 0.0).astype(float), cells),
        np.ascontiguousarray(gain),
        trends.bend,
    )
    middle, precision = regression_precision(bag)
    expected = _typical_entropy(bag, mixture)
    return CellLeaves(cells, plain.shares, expected, mixture, middle, precision)


def regression_precision(bag: Bag) -> tuple[Floats, Floats]:
    """Mean scores of the parents, and precision of slopes and intercept, in rows of the node that a line was fitted to.

    Leaves share the line of a node above if it predicts better. Parents count as independent and uniform over the range
    of their scores; slopes are shrunk by `RIDGE` rows. Below a surface, a line is a deviation from it. What one line
    of all rows would leave open, the surface's own variance says: only the rest is the line's.
    """
    trends = bag.trends
    assert trends is not None
    smooth = trends.surface is not None
    ridge = SMOOTH_RIDGE if smooth and len(trends.parents) <= FEW_PARENTS else RIDGE
    _, line = np.unique(np.column_stack([_tree_of_leaf(bag), trends.coef, trends.spread]), axis=0, return_inverse=True)
    rows = np.bincount(line.ravel(), bag.leaves.n_rows)[line.ravel()]
    variance = (trends.high - trends.low) ** 2 / 12
    precision = np.column_stack([rows[:, None] * variance + ridge, np.maximum(rows, 1.0)])
    if smooth:
        total = bag.leaves.n_rows.sum() / bag.splits.n_trees
        of_all = np.append(
            total * np.ptp([trends.low.min(axis=0), trends.high.max(axis=0)], axis=0) ** 2 / 12 + ridge, total
        )
        precision = 1.0 / np.maximum(1.0 / precision - 1.0 / of_all, 1e-12)
    return np.ascontiguousarray((trends.low + trends.high) / 2), np.ascontiguousarray(precision)


def rows_behind_residuals(counts: Any, means: Floats, strength: float, *, bend: float = 0.0) -> Floats:
    """(L,) rows of a Dirichlet distribution that is as uncertain as each leaf's residuals.

    These follow a Pólya tree, whose prior rows grow with the depth of a split. A share F below an edge has the variance
    F (1 − F) / (rows + 1) if it is Dirichlet; the rows are those that give its mean over typical edges.
    """
    tree, _ = residual_prior(bend)
    below, up = slot_incidence(tree).T, tree.slot_up
    rows, mass = np.asarray((below @ counts.T).todense(), float), below @ means.T  # slots × leaves
    rows[0], mass[0] = np.asarray(counts.sum(axis=1)).ravel(), 1.0
    share = np.divide(mass, mass[up], out=np.zeros_like(mass), where=mass[up] > 0)
    total = rows[up] + tree.concentration(strength)[:, None]
    square = share * (total * share + 1) / (total + 1)  # second moment of each split
    relative = np.zeros(counts.shape[0])
    for k in np.rint(place_among_bins(np.asarray(TYPICAL_EDGES), bend)).astype(int):
        first, second = np.zeros(counts.shape[0]), np.zeros(counts.shape[0])  # moments of the share below the edge
        for slot in tree.path_slot[tree.path_start[k] : tree.path_start[k + 1]][::-1]:
            if slot == np.flatnonzero(up == up[slot])[-1]:  # on the right: what is above the edge
                above, above_second = share[slot] * (1 - first), square[slot] * (1 - 2 * first + second)
                first, second = 1 - above, 1 - 2 * above + above_second
            else:
                first, second = share[slot] * first, square[slot] * second
        relative += (second - first**2) / np.maximum(first * (1 - first), 1e-9)
    return np.asarray(np.maximum(len(TYPICAL_EDGES) / np.maximum(relative, 1e-12) - 1, 1.0))


def _tree_of_leaf(bag: Bag) -> LongInts:
    nodes = np.flatnonzero(bag.splits.leaf_of_node >= 0)
    return np.searchsorted(bag.splits.roots, nodes, side="right")


def _typical_entropy(bag: Bag, mixture: CellMixture) -> Floats:
    """(L,) expected entropy of each leaf's mixture, averaged over predicted scores that reproduce its histogram.

    The scores of a leaf's rows vary by the residuals and by the prediction: the variance of the prediction is the rest.
    """
    from scipy.special import ndtri

    from janus_synth.kernels.supporting import add_mixtures

    typical = ndtri((np.arange(N_TYPICAL) + 0.5) / N_TYPICAL)
    trends, shares = bag.trends, bag.shares.astype(float)
    assert trends is not None
    middle = trends.scale.middle
    mass = np.maximum((shares * ~trends.scale.apart).sum(axis=1), 1e-12)
    mean = (shares * middle).sum(axis=1) / mass
    variance = (shares * ~trends.scale.apart * (middle - mean[:, None]) ** 2).sum(axis=1) / mass
    spread = trends.spread * trends.typical_spread
    along = np.sqrt(np.maximum(variance - spread**2, 0.0))
    n_leaves, n = len(mean), N_TYPICAL
    leaves = np.ascontiguousarray(np.repeat(np.arange(n_leaves, dtype=INDEX), n)[:, None])
    centre = np.ascontiguousarray((mean[:, None] + along[:, None] * typical).reshape(-1, 1))
    one, leverage = np.ones_like(centre), np.repeat(1.0 / np.maximum(bag.leaves.n_rows, 1.0), n)[:, None].copy()
    entropy, unused = np.zeros(n_leaves * n), np.zeros((n_leaves * n, mixture.hist.shape[1]))
    width = np.full(n_leaves * n, trends.typical_spread)
    add_mixtures(mixture, leaves, one, centre, leverage, width, np.zeros(n_leaves * n), unused, entropy)
    return np.asarray(entropy.reshape(n_leaves, n).mean(axis=1))
