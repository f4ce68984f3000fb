"""Plain arrays to a native frame: answers beside a user's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Array
from janus_synth.errors import require_extra
from janus_synth.table.frames import FrameKind, column_names, unwrap


def plain_frame(columns: Mapping[str, Array], kind: str = "pandas", index: Any = None) -> Any:
    """A frame of a kind with these columns; ``index`` is for pandas alone.

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
    """Some rows of a frame, in the order given, indices and further columns kept."""
    kind, native = unwrap(frame)
    chosen = np.asarray(rows, np.int64)
    if kind == "pandas":
        return native.iloc[chosen]
    return native.take(chosen) if kind == "pyarrow" else native[chosen]


def count_rows(frame: Any) -> int:
    """How many rows a frame has."""
    _, native = unwrap(frame)
    return int(native.shape[0])


def column_names_of(frame: Any) -> list[Any]:
    """Names of a frame's columns."""
    return column_names(*unwrap(frame))
