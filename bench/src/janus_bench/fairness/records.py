"""What the experiments find, as frozen values of plain numbers."""

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
    """Name of the gap by which a bias is found."""
    decided: str
    """Name of the same gap in decisions."""
    accuracy_biased: float
    accuracy_fair: float
    twin_accuracy: float
    favoured: float
    majority: float
    degenerate: list[str]

    @classmethod
    def of(cls, part: str, case: str, magnitude: float, seed: int, found: Audit) -> Trial:
        """What is kept of an audit."""
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
    """One stage of a pipeline: what the planted biases do to its outcome, by intervention and by counting."""

    setting: str
    seed: int
    stage: int
    outcome: str
    planted: float
    """Total effect of sex on the outcome that the biases added."""
    low: float
    high: float
    rate_fair: float
    """Share of the unprivileged who are favoured without the biases, and with them."""
    rate_biased: float


@dataclass(frozen=True, slots=True)
class Alarm:
    """One audit of many of the same kind: whether it said that something is there."""

    setting: str
    repeat: int
    found: bool
    """Whether the paired difference to the fair world excludes 0."""
    unequal: bool
    """Whether the plain gap does, which needs no fair world."""
    unequal_decided: bool
    """The same for the gap in decisions."""
    excess: float
    gap: float


@dataclass(frozen=True, slots=True)
class Pay:
    """Rows of one origin under a rule that is to hold in each."""

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
