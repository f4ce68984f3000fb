"""Models small enough to enumerate: fitted models, every row they can emit and its probability."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pandas as pd

from janus_synth import Janus

NUMBERS = ("a", "b", "d", "f")
STRUCTURES = {
    "dense": "chain",
    "sparse": [("a", "b"), ("b", "c"), ("a", "d"), ("c", "e"), ("b", "f"), ("d", "f")],
}


def small_table(n: int = 400, seed: int = 3) -> pd.DataFrame:
    """Six dependent columns with few values each, one of them with nulls."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = a + rng.integers(0, 3, n)
    c = np.array(list("xyz"))[(b + rng.integers(0, 2, n)) % 3]
    d = np.where(rng.random(n) < 0.15, np.nan, a + rng.integers(0, 2, n))
    e = np.where(rng.random(n) < 0.8, np.where(c == "x", "x", "y"), "z")
    f = np.where(np.isnan(d), 0, b + d) + (rng.random(n) < 0.3)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e, "f": f.astype(int)})


@cache
def small_model(structure: str, **settings: object) -> Janus:
    """A model of the small table; columns of few numbers stay numbers."""
    schema = {name: {"kind": "numeric"} for name in NUMBERS}
    return Janus(structure=STRUCTURES[structure], schema=schema, random_state=0, **settings).fit(small_table())


@cache
def every_row(structure: str) -> tuple[pd.DataFrame, np.ndarray]:
    """All rows that the small model can emit, and their probabilities."""
    table = small_table()
    values = [[*table[name].dropna().unique(), *([np.nan] if table[name].isna().any() else [])] for name in table]
    rows = pd.DataFrame(list(itertools.product(*values)), columns=table.columns).astype(table.dtypes.to_dict())
    return rows, np.exp(small_model(structure).log_prob(rows))


def keys(rows: pd.DataFrame) -> pd.Series:
    """Each row as one number."""
    levels = {"x": 0, "y": 1, "z": 2}
    digits = [rows[name].map(levels) if name in ("c", "e") else rows[name].fillna(-1) + 1 for name in small_table(9)]
    return sum(digit.astype(int) * 16**place for place, digit in enumerate(digits))


def distance(rows: pd.DataFrame, all_rows: pd.DataFrame, shares: np.ndarray) -> tuple[float, float]:
    """Total variation between rows and true shares, and its mean for independent draws."""
    truth = pd.Series(shares, index=keys(all_rows))
    seen = keys(rows).value_counts(normalize=True)
    gap = 0.5 * truth.sub(seen, fill_value=0.0).abs().sum()
    usual = 0.5 * np.sqrt(2 * truth * (1 - truth) / np.pi / len(rows)).sum()
    return float(gap), float(usual)
