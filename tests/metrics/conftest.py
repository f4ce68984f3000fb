"""Small tables that the tests of the scores share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260)


@pytest.fixture
def draw(rng):
    """Draw a mixed table with gaps: numbers, a moment, levels, a flag, and a class that depends on them."""

    def rows(n: int, *, shift: float = 0.0) -> pd.DataFrame:
        x = rng.normal(shift, 1.0, n)
        size = rng.choice(["small", "medium", "large"], n, p=[0.6, 0.3, 0.1])
        return pd.DataFrame(
            {
                "x": np.where(rng.random(n) < 0.1, np.nan, x),
                "count": rng.poisson(np.exp(0.5 * x)),
                "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
                "size": pd.Series(size, dtype="str").mask(rng.random(n) < 0.05),
                "flag": rng.random(n) < 0.3,
                "label": np.where(x + (size == "large") + rng.normal(0, 0.5, n) > 1, "yes", "no"),
            }
        )

    return rows
