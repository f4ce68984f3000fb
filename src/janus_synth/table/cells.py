"""Cells on their way out: physical values seen as numbers, or as codes into levels, as a dtype needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, LongInts
from janus_synth.errors import DataError
from janus_synth.table.columns import Column, Level
from janus_synth.table.convert import level_moments, level_numbers
from janus_synth.table.moments import format_moments

UNITS = {"s": 1_000_000, "ms": 1000, "us": 1, "ns": 0.001, "D": 86_400_000_000}  # in microseconds


class DoesNotFit(ValueError):
    """Levels that a dtype cannot hold, such as text in a column of numbers."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of one column: numbers with NaN for missing, or codes with −1 and their levels."""

    column: Column
    values: Array
    levels: tuple[Level, ...] | None

    def missing(self) -> Bools:
        """Which cells are missing."""
        if self.levels is not None:
            return self.values < 0
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self.values), dtype=bool)

    def numbers(self, *, moments: bool = False) -> Array:
        """Numbers, or microseconds for ``moments``; missing cells hold 0."""
        if self.levels is None:
            if self.values.dtype.kind != "f":
                return self.values
            return np.where(np.isnan(self.values), 0.0, self.values)
        return np.append(self._level_numbers(moments), 0)[self.values]

    def integers(self, dtype: Any) -> Array:
        """Integers of the dtype; identifiers that outgrow it move to a wider one rather than repeat."""
        numbers, plain = self.numbers(), np.dtype(dtype)
        if self.column.kind == "identifier" and len(numbers) and int(numbers.max()) > np.iinfo(plain).max:
            plain = np.dtype(np.int64 if int(numbers.max()) < 2**63 else np.uint64)
        return to_integers(numbers, plain)

    def _level_numbers(self, moments: bool) -> Array:
        levels = self.levels or ()
        if moments and any(isinstance(level, str) for level in levels):
            return _fitting(level_moments, levels)
        if levels and all(isinstance(level, int) and abs(level) < 2**63 for level in levels):
            return np.array([int(level) for level in levels], dtype=np.int64)
        return _fitting(level_numbers, levels)

    def coded(self) -> tuple[Array, tuple[Level, ...]]:
        """Codes and levels; numbers become levels of their own."""
        if self.levels is not None:
            return self.values, self.levels
        missing = self.missing()
        uniques, inverse = np.unique(self.values[~missing], return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int32)
        codes[~missing] = inverse
        return codes, tuple(uniques.tolist())

    def levelled(self, *, as_text: bool) -> tuple[Array, tuple[Level, ...]]:
        """Codes and levels, where numbers become levels as they are or as text, and moments as text."""
        if self.levels is None and (as_text or self.column.kind == "datetime"):
            codes, texts = self.texts()
            return codes, tuple(texts)
        return self.coded()

    def texts(self) -> tuple[Array, list[str]]:
        """Codes and the text of each level."""
        codes, levels = self.coded()
        if self.levels is None and self.column.kind == "datetime":
            return codes, format_moments(np.array(levels, dtype=np.float64), self.column.template)
        return codes, [_number_text(level) if self.levels is None else str(level) for level in levels]

    def objects(self, missing: object = None) -> Array:
        """Python values, with ``missing`` in the empty places."""
        codes, levels = self.coded()
        lookup = np.empty(len(levels) + 1, dtype=object)
        lookup[:-1] = levels
        lookup[-1] = missing
        return lookup[codes]


def cells_of(column: Column, values: Array, n_rows: int) -> Cells:
    """Physical array of a column as cells."""
    array = np.asarray(values)
    if array.shape != (n_rows,):
        raise DataError(f"column {column.name!r} has shape {array.shape}; it must be ({n_rows},).")
    if not column.is_discrete:
        return Cells(column, array.astype(np.float64, copy=False), None)
    if array.size and not -1 <= array.min() <= array.max() < len(column.levels):
        raise DataError(f"column {column.name!r} has codes outside its {len(column.levels)} levels.")
    return Cells(column, array, column.levels)


def to_integers(values: Array, dtype: Any) -> Array:
    """Round to integers and clip to the dtype's range; nothing wraps around."""
    target = np.dtype(dtype)
    info = np.iinfo(target)
    if values.dtype.kind in "iu":
        if values.dtype == target:
            return values
        return np.clip(
            values, max(info.min, np.iinfo(values.dtype).min), min(info.max, np.iinfo(values.dtype).max)
        ).astype(target)
    rounded = np.rint(values.astype(np.float64))
    top = float(info.max)  # 2**63 − 1 is no float: its neighbour 2**63 would wrap
    safe = top if int(top) <= info.max else np.nextafter(top, 0)
    integers = np.clip(rounded, float(info.min), safe).astype(target)
    integers[rounded > safe] = info.max
    return integers


def to_floats(values: Array, dtype: Any, missing: Bools | None = None) -> Array:
    """Clip to the float type's range; missing cells become NaN if given."""
    info = np.finfo(dtype)
    floats = np.clip(values.astype(np.float64), float(info.min), float(info.max)).astype(dtype)
    if missing is not None:
        floats[missing] = np.nan
    return floats


def to_ticks(values: Array, unit: str, *, bits: int = 64) -> LongInts:
    """Microseconds in another unit, rounded; what lies beyond its range is clipped to the last whole one."""
    whole = np.rint(values.astype(np.float64))
    if unit == "ns":
        limit = (2**63 - 1) // 1000 - 1  # an even number, so the float is exact
        return np.clip(whole, -limit, limit).astype(np.int64) * 1000
    ticks = np.rint(whole / UNITS[unit])
    return np.clip(ticks, -(2.0 ** (bits - 1)) + 1024, 2.0 ** (bits - 1) - 1024).astype(np.int64)


def _fitting(parse: Any, levels: tuple[Level, ...]) -> Array:
    try:
        parsed: Array = parse(levels)
    except ValueError as error:
        raise DoesNotFit(f"{error.args[0]!r} does not fit") from error
    return parsed


def _number_text(level: Any) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
