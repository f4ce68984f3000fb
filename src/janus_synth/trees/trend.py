"""Trends: lines over the parents' scores in the leaves of a bag, beside its histograms.

In a leaf with a trend a code on the scale has the probability

    (1 − ω) h(k) + ω · h(scale) · [F((upper(k) − m) / s) − F((lower(k) − m) / s)],    m = b + Σ_j β_j x_j

where h are the leaf's histogram shares, F the distribution of its residuals, and x the scores of the parents' codes. It
depends on codes alone, so that whatever is exact for tables of shares is exact for trends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from janus_synth.arrays import Codes, Floats, Floats32, Ints
from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS, REACH
from janus_synth.trees.code_tree import CodeTree, polya_tree
from janus_synth.trees.counts import added, counted, stacked
from janus_synth.trees.leaves import Entropies, entropy_of, shares_of_leaves
from janus_synth.trees.scale import Scale, places
from janus_synth.trees.splits import Splits

if TYPE_CHECKING:
    from janus_synth.kernels.walking import Lines
    from janus_synth.kernels.walking import Trends as TrendArrays


FIXED = ("parents", "score", "coef", "spread", "low", "high", "weight")
"""Arrays of trends that, like splits, stay as they are when rows are counted."""


@dataclass(frozen=True, slots=True)
class Trends:
    """A line, a spread and counts of residuals per leaf; counts are additive, the rest is fixed like the splits."""

    scale: Scale
    parents: Ints
    """(p,) columns that the lines run over."""
    score: Floats
    """(p, most codes) score of every code of every parent."""
    coef: Floats
    """(leaves, p + 1) slopes and the intercept."""
    spread: Floats
    """(leaves,)"""
    low: Floats
    """(leaves, p) least score of each parent among the leaf's rows; beyond it the line is level."""
    high: Floats
    """(leaves, p)"""
    weight: Floats
    """(leaves,) ω, the trend's share in what the leaf says."""
    residuals: Any
    """csr_array (leaves × bins): rows with each residual."""
    strength: float
    """How many rows' worth the residuals of a leaf lean on those of the node above; the root's on the normal's."""
    drawn: Floats | None = None
    """(leaves, bins + 1) cumulative shares of residuals drawn from the posterior, which then replace its means."""

    @property
    def lines(self) -> Lines:
        """The lines as kernels want them."""
        return _views()[0](self.parents, self.score, self.coef, self.spread, self.low, self.high)

    def arrays(self, splits: Splits, shares: Floats32) -> TrendArrays:
        """Everything that kernels ask of trends, given the histograms' shares."""
        apart = shares[:, self.scale.apart].sum(axis=1, dtype=float)
        return self.beside(splits, np.maximum(1.0 - apart, 0.0))

    def beside(self, splits: Splits, rest: Floats) -> TrendArrays:
        """The same, where ``rest`` is the probability of all codes on the scale, leaf by leaf."""
        apart = self.scale.apart.astype(np.uint8)
        return _views()[1](self.lines, self.weight, rest, self.cumulative(splits), self.scale.edge, apart)

    def cumulative(self, splits: Splits) -> Floats:
        """(leaves, bins + 1) share of residuals below each bin."""
        return cumulative_residuals(self.residual_shares(splits).astype(float)) if self.drawn is None else self.drawn

    def residual_shares(self, splits: Splits, *, left_out: float = 0.0, noise: Floats | None = None) -> Floats32:
        """(leaves, bins) posterior mean of each leaf's residuals."""
        tree, floor = residual_prior()
        lean = tree.lean(self.strength)
        return shares_of_leaves(
            splits, self.residuals, tree, floor=floor, strength=lean, first=lean, left_out=left_out, noise=noise
        )

    def residual_entropies(self, splits: Splits) -> Entropies:
        """Entropies of each leaf's residuals."""
        noise = np.zeros(splits.n_leaves)
        return Entropies(entropy_of(self.residual_shares(splits, noise=noise)), noise)

    def counted(self, splits: Splits, x: Codes, target: int) -> Any:
        """Residuals of other rows in the same leaves; rows off the scale count nowhere."""
        on_scale = np.flatnonzero(~self.scale.apart[x[target]])
        x = np.ascontiguousarray(x[:, on_scale])
        place = places(x)
        return stacked([self._counted(splits, t, x, target, place) for t in range(splits.n_trees)])

    def _counted(self, splits: Splits, t: int, x: Codes, target: int, place: Floats) -> Any:
        leaf = splits.leaves_reached(x, t)
        at = splits.leaf_of_node[splits.nodes_of(t)]
        first, n_leaves = int(at[at >= 0][0]), int((at >= 0).sum())
        _, residual = along_lines(self.scale, self.lines, leaf, x, target, place)
        return count_residuals(residual, leaf - first, n_leaves)

    def with_residuals(self, residuals: Any) -> Trends:
        """The same lines with other counts."""
        return replace(self, residuals=residuals, drawn=None)

    def plus(self, residuals: Any) -> Trends:
        """The same lines with more counts."""
        return self.with_residuals(added(self.residuals, residuals))


