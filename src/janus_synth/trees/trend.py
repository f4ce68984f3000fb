"""Trends: linear regressions in the leaves of a bag, each mixed with its leaf's histogram.

In a leaf with a trend a code on the scale has the probability

    (1 − ω) h(k) + ω · h(scale) · [F((upper(k) − m) / s) − F((lower(k) − m) / s)],    m = b + Σ_j β_j x_j

where h are the leaf's histogram shares, F the distribution of its residuals, and x the scores of the parents' codes: an
ordered probit with a residual histogram in place of the normal distribution. It depends on codes alone, so that every
computation that is exact for histograms is exact for trends. With a `Surface` the regressions are about standardised
scores, and its mean and spread at the parents' codes are put back: m(x) + s(x) · (b + Σ_j β_j x_j) and s(x) · s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Floats32, Ints
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX, N_RESIDUALS
from janus_synth.trees.leaves import LeafCounts, add_counts, count_codes, shrunken_shares, stack_counts
from janus_synth.trees.residual_grid import residual_bins, residual_prior
from janus_synth.trees.scale import BLOCK_ROWS, Scale
from janus_synth.trees.splits import Splits, leaves_of_tree, order_rows
from janus_synth.trees.surface import Surface

if TYPE_CHECKING:
    from janus_synth.kernels.walking import Lines
    from janus_synth.kernels.walking import Trends as TrendArrays

FIXED_PARTS = ("parents", "score", "coef", "spread", "low", "high", "weight")
"""Arrays of trends that, like splits, stay as they are when rows are counted."""


@dataclass(frozen=True, slots=True)
class Trends:
    """A regression and residual counts per leaf; counts are additive, the rest is fixed like the splits."""

    scale: Scale
    parents: Ints
    """(p,) columns that the regressions use."""
    score: Floats
    """(p, most codes) score of every code of every parent."""
    coef: Floats
    """(leaves, p + 1) slopes and the intercept."""
    spread: Floats
    """(leaves,) s, the standard deviation of the residuals."""
    low: Floats
    """(leaves, p) smallest score of each parent among the leaf's rows; below it the regression is constant."""
    high: Floats
    """(leaves, p) largest score, likewise."""
    weight: Floats
    """(leaves,) ω, the trend's weight in the mixture with the histogram."""
    residuals: Any
    """csr_array (leaves × bins): rows with each residual; `LeafCounts` of a tree before it joins a bag."""
    strength: float
    """Prior rows by which a leaf's residuals are shrunk towards those of the node above, the root's to the normal."""
    surface: Surface | None = None
    """Smooth mean and spread that the regressions of all leaves start from."""
    bend: float = 0.0
    """How much finer the bins of residuals are near 0; see `residual_grid`."""
    drawn: Floats | None = None
    """(leaves, bins + 1) cumulative residual shares drawn from the posterior, which then replace its means."""

    @property
    def lines(self) -> Lines:
        """The regressions in the types of the kernels."""
        parts = self.parents, self.score, self.coef, self.spread, self.low, self.high
        view = _views()[0](*parts, bend=self.bend)
        return view if self.surface is None else view._replace(surface=self.surface.tables)

    @property
    def typical_spread(self) -> float:
        """Spread of the surface at typical parents; 1 without one."""
        return 1.0 if self.surface is None else float(np.exp(self.surface.constant[1]))

    def compile(self, splits: Splits, mass: Floats) -> TrendArrays:
        """Arrays of the trends for the kernels; ``mass`` (leaves,) is the probability of all codes on the scale."""
        apart = self.scale.apart.astype(np.uint8)
        return _views()[1](self.lines, self.weight, mass, self.cumulative(splits), self.scale.edge, apart)

    def cumulative(self, splits: Splits) -> Floats:
        """(leaves, bins + 1) share of residuals below each bin."""
        return cumulative_residuals(self.residual_shares(splits)) if self.drawn is None else self.drawn

    def residual_shares(self, splits: Splits, *, left_out: float = 0.0) -> Floats32:
        """(leaves, bins) posterior mean of each leaf's residual distribution; see `shrunken_shares`."""
        tree, prior = residual_prior(self.bend)
        concentration = tree.concentration(self.strength)
        return shrunken_shares(
            splits,
            self.residuals,
            tree,
            prior=prior,
            concentration=concentration,
            at_root=concentration,
            left_out=left_out,
        )

    def count_trees(
        self, splits: Splits, trees: Sequence[int], x: Codes, target: int, place: Floats, leaves: Sequence[Ints]
    ) -> list[Any]:
        """Residuals of rows in some trees, where their leaves and their positions inside codes are known.

        Bounds decide most bins, 98 of 100 in adult; residuals are computed only for the other rows.
        """
        from scipy.sparse import csr_array

        from janus_synth.kernels.tallying import sparse_rows, tally_residuals

        sketch, edge, apart = sketch_lines(self.lines), self.scale.edge, self.scale.apart.astype(np.uint8)
        first = [leaves_of_tree(splits, t).start for t in trees]
        tables = [np.zeros((len(leaves_of_tree(splits, t)), N_RESIDUALS), COUNT) for t in trees]
        left: list[list[Ints]] = [[] for _ in trees]
        unsure = np.empty(min(BLOCK_ROWS, x.shape[1]), INDEX)
        for start in range(0, x.shape[1], BLOCK_ROWS):
            rows = slice(start, start + BLOCK_ROWS)
            scores, about = sketch.scores_of(x[:, rows]), _about(self.lines, x[:, rows])
            for i, leaf in enumerate(leaves):
                n = tally_residuals(
                    scores, x[target, rows], place[rows], leaf[rows], sketch.lines, sketch.start, about, edge, apart,
                    self.bend, first[i], tables[i], unsure,
                )  # fmt: skip
                left[i].append(unsure[:n] + INDEX(start))
        for i, leaf in enumerate(leaves):
            self._count_exactly(x, target, place, leaf, np.concatenate([unsure[:0], *left[i]]), first[i], tables[i])
        bins = np.arange(N_RESIDUALS, dtype=INDEX)
        found = [sparse_rows(table, 0, N_RESIDUALS, bins) for table in tables]
        return [
            csr_array((count, key, at), shape=table.shape)
            for (at, key, count), table in zip(found, tables, strict=True)
        ]

    def _count_exactly(
        self, x: Codes, target: int, place: Floats, leaf: Ints, rows: Ints, first: int, table: Ints
    ) -> None:
        """Add the residuals of some rows to a table of the tree whose first leaf is ``first``."""
        from janus_synth.kernels.tallying import tally_bins

        for start in range(0, len(rows), BLOCK_ROWS):
            some = rows[start : start + BLOCK_ROWS]
            _, residual, _ = along_lines(self.scale, self.lines, leaf[some], x[:, some], target, place[some])
            tally_bins(residual_bins(residual, self.bend), leaf[some], first, table)

    def with_residuals(self, residuals: Any) -> Trends:
        """The same regressions with other counts."""
        return replace(self, residuals=residuals, drawn=None)

    def plus(self, residuals: Any) -> Trends:
        """The same regressions with more counts."""
        return self.with_residuals(add_counts(self.residuals, residuals))


