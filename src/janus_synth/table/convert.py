"""A ``Reading`` taken as a chosen kind: physical arrays, with codes matched to known levels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import SchemaError
from janus_synth.table.columns import Kind, Level, level_key
from janus_synth.table.moments import moment_text, moments_from_text
from janus_synth.table.reading import Reading

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FAMILY: dict[type, str] = {str: "text", bool: "truth", int: "number", float: "number"}
_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def as_floats(reading: Reading, kind: Kind) -> Floats:
    """Physical array of a numeric or datetime column: NaN for missing."""
    if reading.natural == kind or (kind == "numeric" and reading.natural == "datetime"):
        return reading.floats()
    if reading.natural in ("categorical", "boolean"):
        parse = level_moments if kind == "datetime" else level_numbers
        try:
            lookup = parse(reading.levels)
        except ValueError as error:
            _cannot(reading, error.args[0], kind)
        return np.append(lookup, np.nan)[reading.values]
    if reading.is_null:
        return np.full(len(reading.values), np.nan)
    _cannot(
        reading,
        reading.seen()[0],
        kind,
        "Convert the numbers first, for example with pd.to_datetime(..., unit='s').",
    )


def level_numbers(levels: Sequence[Level]) -> Floats:
    """Read each level as a number; a ValueError carries the first that is none."""
    return np.array([_number(level) for level in levels], dtype=np.float64)


def level_moments(levels: Sequence[Level]) -> Floats:
    """Read each level as microseconds; a ValueError carries the first that is no ISO text."""
    return moments_from_text(levels).astype(np.float64)  # type: ignore[arg-type]


def _number(level: Level) -> float:
    if not isinstance(level, str):
        return float(level)
    number = float(level) if _NUMBER.fullmatch(level.strip()) else math.nan
    if not math.isfinite(number):
        raise ValueError(level)
    return number


def as_boolean(reading: Reading) -> Reading:
    """Take numbers 0 and 1 or the texts true and false as booleans."""
    if reading.natural == "boolean":
        return reading
    coded = as_levels(reading)
    truths = []
    for level in coded.levels:
        if str(level).strip().lower() not in _TRUTHS or reading.natural == "datetime":
            _cannot(reading, level, "boolean", "Use the kind 'categorical' for other pairs of values.")
        truths.append(_TRUTHS[str(level).strip().lower()])
    codes = np.append(np.array(truths, dtype=np.int32), np.int32(-1))[coded.values]
    return replace(coded, natural="boolean", values=codes.astype(np.int32), levels=(False, True))


def as_levels(reading: Reading) -> Reading:
    """Take any column as codes into levels: numbers as numbers, moments as ISO text."""
    if reading.natural in ("categorical", "boolean"):
        return reading
    if reading.natural == "numeric":
        reading.floats()  # refuses infinities
    uniques, inverse = np.unique(reading.seen(), return_inverse=True)
    codes = np.full(len(reading.values), -1, dtype=np.int32)
    codes[~reading.missing] = inverse
    cells: list[Any] = uniques.tolist()
    levels = [moment_text(cell) for cell in cells] if reading.natural == "datetime" else cells
    return replace(reading, natural="categorical", values=codes, levels=tuple(levels))


def sorted_levels(reading: Reading) -> Reading:
    """Put levels in the order of their values, so that no row order shows."""
    order = sorted(range(len(reading.levels)), key=lambda i: _sort_key(reading.levels[i]))
    place = np.empty(len(order) + 1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = -1
    return replace(reading, values=place[reading.values], levels=tuple(reading.levels[i] for i in order))


def _sort_key(level: Level) -> tuple[str, Any]:
    return type(level).__name__, level


def match_levels(reading: Reading, known: Sequence[Level], kind: Kind) -> tuple[Array, tuple[Level, ...]]:
    """Codes of a categorical reading into ``known`` levels, and the unseen levels that follow them."""
    same_type = {type(level) for level in known}
    place = {level_key(level): code for code, level in enumerate(known)}
    used = np.unique(reading.values[~reading.missing]).tolist()
    named = {code: _likened(reading, reading.levels[code], same_type, place, kind) for code in used}
    unseen = sorted({level_key(v): v for v in named.values() if level_key(v) not in place}.values(), key=_sort_key)
    place.update({level_key(level): len(known) + i for i, level in enumerate(unseen)})
    lookup = np.full(len(reading.levels) + 1, -1, dtype=np.int32)
    for code, level in named.items():
        lookup[code] = place[level_key(level)]
    return lookup[reading.values], tuple(unseen)


def _likened(reading: Reading, level: Level, types: set[type], place: dict[Any, int], kind: Kind) -> Level:
    """Turn a level into the type of the known ones: 1 to '1' among texts, '1' to 1 among numbers."""
    if level_key(level) in place or type(level) in types or len(families := {_FAMILY[t] for t in types}) != 1:
        return level
    family, text = families.pop(), str(level).strip().lower()
    if family == "text":
        return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
    if family == "truth" and text in _TRUTHS:
        return _TRUTHS[text]
    if family == "number" and _NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() and float not in types else number
    _cannot(reading, level, kind, f"The known levels are {', '.join(sorted(t.__name__ for t in types))} values.")


def _cannot(reading: Reading, value: object, kind: str, advice: str = "") -> NoReturn:
    hint = advice or f"Correct the values, or choose another kind than {kind!r}."
    value = getattr(value, "item", lambda: value)()
    raise SchemaError(f"column {reading.name!r}: {value!r} cannot be read as {kind}. {hint}", column=reading.name)
