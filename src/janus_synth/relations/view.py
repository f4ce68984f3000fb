"""A table in; its columns as comparable numbers out, and a sample of rows to propose relations from.

Numbers stay as they are, booleans are 0 and 1, timestamps and durations are seconds. Relations are proposed from the
sample and verified on all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.rules.holds import precision_of
from janus_synth.streams import Stream, generator
from janus_synth.table import Column, Level, Table, shown_value

Unit = Literal["number", "time", "duration"]
MICROSECONDS = 1e6
MAX_DECIMALS = 12
MAX_ROWS = 20_000
"""Rows of the sample that relations are proposed from, by default."""
ULPS = 4.0
FEW_VALUES = 10
"""Numbers with so few distinct values are judged like categories."""
ATOM_SHARE, DOMINANT_SHARE = 0.05, 0.25
"""Share of rows of a value of a number that stands for something: zero or an extreme, and any other."""


@dataclass(frozen=True)
class View:
    """A table and a random sample of its rows.

    Parameters
    ----------
    table : Table
        All rows.
    max_rows : int
        Rows of the sample.
    seed : int
        Seed of the sample and of all permutations.
    """

    table: Table
    max_rows: int
    seed: int

    @cached_property
    def sample(self) -> Table:
        """Random rows, in random order: a beginning of the sample is a sample too."""
        order = self.random().permutation(self.table.n_rows)[: self.max_rows]
        return self.table.take(order)

    @cached_property
    def numbers(self) -> Mapping[str, Floats]:
        """Numbers of the sample, by column that has numbers."""
        return {name: numbers_of(self.sample, name) for name in self.numeric}

    @cached_property
    def codes(self) -> Mapping[str, LongInts]:
        """Distinct values of the sample, numbered in order, by column; −1 is missing."""
        return {column.name: codes_of(self.sample, column.name) for column in self.columns}

    @cached_property
    def decimals(self) -> Mapping[str, int | None]:
        """Decimals of a column's numbers; None if they have more than twelve."""
        return {name: count_decimals(x, self.precision(name)) for name, x in self.numbers.items()}

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Columns that are not constant, identifiers excepted."""
        return tuple(column for column in self.table.schema.learnt if _varies(self.sample, column.name))

    @property
    def numeric(self) -> list[str]:
        """Columns with numbers: numeric, datetime, boolean."""
        return [column.name for column in self.columns if column.kind != "categorical"]

    def random(self) -> np.random.Generator:
        """Fresh generator; the same numbers each time."""
        return generator(self.seed, Stream.RELATIONS)

    def unit(self, name: str) -> Unit:
        """Unit of a column's numbers."""
        return unit_of(self.table.schema[name])

    def precision(self, name: str) -> float:
        """Relative rounding of a column's numbers."""
        column = self.table.schema[name]
        return precision_of(column)

    def relative_step(self, name: str) -> float:
        """Unit of a column's last decimal over its standard deviation; 0 if there is no such unit."""
        decimals = self.decimals[name]
        return 0.0 if decimals is None else 10.0**-decimals / float(np.nanstd(self.numbers[name]))

    def complete(self, names: Sequence[str]) -> Bools:
        """Rows of the table in which none of these columns is null."""
        return complete_rows(self.table, names)

    def row_values(self, row: int, names: Sequence[str]) -> dict[str, Level | None]:
        """Values of one row of the table as a user would write them."""
        return {name: shown_value(self.table.schema[name], float(self.table[name][row])) for name in names}


def _varies(table: Table, name: str) -> bool:
    present = table[name][~table.missing(name)]
    return bool(len(present) and (present != present[0]).any())


def unit_of(column: Column) -> Unit:
    """Unit of a column's numbers: plain, seconds since 1970, or seconds of a duration."""
    if column.kind == "datetime":
        return "time"
    is_duration = column.kind == "numeric" and any(mark in column.dtype.lower() for mark in ("time", "duration"))
    return "duration" if is_duration else "number"


def numbers_of(table: Table, name: str) -> Floats:
    """Column as float64 with NaN for missing; times in seconds, booleans 0 and 1."""
    column, cells = table.schema[name], table[name]
    if column.is_discrete:
        return np.where(cells < 0, np.nan, cells.astype(np.float64))
    return cells / MICROSECONDS if unit_of(column) != "number" else cells


def codes_of(table: Table, name: str) -> LongInts:
    """Column as numbers of its distinct values, in order; −1 is missing."""
    if table.schema[name].is_discrete:
        return table[name].astype(np.int64)
    missing = table.missing(name)
    codes = np.unique(table[name], return_inverse=True)[1].astype(np.int64)
    return np.where(missing, -1, codes)


def complete_rows(table: Table, names: Sequence[str]) -> Bools:
    """Rows in which none of these columns is null."""
    complete = np.ones(table.n_rows, dtype=bool)
    for name in names:
        if table.schema[name].nullable:
            complete &= ~table.missing(name)
    return complete


def count_decimals(values: Floats, precision: float) -> int | None:
    """Smallest number of decimals that writes all values, within rounding; None if it is more than twelve."""
    present = values[~np.isnan(values)]
    slack = ULPS * precision * np.abs(present)
    for decimals in range(MAX_DECIMALS + 1):
        if (np.abs(present - np.round(present, decimals)) <= slack).all():
            coarse = bool(len(present)) and bool((slack > 0.25 * 10.0**-decimals).any())
            return None if coarse else decimals
    return None


def special_values(values: Floats, counts: LongInts) -> Bools:
    """Which of the sorted values of a number stand for something: one of few values, or a frequent extreme or zero.

    Examples
    --------
    >>> special_values(np.arange(30.0) - 1, np.array([500, 20] + [2] * 28))
    array([ True, False, False, ...])
    """
    if len(values) <= FEW_VALUES:
        return np.ones(len(values), dtype=bool)
    share = counts / counts.sum()
    extreme = (values == 0) | (values == values[0]) | (values == values[-1])
    found: Bools = (extreme & (share >= ATOM_SHARE)) | (share >= DOMINANT_SHARE)
    return found
