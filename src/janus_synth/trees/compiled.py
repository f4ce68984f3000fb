"""A bag of trees as flat arrays for the kernels, and the calls of kernels that walk them.

The splits of a bag and a table with a row per leaf in; leaves, probabilities and entropies of rows of codes out.
`Bag.compiled` makes the arrays of a bag and keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Bytes, Codes, Floats, Floats32, Ints, LongInts
from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS
from janus_synth.trees.splits import Splits
from janus_synth.trees.trend import no_trends

if TYPE_CHECKING:
    from janus_synth.kernels.drawing import Guides
    from janus_synth.kernels.walking import Trees
    from janus_synth.kernels.walking import Trends as TrendArrays

LEAF_CELLS = (256, 64)
"""Cells of a leaf's guide to its codes: the second number in bags whose guides would then exceed ``GUIDE_ENTRIES``."""
GUIDE_ENTRIES = 2**18
SCORE_CELLS = 1024
"""Cells of the guide from scores to codes: each about as wide as a typical one of 254 codes."""


@dataclass(frozen=True, slots=True)
class CompiledTrees:
    """Trees with a row of ``table`` per leaf, and the trends that modify it."""

    trees: Trees
    trends: TrendArrays
    table: Floats32
    """(leaves, m): probabilities of the codes, or one value."""

    @property
    def n_trees(self) -> int:
        """Trees in the bag."""
        return len(self.trees.roots)

    def columns_of_first_tree(self) -> LongInts:
        """Columns that the first tree splits on."""
        return np.flatnonzero(self.trees.uses[0])

    def leaves(self, x: Codes, *, most_trees: int | None = None) -> Ints:
        """(rows, trees) leaf of every row in every tree, or in ``most_trees`` trees that rotate from row to row."""
        from janus_synth.kernels.walking import leaves_of_rows

        leaves = np.empty((x.shape[1], self.n_trees), INDEX)
        leaves_of_rows(self.trees, x, leaves)
        if most_trees is None or most_trees >= self.n_trees:
            return leaves
        first = most_trees * np.arange(len(leaves))[:, None]
        return np.take_along_axis(leaves, (first + np.arange(most_trees)) % self.n_trees, axis=1)

    def shares(self, leaves: Ints, x: Codes) -> Floats:
        """(rows, codes) probability of each code, averaged over the row's leaves."""
        from janus_synth.kernels.walking import mean_shares

        score = np.empty((x.shape[1], self.table.shape[1]))
        mean_shares(self.trends, self.table, leaves, x, score)
        return score

    def shares_of(self, codes: Codes, leaves: Ints, x: Codes) -> Floats:
        """(rows, leaves) probability of each row's code in each of its leaves."""
        from janus_synth.kernels.walking import shares_of_codes

        out = np.empty(leaves.shape)
        shares_of_codes(self.trends, self.table, leaves, x, codes, out)
        return out

    def probability_of(self, codes: Codes, x: Codes) -> Floats:
        """(rows,) probability of each row's code, averaged over all trees."""
        codes, x = np.ascontiguousarray(codes), np.ascontiguousarray(x)
        return np.asarray(self.shares_of(codes, self.leaves(x), x).mean(axis=1))

    def any_trees(self, n: int, rng: np.random.Generator) -> Ints:
        """A tree for each of ``n`` rows, drawn uniformly."""
        return rng.integers(self.n_trees, size=n, dtype=INDEX)

    def multiply(
        self, score: Floats, x: Codes, free: int, *, ordered: bool, tree: Ints, of: Codes, log_scale: Floats
    ) -> None:
        """Multiply the scores of each code of column ``free`` by the value that the row's tree then reaches.

        ``of`` (rows,) is the column of the table to read, ``tree`` (rows,) the tree to walk. Rows whose scores become
        tiny are scaled back to 1; ``log_scale`` collects the logs of the factors.
        """
        from janus_synth.kernels.walking import multiply_by_free

        multiply_by_free(self.trees, self.trends, tree, self.table, of, x, free, ordered, score, log_scale)

    def values(self, x: Codes) -> Floats:
        """(rows,) value in the first tree and first column of the table; splits on unknown codes are averaged out."""
        from janus_synth.kernels.walking import values_of_rows

        out = np.empty(x.shape[1])
        values_of_rows(self.trees, self.table, x, out)
        return out


