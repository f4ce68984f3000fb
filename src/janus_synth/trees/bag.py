"""Bags: the distribution of a column given its parents, as trees whose leaves are averaged.

Splits, leaves and trends in; draws, distributions and compiled arrays out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Floats32, Ints
from janus_synth.kernels.dtypes import COUNT, INDEX
from janus_synth.trees.compiled import CompiledTrees, compile_trees, make_guides
from janus_synth.trees.leaves import (
    HistogramLeaves,
    LeafCounts,
    add_counts,
    cumulative_shares,
    join_leaves,
    stack_counts,
)
from janus_synth.trees.scale import places
from janus_synth.trees.splits import Splits, join_splits
from janus_synth.trees.tally import TreeTally, group_rows, tally_tree
from janus_synth.trees.trend import Trends, join_trends, no_trends

if TYPE_CHECKING:
    from janus_synth.kernels.drawing import Guides
    from janus_synth.kernels.walking import Trends as TrendArrays


TOGETHER = 4
"""Trees along whose regressions residuals are counted together: the scores of a row's parents are looked up once. The
leaves of a million rows in one tree take 4 MB."""
NO_LEAVES = np.empty(0, INDEX)


class BagCounts(NamedTuple):
    """Sparse counts (leaves × codes) of rows in the leaves of a bag; they add up."""

    forward: Any
    """Codes of the bag's own column."""
    backward: Any
    """Codes of the columns that the trees split on."""
    residuals: Any
    """Residuals along the trends; None without trends."""

    def plus(self, other: BagCounts) -> BagCounts:
        """Counts of both."""
        residuals = None if self.residuals is None else add_counts(self.residuals, other.residuals)
        return BagCounts(add_counts(self.forward, other.forward), add_counts(self.backward, other.backward), residuals)


