"""A table to scikit-learn's random forests, one per column: the yardstick of a fit.

Forests get the columns as numbers beforehand; only growing is timed. They keep scikit-learn's defaults where the
two methods have no common argument, such as √d features per split when classifying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Features = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ForestTask:
    """What one forest learns."""

    column: str
    features: Features
    target: npt.NDArray[Any]
    discrete: bool


def earlier_columns(frame: pd.DataFrame) -> list[ForestTask]:
    """Every column given those before it, unordered columns first: the chain that JANUS learns by default."""
    return _tasks(frame, chain=True)


def all_other_columns(frame: pd.DataFrame) -> list[ForestTask]:
    """Every column given all others."""
    return _tasks(frame, chain=False)


def grow_forests(
    tasks: list[ForestTask], *, n_trees: int, min_samples_leaf: int, n_jobs: int, seed: int = 0
) -> list[Any]:
    """Grow one forest per task.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> tasks = earlier_columns(datasets.hiring(100))
    >>> len(grow_forests(tasks, n_trees=2, min_samples_leaf=5, n_jobs=1))
    13
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    arguments = {"n_estimators": n_trees, "min_samples_leaf": min_samples_leaf, "n_jobs": n_jobs, "random_state": seed}
    makers = [RandomForestClassifier if task.discrete else RandomForestRegressor for task in tasks]
    return [make(**arguments).fit(task.features, task.target) for make, task in zip(makers, tasks, strict=True)]


def _tasks(frame: pd.DataFrame, *, chain: bool) -> list[ForestTask]:
    from janus_synth.metrics import align

    (rows,) = align(table=frame)
    columns = sorted(rows.columns, key=lambda column: not column.discrete)
    values = [_without_nulls(rows[column.name]) for column in columns]
    matrix = np.column_stack(values).astype(np.float32)
    tasks = []
    for j, column in enumerate(columns):
        features = matrix[:, :j] if chain else np.delete(matrix, j, axis=1)
        if features.shape[1]:
            tasks.append(ForestTask(column.name, features, values[j], column.discrete))
    return tasks


def _without_nulls(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Nulls as a number below all others; discrete columns have −1 there already."""
    is_null = np.isnan(values)
    return np.where(is_null, np.nanmin(values) - 1, values) if is_null.any() else values
