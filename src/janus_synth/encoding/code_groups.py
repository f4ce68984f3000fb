"""A table in, the same table with codes that few rows share in groups out: postal codes, diagnoses, product codes.

A group is the longest prefix that enough rows share (``janus_synth.identities.codes``). Rare levels of other columns
are left to `rare_values`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array, LongInts
from janus_synth.identities import MANY_RARE, MOST_RARE, are_codes, group_codes, holds_codes
from janus_synth.table import Column, Level, Schema, Table
from janus_synth.table.codes import code_text, has_numbers

MOST_GROUPS = 200
"""About as many groups can have a code of their own each (``LevelCodec``), so that what depends on them is learnt."""


def generalise_codes(table: Table, *, least: int, declared: Collection[str] = (), known: Schema | None = None) -> Table:
    """Replace codes that fewer than ``least`` rows have by groups of codes with a common prefix.

    Parameters
    ----------
    table : Table
        Training rows.
    least : int
        Fewest rows of a group.
    declared : collection of str
        Columns whose levels the user listed, which are kept.
    known : Schema, optional
        Columns of earlier rows: codes of their groups are in groups already, and their levels are kept.

    Examples
    --------
    >>> from janus_synth.table import read_table
    >>> import pandas as pd
    >>> zips = pd.DataFrame({"zip": [f"021{i:02d}" for i in range(50)] + [f"90{i:03d}" for i in range(50)]})
    >>> generalise_codes(read_table(zips), least=20).schema["zip"].levels
    ('021{9:2}', '900{9:2}')
    """
    columns, arrays = [], dict(table.columns)
    for column in table.schema:
        if column.is_learnt and column.name not in declared and _is_open(column):
            n_known = 0 if known is None else len(known[column.name].levels)
            count = np.bincount(table[column.name][table[column.name] >= 0], minlength=len(column.levels))
            if _needs_groups(column, count, least, n_known):
                column, arrays[column.name] = _in_groups(column, arrays[column.name], count, least, n_known)
        columns.append(column)
    return Table(replace(table.schema, columns=tuple(columns)), arrays, table.n_rows)


def _is_open(column: Column) -> bool:
    return (
        column.kind == "categorical"
        and not column.ordered
        and column.dtype != "Enum"
        and column.generalised is not False
        and bool(column.levels)
    )


def _needs_groups(column: Column, count: LongInts, least: int, n_known: int) -> bool:
    """Whether so many rows have rare codes that groups tell more than levels do."""
    if n_known or column.generalised:
        return bool(column.generalised) and bool(((count < least) & (count > 0))[n_known:].any())
    rare = count[count < least].sum()
    if rare <= MANY_RARE * count.sum():
        return False
    texts = [text for level, n in zip(column.levels, count.tolist(), strict=True) if n and (text := code_text(level))]
    if len(texts) < int((count > 0).sum()):
        return False
    return holds_codes(column.name, texts) or (rare > MOST_RARE * count.sum() and are_codes(texts))


def _in_groups(column: Column, indices: Array, count: LongInts, least: int, n_known: int) -> tuple[Column, Array]:
    """The column with groups as levels; codes without a group keep their level, to be merged like any rare level."""
    texts = [code_text(level) or str(level) for level in column.levels]
    free = {text: int(n) for text, n in zip(texts[n_known:], count[n_known:].tolist(), strict=True) if n}
    size = int(count.sum()) // MOST_GROUPS
    groups = group_codes(free, least, size=size, numbers=has_numbers(column))
    levels: list[Level] = list(column.levels[:n_known])
    for level, text in zip(column.levels[n_known:], texts[n_known:], strict=True):
        group = groups.get(text)
        levels.append(level if group is None or group == text else group)
    order = sorted(dict.fromkeys(levels[n_known:]), key=str)
    place = {level: i for i, level in enumerate(dict.fromkeys([*levels[:n_known], *order]))}
    at = np.array([*(place[level] for level in levels), -1], dtype=np.int32)
    return replace(column, levels=tuple(place), generalised=True), at[indices]