def along_lines(scale: Scale, lines: Lines, leaf: Ints, x: Codes, target: int, place: Floats) -> tuple[Floats, Floats]:
    """Each row's score inside its code as its leaf's line has it, and how many spreads it lies above that line."""
    from janus_synth.kernels.walking import centres_of_rows

    centre, spread = np.empty(x.shape[1]), lines.spread[leaf]
    centres_of_rows(lines, leaf, x, centre)
    z = scale.scores(x[target], place, centre, spread)
    return z, (z - centre) / spread


def count_residuals(residuals: Floats, leaf: Ints, n_leaves: int) -> Any:
    """csr_array (leaves × bins): rows with each residual."""
    at = np.floor((residuals + REACH) * (N_RESIDUALS / (2 * REACH)))
    bins = np.clip(at, 0, N_RESIDUALS - 1).astype(CODE)[None]
    nothing = np.zeros(1, INDEX)
    return counted(bins, nothing, nothing, N_RESIDUALS, leaf.astype(INDEX), n_leaves)


def join_trends(trends: Sequence[Trends]) -> Trends:
    """Trends of several bags of one column, one after the other."""
    return replace(
        trends[0],
        coef=np.concatenate([one.coef for one in trends]),
        spread=np.concatenate([one.spread for one in trends]),
        low=np.concatenate([one.low for one in trends]),
        high=np.concatenate([one.high for one in trends]),
        weight=np.concatenate([one.weight for one in trends]),
        residuals=stacked([one.residuals for one in trends]),
        drawn=None,
    )


def cumulative_residuals(shares: Floats) -> Floats:
    """(leaves, bins + 1) share of residuals below each bin, by the share in each bin."""
    total = np.cumsum(shares, axis=1)
    return np.ascontiguousarray(np.column_stack([np.zeros(len(total)), total / total[:, -1:]]))


def no_trends() -> TrendArrays:
    """What kernels get where a bag has no trends."""
    lines_view, trends_view = _views()
    none, empty = np.zeros(0), np.zeros((0, 0))
    lines = lines_view(np.zeros(0, INDEX), empty, empty, none, empty, empty)
    return trends_view(lines, none, none, empty, none, np.zeros(0, np.uint8))


def _views() -> tuple[type[Lines], type[TrendArrays]]:
    """The kernels' own types; imported late, for start-up time."""
    from janus_synth.kernels.walking import Lines, Trends

    return Lines, Trends


@cache
def residual_prior() -> tuple[CodeTree, Floats]:
    """How bins of residuals hang together, and the normal's share of each slot in the split above it."""
    tree = polya_tree(np.ones(N_RESIDUALS, np.int64), last_is_missing=False)
    normal = np.diff(ndtr(np.linspace(-REACH, REACH, N_RESIDUALS + 1)))
    return tree, tree.share_of(normal)
