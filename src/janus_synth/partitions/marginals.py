"""Distributions of single columns over all rows: partitions in; counts of levels and values out, which add up.

Numbers are counted at and between grid points. If the grid holds every value of a column, distances are exact;
otherwise they are exact at its points, and the largest share between two of them bounds the error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.partitions.sources import Partition
from janus_synth.table import Level, Schema, Table, read_table

GRID_POINTS = 4_096
"""Most points at which the distribution of an ordered column is counted."""
NULL = np.uint64(0x7FF8_0000_0000_0001)


class Distance(NamedTuple):
    """A distance between two columns, and by how much it may be too small."""

    value: float
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class Marginals:
    """Counts of all rows of a table, column by column."""

    n_rows: int
    levels: Mapping[str, Counter[Level | None]]
    """Rows with each level of the discrete columns, None for missing."""
    places: Mapping[str, LongInts]
    """(2 · points + 2,) rows below, at, between and above the points of the grid of an ordered column; then missing."""
    copied: Bools
    """Which of the rows that were looked for are among these."""

    def plus(self, other: Marginals) -> Marginals:
        """Counts of both."""
        return Marginals(
            self.n_rows + other.n_rows,
            {name: counts + other.levels[name] for name, counts in self.levels.items()},
            {name: counts + other.places[name] for name, counts in self.places.items()},
            self.copied | other.copied,
        )


@dataclass(frozen=True, slots=True)
class Ruler:
    """What rows are measured by: kinds of the columns, grids of the ordered ones, and rows to look for."""

    schema: Schema
    grids: Mapping[str, Floats]
    wanted: Array
    """Hashes of the rows that are looked for."""


def make_ruler(schema: Schema, samples: Sequence[Table], wanted: Array) -> Ruler:
    """Ruler whose grids hold all values of the samples, or evenly spaced quantiles of them."""
    grids = {}
    for column in schema.learnt:
        if not column.is_discrete:
            values = np.concatenate([table[column.name] for table in samples])
            points = np.unique(values[~np.isnan(values)])
            if len(points) > GRID_POINTS:
                ordered = np.sort(values[~np.isnan(values)])
                points = np.unique(ordered[np.linspace(0, len(ordered) - 1, GRID_POINTS).astype(np.int64)])
            grids[column.name] = points
    return Ruler(schema, grids, wanted)


def count_marginals(ruler: Ruler, partition: Partition) -> Marginals | None:
    """Counts of all rows of a partition; None if it has none."""
    found = [_count_table(ruler, read_table(batch, ruler.schema)) for batch in partition.batches()]
    return join_marginals(found) if found else None


def join_marginals(parts: Iterable[Marginals]) -> Marginals:
    """Counts of all rows of several parts."""
    first, *others = parts
    for other in others:
        first = first.plus(other)
    return first


def _count_table(ruler: Ruler, table: Table) -> Marginals:
    levels: dict[str, Counter[Level | None]] = {}
    places: dict[str, LongInts] = {}
    for column in table.schema.learnt:
        cells = table[column.name]
        if column.is_discrete:
            counts = np.bincount(cells + 1, minlength=len(column.levels) + 1)
            names: tuple[Level | None, ...] = (None, *column.levels)
            levels[column.name] = Counter({names[i]: int(counts[i]) for i in np.flatnonzero(counts)})
        else:
            places[column.name] = place_values(cells, ruler.grids[column.name])
    copied = np.isin(ruler.wanted, hash_rows(table)) if len(ruler.wanted) else np.zeros(0, bool)
    return Marginals(table.n_rows, levels, places, copied)


def place_values(values: Floats, grid: Floats) -> LongInts:
    """(2 · points + 2,) how many values lie before the first point, at it, after it, and so on; then missing.

    Examples
    --------
    >>> place_values(np.array([0.0, 1.0, 1.5, np.nan]), np.array([1.0, 2.0])).tolist()
    [1, 1, 1, 0, 0, 1]
    """
    present = values[~np.isnan(values)]
    left, right = (np.searchsorted(grid, present, side=side) for side in ("left", "right"))
    counts = np.bincount(left + right, minlength=2 * len(grid) + 1)
    return np.append(counts, len(values) - len(present)).astype(np.int64)


def hash_rows(table: Table) -> Array:
    """(rows,) 64-bit hash of each row's cells; equal rows have equal hashes.

    Of n rows and m others, n · m / 2⁶⁴ pairs of different rows share one by chance: a millionth of a pair for 10⁸
    and 10⁵ rows.
    """
    mixed = np.full(table.n_rows, np.uint64(0x9E37_79B9_7F4A_7C15))
    for column in table.schema.learnt:
        cells = table[column.name]
        bits = np.where(np.isnan(cells), 0.0, cells + 0.0).view(np.uint64) if cells.dtype.kind == "f" else cells
        word = np.where(np.isnan(cells), NULL, bits) if cells.dtype.kind == "f" else (cells + 1).astype(np.uint64)
        mixed = (mixed ^ word) * np.uint64(0xBF58_476D_1CE4_E5B9)
        mixed ^= mixed >> np.uint64(31)
    return mixed


def distance_of(real: Marginals, other: Marginals, name: str) -> Distance:
    """Total variation of a discrete column, Kolmogorov–Smirnov distance of an ordered one."""
    if name in real.levels:
        mine, theirs = real.levels[name], other.levels[name]
        gaps = [abs(mine[level] / real.n_rows - theirs[level] / other.n_rows) for level in {*mine, *theirs}]
        return Distance(0.5 * sum(gaps))
    return _ks(real.places[name] / real.n_rows, other.places[name] / other.n_rows)


def _ks(mine: Floats, theirs: Floats) -> Distance:
    """Largest difference in the share of rows at or below a point, missing counted on either side."""
    below = np.cumsum(mine[:-1]) - np.cumsum(theirs[:-1])
    gaps = np.concatenate([[0.0], below[1::2], below[-1:]])
    missing = mine[-1] - theirs[-1]
    value = float(max(np.abs(gaps).max(), np.abs(gaps + missing).max()))
    return Distance(value, float(max(mine[:-1:2].max(), theirs[:-1:2].max())))
