"""Aligned rows: tables in; rows with the same columns, types and level codes, in equal numbers, out.

Also the target column of utility and minority preservation as class labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from janus_synth.arrays import Array, LongInts
from janus_synth.errors import DataError, SchemaError, UnknownColumnError

if TYPE_CHECKING:
    from janus_synth.table import Schema, Table

Seed: TypeAlias = int | np.random.Generator
Frame: TypeAlias = Any  # a pandas, polars or pyarrow table, or Rows that were aligned before

DISCRETE_KINDS = frozenset({"boolean", "categorical"})


@dataclass(frozen=True, slots=True)
class ColumnView:
    """What a score needs to know of a column; ``n_levels`` is 0 for ordered columns."""

    name: str
    kind: str
    n_levels: int = 0

    @property
    def discrete(self) -> bool:
        """Whether the values are levels, not numbers or moments."""
        return self.kind in DISCRETE_KINDS


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table, coded like those of the tables they are compared with.

    Ordered columns hold float64 with NaN for missing, discrete ones int64 levels with −1.
    """

    columns: tuple[ColumnView, ...]
    values: Mapping[str, Array]
    n_rows: int

    def __getitem__(self, name: str) -> Array:
        return self.values[name]

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in the order of the first table."""
        return tuple(column.name for column in self.columns)

    @property
    def ordered(self) -> tuple[ColumnView, ...]:
        """Numeric and datetime columns."""
        return tuple(column for column in self.columns if not column.discrete)

    @property
    def discrete(self) -> tuple[ColumnView, ...]:
        """Boolean and categorical columns."""
        return tuple(column for column in self.columns if column.discrete)

    def column(self, name: str) -> ColumnView:
        """Look a column up; an unknown name lists the closest ones."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownColumnError(name, self.names)

    def take(self, index: LongInts) -> Rows:
        """Pick rows by position."""
        return Rows(self.columns, {name: self.values[name][index] for name in self.names}, len(index))

    def without(self, name: str) -> Rows:
        """All columns but one."""
        kept = tuple(column for column in self.columns if column.name != name)
        return Rows(kept, {column.name: self.values[column.name] for column in kept}, self.n_rows)


def align(*, schema: Schema | None = None, **tables: Frame) -> tuple[Rows, ...]:
    """Read tables against one schema, so that their rows compare.

    Identifier columns of the first table are left out of all of them.

    Parameters
    ----------
    schema : Schema, optional
        Kinds of the columns; by default those found in the first table.
    **tables : DataFrame
        Tables of any kind, under the names that error messages use.

    Returns
    -------
    tuple of Rows
        One per table, with the same columns and the same level codes.

    Raises
    ------
    DataError
        When the tables have different columns, or one has no rows or nothing to compare.

    Examples
    --------
    >>> import pandas as pd
    >>> first, second = pd.DataFrame({"x": ["a", "b", "a"]}), pd.DataFrame({"x": ["c", "a"]})
    >>> real, synthetic = align(real=first, synthetic=second)
    >>> real["x"].tolist(), synthetic["x"].tolist()
    ([0, 1, 0], [2, 0])
    """
    given = list(tables.values())
    if all(isinstance(table, Rows) for table in given):
        return _checked_peers(given)
    return _coded_rows(_read_all(tables, schema))


def subsample(rows: Rows, most: int, seed: Seed) -> Rows:
    """At most ``most`` rows, drawn without replacement and kept in order."""
    if rows.n_rows <= most:
        return rows
    chosen = np.random.default_rng(seed).choice(rows.n_rows, size=most, replace=False)
    return rows.take(np.sort(chosen).astype(np.int64))


def equal_rows(*samples: Rows, seed: Seed, most: int | None = None) -> tuple[Rows, ...]:
    """Cut all samples to the size of the smallest, or to ``most``.

    Many scores depend on the number of rows; equal numbers make them comparable.
    """
    size = min(rows.n_rows for rows in samples)
    size = size if most is None else min(size, most)
    rng = np.random.default_rng(seed)
    return tuple(subsample(rows, size, rng) for rows in samples)


def stack(*samples: Rows) -> Rows:
    """Concatenate samples."""
    columns = samples[0].columns
    values = {column.name: np.concatenate([rows[column.name] for rows in samples]) for column in columns}
    return Rows(columns, values, sum(rows.n_rows for rows in samples))


