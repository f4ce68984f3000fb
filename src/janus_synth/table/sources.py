"""Which objects are sources of rows larger than memory, and how many of their rows a model is planned on."""

from __future__ import annotations

import os
from collections.abc import Sequence

from janus_synth.errors import DataError
from janus_synth.table.frames import frame_kind

SAMPLE_ROWS = 200_000
"""Rows that trees are grown on by default; more made no table easier to imitate (docs/large-tables.md)."""


def is_source(data: object) -> bool:
    """Whether data is read partition by partition, rather than as one frame in memory.

    Examples
    --------
    >>> is_source("data/*.parquet"), is_source(["a.csv", "b.csv"]), is_source({"age": [31]})
    (True, True, False)
    """
    if isinstance(data, str | os.PathLike):
        return True
    if isinstance(data, list | tuple):
        return len(data) > 0 and all(isinstance(part, str | os.PathLike) or _is_frame(part) for part in data)
    return library_of(data) in ("polars.LazyFrame", "pyarrow.Dataset", "dask.DataFrame", "duckdb.DuckDBPyRelation")


def _is_frame(part: object) -> bool:
    try:
        frame_kind(part)
    except DataError:
        return False
    return True


def library_of(data: object) -> str:
    """Name of a type and the library that it comes from, without importing any."""
    library = type(data).__module__.partition(".")[0].lstrip("_")
    names: Sequence[str] = [base.__name__ for base in type(data).__mro__]
    if library == "pyarrow" and "Dataset" in names:
        return "pyarrow.Dataset"
    return f"{library}.{names[0]}"
