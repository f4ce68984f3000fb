"""Trials to a summary: scores by table and method, over seeds, and what counts as better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

from janus_bench.fidelity.trials import Trial
from janus_bench.grids import mean_of
from janus_bench.versions import REAL_ROWS

if TYPE_CHECKING:
    from janus_bench.results import Result


class Measure(NamedTuple):
    """A score as readers see it, and how values become losses."""

    key: str
    heading: str
    fold: float | None = None
    """Values as far below this as above it are as bad: an inverted detector separates just as well."""
    floor: float | None = None
    """Values below this are as good as it."""

    def loss(self, value: float) -> float:
        """Lower is better."""
        if self.fold is not None:
            return self.fold + abs(value - self.fold)
        return value if self.floor is None else max(value, self.floor)


MEASURES = (
    Measure("detection", "detection AUC", fold=0.5),
    Measure("detection_mlp", "detection AUC (MLP)", fold=0.5),
    Measure("utility_gap", "utility gap"),
    Measure("ks", "KS"),
    Measure("total_variation", "TV"),
    Measure("association_error", "association error"),
    Measure("mutual_information_error", "MI error"),
    Measure("closer_to_train", "closer to train", floor=0.5),
    Measure("exact_copies", "exact copies"),
    Measure("fit_seconds", "fit s"),
    Measure("sample_seconds", "sample s"),
    Measure("cpu_seconds", "CPU s"),
)
"""Scores that methods are ranked by."""
DETECTION = MEASURES[0]


@dataclass(frozen=True, slots=True)
class FidelitySummary:
    """Scores by table and method, over seeds."""

    trials: Sequence[Trial]
    tables: Sequence[str]
    methods: Sequence[str]
    ours: Sequence[str]

    @classmethod
    def of(cls, result: Result) -> Self:
        """Trials of a result."""
        options = result.options
        trials = [Trial(**record) for record in result.records]
        return cls(trials, options["tables"], options["methods"], options["ours"])

    @property
    def rivals(self) -> list[str]:
        """Methods that are not ours."""
        return [method for method in self.methods if method not in self.ours]

    @property
    def working(self) -> list[str]:
        """Methods that did not fail everywhere."""
        scored = {trial.method for trial in self.trials if not trial.error}
        return [method for method in self.methods if method in scored]

    @property
    def has_reference(self) -> bool:
        """Whether real rows were scored as well."""
        return any(trial.method == REAL_ROWS for trial in self.trials)

    @property
    def measures(self) -> list[Measure]:
        """Scores that were asked for."""
        return [measure for measure in MEASURES if any(measure.key in trial.scores for trial in self.trials)]

    def values(self, table: str, method: str, key: str) -> list[float]:
        """Defined scores, one per seed."""
        found = [t.scores.get(key) for t in self.trials if t.table == table and t.method == method]
        return [value for value in found if value is not None]

    def value(self, table: str, method: str, key: str) -> float | None:
        """Mean over seeds."""
        return mean_of(self.values(table, method, key))

    def failed(self, table: str, method: str) -> bool:
        """Whether a method has errors on a table."""
        return any(trial.error for trial in self.trials if trial.table == table and trial.method == method)

    def shared_tables(self, key: str) -> list[str]:
        """Tables on which every method has a score, so that means compare; one that failed on all is left out."""
        return [name for name in self.tables if all(self.values(name, method, key) for method in self.working)]

    def mean(self, method: str, measure: Measure) -> float | None:
        """Mean loss over the shared tables."""
        values = [self.value(name, method, measure.key) for name in self.shared_tables(measure.key)]
        return mean_of(measure.loss(value) for value in values if value is not None)

    def plain_mean(self, method: str, key: str) -> float | None:
        """Mean of a score, as it is, over the shared tables."""
        found = [self.value(name, method, key) for name in self.shared_tables(key)]
        return None if None in found else mean_of(found)

    def best_rival(self, table: str, measure: Measure) -> tuple[str, float] | None:
        """The rival with the lowest loss on a table."""
        scored = [(rival, self.value(table, rival, measure.key)) for rival in self.rivals]
        known = [(rival, value) for rival, value in scored if value is not None]
        return min(known, key=lambda pair: measure.loss(pair[1]), default=None)

    def noise(self, table: str) -> float:
        """Twice the standard error of a difference of two AUCs near 0.5, each √(1 / 6n) for n rows of each kind."""
        sizes = [trial.n_train for trial in self.trials if trial.table == table and trial.method != REAL_ROWS]
        n_seeds = len({trial.seed for trial in self.trials})
        return 2 * sqrt(2 / (6 * max(sizes) * n_seeds))
