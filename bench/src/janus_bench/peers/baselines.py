"""Three baselines: whole training rows, columns drawn independently from them, or uniformly over their ranges."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd

from janus_bench.peers.coding import Coded, TableCoder
from janus_bench.peers.interface import checked, fitted, from_donors
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError


class _StoredTable:
    """A method that keeps its training rows."""

    def __init__(self) -> None:
        self._frame: pd.DataFrame | None = None

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Store the table."""
        self._frame = checked(frame)
        return self


class Bootstrap(_StoredTable):
    """Training rows drawn with replacement: perfect fidelity, and every row is copied.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]})
    >>> Bootstrap().fit(frame, seed=0).sample(5, seed=1).shape
    (5, 2)
    """

    name = "bootstrap"

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw rows with replacement."""
        frame = fitted(self._frame, self)
        return frame.iloc[np.random.default_rng(seed).integers(len(frame), size=n)].reset_index(drop=True)


class IndependentColumns(_StoredTable):
    """Every column drawn independently from the training column: perfect margins, no dependence.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]})
    >>> IndependentColumns().fit(frame, seed=0).sample(5, seed=1).shape
    (5, 2)
    """

    name = "independent"

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw every column with replacement."""
        frame = fitted(self._frame, self)
        rng = np.random.default_rng(seed)
        return from_donors(frame, {name: rng.integers(len(frame), size=n) for name in frame})


class Uniform:
    """Every column uniform over its range or its levels; numbers keep their share of nulls, levels include null.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [0.0] * 90 + [*range(1, 11)], "who": ["a"] * 99 + ["b"]})
    >>> rows = Uniform().fit(frame, seed=0).sample(1000, seed=1)
    >>> bool(400 < (rows["who"] == "b").sum() < 600), bool(4 < rows["x"].mean() < 6)
    (True, True)
    """

    name = "uniform"
    libraries = ("numpy",)

    def __init__(self) -> None:
        self._coder: TableCoder | None = None
        self._null_shares: Floats = np.empty(0)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Learn ranges and levels."""
        self._coder, coded = TableCoder.learn(frame)
        self._null_shares = coded.codes[:, len(self._coder.levels) :].mean(axis=0)
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw every column independently."""
        if self._coder is None:
            raise NotFittedError("Uniform has not seen data. Call fit first.")
        rng = np.random.default_rng(seed)
        low, high = (np.array([getattr(column, end) for column in self._coder.numbers]) for end in ("low", "high"))
        numbers = low + (high - low) * rng.random((n, len(low)))
        codes = rng.integers(np.array(self._coder.n_levels, dtype=np.int64), size=(n, len(self._coder.n_levels)))
        first_flag = len(self._coder.levels)
        codes[:, first_flag:] = rng.random((n, len(self._null_shares))) < self._null_shares
        return self._coder.decode(Coded(numbers, codes), seed=seed)
