"""A table with its name and target, and its rows to a training and a held-out half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, what it is called, and the column that utility is about."""

    name: str
    frame: pd.DataFrame
    target: str
    graph: tuple[tuple[str, str], ...] = ()
    """Its true edges, where they are known."""


def split(table: NamedTable, seed: int, *, max_rows: int = 40_000) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shuffle, cut to ``max_rows`` if there are more, and halve: training rows and as many held-out rows.

    Examples
    --------
    >>> from janus_bench.tables import read_named
    >>> train, test = split(read_named("ring"), 0, max_rows=501)
    >>> len(train), len(test)
    (250, 250)
    """
    half = min(len(table.frame), max_rows) // 2
    order = np.random.default_rng(seed).permutation(len(table.frame))
    train, test = (table.frame.iloc[part].reset_index(drop=True) for part in (order[:half], order[half : 2 * half]))
    return train, test
