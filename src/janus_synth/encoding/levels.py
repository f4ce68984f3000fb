"""Categories and booleans as codes, and codes back as levels; rare levels share a code."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints

MIN_COUNT = 5
"""Levels with fewer rows share a code."""
MOST_LEVELS = 253
"""Levels with a code of their own; with the shared code and missing they fit a byte."""


@dataclass(frozen=True, slots=True)
class LevelCodec:
    """Codes ``0 … m − 1`` are levels of their own, then one shared by the rest, then *missing*.

    The shared code is there even when no level uses it: levels that first turn up in an update need a seat.
    """

    own: Ints
    """(m,) levels with a code of their own, in the order of their codes."""
    weight: Floats
    """(n_levels,) rows seen with each level; the shared code draws among its levels by these."""
    ordered: bool
    nullable: bool

    @property
    def n_codes(self) -> int:
        """Own codes, the shared code and missing."""
        return len(self.own) + 2

    @property
    def allowed(self) -> Bools:
        """Codes that rows may take: levels that were seen, and missing where the column has it."""
        allowed = np.ones(self.n_codes, bool)
        allowed[: len(self.own)] = self.weight[self.own] > 0
        allowed[-2] = self.shared_weight.sum() > 0
        allowed[-1] = self.nullable
        return allowed

    @property
    def shared_weight(self) -> Floats:
        """(n_levels,) weights of the levels behind the shared code, 0 for the others."""
        weight = self.weight.copy()
        weight[self.own] = 0.0
        return weight

    def encode(self, levels: Ints) -> Codes:
        """Code of each level; levels unknown to the codec go to the shared code."""
        known = len(self.weight)
        table = np.full(known + 2, len(self.own), np.uint16)
        table[self.own] = np.arange(len(self.own))
        table[known + 1] = self.n_codes - 1
        at = np.where(levels < 0, known + 1, np.minimum(levels, known))
        return table[at]

    def decode(self, codes: Codes, u: Floats) -> Ints:
        """Level of each code, −1 for missing; ``u`` picks among the levels of the shared code."""
        table = np.concatenate([self.own, [-1, -1]]).astype(np.int32)
        levels = table[codes]
        shared = codes == len(self.own)
        if shared.any():
            below = np.cumsum(self.shared_weight)
            last = np.flatnonzero(self.shared_weight)[-1]
            levels[shared] = np.minimum(np.searchsorted(below, u[shared] * below[-1], side="right"), last)
        return levels

    def log_density(self, levels: Ints, codes: Codes) -> Floats:
        """Log share of each level in its code: 0 for a code of its own."""
        out = np.zeros(len(levels))
        shared = codes == len(self.own)
        if shared.any():
            weight = np.append(self.shared_weight, 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                share = np.log(weight / weight.sum())
            at = np.minimum(levels[shared], len(self.weight))
            out[shared] = np.where(np.isnan(share[at]), -np.inf, share[at])
        return out

    def count_more(self, levels: Ints, n_levels: int) -> LevelCodec:
        """The codec after further rows; levels beyond the known ones are added behind the shared code."""
        weight = np.bincount(levels[levels >= 0], minlength=n_levels).astype(float)
        weight[: len(self.weight)] += self.weight
        return replace(self, weight=weight, nullable=self.nullable or bool((levels < 0).any()))


def fit_levels(levels: Ints, *, n_levels: int, ordered: bool, nullable: bool, min_count: int = MIN_COUNT) -> LevelCodec:
    """Give every frequent level a code; the levels of an ordered column all keep theirs."""
    weight = np.bincount(levels[levels >= 0], minlength=n_levels).astype(float)
    if ordered and n_levels <= MOST_LEVELS:
        own = np.arange(n_levels)
    else:
        frequent = np.flatnonzero(weight >= min_count)
        most_frequent = np.argsort(-weight[frequent], kind="stable")[:MOST_LEVELS]
        own = np.sort(frequent[most_frequent])
        if (weight > 0).sum() == len(own) + 1:  # a lone rare level shares with nobody
            own = np.flatnonzero(weight > 0)[: MOST_LEVELS + 1]
    return LevelCodec(own.astype(np.int32), weight, ordered, nullable)
