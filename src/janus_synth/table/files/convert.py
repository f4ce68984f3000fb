"""A frame of any kind in; an arrow table, a frame of another kind or plain Python rows out.

Pieces of one table are converted with ``type_template`` and ``fit_to_template``, so that all of them have the types of
the schema, independent of the values in each piece.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.errors import require_extra
from janus_synth.table.frames import frame_kind
from janus_synth.table.table import Table
from janus_synth.table.write import write_table

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.table import Column, Schema


def type_template(schema: Schema) -> Any:
    """Small arrow table with the types and dictionaries of a schema.

    It has a few rows without nulls and every level once: a piece with a column of nulls would not show its type.
    """
    import pyarrow as pa

    n_rows = max([1, *(len(column.levels) for column in schema)])
    values = {column.name: _complete(column, n_rows) for column in schema.learnt}
    complete = Table(schema, values, n_rows)
    table = _without_open_dictionaries(to_arrow(write_table(complete, rng=np.random.default_rng(0))), schema)
    fields = [field.with_nullable(field.nullable or schema[field.name].nullable) for field in table.schema]
    return pa.table(table.columns, schema=pa.schema(fields, metadata=table.schema.metadata))


def _without_open_dictionaries(table: Any, schema: Schema) -> Any:
    """The table with plain values in columns that are made up, because a dictionary cannot list them beforehand."""
    import pyarrow as pa

    for i, name in enumerate(table.column_names):
        is_made_up = schema[name].generalised or not schema[name].is_learnt
        if is_made_up and pa.types.is_dictionary(table[name].type):
            table = table.set_column(i, name, table[name].cast(table[name].type.value_type))
    return table


def fit_to_template(frame: Any, template: Any) -> Any:
    """Arrow table of a frame, in exactly the types of a ``template`` from ``type_template``."""
    import pyarrow as pa

    table = to_arrow(frame, template.schema)
    columns = [_like(table[name], template[name]) for name in template.column_names]
    return pa.table(columns, schema=template.schema)


def _complete(column: Column, n_rows: int) -> Any:
    """Array without missing values, with every level."""
    if column.is_discrete:
        return (
            np.arange(n_rows, dtype=np.int32) % len(column.levels)
            if column.levels
            else np.full(n_rows, column.missing_value)
        )
    return np.full(n_rows, 0.0 if column.low is None else column.low)


def to_arrow(frame: Any, types: Any = None) -> Any:
    """Arrow table of a frame of any kind; ``types`` are for pandas columns, whose values may not show them."""
    import pyarrow as pa

    match frame_kind(frame):
        case "pyarrow":
            return frame
        case "polars":
            return frame.to_arrow()
    plain = _without_pandas_dtypes(frame)
    arrays = {name: _array(plain[name], types and types.field(name).type) for name in plain.columns}
    metadata = pa.Schema.from_pandas(plain.head(0), preserve_index=False).metadata  # lets pandas restore Int64
    return pa.table(arrays).replace_schema_metadata(metadata)


def _without_pandas_dtypes(frame: pd.DataFrame) -> pd.DataFrame:
    """Frame without the dtypes that only pandas has: sparse columns become dense, periods and intervals text."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in frame.columns:
        series: Any = frame[name]
        if isinstance(series.dtype, pd.SparseDtype):
            series = series.sparse.to_dense()
        elif isinstance(series.dtype, pd.PeriodDtype | pd.IntervalDtype):
            series = series.astype("string")
        columns[name] = series
    return pd.DataFrame(columns, index=frame.index)


def _array(series: Any, kind: Any) -> Any:
    """Array of a pandas column; a mix of text and numbers becomes text."""
    import pyarrow as pa

    try:
        array = pa.array(series, type=kind, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _texts(series)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _texts(series: Any) -> Any:
    import pyarrow as pa

    return pa.array(
        [None if gone else str(cell) for cell, gone in zip(series, series.isna(), strict=True)], pa.string()
    )


def _like(column: Any, template: Any) -> Any:
    """Column in the type of the template and with its dictionary, because a file has one dictionary per column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(template.type):
        return column.cast(template.type)
    kind, levels = template.type, template.combine_chunks().dictionary
    plain = column.cast(kind.value_type).combine_chunks()
    codes = pc.index_in(plain, value_set=levels, skip_nulls=True).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(codes, levels, ordered=kind.ordered)


def as_kind(frame: Any, kind: str) -> Any:
    """Frame of another kind: ``pandas``, ``polars`` or ``pyarrow``.

    Examples
    --------
    >>> import pandas as pd
    >>> as_kind(pd.DataFrame({"x": [1, 2]}), "pyarrow").num_rows
    2
    """
    if kind == frame_kind(frame):
        return frame
    if kind == "pandas":
        return to_arrow(frame).to_pandas()
    table = to_arrow(frame).replace_schema_metadata(None)  # the metadata is for pandas only
    if kind == "pyarrow":
        return table
    return require_extra("polars", "polars", purpose="a model that learnt from polars").from_arrow(table)


def plain_rows(frame: Any) -> list[dict[str, Any]]:
    """Rows as JSON can hold them: datetimes as ISO text, midnights as dates, None for missing.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_rows(pd.DataFrame({"age": [31], "since": pd.to_datetime(["2024-01-31"]), "score": [float("nan")]}))
    [{'age': 31, 'since': '2024-01-31', 'score': None}]
    """
    return [{name: _plain_value(value) for name, value in row.items()} for row in to_arrow(frame).to_pylist()]


def _plain_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dt.datetime) and value.tzinfo is None and value.time() == dt.time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
