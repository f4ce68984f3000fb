"""Names or groups of benchmark tables in, tables out; and splits of a table into a training and a held-out half."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_bench.options import hint
from janus_bench.tables.drawn import MADE, SMOOTH
from janus_bench.tables.fetch import NO_FILES, alternatives, cached_file, fetch, own_file
from janus_bench.tables.sources import SOURCES
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, its name, and the target column, which utility metrics predict."""

    name: str
    frame: pd.DataFrame
    target: str
    graph: tuple[tuple[str, str], ...] = ()
    """Its true edges, where they are known."""


def split(table: NamedTable, seed: int, *, max_rows: int = 40_000) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shuffle, keep at most ``max_rows`` rows, and split into equally many training and held-out rows.

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


REAL = ("adult", "bank", "credit", "wine_quality", "car", "student_performance", "iris")
"""Real tables of the default run, which leaves out those that would need a download."""

MORE_REAL = ("law_students", "law_students_lsac", "communities_crime", "spectf")
"""Real tables on request."""

DRAWN = ("hiring", *SMOOTH)
"""Drawn tables of the default run."""

RANDOM = tuple(f"random-{seed}" for seed in range(5))
"""Rows of random structural models with ten columns, on request; their true graphs are known."""

PAPER = (
    "adult",
    "credit",
    "bank",
    "wine_quality",
    "car",
    "spectf",
    "communities_crime",
    "law_students",
    "student_performance",
    "circle",
    "normal",
    "imbalanced",
    "mixed",
    "iris",
    "stress",
)
"""The fifteen tables of the paper, in its order."""

GROUPS = {
    "real": REAL,
    "smooth": tuple(SMOOTH),
    "drawn": DRAWN,
    "more": MORE_REAL,
    "random": RANDOM,
    "paper": PAPER,
}
"""Names that stand for several tables."""

LOCAL = {"iris": "species", "law_students_lsac": "zfya", "magic": "class", "beijing": "pm2_5"}
TARGETS = {**LOCAL, **{name: source.target for name, source in SOURCES.items()}}
"""Targets of real tables; those of `LOCAL` are not downloaded."""

RECIPES = {**SMOOTH, **MADE}

HIRING_ROWS = RANDOM_ROWS = 10_000
RANDOM_COLUMNS = 10


def table_names(wanted: Iterable[str] | None = None) -> tuple[str, ...]:
    """Expand groups and check names; by default all tables of `REAL` and `DRAWN` that need no download.

    Examples
    --------
    >>> table_names(["hiring", "smooth"])
    ('hiring', 'sem', 'spatial', 'pareto', 'gaussian', 'ring')
    """
    if wanted is None:
        return (*filter(_at_hand, REAL), *DRAWN)
    names = [name for given in wanted for name in GROUPS.get(given, (given,))]
    for name in names:
        _check_known(name)
    return tuple(dict.fromkeys(names))


def real_at_hand() -> tuple[str, ...]:
    """All real tables that need no download.

    Examples
    --------
    >>> "iris" in real_at_hand()
    True
    """
    return tuple(filter(_at_hand, sorted(TARGETS)))


def read_named(name: str) -> NamedTable:
    """Read or draw a table; a real one that is not available locally is downloaded.

    Examples
    --------
    >>> read_named("ring").frame.shape
    (20000, 3)
    """
    _check_known(name)
    if name in RECIPES:
        recipe = RECIPES[name]
        return NamedTable(name, recipe.table(), recipe.target, recipe.graph)
    if name == "hiring":
        from janus_synth.datasets import hiring

        return NamedTable(name, hiring(HIRING_ROWS), "hired")
    if name in RANDOM:
        return _random_table(name)
    return NamedTable(name, _real_rows(name), TARGETS[name])


def _real_rows(name: str) -> pd.DataFrame:
    import pandas as pd

    path = own_file(name)
    if path is not None:
        return pd.read_parquet(path)
    if name == "iris":
        return _iris()
    if name in SOURCES:
        return fetch(SOURCES[name])
    raise DataError(
        f"the table {name!r} is not downloaded: no lasting public address of it is known. {alternatives(name)}"
    )


def _iris() -> pd.DataFrame:
    import pandas as pd
    from sklearn.datasets import load_iris

    iris = load_iris()
    names = [label.removesuffix(" (cm)").replace(" ", "_") for label in iris.feature_names]
    return pd.DataFrame(iris.data, columns=names).assign(species=iris.target_names[iris.target].tolist())


def _random_table(name: str) -> NamedTable:
    """Rows of the structural model whose seed ends the name; the target is the last column in causal order."""
    from janus_bench.models.random_sem import random_sem

    seed = int(name.rsplit("-", 1)[1])
    sem = random_sem(RANDOM_COLUMNS, seed)
    rows = sem.draw(RANDOM_ROWS, np.random.default_rng([seed, RANDOM_ROWS]))
    return NamedTable(name, rows, sem.order[-1], sem.edges)


def _at_hand(name: str) -> bool:
    """Whether a real table can be read without a download."""
    return name in NO_FILES or own_file(name) is not None or (name in SOURCES and cached_file(SOURCES[name]).is_file())


def _check_known(name: str) -> None:
    known = (*TARGETS, *DRAWN, *MADE, *RANDOM)
    if name not in known:
        raise DataError(f"no benchmark table is called {name!r}. {hint(name, (*known, *GROUPS))}")
