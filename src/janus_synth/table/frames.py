"""Frames of pandas, polars and pyarrow: which kind one is, its columns and rows, and new frames of plain arrays."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Array
from janus_synth.errors import DataError, require_extra
from janus_synth.table.arrow import read_arrow, read_polars
from janus_synth.table.raw_columns import RawColumn
from janus_synth.table.read_pandas import read_pandas

FrameKind = Literal["pandas", "polars", "pyarrow"]
FRAME_KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "pyarrow")


def frame_kind(frame: Any) -> FrameKind:
    """Kind of a frame.

    Parameters
    ----------
    frame : DataFrame or Table
        A pandas or polars DataFrame, a pyarrow Table, a narwhals frame around one of them, or a 2-d array, which is
        read as a pandas frame.

    Returns
    -------
    {"pandas", "polars", "pyarrow"}

    Raises
    ------
    DataError
        For anything else, with how to turn it into a frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame_kind(pd.DataFrame({"age": [31, 45]}))
    'pandas'
    """
    kind, _ = unwrap(frame)
    return kind


def unwrap(frame: Any) -> tuple[FrameKind, Any]:
    """Kind and native frame; the columns of a 2-d array are named by their number, from ``x0`` on."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        return "pandas", frame  # without narwhals, which takes 20 ms to import

    import narwhals as nw
    from narwhals import dependencies as known

    native = nw.to_native(frame, pass_through=True)
    if known.is_pandas_dataframe(native):
        return "pandas", native
    if known.is_polars_dataframe(native):
        return "polars", native
    if known.is_pyarrow_table(native):
        return "pyarrow", native
    if isinstance(native, np.ndarray) and native.ndim == 2:
        return "pandas", _frame_of_array(native)
    if known.is_polars_lazyframe(native):
        raise DataError("a polars LazyFrame has no rows yet. Call .collect() on it first.")
    raise DataError(f"{_article(native)} is not a frame that JANUS can read. {_advice(native)}")


def _frame_of_array(array: Array) -> Any:
    """Make a pandas frame of an array."""
    import pandas as pd

    frame = pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])
    return frame.infer_objects() if array.dtype == object else frame


def _article(native: Any) -> str:
    name = type(native).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _advice(native: Any) -> str:
    module = type(native).__module__.partition(".")[0]
    if module == "numpy":
        return "Give a 2-d array, or build a frame with pd.DataFrame(array, columns=['name of each column', ...])."
    if module == "scipy":
        return "Sparse matrices are not supported; make a dense array with .toarray()."
    if isinstance(native, dict | list | tuple):
        return "Build a frame with pd.DataFrame(data)."
    if type(native).__name__ == "Series":
        return "Turn it into a frame with .to_frame()."
    if type(native).__name__ == "RecordBatch" or hasattr(native, "__arrow_c_stream__"):
        return "Turn it into a table with pa.table(data)."
    if hasattr(native, "compute"):
        return "Bring it into memory with .compute()."
    if hasattr(native, "to_pandas"):
        return "Turn it into a pandas DataFrame with .to_pandas()."
    return "Give a pandas or polars DataFrame or a pyarrow Table."


def check_shape(frame: Any) -> int:
    """Number of rows; raise DataError for a frame without rows or columns."""
    n_rows, n_columns = frame.shape
    if n_columns == 0:
        raise DataError("the frame has no columns, so there is nothing to learn. Check how it was read.")
    if n_rows == 0:
        raise DataError("the frame has no rows. Check how it was read or filtered.")
    return int(n_rows)


def column_names(kind: FrameKind, frame: Any) -> list[Any]:
    """Names of all columns, unchecked."""
    return list(frame.column_names if kind == "pyarrow" else frame.columns)


def check_names(names: Sequence[Any]) -> None:
    """Raise DataError for names that are not text or occur twice."""
    not_text = [name for name in names if not isinstance(name, str)]
    if not_text:
        raise DataError(
            f"column names must be text; these are not: {_shown(not_text)}. "
            "Rename them, for example with df.columns = df.columns.map(str)."
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"these column names occur more than once: {_shown(twice)}. Rename or drop the repeats.")


def _shown(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def read_column(kind: FrameKind, frame: Any, name: str) -> RawColumn:
    """Read one column."""
    if kind == "pandas":
        return read_pandas(name, frame[name])
    if kind == "polars":
        return read_polars(name, frame[name])
    field = frame.schema.field(name)
    return read_arrow(name, frame[name], str(field.type) + ("" if field.nullable else " not null"))


def plain_frame(columns: Mapping[str, Array], kind: str = "pandas", index: Any = None) -> Any:
    """Frame of a kind with these columns; ``index`` is for pandas only.

    Examples
    --------
    >>> plain_frame({"total": np.array([0.5, 1.0])})
       total
    0    0.5
    1    1.0
    """
    if kind == "polars":
        polars = require_extra("polars", "polars", purpose="a polars frame")
        return polars.DataFrame({name: np.asarray(values) for name, values in columns.items()})
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table({name: np.asarray(values) for name, values in columns.items()})
    import pandas as pd

    return pd.DataFrame(dict(columns), index=index)


def kind_and_index(frame: Any) -> tuple[FrameKind, Any]:
    """Kind of a frame, and the index of a pandas one."""
    kind, native = unwrap(frame)
    return kind, native.index if kind == "pandas" else None


def take_rows(frame: Any, rows: npt.NDArray[np.integer] | Sequence[int]) -> Any:
    """Rows of a frame in the order given, with all its columns and its index."""
    kind, native = unwrap(frame)
    chosen = np.asarray(rows, np.int64)
    if kind == "pandas":
        return native.iloc[chosen]
    return native.take(chosen) if kind == "pyarrow" else native[chosen]


def count_rows(frame: Any) -> int:
    """Number of rows of a frame."""
    _, native = unwrap(frame)
    return int(native.shape[0])


def column_names_of(frame: Any) -> list[Any]:
    """Names of a frame's columns."""
    return column_names(*unwrap(frame))
