"""Frames of any kind to arrow tables, those of one schema to one type, whatever each piece happens to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.table import Column, Schema


def pattern_of(schema: Schema) -> Any:
    """Small arrow table in the types, and with the dictionaries, of all rows that a schema describes.

    A piece of which a column is all null would not tell; a few rows without nulls, of every level, do.
    """
    import numpy as np
    import pyarrow as pa

    from janus_synth.table import write_table

    n_rows = max([1, *(len(column.levels) for column in schema)])
    values = {column.name: _complete(column, n_rows) for column in schema.learnt}
    table = to_arrow(write_table(values, schema, n_rows=n_rows, rng=np.random.default_rng(0)))
    fields = [field.with_nullable(field.nullable or schema[field.name].nullable) for field in table.schema]
    return pa.table(table.columns, schema=pa.schema(fields, metadata=table.schema.metadata))


def fitted(frame: Any, pattern: Any) -> Any:
    """Arrow table of a piece, in exactly the types of ``pattern``, which ``pattern_of`` made."""
    import pyarrow as pa

    table = to_arrow(frame, pattern.schema)
    columns = [_like(table[name], pattern[name]) for name in pattern.column_names]
    return pa.table(columns, schema=pattern.schema)


def _complete(column: Column, n_rows: int) -> Any:
    import numpy as np

    if column.is_discrete:
        return np.arange(n_rows, dtype=np.int32) % len(column.levels) if column.levels else np.full(n_rows, -1)
    return np.full(n_rows, 0.0 if column.low is None else column.low)


def to_arrow(frame: Any, types: Any = None) -> Any:
    """Arrow table of a frame of any kind; ``types`` says what a pandas column may not tell."""
    import pyarrow as pa

    from janus_synth.table import frame_kind

    match frame_kind(frame):
        case "pyarrow":
            return frame
        case "polars":
            return frame.to_arrow()
    plain = _plain(frame)
    arrays = {name: _array(plain[name], types and types.field(name).type) for name in plain.columns}
    metadata = pa.Schema.from_pandas(plain.head(0), preserve_index=False).metadata  # lets pandas restore Int64
    return pa.table(arrays).replace_schema_metadata(metadata)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Frame without the dtypes that only pandas knows: sparse columns become dense, periods and intervals text."""
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
    """Array of a pandas column; text and numbers side by side become text."""
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


def _like(column: Any, pattern: Any) -> Any:
    """Column in the type of the pattern, and with its dictionary: a file has one dictionary per column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(pattern.type):
        return column.cast(pattern.type)
    kind, levels = pattern.type, pattern.combine_chunks().dictionary
    plain = column.cast(kind.value_type).combine_chunks()
    codes = pc.index_in(plain, value_set=levels, skip_nulls=True).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(codes, levels, ordered=kind.ordered)
