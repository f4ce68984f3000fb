"""Output columns in, a pandas DataFrame out, each column in the dtype of its schema."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import SchemaError
from janus_synth.table.arrow import arrow_type, write_arrow
from janus_synth.table.columns import FORMS, Column, forms_of
from janus_synth.table.datetimes import DAY, EPOCH, MICROSECOND, zone_info
from janus_synth.table.output_columns import DoesNotFit, OutputColumn, to_floats, to_integers, to_ticks
from janus_synth.table.read_pandas import parse_object_text
from janus_synth.threads import map_in_threads, worker_count

_DATETIME = re.compile(r"datetime64\[(?P<unit>s|ms|us|ns)(?:, (?P<zone>.+))?\]")
_INTERVAL = re.compile(r"(?P<open>[\[(])(?P<left>.+), (?P<right>.+)(?P<close>[\])])")
FIRST_DATETIME = (dt.datetime.min - EPOCH) // MICROSECOND
LAST_DATETIME = (dt.datetime(9999, 12, 31) - EPOCH) // MICROSECOND  # a whole day, and exact as a float
THREADED_CELLS = 3_000_000
"""Cells from which on columns are converted in threads: a smaller table takes less time than starting them."""


def write_pandas(cells: OutputColumn, dtype: str) -> Any:
    """Build an array of the dtype; raise DoesNotFit if the values are not of that dtype."""
    if dtype.startswith("object"):
        return write_objects(cells, dtype)
    if dtype == "category" or dtype.startswith("category["):
        return _category(cells, dtype)
    if dtype in ("str", "string") or dtype.startswith(("str[", "string[")):
        return _strings(cells, dtype)
    if dtype.endswith("[pyarrow]"):
        import pandas as pd

        array = write_arrow(cells, arrow_type(dtype.removesuffix("[pyarrow]")))
        return pd.arrays.ArrowExtensionArray(array)
    if match := _DATETIME.fullmatch(dtype):
        return _datetimes(cells, match["unit"], match["zone"])
    if dtype.startswith("interval["):
        return _intervals(cells, dtype)
    return _plain(cells, dtype)


def _plain(cells: OutputColumn, dtype: str) -> Any:
    """Numbers, booleans, durations, periods and sparse columns.

    Where cells are missing and the dtype cannot hold them, its nullable counterpart takes its place.
    """
    import pandas as pd

    target: Any = pd.api.types.pandas_dtype(dtype)
    missing = cells.missing()
    if isinstance(target, pd.SparseDtype):
        dense = _plain(cells, str(target.subtype))
        return dense if missing.any() and target.subtype.kind != "f" else pd.arrays.SparseArray(dense, dtype=target)
    if isinstance(target, pd.PeriodDtype):
        return _datetimes(cells, "us", None).to_period(target.freq)
    masked = isinstance(target, pd.api.extensions.ExtensionDtype)
    plain = np.dtype(target.numpy_dtype if masked else target)
    if plain.kind == "m":
        return _with_nat(to_ticks(cells.numbers(), np.datetime_data(plain)[0]), missing).view(plain)
    if plain.kind == "f" and not masked and cells.levels is None and cells.values.dtype.kind == "f":
        return to_floats(cells.values, plain)  # NaN is missing in both
    if plain.kind == "f":
        floats = to_floats(cells.numbers(), plain, missing)
        return pd.arrays.FloatingArray(floats, missing) if masked else floats
    if plain.kind == "b":
        booleans = cells.numbers() >= 0.5
        return pd.arrays.BooleanArray(booleans, missing) if masked or missing.any() else booleans
    if plain.kind not in "iu":
        raise TypeError(dtype)
    integers = cells.integers(plain)
    return pd.arrays.IntegerArray(integers, missing) if masked or missing.any() else integers


def _with_nat(ticks: Array, missing: Array) -> Array:
    ticks[missing] = np.iinfo(np.int64).min
    return ticks


def _datetimes(cells: OutputColumn, unit: str, zone: str | None) -> Any:
    import pandas as pd

    ticks = _with_nat(to_ticks(cells.numbers(datetimes=True), unit), cells.missing())
    datetimes = pd.DatetimeIndex(ticks.view(f"datetime64[{unit}]"))
    if zone is None:
        return datetimes
    fixed = zone[0] in "+-"
    return datetimes.tz_localize("UTC").tz_convert(zone_info(zone) if fixed else zone)


def _strings(cells: OutputColumn, dtype: str) -> Any:
    import pandas as pd
    import pyarrow as pa

    family, _, storage = dtype.removesuffix("]").partition("[")
    target = _string_dtype(family, storage)
    if target is None:  # pandas before 2.3 has no str dtype: text is in object columns
        return write_objects(cells, "object[str, nan]")
    if target.storage.startswith("pyarrow"):
        return target.__from_arrow__(write_arrow(cells, pa.large_string()))
    indices, texts = cells.texts()
    return pd.array(np.array([*texts, target.na_value], dtype=object)[indices], dtype=target)


def _string_dtype(family: str, storage: str) -> Any:
    import pandas as pd

    if family == "string":
        return pd.StringDtype(storage or None)
    try:
        return pd.StringDtype(storage or None, na_value=np.nan)
    except TypeError:
        return pd.StringDtype(storage) if storage == "pyarrow_numpy" else None


def _category(cells: OutputColumn, dtype: str) -> Any:
    """Write the levels as a column of their own dtype, which gives the categories."""
    import pandas as pd

    inner = dtype[len("category[") : -1]
    indices, levels = cells.level_indices(as_text=not inner)  # plain "category" means categories of text
    categories = pd.Index(list(levels))
    if inner:
        column = Column(cells.column.name, "categorical", inner, levels=levels)
        try:
            array = write_pandas(OutputColumn(column, np.arange(len(levels)), levels), inner)
            categories = pd.Index(array, dtype=array.dtype)
        except DoesNotFit:
            categories = pd.Index(list(levels), dtype=object)
    target = pd.CategoricalDtype(categories, ordered=cells.column.ordered)
    return pd.Categorical.from_codes(np.array(indices), dtype=target)


def _intervals(cells: OutputColumn, dtype: str) -> Any:
    """Intervals from their text, such as ``(0, 18]``."""
    import pandas as pd

    target: Any = pd.api.types.pandas_dtype(dtype)
    indices, texts = cells.texts()
    found = [_INTERVAL.fullmatch(text) for text in texts]
    if not all(found):
        raise DoesNotFit(f"{texts[found.index(None)]!r} is not an interval")
    ends = {
        side: pd.Index([match[side] for match in found if match]).astype(str(target.subtype))
        for side in ("left", "right")
    }
    levels = pd.arrays.IntervalArray.from_arrays(ends["left"], ends["right"], closed=target.closed)
    return levels.take(indices, allow_fill=True)


def write_objects(cells: OutputColumn, dtype: str) -> Array:
    """Build the objects that ``dtype``, such as ``object[date, None]``, describes."""
    content, marker = parse_object_text(cells.column.name, dtype)
    missing = _missing_object(marker)
    if content in ("any", "bool") and cells.levels is not None:
        return cells.objects(missing)
    if content in ("any", "str"):
        indices, texts = cells.texts()
        return np.array([*texts, missing], dtype=object)[indices]
    objects = _objects(cells, content)
    objects[cells.missing()] = missing
    return objects


def _missing_object(marker: str) -> Any:
    import pandas as pd

    return {"None": None, "nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}[marker]


def _objects(cells: OutputColumn, content: str) -> Array:
    if content.startswith("date"):
        return _datetime_objects(np.clip(cells.numbers(datetimes=True), FIRST_DATETIME, LAST_DATETIME), content)
    numbers = cells.numbers()
    if content == "int":
        small = not len(numbers) or float(np.abs(numbers).max()) < 2**62
        return to_integers(numbers, np.int64).astype(object) if small else _mapped(numbers, round)
    if content == "bool":
        return (numbers >= 0.5).astype(object)
    if content == "float":
        return numbers.astype(np.float64).astype(object)
    if content == "timedelta":
        return np.rint(numbers).astype(np.int64).astype("timedelta64[us]").astype(object)
    if content == "time":
        datetimes = _datetime_objects(np.clip(np.rint(numbers), 0, DAY - 1), "datetime")
        return _mapped(datetimes, lambda value: value.time())
    scale = content.removeprefix("decimal(").removesuffix(")")
    return _mapped(numbers, lambda number: Decimal(f"{number:.{scale}f}"))


def _datetime_objects(microseconds: Array, content: str) -> Array:
    if content == "date":
        days = np.rint(microseconds / DAY).astype(np.int64)
        return days.astype("datetime64[D]").astype(object)
    objects: Array = np.rint(microseconds).astype(np.int64).astype("datetime64[us]").astype(object)
    return _mapped(objects, lambda value: value.replace(tzinfo=dt.UTC)) if content == "datetime-utc" else objects


def _mapped(cells: Array, convert: Callable[[Any], object]) -> Array:
    objects = np.empty(len(cells), dtype=object)
    objects[:] = [convert(cell) for cell in cells]
    return objects


def write_pandas_frame(columns: list[OutputColumn], n_rows: int) -> Any:
    """DataFrame of finished columns."""
    workers = 1 if n_rows * len(columns) < THREADED_CELLS else worker_count(None)
    arrays = map_in_threads(_write_column, columns, workers=workers)  # most of the work releases the GIL
    frame = _build_frame({cells.column.name: array for cells, array in zip(columns, arrays, strict=True)}, n_rows)
    if forms := forms_of(cells.column for cells in columns):
        frame.attrs[FORMS] = forms  # a CSV file then has the texts of the one that was learnt
    return frame


def _build_frame(columns: dict[str, Any], n_rows: int) -> Any:
    """DataFrame of finished arrays."""
    import pandas as pd

    index = pd.RangeIndex(n_rows)
    kept = {  # objects as a Series, or pandas would infer another dtype for them; others are faster as they are
        name: pd.Series(array, index=index, dtype=object, copy=False) if array.dtype == object else array
        for name, array in columns.items()
    }
    return pd.DataFrame(kept, index=index, copy=False)


def _write_column(cells: OutputColumn) -> Any:
    """Array of the column's own dtype, or objects where a level does not fit it."""
    column = cells.column
    try:
        return write_pandas(cells, column.dtype)
    except DoesNotFit:
        return cells.objects()
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"column {column.name!r}: pandas has no dtype {column.dtype!r} ({error}).",
            column=column.name,
        ) from error
