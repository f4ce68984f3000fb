"""The interface of methods (`fit` a table, `sample` rows), and helpers that several methods share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from janus_synth.errors import DataError, NotFittedError

Rows = npt.NDArray[np.intp]


class Synthesizer(Protocol):
    """A method that learns a table and draws synthetic rows."""

    name: str

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Synthesizer:
        """Learn a table."""
        ...

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw ``n`` rows with the columns and dtypes of the table learnt."""
        ...


def from_donors(frame: pd.DataFrame, donors: Mapping[Any, Rows]) -> pd.DataFrame:
    """A table of cells copied from ``frame``; ``donors`` gives the source rows of each column."""
    columns = {name: frame[name].iloc[rows].reset_index(drop=True) for name, rows in donors.items()}
    return pd.DataFrame(columns)


def checked(frame: pd.DataFrame) -> pd.DataFrame:
    """Copy a table; raise DataError if it is empty or two columns share a name."""
    if frame.empty:
        raise DataError(f"a table of {len(frame)} rows and {frame.shape[1]} columns teaches nothing.")
    if not frame.columns.is_unique:
        raise DataError("two columns share a name. Rename one of them.")
    return frame.copy()


def fitted(frame: pd.DataFrame | None, owner: Synthesizer) -> pd.DataFrame:
    """Return the table that was learnt; raise NotFittedError if it is None."""
    if frame is None:
        raise NotFittedError(f"{type(owner).__name__} has not seen data. Call fit first.")
    return frame
