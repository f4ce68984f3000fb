"""Design the trees of a column: rows held out decide whether they are deep and whether trends have a surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.context import GrowthContext, GrowthSettings
from janus_synth.trees.fit_trend import TrendDesign, held_out_log_likelihoods, prepare_trends, with_weights
from janus_synth.trees.grow import count_rows, grow_splits, grow_tree
from janus_synth.trees.smooth_design import candidate_scales, smooth_axes, with_surface
from janus_synth.trees.surface import FEW_PARENTS

SLACK = 2.0
"""With few parents, a column has a surface unless that lowers the log likelihood of held-out rows by so many standard
errors: regressions of neighbouring leaves predict as well, but counterfactuals are less exact."""
MARGIN = 0.03
"""With more parents, nats per row by which a surface must raise it: averaging over trees helps regressions in leaves
more than it helps a surface."""
FEWEST_PILOT_ROWS = 2048
"""With fewer rows pilots decide by chance, and trees are not deep."""
LEAST_ERRORS = 0.5
"""Standard errors by which the log likelihood of unseen rows must rise."""


class ColumnDesign(NamedTuple):
    """How the trees of a column grow, and the design of their trends; None if it has no trends."""

    growth: GrowthSettings
    trends: TrendDesign | None


def grow_bag(
    context: GrowthContext,
    target: int,
    parents: Sequence[int],
    settings: GrowthSettings,
    rngs: Sequence[np.random.Generator],
) -> Bag:
    """Grow a column's bag, a tree per generator; a column without parents needs a single leaf."""
    growth, design = prepare_column(context, target, parents, settings)
    trees = [grow_tree(context, target, parents, growth, rng, design) for rng in (rngs if parents else rngs[:1])]
    return join_bags(trees)


def prepare_column(
    context: GrowthContext, target: int, parents: Sequence[int], settings: GrowthSettings
) -> ColumnDesign:
    """Decide how deep the trees of a column are, and design its trends."""
    trends = prepare_trends(context, target, parents, settings)
    deep = bool(parents) and should_be_deep(context, target, parents, settings, trends)
    growth = replace(settings, deep=deep)
    return ColumnDesign(growth, None if trends is None else prepare_design(trends, context, parents, growth))


def should_be_deep(
    context: GrowthContext,
    target: int,
    parents: Sequence[int],
    settings: GrowthSettings,
    design: TrendDesign | None,
) -> bool:
    """Whether unseen rows are more likely by a bag of deep trees, judged by pilots of two trees of each kind.

    Deep trees are noisy, and gain more from averaging. The log likelihood of a bag falls short of that of endless trees
    by a constant over their number, so that of ``n_trees`` follows from those of one and of two. Unordered columns are
    never deep: measured, unseen rows become less likely and more rows are copied (docs/defaults.md). The regressions of
    pilots have no weights of rows: with them, fewer columns have deep trees, and more rows are detected.
    """
    if settings.flat_prior or settings.n_trees == 1 or not context.ordered[target]:
        return False
    if context.n_rows < FEWEST_PILOT_ROWS:
        return False
    pilot = context.pilot
    codes = np.ascontiguousarray(pilot.whole.x[:, pilot.is_unseen])
    design = None if design is None else design.on(pilot.learnt_rows)

    def log_likelihood(growth: GrowthSettings) -> Floats:
        rngs = [np.random.default_rng(seed) for seed in range(2)]
        trees = [grow_tree(pilot.growth, target, parents, growth, rng, design) for rng in rngs]
        shares = [tree.compiled(len(codes)).probability_of(codes[target], codes) for tree in trees]
        one, two = np.log(shares).mean(axis=0), np.log(np.mean(shares, axis=0))
        return np.asarray(two + (1 - 2 / settings.n_trees) * (two - one))

    gain = log_likelihood(replace(settings, deep=True)) - log_likelihood(settings)
    return bool(gain.mean() > LEAST_ERRORS * gain.std() / np.sqrt(len(gain)))


def prepare_design(
    design: TrendDesign, context: GrowthContext, parents: Sequence[int], settings: GrowthSettings
) -> TrendDesign:
    """Design with weights of rows, and with a surface if that predicts the unseen rows of a pilot well.

    Surfaces are fitted to the pilot's other rows, and a tree grows on as many of these as a tree of a bag has; trends
    with each surface are compared with trends without one. The surface that is kept is then fitted to all rows.
    """
    design, most = with_weights(design), settings.most_smooth_parents
    if most is not None and len(parents) > most:
        return design
    pilot = context.pilot
    part, whole = design.on(pilot.rows), pilot.whole
    scales = candidate_scales(part, whole)
    if not scales:
        return design
    rows = np.sort(pilot.learnt[: settings.subsample_size(whole.n_rows)]).astype(INDEX)
    splits, _ = grow_splits(whole, design.target, parents, settings, rows)
    leaf = splits.leaves_reached(whole.x, 0)
    leaves, unseen = count_rows(whole, design.target, settings, splits, leaf), pilot.is_unseen[part.rows]
    axes = smooth_axes(part, whole, ~unseen)
    designs = (with_surface(part, whole, one, axes) for one in scales)
    plain, *smooth = held_out_log_likelihoods(chain([part], designs), splits, leaves, unseen, leaf=leaf)
    best, scale = -np.inf, None
    for one, found in zip(scales, smooth, strict=True):
        gain = found - plain
        if gain.mean() > max(best, _least_gain(gain, len(design.parents))):
            best, scale = float(gain.mean()), one
    return design if scale is None else with_surface(design, context, scale)


def _least_gain(gain: Floats, n_parents: int) -> float:
    """Mean log likelihood that a surface must gain over held-out rows."""
    return MARGIN if n_parents > FEW_PARENTS else -SLACK * float(gain.std()) / np.sqrt(len(gain))
