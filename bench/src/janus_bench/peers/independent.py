"""Every column on its own: perfect margins, no dependence."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd

from janus_bench.peers.interface import checked, fitted, from_donors


class IndependentColumns:
    """Every column drawn on its own from the training column: perfect margins, no dependence.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]})
    >>> IndependentColumns().fit(frame, seed=0).sample(5, seed=1).shape
    (5, 2)
    """

    name = "independent"

    def __init__(self) -> None:
        self._frame: pd.DataFrame | None = None

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Keep the table."""
        self._frame = checked(frame)
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw every column with replacement."""
        frame = fitted(self._frame, self)
        rng = np.random.default_rng(seed)
        return from_donors(frame, {name: rng.integers(len(frame), size=n) for name in frame})
