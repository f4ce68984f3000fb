"""Columns of codes that are learnt as groups: codes of new rows in, their groups out; and fresh codes for rows written.

The levels of such a column are codes of many rows, and groups such as ``021{9:2}`` (see
``janus_synth.identities.codes``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array
from janus_synth.identities import draw_codes, find_group, random_words
from janus_synth.table.columns import Column, Level
from janus_synth.table.output_columns import OutputColumn
from janus_synth.table.raw_columns import RawColumn


def code_text(level: Level) -> str | None:
    """Text of a code; None for values that are no codes: truth values, fractions, negative numbers.

    >>> code_text("02138"), code_text(2138), code_text(2138.0), code_text(-1)
    ('02138', '2138', '2138', None)
    """
    if isinstance(level, str):
        return level
    if isinstance(level, bool) or level < 0 or level != int(level):
        return None
    return str(int(level))


def has_numbers(column: Column) -> bool:
    """Whether codes are numbers in the user's table."""
    return "int" in column.dtype.lower() or "float" in column.dtype.lower() or "double" in column.dtype.lower()


def read_groups(raw: RawColumn, column: Column) -> RawColumn:
    """A categorical column with the group of each code in its place; codes that belong to no group stay.

    Examples
    --------
    >>> from janus_synth.table.raw_columns import raw_levels
    >>> zips = Column("zip", "categorical", "str", levels=("021{9:2}", "90210"), generalised=True)
    >>> read_groups(raw_levels("zip", "str", np.array([0, 1, 2]), ("02138", "90210", "1")), zips).levels
    ('021{9:2}', '90210', '1')
    """
    places = {str(level): i for i, level in enumerate(column.levels)}
    numbers = has_numbers(column)
    levels: list[Level] = []
    for level in raw.levels:
        text = code_text(level)
        place = None if text is None else find_group(text, places, numbers=numbers)
        levels.append(level if place is None else column.levels[place])
    distinct = list(dict.fromkeys(levels))
    order = {level: i for i, level in enumerate(distinct)}
    at = np.array([*(order[level] for level in levels), -1], dtype=np.int32)
    return replace(raw, values=at[raw.values], levels=tuple(distinct))


def write_codes(column: Column, indices: Array, *, seed: int, first: int = 0) -> OutputColumn:
    """Codes of the groups of some rows; a row's code depends on the seed and the row's number alone."""
    words = random_words(seed, f"{column.name}:code", np.arange(first, first + len(indices)))
    texts = np.full(len(indices), "", object)
    order = np.argsort(indices, kind="stable")
    bounds = np.searchsorted(indices[order], np.arange(len(column.levels) + 1))
    for level, start, stop in zip(column.levels, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        rows = order[start:stop]
        if len(rows):
            texts[rows] = draw_codes(level, words[rows]) if isinstance(level, str) else [str(level)] * len(rows)
    present = indices >= 0
    distinct = sorted(set(texts[present].tolist()))
    place = {text: i for i, text in enumerate(distinct)}
    values = np.array(
        [place[text] if here else -1 for text, here in zip(texts.tolist(), present, strict=True)], np.int64
    )
    return OutputColumn(column, values, _typed(column, distinct))


def _typed(column: Column, texts: Sequence[str]) -> tuple[Level, ...]:
    return tuple(map(int, texts)) if has_numbers(column) and all(map(str.isdecimal, texts)) else tuple(texts)
