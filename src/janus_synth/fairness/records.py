"""Entries of a certificate: one bias as planted, the rates of a group, the effects on an outcome.

They are frozen values, written to JSON by ``certificate`` and shown by ``certificate_page``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from janus_synth.fairness.bias import Bias

WORLDS = ("learnt", "fair", "biased")
THROUGH = "through "
"""Prefix of the path-specific effect through one mediator."""


@dataclass(frozen=True, slots=True)
class Record:
    """One bias as it was planted."""

    bias: Bias
    realised: float
    """Flipped outcomes as a share of the eligible ones; equals the requested magnitude up to one row."""
    n_hit: int
    """Unprivileged rows in the subgroup."""
    n_eligible: int
    """Those of them whose outcome can be flipped."""
    n_turned: int
    """Flipped outcomes."""
    n_moved: int
    """Rows in which any cell changed: the outcome, the mediator, or their descendants."""
    depth: int
    """A changed mediator is the worst of this many draws; 0 for a direct bias."""
    privileged: str
    """The privileged group, as a rule; so are the next two."""
    hit: str
    favourable: str
    better: str | None
    """For a bias through a mediator: the rule that the mediator is in the better half of its values."""

    @property
    def asked(self) -> float:
        """The requested magnitude."""
        return self.bias.magnitude


@dataclass(frozen=True, slots=True)
class Rate:
    """Rate of favourable outcomes in a group, in each world."""

    outcome: str
    favourable: str
    group: str
    n: int
    learnt: float
    fair: float
    biased: float


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """Effects of the protected columns on an outcome in each world, as plain numbers."""

    protected: tuple[str, ...]
    outcome: str
    favourable: str
    worlds: Mapping[str, Mapping[str, Any]]
    """By world: direct, indirect, total and ``through`` mediators, each with value, low and high."""

    def value(self, world: str, kind: str) -> float:
        """The value of one effect."""
        return float(self.estimate(world, kind)["value"])

    def estimate(self, world: str, kind: str) -> Mapping[str, float]:
        """One effect with its interval."""
        found, mediator = self.worlds[world], kind.removeprefix(THROUGH)
        estimate: Mapping[str, float] = found[kind] if mediator == kind else found["through"][mediator]
        return estimate

    def planted(self, kind: str = "total") -> float:
        """How much the biases added to an effect."""
        return self.value("biased", kind) - self.value("fair", kind)


def kinds_of(effect: EffectRecord) -> Sequence[str]:
    """Names of the effects that a record holds."""
    return ("direct", "indirect", "total", *(f"{THROUGH}{name}" for name in effect.worlds["fair"]["through"]))


def record_from_dict(plain: Mapping[str, Any]) -> Record:
    """Read a record from JSON values; wrong types raise."""
    counts = {name: operator.index(plain[name]) for name in ("n_hit", "n_eligible", "n_turned", "n_moved", "depth")}
    return Record(**{**plain, **counts, "bias": Bias.from_dict(plain["bias"]), "realised": float(plain["realised"])})


def rate_from_dict(plain: Mapping[str, Any]) -> Rate:
    """Read a rate from JSON values; null becomes NaN."""
    known: dict[str, Any] = {name: math.nan if value is None else value for name, value in plain.items()}
    return Rate(**known)
