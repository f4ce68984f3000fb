"""One column of a table in; its nulls, distinct values and distribution in a few numbers out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.table import Column, Table, shown_value
from janus_synth.table.texts import format_values

N_BINS = 24
N_LEVELS = 6
CLIP = 0.01
"""Share of the values beyond each end of a histogram, if a few of them are far away."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column at a glance.

    Parameters
    ----------
    name, kind, dtype : str
        As in the schema.
    format : str
        How its texts are written; empty if as usual.
    missing : float
        Share of missing cells.
    n_distinct : int or None
        Different values; None for identifiers, which are not counted.
    low, middle, high : str
        Smallest value, median and largest value of numbers and times, as the table writes them.
    counts : tuple of int
        Histogram of numbers and times between ``low`` and ``high``, or the rows of each of ``levels``.
    levels : tuple of str
        The most frequent levels.
    note : str
        What identifiers are made from.
    """

    name: str
    kind: str
    dtype: str
    format: str
    missing: float
    n_distinct: int | None
    low: str = ""
    middle: str = ""
    high: str = ""
    counts: tuple[int, ...] = ()
    levels: tuple[str, ...] = ()
    note: str = ""

    @property
    def values(self) -> str:
        """The values in a few words."""
        if self.levels:
            total = max(1, sum(self.counts))
            return ", ".join(
                f"{level} {count / total:.0%}" for level, count in zip(self.levels, self.counts, strict=False)
            )
        return self.note or (f"{self.low} … {self.middle} … {self.high}" if self.low else "only nulls")


def profile_column(table: Table, column: Column) -> ColumnProfile:
    """Look at one column of a table."""
    basics: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "dtype": column.dtype,
        "format": column.format or "",
    }
    if not column.is_learnt:
        note = f"not learnt, new ones like {column.template}" if column.template else f"made up anew: {column.role}"
        missing = column.recipe.missing if column.recipe is not None else 0.0
        return ColumnProfile(**basics, missing=missing, n_distinct=None, note=note)
    gone = table.missing(column.name)
    cells = table[column.name][~gone]
    share = float(gone.mean()) if len(gone) else 0.0
    n_distinct = len(np.unique(cells))
    if not len(cells):
        return ColumnProfile(**basics, missing=share, n_distinct=0)
    if column.is_discrete:
        levels, counts = _levels(column, cells)
        return ColumnProfile(**basics, missing=share, n_distinct=n_distinct, levels=levels, counts=counts)
    low, middle, high = (
        _format_value(column, float(value)) for value in (cells.min(), np.sort(cells)[len(cells) // 2], cells.max())
    )
    return ColumnProfile(
        **basics, missing=share, n_distinct=n_distinct, low=low, middle=middle, high=high, counts=histogram(cells)
    )


def _levels(column: Column, cells: Array) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The most frequent levels and their rows; the last count is that of all others."""
    counts = np.bincount(cells, minlength=len(column.levels))
    order = np.argsort(-counts, kind="stable")[:N_LEVELS]
    levels = tuple(str(column.levels[i]) for i in order if counts[i])
    if column.format and column.kind == "boolean":
        levels = tuple(
            format_values(np.array([column.levels[i] for i in order if counts[i]], float), "boolean", column.format)
        )
    chosen = [int(counts[i]) for i in order if counts[i]]
    rest = int(counts.sum()) - sum(chosen)
    return levels, (*chosen, rest) if rest else tuple(chosen)


def histogram(cells: Floats) -> tuple[int, ...]:
    """Counts of equal bins; values far from the rest are counted in the outermost ones."""
    low, high = np.quantile(cells, (CLIP, 1 - CLIP))
    far = (cells.max() - cells.min()) > 4 * (high - low) > 0
    ends = (float(low), float(high)) if far else (float(cells.min()), float(cells.max()))
    if ends[0] == ends[1]:
        return (len(cells),)
    n_bins = min(N_BINS, max(5, len(np.unique(cells))))
    counts, _ = np.histogram(np.clip(cells, *ends), bins=n_bins, range=ends)
    return tuple(counts.tolist())


def _format_value(column: Column, value: float) -> str:
    if column.format:
        return format_values(np.array([value]), column.kind, column.format)[0]
    shown = shown_value(column, value)
    return f"{shown:.6g}" if isinstance(shown, float) else str(shown)
