"""Frames of one kind to another kind, or to plain Python."""

from __future__ import annotations

import datetime as dt
from typing import Any

from janus_synth.errors import require_extra
from janus_synth.table.files.arrow_pieces import to_arrow


def as_kind(frame: Any, kind: str) -> Any:
    """A frame in the library that a model learnt from.

    Examples
    --------
    >>> import pandas as pd
    >>> as_kind(pd.DataFrame({"x": [1, 2]}), "pyarrow").num_rows
    2
    """
    from janus_synth.table import frame_kind

    if kind == frame_kind(frame):
        return frame
    if kind == "pandas":
        return to_arrow(frame).to_pandas()
    table = to_arrow(frame).replace_schema_metadata(None)  # what pandas would like to know is of no use to others
    if kind == "pyarrow":
        return table
    return require_extra("polars", "polars", purpose="a model that learnt from polars").from_arrow(table)


def plain_rows(frame: Any) -> list[dict[str, Any]]:
    """Rows as JSON can hold them: moments in ISO text, days without a time of day, None for null.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_rows(pd.DataFrame({"age": [31], "since": pd.to_datetime(["2024-01-31"]), "score": [float("nan")]}))
    [{'age': 31, 'since': '2024-01-31', 'score': None}]
    """
    return [{name: _plain(value) for name, value in row.items()} for row in to_arrow(frame).to_pylist()]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dt.datetime) and value.tzinfo is None and value.time() == dt.time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