def mean_of(values: Iterable[float]) -> float:
    """Mean of the defined values, NaN when there is none."""
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


@dataclass(frozen=True, slots=True)
class Target:
    """A column to predict; ``n_classes`` is 0 when its values are numbers to regress on."""

    name: str
    n_classes: int
    threshold: float | None = None

    def labels(self, rows: Rows) -> LongInts:
        """Class of each row, −1 where the target is missing."""
        values = rows[self.name]
        if self.threshold is None:
            return values.astype(np.int64)
        return np.where(np.isnan(values), -1, values > self.threshold).astype(np.int64)

    def known(self, rows: Rows) -> Rows:
        """Rows whose target is not missing."""
        values = rows[self.name]
        present = np.isfinite(values) if values.dtype.kind == "f" else values >= 0
        return rows if present.all() else rows.take(np.flatnonzero(present))


def target_of(rows: Rows, name: str) -> Target:
    """Decide from real rows whether a target is classified or regressed.

    A number that takes two values (0 and 1, say) is a class; a synthetic 0.3 belongs to the nearer one.
    """
    column = rows.column(name)
    if column.discrete:
        return Target(name, column.n_levels)
    values = rows[name]
    distinct = np.unique(values[np.isfinite(values)])
    if len(distinct) == 2:
        return Target(name, 2, threshold=float(distinct.mean()))
    return Target(name, 0)


def _checked_peers(samples: Sequence[Rows]) -> tuple[Rows, ...]:
    """Rows that were aligned before; samples of different alignments do not mix."""
    if any(rows.columns != samples[0].columns for rows in samples):
        raise DataError("these rows were read against different schemas. Align the tables together.")
    return tuple(samples)


def _read_all(tables: Mapping[str, Frame], schema: Schema | None) -> list[Table]:
    """Read each table against the schema that earlier tables have extended."""
    read: list[Table] = []
    first_name = next(iter(tables))
    known = _column_names(first_name, tables[first_name])
    for name, frame in tables.items():
        if read:
            learnt = [column.name for column in read[0].schema.learnt]
            _require_same_columns(first_name, learnt, known, name, _column_names(name, frame))
        read.append(_read(name, frame, read[-1].schema if read else schema))
    if not read[0].schema.learnt:
        raise DataError(f"the {first_name} table has nothing to compare: all its columns are identifiers or personal.")
    return read


def _read(name: str, frame: Frame, schema: Schema | None) -> Table:
    """Read one table; errors mention its name."""
    from janus_synth.table import read_table

    try:
        return read_table(frame, schema)
    except SchemaError as error:
        raise SchemaError(f"{name} table: {error}", column=error.column) from error
    except DataError as error:
        raise DataError(f"{name} table: {error}") from error


def _coded_rows(tables: Sequence[Table]) -> tuple[Rows, ...]:
    """Convert tables to rows with common level codes: those of the last schema, which has all levels."""
    columns = tuple(ColumnView(c.name, c.kind, len(c.levels)) for c in tables[-1].schema.learnt)
    return tuple(
        Rows(columns, {column.name: _plain(table[column.name], column) for column in columns}, table.n_rows)
        for table in tables
    )


def _plain(values: Array, column: ColumnView) -> Array:
    return values.astype(np.int64 if column.discrete else np.float64)


def _column_names(name: str, frame: Frame) -> list[str]:
    from janus_synth.table.frames import column_names, unwrap

    try:
        return column_names(*unwrap(frame))
    except DataError as error:
        raise DataError(f"{name} table: {error}") from error


def _require_same_columns(
    first_name: str, learnt: Sequence[str], known: Sequence[str], name: str, found: Sequence[str]
) -> None:
    """Raise unless a table has every learnt column and none that the first table lacks; identifiers may be absent."""
    lacking = [column for column in learnt if column not in found]
    extra = [column for column in found if column not in known]
    if not lacking and not extra:
        return
    parts = [f"lacks {', '.join(map(repr, lacking))}"] if lacking else []
    parts += [f"has {', '.join(map(repr, extra))} that the {first_name} table lacks"] if extra else []
    raise DataError(f"the {name} table {' and '.join(parts)}. Give tables with the same columns.")
