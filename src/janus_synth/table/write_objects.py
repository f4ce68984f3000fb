"""Cells to an array of Python objects, for pandas object columns."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.table.cells import Cells, to_integers
from janus_synth.table.moments import EPOCH, MICROSECOND
from janus_synth.table.read_objects import parse_object_text

FIRST = (dt.datetime.min - EPOCH) // MICROSECOND
LAST = (dt.datetime(9999, 12, 31) - EPOCH) // MICROSECOND  # a whole day, and exact as a float
DAY = 86_400_000_000


def write_objects(cells: Cells, dtype: str) -> Array:
    """Build the objects that ``dtype``, such as ``object[date, None]``, describes."""
    content, marker = parse_object_text(cells.column.name, dtype)
    missing = _missing_object(marker)
    if content in ("any", "bool") and cells.levels is not None:
        return cells.objects(missing)
    if content in ("any", "str"):
        codes, texts = cells.texts()
        return np.array([*texts, missing], dtype=object)[codes]
    objects = _objects(cells, content)
    objects[cells.missing()] = missing
    return objects


def _missing_object(marker: str) -> Any:
    import pandas as pd

    return {"None": None, "nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}[marker]


def _objects(cells: Cells, content: str) -> Array:
    if content.startswith("date"):
        return _moments(np.clip(cells.numbers(moments=True), FIRST, LAST), content)
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
        moments = _moments(np.clip(np.rint(numbers), 0, DAY - 1), "datetime")
        return _mapped(moments, lambda moment: moment.time())
    scale = content.removeprefix("decimal(").removesuffix(")")
    return _mapped(numbers, lambda number: Decimal(f"{number:.{scale}f}"))


def _moments(moments: Array, content: str) -> Array:
    if content == "date":
        days = np.rint(moments / DAY).astype(np.int64)
        return days.astype("datetime64[D]").astype(object)
    objects: Array = np.rint(moments).astype(np.int64).astype("datetime64[us]").astype(object)
    return _mapped(objects, lambda moment: moment.replace(tzinfo=dt.UTC)) if content == "datetime-utc" else objects


def _mapped(cells: Array, convert: Callable[[Any], object]) -> Array:
    objects = np.empty(len(cells), dtype=object)
    objects[:] = [convert(cell) for cell in cells]
    return objects
