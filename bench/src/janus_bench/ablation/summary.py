"""Records to outcomes by configuration, and the numbers that tables and pictures show of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from janus_bench.ablation.configurations import CONFIGURATIONS, PAIRS
from janus_bench.ablation.questions import Free, Middle
from janus_bench.ablation.trial import ORACLE, Outcome
from janus_bench.grids import mean_of
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result


class Change(NamedTuple):
    """A mean difference, and its standard error over models; unknown of one model."""

    value: float
    error: float | None


class Pair(NamedTuple):
    """Back-filling and rejection from the same fitted model, under the same condition."""

    key: str
    filled: Outcome
    rejected: Outcome


@dataclass(frozen=True, slots=True)
class AblationSummary:
    """Outcomes of a run, and what could not be measured."""

    outcomes: Sequence[Outcome]
    keys: Sequence[str]
    failures: Sequence[dict[str, Any]] = ()

    @classmethod
    def of(cls, result: Result) -> Self:
        """Read the records of a result."""
        records = [dict(record) for record in result.records]
        outcomes = [Outcome(**record) for record in records if FAILED not in record]
        keys = [ORACLE, *result.options["configurations"]]
        return cls(outcomes, keys, [record for record in records if FAILED in record])

    def conditional(self, key: str) -> list[Outcome]:
        """Outcomes of one configuration under random conditions."""
        return [one for one in self._asked(key) if one.kind != Middle.KIND]

    def free(self, key: str) -> list[Outcome]:
        """Outcomes of one configuration without conditions."""
        return [one for one in self.outcomes if one.configuration == key and one.kind == Free.FREE]

    @property
    def pairs(self) -> list[Pair]:
        """Back-filling beside rejection, wherever both were asked for rows under the same condition."""
        return [
            Pair(key, one, other)
            for key, rejecting in PAIRS.items()
            for others in [{question_of(one): one for one in self._asked(rejecting)}]
            for one in self._asked(key)
            if (other := others.get(question_of(one))) is not None
        ]

    def _asked(self, key: str) -> list[Outcome]:
        """Outcomes of one configuration under conditions of any kind."""
        return [one for one in self.outcomes if one.configuration == key and one.kind != Free.FREE]


def name_of(key: str) -> str:
    """What a reader calls a configuration."""
    return CONFIGURATIONS[key].name if key in CONFIGURATIONS else key


def question_of(one: Outcome) -> tuple[int, str, str]:
    """Identifies a question of a run."""
    return one.model, one.kind, one.rarity


def score_of(one: Outcome, score: str) -> float | None:
    """A score by name; detection below 0.5 counts as that much above."""
    value = one.scores[score]
    return value if value is None or score != "detection" else 0.5 + abs(value - 0.5)


def mean_score(outcomes: Iterable[Outcome], score: str) -> float | None:
    """Mean of a score where it is defined."""
    return mean_of(score_of(one, score) for one in outcomes)


def by_model(outcomes: Sequence[Outcome], score: str) -> list[float]:
    """Mean of a score over the questions of each model."""
    models = dict.fromkeys(one.model for one in outcomes)
    means = (mean_score((one for one in outcomes if one.model == model), score) for model in models)
    return [mean for mean in means if mean is not None]


def change_of(outcomes: Sequence[Outcome], base: Sequence[Outcome], score: str) -> Change | None:
    """Mean difference of a score to the base's on the same questions: first within models, then over them."""
    others = {question_of(one): score_of(one, score) for one in base}
    differences: dict[int, list[float]] = {}
    for one in outcomes:
        mine, other = score_of(one, score), others.get(question_of(one))
        if mine is not None and other is not None:
            differences.setdefault(one.model, []).append(mine - other)
    means = [fmean(found) for found in differences.values()]
    if not means:
        return None
    return Change(fmean(means), stdev(means) / len(means) ** 0.5 if len(means) > 1 else None)


def draws_per_row(outcomes: Iterable[Outcome]) -> float | None:
    """Rows drawn over rows returned, all outcomes together; None where nothing came back."""
    drawing = [one for one in outcomes if one.n_drawn is not None]
    returned = sum(one.n_returned for one in drawing)
    return sum(one.n_drawn or 0 for one in drawing) / returned if returned else None


def per_thousand(outcomes: Sequence[Outcome], times: str) -> float | None:
    """Seconds per 1,000 rows returned, all outcomes together; ``times`` names the field."""
    spent: list[float | None] = [getattr(one, times) for one in outcomes]
    known = [value for value in spent if value is not None]
    returned = sum(one.n_returned for one in outcomes)
    return 1_000 * sum(known) / returned if returned and len(known) == len(outcomes) else None


def speedup(pairs: Sequence[Pair], times: str = "seconds", against: str = "seconds") -> float | None:
    """Seconds of rejection over those of back-filling, per row returned; below 1 where rejection is faster.

    Parameters
    ----------
    pairs : sequence of Pair
        All of them together.
    times, against : str
        Fields of back-filling's and of rejection's times.
    """
    filled = per_thousand([pair.filled for pair in pairs], times)
    rejected = per_thousand([pair.rejected for pair in pairs], against)
    return rejected / filled if filled and rejected is not None else None
