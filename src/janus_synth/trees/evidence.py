"""Local evidence: a bag and where its parents' values lie in; how far its rows support answers elsewhere, out.

A node's rows speak for a row e away from them with probability exp(−e). For every column that the tree splits on, or
the leaf's trend uses, e adds the distance from the nearest value that the node's rows have, in units of their spread,
less what the spacing of so many rows explains. Far away nothing is known but what the node above says: the row
belongs to a new part of that node, which is like one of its leaves, and it is not known which one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag
from janus_synth.trees.cells import CellLeaves, cell_leaves
from janus_synth.trees.splits import Splits

if TYPE_CHECKING:
    from janus_synth.kernels.views import Evidence

MEAN_DISTANCE, DEVIATION = 3.0, 5.0
"""Mean and standard deviation of the distance of a normal value from the nearest of n others, in spreads / n.

By simulation for n from 7 to 50, with the spread estimated from the same n values; uniform values lie closer."""
CHANCE = 3.0
"""Standard deviations above its mean up to which the distance of a row counts as chance."""
LEAST_SPREAD = 0.01
"""Least spread of a node's rows, relative to that of all rows."""
NODES_AT_ONCE = 256
"""Nodes whose codes are worked on together: few enough for a processor's cache, which halves the time."""


class Places(NamedTuple):
    """Where the values of one column lie."""

    low: Floats
    """(bins,) ends of each bin of an ordered column; empty for levels."""
    high: Floats
    gap_below: Floats
    """(bins,) width of all gaps below each bin."""
    counts: LongInts
    """(codes,) training rows with each code."""


class Answer(NamedTuple):
    """Of every row: its distribution on the cells, its expected entropy, and its support."""

    shares: Floats
    expected: Floats
    support: Floats


@dataclass(frozen=True, eq=False)
class LocalEvidence:
    """A bag's leaves on cells, its nodes as answers for what they have not seen, and where its rows lie."""

    bag: Bag
    leaves: CellLeaves
    evidence: Evidence
    node_shares: Floats
    """(m, C) mean distribution of the leaves below a node."""
    node_expected: Floats
    """(m,) their mean expected entropy."""

    def answer(self, x: Codes, values: Floats, off: Floats) -> Answer:
        """Distributions of rows of codes; ``values`` and ``off`` (columns, rows) as for the kernel."""
        from janus_synth.kernels.supporting import add_leaves, add_mixtures, predict_scores, support_of_rows

        n, trees, cells = x.shape[1], self.bag.compiled(len(x)).trees, self.leaves
        leaves, support = np.empty((n, len(trees.roots)), INDEX), np.empty((n, len(trees.roots)))
        mean, expected = np.empty((n, cells.n_cells)), np.empty(n)
        support_of_rows(
            trees, self.evidence, x, values, off, self.node_shares, self.node_expected, leaves, support, mean, expected
        )
        if cells.mixture is None or cells.middle is None or cells.precision is None:
            add_leaves(cells.shares, cells.expected, leaves, support, mean, expected)
        else:
            centre, leverage, spread = np.empty(leaves.shape), np.empty(leaves.shape), np.empty(n)
            lines = self.bag.trend_arrays().lines
            predict_scores(lines, cells.middle, cells.precision, leaves, x, centre, leverage, spread)
            log_variance = self._add_surface(x, leaves, leverage, spread)
            add_mixtures(cells.mixture, leaves, support, centre, leverage, spread, log_variance, mean, expected)
        return Answer(mean, expected, support.mean(axis=1))

    def _add_surface(self, x: Codes, leaves: Ints, leverage: Floats, spread: Floats) -> Floats:
        """Add the variance of the surface's mean, in units of the residuals' variance; return that of its log spread.

        Like the regressions' it counts as far as the leaf supports the row.
        """
        trends = self.bag.trends
        assert trends is not None
        if trends.surface is None:
            return np.zeros(len(leaves))
        variance, log_variance = trends.surface.variances(x[trends.parents])
        leverage += (variance / spread**2)[:, None] / trends.spread[leaves] ** 2
        return np.ascontiguousarray(log_variance)