class Residuals(NamedTuple):
    """Rows along their regressions: the score of each inside its code, its residual, and the residual's unit."""

    z: Floats
    residual: Floats
    spread: Floats


def along_lines(scale: Scale, lines: Lines, leaf: Ints, x: Codes, target: int, place: Floats) -> Residuals:
    """Each row's score inside its code given its leaf's regression, its residual, and the residual's unit."""
    centre, spread = _centres(lines, leaf, x)
    z = scale.scores(x[target], place, centre, spread)
    return Residuals(z, (z - centre) / spread, spread)


def bins_along_lines(
    scale: Scale, lines: Lines, leaf: Ints, x: Codes, target: int, place: Floats, wanted: Bools | None = None
) -> tuple[Codes, Residuals]:
    """Bin of each row's residual given its leaf's regression, `NO_BIN` where the code is off the scale.

    Simple bounds decide most bins, 93 of 100 in adult; residuals are computed only for the others, and for the rows
    that are ``wanted`` (rows,), whose residuals are returned.
    """
    from janus_synth.kernels.tallying import UNSURE, sure_bins

    centre, spread = _centres(lines, leaf, x)
    bins = np.empty(x.shape[1], CODE)
    sure_bins(x[target], place, centre, spread, scale.edge, scale.apart.astype(np.uint8), lines.bend, bins)
    wanted = np.zeros(len(bins), bool) if wanted is None else wanted
    rows = np.flatnonzero((bins == UNSURE) | wanted)
    centre, spread = centre[rows], spread[rows]
    z = scale.scores(x[target, rows], place[rows], centre, spread)
    residual = (z - centre) / spread
    unsure = bins[rows] == UNSURE
    bins[rows[unsure]] = residual_bins(residual[unsure], lines.bend)
    kept = wanted[rows]
    return bins, Residuals(z[kept], residual[kept], spread[kept])


