"""A scenario to what every method is held to: training rows, a condition, rows of the truth.

All methods share them, so a process keeps those it made last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from janus_bench.constrained.conditions import Condition
from janus_bench.constrained.oracle import Oracle, Truth
from janus_bench.constrained.scenarios import ModelKey, Scenario
from janus_bench.models.sem import Sem
from janus_synth.table import Schema, read_table

if TYPE_CHECKING:
    import pandas as pd

KEPT_MODELS = 2
KEPT_CONDITIONS = 48
"""Twice as many as a model has; their rows take some megabytes, and seconds to draw."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A structural model, and the rows that methods learn."""

    sem: Sem
    train: pd.DataFrame
    schema: Schema


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition, and two samples of the true conditional: one to judge by, one that is judged."""

    ground: Ground
    condition: Condition
    n_rows: int
    truth: Truth
    second: Truth

    @property
    def probability(self) -> float:
        """Share of the true model's rows that meet the condition, by both samples."""
        accepted = self.truth.n_accepted + self.second.n_accepted
        return accepted / (self.truth.n_drawn + self.second.n_drawn)

    @property
    def n_training_matches(self) -> int:
        """Training rows that meet the condition."""
        return int(self.condition.mask(self.ground.train).sum())


@lru_cache(maxsize=KEPT_MODELS)
def ground_of(key: ModelKey, n_train: int) -> Ground:
    """A structural model with so many training rows.

    Examples
    --------
    >>> ground_of(ModelKey(5, 0), 50).train.shape
    (50, 5)
    """
    sem = key.sem()
    train = sem.draw(n_train, key.rng(1))
    return Ground(sem, train, read_table(train).schema)


@lru_cache(maxsize=KEPT_CONDITIONS)
def asked_of(scenario: Scenario, n_train: int, n_rows: int) -> Asked:
    """The condition of a scenario, with so many rows of the truth.

    Examples
    --------
    >>> asked = asked_of(Scenario(ModelKey(5, 0), "range", "medium"), 50, 100)
    >>> print(asked.condition, len(asked.truth.rows))
    x2 <= -1.061 100
    """
    ground = ground_of(scenario.model, n_train)
    condition = scenario.condition(ground.sem)
    oracle = Oracle(ground.sem, condition)
    truth, second = (oracle.sample(n_rows, scenario.rng(purpose)) for purpose in (1, 2))
    return Asked(ground, condition, n_rows, truth, second)