@dataclass(frozen=True)
class Bag:
    """Splits and leaves of one column, with trends or without; a row picks one tree at random.

    Derived arrays are computed on first use and cached in this bag; a changed bag is a new value with an empty cache.
    Threads that need an array at the same time may compute it twice, with equal results.
    """

    target: int
    splits: Splits
    leaves: HistogramLeaves
    trends: Trends | None = None

    @cached_property
    def parents(self) -> Ints:
        """Columns that the bag depends on, ascending."""
        features = self.splits.features
        return features if self.trends is None else np.union1d(features, self.trends.parents).astype(INDEX)

    @cached_property
    def parent_set(self) -> frozenset[int]:
        """The same columns as a set."""
        return frozenset(self.parents.tolist())

    @cached_property
    def shares(self) -> Floats32:
        """(leaves, codes) distribution of each leaf's histogram."""
        return self.leaves.shares(self.splits)

    @cached_property
    def cdf(self) -> Floats32:
        """(leaves, codes) cumulative shares, exactly 1 from the last possible code on."""
        return cumulative_shares(self.shares)

    @cached_property
    def _trend_arrays(self) -> TrendArrays:
        if self.trends is None:
            return no_trends()
        apart = self.shares[:, self.trends.scale.apart].sum(axis=1, dtype=float)
        return self.trends.compile(self.splits, np.maximum(1.0 - apart, 0.0))

    @cached_property
    def _guides(self) -> Guides:
        return make_guides(self.cdf, self.trend_arrays())

    @cached_property
    def _compiled(self) -> dict[int, CompiledTrees]:
        return {}

    def trend_arrays(self) -> TrendArrays:
        """The trends as arrays for kernels; empty ones if the bag has no trends."""
        return self._trend_arrays

    def compiled(self, n_columns: int) -> CompiledTrees:
        """The trees as flat arrays for kernels that walk rows of ``n_columns`` columns."""
        if n_columns not in self._compiled:
            made = compile_trees(
                self.splits, self.shares, self.leaves.n_rows, self.trend_arrays(), n_columns=n_columns
            )  # fmt: skip
            return self._compiled.setdefault(n_columns, made)
        return self._compiled[n_columns]

    @property
    def is_prepared(self) -> bool:
        """Whether what draws need is computed."""
        return "_guides" in vars(self)

    def prepare(self) -> None:
        """Compute what draws need, so that threads only read it."""
        _ = self.cdf, self._trend_arrays, self._guides

    def draw(self, x: Codes, u: Floats) -> None:
        """Draw the column's code of every row into ``x``; ``u`` gives uniforms, and receives others.

        The new uniforms tell nothing of the codes: they are for the places inside the bins.
        """
        from janus_synth.kernels.drawing import draw_codes, scramble
        from janus_synth.kernels.routing import order_by_leaf

        s = self.splits
        n = x.shape[1]
        rows, leaf_of, share = np.empty(n, INDEX), np.empty(n, INDEX), np.empty(n, np.float32)
        order_by_leaf(
            x, u, s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node, rows,
            leaf_of, share,
        )  # fmt: skip
        draw_codes(x, self.target, rows, leaf_of, share, self.cdf, self.trend_arrays(), self._guides)
        scramble(u)

    def counts_of(self, x: Codes, n_codes: Ints) -> BagCounts:
        """Counts of other rows in the leaves of all trees."""
        place = None if self.trends is None else places(x)
        groups = group_rows(x, np.union1d(self.splits.features, self.target), n_codes)
        parts: list[TreeTally] = []
        residuals: list[Any] = []
        for first in range(0, self.splits.n_trees, TOGETHER):
            trees = range(first, min(first + TOGETHER, self.splits.n_trees))
            tallies = [
                tally_tree(self.splits, t, x, self.target, n_codes, with_leaf=self.trends is not None, groups=groups)
                for t in trees
            ]
            parts += [tally._replace(leaf=NO_LEAVES) for tally in tallies]
            if self.trends is not None and place is not None:
                leaves = [tally.leaf for tally in tallies]
                residuals += self.trends.count_trees(self.splits, trees, x, self.target, place, leaves)
        forward, backward = (stack_counts([part[way] for part in parts]) for way in (0, 1))
        return BagCounts(forward, backward, stack_counts(residuals) if residuals else None)

    def with_counts(self, counts: BagCounts) -> Bag:
        """The same trees with other counts in the place of the present ones."""
        leaves = replace(self.leaves, forward=counts.forward, backward=counts.backward, drawn=None)
        trends = self.trends if self.trends is None else self.trends.with_residuals(counts.residuals)
        return replace(self, leaves=leaves, trends=trends)

    def without_counts(self) -> Bag:
        """The same trees with no rows in their leaves, which take little memory until others are counted."""
        from scipy.sparse import csr_array

        counts = self.leaves.forward, self.leaves.backward, None if self.trends is None else self.trends.residuals
        nothing = (None if each is None else csr_array(each.shape, dtype=COUNT) for each in counts)
        return self.with_counts(BagCounts._make(nothing))

    def counted(self, x: Codes, n_codes: Ints) -> Bag:
        """The same trees with counts of other rows, in the place of the present ones."""
        return self.with_counts(self.counts_of(x, n_codes))

    def plus(self, other: Bag) -> Bag:
        """The same trees with the counts of both."""
        trends = self.trends
        if trends is not None and other.trends is not None:
            trends = trends.plus(other.trends.residuals)
        return replace(self, leaves=self.leaves.plus(other.leaves), trends=trends)

    def allowing(self, codes: Bools) -> Bag:
        """The same trees, where the column may take these codes."""
        trends = None if self.trends is None else replace(self.trends, drawn=None)
        return replace(self, leaves=replace(self.leaves, allowed=codes, drawn=None), trends=trends)


def join_bags(bags: Sequence[Bag]) -> Bag:
    """One bag with the trees of several."""
    if len(bags) == 1 and not isinstance(bags[0].leaves.forward, LeafCounts):
        return bags[0]
    splits = join_splits([bag.splits for bag in bags])
    trends = [bag.trends for bag in bags if bag.trends is not None]
    leaves = join_leaves([bag.leaves for bag in bags])
    return Bag(bags[0].target, splits, leaves, join_trends(trends) if trends else None)
