"""A pandas object column to a ``Reading``: look into the cells, since the dtype says nothing.

The dtype text is ``object[<content>, <missing>]``: what the cells are and how missing ones are marked.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import DataError, SchemaError
from janus_synth.table.columns import LEVEL_TYPES, as_level, level_key
from janus_synth.table.moments import MICROSECOND, moment_of
from janus_synth.table.reading import Reading, of_booleans, of_codes, of_numbers, refuse

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


def read_objects(name: str, series: Any) -> Reading:
    """Read a Series of Python objects; cells that are no plain values are refused."""
    import pandas as pd

    cells, missing = series.to_numpy(dtype=object), series.isna().to_numpy()
    content = _CONTENT.get(pd.api.types.infer_dtype(cells, skipna=True), "any")
    marker = _marker(cells, missing)
    seen = cells[~missing]
    text = f"object[{content}, {marker}]"
    match content:
        case "str":
            codes, uniques = pd.factorize(cells)
            return of_codes(name, text, codes, tuple(map(str, uniques)), plain_text=True)
        case "bool":
            return of_booleans(name, text, np.where(missing, False, cells).astype(bool), missing)
        case "int":
            return of_numbers(name, text, _spread(_integers(seen), missing), missing)
        case "float":
            return of_numbers(name, text, _spread(seen.astype(np.float64), missing), missing)
        case "decimal":
            return _decimals(name, marker, seen, missing)
        case "datetime" | "date":
            return _moments(name, marker, seen, missing)
        case "timedelta":
            return _durations(name, text, _mapped(seen, lambda cell: pd.Timedelta(cell) // MICROSECOND), missing)
        case "time":
            return _durations(name, text, _mapped(seen, _since_midnight), missing)
    return _mixed(name, text, cells, missing)


def _marker(cells: Array, missing: Array) -> str:
    """Which object stands for missing: None, nan, NA or NaT; the first one met."""
    import pandas as pd

    if not missing.any():
        return "None"
    first = cells[int(missing.argmax())]
    return "None" if first is None else "NA" if first is pd.NA else "NaT" if first is pd.NaT else "nan"


def _spread(seen: Array, missing: Array) -> Array:
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


def _decimals(name: str, marker: str, seen: Array, missing: Array) -> Reading:
    if any(not cell.is_finite() for cell in seen):
        raise DataError(f"column {name!r} has infinite decimals. Replace them by null or clip them before fitting.")
    scale = max((-cell.as_tuple().exponent for cell in seen), default=0)
    text = f"object[decimal({max(scale, 0)}), {marker}]"
    return of_numbers(name, text, _spread(seen.astype(np.float64), missing), missing)


def _moments(name: str, marker: str, seen: Array, missing: Array) -> Reading:
    types = {isinstance(cell, dt.datetime | np.datetime64) for cell in seen}
    if len(types) > 1:
        refuse(name, "a mix of date and datetime objects")
    content = "date"
    if types.pop():
        zoned = any(getattr(cell, "tzinfo", None) is not None for cell in seen)
        content = "datetime-utc" if zoned else "datetime"
    moments = _spread(_mapped(seen, moment_of), missing)
    return Reading(name, f"object[{content}, {marker}]", "datetime", moments, missing)


def _durations(name: str, text: str, seen: Array, missing: Array) -> Reading:
    return of_numbers(name, text, _spread(seen, missing), missing, duration=True)


def _since_midnight(cell: dt.time) -> float:
    return ((cell.hour * 60 + cell.minute) * 60 + cell.second) * 1e6 + cell.microsecond


def _mixed(name: str, text: str, cells: Array, missing: Array) -> Reading:
    """Text, numbers and booleans side by side: each keeps its type."""
    codes = np.full(len(cells), -1, dtype=np.int32)
    found: dict[Any, int] = {}
    for row in np.flatnonzero(~missing).tolist():
        cell = as_level(cells[row])
        if not isinstance(cell, LEVEL_TYPES):
            refuse(name, f"{type(cell).__name__} objects, such as {_short(cell)}")
        if isinstance(cell, float) and not np.isfinite(cell):
            raise DataError(f"column {name!r} has infinite values. Replace them by null or clip them before fitting.")
        codes[row] = found.setdefault(level_key(cell), len(found))
    levels = tuple(level for _, level in found)
    return of_codes(name, text, codes, levels)


def _short(cell: object) -> str:
    text = repr(cell)
    return text if len(text) <= 40 else f"{text[:37]}..."


def parse_object_text(name: str, text: str) -> tuple[str, str]:
    """Content and missing marker of an object dtype's text; plain ``object`` is text and None."""
    if text == "object":
        return "any", "None"
    content, _, marker = text.removeprefix("object[").removesuffix("]").partition(", ")
    known = {*_CONTENT.values(), "any", "datetime-utc"}
    if not (content in known or content.startswith("decimal(")) or marker not in (
        "None",
        "nan",
        "NA",
        "NaT",
        "",
    ):
        raise SchemaError(f"column {name!r}: {text!r} is no object dtype.", column=name)
    return content, marker or "None"
