"""Level indices of categories and booleans in, codes out, and back; rare levels share a code."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints

MIN_COUNT = 5
"""Levels with fewer rows share a code."""
MAX_OWN_CODES = 253
"""Most levels with a code of their own; with the shared code and missing they fit a byte."""


@dataclass(frozen=True, slots=True)
class LevelCodec:
    """Codes ``0 … m − 1`` stand for one level each, code m for all other levels, and code m + 1 for *missing*.

    The last two are reserved: they exist even if nothing uses them, so that levels and nulls that first occur in an
    update have a code.
    """

    own: Ints
    """(m,) levels with a code of their own, in the order of their codes."""
    weight: Floats
    """(n_levels,) rows seen with each level; levels of the shared code are drawn in proportion."""
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
        """(n_levels,) weights of the levels with the shared code, 0 for the others."""
        weight = self.weight.copy()
        weight[self.own] = 0.0
        return weight

    def encode(self, levels: Ints) -> Codes:
        """Code of each level; levels unknown to the codec get the shared code."""
        known = len(self.weight)
        table = np.full(known + 2, len(self.own), np.uint16)  # missing, the known levels, any other
        table[0] = self.n_codes - 1
        table[1 + self.own] = np.arange(len(self.own))
        return table.take(levels + 1, mode="clip")

    def decode(self, codes: Codes, u: Floats, out: Ints | None = None) -> Ints:
        """Level of each code, −1 for missing; ``u`` picks among the levels of the shared code.

        ``out`` receives the levels if it is given.
        """
        table = np.concatenate([self.own, [-1, -1]]).astype(np.int32)
        levels: Ints = table.take(codes, out=out, mode="clip")  # unlike "raise", it writes without a copy
        shared = codes == len(self.own)
        if shared.any():
            below = np.cumsum(self.shared_weight)
            last = np.flatnonzero(self.shared_weight)[-1]
            levels[shared] = np.minimum(np.searchsorted(below, u[shared] * below[-1], side="right"), last)
        return levels

    def log_density(self, levels: Ints, codes: Codes) -> Floats:
        """Log probability of each level given its code: 0 for a code of its own."""
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
        """Codec after further rows; new levels get the shared code."""
        weight = np.bincount(levels[levels >= 0], minlength=n_levels).astype(float)
        weight[: len(self.weight)] += self.weight
        return replace(self, weight=weight, nullable=self.nullable or bool((levels < 0).any()))


def fit_levels(levels: Ints, *, n_levels: int, ordered: bool, nullable: bool, min_count: int = MIN_COUNT) -> LevelCodec:
    """Give every frequent level a code of its own; in an ordered column every level gets one."""
    weight = np.bincount(levels[levels >= 0], minlength=n_levels).astype(float)
    if ordered and n_levels <= MAX_OWN_CODES:
        own = np.arange(n_levels)
    else:
        frequent = np.flatnonzero(weight >= min_count)
        most_frequent = np.argsort(-weight[frequent], kind="stable")[:MAX_OWN_CODES]
        own = np.sort(frequent[most_frequent])
        if (weight > 0).sum() == len(own) + 1:  # a single rare level needs no shared code
            own = np.flatnonzero(weight > 0)[: MAX_OWN_CODES + 1]
    return LevelCodec(own.astype(np.int32), weight, ordered, nullable)
