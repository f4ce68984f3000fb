"""One column as its frame holds it (``RawColumn``), and its conversion to the kind that is to be learnt.

In: values of a native dtype, collected by the readers of each library. Out: the arrays of a ``Table``, that is floats
with NaN for missing, or indices into levels with −1 for missing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.errors import DataError, SchemaError
from janus_synth.table.columns import Kind, Level, level_key
from janus_synth.table.datetimes import format_datetime, parse_datetimes
from janus_synth.table.texts import parse_texts

NativeKind = Literal["numeric", "boolean", "categorical", "datetime"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_FAMILY: dict[type, str] = {str: "text", bool: "boolean", int: "number", float: "number"}
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


@dataclass(frozen=True, slots=True)
class RawColumn:
    """What a native column holds according to its dtype.

    ``values`` are numbers (numeric), microseconds (datetime) or int32 indices into ``levels`` (boolean, categorical);
    integers stay integers, so that none is rounded too early. ``missing`` marks the missing cells, because integers
    have no NaN; the value beneath is a placeholder (0 or NaN among numbers, −1 among indices).
    """

    name: str
    dtype: str
    kind: NativeKind
    values: Array
    missing: Bools
    levels: tuple[Level, ...] = ()
    ordered: bool = False
    declared: bool = False  # the dtype itself lists the levels, so unused ones count too
    plain_text: bool = False  # text of a dtype without categories: may turn out to be an identifier
    duration: bool = False  # the numbers are microseconds of a duration or a time of day

    @property
    def is_integer(self) -> bool:
        """Whether the cells are integers that measure no time."""
        return self.kind == "numeric" and self.values.dtype.kind in "iu" and not self.duration

    @property
    def is_null(self) -> bool:
        """Whether every cell is missing."""
        return bool(self.missing.all())

    def present(self) -> Array:
        """Values that are not missing."""
        return self.values[~self.missing]

    def floats(self) -> Floats:
        """Cells as float64 with NaN for missing; raise DataError if some are infinite."""
        floats = np.array(self.values, dtype=np.float64)
        floats[self.missing] = np.nan
        if n_infinite := int(np.isinf(floats).sum()):
            raise DataError(
                f"column {self.name!r} has {n_infinite} infinite value{'s' * (n_infinite > 1)}. "
                "Replace them by null or clip them before fitting, or say that they mean missing: "
                f'schema={{{json.dumps(self.name, ensure_ascii=False)}: {{"missing": ["inf", "-inf"]}}}}.'
            )
        return floats


def raw_numbers(
    name: str, dtype: str, values: Array, missing: Array | None = None, *, duration: bool = False
) -> RawColumn:
    """Column of numbers; NaN counts as missing, like ``missing``."""
    is_nan = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    return RawColumn(name, dtype, "numeric", values, is_nan if missing is None else is_nan | missing, duration=duration)


def raw_levels(name: str, dtype: str, indices: Array, levels: tuple[Level, ...], **marks: bool) -> RawColumn:
    """Column of indices into levels, with −1 for missing."""
    indices = indices.astype(np.int32)
    return RawColumn(name, dtype, "categorical", indices, indices < 0, levels=levels, **marks)


def raw_booleans(name: str, dtype: str, values: Array, missing: Array) -> RawColumn:
    """Column of true and false."""
    indices = np.where(missing, -1, values.astype(np.int32)).astype(np.int32)
    return RawColumn(name, dtype, "boolean", indices, missing, levels=(False, True))


def raw_times(
    name: str, dtype: str, ticks: Array, missing: Array, *, per_second: int, kind: NativeKind = "datetime"
) -> RawColumn:
    """Column of datetimes, or durations if ``kind`` is numeric; ``per_second`` ticks make a second."""
    if per_second > 1_000_000:
        values: Array = ticks // (per_second // 1_000_000)
    else:
        values = ticks.astype(np.float64) * (1_000_000 // per_second)
    values = np.where(missing, 0, values).astype(np.float64)
    return RawColumn(name, dtype, kind, values, missing, duration=kind == "numeric")


def cells_as_levels(raw: RawColumn) -> tuple[Level | None, ...]:
    """Each cell as a level: text and numbers as they are, datetimes as ISO text, None for missing."""
    if raw.kind in ("categorical", "boolean"):
        lookup = np.array([*raw.levels, None], dtype=object)
        return tuple(lookup[raw.values].tolist())
    cells: list[Any] = raw.values.tolist()
    if raw.kind == "datetime":
        cells = [format_datetime(cell) for cell in cells]
    return tuple(None if gone else cell for cell, gone in zip(cells, raw.missing.tolist(), strict=True))


def raise_unsupported(name: str, holds: str) -> NoReturn:
    """Raise SchemaError for a column whose cells cannot be learnt."""
    raise SchemaError(
        f"column {name!r} holds {holds}, which JANUS cannot learn. "
        "Drop the column, or convert it to text, numbers or one column per part.",
        column=name,
    )


def mark_missing(raw: RawColumn, words: Sequence[str], format: str | None = None) -> RawColumn:
    """Count the cells with these texts as missing; dates are written as ISO text or in the ``format``."""
    if raw.kind == "numeric" and words:
        plain = [word.strip() for word in words]
        codes = [float(word) for word in plain if _NUMBER.fullmatch(word) or _INFINITE.fullmatch(word)]
        return replace(raw, missing=raw.missing | np.isin(raw.values, codes)) if codes else raw
    if raw.kind == "datetime" and words:
        return replace(raw, missing=raw.missing | np.isin(raw.values, _moments(words, format)))
    gone = [index for index, level in enumerate(raw.levels) if level in words]
    if not gone or raw.kind != "categorical":
        return raw
    kept = [index for index in range(len(raw.levels)) if index not in set(gone)]
    place = np.full(len(raw.levels) + 1, -1, dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    values = place[raw.values]
    return replace(raw, values=values, missing=values < 0, levels=tuple(raw.levels[index] for index in kept))


def _moments(words: Sequence[str], format: str | None) -> list[float]:
    """Those of the texts that are dates, in microseconds."""
    found = []
    for word in words:
        for form in (None, format) if format else (None,):
            try:
                moment = float(_parse_levels([word], "datetime", form)[0])
            except ValueError:
                continue
            found.append(moment)
            break
    return [moment for moment in found if not math.isnan(moment)]


def as_floats(raw: RawColumn, kind: Kind, format: str | None = None) -> Floats:
    """Array of a numeric or datetime column: NaN for missing; ``format`` is that of its texts."""
    if raw.kind == kind or (kind == "numeric" and raw.kind == "datetime"):
        return raw.floats()
    if raw.kind in ("categorical", "boolean"):
        try:
            lookup = _parse_levels(raw.levels, kind, format)
        except ValueError as error:
            _raise_unreadable(raw, error.args[0], kind, _form_advice(kind, format))
        return np.append(lookup, np.nan)[raw.values]
    if raw.is_null:
        return np.full(len(raw.values), np.nan)
    _raise_unreadable(
        raw,
        raw.present()[0],
        kind,
        "Convert the numbers first, for example with pd.to_datetime(..., unit='s').",
    )


def _parse_levels(levels: Sequence[Level], kind: Kind, format: str | None) -> Floats:
    """Read levels in a format, those that do not have it as plain numbers or ISO text."""
    import pyarrow as pa

    parse = parse_level_datetimes if kind == "datetime" else parse_level_numbers
    if format is None or not all(isinstance(level, str) for level in levels):
        return parse(levels)
    read = parse_texts(pa.array(levels, pa.large_string()), kind, format)
    floats = np.array(read.to_numpy(zero_copy_only=False), dtype=np.float64)
    rest = np.flatnonzero(read.is_null().to_numpy(zero_copy_only=False)).tolist()
    floats[rest] = parse([levels[index] for index in rest])
    return floats


def _form_advice(kind: str, format: str | None) -> str:
    if format is not None:
        return f"Correct the values or the format {format!r}, or list the texts that mean missing in 'missing'."
    example = "%d/%m/%Y" if kind == "datetime" else "$#,##0.00"
    return f"Correct the values, name their format, such as {example!r}, or choose another kind than {kind!r}."


def parse_level_numbers(levels: Sequence[Level]) -> Floats:
    """Read each level as a number; raise ValueError with the first that is not one."""
    return np.array([_parse_number(level) for level in levels], dtype=np.float64)


def parse_level_datetimes(levels: Sequence[Level]) -> Floats:
    """Read each level as microseconds; raise ValueError with the first that is not ISO text."""
    return parse_datetimes(levels).astype(np.float64)  # type: ignore[arg-type]


def _parse_number(level: Level) -> float:
    if not isinstance(level, str):
        return float(level)
    number = float(level) if _NUMBER.fullmatch(level.strip()) else math.nan
    if not math.isfinite(number):
        raise ValueError(level)
    return number


def as_boolean(raw: RawColumn, format: str | None = None) -> RawColumn:
    """Read the numbers 0 and 1, the texts true and false, or those of the ``format`` as booleans."""
    if raw.kind == "boolean":
        return raw
    indexed = as_levels(raw)
    booleans = []
    words = _BOOLEANS if format is None else _BOOLEANS | _words(format)
    for level in indexed.levels:
        if str(level).strip().lower() not in words or raw.kind == "datetime":
            _raise_unreadable(raw, level, "boolean", "Use the kind 'categorical' for other pairs of values.")
        booleans.append(words[str(level).strip().lower()])
    indices = np.append(np.array(booleans, dtype=np.int32), np.int32(-1))[indexed.values]
    return replace(indexed, kind="boolean", values=indices.astype(np.int32), levels=(False, True))


def _words(format: str) -> dict[str, bool]:
    true, _, false = format.partition("/")
    return {true.strip().lower(): True, false.strip().lower(): False}


def as_levels(raw: RawColumn) -> RawColumn:
    """Read any column as indices into levels: numbers as numbers, datetimes as ISO text."""
    if raw.kind in ("categorical", "boolean"):
        return raw
    if raw.kind == "numeric":
        raw.floats()  # raises an error for infinite values
    uniques, inverse = np.unique(raw.present(), return_inverse=True)
    indices = np.full(len(raw.values), -1, dtype=np.int32)
    indices[~raw.missing] = inverse
    cells: list[Any] = uniques.tolist()
    levels = [format_datetime(cell) for cell in cells] if raw.kind == "datetime" else cells
    return replace(raw, kind="categorical", values=indices, levels=tuple(levels))


def sort_levels(raw: RawColumn) -> RawColumn:
    """Sort the levels by type and value, so that they do not disclose the order of the rows."""
    order = sorted(range(len(raw.levels)), key=lambda i: _sort_key(raw.levels[i]))
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = -1
    return replace(raw, values=place[raw.values], levels=tuple(raw.levels[i] for i in order))


def _sort_key(level: Level) -> tuple[str, Any]:
    return type(level).__name__, level


def match_levels(raw: RawColumn, known: Sequence[Level], kind: Kind) -> tuple[Array, tuple[Level, ...]]:
    """Indices of a categorical column into ``known`` levels, and the unseen levels that follow them."""
    known_types = {type(level) for level in known}
    place = {level_key(level): index for index, level in enumerate(known)}
    used = np.flatnonzero(np.bincount(raw.values + 1)[1:]).tolist()  # the first are missing
    named = {index: _convert_type(raw, raw.levels[index], known_types, place, kind) for index in used}
    unseen = sorted({level_key(v): v for v in named.values() if level_key(v) not in place}.values(), key=_sort_key)
    place.update({level_key(level): len(known) + i for i, level in enumerate(unseen)})
    lookup = np.full(len(raw.levels) + 1, -1, dtype=np.int32)
    for index, level in named.items():
        lookup[index] = place[level_key(level)]
    return lookup[raw.values], tuple(unseen)


def _convert_type(raw: RawColumn, level: Level, types: set[type], place: dict[Any, int], kind: Kind) -> Level:
    """Convert a level to the type of the known ones: 1 to '1' among texts, '1' to 1 among numbers."""
    if level_key(level) in place or type(level) in types or len(families := {_FAMILY[t] for t in types}) != 1:
        return level
    family, text = families.pop(), str(level).strip().lower()
    if family == "text":
        return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
    if family == "boolean" and text in _BOOLEANS:
        return _BOOLEANS[text]
    if family == "number" and _NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() and float not in types else number
    _raise_unreadable(raw, level, kind, f"The known levels are {', '.join(sorted(t.__name__ for t in types))} values.")


def _raise_unreadable(raw: RawColumn, value: object, kind: str, advice: str = "") -> NoReturn:
    hint = advice or f"Correct the values, or choose another kind than {kind!r}."
    value = getattr(value, "item", lambda: value)()
    raise SchemaError(f"column {raw.name!r}: {value!r} cannot be read as {kind}. {hint}", column=raw.name)
