"""Marginal distances: two tables in, distances between their columns, one at a time, out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.rows import Frame, Rows, align, mean_of, target_of


@dataclass(frozen=True, slots=True)
class MarginalErrors:
    """Distances between the columns of two tables, by column name.

    Attributes
    ----------
    ks : mapping of str to float
        Kolmogorov–Smirnov distance of every ordered column, missing counted as a value.
    total_variation : mapping of str to float
        Total variation distance of every discrete column, missing counted as a level.
    wasserstein : mapping of str to float
        Wasserstein-1 distance of every ordered column in standard deviations of the real one, over present
        values.
    """

    ks: Mapping[str, float]
    total_variation: Mapping[str, float]
    wasserstein: Mapping[str, float]

    @property
    def means(self) -> dict[str, float]:
        """Mean of each distance over its columns, NaN where it has none."""
        return {
            "ks": mean_of(self.ks.values()),
            "total_variation": mean_of(self.total_variation.values()),
            "wasserstein": mean_of(self.wasserstein.values()),
        }


def marginal_errors(real: Frame, synthetic: Frame) -> MarginalErrors:
    """Compare every column of two tables on its own.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.

    Returns
    -------
    MarginalErrors
        Distances by column, and their ``means``; 0 is ideal.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.5], "c": ["a", "a", "b", "b"]})
    >>> synthetic = pd.DataFrame({"x": [1.0, 2.0, 3.0, 3.5], "c": ["a", "a", "a", "a"]})
    >>> errors = marginal_errors(real, synthetic)
    >>> errors.ks["x"], errors.total_variation["c"]
    (0.25, 0.5)
    """
    left, right = align(real=real, synthetic=synthetic)
    ordered = {column.name: (left[column.name], right[column.name]) for column in left.ordered}
    return MarginalErrors(
        ks={name: ks_distance(a, b) for name, (a, b) in ordered.items()},
        total_variation={
            column.name: total_variation(left[column.name], right[column.name], n_levels=column.n_levels)
            for column in left.discrete
        },
        wasserstein={name: wasserstein_distance(a, b) for name, (a, b) in ordered.items()},
    )


def ks_distance(real: Floats, synthetic: Floats) -> float:
    """Largest difference in the share of rows at or below a value, missing counted on either side.

    Without missing values this is the two-sample Kolmogorov–Smirnov statistic.

    Parameters
    ----------
    real, synthetic : array of float
        Values, NaN where missing.

    Examples
    --------
    >>> ks_distance(np.array([1.0, 2.0, 3.0, np.nan]), np.array([1.0, 2.0, 3.0, 3.0]))
    0.25
    """
    left, right = (np.sort(values[~np.isnan(values)]) for values in (real, synthetic))
    points = np.concatenate([left, right])
    share_real = np.searchsorted(left, points, side="right") / len(real)
    share_synthetic = np.searchsorted(right, points, side="right") / len(synthetic)
    gap = np.append(share_real - share_synthetic, 0.0)
    missing_gap = float(np.isnan(real).mean() - np.isnan(synthetic).mean())
    return float(max(np.abs(gap).max(), np.abs(gap + missing_gap).max()))


def wasserstein_distance(real: Floats, synthetic: Floats) -> float:
    """Wasserstein-1 distance over present values, in standard deviations of the real column.

    A constant real column is measured in standard deviations of both columns together. NaN when either has no
    value.

    Parameters
    ----------
    real, synthetic : array of float
        Values, NaN where missing.

    Examples
    --------
    >>> wasserstein_distance(np.array([0.0, 2.0]), np.array([2.0, 4.0]))
    2.0
    """
    left, right = (np.sort(values[np.isfinite(values)]) for values in (real, synthetic))
    if len(left) == 0 or len(right) == 0:
        return float("nan")
    largest = max(abs(left[0]), abs(left[-1]), abs(right[0]), abs(right[-1])) or 1.0
    left, right = left / largest, right / largest  # squares neither overflow nor vanish
    pooled = np.sort(np.concatenate([left, right]))
    step = np.diff(pooled)
    share_left = np.searchsorted(left, pooled[:-1], side="right") / len(left)
    share_right = np.searchsorted(right, pooled[:-1], side="right") / len(right)
    distance = float(np.sum(np.abs(share_left - share_right) * step))
    own_scale = float(left.std()) if left[0] < left[-1] else 0.0
    return distance / (own_scale or float(pooled.std())) if distance > 0 else 0.0


def total_variation(real: LongInts, synthetic: LongInts, *, n_levels: int) -> float:
    """Half the summed differences of the level shares, missing counted as a level.

    Parameters
    ----------
    real, synthetic : array of int
        Level codes, −1 where missing.
    n_levels : int
        Number of levels.

    Examples
    --------
    >>> total_variation(np.array([0, 0, 1, -1]), np.array([0, 0, 1, 1]), n_levels=2)
    0.25
    """
    shares = [np.bincount(codes + 1, minlength=n_levels + 1) / len(codes) for codes in (real, synthetic)]
    return float(0.5 * np.abs(shares[0] - shares[1]).sum())


def minority_preservation(real: Frame, synthetic: Frame, target: str) -> float:
    """How well the share of the target's rarest class is kept (the paper's Mode Collapse Score).

    MCS = 1 − min(|p_syn − p_real| / p_real, 1) with p the share of that class among rows whose target is
    present.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    target : str
        Column of classes: levels, or a number that takes two values.

    Returns
    -------
    float
        1 is ideal, 0 if the class has vanished or at least doubled; NaN if the target is not categorical or has only
        one class.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"y": ["no"] * 8 + ["yes"] * 2})
    >>> minority_preservation(real, pd.DataFrame({"y": ["no"] * 9 + ["yes"]}), "y")
    0.5
    """
    left, right = align(real=real, synthetic=synthetic)
    goal = target_of(left, target)
    if goal.n_classes == 0:
        return float("nan")
    labels, drawn = (goal.labels(rows) for rows in (left, right))
    return _kept_share(labels[labels >= 0], drawn[drawn >= 0], n_levels=goal.n_classes)


def rare_level_preservation(real: Frame, synthetic: Frame, *, least_share: float = 0.01) -> float:
    """Mean Mode Collapse Score over all discrete columns, each for its rarest level.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    least_share : float
        Levels rarer than this among the real rows are ignored: their share is mostly noise.

    Returns
    -------
    float
        1 is ideal; NaN without a discrete column that has two levels.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"y": ["no"] * 8 + ["yes"] * 2})
    >>> rare_level_preservation(real, real)
    1.0
    """
    left, right = align(real=real, synthetic=synthetic)
    pairs = [(_present(left, c.name), _present(right, c.name), c.n_levels) for c in left.discrete]
    return mean_of(_kept_share(a, b, n_levels=k, least_share=least_share) for a, b, k in pairs)


def _present(rows: Rows, name: str) -> LongInts:
    codes: LongInts = rows[name]
    return codes[codes >= 0]


def _kept_share(real: LongInts, synthetic: LongInts, *, n_levels: int, least_share: float = 0.0) -> float:
    """Mode Collapse Score of the rarest level of the real rows; ties go to the first."""
    if len(real) == 0:
        return float("nan")
    p_real = np.bincount(real, minlength=n_levels) / len(real)
    eligible = np.flatnonzero((p_real > 0) & (p_real >= least_share))
    if len(eligible) < 2:
        return float("nan")
    rarest = int(eligible[np.argmin(p_real[eligible])])
    p_synthetic = float(np.mean(synthetic == rarest)) if len(synthetic) else 0.0
    return float(1.0 - min(abs(p_synthetic - p_real[rarest]) / p_real[rarest], 1.0))