def _centres(lines: Lines, leaf: Ints, x: Codes) -> tuple[Floats, Floats]:
    """Score that the regression of its leaf predicts for each row, and the unit of its residual."""
    from janus_synth.kernels.walking import centres_of_rows

    centre, spread = np.empty(x.shape[1]), np.empty(x.shape[1])
    centres_of_rows(lines, leaf, x, centre, spread)
    return centre, spread


class LineSketch(NamedTuple):
    """Regressions in single precision, and by how much that may move what they predict."""

    parents: Ints
    score: Floats
    lines: Floats32
    """(leaves, 3, width) slopes, and the lowest and highest score of each parent; the width is padded with zeros."""
    start: Floats
    """(leaves, 3) intercept, spread, and a bound of the rounding errors of single precision."""

    def scores_of(self, x: Codes) -> Floats32:
        """(rows, width) scores of the parents' codes."""
        from janus_synth.kernels.tallying import load_scores

        out = np.zeros((x.shape[1], self.lines.shape[2]), np.float32)
        load_scores(x, self.parents, self.score, out)
        return out


def sketch_lines(lines: Lines) -> LineSketch:
    """Regressions as the kernel `tally_residuals` takes them.

    A term of the sum has three factors' roundings, and the sum of p terms p − 1 more, each relative to at most the sum
    of the largest terms.
    """
    from janus_synth.kernels.tallying import LANES

    p = len(lines.parents)
    out = np.zeros((len(lines.spread), 3, -(-p // LANES) * LANES), np.float32)
    for i, part in enumerate((lines.coef[:, :p], lines.low, lines.high)):
        out[:, i, :p] = part
    largest = np.maximum(np.abs(lines.low), np.abs(lines.high))
    error = (p + 8) * np.finfo(np.float32).eps * (np.abs(lines.coef[:, :p]) * largest).sum(axis=1)
    start = np.column_stack([lines.coef[:, p], lines.spread, error])
    return LineSketch(lines.parents, lines.score, out, start)


def _about(lines: Lines, x: Codes) -> Floats:
    """(rows, 2) mean and spread of the surface at the parents' codes; empty without a surface."""
    from janus_synth.kernels.surfacing import surface_of_rows

    if not lines.surface.single.shape[1]:
        return np.empty((0, 2))
    mean, log_spread = np.empty(x.shape[1]), np.empty(x.shape[1])
    surface_of_rows(lines.surface, lines.parents, x, -1, mean, log_spread)
    return np.column_stack([mean, np.exp(log_spread)])


def count_residuals(residuals: Floats, leaf: Ints, n_leaves: int, *, bend: float = 0.0) -> Any:
    """csr_array (leaves × bins): rows with each residual."""
    return stack_counts([count_bins(residual_bins(residuals, bend), leaf, n_leaves)])


def count_bins(bins: Codes, leaf: Ints, n_leaves: int) -> LeafCounts:
    """Counts (leaves × bins): rows in each bin."""
    nothing = np.zeros(1, INDEX)
    rows = order_rows(leaf.astype(INDEX, copy=False), n_leaves)
    return count_codes(bins[None], nothing, nothing, N_RESIDUALS, rows)


def join_trends(trends: Sequence[Trends]) -> Trends:
    """Trends of several bags of one column, one after the other."""
    return replace(
        trends[0],
        coef=np.concatenate([one.coef for one in trends]),
        spread=np.concatenate([one.spread for one in trends]),
        low=np.concatenate([one.low for one in trends]),
        high=np.concatenate([one.high for one in trends]),
        weight=np.concatenate([one.weight for one in trends]),
        residuals=stack_counts([one.residuals for one in trends]),
        drawn=None,
    )


def cumulative_residuals(shares: Floats | Floats32) -> Floats:
    """(leaves, bins + 1) share of residuals below each bin, from the share in each bin."""
    out = np.empty((len(shares), shares.shape[1] + 1))
    out[:, 0], total = 0.0, out[:, 1:]
    np.cumsum(shares, axis=1, dtype=float, out=total)
    total /= total[:, -1:].copy()
    return out


def no_trends() -> TrendArrays:
    """Empty arrays for a bag without trends."""
    lines_view, trends_view = _views()
    none, empty = np.zeros(0), np.zeros((0, 0))
    lines = lines_view(np.zeros(0, INDEX), empty, empty, none, empty, empty)
    return trends_view(lines, none, none, empty, none, np.zeros(0, np.uint8))


def _views() -> tuple[type[Lines], type[TrendArrays]]:
    """Types of the kernels, imported on first use to keep start-up fast."""
    from janus_synth.kernels.walking import Lines, Trends

    return Lines, Trends
