"""Fit the trends of a tree: a growth context, rows and a grown tree in, `Trends` out.

A tree with trends is a model tree: every leaf has a linear regression of the target's normal score on its parents'
scores, fitted by ridge towards the regression of the node above. It is mixed with the leaf's histogram by how well each
predicts rows that the tree did not grow on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints, LongInts
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.trees.context import GrowthContext, GrowthSettings
from janus_synth.trees.heavy_tails import expected_precisions, weights_of_rows
from janus_synth.trees.leaves import HistogramLeaves
from janus_synth.trees.residual_grid import choose_bend
from janus_synth.trees.scale import MOST_GRADES, Scale, mean_scores
from janus_synth.trees.splits import Splits, single_leaf
from janus_synth.trees.surface import FEW_PARENTS, Surface
from janus_synth.trees.trend import Trends, along_lines, bins_along_lines, count_bins

MOST_PARENTS = 16
"""Most parents in a regression; of more, the strongest predictors are kept."""
FEWEST_PARENTS = 4
"""So many are always allowed,"""
ROWS_PER_PARENT = 30
"""and more of them only with so many rows for each.

Measured: with 16 parents in 150 rows, regressions follow single rows, which can then be linked (docs/defaults.md).
"""
SCREENING_ROWS = 8192
"""Rows that screen the parents and impute scores inside codes."""
MOST_ITERATIONS = 30
"""Most iterations of that imputation,"""
TOLERANCE = 0.002
"""which ends when scores change by less than this, as a root mean square."""
RIDGE = 300.0
"""Prior precision of the difference between a node's coefficients and those of the node above.

Measured: 10, 100 and 300 are detected equally often, but counterfactual error on smooth models falls from 0.047 to
0.020 and 0.016 (docs/defaults.md).
"""
SPREAD_PRIOR_ROWS = 10.0
"""Prior rows by which a node's spread is shrunk towards that of the node above."""
ROOT_PASSES = 3
"""Passes over the root's regression. After one, the prior rows, whose residuals are 1, widen the spread of a column
that follows its parents closely in a small table; after three they hardly do (docs/defaults.md)."""
LEVEL_PRIOR_ROWS = 5.0
"""Prior rows by which the score of an unordered parent's level is shrunk towards 0."""
RESIDUAL_STRENGTH = 3.0
"""Prior rows by which a leaf's residual histogram is shrunk towards that of the node above (docs/defaults.md)."""
FEW_ROWS = 750
"""With fewer rows that prior has more, in inverse proportion: else residuals of a hundred rows are those of its rows,
and conditions made from generated rows single these out (docs/defaults.md)."""
HISTOGRAM_PENALTY = 0.1
"""Nats per row that the histogram loses in the comparison with the trend; nothing where codes are grades.

Measured: without it detection is worse by about 0.005 on smooth tables; 0.2 and more hurt ``credit``
(docs/defaults.md).
"""
WEIGHING_ROUNDS = 10
"""Rounds of expectation and maximisation for the mixture weights, which after so few still lean on a half each,"""
ROUNDS_OF_GRADES = 60
"""and where codes are grades, until little changes."""
SMOOTH_RIDGE = 1000.0
"""Ridge, prior rows of spreads, and nats that two regressions must gain over one, below a surface of few parents.

Measured on random smooth models that are not the benchmark's: with the values for trends without a surface, leaves
differ by chance, and counterfactual error was half as large again. With more parents too little is left to the trees.
"""
SMOOTH_SPREAD_PRIOR_ROWS = 100.0
SMOOTH_LINE_PRICE = 3.0
JUDGES = 3
"""One of so many rows is never used to compare trends and histograms: fewer are enough, and it takes time.

Trees of a bag are then compared on a third of the rows, those neither grown on nor left out; a single tree on all."""
ENOUGH_JUDGES = 2048
"""So many rows are always enough for that,"""
JUDGES_PER_LEAF = 4
"""and so many for each leaf (docs/defaults.md)."""
WEIGHT_PRIOR_ROWS = 20.0
"""Prior rows by which a leaf's mixture weight is shrunk towards that of the node above,"""
WEIGHT_PRIOR_ROWS_AT_ROOT = 1.0
"""and the root's towards a half. Where codes are grades the root has as many prior rows as a leaf: its weight is not
held back by few rounds, and a hundred rows judge it badly (docs/defaults.md)."""
WEIGHING_ROWS = 2048
"""Rows that decide whether rows have weights, and that the regression behind the weights is fitted to."""
EQUAL_WEIGHTS: Floats = np.empty(0)
"""Weights of rows that all count alike."""


