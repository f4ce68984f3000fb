"""Conditional CDF and quantile function of a column given its parents: values to ranks, and ranks to values.

The rank u = F(value | parents) is the exogenous noise that a counterfactual keeps (abduction); the quantile function
maps it to a value given other parents (prediction).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Array, Bools, Codes, Floats, Ints
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.kernels.dtypes import CODE, N_RESIDUALS
from janus_synth.model import Model
from janus_synth.trees import Bag, Splits, Trends
from janus_synth.trees.axes import edges_inside, places_inside
from janus_synth.trees.scale import Scale

RESIDUAL_STRENGTH = 500.0
"""Shrinkage of a leaf's residual distribution towards its parent node for ranks, in pseudo-rows.

Ranks compare leaves, so they use the residuals of large parts of a tree rather than of single leaves.
"""
MIN_TREND_WEIGHT = 0.5
"""Mean weight of the linear trends in a row's leaves above which ranks are ranks of residuals."""


@dataclass(slots=True)
class Positions:
    """Rows as codes and positions inside them: finer than codes, and the same for observed values and for draws."""

    x: Codes
    """(columns, rows)"""
    share: Floats
    """(columns, rows) share of the code's mass below the value; one half for repeated values and levels."""

    def put(self, column: int, rows: NDArray[np.integer], codes: Codes, share: Floats) -> None:
        """Write cells of one column."""
        self.x[column, rows], self.share[column, rows] = codes, share

    def take(self, rows: NDArray[np.integer]) -> Positions:
        """Pick rows by position."""
        return Positions(np.ascontiguousarray(self.x[:, rows]), np.ascontiguousarray(self.share[:, rows]))


def has_ranks(codec: ColumnCodec) -> bool:
    """Whether the noise of a column is a conditional rank; that of levels and of numbers with two values is not.

    A column of two values is binary, however it is stored. Its rank inside a value is not observed, and along a trend
    it would be a guess; the probabilities of the two values are all that is known.
    """
    if isinstance(codec, OrderedCodec):
        return codec.n_bins > 2 or len(codec.atoms) < codec.n_bins
    return codec.ordered and int(codec.allowed[:-1].sum()) > 2


def quantile_in_code(codec: ColumnCodec, values: Array, codes: Codes) -> tuple[Floats, Floats]:
    """Shares of a code's mass below each value and up to it: equal for a continuous value, 0 and 1 for an atom."""
    low, high = np.zeros(len(codes)), np.ones(len(codes))
    if not isinstance(codec, OrderedCodec) or codec.n_bins == 0:
        return low, high
    present = codes < codec.n_bins
    v, k = values[present], codes[present]
    wide = codec.knot[k, 0] < codec.knot[k, -1]
    half = codec.lattice.step / 2 if codec.lattice is not None else 0.0
    low[present] = np.where(wide, codec.share_below(k, v - half), 0.0)
    high[present] = np.where(wide, codec.share_below(k, v + half), 1.0)
    return low, high


def parent_scores(bag: Bag, at: Positions, ordered: Ints, n_codes: Ints) -> Floats:
    """(parents of the trends, rows) normal scores of the parents, interpolated between codes by the position inside."""
    if bag.trends is None:
        return np.zeros((0, at.x.shape[1]))
    rows = []
    for score, parent in zip(bag.trends.score, bag.trends.parents, strict=True):
        codes, missing = at.x[parent], int(n_codes[parent]) - 1
        own = score[codes]
        if ordered[parent] and missing > 1:
            between = np.interp(codes + at.share[parent], np.arange(missing) + 0.5, score[:missing])
            own = np.where(codes < missing, between, own)
        rows.append(own)
    return np.ascontiguousarray(rows)


def surface_at(bag: Bag, at: Positions, codecs: Sequence[ColumnCodec]) -> Floats:
    """(2, rows) mean and spread of the surface at the parents' positions; 0 and 1 without one."""
    trends = bag.trends
    if trends is None or trends.surface is None:
        return np.repeat([[0.0], [1.0]], at.x.shape[1], axis=1)
    place = []
    for own, parent in zip(trends.surface.place, trends.parents, strict=True):
        codec, codes = codecs[parent], np.ascontiguousarray(at.x[parent])
        inside = isinstance(codec, OrderedCodec) and codec.n_bins > 1
        place.append(places_inside(codec, own, codes, at.share[parent]) if inside else own[codes])
    return np.stack(trends.surface.at_places(np.stack(place)))