def local_evidence(bag: Bag, places: Sequence[Places], offsets: LongInts) -> LocalEvidence:
    """Gather what a bag's nodes know; ``places`` are those of ``bag.parents``, ``offsets`` where columns begin in H."""
    from janus_synth.kernels.views import Evidence

    above = nodes_above(bag.splits)
    rows = sum_below(bag.splits, above, bag.leaves.n_rows[:, None])[:, 0]
    cells = cell_leaves(bag)
    weight = np.maximum(bag.leaves.n_rows, 1e-9)[:, None]
    total = sum_below(bag.splits, above, weight)
    shares = sum_below(bag.splits, above, weight * cells.shares) / total
    expected = (sum_below(bag.splits, above, weight * cells.expected[:, None]) / total)[:, 0]
    n_codes = max([len(one.counts) for one in places], default=1)
    uses = _columns_of_trees(bag)
    n_ordered = (uses * np.array([len(one.low) > 0 for one in places], bool)).sum(axis=1).astype(float)
    allowance = MEAN_DISTANCE * n_ordered + CHANCE * DEVIATION * np.sqrt(n_ordered)
    slack = 1.0 / np.maximum(rows, 1.0)
    by_column = (allowance / np.maximum(n_ordered, 1.0)).min(initial=np.inf) * slack
    shape = (len(above), len(places), (n_codes + 63) // 64)
    occupied, near, per_spread = np.zeros(shape, np.uint64), np.zeros(shape, np.uint64), np.ones(shape[:2])
    for j, (column, place) in enumerate(zip(bag.parents, places, strict=True)):
        counts = sum_below(bag.splits, above, _rows_by_code(bag, int(column), place, int(offsets[column])))
        if len(place.low):
            per_spread[:, j] = 1.0 / _spreads(counts[:, : len(place.low)], place)
        _set_bits(occupied[:, j], counts > 0)
        _set_bits(near[:, j], _near(counts > 0, place, by_column / per_spread[:, j], above))
    evidence = Evidence(
        bag.parents,
        np.array([len(one.low) for one in places], INDEX),
        _stack([one.low for one in places], n_codes),
        _stack([one.high for one in places], n_codes),
        _stack([_rates(one.counts) for one in places], n_codes),
        occupied,
        near,
        per_spread,
        slack,
        rows,
        uses,
        allowance,
    )
    return LocalEvidence(bag, cells, evidence, np.ascontiguousarray(shares), np.ascontiguousarray(expected))


# Nodes


def nodes_above(splits: Splits) -> Ints:
    """(m,) node above each node; −1 for roots."""
    above = np.full(len(splits.left), -1, INDEX)
    inner = np.flatnonzero(splits.left >= 0)
    above[splits.left[inner]], above[splits.right[inner]] = inner, inner
    return above


def node_depths(above: Ints) -> Ints:
    """(m,) splits above each node."""
    depth, at = np.zeros(len(above), INDEX), above.copy()
    while (deeper := at >= 0).any():
        depth += deeper
        at = np.where(deeper, above[at], -1)
    return depth


def sum_below(splits: Splits, above: Ints, of_leaves: Array) -> Floats:
    """(m, k) sums over the leaves below each node."""
    out = np.zeros((len(above), of_leaves.shape[1]))
    is_leaf = splits.left < 0
    out[is_leaf] = of_leaves[splits.leaf_of_node[is_leaf]]
    depth = np.where(is_leaf, -1, node_depths(above))
    for level in range(int(depth.max()), -1, -1):
        nodes = np.flatnonzero(depth == level)
        out[nodes] = out[splits.left[nodes]] + out[splits.right[nodes]]
    return out


def _columns_of_trees(bag: Bag) -> Array:
    """(L, J) 1 for the columns that a leaf's tree splits on, or its trend uses."""
    splits = bag.splits
    inner = splits.left >= 0
    tree_of_node = np.searchsorted(splits.roots, np.arange(len(inner)), side="right") - 1
    uses = np.zeros((splits.n_trees, len(bag.parents)), np.uint8)
    uses[tree_of_node[inner], np.searchsorted(bag.parents, splits.feature[inner])] = 1
    found = uses[tree_of_node[~inner]]
    if bag.trends is not None:
        for j, column in enumerate(bag.trends.parents):
            matters = (bag.trends.coef[:, j] != 0) | (bag.trends.surface is not None)
            found[:, np.searchsorted(bag.parents, column)] |= matters & (bag.trends.weight > 0)
    return np.ascontiguousarray(found)


# Columns


def _rows_by_code(bag: Bag, column: int, place: Places, offset: int) -> Floats:
    """(L, codes) rows of each leaf with each code of a column.

    A tree that does not split on the column has not counted it. If the leaf's trend uses it, the range of its scores is
    known; rows are taken to be spread over that range as over the whole column.
    """
    counts = np.asarray(bag.leaves.backward[:, offset : offset + len(place.counts)].todense(), float)
    if bag.trends is None or column not in bag.trends.parents:
        return counts
    trends, j = bag.trends, int(np.flatnonzero(bag.trends.parents == column)[0])
    uncounted = counts.sum(axis=1) == 0
    score = trends.score[j, : len(place.counts)]
    inside: Bools = (score >= trends.low[:, j, None] - 1e-9) & (score <= trends.high[:, j, None] + 1e-9)
    spread_out = inside * place.counts
    total = np.maximum(spread_out.sum(axis=1), 1e-9)
    spread_out = spread_out * (bag.leaves.n_rows / total)[:, None]
    return np.where(uncounted[:, None], spread_out, counts)


def _near(occupied: Bools, place: Places, reach: Floats, above: Ints) -> Bools:
    """(m, codes) codes within reach of a node's rows, wherever in the code a value lies, and of all nodes above it."""
    near, n_bins = occupied.copy(), len(place.low)
    for start in range(0, len(near), NODES_AT_ONCE):
        part = slice(start, start + NODES_AT_ONCE)
        bins = occupied[part, :n_bins]
        below = np.maximum.accumulate(np.where(bins, place.high, -np.inf), axis=1)
        beyond = np.minimum.accumulate(np.where(bins, place.low, np.inf)[:, ::-1], axis=1)[:, ::-1]
        near[part, :n_bins] |= np.minimum(place.high - below, beyond - place.low) <= reach[part, None]
    depth = node_depths(above)
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero(depth == level)
        near[nodes] &= near[above[nodes]]
    return near


def _set_bits(words: Array, flags: Bools) -> None:
    """Write flags as bits, the first as the lowest bit of the first word."""
    packed = np.packbits(flags, axis=1, bitorder="little")
    for k in range(packed.shape[1]):
        words[:, k // 8] |= packed[:, k].astype(np.uint64) << np.uint64(8 * (k % 8))


def _spreads(counts: Floats, place: Places) -> Floats:
    """(m,) spread of each node's values, as if there were no gaps between them.

    It is the standard deviation, or that of a normal distribution with their interquartile range if smaller.
    """
    middle, width = (place.low + place.high) / 2 - place.gap_below, place.high - place.low
    counts = np.vstack([place.counts[: len(middle)], counts])  # of all rows first
    at = middle - np.average(middle, weights=np.maximum(counts[0], 1e-12))
    rows = np.maximum(counts.sum(axis=1), 1e-12)
    mean = counts @ at / rows
    deviation = np.sqrt(np.maximum(counts @ (at**2 + width**2 / 12) / rows - mean**2, 0.0))
    below = np.cumsum(counts, axis=1) / rows[:, None]
    quartile = [middle[np.minimum((below < share).sum(axis=1), len(middle) - 1)] for share in (0.25, 0.75)]
    robust = (quartile[1] - quartile[0]) / 1.349
    spread = np.where(robust > 0, np.minimum(deviation, robust), deviation)
    least = LEAST_SPREAD * spread[0] if spread[0] > 0 else 1.0
    return np.asarray(np.maximum(spread[1:], max(least, np.finfo(float).tiny)))


def _rates(counts: LongInts) -> Floats:
    """−log(1 − share) of each code; infinite for a code that no row has, whose absence is no chance."""
    share = counts / max(1, counts.sum())
    with np.errstate(divide="ignore"):
        return np.where(counts > 0, -np.log1p(-share), np.inf)


def _stack(parts: Sequence[Floats], width: int) -> Floats:
    """One row per column, padded with zeros."""
    out = np.zeros((len(parts), width))
    for row, part in zip(out, parts, strict=True):
        row[: len(part)] = part
    return out
