"""A column given its parents: a bag of trees that draws codes and scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.leaves import HistogramLeaves, count_leaves, dirichlet_epistemic, join_leaves
from janus_synth.trees.splits import Splits, join_splits
from janus_synth.trees.trend import Trends, join_trends, no_trends

if TYPE_CHECKING:
    from janus_synth.kernels.walking import Trends as TrendArrays


class Ignorance(NamedTuple):
    """Leaf by leaf, in nats: what one more row would teach about the parts of what a leaf says."""

    counts: Floats
    """About its histogram: exact, I(code; shares)."""
    apart: Floats
    """About the codes apart from its line, and all others together."""
    residuals: Floats
    """About its residuals, times the probability of being on the line."""
    spread: Floats
    """Entropy of its residuals."""


@dataclass(frozen=True, slots=True)
class Bag:
    """Splits and leaves of one column, with trends or without; a row picks one tree at random."""

    target: int
    splits: Splits
    leaves: HistogramLeaves
    trends: Trends | None = None

    @property
    def parents(self) -> Ints:
        """Columns that the bag depends on, ascending."""
        features = self.splits.features
        return features if self.trends is None else np.union1d(features, self.trends.parents).astype(INDEX)

    def trend_arrays(self) -> TrendArrays:
        """Trends as kernels want them, none where there are none."""
        return no_trends() if self.trends is None else self.trends.arrays(self.splits, self.leaves)

    def ignorance(self) -> Ignorance:
        """What each leaf would learn about its distribution from one more row; made once."""
        cache = self.leaves.cache if self.trends is None else self.trends.cache
        if "ignorance" not in cache:
            cache["ignorance"] = self._ignorance()
        ignorance: Ignorance = cache["ignorance"]
        return ignorance

    def _ignorance(self) -> Ignorance:
        by_counts, none = self.leaves.entropies(self.splits).epistemic, np.zeros(self.splits.n_leaves)
        if self.trends is None:
            return Ignorance(by_counts, none, none, none)
        rest, shares = self.trend_arrays().rest, self.leaves.shares(self.splits)
        rows = np.asarray(self.leaves.forward.sum(axis=1)).ravel() + self.leaves.prior_strength
        parts = np.column_stack([shares[:, self.trends.scale.apart], rest]).astype(float)
        residuals = self.trends.residual_entropies(self.splits)
        return Ignorance(by_counts, dirichlet_epistemic(parts, rows), rest * residuals.epistemic, residuals.total)

    def prepare(self) -> None:
        """Make what draws need, once, so that threads then only read it."""
        self.leaves.cdf(self.splits)
        self.trend_arrays()

    def draw(self, x: Codes, u: Floats) -> None:
        """Draw the column's code of every row into ``x``; ``u`` gives the uniforms and receives what is left."""
        from janus_synth.kernels.drawing import draw_codes
        from janus_synth.kernels.walking import draw_on_lines

        s, cdf, trends = self.splits, self.leaves.cdf(self.splits), self.trend_arrays()
        leaf_of_row = np.full(x.shape[1], -1, INDEX)
        draw_codes(
            x, self.target, s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels,
            s.leaf_of_node, cdf, trends.weight, u, leaf_of_row,
        )  # fmt: skip
        if self.trends is not None:
            draw_on_lines(trends, cdf, leaf_of_row, x, self.target, u)

    def counted(self, x: Codes, n_codes: Ints) -> Bag:
        """The same trees with counts of other rows."""
        old = self.leaves
        leaves = count_leaves(
            self.splits, x, self.target, n_codes,
            tree=old.tree, allowed=old.allowed, prior_strength=old.prior_strength,
            root_strength=old.root_strength, hierarchical=old.hierarchical,
        )  # fmt: skip
        trends = self.trends
        if trends is not None:
            trends = trends.with_residuals(trends.counted(self.splits, x, self.target))
        return replace(self, leaves=leaves, trends=trends)

    def plus(self, other: Bag) -> Bag:
        """The same trees with the counts of both."""
        trends = self.trends
        if trends is not None and other.trends is not None:
            trends = trends.plus(other.trends.residuals)
        return replace(self, leaves=self.leaves.plus(other.leaves), trends=trends)

    def allowing(self, codes: Bools) -> Bag:
        """The same trees, with these codes possible."""
        trends = None if self.trends is None else replace(self.trends, cache={})
        return replace(self, leaves=replace(self.leaves, allowed=codes, cache={}), trends=trends)


def join_bags(bags: Sequence[Bag]) -> Bag:
    """One bag with the trees of several."""
    if len(bags) == 1:
        return bags[0]
    splits = join_splits([bag.splits for bag in bags])
    trends = [bag.trends for bag in bags if bag.trends is not None]
    leaves = join_leaves([bag.leaves for bag in bags])
    return Bag(bags[0].target, splits, leaves, join_trends(trends) if trends else None)
