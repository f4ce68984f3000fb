"""Columns to floats or level numbers, whatever their dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from janus_bench.arrays import Floats

MAX_CLASSES = 250
"""Levels above which text is a key or prose: drawn on its own, no parent of anything.

Class counts in every node of a tree would need gigabytes, and synthpop refuses such columns as well.
"""
MAX_COUNTED = 10
"""Distinct values up to which a numeric target is classified instead of regressed."""


def is_numeric(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers, dates or durations."""
    kind = pd.api.types
    if kind.is_bool_dtype(column.dtype):
        return False
    return (
        kind.is_numeric_dtype(column.dtype)
        or kind.is_datetime64_any_dtype(column.dtype)
        or kind.is_timedelta64_dtype(column.dtype)
    )


def is_ordered(column: pd.Series[Any]) -> bool:
    """Whether levels have an order of their own."""
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def numbers(column: pd.Series[Any]) -> Floats:
    """Values as floats, nulls as nan; dates and durations in nanoseconds."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_date = pd.api.types.is_datetime64_any_dtype(column.dtype)
    ticks = column.to_numpy(dtype="datetime64[ns]" if is_date else "timedelta64[ns]").astype(np.int64)
    return np.where(column.isna(), np.nan, ticks.astype(np.float64))


def level_codes(column: pd.Series[Any]) -> npt.NDArray[np.int64]:
    """Give levels whole numbers: null 0, then by category order if any, else by falling frequency."""
    if is_ordered(column):
        codes = column.cat.codes.to_numpy().astype(np.int64)
    else:
        first_seen = pd.factorize(column)[0]
        counts = np.bincount(first_seen[first_seen >= 0])
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        codes = np.append(place, -1)[first_seen]
    return codes + 1 if (codes < 0).any() else codes
