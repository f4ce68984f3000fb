"""Cells to a pandas array of a given dtype."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import SchemaError
from janus_synth.table.arrow_types import type_from_text
from janus_synth.table.cells import Cells, DoesNotFit, to_floats, to_ticks
from janus_synth.table.columns import Column
from janus_synth.table.moments import zone_info
from janus_synth.table.write_arrow import write_arrow
from janus_synth.table.write_objects import write_objects

_MOMENTS = re.compile(r"datetime64\[(?P<unit>s|ms|us|ns)(?:, (?P<zone>.+))?\]")
_INTERVAL = re.compile(r"(?P<open>[\[(])(?P<left>.+), (?P<right>.+)(?P<close>[\])])")


def write_pandas(cells: Cells, dtype: str) -> Any:
    """Build an array of the dtype; DoesNotFit if the values cannot be of that dtype."""
    if dtype.startswith("object"):
        return write_objects(cells, dtype)
    if dtype == "category" or dtype.startswith("category["):
        return _category(cells, dtype)
    if dtype in ("str", "string") or dtype.startswith(("str[", "string[")):
        return _strings(cells, dtype)
    if dtype.endswith("[pyarrow]"):
        import pandas as pd

        array = write_arrow(cells, type_from_text(dtype.removesuffix("[pyarrow]")))
        return pd.arrays.ArrowExtensionArray(array)
    if match := _MOMENTS.fullmatch(dtype):
        return _moments(cells, match["unit"], match["zone"])
    if dtype.startswith("interval["):
        return _intervals(cells, dtype)
    return _plain(cells, dtype)


def _plain(cells: Cells, dtype: str) -> Any:
    """Numbers, booleans, durations, periods and sparse columns; the nullable twin where cells are missing."""
    import pandas as pd

    target: Any = pd.api.types.pandas_dtype(dtype)
    missing = cells.missing()
    if isinstance(target, pd.SparseDtype):
        dense = _plain(cells, str(target.subtype))
        return dense if missing.any() and target.subtype.kind != "f" else pd.arrays.SparseArray(dense, dtype=target)
    if isinstance(target, pd.PeriodDtype):
        return _moments(cells, "us", None).to_period(target.freq)
    masked = isinstance(target, pd.api.extensions.ExtensionDtype)
    plain = np.dtype(target.numpy_dtype if masked else target)
    if plain.kind == "m":
        return _with_nat(to_ticks(cells.numbers(), np.datetime_data(plain)[0]), missing).view(plain)
    if plain.kind == "f":
        floats = to_floats(cells.numbers(), plain, missing)
        return pd.arrays.FloatingArray(floats, missing) if masked else floats
    if plain.kind == "b":
        truths = cells.numbers() >= 0.5
        return pd.arrays.BooleanArray(truths, missing) if masked or missing.any() else truths
    if plain.kind not in "iu":
        raise TypeError(dtype)
    integers = cells.integers(plain)
    return pd.arrays.IntegerArray(integers, missing) if masked or missing.any() else integers


def _with_nat(ticks: Array, missing: Array) -> Array:
    ticks[missing] = np.iinfo(np.int64).min
    return ticks


def _moments(cells: Cells, unit: str, zone: str | None) -> Any:
    import pandas as pd

    ticks = _with_nat(to_ticks(cells.numbers(moments=True), unit), cells.missing())
    moments = pd.DatetimeIndex(ticks.view(f"datetime64[{unit}]"))
    if zone is None:
        return moments
    fixed = zone[0] in "+-"
    return moments.tz_localize("UTC").tz_convert(zone_info(zone) if fixed else zone)


def _strings(cells: Cells, dtype: str) -> Any:
    import pandas as pd
    import pyarrow as pa

    family, _, storage = dtype.removesuffix("]").partition("[")
    target = _string_dtype(family, storage)
    if target is None:  # pandas before 2.3 has no str dtype: text lives in object columns
        return write_objects(cells, "object[str, nan]")
    if target.storage.startswith("pyarrow"):
        return target.__from_arrow__(write_arrow(cells, pa.large_string()))
    codes, texts = cells.texts()
    return pd.array(np.array([*texts, target.na_value], dtype=object)[codes], dtype=target)


def _string_dtype(family: str, storage: str) -> Any:
    import pandas as pd

    if family == "string":
        return pd.StringDtype(storage or None)
    try:
        return pd.StringDtype(storage or None, na_value=np.nan)
    except TypeError:
        return pd.StringDtype(storage) if storage == "pyarrow_numpy" else None


def _category(cells: Cells, dtype: str) -> Any:
    """Write the levels as a column of their own dtype, which gives the categories."""
    import pandas as pd

    inner = dtype[len("category[") : -1]
    codes, levels = cells.levelled(as_text=not inner)  # plain "category" means categories of text
    categories = pd.Index(list(levels))
    if inner:
        column = Column(cells.column.name, "categorical", inner, levels=levels)
        try:
            array = write_pandas(Cells(column, np.arange(len(levels)), levels), inner)
            categories = pd.Index(array, dtype=array.dtype)
        except DoesNotFit:
            categories = pd.Index(list(levels), dtype=object)
    target = pd.CategoricalDtype(categories, ordered=cells.column.ordered)
    return pd.Categorical.from_codes(np.array(codes), dtype=target)


def _intervals(cells: Cells, dtype: str) -> Any:
    """Intervals from their text, such as ``(0, 18]``."""
    import pandas as pd

    target: Any = pd.api.types.pandas_dtype(dtype)
    codes, texts = cells.texts()
    found = [_INTERVAL.fullmatch(text) for text in texts]
    if not all(found):
        raise DoesNotFit(f"{texts[found.index(None)]!r} is no interval")
    ends = {
        side: pd.Index([match[side] for match in found if match]).astype(str(target.subtype))
        for side in ("left", "right")
    }
    levels = pd.arrays.IntervalArray.from_arrays(ends["left"], ends["right"], closed=target.closed)
    return levels.take(codes, allow_fill=True)


def build_frame(columns: dict[str, Any], n_rows: int) -> Any:
    """DataFrame of finished arrays."""
    import pandas as pd

    index = pd.RangeIndex(n_rows)
    kept = {  # objects in a Series stay objects; in an array they would be looked into again
        name: pd.Series(array, index=index, dtype=array.dtype, copy=False) for name, array in columns.items()
    }
    return pd.DataFrame(kept, index=index, copy=False)


def write_column(cells: Cells) -> Any:
    """Array of the column's own dtype, or objects where a later level does not fit it."""
    column = cells.column
    try:
        return write_pandas(cells, column.dtype)
    except DoesNotFit:
        return cells.objects()
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"column {column.name!r}: pandas cannot make the dtype {column.dtype!r} ({error}).",
            column=column.name,
        ) from error
