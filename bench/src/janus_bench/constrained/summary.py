"""Trials to figures: means of scores and times, and what rejection costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from janus_bench.constrained.run import ORACLE, Trial
from janus_bench.grids import decimals, mean_of

if TYPE_CHECKING:
    from janus_bench.results import Result


class Measure(NamedTuple):
    """A score as readers see it."""

    key: str
    heading: str
    digits: int = 3


MEASURES = (
    Measure("final", "Final"),
    Measure("csr", "CSR"),
    Measure("mf", "MF"),
    Measure("cf", "CF"),
    Measure("detection", "detection AUC"),
    Measure("energy", "energy", 4),
    Measure("wasserstein", "Wasserstein"),
)
FINAL, CSR, DETECTION = MEASURES[0], MEASURES[1], MEASURES[4]


@dataclass(frozen=True, slots=True)
class ConstrainedSummary:
    """Trials by method, and the parts of the grid they fall into."""

    trials: Sequence[Trial]
    methods: Sequence[str]

    @classmethod
    def of(cls, result: Result) -> ConstrainedSummary:
        """Read a result's records."""
        return cls([Trial(**record) for record in result.records], [ORACLE, *result.options["methods"]])

    def trials_of(self, method: str) -> list[Trial]:
        """Trials of one method."""
        return [trial for trial in self.trials if trial.method == method]

    def parts(self, part_of: Callable[[Trial], str]) -> list[str]:
        """Names of the parts, in the order of the grid."""
        return list(dict.fromkeys(part_of(trial) for trial in self.trials))


def mean_score(trials: Sequence[Trial], measure: Measure) -> tuple[float | None, int]:
    """Mean over the trials where a score is defined, and how many these are."""
    values = [trial.scores[measure.key] for trial in trials]
    known = [_folded(value) if measure is DETECTION else value for value in values if value is not None]
    return mean_of(known), len(known)


def score_text(trials: Sequence[Trial], measure: Measure) -> str:
    """A mean score, with the number of trials where it is defined unless that is all of them."""
    value, n_known = mean_score(trials, measure)
    text = decimals(value, measure.digits)
    return text if n_known in (0, len(trials)) else f"{text} ({n_known})"


def draws_per_row(trials: Sequence[Trial]) -> float | None:
    """Rows drawn over rows returned, all trials together; None where nothing was drawn or returned."""
    drawn = sum(trial.n_drawn for trial in trials if trial.n_drawn is not None)
    returned = sum(trial.n_returned for trial in trials if trial.n_drawn is not None)
    return drawn / returned if drawn and returned else None


def obeying_share(trials: Sequence[Trial]) -> float | None:
    """Rows that obey over rows returned, all trials together; None where nothing was returned."""
    returned = sum(trial.n_returned for trial in trials)
    obeying = sum((trial.scores[CSR.key] or 0) * trial.n_asked for trial in trials)
    return obeying / returned if returned else None


def mean_seconds(trials: Sequence[Trial], *, fit: bool = False) -> float | None:
    """Mean time of an answer, or of a fit."""
    return mean_of(trial.fit_seconds if fit else trial.seconds for trial in trials)


def _folded(auc: float) -> float:
    return 0.5 + abs(auc - 0.5)