@dataclass(frozen=True)
class TrendDesign:
    """The regression problem that all trees of a column share: target and parents as scores, row by row."""

    target: int
    scale: Scale
    parents: Ints
    score: Floats
    """(p, most codes) score of every code of every parent."""
    rows: LongInts
    """Rows on the scale, every k-th if there are very many."""
    x: Codes
    """Their codes, of all columns."""
    place: Floats
    """Their relative positions inside the target's code, see `places`."""
    z: Floats
    """Their normal scores of the target."""
    surface: Surface | None = None
    mean: Floats | float = 0.0
    """Mean and spread of the surface at these rows."""
    spread: Floats | float = 1.0
    bend: float = 0.0
    """How much finer the bins of residuals are near 0, the same in all trees; see `residual_grid`."""
    weight: Floats | None = None
    """Weights of these rows in the regressions, if residuals have heavy tails; see `heavy_tails`."""
    has_grades: bool = False
    """Whether the target has few values, each with a code of its own. The likeliest mixture is then the best one:
    histograms of such a column have no steps where it is smooth (docs/defaults.md)."""

    @property
    def has_heavy_tails(self) -> bool:
        """Whether rows have weights, since some are far from a line that most follow closely."""
        return self.weight is not None

    def on(self, rows: LongInts) -> TrendDesign:
        """The same for a context of some of the rows, whose numbers are given in ascending order."""
        kept = np.isin(self.rows, rows)
        return replace(
            self,
            rows=np.searchsorted(rows, self.rows[kept]),
            x=np.ascontiguousarray(self.x[:, kept]),
            place=self.place[kept],
            z=self.z[kept],
            weight=None if self.weight is None else self.weight[kept],
        )

    @cached_property
    def standardised(self) -> Floats:
        """Scores that the regressions are fitted to: the target's, less the mean and divided by the spread."""
        return np.asarray((self.z - self.mean) / self.spread)

    @property
    def is_smooth(self) -> bool:
        """Whether a surface leaves little to the regressions: there is one, and it resolves all parents."""
        return self.surface is not None and len(self.parents) <= FEW_PARENTS

    @property
    def ridge(self) -> float:
        """Prior precision of the difference between the coefficients of a node and of the node above."""
        return SMOOTH_RIDGE if self.is_smooth else RIDGE

    @property
    def spread_prior_rows(self) -> float:
        """Prior rows by which a node's spread is shrunk towards that of the node above."""
        return SMOOTH_SPREAD_PRIOR_ROWS if self.is_smooth else SPREAD_PRIOR_ROWS

    @property
    def root_passes(self) -> int:
        """Passes over the root's line: each takes the spread of the one before for that of a node above."""
        return ROOT_PASSES if self.surface is None else 1

    @property
    def histogram_penalty(self) -> float:
        """Nats per row that the histogram loses in the comparison with the trend."""
        return 0.0 if self.has_grades else HISTOGRAM_PENALTY

    @property
    def weighing(self) -> tuple[float, float, int]:
        """Prior rows of the mixture weights below the root and at the root, and rounds to find the weights."""
        if self.has_grades:
            return WEIGHT_PRIOR_ROWS, WEIGHT_PRIOR_ROWS, ROUNDS_OF_GRADES
        return WEIGHT_PRIOR_ROWS, WEIGHT_PRIOR_ROWS_AT_ROOT, WEIGHING_ROUNDS

    @property
    def line_price(self) -> float:
        """Nats that two regressions in the place of one must gain."""
        return SMOOTH_LINE_PRICE if self.is_smooth else 0.0


