"""Trials by engine and structure to means over seeds, and to gaps between structures, seed by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple, Self

from janus_bench.grids import mean_of
from janus_bench.structure.run import Failure
from janus_bench.structure.trial import Trial

if TYPE_CHECKING:
    from janus_bench.results import Result


class PaperFigures(NamedTuple):
    """The paper's figures for a structure learner."""

    f1: float
    n_edges: int
    mlp: float
    seconds: float


PAPER = {
    "forest": PaperFigures(0.69, 34, 0.497, 12.3),
    "pc": PaperFigures(0.67, 28, 0.501, 45.2),
    "ges": PaperFigures(0.71, 42, 0.498, 38.7),
}


class Gap(NamedTuple):
    """A mean difference over models, and half of its 95 % interval by Student's t; none for a single model."""

    mean: float
    half: float | None

    @classmethod
    def of(cls, differences: Sequence[float]) -> Self:
        """Mean and interval of differences, one per model.

        Examples
        --------
        >>> gap = Gap.of([0.1, 0.2, 0.3])
        >>> round(gap.mean, 3), round(gap.half, 3), gap.beyond_chance
        (0.2, 0.248, False)
        """
        n = len(differences)
        if n < 2:
            return cls(fmean(differences), None)
        from scipy.stats import t

        return cls(fmean(differences), float(t.ppf(0.975, n - 1)) * stdev(differences) / sqrt(n))

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.half is not None and abs(self.mean) > self.half


@dataclass(frozen=True, slots=True)
class StructureSummary:
    """All trials, and what failed."""

    trials: Sequence[Trial]
    failures: Sequence[Failure]

    @classmethod
    def of(cls, result: Result) -> Self:
        """Sort the records of a result."""
        trials = [Trial(**fields) for fields in result.fields("trial")]
        return cls(trials, [Failure(**fields) for fields in result.fields("failure")])

    def of_one(self, engine: str, structure: str) -> list[Trial]:
        """One structure along which one engine learns, on every model."""
        return [trial for trial in self.trials if trial.engine == engine and trial.structure == structure]

    def structures(self, engine: str) -> list[str]:
        """What an engine has trials or failures of, in the order of the run."""
        return list(dict.fromkeys(one.structure for one in self._all() if one.engine == engine))

    def engines(self) -> list[str]:
        """Who learnt, real rows first."""
        return list(dict.fromkeys(one.engine for one in self._all()))

    def mean(self, engine: str, structure: str, name: str) -> float | None:
        """Mean of a measure over models."""
        return mean_of(getattr(trial, name) for trial in self.of_one(engine, structure))

    def gap(self, engine: str, first: str, second: str, name: str) -> Gap | None:
        """How much more a measure is of the first structure than of the second, model by model."""
        other = {trial.seed: getattr(trial, name) for trial in self.of_one(engine, second)}
        own = [(getattr(trial, name), other.get(trial.seed)) for trial in self.of_one(engine, first)]
        differences = [one - two for one, two in own if one is not None and two is not None]
        return Gap.of(differences) if differences else None

    def _all(self) -> list[Trial | Failure]:
        return [*self.trials, *self.failures]
