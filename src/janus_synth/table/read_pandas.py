"""A pandas Series in, a ``RawColumn`` out.

The dtype text of an object column is ``object[<content>, <missing>]``: what the cells are and how missing ones are
marked, because the dtype itself does not show it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import DataError, SchemaError
from janus_synth.table.arrow import TICKS_PER_SECOND, read_arrow
from janus_synth.table.columns import LEVEL_TYPES, as_level, level_key
from janus_synth.table.datetimes import MICROSECOND, to_microseconds
from janus_synth.table.raw_columns import (
    NativeKind,
    RawColumn,
    cells_as_levels,
    raise_unsupported,
    raw_booleans,
    raw_levels,
    raw_numbers,
    raw_times,
)

_CONTENT = {
    "string": "str",
    "boolean": "bool",
    "integer": "int",
    "floating": "float",
    "mixed-integer-float": "float",
    "decimal": "decimal",
    "datetime": "datetime",
    "datetime64": "datetime",
    "date": "date",
    "timedelta": "timedelta",
    "timedelta64": "timedelta",
    "time": "time",
    "empty": "str",
}


def read_pandas(name: str, series: Any) -> RawColumn:
    """Read one Series; it is not modified."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa

        return read_arrow(
            name, pa.chunked_array([*_chunks(series)], type=dtype.pyarrow_dtype), _arrow_dtype_text(dtype)
        )
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(name, series)
    if isinstance(dtype, pd.SparseDtype):
        dense = read_pandas(name, series.astype(dtype.subtype))
        return replace(dense, dtype=f"Sparse[{dtype.subtype}]")
    if isinstance(dtype, pd.StringDtype):
        indices, levels = pd.factorize(series)
        return raw_levels(name, _string_dtype_text(dtype), indices, tuple(levels.tolist()), plain_text=True)
    if isinstance(dtype, pd.PeriodDtype):
        starts = read_pandas(name, series.dt.to_timestamp(how="start"))
        return replace(starts, dtype=str(dtype))
    if isinstance(dtype, pd.IntervalDtype):
        return replace(_category(name, series.astype("category")), dtype=str(dtype))
    if isinstance(dtype, pd.DatetimeTZDtype):
        text = f"datetime64[{dtype.unit}, {_zone_text(name, dtype.tz)}]"
        return replace(read_pandas(name, series.dt.tz_convert("UTC").dt.tz_localize(None)), dtype=text)
    if dtype.kind == "O":
        return read_objects(name, series)
    return _plain(name, series)


def _plain(name: str, series: Any) -> RawColumn:
    """Numbers, booleans, datetimes and durations, in NumPy or nullable dtypes."""
    dtype, text, missing = series.dtype, str(series.dtype), series.isna().to_numpy()
    if dtype.kind == "b":
        return raw_booleans(name, text, series.to_numpy(dtype=bool, na_value=False), missing)
    if dtype.kind in "iu":
        values = series.to_numpy(dtype=f"{'u' * (dtype.kind == 'u')}int64", na_value=0)
        return raw_numbers(name, text, values, missing)
    if dtype.kind == "f":
        return raw_numbers(name, text, series.to_numpy(dtype=np.float64, na_value=np.nan), missing)
    if dtype.kind in "mM":
        unit, step = np.datetime_data(dtype)
        ticks = series.to_numpy().astype(np.int64) * step
        kind: NativeKind = "datetime" if dtype.kind == "M" else "numeric"
        return raw_times(name, text, ticks, missing, per_second=TICKS_PER_SECOND[unit], kind=kind)
    raise_unsupported(name, f"cells of type {text}")


def _category(name: str, series: Any) -> RawColumn:
    """Read the categories as a column of their own, which gives the levels."""
    import pandas as pd

    categories = series.cat.categories
    if isinstance(categories.dtype, pd.IntervalDtype):
        inner, levels = str(categories.dtype), tuple(map(str, categories))
    else:
        read = read_pandas(name, pd.Series(categories, dtype=categories.dtype))
        inner, levels = read.dtype, cells_as_levels(read)  # type: ignore[assignment]
    text = "category" if _is_default_dtype(levels, categories) else f"category[{inner}]"
    indices = series.cat.codes.to_numpy()
    return raw_levels(name, text, indices, levels, declared=True, ordered=bool(series.cat.ordered))


def _is_default_dtype(levels: tuple[Any, ...], categories: Any) -> bool:
    """Whether the levels are text for which pandas infers the same dtype again."""
    import pandas as pd

    texts = bool(levels) and all(isinstance(level, str) for level in levels)
    return texts and bool(pd.Index(list(levels)).dtype == categories.dtype)


def _string_dtype_text(dtype: Any) -> str:
    """``string[...]`` for the dtype whose missing value is NA, ``str[...]`` for the one with NaN."""
    family = "string" if _holds_na(dtype) else "str"
    return f"{family}[{dtype.storage}]"


def _holds_na(dtype: Any) -> bool:
    import pandas as pd

    return dtype.na_value is pd.NA


def _arrow_dtype_text(dtype: Any) -> str:
    """Name of an arrow dtype in pandas; ``utf8`` instead of ``string``, whose ``string[pyarrow]`` is another dtype."""
    text = str(dtype.pyarrow_dtype)
    return f"{'utf8' if text == 'string' else text}[pyarrow]"