def prepare_trends(
    context: GrowthContext, target: int, parents: Sequence[int], settings: GrowthSettings
) -> TrendDesign | None:
    """Design of a column's regressions; None if it can have no trends.

    Ordered parents get normal scores of their own distribution, unordered ones the target's mean score in each level.
    """
    scale = context.scales[target]
    if scale is None or not len(parents):
        return None
    rows = np.flatnonzero(~scale.apart[context.x[target]])
    rows = rows[:: max(1, -(-len(rows) // settings.max_rows))]
    every = len(rows) == context.x.shape[1]  # then no copy, of all columns for every column
    x = context.x if every else np.ascontiguousarray(context.x[:, rows])
    place = context.place[rows]
    z = scale.scores(x[target], place)
    score = _parent_scores(context, parents, x, z)
    kept = np.arange(len(parents))
    if len(parents) > (most := most_parents(len(rows))):
        sample = _screening_rows(len(rows))
        part = np.ascontiguousarray(x[:, sample])
        kept = np.sort(_rank_predictors(part, np.asarray(parents, INDEX), score, z[sample])[:most])
    design = TrendDesign(
        target, scale, np.asarray(parents, INDEX)[kept], np.ascontiguousarray(score[kept]), rows, x, place, z,
        has_grades=_has_grades(context.columns[target]),
    )  # fmt: skip
    z, residual = impute_scores(design)
    return replace(design, z=z, bend=choose_bend(residual))


def _has_grades(column: ColumnCodec) -> bool:
    """Whether a column has few values, each with a code of its own."""
    return isinstance(column, OrderedCodec) and len(column.atoms) == column.n_bins <= MOST_GRADES


def most_parents(n_rows: int) -> int:
    """Most parents of a regression on so many rows.

    >>> most_parents(50), most_parents(150), most_parents(10_000)
    (4, 5, 16)
    """
    return min(max(n_rows // ROWS_PER_PARENT, FEWEST_PARENTS), MOST_PARENTS)


def residual_strength(n_rows: int) -> float:
    """Prior rows of a residual histogram among so many rows.

    >>> residual_strength(75), residual_strength(10_000)
    (30.0, 3.0)
    """
    return RESIDUAL_STRENGTH * max(1.0, FEW_ROWS / max(n_rows, 1))


def _screening_rows(n: int) -> LongInts:
    """Every k-th row, `SCREENING_ROWS` at most."""
    return np.linspace(0, n - 1, min(n, SCREENING_ROWS)).astype(np.int64)


def _parent_scores(context: GrowthContext, parents: Sequence[int], x: Codes, z: Floats) -> Floats:
    """(parents, most codes) score of every code of every parent."""
    score = np.zeros((len(parents), int(context.n_codes.max())))
    for j, parent in enumerate(parents):
        n_codes = int(context.n_codes[parent])
        if context.ordered[parent]:
            score[j, :n_codes] = mean_scores(context.shares[parent])
        else:
            count = np.bincount(x[parent], minlength=n_codes)
            score[j, :n_codes] = np.bincount(x[parent], weights=z, minlength=n_codes) / (count + LEVEL_PRIOR_ROWS)
    return score


def impute_scores(design: TrendDesign) -> tuple[Floats, Floats]:
    """Scores of rows inside their codes given one regression of all rows, and the residuals of that regression.

    The scores are imputed iteratively, as in an ordered probit.

    A wide code does not say where in it a row lies. Placed by the marginal, rows make regressions too flat; placed by
    the regression of the previous iteration they do not. Two codes leave the regression's scale unidentified, so scores
    of all rows are scaled to a standard deviation of 1.
    """
    sample = _screening_rows(design.x.shape[1])
    x, part = design.x, np.ascontiguousarray(design.x[:, sample])
    place, z = design.place[sample], design.z[sample]
    tree, root = single_leaf(), np.zeros(len(sample), INDEX)
    for _ in range(MOST_ITERATIONS):
        lines = _fit_lines(design, part, tree, root, (z - z.mean()) / z.std(), np.zeros(len(z), bool))[0].lines
        before, (z, _, _) = z, along_lines(design.scale, lines, root, part, design.target, place)
        if np.mean((z - before) ** 2) < TOLERANCE**2:
            break
    return along_lines(design.scale, lines, np.zeros(x.shape[1], INDEX), x, design.target, design.place)[:2]


def with_weights(design: TrendDesign) -> TrendDesign:
    """The design with weights of rows, and bins for the residuals of regressions with them, if tails are heavy.

    A sample of the rows decides whether they are, and what the regressions of all rows are.
    """
    sample = np.linspace(0, len(design.z) - 1, min(len(design.z), WEIGHING_ROWS)).astype(INDEX)
    part, z = np.ascontiguousarray(design.x[:, sample]), design.z[sample]
    order = np.arange(len(sample), dtype=INDEX), np.zeros(1, INDEX), np.full(1, len(sample), INDEX)
    fitted: list[_Lines] = []

    def fit(weight: Floats) -> tuple[Floats, float]:
        fitted.append(_fit_nodes(design, part, single_leaf(), order, z, weight))
        return z - fitted[-1].centres(design, part), float(fitted[-1].spread[0])

    weight = weights_of_rows(fit(EQUAL_WEIGHTS)[0], fit)
    if weight is None:
        return design
    fit(weight)
    before, after = (design.z - lines.centres(design, design.x) for lines in fitted[-2:])
    weight = expected_precisions(before, float(fitted[-2].spread[0]))
    return replace(design, weight=weight, bend=choose_bend(after))


def strongest_predictors(design: TrendDesign) -> Ints:
    """Places of a design's parents, the strongest linear predictor first."""
    sample = _screening_rows(design.x.shape[1])
    part = np.ascontiguousarray(design.x[:, sample])
    return _rank_predictors(part, design.parents, design.score, design.z[sample])


def _rank_predictors(x: Codes, parents: Ints, score: Floats, z: Floats) -> Ints:
    """Places of parents, strongest first: screened by correlation, then ranked by a joint ridge regression.

    The sums are computed by kernels: a BLAS library starts its own threads even for such small matrices, and these take
    processor time from the threads that grow trees while they wait.
    """
    from janus_synth.kernels.trending import add_moments, solve

    z, alone = z - z.mean(), np.empty(len(parents))
    for j, parent in enumerate(parents):
        v = score[j, x[parent]]
        v -= v.mean()
        alone[j] = abs((v * z).sum()) / np.sqrt((v * v).sum() + 1e-12)
    best = np.argsort(-alone, kind="stable")[: 4 * MOST_PARENTS]
    n, p = len(z), len(best)
    gram, cross, low, high = np.zeros((p + 1, p + 1)), np.zeros(p + 2), np.zeros(p), np.zeros(p)
    rows = np.arange(n, dtype=INDEX)
    add_moments(rows, x, parents[best], np.ascontiguousarray(score[best]), z, gram, cross, low, high)
    total = gram[p, :p]
    scatter = np.ascontiguousarray(gram[:p, :p] - total[:, None] * total / n)
    spread = np.sqrt(np.maximum(np.diag(scatter), 0.0) / n)
    scatter[np.diag_indices(p)] += RIDGE
    slope = cross[:p].copy()
    solve(scatter, slope)
    return np.asarray(best[np.argsort(-np.abs(slope) * spread, kind="stable")])


def fit_trends(
    design: TrendDesign,
    context: GrowthContext,
    splits: Splits,
    leaves: HistogramLeaves,
    grown_on: Ints,
    settings: GrowthSettings,
    *,
    leaf: Ints,
) -> Trends:
    """Fit a regression in every leaf of one tree, and its weight in the mixture with the leaf's histogram.

    Both parts are compared by the leave-one-out predictive likelihood of rows that the tree was not grown on.
    Histograms overfit the rows that chose the splits: compared on these, trends were hardly ever chosen
    (docs/architecture.md). ``leaf`` (all rows,) is the leaf of each row.
    """
    target, rows, x = design.target, design.rows, context.x
    leaf_of_all, leaf = leaf, leaf[rows]
    judges = np.ones(x.shape[1], bool)
    if settings.n_trees > 1:
        judges[grown_on] = False
        judges[::JUDGES] = False
    trends, judged = _fit_unweighted(design, splits, leaf, choose_judges(judges[rows], splits.n_leaves))
    n = np.bincount(leaf, minlength=splits.n_leaves)
    weight = n / (n + 1.0)  # a little of the histogram always: no possible code may become impossible
    if settings.leaves != "trend":
        by_histogram = _left_out_by_histogram(design, splits, leaves, judged)
        weight *= _mixture_weights(design, trends, splits, leaves, judged, by_histogram)[0]
    trends = replace(trends, weight=weight)
    if len(rows) == np.count_nonzero(~design.scale.apart[x[target]]):
        return trends
    return trends.with_residuals(*trends.count_trees(splits, [0], x, target, context.place, [leaf_of_all]))


def choose_judges(unseen: Bools, n_leaves: int) -> Bools:
    """Which rows compare trends and histograms: some of those ``unseen`` (rows,), evenly from first to last.

    >>> choose_judges(np.array([True, False, True, True]), n_leaves=1)
    array([ True, False,  True,  True])
    """
    rows, most = np.flatnonzero(unseen), max(ENOUGH_JUDGES, JUDGES_PER_LEAF * n_leaves)
    if len(rows) <= most:
        return unseen
    chosen = np.zeros(len(unseen), bool)
    chosen[rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]] = True
    return chosen


def held_out_log_likelihoods(
    designs: Iterable[TrendDesign], splits: Splits, leaves: HistogramLeaves, held_out: Bools, *, leaf: Ints
) -> list[Floats]:
    """Log probability of held-out rows by the mixture of trends and histograms of one tree, by each of several designs.

    The designs have the same rows. ``held_out`` (rows of the designs,) marks rows that neither the tree nor the
    surfaces were fitted to; each of them is left out of the counts and the regression of its leaf. ``leaf`` (all rows,)
    is the leaf of each row.
    """
    found, by_histogram = [], None
    for design in designs:
        trends, judged = _fit_unweighted(design, splits, leaf[design.rows], held_out)
        if by_histogram is None:
            by_histogram = _left_out_by_histogram(design, splits, leaves, judged)
        found.append(_mixture_weights(design, trends, splits, leaves, judged, by_histogram)[1])
    return found


class _Judged(NamedTuple):
    """Rows that compare predictions: leaf, code and score, the residual without the row, and the residual's unit."""

    leaf: Ints
    codes: Codes
    z: Floats
    residual: Floats
    spread: Floats


def _fit_unweighted(design: TrendDesign, splits: Splits, leaf: Ints, judged: Bools) -> tuple[Trends, _Judged]:
    """Regressions and residuals of all leaves without weights, and the rows that the weights are estimated from."""
    target, x = design.target, design.x
    trends, leverage = _fit_lines(design, x, splits, leaf, design.standardised, judged)
    trends = replace(trends, surface=design.surface)
    bins, known = bins_along_lines(design.scale, trends.lines, leaf, x, target, design.place, judged)
    own = leaf[judged]
    left_out = known.residual / (1.0 - leverage)[own]  # leave-one-out residual
    rows = _Judged(own, x[target, judged], known.z, left_out, known.spread)
    return trends.with_residuals(count_bins(bins, leaf, splits.n_leaves)), rows


def _fit_lines(
    design: TrendDesign, x: Codes, splits: Splits, leaf: Ints, z: Floats, judged: Bools
) -> tuple[Trends, Floats]:
    """Regressions of all leaves, without weights and residuals yet, and the mean leverage of a row in each.

    A leaf uses the regression of a node above it if that predicts the ``judged`` rows better, which the tree was not
    grown on.
    """
    from janus_synth.kernels.trending import choose_lines, lay_rows

    order = lay_rows(splits.left, splits.right, splits.leaf_of_node, leaf)
    lines = _fit_nodes(design, x, splits, order, z, EQUAL_WEIGHTS)
    spread = lines.spread  # the unit of residuals, those of far rows among them
    if design.weight is not None:
        lines = _fit_nodes(design, x, splits, order, z, design.weight)
    line = np.empty(len(spread), INDEX)
    choose_lines(
        splits.left, splits.right, *order, x, design.parents, design.score, z, judged, *lines, design.line_price,
        design.has_heavy_tails, line,
    )  # fmt: skip
    at = line[splits.left < 0]
    trends = Trends(
        design.scale, design.parents, design.score, lines.coef[at], spread[at], lines.low[at], lines.high[at],
        weight=np.zeros(splits.n_leaves), residuals=None, strength=residual_strength(len(design.rows)),
        bend=design.bend,
    )  # fmt: skip
    _, start, stop = order
    return trends, np.minimum(lines.freedom / np.maximum(stop - start, 1), 0.9)[at]


class _Lines(NamedTuple):
    """Regressions of all nodes of a tree: coefficients, spread, parameters that rows decide, ranges of the parents."""

    coef: Floats
    spread: Floats
    freedom: Floats
    low: Floats
    high: Floats

    def centres(self, design: TrendDesign, x: Codes) -> Floats:
        """Score that the root predicts for each row."""
        from janus_synth.kernels.walking import Lines, centres_of_rows

        n = x.shape[1]
        centre, unit = np.empty(n), np.empty(n)
        lines = Lines(design.parents, design.score, self.coef, self.spread, self.low, self.high)
        centres_of_rows(lines, np.zeros(n, INDEX), x, centre, unit)
        return centre


def _fit_nodes(
    design: TrendDesign, x: Codes, splits: Splits, order: tuple[Ints, Ints, Ints], z: Floats, weight: Floats
) -> _Lines:
    """Fit a regression to every node of a tree, its rows in the order that `lay_rows` gives."""
    from janus_synth.kernels.trending import fit_lines

    m, p = len(splits.left), len(design.parents)
    lines = _Lines(np.empty((m, p + 1)), np.empty(m), np.empty(m), np.empty((m, p)), np.empty((m, p)))
    fit_lines(
        splits.left, splits.right, *order, x, design.parents, design.score, z, weight, design.ridge,
        design.spread_prior_rows, design.root_passes, *lines,
    )  # fmt: skip
    return lines


def _left_out_by_histogram(design: TrendDesign, splits: Splits, leaves: HistogramLeaves, judged: _Judged) -> Floats:
    """Leave-one-out predictive likelihood of the given rows by the histograms, less the penalty."""
    shares = leaves.shares_at(splits, judged.leaf, judged.codes, left_out=1.0)
    return np.asarray(np.exp(-design.histogram_penalty) * shares)


def _mixture_weights(
    design: TrendDesign, trends: Trends, splits: Splits, leaves: HistogramLeaves, judged: _Judged, by_histogram: Floats
) -> tuple[Floats, Floats]:
    """(leaves,) weight of the trend, by the leave-one-out predictive likelihood of the given rows, and its log."""
    from janus_synth.kernels.trending import weigh_predictions
    from janus_synth.kernels.walking import left_out_shares

    leaf, codes = judged.leaf, judged.codes
    arrays = trends.compile(splits, _leave_one_out_mass(trends, splits, leaves))
    by_trend, weight = np.empty(len(codes)), np.empty(splits.n_leaves)
    alone = trends.residual_shares(splits, left_out=1.0)
    left_out_shares(arrays, alone, leaf, codes, judged.residual, judged.z, judged.spread, by_trend)
    by_trend *= arrays.rest[leaf]
    weigh_predictions(
        splits.left, splits.right, splits.leaf_of_node, leaf, by_histogram, by_trend, *design.weighing, weight
    )
    mixed = (1.0 - weight[leaf]) * by_histogram + weight[leaf] * by_trend
    return weight, np.log(np.maximum(mixed, np.finfo(float).tiny))


def _leave_one_out_mass(trends: Trends, splits: Splits, leaves: HistogramLeaves) -> Floats:
    """(leaves,) probability of all codes on the scale, without one of the leaf's rows there."""
    codes, rows, n_leaves = np.flatnonzero(trends.scale.apart), leaves.n_rows, splits.n_leaves
    if not trends.scale.apart[leaves.forward.indices].any():
        return np.ones(n_leaves)
    each_leaf = np.repeat(np.arange(n_leaves, dtype=INDEX), len(codes))
    shares = leaves.shares_at(splits, each_leaf, np.tile(codes.astype(CODE), n_leaves))
    apart = shares.reshape(n_leaves, len(codes)).sum(axis=1)
    without = (rows + leaves.prior_strength) / (np.maximum(rows - 1, 0) + leaves.prior_strength)
    return np.asarray(np.maximum(1.0 - apart * without, 0.0))