def compile_trees(
    splits: Splits, table: Floats32, n_rows: Floats, trends: TrendArrays, *, n_columns: int
) -> CompiledTrees:
    """Compile a bag's trees: ``table`` (leaves, m) holds the leaves' values, ``n_rows`` (leaves,) counts their rows."""
    from janus_synth.kernels.walking import Trees, share_of_left

    s, leaf, count = splits, splits.left < 0, np.zeros(len(splits.left))
    count[leaf] = n_rows[s.leaf_of_node[leaf]]
    share_left = share_of_left(s.left, s.right, count)
    uses = np.zeros((s.n_trees, n_columns), np.uint8)
    tree_of_node = np.searchsorted(s.roots, np.arange(len(s.left)), side="right") - 1
    uses[tree_of_node[~leaf], s.feature[~leaf]] = 1
    uses[:, trends.lines.parents] = 1
    trees = Trees(
        s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node, share_left, uses
    )
    return CompiledTrees(trees, trends, table)


def compile_value_tree(
    feature: Ints,
    cut: Ints,
    left: Ints,
    right: Ints,
    set_start: Ints,
    left_levels: Bytes,
    share_left: Floats32,
    value: Floats,
    *,
    n_columns: int,
) -> CompiledTrees:
    """Compile one tree with a value per node, of which only those of leaves are used."""
    from janus_synth.kernels.walking import Trees

    leaf = left < 0
    leaf_of_node = np.where(leaf, np.cumsum(leaf) - 1, -1).astype(INDEX)
    uses = np.zeros((1, n_columns), np.uint8)
    uses[0, feature[~leaf]] = 1
    trees = Trees(
        np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node, share_left, uses
    )  # fmt: skip
    return CompiledTrees(trees, no_trends(), value[leaf].astype(np.float32)[:, None])


def in_tree(leaves: Ints, tree: Ints) -> Ints:
    """(rows, 1) each row's leaf in the tree chosen for the row."""
    return np.take_along_axis(leaves, tree[:, None], axis=1)


def make_guides(cdf: Floats32, trends: TrendArrays) -> Guides:
    """Guides for draws from leaves with the cumulative shares ``cdf`` (leaves, codes) and trends, if any."""
    from janus_synth.kernels.drawing import Guides

    n_cells = LEAF_CELLS[0] if len(cdf) * LEAF_CELLS[0] <= GUIDE_ENTRIES else LEAF_CELLS[1]
    code, cumulative = _guide(cdf, n_cells), trends.cumulative.astype(np.float32)
    if not len(trends.weight):
        nothing = np.zeros((0, 0), CODE)
        return Guides(code, cumulative, nothing, np.zeros(0), np.zeros(1, CODE), 0.0, 0.0)
    residual = _guide(np.ascontiguousarray(cumulative[:, 1:-1]), N_RESIDUALS)
    on_scale = np.ones(len(cdf))
    for k in np.flatnonzero(trends.apart):
        on_scale -= cdf[:, k].astype(float) - (cdf[:, k - 1] if k > 0 else 0.0)
    return Guides(code, cumulative, residual, on_scale, *_score_guide(trends.edge[1:-1]))


def _guide(shares: Floats32, n_cells: int) -> Codes:
    """(rows, cells) how many of each row's shares are not above each cell."""
    from janus_synth.kernels.drawing import fill_guide

    guide = np.empty((len(shares), n_cells), CODE)
    fill_guide(shares, guide)
    return guide


def _score_guide(edges: Floats) -> tuple[Codes, float, float]:
    """Guide from scores to codes, the score at which it begins, and its cells per unit."""
    finite = edges[np.isfinite(edges)]
    lowest, highest = (float(finite[0]), float(finite[-1])) if len(finite) else (0.0, 0.0)
    width = highest - lowest if highest > lowest else np.inf
    scaled = np.clip((edges - lowest) / width, 0.0, 2.0) if width < np.inf else np.where(edges > lowest, 2.0, 0.0)
    above = np.nextafter(scaled.astype(np.float32), np.float32(3))  # a guide may begin too low, not too high
    return _guide(above[None], SCORE_CELLS)[0], lowest, SCORE_CELLS / width
