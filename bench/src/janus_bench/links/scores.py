"""Errors of summaries: drawn rows and fresh rows of the truth in, the largest standardised errors out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles that are compared."""
LEAST_SHARE = 0.01
"""Levels and nulls that are rarer among true rows are not compared."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The largest error among some columns, and where it is; 0 and an empty text if there are none."""

    error: float = 0.0
    place: str = ""


def mean_errors(rows: pd.DataFrame, truth: pd.DataFrame) -> dict[str, float]:
    """Errors of means in units of the true standard deviation, by column.

    A column of levels counts with its worst level: the error of its share p over √(p (1 − p)). Nulls count as a level.

    Examples
    --------
    >>> import pandas as pd
    >>> truth, rows = pd.DataFrame({"x": [0.0, 2.0], "y": ["a", "b"]}), pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "a"]})
    >>> mean_errors(rows, truth)
    {'x': 0.5, 'y': 1.0}
    """
    return {name: _mean_error(rows[name], truth[name]) for name in map(str, truth)}


def quantile_errors(rows: pd.DataFrame, truth: pd.DataFrame) -> dict[str, float]:
    """Largest error of the distribution function at true quantiles, over √(p (1 − p)), by column with an order.

    Examples
    --------
    >>> import pandas as pd
    >>> truth = pd.DataFrame({"x": range(100)})
    >>> round(quantile_errors(truth + 20, truth)["x"], 2)
    0.92
    """
    found = {}
    for name, true in numbers(truth).items():
        drawn, known = numbers(rows)[name].dropna(), true.dropna()
        places = np.quantile(known, LEVELS, method="inverted_cdf")
        share, shown = ((column.to_numpy()[:, None] <= places).mean(axis=0) for column in (known, drawn))
        scale = np.sqrt(np.maximum(share * (1 - share), LEAST_SHARE * (1 - LEAST_SHARE)))
        found[name] = float((np.abs(shown - share) / scale).max())
    return found


def correlation_errors(rows: pd.DataFrame, truth: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Errors of Spearman's rank correlations, by pair of columns with an order; a null counts as the middle rank.

    Examples
    --------
    >>> import pandas as pd
    >>> truth = pd.DataFrame({"x": [1, 2, 3], "y": [1, 2, 3]})
    >>> correlation_errors(truth.assign(y=[3, 2, 1]), truth)
    {('x', 'y'): 2.0}
    """
    names = list(numbers(truth))
    drawn, true = (_rank_correlations(numbers(part), names) for part in (rows, truth))
    upper = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    return {(names[i], names[j]): float(abs(drawn[i, j] - true[i, j])) for i, j in upper}


def worst(errors: Mapping[Any, float], among: Collection[str], *, inside: bool = True) -> Worst:
    """The largest error of the columns ``among``, or of all others; a pair belongs to them if one of the two does."""
    found = Worst()
    for key, error in errors.items():
        names = key if isinstance(key, tuple) else (key,)
        if any(name in among for name in names) == inside and error > found.error:
            found = Worst(error, " ~ ".join(names))
    return found


def numbers(frame: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Columns with an order as floats: numbers, booleans, and times in days."""
    import pandas as pd

    found = {}
    for name in frame:
        column = frame[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            found[str(name)] = (column - pd.Timestamp("2000-01-01")).dt.total_seconds() / 86_400
        elif pd.api.types.is_numeric_dtype(column):
            found[str(name)] = column.astype("Float64").astype("float64")
    return found


def _mean_error(drawn: pd.Series[Any], true: pd.Series[Any]) -> float:
    nulls = _share_error(drawn.isna().mean(), true.isna().mean())
    values = numbers(true.to_frame("x")).get("x")
    if values is None:
        shares = true.value_counts(normalize=True)
        shown = drawn.value_counts(normalize=True)
        return max([nulls, *(_share_error(shown.get(level, 0.0), share) for level, share in shares.items())])
    gap = abs(numbers(drawn.to_frame("x"))["x"].mean() - values.mean())
    spread = values.std(ddof=0)
    return max(nulls, float(gap / spread) if spread > 0 else 0.0)


def _share_error(drawn: float, true: float) -> float:
    if not LEAST_SHARE <= true <= 1 - LEAST_SHARE:
        return 0.0
    return float(abs(drawn - true) / np.sqrt(true * (1 - true)))


def _rank_correlations(columns: dict[str, pd.Series[float]], names: list[str]) -> Floats:
    """Correlations of ranks; those of a constant column are 0."""
    ranks = np.stack([columns[name].rank(pct=True).fillna(0.5).to_numpy() for name in names])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1)
    scaled = centred / np.where(norms > 0, norms, 1.0)[:, None]
    return np.asarray(scaled @ scaled.T)
