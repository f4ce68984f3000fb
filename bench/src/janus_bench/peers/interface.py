"""What a benchmark asks of a method, and what methods share: a checked table in, donors of cells out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from janus_synth.errors import DataError, NotFittedError

Rows = npt.NDArray[np.intp]


class Synthesizer(Protocol):
    """What a benchmark needs to know of a method."""

    name: str

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Synthesizer:
        """Learn a table."""
        ...

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw ``n`` rows with the columns and dtypes of the table learnt."""
        ...


def from_donors(frame: pd.DataFrame, donors: Mapping[Any, Rows]) -> pd.DataFrame:
    """Cells of the table, each column from rows of its own."""
    columns = {name: frame[name].iloc[rows].reset_index(drop=True) for name, rows in donors.items()}
    return pd.DataFrame(columns)


def checked(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy of a table that can be learnt."""
    if frame.empty:
        raise DataError(f"a table of {len(frame)} rows and {frame.shape[1]} columns teaches nothing.")
    if not frame.columns.is_unique:
        raise DataError("two columns share a name. Rename one of them.")
    return frame.copy()


def fitted(frame: pd.DataFrame | None, owner: Synthesizer) -> pd.DataFrame:
    """The table that was learnt."""
    if frame is None:
        raise NotFittedError(f"{type(owner).__name__} has not seen data. Call fit first.")
    return frame
