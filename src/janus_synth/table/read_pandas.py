"""A pandas Series to a ``Reading``, by its dtype."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np

from janus_synth.errors import SchemaError
from janus_synth.table.arrow_types import PER_SECOND
from janus_synth.table.read_arrow import read_arrow
from janus_synth.table.read_objects import read_objects
from janus_synth.table.reading import (
    Reading,
    levels_of,
    of_booleans,
    of_codes,
    of_numbers,
    of_ticks,
    refuse,
)


def read_pandas(name: str, series: Any) -> Reading:
    """Read one Series without changing it."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa

        return read_arrow(name, pa.chunked_array([*_chunks(series)], type=dtype.pyarrow_dtype), _arrow_text(dtype))
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(name, series)
    if isinstance(dtype, pd.SparseDtype):
        dense = read_pandas(name, series.astype(dtype.subtype))
        return _renamed(dense, f"Sparse[{dtype.subtype}]")
    if isinstance(dtype, pd.StringDtype):
        codes, levels = pd.factorize(series)
        return of_codes(name, _string_text(dtype), codes, tuple(levels.tolist()), plain_text=True)
    if isinstance(dtype, pd.PeriodDtype):
        starts = read_pandas(name, series.dt.to_timestamp(how="start"))
        return _renamed(starts, str(dtype))
    if isinstance(dtype, pd.IntervalDtype):
        return _renamed(_category(name, series.astype("category")), str(dtype))
    if isinstance(dtype, pd.DatetimeTZDtype):
        text = f"datetime64[{dtype.unit}, {_zone_text(name, dtype.tz)}]"
        return _renamed(read_pandas(name, series.dt.tz_convert("UTC").dt.tz_localize(None)), text)
    if dtype.kind == "O":
        return read_objects(name, series)
    return _plain(name, series)


def _plain(name: str, series: Any) -> Reading:
    """Numbers, booleans, moments and durations, in NumPy or nullable dtypes."""
    dtype, text, missing = series.dtype, str(series.dtype), series.isna().to_numpy()
    if dtype.kind == "b":
        return of_booleans(name, text, series.to_numpy(dtype=bool, na_value=False), missing)
    if dtype.kind in "iu":
        values = series.to_numpy(dtype=f"{'u' * (dtype.kind == 'u')}int64", na_value=0)
        return of_numbers(name, text, values, missing)
    if dtype.kind == "f":
        return of_numbers(name, text, series.to_numpy(dtype=np.float64, na_value=np.nan), missing)
    if dtype.kind in "mM":
        unit, step = np.datetime_data(dtype)
        ticks = series.to_numpy().astype(np.int64) * step
        natural = "datetime" if dtype.kind == "M" else "numeric"
        return of_ticks(name, text, ticks, missing, per_second=PER_SECOND[unit], natural=natural)  # type: ignore[arg-type]
    refuse(name, f"cells of type {text}")


def _category(name: str, series: Any) -> Reading:
    """Read the categories as a column of their own, which gives the levels."""
    import pandas as pd

    categories = series.cat.categories
    if isinstance(categories.dtype, pd.IntervalDtype):
        inner, levels = str(categories.dtype), tuple(map(str, categories))
    else:
        read = read_pandas(name, pd.Series(categories, dtype=categories.dtype))
        inner, levels = read.dtype, levels_of(read)  # type: ignore[assignment]
    text = "category" if _inferred(levels, categories) else f"category[{inner}]"
    codes = series.cat.codes.to_numpy()
    return of_codes(name, text, codes, levels, declared=True, ordered=bool(series.cat.ordered))


def _inferred(levels: tuple[Any, ...], categories: Any) -> bool:
    """Whether the levels are text of which pandas makes the same categories again."""
    import pandas as pd

    texts = bool(levels) and all(isinstance(level, str) for level in levels)
    return texts and bool(pd.Index(list(levels)).dtype == categories.dtype)


def _string_text(dtype: Any) -> str:
    """Write ``string[...]`` for the dtype whose missing value is NA, ``str[...]`` for the one with NaN."""
    family = "string" if _holds_na(dtype) else "str"
    return f"{family}[{dtype.storage}]"


def _holds_na(dtype: Any) -> bool:
    import pandas as pd

    return dtype.na_value is pd.NA


def _arrow_text(dtype: Any) -> str:
    """Spell it as pandas does, except that its ``string[pyarrow]`` means another dtype."""
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


def _renamed(reading: Reading, dtype: str) -> Reading:
    from dataclasses import replace

    return replace(reading, dtype=dtype)
