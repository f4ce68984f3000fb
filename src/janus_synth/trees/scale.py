"""Normal scores: counts of an ordered column's codes in, the interval of each code on the normal scale out.

A column's codes cut the normal distribution as they cut the column: code k lies between Φ⁻¹ of the share of rows below
it and Φ⁻¹ of the share up to it. On this scale regressions are close to linear and tails are light; bins, lattices and
tails of any shape are restored when a score is converted to a code. *Missing*, and spikes (values much more frequent
than their neighbours), are not on the scale and have probabilities of their own. A column of few values is ordinal: all
are on the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, LongInts

SPIKE_SHARE = 0.05
"""Least share of the rows that makes a value a spike,"""
SPIKE_RATIO = 3.0
"""and least ratio to the counts of both its neighbours.

Measured: taking all values of 5 % off the scale excludes rounded columns from trends (docs/defaults.md).
"""
MOST_GRADES = 15
"""A column of no more values is ordinal and has no spikes; trends for such columns lower association error
(docs/defaults.md)."""
EXTREME_SCORE = 9.0
"""Score of a code whose share underflows."""
BLOCK_ROWS = 2**15
"""Rows whose positions and residuals are computed at a time: intermediate arrays stay small and in the cache."""
LEAST_SHARE = 0.2
"""Least share of the rows that must be on the scale for a column to have trends."""


@dataclass(frozen=True)
class Scale:
    """Intervals of a column's codes in normal scores."""

    below: Floats
    """(K + 1,) share of the rows on the scale below each code; a code off the scale has an empty interval."""
    apart: Bools
    """(K,) codes with probabilities of their own: missing and spikes."""
    values: Floats | None = None
    """(K + 1,) standardised values between the codes, if they take the place of normal scores; see `axes`."""

    @cached_property
    def edge(self) -> Floats:
        """(K + 1,) scores between the codes, from −∞ to ∞."""
        from scipy.special import ndtri

        return np.asarray(ndtri(self.below)) if self.values is None else self.values

    @property
    def middle(self) -> Floats:
        """(K,) score in the middle of each code, by its share of the rows; finite."""
        from scipy.special import ndtri

        least = 1e-4
        at = np.clip((self.below[:-1] + self.below[1:]) / 2, least, 1 - least)
        if self.values is None:
            return np.asarray(ndtri(at))
        inside = slice(1, np.flatnonzero(self.values == np.inf)[0])
        return np.asarray(np.interp(at, self.below[inside], self.values[inside]))

    def scores(self, codes: Codes, place: Floats, middle: Floats | float = 0.0, spread: Floats | float = 1.0) -> Floats:
        """Score of each row inside its code: the quantile at ``place`` of a normal distribution truncated to the code.

        By default of the standard normal; ``middle`` and ``spread`` are those of a regression.
        """
        from scipy.special import ndtr, ndtri

        edge = self.edge
        low, high = (edge[codes] - middle) / spread, (edge[1:][codes] - middle) / spread
        side = np.where(low > 0, -1.0, 1.0)  # upper tails are computed from above, where they are exact
        below, above = ndtr(side * low), ndtr(side * high)
        share = np.maximum(below + place * (above - below), np.finfo(float).tiny)
        z = middle + spread * np.clip(side * ndtri(share), low, high)
        return np.asarray(np.nan_to_num(z, posinf=EXTREME_SCORE, neginf=-EXTREME_SCORE))


def places(x: Codes) -> Floats:
    """Pseudo-random relative position of each row inside its code, in (0, 1): a hash of the row's codes.

    The same row has the same position in any table, so that residual counts are additive.
    """
    odd = np.random.default_rng(0).integers(2**63, size=len(x), dtype=np.uint64) * 2 + 1
    out = np.empty(x.shape[1])
    for start in range(0, x.shape[1], BLOCK_ROWS):
        block = x[:, start : start + BLOCK_ROWS]
        mixed = np.full(block.shape[1], odd[0])  # starting from 0, a row of zeros would hash to 0
        for factor, codes in zip(odd, block, strict=True):
            mixed = (mixed ^ codes) * factor
            mixed ^= mixed >> np.uint64(29)
        out[start : start + BLOCK_ROWS] = ((mixed >> np.uint64(11)) + 0.5) * 2.0**-53
    return out


def target_scale(counts: LongInts, shares: Floats) -> Scale | None:
    """Scale of an ordered column's codes, the last of which is missing; None if too few rows are on it."""
    total = counts.sum()
    around = np.concatenate([[0], counts[:-1], [0]])
    neighbour = np.maximum(around[:-2], around[2:])
    spike = (counts[:-1] >= SPIKE_SHARE * total) & (counts[:-1] >= SPIKE_RATIO * neighbour)
    apart = np.append(spike & (np.count_nonzero(counts[:-1]) > MOST_GRADES), True)
    if np.count_nonzero(counts[~apart]) < 2 or counts[~apart].sum() < LEAST_SHARE * total:
        return None
    below = np.concatenate([[0.0], np.cumsum(np.where(apart, 0.0, shares))])
    below = np.minimum(below / below[-1], 1.0)
    below[np.flatnonzero(~apart)[-1] + 1 :] = 1.0
    return Scale(below, apart)


def mean_scores(shares: Floats) -> Floats:
    """(K,) mean normal score of an ordered column's codes; 0 for missing, the last one."""
    from scipy.special import ndtri

    present = np.append(np.maximum(shares[:-1], 1e-12), 0.0)
    below = np.concatenate([[0.0], np.cumsum(present / max(present.sum(), 1e-12))])
    edge = ndtri(np.minimum(below, 1.0))
    # E[Z | a < Z < b] = (φ(a) − φ(b)) / (Φ(b) − Φ(a))
    height = np.where(np.isinf(edge), 0.0, np.exp(-0.5 * np.where(np.isinf(edge), 0.0, edge) ** 2) / np.sqrt(2 * np.pi))
    scores = -np.diff(height) / np.maximum(np.diff(below), 1e-300)
    scores[-1] = 0.0
    return np.asarray(scores)
