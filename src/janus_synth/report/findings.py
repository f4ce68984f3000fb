"""Tables and their scores to what a page tells of them: columns and pairs, the worst first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, cast

import numpy as np

from janus_synth.metrics import association_matrix, detection_auc, marginal_errors
from janus_synth.metrics.rows import Rows, equal_rows
from janus_synth.metrics.targets import target_of
from janus_synth.report.tables import Tables, picked

if TYPE_CHECKING:
    from janus_synth.metrics import Report
    from janus_synth.metrics.detection import Detector

NAN = math.nan
ASKED_COLUMNS, ASKED_PAIRS = 8, 4
"""Of how many columns and pairs, the worst, a classifier is asked what they give away alone."""
ASKED_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """One column: its distance, what chance makes of it, and how many values are missing."""

    name: str
    kind: str
    distance: float
    by_chance: float
    wasserstein: float
    missing_real: float
    missing_synthetic: float


@dataclass(frozen=True, slots=True)
class PairFinding:
    """Two columns: how they go together in real and in synthetic rows."""

    first: str
    second: str
    measure: str
    real: float
    synthetic: float

    @property
    def difference(self) -> float:
        """Synthetic minus real."""
        return self.synthetic - self.real


@dataclass(frozen=True, slots=True)
class Telling:
    """What a classifier makes of a column, or of two, when it sees nothing else."""

    columns: tuple[str, ...]
    auc: float


@dataclass(frozen=True)
class Findings:
    """What the sections of a page look at.

    Attributes
    ----------
    report : Report
        All scores.
    tables : Tables
        The rows behind them.
    random_state, max_rows : int
        Seed and limit of the scores.
    """

    report: Report
    tables: Tables
    random_state: int
    max_rows: int

    @cached_property
    def columns(self) -> tuple[ColumnFinding, ...]:
        """All columns, the most different first."""
        made, seen = (marginal_errors(self.tables.held_out, rows) for rows in (self.tables.made, self.tables.seen))
        chance = {**seen.ks, **seen.total_variation}
        found = [
            ColumnFinding(
                column.name,
                column.kind,
                self.report.columns[column.name],
                chance[column.name],
                made.wasserstein.get(column.name, NAN),
                _missing(self.tables.held_out, column.name),
                _missing(self.tables.made, column.name),
            )
            for column in self.tables.held_out.columns
        ]
        return tuple(sorted(found, key=lambda one: -one.distance))

    @cached_property
    def pairs(self) -> tuple[PairFinding, ...]:
        """All pairs of columns, the most different first."""
        real, synthetic = (association_matrix(rows)[1] for rows in (self.tables.held_out, self.tables.made))
        gap = np.abs(synthetic - real)
        columns = self.tables.held_out.columns
        found = []
        for i, j in combinations(range(len(columns)), 2):
            a, b = (i, j) if gap[i, j] >= gap[j, i] else (j, i)
            first, second = columns[a], columns[b]
            measure = _measure(first.discrete, second.discrete)
            found.append(PairFinding(first.name, second.name, measure, float(real[a, b]), float(synthetic[a, b])))
        return tuple(sorted(found, key=lambda one: -abs(one.difference)))

    @cached_property
    def telling(self) -> tuple[Telling, ...]:
        """Columns and pairs that give most away, of those that differ most; empty where detection was not measured."""
        if "detection" not in self.report or math.isnan(self.report["detection"]):
            return ()
        asked: list[tuple[str, ...]] = [(column.name,) for column in self.columns[:ASKED_COLUMNS]]
        asked += [(pair.first, pair.second) for pair in self.pairs[:ASKED_PAIRS]]
        rows = equal_rows(self.tables.held_out, self.tables.made, seed=self.random_state, most=ASKED_ROWS)
        found = [Telling(names, self._auc_alone(rows, names)) for names in asked]
        return tuple(sorted(found, key=lambda one: -one.auc))

    @property
    def n_compared(self) -> int:
        """Rows of each table in a comparison."""
        return self.tables.held_out.n_rows

    @property
    def measure(self) -> str:
        """What utility is: AUC for classes, R² for numbers."""
        return "AUC" if target_of(self.tables.train, self.report.target).n_classes else "R²"

    def _auc_alone(self, rows: Sequence[Rows], names: tuple[str, ...]) -> float:
        real, synthetic = (picked(one, names) for one in rows)
        detector = cast("Detector", self.report.detector)
        return detection_auc(real, synthetic, detector=detector, random_state=self.random_state)


def _missing(rows: Rows, name: str) -> float:
    values = rows[name]
    return float(np.mean(np.isnan(values) if values.dtype.kind == "f" else values < 0))


def _measure(first_discrete: bool, second_discrete: bool) -> str:
    if first_discrete and second_discrete:
        return "Theil's U"
    return "η" if first_discrete or second_discrete else "r"
