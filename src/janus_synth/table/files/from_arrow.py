"""An Arrow table in, a frame of any kind out, in dtypes that lose nothing."""

from __future__ import annotations

from typing import Any

from janus_synth.errors import require_extra


def frame_of_arrow(table: Any, kind: str = "pandas") -> Any:
    """Frame of a kind with the columns of an Arrow table.

    In pandas, integers and booleans with nulls keep their type. Columns that pandas stored with its own dtypes get
    those back, and an unnamed index that it stored is dropped.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame_of_arrow(pa.table({"age": [31, None]})).dtypes["age"]
    Int64Dtype()
    """
    if kind == "pyarrow":
        return table
    if kind == "polars":
        return require_extra("polars", "polars", purpose="a polars frame").from_arrow(table)
    import pandas as pd

    if b"pandas" in (table.schema.metadata or {}):
        return table.to_pandas().reset_index(drop=True)
    columns = {
        name: column.to_pandas(types_mapper=lambda kind, nulls=bool(column.null_count): _pandas_dtype(kind, nulls))
        for name, column in zip(table.column_names, table.columns, strict=True)
        if not name.startswith("__index_level_")
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def _pandas_dtype(kind: Any, nulls: bool) -> Any:
    """Dtype for values that NumPy cannot hold; None for the default one."""
    import pandas as pd
    import pyarrow as pa

    if pa.types.is_integer(kind) and nulls:
        return pd.api.types.pandas_dtype(str(kind).replace("int", "Int").replace("uI", "UI"))
    if pa.types.is_boolean(kind) and nulls:
        return pd.BooleanDtype()
    if pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_decimal(kind):
        return pd.ArrowDtype(kind)
    return None
