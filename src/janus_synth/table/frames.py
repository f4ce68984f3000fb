"""Any frame a user hands over: which kind it is, which columns it has, and each as a ``Reading``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from janus_synth.errors import DataError
from janus_synth.table.reading import Reading, of_codes, refuse

FrameKind = Literal["pandas", "polars", "pyarrow"]
FRAME_KINDS: tuple[FrameKind, ...] = ("pandas", "polars", "pyarrow")


def frame_kind(frame: Any) -> FrameKind:
    """Kind of a frame.

    Parameters
    ----------
    frame : DataFrame or Table
        A pandas or polars DataFrame, a pyarrow Table, or a narwhals frame around one of them.

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
    """Kind and native frame."""
    import narwhals as nw
    from narwhals import dependencies as known

    native = nw.to_native(frame, pass_through=True)
    if known.is_pandas_dataframe(native):
        return "pandas", native
    if known.is_polars_dataframe(native):
        return "polars", native
    if known.is_pyarrow_table(native):
        return "pyarrow", native
    if known.is_polars_lazyframe(native):
        raise DataError("a polars LazyFrame has no rows yet. Call .collect() on it first.")
    raise DataError(f"{_article(native)} is no frame JANUS can read. {_advice(native)}")


def _article(native: Any) -> str:
    name = type(native).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _advice(native: Any) -> str:
    module = type(native).__module__.partition(".")[0]
    if module == "numpy":
        return "Build a frame with pd.DataFrame(array, columns=['name of each column', ...])."
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
    """Count the rows; a frame without rows or columns is refused."""
    n_rows, n_columns = frame.shape
    if n_columns == 0:
        raise DataError("the frame has no columns, so there is nothing to learn. Check how it was read.")
    if n_rows == 0:
        raise DataError("the frame has no rows. Check how it was read or filtered.")
    return int(n_rows)


def column_names(kind: FrameKind, frame: Any) -> list[Any]:
    """Names of all columns, as they are."""
    return list(frame.column_names if kind == "pyarrow" else frame.columns)


def check_names(names: Sequence[Any]) -> None:
    """Refuse names that are no text or come twice."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"column names must be text; these are not: {_shown(odd)}. "
            "Rename them, for example with df.columns = df.columns.map(str)."
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"these column names come more than once: {_shown(twice)}. Rename or drop the repeats.")


def _shown(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def read_column(kind: FrameKind, frame: Any, name: str) -> Reading:
    """Read one column."""
    if kind == "pandas":
        from janus_synth.table.read_pandas import read_pandas

        return read_pandas(name, frame[name])
    if kind == "polars":
        return _read_polars(name, frame[name])
    from janus_synth.table.read_arrow import read_arrow

    field = frame.schema.field(name)
    return read_arrow(name, frame[name], str(field.type) + ("" if field.nullable else " not null"))


def _read_polars(name: str, series: Any) -> Reading:
    """Read a polars Series through arrow, where the two agree on types."""
    import polars as pl

    from janus_synth.table.polars_types import dtype_text
    from janus_synth.table.read_arrow import read_arrow

    dtype = series.dtype
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Unknown):
        refuse(name, f"cells of type {dtype}")
    text = dtype_text(dtype)
    if isinstance(dtype, pl.Enum):
        codes = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return of_codes(name, text, codes, tuple(dtype.categories.to_list()), declared=True)
    if isinstance(dtype, pl.Categorical):
        read = read_arrow(name, series.cast(pl.String).to_arrow(), text)
        return of_codes(name, text, read.values, read.levels)
    if text in ("Int128", "UInt128"):
        series = series.cast(pl.Float64)
    return read_arrow(name, series.to_arrow(), text)
