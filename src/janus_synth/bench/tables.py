"""Names to benchmark tables with their target column, and tables to a training and a held-out half.

Real tables are parquet files in the folder that the environment variable ``JANUS_DATA`` names; the others are
drawn on the spot.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.bench.smooth import SMOOTH, smooth_table
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

DATA_FOLDER = "JANUS_DATA"
"""Environment variable that names the folder of real tables."""

REAL = {
    "adult": "income",
    "bank": "y",
    "credit": "default_payment_next_month",
    "wine_quality": "quality",
    "car": "class",
    "student_performance": "g3",
    "iris": "species",
}
"""Real tables of the default run, with their target."""

MORE_REAL = {
    "law_students": "pass_bar",
    "law_students_lsac": "zfya",
    "communities_crime": "violent_crimes_per_pop",
    "spectf": "overall_diagnosis",
}
"""Real tables on request."""

DRAWN = ("hiring", *SMOOTH)
"""Tables of the default run that need no files."""

RANDOM = tuple(f"random-{seed}" for seed in range(5))
"""Rows of random structural models with ten columns, on request; their graphs are known."""

GROUPS = {"real": tuple(REAL), "smooth": tuple(SMOOTH), "drawn": DRAWN, "more": tuple(MORE_REAL), "random": RANDOM}
"""Names that stand for several tables."""

HIRING_ROWS = RANDOM_ROWS = 10_000
RANDOM_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, what it is called, and the column that utility is about."""

    name: str
    frame: pd.DataFrame
    target: str
    graph: tuple[tuple[str, str], ...] = ()
    """Its true edges, where they are known."""


def table_names(wanted: Iterable[str] | None = None) -> tuple[str, ...]:
    """Spell out groups and check names; by default everything that can be had, real tables first.

    Examples
    --------
    >>> table_names(["hiring", "smooth"])
    ('hiring', 'sem', 'spatial', 'pareto', 'gaussian', 'ring')
    """
    if wanted is None:
        present = tuple(name for name in REAL if _file_of(name) is not None)
        return (*present, *DRAWN)
    names = [name for given in wanted for name in GROUPS.get(given, (given,))]
    for name in names:
        _check_known(name)
    return tuple(dict.fromkeys(names))


def read_named(name: str) -> NamedTable:
    """Read or draw a table.

    Examples
    --------
    >>> read_named("ring").frame.shape
    (20000, 3)
    """
    _check_known(name)
    if name in SMOOTH:
        return NamedTable(name, smooth_table(name), SMOOTH[name][1])
    if name == "hiring":
        from janus_synth.datasets import hiring

        return NamedTable(name, hiring(HIRING_ROWS), "hired")
    if name in RANDOM:
        return _random_table(name)
    import pandas as pd

    path = _file_of(name)
    if path is None:
        raise DataError(
            f"the table {name!r} is a file, {name}.parquet, which the folder in {DATA_FOLDER} does not hold. "
            f"Set {DATA_FOLDER}, or choose from {', '.join(DRAWN)}."
        )
    return NamedTable(name, pd.read_parquet(path), {**REAL, **MORE_REAL}[name])


def _random_table(name: str) -> NamedTable:
    """Rows of the structural model whose seed the name ends in; the target is the last column in causal order."""
    from janus_synth.bench.constrained.random_sem import random_sem

    seed = int(name.rsplit("-", 1)[1])
    sem = random_sem(RANDOM_COLUMNS, seed)
    rows = sem.draw(RANDOM_ROWS, np.random.default_rng([seed, RANDOM_ROWS]))
    return NamedTable(name, rows, sem.order[-1], sem.edges)


def split(table: NamedTable, seed: int, *, max_rows: int = 40_000) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shuffle, cut to ``max_rows`` if there are more, and halve: training rows and as many held-out rows.

    Examples
    --------
    >>> train, test = split(read_named("ring"), 0, max_rows=501)
    >>> len(train), len(test)
    (250, 250)
    """
    half = min(len(table.frame), max_rows) // 2
    order = np.random.default_rng(seed).permutation(len(table.frame))
    train, test = (table.frame.iloc[part].reset_index(drop=True) for part in (order[:half], order[half : 2 * half]))
    return train, test


def _check_known(name: str) -> None:
    known = (*REAL, *MORE_REAL, *DRAWN, *RANDOM)
    if name not in known:
        close = difflib.get_close_matches(name, (*known, *GROUPS), n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join((*known, *GROUPS))}."
        raise DataError(f"no benchmark table is called {name!r}. {hint}")


def _file_of(name: str) -> Path | None:
    folder = os.environ.get(DATA_FOLDER)
    if not folder:
        return None
    path = Path(folder).expanduser() / f"{name}.parquet"
    return path if path.is_file() else None
