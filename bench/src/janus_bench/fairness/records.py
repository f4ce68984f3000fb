"""Records that the fairness experiments return: frozen dataclasses of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from janus_synth.fairness import Audit


@dataclass(frozen=True, slots=True)
class Trial:
    """One algorithm audited on one planted table."""

    part: str
    case: str
    """The world in parts A and B, the protected column the algorithm knows in D, the stress test in E."""
    algorithm: str
    magnitude: float
    seed: int
    gaps: Mapping[str, Mapping[str, Any]]
    """By name: gap, twin and excess with value, low and high; biased, fair, planted, recovered; found, unequal."""
    main: str
    """Name of the gap that decides whether the audit finds a bias."""
    decided: str
    """Name of the same gap, measured in decisions."""
    accuracy_biased: float
    accuracy_fair: float
    twin_accuracy: float
    favoured: float
    majority: float
    degenerate: list[str]

    @classmethod
    def of(cls, part: str, case: str, magnitude: float, seed: int, found: Audit) -> Trial:
        """Keep the plain figures of an audit."""
        plain = found.to_dict()
        gaps = {name: {key: gap[key] for key in gap if key != "means"} for name, gap in plain["gaps"].items()}
        return cls(
            part=part,
            case=case,
            algorithm=found.algorithm,
            magnitude=magnitude,
            seed=seed,
            gaps=gaps,
            main=found.main.name,
            decided=found.decided.name,
            accuracy_biased=found.accuracy_biased.value,
            accuracy_fair=found.accuracy_fair.value,
            twin_accuracy=found.twin_accuracy.value,
            favoured=found.favoured.value,
            majority=found.majority,
            degenerate=list(found.degenerate),
        )


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a pipeline: the effect of the planted biases on its outcome, by intervention and by rates."""

    setting: str
    seed: int
    stage: int
    outcome: str
    planted: float
    """Total effect of sex on the outcome that the planted biases add."""
    low: float
    high: float
    rate_fair: float
    """Share of the unprivileged with the favourable outcome without the biases; the next field is with them."""
    rate_biased: float


@dataclass(frozen=True, slots=True)
class Alarm:
    """One of many repeated audits, and whether it reports a bias."""

    setting: str
    repeat: int
    found: bool
    """Whether the paired difference to the fair world excludes 0."""
    unequal: bool
    """Whether the interval of the plain gap excludes 0; this needs no fair world."""
    unequal_decided: bool
    """The same for the gap in decisions."""
    excess: float
    gap: float


@dataclass(frozen=True, slots=True)
class Pay:
    """Rows of one origin, and the share that satisfies a rule."""

    rule: str
    origin: str
    seed: int
    n: int
    satisfied: float
    gap: float
    tries: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that ended in an error, recorded as a result; the run continues."""

    part: str
    step: str
    error: str


Found = Trial | Stage | Alarm | Pay | Failure
