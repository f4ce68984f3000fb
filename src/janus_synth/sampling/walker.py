"""A bag of trees made ready for inference: the arrays that kernels walk, and the questions put to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Bytes, Codes, Floats, Floats32, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees import Bag
from janus_synth.trees.trend import no_trends

if TYPE_CHECKING:
    from janus_synth.kernels.walking import Trees, Trends


@dataclass(frozen=True, slots=True)
class Walker:
    """Trees with a value per leaf and column of ``table``, or what trends make of it."""

    trees: Trees
    trends: Trends
    table: Floats32
    """(leaves, m): shares of codes, or one value."""

    @property
    def n_trees(self) -> int:
        """Trees in the bag."""
        return len(self.trees.roots)

    def used_by_first(self) -> LongInts:
        """Columns that the first tree splits on."""
        return np.flatnonzero(self.trees.uses[0])

    def leaves(self, x: Codes, *, most_trees: int | None = None) -> Ints:
        """(rows, trees) leaf of every row in every tree, or in a few trees, other ones from row to row."""
        from janus_synth.kernels.walking import leaves_of_rows

        leaves = np.empty((x.shape[1], self.n_trees), INDEX)
        leaves_of_rows(self.trees, x, leaves)
        if most_trees is None or most_trees >= self.n_trees:
            return leaves
        first = most_trees * np.arange(len(leaves))[:, None]
        return np.take_along_axis(leaves, (first + np.arange(most_trees)) % self.n_trees, axis=1)

    def shares(self, leaves: Ints, x: Codes) -> Floats:
        """(rows, codes) how likely each code is, in the mean over each row's leaves."""
        from janus_synth.kernels.walking import mean_shares

        score = np.empty((x.shape[1], self.table.shape[1]))
        mean_shares(self.trends, self.table, leaves, x, score)
        return score

    def entropies(self, leaves: Ints, x: Codes) -> tuple[Floats, Floats, Floats]:
        """(rows,) entropy in the mean over a row's leaves; (rows, leaves) of each, and its overlap with the table."""
        from janus_synth.kernels.walking import entropies_of_rows

        total, by_leaf, overlap = np.empty(len(leaves)), np.empty(leaves.shape), np.empty(leaves.shape)
        entropies_of_rows(self.trends, self.table, leaves, x, total, by_leaf, overlap)
        return total, by_leaf, overlap

    def shares_of(self, codes: Codes, leaves: Ints, x: Codes) -> Floats:
        """(rows, leaves) how likely each row's code is in each of its leaves."""
        from janus_synth.kernels.walking import shares_of_codes

        out = np.empty(leaves.shape)
        shares_of_codes(self.trends, self.table, leaves, x, codes, out)
        return out

    def share_of(self, codes: Codes, x: Codes) -> Floats:
        """(rows,) how likely each row's code is over the whole bag."""
        codes, x = np.ascontiguousarray(codes), np.ascontiguousarray(x)
        return np.asarray(self.shares_of(codes, self.leaves(x), x).mean(axis=1))

    def any_trees(self, n: int, rng: np.random.Generator) -> Ints:
        """A tree for each of ``n`` rows, whatever their codes."""
        return rng.integers(self.n_trees, size=n, dtype=INDEX)

    def multiply(
        self, score: Floats, x: Codes, free: int, *, ordered: bool, tree: Ints, of: Codes, log_scale: Floats
    ) -> None:
        """Multiply scores of the free column's codes by what each row's tree gives them in column ``of`` of the table.

        Rows whose scores become tiny are brought back to 1; ``log_scale`` collects the logs of the factors.
        """
        from janus_synth.kernels.walking import multiply_by_free

        multiply_by_free(self.trees, self.trends, tree, self.table, of, x, free, ordered, score, log_scale)

    def values(self, x: Codes) -> Floats:
        """Value of each row in the first tree and column, what is not drawn yet averaged."""
        from janus_synth.kernels.walking import values_of_rows

        out = np.empty(x.shape[1])
        values_of_rows(self.trees, self.table, x, out)
        return out


def value_walker(
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
) -> Walker:
    """Walker over one tree with a value per node, of which the leaves' count."""
    from janus_synth.kernels.walking import Trees

    leaf = left < 0
    leaf_of_node = np.where(leaf, np.cumsum(leaf) - 1, -1).astype(INDEX)
    uses = np.zeros((1, n_columns), np.uint8)
    uses[0, feature[~leaf]] = 1
    trees = Trees(
        np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node, share_left, uses
    )  # fmt: skip
    return Walker(trees, no_trends(), value[leaf].astype(np.float32)[:, None])


def walker_of(bag: Bag, n_columns: int) -> Walker:
    """Walker over the shares of a bag; made once per bag."""
    cache = bag.leaves.cache
    if "walker" not in cache:
        cache["walker"] = _make(bag, n_columns)
    walker: Walker = cache["walker"]
    return walker


def _make(bag: Bag, n_columns: int) -> Walker:
    from janus_synth.kernels.walking import Trees, share_of_left

    s = bag.splits
    count = np.zeros(len(s.left))
    leaf = s.left < 0
    count[leaf] = np.asarray(bag.leaves.forward.sum(axis=1)).ravel()[s.leaf_of_node[leaf]]
    share_left = share_of_left(s.left, s.right, count)
    uses = np.zeros((s.n_trees, n_columns), np.uint8)
    tree_of_node = np.searchsorted(s.roots, np.arange(len(s.left)), side="right") - 1
    uses[tree_of_node[~leaf], s.feature[~leaf]] = 1
    if bag.trends is not None:
        uses[:, bag.trends.parents] = 1
    trees = Trees(
        s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node, share_left, uses
    )
    return Walker(trees, bag.trend_arrays(), bag.leaves.shares(s))


def in_tree(leaves: Ints, tree: Ints) -> Ints:
    """(rows, 1) each row's leaf in a tree of its own."""
    return np.take_along_axis(leaves, tree[:, None], axis=1)
