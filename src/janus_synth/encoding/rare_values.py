"""A table in, the same table without rare levels out: their cells take the level of a similar row.

A level that few rows have may identify them. It cannot stay in the schema, in the counts or in the rows that are drawn.
Its cells are imputed by hot deck: each row with rare cells takes them from the *donor*, among the rows without rare
cells, that agrees with it most. Columns that the rare column determines count most: a city stays in its country.
Rare values of ordered columns are left to `extremes` and `bins`.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.identities import MOST_RARE
from janus_synth.table import Column, Schema, Table

N_DONORS = 1024
"""Rows among which a donor is sought."""
CHUNK = 256
"""Rows compared with the donors at once."""
N_GROUPS = 16
"""Groups of equal size that ordered columns are compared by."""
ROWS_OF_CUTS = 2**14
"""About as many rows, evenly spaced, say where the groups of a long table end."""
EXACT = 1.02
"""Weight 1 / (EXACT − a) of a column, where a from 0 to 1 says how well the rare column determines it."""


def merge_rare_values(
    table: Table, *, least: int, declared: Collection[str] = (), known: Schema | None = None
) -> Table:
    """Replace levels with fewer than ``least`` rows by the levels of similar rows, and drop them from the schema.

    Parameters
    ----------
    table : Table
        Training rows.
    least : int
        Fewest rows of a level that is kept.
    declared : collection of str
        Columns whose levels the user listed: they are no secret, and all are kept. So are those of ordered and
        boolean columns.
    known : Schema, optional
        Levels of earlier rows, which are kept whatever their number here.

    Examples
    --------
    >>> from janus_synth.table import read_table
    >>> import pandas as pd
    >>> towns = read_table(pd.DataFrame({"town": ["Rome"] * 8 + ["Oslo"] * 8 + ["Atlantis"]}))
    >>> merged = merge_rare_values(towns, least=5)
    >>> merged.schema["town"].levels, int((merged["town"] == 1).sum()) in (8, 9)
    (('Oslo', 'Rome'), True)
    """
    rare = _find_rare(table, least, declared, known)
    if not rare:
        return table
    arrays = _imputed(table, {name: cells for name, cells in rare.items() if cells.any()})
    columns = []
    for column in table.schema:
        if column.name in rare:
            column, arrays[column.name] = _without_unused(column, arrays[column.name], known)
        columns.append(column)
    return Table(replace(table.schema, columns=tuple(columns)), arrays, table.n_rows)


def _find_rare(table: Table, least: int, declared: Collection[str], known: Schema | None) -> dict[str, Bools]:
    """Rare cells of each column that has some, or that has levels without rows."""
    found: dict[str, Bools] = {}
    for column in table.schema.learnt:
        if column.kind != "categorical" or column.ordered or column.dtype == "Enum" or column.name in declared:
            continue
        n_known = 0 if known is None else len(known[column.name].levels)
        count = np.bincount(table[column.name] + 1, minlength=len(column.levels) + 1)
        count[: n_known + 1] = least  # missing cells and known levels are not rare
        if not (count < least).any():
            continue
        rare = (count < least)[table[column.name] + 1]
        n_present = int((table[column.name] >= 0).sum())
        if column.generalised or rare.sum() <= MOST_RARE * n_present or n_present < least:
            found[column.name] = rare
        else:
            _warn_of_rare_levels(column, least)
    return found


def _warn_of_rare_levels(column: Column, least: int) -> None:
    """Warn that levels are kept: they are no codes, which would have been grouped."""
    warnings.warn(
        f"most rows of column {column.name!r} have a level that fewer than {least} rows share. The levels are learnt "
        "and written as they are. Leave out the kind 'categorical' to have such values regenerated, or list levels.",
        stacklevel=5,
    )


def _without_unused(column: Column, indices: Array, known: Schema | None) -> tuple[Column, Array]:
    """Column with only the levels that rows have or that were known, and the indices into those."""
    used = np.bincount(indices[indices >= 0], minlength=len(column.levels)) > 0
    if known is not None:
        used[: len(known[column.name].levels)] = True
    place = np.append(np.cumsum(used) - 1, -1).astype(np.int32)
    levels = tuple(level for level, kept in zip(column.levels, used, strict=True) if kept)
    nullable = column.nullable or bool((indices < 0).any())
    return replace(column, levels=levels, nullable=nullable), place[indices]


def _imputed(table: Table, rare: Mapping[str, Bools]) -> dict[str, Array]:
    """Arrays in which rare cells have the values of donors; rows with the same rare columns share their donors."""
    arrays = dict(table.columns)
    if not rare:
        return arrays
    names = list(rare)
    mask = np.column_stack([rare[name] for name in names])
    groups = _Groups(table)
    rng = np.random.default_rng(0)  # fixed seed: same table, same donors
    touched = np.flatnonzero(mask.any(axis=1))
    for pattern in np.unique(mask[touched], axis=0):
        rows = touched[(mask[touched] == pattern).all(axis=1)]
        wanted = [name for name, is_rare in zip(names, pattern, strict=True) if is_rare]
        _fill(table, arrays, rows, wanted, groups, rare, rng)
    return arrays


def _fill(
    table: Table,
    arrays: dict[str, Array],
    rows: Array,
    wanted: list[str],
    groups: _Groups,
    rare: Mapping[str, Bools],
    rng: np.random.Generator,
) -> None:
    """Fill the ``wanted`` cells of some rows, in place; without donors each column takes any frequent value."""
    eligible = ~np.any([rare[name] | table.missing(name) for name in wanted], axis=0)
    pool = np.flatnonzero(eligible)
    if len(pool):
        pool = np.sort(rng.choice(pool, min(N_DONORS, len(pool)), replace=False))
        donors = _most_similar(table, rows, pool, wanted, groups, rng)
    for name in wanted:
        source = np.flatnonzero(~(rare[name] | table.missing(name)))
        column = arrays[name].copy()
        if len(pool):
            column[rows] = table[name][donors]
        elif len(source):
            column[rows] = table[name][rng.choice(source, len(rows))]
        else:
            column[rows] = table.schema[name].missing_value
        arrays[name] = column


def _most_similar(
    table: Table, rows: Array, pool: Array, wanted: list[str], groups: _Groups, rng: np.random.Generator
) -> Array:
    """Donor of each row: the one with the largest weight of columns in which both agree, ties at random."""
    theirs = groups.of(pool)
    weight = _weights(table, pool, wanted, theirs)
    found = np.empty(len(rows), np.int64)
    for at in range(0, len(rows), CHUNK):
        mine = groups.of(rows[at : at + CHUNK])
        score = rng.random((len(mine), len(pool)), dtype=np.float32) * np.float32(1e-3)
        for j in np.flatnonzero(weight):
            score += weight[j] * (mine[:, j, None] == theirs[None, :, j])
        found[at : at + CHUNK] = pool[score.argmax(axis=1)]
    return found


def _weights(table: Table, pool: Array, wanted: list[str], theirs: Array) -> Array:
    """Weight of each column: large if one of the ``wanted`` columns determines it among the rows of the pool."""
    weight = np.zeros(theirs.shape[1], np.float32)
    for j, column in enumerate(table.schema.learnt):
        if column.name in wanted:
            continue
        best = max(_determined(table[name][pool], theirs[:, j]) for name in wanted)
        weight[j] = 1 / (EXACT - best)
    return weight


def _determined(key: Array, value: Array) -> float:
    """Share of rows, from 0 to 1, in which the key tells the value better than its most frequent value does."""
    keys, values = (np.unique(part, return_inverse=True)[1] for part in (key, value))
    table = np.zeros((keys.max() + 1, values.max() + 1))
    np.add.at(table, (keys, values), 1.0)
    base = table.sum(axis=0).max() / len(key)
    return 1.0 if base == 1.0 else float((table.max(axis=1).sum() / len(key) - base) / (1.0 - base))


class _Groups:
    """Groups by which rows are compared: levels, or groups of equal size of ordered values; only of rows asked for."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._cuts = {
            column.name: _cuts(table[column.name]) for column in table.schema.learnt if not column.is_discrete
        }

    def of(self, rows: Array) -> Array:
        """(rows, columns) groups of some rows."""
        columns = []
        for column in self._table.schema.learnt:
            cells = self._table[column.name][rows]
            if not column.is_discrete:
                places = np.searchsorted(self._cuts[column.name], cells, side="left")
                cells = np.where(np.isnan(cells), -1, places)
            columns.append(cells.astype(np.int32))
        return np.column_stack(columns)


def _cuts(cells: Array) -> Array:
    """Values between groups of equal size."""
    cells = cells[:: max(1, len(cells) // ROWS_OF_CUTS)]
    present = cells[~np.isnan(cells)]
    return np.unique(np.quantile(present, np.arange(1, N_GROUPS) / N_GROUPS)) if len(present) else np.empty(0)
