"""Three tables and their scores in; numbers per column and per pair of columns, the worst first, out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from janus_synth.errors import DataError
from janus_synth.metrics import association_matrix, detection_auc, marginal_errors
from janus_synth.metrics.rows import Rows, align, equal_rows, subsample, target_of
from janus_synth.report.details import Details
from janus_synth.table import Column, Schema, Table, read_table, write_table
from janus_synth.table.datetimes import zone_of

if TYPE_CHECKING:
    from janus_synth.metrics import Report
    from janus_synth.metrics.detection import Detector

NAN = math.nan
N_COLUMNS_ALONE, N_PAIRS_ALONE = 8, 4
"""Number of the worst columns and pairs whose detection AUC is computed on their own."""
MAX_ROWS_ALONE = 2_000


@dataclass(frozen=True, slots=True)
class Tables:
    """Equal numbers of rows, the same that the scores compared.

    Attributes
    ----------
    test, synthetic, train_sample : Rows
        Held-out real rows, generated rows, and training rows, as many of each.
    train : Rows
        All training rows.
    schema : Schema
        The columns, with all levels that any of the tables has.
    """

    test: Rows
    synthetic: Rows
    train_sample: Rows
    train: Rows
    schema: Schema

    @property
    def ignored(self) -> tuple[str, ...]:
        """Identifiers, which no score compares."""
        return tuple(column.name for column in self.schema if not column.is_learnt)

    @property
    def plain_schema(self) -> Schema:
        """The learnt columns of `frames`: detected on its own, a small table may get other kinds of columns."""
        return Schema(tuple(map(_plain_column, self.schema.learnt)), "pandas")

    def frames(self) -> tuple[Any, Any]:
        """Held-out and synthetic rows as pandas frames, to be read with `plain_schema`."""
        schema = self.plain_schema
        tables = (Table(schema, rows.values, rows.n_rows) for rows in (self.test, self.synthetic))
        real, synthetic = map(write_table, tables)
        return real, synthetic


def read_tables(
    train: Any, test: Any, synthetic: Any, report: Report, *, schema: Schema | None, random_state: int, max_rows: int
) -> Tables:
    """Read the tables as ``metrics.evaluate`` does, and check that the report is about them."""
    rows = align(schema=schema, train=train, test=test, synthetic=synthetic)
    _check_same(rows, report)
    seed = int(np.random.default_rng(random_state).integers(2**31))
    test_rows, synthetic_rows = equal_rows(*rows[1:], seed=seed, most=max_rows)
    for frame in (train, test, synthetic):
        schema = read_table(frame, schema).schema
    assert schema is not None
    return Tables(test_rows, synthetic_rows, subsample(rows[0], test_rows.n_rows, seed), rows[0], schema)


def select_columns(rows: Rows, names: tuple[str, ...]) -> Rows:
    """Keep only these columns."""
    return Rows(tuple(rows.column(name) for name in names), {name: rows[name] for name in names}, rows.n_rows)


def _check_same(rows: tuple[Rows, ...], report: Report) -> None:
    sizes = report.n_rows if report.sampled is None else report.sampled.rows
    for table, found in zip(("train", "test", "synthetic"), rows, strict=True):
        if sizes[table] != found.n_rows:
            raise DataError(
                f"the report is about {sizes[table]:,} rows of the {table} table, and this one has "
                f"{found.n_rows:,}. Give the tables that the report was synthetic from."
            )
    if set(report.columns) != set(rows[0].names):
        raise DataError("the report is about other columns. Give the tables that it was synthetic from.")


def _plain_column(column: Column) -> Column:
    """Return the column with a dtype that implies its kind."""
    if column.kind == "categorical":
        return replace(column, dtype="category", levels=_level_texts(column))
    if column.kind == "boolean":
        return replace(column, dtype="boolean")
    if column.kind == "datetime":
        zone = zone_of(column.dtype)
        return replace(column, dtype=f"datetime64[us, {zone}]" if zone else "datetime64[us]", format=None)
    duration = (
        "time" in column.dtype.lower() or "duration" in column.dtype.lower()
    )  # times of day are durations as well
    return replace(column, dtype="timedelta64[us]" if duration else "float64")


def _level_texts(column: Column) -> tuple[str, ...]:
    """Format levels as distinct texts: 1 and '1' are two levels."""
    texts = tuple(map(str, column.levels))
    return texts if len(set(texts)) == len(texts) else tuple(map(repr, column.levels))


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """One column: distance between real and synthetic rows, the same between real rows, and missing shares."""

    name: str
    kind: str
    distance: float
    reference: float
    wasserstein: float
    missing_real: float
    missing_synthetic: float


@dataclass(frozen=True, slots=True)
class PairFinding:
    """Two columns: their association in real and in synthetic rows."""

    first: str
    second: str
    measure: str
    real: float
    synthetic: float

    @property
    def difference(self) -> float:
        """Synthetic minus real."""
        return self.synthetic - self.real


@dataclass(frozen=True, slots=True)
class SubsetAuc:
    """Detection AUC of a classifier that sees only one column or two."""

    columns: tuple[str, ...]
    auc: float


@dataclass(frozen=True)
class Findings:
    """All numbers that the sections of a report show.

    Attributes
    ----------
    report : Report
        All scores.
    tables : Tables
        The rows behind them.
    random_state, max_rows : int
        Seed and row limit of the scores.
    """

    report: Report
    tables: Tables
    random_state: int
    max_rows: int

    @cached_property
    def columns(self) -> tuple[ColumnFinding, ...]:
        """All columns, the largest distance first."""
        of_synthetic, of_train = (
            marginal_errors(self.tables.test, rows) for rows in (self.tables.synthetic, self.tables.train_sample)
        )
        reference = {**of_train.ks, **of_train.total_variation}
        found = [
            ColumnFinding(
                column.name,
                column.kind,
                self.report.columns[column.name],
                reference[column.name],
                of_synthetic.wasserstein.get(column.name, NAN),
                _missing_share(self.tables.test, column.name),
                _missing_share(self.tables.synthetic, column.name),
            )
            for column in self.tables.test.columns
        ]
        return tuple(sorted(found, key=lambda one: -one.distance))

    @cached_property
    def pairs(self) -> tuple[PairFinding, ...]:
        """All pairs of columns, the largest difference first."""
        real, synthetic = (association_matrix(rows)[1] for rows in (self.tables.test, self.tables.synthetic))
        gap = np.abs(synthetic - real)
        columns = self.tables.test.columns
        found = []
        for i, j in combinations(range(len(columns)), 2):
            a, b = (i, j) if gap[i, j] >= gap[j, i] else (j, i)
            first, second = columns[a], columns[b]
            measure = _measure(first.discrete, second.discrete)
            found.append(PairFinding(first.name, second.name, measure, float(real[a, b]), float(synthetic[a, b])))
        return tuple(sorted(found, key=lambda one: -abs(one.difference)))

    @cached_property
    def details(self) -> Details:
        """Columns and pairs that the page shows in detail."""
        return Details(self.columns, self.pairs, self.tables.test.names)

    @cached_property
    def subset_aucs(self) -> tuple[SubsetAuc, ...]:
        """Detection AUCs of the worst columns and pairs, the largest first; empty without a detection score."""
        if "detection" not in self.report or math.isnan(self.report["detection"]):
            return ()
        subsets: list[tuple[str, ...]] = [(column.name,) for column in self.columns[:N_COLUMNS_ALONE]]
        subsets += [(pair.first, pair.second) for pair in self.pairs[:N_PAIRS_ALONE]]
        rows = equal_rows(self.tables.test, self.tables.synthetic, seed=self.random_state, most=MAX_ROWS_ALONE)
        found = [SubsetAuc(names, self._auc_alone(rows, names)) for names in subsets]
        return tuple(sorted(found, key=lambda one: -one.auc))

    @property
    def n_compared(self) -> int:
        """Rows of each table in the comparisons."""
        return self.tables.test.n_rows

    @property
    def measure(self) -> str:
        """Measure of utility: AUC for classes, R² for numbers."""
        return "AUC" if target_of(self.tables.train, self.report.target).n_classes else "R²"

    def _auc_alone(self, rows: Sequence[Rows], names: tuple[str, ...]) -> float:
        real, synthetic = (select_columns(one, names) for one in rows)
        detector = cast("Detector", self.report.detector)
        return detection_auc(real, synthetic, detector=detector, random_state=self.random_state)


def _missing_share(rows: Rows, name: str) -> float:
    values = rows[name]
    return float(np.mean(np.isnan(values) if values.dtype.kind == "f" else values < 0))


def _measure(first_discrete: bool, second_discrete: bool) -> str:
    if first_discrete and second_discrete:
        return "Theil's U"
    return "η" if first_discrete or second_discrete else "r"
