"""Three tables to rows that compare, and to frames that pictures read the way the scores did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.errors import DataError
from janus_synth.metrics.rows import Rows, align, equal_rows, subsample
from janus_synth.table import Column, Schema, read_table, write_table
from janus_synth.table.datetimes import zone_of

if TYPE_CHECKING:
    from janus_synth.metrics import Report


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows in equal numbers, the same ones that the scores looked at.

    Attributes
    ----------
    held_out, made, seen : Rows
        Real rows the generator has not seen, rows it made, and rows it has seen.
    train : Rows
        All rows it has seen.
    schema : Schema
        The columns, with all levels that any of the tables has.
    """

    held_out: Rows
    made: Rows
    seen: Rows
    train: Rows
    schema: Schema

    @property
    def ignored(self) -> tuple[str, ...]:
        """Identifiers, which no score looks at."""
        return tuple(column.name for column in self.schema if not column.is_learnt)

    def frames(self) -> tuple[Any, Any]:
        """Held-out and synthetic rows as pandas frames.

        Read on its own, a small table may seem to have other kinds of columns: twenty cities that all differ look like
        identifiers. These frames have dtypes that leave nothing to guess.
        """
        schema = Schema(tuple(map(_plain_column, self.schema.learnt)), "pandas")
        real, synthetic = (
            write_table(rows.values, schema, n_rows=rows.n_rows) for rows in (self.held_out, self.made)
        )  # fmt: skip
        return real, synthetic


def compared_tables(
    train: Any, test: Any, synthetic: Any, report: Report, *, schema: Schema | None, random_state: int, max_rows: int
) -> Tables:
    """Read the tables as ``metrics.evaluate`` does, and see that the report is about them."""
    rows = align(schema=schema, train=train, test=test, synthetic=synthetic)
    _check_same(rows, report)
    seed = int(np.random.default_rng(random_state).integers(2**31))
    held_out, made = equal_rows(*rows[1:], seed=seed, most=max_rows)
    for frame in (train, test, synthetic):
        schema = read_table(frame, schema).schema
    assert schema is not None
    return Tables(held_out, made, subsample(rows[0], held_out.n_rows, seed), rows[0], schema)


def picked(rows: Rows, names: tuple[str, ...]) -> Rows:
    """Only these columns."""
    return Rows(tuple(rows.column(name) for name in names), {name: rows[name] for name in names}, rows.n_rows)


def _check_same(rows: tuple[Rows, ...], report: Report) -> None:
    for table, found in zip(("train", "test", "synthetic"), rows, strict=True):
        if report.n_rows[table] != found.n_rows:
            raise DataError(
                f"the report is about {report.n_rows[table]:,} rows of the {table} table, and this one has "
                f"{found.n_rows:,}. Give the tables that the report was made from."
            )
    if set(report.columns) != set(rows[0].names):
        raise DataError("the report is about other columns. Give the tables that it was made from.")


def _plain_column(column: Column) -> Column:
    """The same column, in a dtype that says of what kind it is."""
    if column.kind == "categorical":
        return replace(column, dtype="category", levels=_level_texts(column))
    if column.kind == "boolean":
        return replace(column, dtype="boolean")
    if column.kind == "datetime":
        zone = zone_of(column.dtype)
        return replace(column, dtype=f"datetime64[us, {zone}]" if zone else "datetime64[us]", template=None)
    duration = "time" in column.dtype.lower() or "duration" in column.dtype.lower()  # times of day are durations, too
    return replace(column, dtype="timedelta64[us]" if duration else "float64")


def _level_texts(column: Column) -> tuple[str, ...]:
    """Levels as text, still distinct: 1 and '1' are two."""
    texts = tuple(map(str, column.levels))
    return texts if len(set(texts)) == len(texts) else tuple(map(repr, column.levels))
