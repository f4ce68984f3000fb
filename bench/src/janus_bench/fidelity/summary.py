"""Turn a fidelity result into a summary: scores by table and method, averaged over seeds, and their losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

import pandas as pd

from janus_bench.fidelity.trials import Trial
from janus_bench.versions import REAL_ROWS

if TYPE_CHECKING:
    from janus_bench.results import Result


class Measure(NamedTuple):
    """A score: its key, its heading, and how to turn values into losses."""

    key: str
    heading: str
    fold: float | None = None
    """Values equally far below and above this have the same loss: an inverted detector separates just as well."""
    floor: float | None = None
    """Values below this have the same loss as this."""

    def loss(self, value: float) -> float:
        """Loss of a value; lower is better."""
        if self.fold is not None:
            return self.fold + abs(value - self.fold)
        return value if self.floor is None else max(value, self.floor)


MEASURES = (
    Measure("detection", "detection AUC", fold=0.5),
    Measure("detection_mlp", "detection AUC (MLP)", fold=0.5),
    Measure("detection_training", "detection AUC (training rows)", fold=0.5),
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


@dataclass(frozen=True)
class FidelitySummary:
    """Scores by table and method, averaged over seeds; an undefined score is NaN."""

    trials: pd.DataFrame
    tables: Sequence[str]
    methods: Sequence[str]
    ours: Sequence[str]

    @classmethod
    def of(cls, result: Result) -> Self:
        """Trials of a result."""
        trials = result.frame(Trial).rename(columns=lambda name: name.removeprefix("scores."))
        options = result.options
        return cls(trials, options["tables"], options["methods"], options["ours"])

    @property
    def rivals(self) -> list[str]:
        """Methods that are not ours."""
        return [method for method in self.methods if method not in self.ours]

    @cached_property
    def working(self) -> list[str]:
        """Methods that did not fail everywhere."""
        scored = set(self.trials.loc[self.trials["error"] == "", "method"])
        return [method for method in self.methods if method in scored]

    @property
    def with_reference(self) -> list[str]:
        """Methods, and real rows where they were scored as well."""
        return [*self.methods, *([REAL_ROWS] if (self.trials["method"] == REAL_ROWS).any() else [])]

    @property
    def measures(self) -> list[Measure]:
        """Scores that the run computed."""
        return [measure for measure in MEASURES if measure.key in self.trials]

    @cached_property
    def means(self) -> pd.DataFrame:
        """Means over seeds, a row per table and method."""
        return self.trials.groupby(["table", "method"]).mean(numeric_only=True)

    def values(self, table: str, method: str, key: str) -> pd.Series[float]:
        """Scores, one per seed."""
        return self.trials.loc[(self.trials["table"] == table) & (self.trials["method"] == method), key]

    def by_table(self, key: str) -> pd.DataFrame:
        """Means over seeds, a row per table, a column per method."""
        found = self.means[key] if key in self.means else self.means.iloc[:, 0] * nan
        return found.unstack("method").reindex(index=list(self.tables), columns=self.with_reference)

    def value(self, table: str, method: str, key: str) -> float:
        """Mean over seeds."""
        return float(self.by_table(key)[method][table])

    def shared_tables(self, key: str) -> list[str]:
        """Tables on which every method has a score, so that means are comparable; skips methods that always failed."""
        return list(self.by_table(key)[self.working].dropna().index)

    def mean(self, method: str, measure: Measure) -> float:
        """Mean loss over the shared tables."""
        return float(self.by_table(measure.key).loc[self.shared_tables(measure.key), method].map(measure.loss).mean())

    def plain_mean(self, method: str, key: str) -> float:
        """Mean of a score, not turned into a loss, over the shared tables."""
        return float(self.by_table(key).loc[self.shared_tables(key), method].mean(skipna=False))

    def best_rival(self, table: str, measure: Measure) -> tuple[str, float] | None:
        """The rival with the lowest loss on a table."""
        found = self.by_table(measure.key)
        known = {rival: float(value) for rival in self.rivals if (value := found[rival][table]) == value}
        return min(known.items(), key=lambda pair: measure.loss(pair[1]), default=None)

    def noise(self, table: str) -> float:
        """Twice the standard error of a difference of two AUCs near 0.5, each √(1 / 6n) for n rows of each kind."""
        sizes = self.trials.loc[(self.trials["table"] == table) & (self.trials["method"] != REAL_ROWS), "n_train"]
        return 2 * sqrt(2 / (6 * int(sizes.max()) * self.trials["seed"].nunique()))
