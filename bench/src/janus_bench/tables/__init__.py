"""Benchmark tables: names to tables with their target column, and tables to a training and a held-out half.

Real tables come from the folder in ``JANUS_DATA``, from the cache, or from where they are published; all others are
drawn on the spot.
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
    "split",
    "table_names",
]
