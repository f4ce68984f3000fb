"""A table's column on its way to a frame, as numbers, as level indices, as text or as objects: what a dtype needs.

In: an array of a ``Table``. Out: arrays that the writers of each library turn into their dtypes. Missing is the same
as in a ``Table``: NaN among numbers, −1 among indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, LongInts
from janus_synth.table.columns import Column, Level, check_array
from janus_synth.table.datetimes import DAY, format_datetimes
from janus_synth.table.raw_columns import parse_level_datetimes, parse_level_numbers
from janus_synth.table.texts import format_values

UNITS = {"s": 1_000_000, "ms": 1000, "us": 1, "ns": 0.001, "D": DAY}  # in microseconds


class DoesNotFit(ValueError):
    """Levels that a dtype cannot hold, such as text in a column of numbers."""


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """Cells of one column: numbers, or indices into ``levels``."""

    column: Column
    values: Array
    levels: tuple[Level, ...] | None

    def missing(self) -> Bools:
        """Which cells are missing."""
        if self.levels is not None:
            return self.values < 0
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self.values), dtype=bool)

    def numbers(self, *, datetimes: bool = False) -> Array:
        """Numbers, or microseconds for ``datetimes``; missing cells hold 0."""
        if self.levels is None:
            if self.values.dtype.kind != "f":
                return self.values
            missing = np.isnan(self.values)
            return np.where(missing, 0.0, self.values) if missing.any() else self.values
        return np.append(self._level_numbers(datetimes), 0)[self.values]

    def integers(self, dtype: Any) -> Array:
        """Integers of the dtype; identifiers beyond its range get a wider dtype instead of repeating."""
        numbers, plain = self.numbers(), np.dtype(dtype)
        if self.column.kind == "identifier" and len(numbers) and int(numbers.max()) > np.iinfo(plain).max:
            plain = np.dtype(np.int64 if int(numbers.max()) < 2**63 else np.uint64)
        return to_integers(numbers, plain)

    def _level_numbers(self, datetimes: bool) -> Array:
        levels = self.levels or ()
        if datetimes and any(isinstance(level, str) for level in levels):
            return _parse_levels(parse_level_datetimes, levels)
        if levels and all(isinstance(level, int) and abs(level) < 2**63 for level in levels):
            return np.array([int(level) for level in levels], dtype=np.int64)
        return _parse_levels(parse_level_numbers, levels)

    def _indexed(self) -> tuple[Array, tuple[Level, ...]]:
        """Indices and levels; each distinct number is a level."""
        if self.levels is not None:
            return self.values, self.levels
        missing = self.missing()
        uniques, inverse = np.unique(self.values[~missing], return_inverse=True)
        indices = np.full(len(self.values), -1, dtype=np.int32)
        indices[~missing] = inverse
        return indices, tuple(uniques.tolist())

    def level_indices(self, *, as_text: bool) -> tuple[Array, tuple[Level, ...]]:
        """Indices and levels; numbers become levels as they are or as text, datetimes as text."""
        if self.levels is None and (as_text or self.column.kind == "datetime"):
            indices, texts = self.texts()
            return indices, tuple(texts)
        return self._indexed()

    def texts(self) -> tuple[Array, list[str]]:
        """Indices and the text of each level."""
        indices, levels = self._indexed()
        texts = self._texts_of(levels)
        if self.column.missing and self.column.missing[0]:
            return np.where(indices < 0, len(texts), indices), [*texts, self.column.missing[0]]
        return indices, texts

    def _texts_of(self, levels: tuple[Level, ...]) -> list[str]:
        column = self.column
        if column.format is not None and (self.levels is None or column.kind == "boolean"):
            return format_values(np.array(levels, dtype=np.float64), column.kind, column.format)
        if self.levels is None and column.kind == "datetime":
            return format_datetimes(np.array(levels, dtype=np.float64), None)
        return [_number_text(level) if self.levels is None else str(level) for level in levels]

    def objects(self, missing: object = None) -> Array:
        """Python values, with ``missing`` in missing cells."""
        indices, levels = self._indexed()
        lookup = np.empty(len(levels) + 1, dtype=object)
        lookup[:-1] = levels
        lookup[-1] = missing
        return lookup[indices]


def output_column(column: Column, values: Array, n_rows: int) -> OutputColumn:
    """Output column of a table's array."""
    array = np.asarray(values)
    check_array(column, array, n_rows)
    if not column.is_discrete:
        return OutputColumn(column, array.astype(np.float64, copy=False), None)
    return OutputColumn(column, array, column.levels)


def to_integers(values: Array, dtype: Any) -> Array:
    """Round to integers and clip to the dtype's range; nothing overflows."""
    target = np.dtype(dtype)
    info = np.iinfo(target)
    if values.dtype.kind in "iu":
        if values.dtype == target:
            return values
        return np.clip(
            values, max(info.min, np.iinfo(values.dtype).min), min(info.max, np.iinfo(values.dtype).max)
        ).astype(target)
    rounded = np.rint(values.astype(np.float64, copy=False))
    top = float(info.max)
    if int(top) <= info.max:
        return np.clip(rounded, float(info.min), top, out=rounded).astype(target)
    beyond = rounded >= top  # 2**63 − 1 is not a float: it rounds to 2**63, which would overflow
    integers = np.clip(rounded, float(info.min), np.nextafter(top, 0), out=rounded).astype(target)
    integers[beyond] = info.max
    return integers


def to_floats(values: Array, dtype: Any, missing: Bools | None = None) -> Array:
    """Clip to the float type's range; NaN stays, and missing cells become NaN if given. Always a new array."""
    info = np.finfo(dtype)
    floats = np.clip(values.astype(np.float64, copy=False), float(info.min), float(info.max)).astype(dtype, copy=False)
    if missing is not None:
        floats[missing] = np.nan
    return floats


def to_ticks(values: Array, unit: str, *, bits: int = 64) -> LongInts:
    """Microseconds in another unit, rounded; values beyond the range of the unit are clipped."""
    whole = np.rint(values.astype(np.float64))
    if unit == "ns":
        limit = (2**63 - 1) // 1000 - 1  # an even number, so the float is exact
        return np.clip(whole, -limit, limit).astype(np.int64) * 1000
    ticks = np.rint(whole / UNITS[unit])
    return np.clip(ticks, -(2.0 ** (bits - 1)) + 1024, 2.0 ** (bits - 1) - 1024).astype(np.int64)


def _parse_levels(parse: Any, levels: tuple[Level, ...]) -> Array:
    try:
        parsed: Array = parse(levels)
    except ValueError as error:
        raise DoesNotFit(f"{error.args[0]!r} does not fit") from error
    return parsed


def _number_text(level: Any) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
