"""Rows as points of Euclidean space, by a mixed encoding in which every column has about the same weight.

Ordered columns become their rank in [0, 1] with a null indicator beside them, discrete ones one-hot / √2, so
that two different levels, like the two ends of an ordered column, lie at distance 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.rows import ColumnView, Rows, stack

MOST_LEVELS = 100  # rarer levels share a code: points stay small, and rare levels seldom decide a nearest neighbour


@dataclass(frozen=True, slots=True)
class RankScale:
    """Piecewise linear map from the distinct values of an ordered column to their mid-ranks."""

    values: Floats
    ranks: Floats

    def points(self, values: Floats) -> Floats:
        """Ranks and null indicators, one row each; a missing value sits in the middle."""
        missing = np.isnan(values)
        rank = np.full(len(values), 0.5)
        if len(self.values):
            rank[~missing] = np.interp(values[~missing], self.values, self.ranks)
        return np.column_stack([rank, missing])


@dataclass(frozen=True, slots=True)
class LevelScale:
    """One-hot codes of the levels (and missing, −1) that have one of their own; the rest share the last."""

    slots: LongInts  # slot of code −1, 0, 1, …
    n_slots: int

    def points(self, codes: LongInts) -> Floats:
        """One-hot rows at distance 1 from one another."""
        return np.asarray(np.eye(self.n_slots)[self.slots[codes + 1]] / np.sqrt(2.0))


@dataclass(frozen=True, slots=True)
class PointMap:
    """Aligned rows to points of Euclidean space."""

    columns: tuple[ColumnView, ...]
    scales: tuple[RankScale | LevelScale, ...]

    def points(self, rows: Rows) -> Floats:
        """One point per row."""
        pairs = zip(self.columns, self.scales, strict=True)
        return np.hstack([scale.points(rows[column.name]) for column, scale in pairs])


def point_map(*samples: Rows) -> PointMap:
    """Fit the encoding on several samples together, so that none of them is favoured."""
    pool = stack(*samples)
    scales = (_level_scale(pool, c) if c.discrete else _rank_scale(pool[c.name]) for c in pool.columns)
    return PointMap(pool.columns, tuple(scales))


def _rank_scale(values: Floats) -> RankScale:
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return RankScale(distinct, middle / max(counts.sum(), 1))


def _level_scale(pool: Rows, column: ColumnView) -> LevelScale:
    counts = np.bincount(pool[column.name] + 1, minlength=column.n_levels + 1)
    # Levels as rare as the first one beyond the limit share the code, too: ties must not be broken by codes, which
    # reveal in which table a level appeared first.
    least = np.sort(counts)[-MOST_LEVELS - 1] if len(counts) > MOST_LEVELS else -1
    own = counts > least
    slots = np.where(own, np.cumsum(own) - 1, own.sum())
    return LevelScale(slots.astype(np.int64), int(slots.max()) + 1)
