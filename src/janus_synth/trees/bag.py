"""A column given its parents: a bag of trees that draws codes and scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from janus_synth.trees.leaves import HistogramLeaves, count_leaves, join_leaves
from janus_synth.trees.splits import Splits, join_splits

Codes = NDArray[np.uint16]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bag:
    """Splits and leaves of one column; a row picks one tree at random."""

    target: int
    splits: Splits
    leaves: HistogramLeaves

    def draw(self, x: Codes, u: Floats) -> None:
        """Draw the column's code of every row into ``x``; ``u`` gives the uniforms and receives what is left."""
        from janus_synth.kernels.drawing import draw_codes

        s = self.splits
        draw_codes(
            x, self.target, s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels,
            s.leaf_of_node, self.leaves.cdf(s), u,
        )  # fmt: skip

    def shares(self, x: Codes) -> Floats:
        """Probability of each row's own code given its parents, over the whole bag."""
        table = self.leaves.shares(self.splits)
        total = np.zeros(x.shape[1])
        for tree in range(self.splits.n_trees):
            total += table[self.splits.leaves_reached(x, tree), x[self.target]]
        return total / self.splits.n_trees

    def counted(self, x: Codes, n_codes: NDArray[np.int32]) -> HistogramLeaves:
        """Counts of other rows in the same leaves."""
        old = self.leaves
        return count_leaves(
            self.splits, x, self.target, n_codes,
            tree=old.tree, allowed=old.allowed, prior_strength=old.prior_strength,
            hierarchical=old.hierarchical,
        )  # fmt: skip

    def with_leaves(self, leaves: HistogramLeaves) -> Bag:
        """The same splits with other counts."""
        return replace(self, leaves=leaves)


def join_bags(bags: Sequence[Bag]) -> Bag:
    """One bag with the trees of several."""
    if len(bags) == 1:
        return bags[0]
    splits = join_splits([bag.splits for bag in bags])
    return Bag(bags[0].target, splits, join_leaves([bag.leaves for bag in bags]))