def step_scores(scale: Scale | None, codec: ColumnCodec, n_rows: int) -> Floats:
    """(codes, N_STEPS + 1) scores at evenly spaced shares of each code; the two tails end at half a row."""
    from scipy.special import ndtri

    from janus_synth.kernels.ranking import N_STEPS

    even = np.linspace(0.0, 1.0, N_STEPS + 1)
    if scale is None:
        return np.zeros((codec.n_codes, N_STEPS + 1))
    if scale.values is not None and isinstance(codec, OrderedCodec):
        return np.ascontiguousarray(edges_inside(codec, scale.values, even))
    below = scale.below[:-1, None] + np.diff(scale.below)[:, None] * even
    edge = 0.5 / (n_rows + 1)
    return np.ascontiguousarray(ndtri(np.clip(below, edge, 1 - edge)))


class ConditionalRanks:
    """Conditional ranks of one column, with everything the kernels need prepared."""

    def __init__(self, model: Model, column: int) -> None:
        self.bag = model.bags[column]
        self.column = column
        self.n_codes = model.codec.n_codes
        self.ordered = model.codec.ordered
        self.trees = self.bag.compiled(len(self.n_codes))
        self.cdf = self.bag.cdf
        trends = self.bag.trends
        self.codecs = list(model.codec.columns.values())
        self.steps = step_scores(None if trends is None else trends.scale, self.codecs[column], model.n_rows)
        self.last = 1 - 0.5 / (model.n_rows + 1)
        self.apart, self.cumulative = np.zeros(0, np.int64), np.zeros((0, N_RESIDUALS + 1))
        if trends is not None:
            self.apart = np.flatnonzero(trends.scale.apart[:-1])
            self.cumulative = smooth_residuals(trends, self.bag.splits)

    def leaves(self, at: Positions) -> Ints:
        """(rows, trees) leaf of every row in every tree; an argument of the other methods."""
        return self.trees.leaves(at.x)

    def shares(self, at: Positions, leaves: Ints) -> Floats:
        """(rows, codes) conditional probability of each code."""
        return self.trees.shares(leaves, at.x)

    def follow_trends(self, *both: Ints) -> Bools:
        """Rows whose leaves, before and after, give the linear trends at least ``MIN_TREND_WEIGHT``."""
        if self.bag.trends is None:
            return np.zeros(len(both[0]), bool)
        means = [self.trees.trends.weight[leaves].mean(axis=1) for leaves in both]
        return np.asarray(np.min(means, axis=0) >= MIN_TREND_WEIGHT)

    def ranks(self, at: Positions, leaves: Ints, share: Floats, on_trend: Bools) -> Floats:
        """Conditional CDF at each row's value, given as a code and a share inside it; the value must not be null."""
        from janus_synth.kernels.ranking import ranks_of

        out, codes = np.empty(len(share)), np.ascontiguousarray(at.x[self.column])
        self._run(ranks_of, at, leaves, on_trend, codes, share, out)
        return np.clip(out, 1 - self.last, self.last)  # the training rows resolve no more

    def quantiles(self, at: Positions, leaves: Ints, ranks: Floats, on_trend: Bools) -> tuple[Codes, Floats]:
        """Conditional quantile function: codes, and shares inside them, at each row's rank."""
        from janus_synth.kernels.ranking import at_ranks

        codes, share = np.zeros(len(ranks), CODE), np.empty(len(ranks))
        self._run(at_ranks, at, leaves, on_trend, ranks, codes, share)
        return codes, share

    def _run(self, kernel: Any, at: Positions, leaves: Ints, *further: Array) -> None:
        """Call a kernel with the column's arrays, the rows' leaves and parent scores, and its further arguments."""
        scores, lines = parent_scores(self.bag, at, self.ordered, self.n_codes), self.trees.trends.lines
        surface = surface_at(self.bag, at, self.codecs)
        kernel(lines, self.cumulative, self.apart, self.cdf, self.steps, leaves, scores, surface, *further)


def smooth_residuals(trends: Trends, splits: Splits) -> Floats:
    """(leaves, bins + 1) CDF of residuals, shrunk so strongly towards the parent nodes that it is never drawn."""
    return replace(trends, strength=RESIDUAL_STRENGTH, drawn=None).cumulative(splits)
