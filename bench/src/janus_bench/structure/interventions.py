"""Errors of interventions: a structural model and a fitted model in, errors of interventional means out.

Every column is set to a low and to a high value, one at a time, and the means of all other numerical columns are
compared with the true ones. In truth only descendants of the column that is set change; a model that changes other
columns mistakes effects for causes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.models.sem import Sem

if TYPE_CHECKING:
    import pandas as pd

TRUTH_ROWS = 20_000
"""Rows of the true model under each setting; the standard error of their means is 0.007 standard deviations."""
SET = 5
"""Random stream of the model for rows under settings."""
LOW, HIGH = 0.1, 0.9
"""Quantiles that a numerical column is set to; an unordered one is set to its two most frequent levels."""

Value = float | int | str
Means = Mapping[str, float]


class Setting(NamedTuple):
    """An intervention: a column and the value it is set to."""

    column: str
    value: Value


class Errors(NamedTuple):
    """Mean absolute errors of means in standard deviations: of descendants of the column set, and of other columns."""

    below: float
    elsewhere: float


@dataclass(frozen=True, slots=True)
class Truth:
    """True means under each setting, and standard deviations of the columns."""

    sem: Sem
    means: Mapping[Setting, Means]
    spreads: Means


def draw_under(sem: Sem, setting: Setting, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Sample a structural model under an intervention.

    Examples
    --------
    >>> from janus_bench.models.random_sem import random_sem
    >>> rows = draw_under(random_sem(5, seed=0), Setting("x2", -1.5), 100, np.random.default_rng(0))
    >>> rows["x2"].unique().tolist()
    [-1.5]
    """
    return sem.draw(n, rng, do={setting.column: setting.value})


def settings_for(sem: Sem, train: pd.DataFrame) -> list[Setting]:
    """List the settings: two values of each column that occur in ``train``."""
    found: list[Setting] = []
    for column in train:
        name = str(column)
        if name in sem.numbers:
            values = np.quantile(train[name], [LOW, HIGH], method="nearest")
        else:
            values = train[name].value_counts().index[:2].to_numpy()
        found += [Setting(name, value.item() if isinstance(value, np.generic) else value) for value in values]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=2)
def truth_of(model: ModelKey, n_train: int) -> Truth:
    """True means under all settings; all methods use them, so the last two results are cached."""
    known, rng = known_model(model, n_train), model.rng(SET)
    settings = settings_for(known.sem, known.train)
    means = {setting: _means(draw_under(known.sem, setting, TRUTH_ROWS, rng), known.sem) for setting in settings}
    return Truth(known.sem, means, {name: float(known.train[name].std()) for name in known.sem.numbers})


def errors_of(truth: Truth, rows_under: Callable[[Setting], pd.DataFrame]) -> Errors:
    """Errors of the means of a model's rows under all settings.

    Parameters
    ----------
    truth : Truth
        Settings and true means.
    rows_under : callable
        Gives the model's rows under a setting.
    """
    below: list[float] = []
    elsewhere: list[float] = []
    for setting, true in truth.means.items():
        found = _means(rows_under(setting), truth.sem)
        descendants = truth.sem.dag.descendants(setting.column)
        for name in truth.sem.numbers:
            if name != setting.column:
                error = abs(found[name] - true[name]) / (truth.spreads[name] or 1.0)
                (below if name in descendants else elsewhere).append(error)
    return Errors(_mean(below), _mean(elsewhere))


def _means(rows: pd.DataFrame, sem: Sem) -> dict[str, float]:
    return {name: float(rows[name].mean()) for name in sem.numbers}


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
