"""Benchmark tables: a name in, a table with its target column out; and splits into a training and a held-out half.

Real tables come from the folder in ``JANUS_DATA``, from the cache, or are downloaded from their publisher; all others
are drawn when they are needed.
"""

from janus_bench.tables.fetch import DATA_FOLDER
from janus_bench.tables.lookup import (
    DRAWN,
    GROUPS,
    MORE_REAL,
    PAPER,
    RANDOM,
    REAL,
    NamedTable,
    read_named,
    real_at_hand,
    split,
    table_names,
)

__all__ = [
    "DATA_FOLDER",
    "DRAWN",
    "GROUPS",
    "MORE_REAL",
    "PAPER",
    "RANDOM",
    "REAL",
    "NamedTable",
    "read_named",
    "real_at_hand",
    "split",
    "table_names",
]