def _chunks(series: Any) -> list[Any]:
    import pyarrow as pa

    array = pa.array(series.array)
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def _zone_text(name: str, zone: dt.tzinfo) -> str:
    """Name of a time zone, or its fixed offset as ``+01:00``."""
    known = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zoneinfo, pytz
    if known:
        return str(known)
    offset = zone.utcoffset(None)
    if offset is None:
        raise SchemaError(
            f"column {name!r} is in the time zone {zone!r}, which has no portable name. "
            "Convert it with .dt.tz_convert('UTC') or to a named zone.",
            column=name,
        )
    if not offset:
        return "UTC"
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def read_objects(name: str, series: Any) -> RawColumn:
    """Read a Series of Python objects; raise SchemaError for cells that are not plain values."""
    import pandas as pd

    cells, missing = series.to_numpy(dtype=object), series.isna().to_numpy()
    content = _CONTENT.get(pd.api.types.infer_dtype(cells, skipna=True), "any")
    marker = _marker(cells, missing)
    seen = cells[~missing]
    text = f"object[{content}, {marker}]"
    match content:
        case "str":
            indices, uniques = pd.factorize(cells)
            return raw_levels(name, text, indices, tuple(map(str, uniques)), plain_text=True)
        case "bool":
            return raw_booleans(name, text, np.where(missing, False, cells).astype(bool), missing)
        case "int":
            return raw_numbers(name, text, _spread(_integers(seen), missing), missing)
        case "float":
            return raw_numbers(name, text, _spread(seen.astype(np.float64), missing), missing)
        case "decimal":
            return _decimals(name, marker, seen, missing)
        case "datetime" | "date":
            return _datetimes(name, marker, seen, missing)
        case "timedelta":
            return _durations(name, text, _mapped(seen, lambda cell: pd.Timedelta(cell) // MICROSECOND), missing)
        case "time":
            return _durations(name, text, _mapped(seen, _since_midnight), missing)
    return _mixed(name, text, cells, missing)


def _marker(cells: Array, missing: Array) -> str:
    """Which object marks the first missing cell: None, nan, NA or NaT."""
    import pandas as pd

    if not missing.any():
        return "None"
    first = cells[int(missing.argmax())]
    return "None" if first is None else "NA" if first is pd.NA else "NaT" if first is pd.NaT else "nan"


def _spread(seen: Array, missing: Array) -> Array:
    """Values at the cells that are not missing, 0 elsewhere."""
    values = np.zeros(len(missing), dtype=seen.dtype)
    values[~missing] = seen
    return values


def _integers(seen: Array) -> Array:
    try:
        return seen.astype(np.int64)
    except OverflowError:
        return seen.astype(np.float64)


def _mapped(seen: Array, convert: Callable[[Any], float]) -> Array:
    return np.fromiter(map(convert, seen), dtype=np.float64, count=len(seen))


def _decimals(name: str, marker: str, seen: Array, missing: Array) -> RawColumn:
    if any(not cell.is_finite() for cell in seen):
        raise DataError(f"column {name!r} has infinite decimals. Replace them by null or clip them before fitting.")
    scale = max((-cell.as_tuple().exponent for cell in seen), default=0)
    text = f"object[decimal({max(scale, 0)}), {marker}]"
    return raw_numbers(name, text, _spread(seen.astype(np.float64), missing), missing)


def _datetimes(name: str, marker: str, seen: Array, missing: Array) -> RawColumn:
    types = {isinstance(cell, dt.datetime | np.datetime64) for cell in seen}
    if len(types) > 1:
        raise_unsupported(name, "a mix of date and datetime objects")
    content = "date"
    if types.pop():
        zoned = any(getattr(cell, "tzinfo", None) is not None for cell in seen)
        content = "datetime-utc" if zoned else "datetime"
    return RawColumn(
        name, f"object[{content}, {marker}]", "datetime", _spread(_mapped(seen, to_microseconds), missing), missing
    )


def _durations(name: str, text: str, seen: Array, missing: Array) -> RawColumn:
    return raw_numbers(name, text, _spread(seen, missing), missing, duration=True)


def _since_midnight(cell: dt.time) -> float:
    return ((cell.hour * 60 + cell.minute) * 60 + cell.second) * 1e6 + cell.microsecond


def _mixed(name: str, text: str, cells: Array, missing: Array) -> RawColumn:
    """Text, numbers and booleans in one column: each keeps its type."""
    indices = np.full(len(cells), -1, dtype=np.int32)
    found: dict[Any, int] = {}
    for row in np.flatnonzero(~missing).tolist():
        cell = as_level(cells[row])
        if not isinstance(cell, LEVEL_TYPES):
            raise_unsupported(name, f"{type(cell).__name__} objects, such as {_short(cell)}")
        if isinstance(cell, float) and not np.isfinite(cell):
            raise DataError(f"column {name!r} has infinite values. Replace them by null or clip them before fitting.")
        indices[row] = found.setdefault(level_key(cell), len(found))
    levels = tuple(level for _, level in found)
    return raw_levels(name, text, indices, levels)


def _short(cell: object) -> str:
    text = repr(cell)
    return text if len(text) <= 40 else f"{text[:37]}..."


def parse_object_text(name: str, text: str) -> tuple[str, str]:
    """Content and missing marker of an object dtype's text; plain ``object`` holds anything, and None for missing."""
    if text == "object":
        return "any", "None"
    content, _, marker = text.removeprefix("object[").removesuffix("]").partition(", ")
    known = {*_CONTENT.values(), "any", "datetime-utc"}
    if not (content in known or content.startswith("decimal(")) or marker not in ("None", "nan", "NA", "NaT", ""):
        raise SchemaError(f"column {name!r}: {text!r} is not an object dtype.", column=name)
    return content, marker or "None"
