"""Scores of conditional samples: a method's rows and true rows in, a dictionary of scores out.

CSR is the share of the requested rows that were returned and meet the condition. MF and CF compare all returned rows
with the true conditional: MF is the mean over columns of 1 − KS (numbers) or 1 − total variation (levels); CF is
1 − the Frobenius norm of the difference of the association matrices, without the diagonal, divided by its largest
value, 2 √(d (d − 1)). Final is the paper's CSR · (½ MF + ½ CF). The paper measures MF by Wasserstein distances but
gives no scale, so we use KS, which lies in [0, 1]; the Wasserstein distance, in standard deviations of the truth, is a
separate score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from janus_synth import holds
from janus_synth.arrays import Floats
from janus_synth.metrics import (
    MarginalErrors,
    Rows,
    align,
    association_matrix,
    detection_auc,
    equal_rows,
    marginal_errors,
    point_map,
)
from janus_synth.table import read_table

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Schema
    from janus_synth.metrics import Detector

Scores = dict[str, "float | None"]

SCORES = ("final", "csr", "mf", "cf", "detection", "energy", "wasserstein")
NO_ROWS: Scores = {**dict.fromkeys(SCORES), "final": 0.0, "csr": 0.0}
"""Scores of a method that returned no rows."""


def score_rows(
    rows: pd.DataFrame,
    truth: pd.DataFrame,
    rule: str,
    *,
    n_asked: int,
    schema: Schema,
    detector: Detector = "xgboost",
    seed: int = 0,
) -> Scores:
    """All scores of one answer.

    Parameters
    ----------
    rows : DataFrame
        The rows returned; rows beyond ``n_asked`` are ignored.
    truth : DataFrame
        Rows of the true conditional.
    rule : str
        The condition.
    n_asked : int
        Number of requested rows.
    schema : Schema
        Kinds of the columns, from the training table; a conditional sample may not suffice to infer them.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that separates the rows from true rows.
    seed : int
        Seed of the detector.

    Returns
    -------
    dict
        By name; None where a score is undefined: no detection with fewer than 30 rows.
    """
    rows = rows.iloc[:n_asked]
    if len(rows) == 0:
        return dict(NO_ROWS)
    # Levels that no training row has are allowed here: the true model may have them.
    csr = float(holds(rule, read_table(rows, schema)).sum()) / n_asked
    pair = align(schema=schema, real=truth, synthetic=rows)
    errors = marginal_errors(*pair)
    mf = marginal_fidelity(errors)
    cf = correlation_fidelity(*pair)
    found = {
        "final": csr * (0.5 * mf + 0.5 * cf),
        "csr": csr,
        "mf": mf,
        "cf": cf,
        "detection": detection_auc(*pair, detector=detector, random_state=seed),
        "energy": energy_distance(*pair),
        "wasserstein": _mean(errors.wasserstein.values()),
    }
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def marginal_fidelity(errors: MarginalErrors) -> float:
    """1 − mean of the Kolmogorov–Smirnov distances of numbers and the total variations of levels."""
    return 1 - _mean([*errors.ks.values(), *errors.total_variation.values()])


def correlation_fidelity(truth: Rows, rows: Rows) -> float:
    """1 − ‖A − B‖ / (2 √(d (d − 1))) of the association matrices, cut to the same number of rows.

    1 is ideal; 0 if every correlation changes from 1 to −1.
    """
    (_, first), (_, second) = (association_matrix(part) for part in equal_rows(truth, rows, seed=0))
    n_columns = len(first)
    if n_columns < 2:
        return 1.0
    return 1 - float(np.linalg.norm(first - second)) / (2 * math.sqrt(n_columns * (n_columns - 1)))


def energy_distance(truth: Rows, rows: Rows) -> float:
    """2 E|X − Y| − E|X − X'| − E|Y − Y'| over points of ranks and one-hot levels, unbiased; NaN below two rows.

    Two samples of one distribution give 0 on average, so small negative values are normal.
    """
    pair = equal_rows(truth, rows, seed=0)
    if pair[0].n_rows < 2:
        return float("nan")
    encode = point_map(*pair)
    return energy_of_points(*(encode.points(part) for part in pair))


def energy_of_points(x: Floats, y: Floats) -> float:
    """Energy distance of two sets of points, at least two each.

    Examples
    --------
    >>> energy_of_points(np.array([[0.0], [0.0]]), np.array([[3.0], [3.0]]))
    6.0
    """
    from scipy.spatial.distance import cdist, pdist

    return float(2 * cdist(x, y).mean() - pdist(x).mean() - pdist(y).mean())


def _mean(values: Iterable[float]) -> float:
    """Mean of the defined values, NaN when there is none."""
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
