"""Codes of an ordered column on the scale of normal scores, where trends run straight and tails are tame.

A column's codes cut the normal distribution as they cut the column: code k lies between Φ⁻¹ of the share of rows below
it and Φ⁻¹ of the share up to it. Bins, lattices and tails of any shape come back by themselves when a score is turned
into a code. Values that stand out of their neighbourhood, and *missing*, stay apart; a column of few values is one of
grades, all of which are on the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from janus_synth.arrays import Bools, Codes, Floats, LongInts

HEAVY = 0.05
"""Share of the rows that a value must have to stand apart,"""
TIMES = 3.0
"""and by how much it must exceed both its neighbours."""
MOST_GRADES = 15
"""A column of no more values is one of grades: none of them stands apart."""
FAR = 9.0
"""Where a code lies whose share is lost beside all others."""
LEAST_SHARE = 0.2
"""Share of the rows that must be on the scale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Where each code lies."""

    below: Floats
    """(K + 1,) share of the rows on the scale below each code; a code apart has no width."""
    apart: Bools
    """(K,) codes with a probability of their own: missing and lone heavy values."""

    @property
    def edge(self) -> Floats:
        """(K + 1,) normal scores between the codes, from −∞ to ∞."""
        return np.asarray(ndtri(self.below))

    def scores(self, codes: Codes, place: Floats, middle: Floats | float = 0.0, spread: Floats | float = 1.0) -> Floats:
        """A score of each row inside its code, ``place`` of the way through it as a normal distribution has it.

        By default that of all rows; ``middle`` and ``spread`` are those of a line that knows more.
        """
        low, high = ((edge - middle) / spread for edge in (self.edge[codes], self.edge[codes + 1]))
        side = np.where(low > 0, -1.0, 1.0)  # shares of the upper tail are exact when counted from above
        below, above = ndtr(side * low), ndtr(side * high)
        share = np.maximum(below + place * (above - below), np.finfo(float).tiny)
        z = middle + spread * np.clip(side * ndtri(share), low, high)
        return np.asarray(np.nan_to_num(z, posinf=FAR, neginf=-FAR))


def places(x: Codes) -> Floats:
    """A number between 0 and 1 for each row, by what the row is and not by where it stands.

    The same row gets the same number in whatever table it comes, so that counts of residuals add up.
    """
    odd = np.random.default_rng(0).integers(2**63, size=len(x), dtype=np.uint64) * 2 + 1
    mixed = np.full(x.shape[1], odd[0])  # from 0 a row of zeros would stay there
    for factor, codes in zip(odd, x, strict=True):
        mixed = (mixed ^ codes) * factor
        mixed ^= mixed >> np.uint64(29)
    return np.asarray(((mixed >> np.uint64(11)) + 0.5) * 2.0**-53)


def target_scale(counts: LongInts, shares: Floats) -> Scale | None:
    """Scale of an ordered column's codes, the last of which is missing; None if it leaves nothing to draw a line on."""
    total = counts.sum()
    around = np.concatenate([[0], counts[:-1], [0]])
    neighbour = np.maximum(around[:-2], around[2:])
    spike = (counts[:-1] >= HEAVY * total) & (counts[:-1] >= TIMES * neighbour)
    apart = np.append(spike & (np.count_nonzero(counts[:-1]) > MOST_GRADES), True)
    if np.count_nonzero(counts[~apart]) < 2 or counts[~apart].sum() < LEAST_SHARE * total:
        return None
    below = np.concatenate([[0.0], np.cumsum(np.where(apart, 0.0, shares))])
    below = np.minimum(below / below[-1], 1.0)
    below[np.flatnonzero(~apart)[-1] + 1 :] = 1.0
    return Scale(below, apart)


def mean_scores(shares: Floats) -> Floats:
    """(K,) mean normal score of an ordered column's codes; 0 for missing, the last one."""
    present = np.append(np.maximum(shares[:-1], 1e-12), 0.0)
    below = np.concatenate([[0.0], np.cumsum(present / max(present.sum(), 1e-12))])
    edge = ndtri(np.minimum(below, 1.0))
    height = np.where(np.isinf(edge), 0.0, np.exp(-0.5 * np.where(np.isinf(edge), 0.0, edge) ** 2) / np.sqrt(2 * np.pi))
    scores = -np.diff(height) / np.maximum(np.diff(below), 1e-300)
    scores[-1] = 0.0
    return np.asarray(scores)
