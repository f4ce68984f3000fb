"""Designs with a surface: a column's design without one in, the same regression problem on standardised scores out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, LongInts
from janus_synth.encoding import OrderedCodec
from janus_synth.trees.axes import places_of_values, scores_of_values
from janus_synth.trees.context import GrowthContext
from janus_synth.trees.fit_surface import SurfaceRows, fit_to_rows
from janus_synth.trees.fit_trend import TrendDesign, impute_scores, strongest_predictors
from janus_synth.trees.residual_grid import choose_bend
from janus_synth.trees.scale import Scale

N_STEPS = 256
"""Steps along the coordinate of a continuous parent."""
N_ROUNDS = 2
"""Where only codes are known, the final surface is fitted to scores that the previous one predicts inside them, the
first time a linear regression."""
MOST_SMOOTH = 8
"""Parents with smooth effects; of more, the strongest predictors."""
LEAST_ROWS = 100
"""Rows on the scale that a surface needs."""


@dataclass(frozen=True)
class SmoothAxes:
    """Coordinates that surfaces are fitted along, and rows that they are fitted to: the same on every scale."""

    place: Floats
    """(p, most codes) coordinate of every code of every parent; NaN throughout for a parent without an effect."""
    fine_place: Floats
    """The same of finer codes, see `finer_codes`,"""
    fine: Codes
    """and these codes, row by row."""
    fitted_to: LongInts | None
    """Rows of the design that surfaces are fitted to; None for all."""

    @cached_property
    def rows(self) -> SurfaceRows:
        """These rows."""
        return SurfaceRows(self.fine_place, self.fine if self.fitted_to is None else self.fine[:, self.fitted_to])


def smooth_axes(design: TrendDesign, context: GrowthContext, fitted_to: Bools | None = None) -> SmoothAxes:
    """Coordinates of the parents for surfaces of a design without one, fitted to some of its rows or to all."""
    place = smooth_places(design, context)
    rows = None if fitted_to is None else np.flatnonzero(fitted_to)
    return SmoothAxes(place, *finer_codes(design, context, place), rows)


def candidate_scales(design: TrendDesign, context: GrowthContext) -> list[Scale]:
    """Scales on which a surface may be fitted: normal scores, values, logarithms; none without places."""
    if len(design.rows) < LEAST_ROWS or np.isnan(smooth_places(design, context)).all():
        return []
    return [design.scale, *(replace(design.scale, values=edges) for edges in context.values[design.target])]


def with_surface(
    design: TrendDesign, context: GrowthContext, scale: Scale, axes: SmoothAxes | None = None
) -> TrendDesign:
    """Design with a surface on the given scale, along ``axes``, by default of all rows."""
    axes = axes or smooth_axes(design, context)
    codes, own = design.x[design.parents], design.x[design.target]
    fitted_to = slice(None) if axes.fitted_to is None else axes.fitted_to
    whole = axes.fitted_to is None
    known = exact_scores(design, context, scale)
    if known is None and scale is not design.scale:
        design = replace(design, scale=scale, z=scale.scores(own, design.place))
        design = replace(design, z=impute_scores(design)[0])
    design, z = replace(design, scale=scale), design.z if known is None else known
    for _ in range(N_ROUNDS if known is None and whole else 1):
        found = fit_to_rows(axes.rows, z[fitted_to], posterior=whole)
        surface = replace(found, place=axes.place)
        mean, spread = surface.at_codes(codes)
        z = scale.scores(own, design.place, mean, spread) if known is None else known
    return replace(design, z=z, surface=surface, mean=mean, spread=spread, bend=choose_bend((z - mean) / spread))


def finer_codes(design: TrendDesign, context: GrowthContext, place: Floats) -> tuple[Floats, Codes]:
    """Places and codes of the parents that a surface is fitted to: even steps along a continuous parent's coordinate.

    Codes are wide at the ends of a column, where its effect is often steep.
    """
    fine_place = np.full((len(place), max(place.shape[1], N_STEPS + 1)), np.nan)
    fine_place[:, : place.shape[1]] = place
    codes = design.x[design.parents]
    for j, parent in enumerate(design.parents):
        cells, codec = context.cells.get(int(parent)), context.columns[parent]
        if cells is None or not isinstance(codec, OrderedCodec) or codec.n_bins < 2:
            continue
        along = places_of_values(codec, place[j], np.asarray(cells[design.rows], float))
        missing = np.isnan(along)
        codes[j] = np.where(missing, N_STEPS, np.rint(np.where(missing, 0.0, along) * (N_STEPS - 1)))
        fine_place[j] = np.nan
        fine_place[j, :N_STEPS] = np.linspace(0.0, 1.0, N_STEPS)
    return fine_place, codes


def exact_scores(design: TrendDesign, context: GrowthContext, scale: Scale) -> Floats | None:
    """Scores of the design's rows by their values, finer than codes; None if only codes are known, or on a lattice."""
    cells, codec = context.cells.get(design.target), context.columns[design.target]
    if cells is None or not isinstance(codec, OrderedCodec):
        return None
    values, codes = np.asarray(cells[design.rows], float), design.x[design.target]
    if scale.values is not None:
        return scores_of_values(codec, scale.values, values)
    inside = np.where(codec.knot[codes, 0] < codec.knot[codes, -1], codec.share_below(codes, values), design.place)
    tail = 0.5 / len(values)  # as far out as the most extreme of so many rows
    return scale.scores(codes, np.clip(inside, tail, 1 - tail))


def smooth_places(design: TrendDesign, context: GrowthContext) -> Floats:
    """Coordinates of the parents' codes, of the strongest predictors alone if there are many parents."""
    place = parent_places(design, context)
    place[strongest_predictors(design)[MOST_SMOOTH:]] = np.nan
    return place


def parent_places(design: TrendDesign, context: GrowthContext) -> Floats:
    """(p, most codes) coordinate of every code of the regressions' parents, levels by their scores; NaN for missing."""
    place = np.full(design.score.shape, np.nan)
    for j, parent in enumerate(design.parents):
        known, n_codes = context.coordinates[parent], int(context.n_codes[parent])
        if known is None:
            score = design.score[j, :n_codes]
            width = float(np.ptp(score))
            known = (score - score.min()) / width if width > 0 else np.full(n_codes, np.nan)
        place[j, :n_codes] = known
    return place
