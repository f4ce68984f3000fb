"""Trials by column to tables: means, and the columns of each table, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from janus_bench.fidelity.by_column import ColumnTrial
from janus_bench.fidelity.summary import DETECTION
from janus_bench.grids import NOTHING, Grid, decimals, mean_of

if TYPE_CHECKING:
    from janus_bench.results import Result


Score = Literal["auc", "reference"]


class ColumnSummary(NamedTuple):
    """Scores by table, column and method, over seeds; ``lead`` decides which column is the worst."""

    trials: Mapping[tuple[str, str, str], Sequence[ColumnTrial]]
    tables: Sequence[str]
    methods: Sequence[str]
    lead: str

    @classmethod
    def of(cls, result: Result) -> Self:
        """Group the records of a result."""
        trials: dict[tuple[str, str, str], list[ColumnTrial]] = {}
        for trial in (ColumnTrial(**record) for record in result.records):
            trials.setdefault((trial.table, trial.column, trial.method), []).append(trial)
        options = result.options
        lead = (*options["ours"], *options["methods"])[0]
        return cls(trials, options["tables"], options["methods"], lead)

    def found(self, table: str, column: str, method: str) -> Sequence[ColumnTrial]:
        """One per seed."""
        return self.trials.get((table, column, method), ())

    def value(self, table: str, column: str, method: str, score: Score = "auc") -> float | None:
        """Mean over seeds."""
        return mean_of(getattr(trial, score) for trial in self.found(table, column, method))

    def columns(self, table: str) -> list[str]:
        """Columns that some method gives parents."""
        return list(dict.fromkeys(column for of, column, _ in self.trials if of == table and column))

    def worst_first(self, table: str) -> list[str]:
        """The same as the lead orders them; those that it has no score of come last, as the others order them."""
        others = [method for method in self.methods if method != self.lead]

        def badness(column: str) -> tuple[float, float]:
            return self._worst(table, column, [self.lead]), self._worst(table, column, others)

        return sorted(self.columns(table), key=badness, reverse=True)

    def _worst(self, table: str, column: str, methods: Iterable[str]) -> float:
        values = [self.value(table, column, method) for method in methods]
        return max((DETECTION.loss(value) for value in values if value is not None), default=0.0)

    def losses(self, table: str, method: str, score: Score) -> list[float]:
        """One per column that the method gives parents."""
        values = [self.value(table, column, method, score) for column in self.columns(table)]
        return [DETECTION.loss(value) for value in values if value is not None]

    def shared_tables(self) -> list[str]:
        """Tables on which every method has a score, so that means compare."""
        return [table for table in self.tables if all(self.losses(table, method, "auc") for method in self.methods)]


def by_column_grids(result: Result) -> list[Grid]:
    """All tables of a result by column."""
    summary = ColumnSummary.of(result)
    grids = [_means(summary, result.options["left_out"])]
    grids += [_columns(summary, table) for table in summary.tables if summary.columns(table)]
    return grids + _failures(summary)


def _means(summary: ColumnSummary, left_out: Sequence[str]) -> Grid:
    tables = summary.shared_tables()
    rows = []
    for method in summary.methods:
        by_score = [[summary.losses(table, method, score) for table in tables] for score in ("auc", "reference")]
        cells = [mean_of(map(reduce, lists)) for lists in by_score for reduce in (fmean, max)]
        rows.append([method, *map(decimals, cells), str(sum(map(len, by_score[0])))])
    note = (
        f"Detection AUC of real parents with one column redrawn, over {len(tables)} of {len(summary.tables)} "
        "tables; below 0.5 counts as that much above. Reference: the same with the real column. A method is judged "
        "on the columns that it gives parents, beside these parents alone."
    )
    if left_out:
        note += f" Left out, as they cannot draw one column given its parents: {', '.join(left_out)}."
    headings = ["method", "mean of columns", "worst column", "reference mean", "reference worst", "columns"]
    return Grid("Mean over tables", headings, rows, note)


def _columns(summary: ColumnSummary, table: str) -> Grid:
    rows = [
        [
            column,
            *(decimals(summary.value(table, column, method)) for method in summary.methods),
            decimals(_reference(summary, table, column)),
            *_facts(summary, table, column),
        ]
        for column in summary.worst_first(table)
    ]
    found = [trial for (of, *_), trials in summary.trials.items() if of == table for trial in trials]
    n_rows, n_seeds = max(trial.n_rows for trial in found), len({trial.seed for trial in found})
    note = (
        f"Detection AUC, worst for {summary.lead} first; reference: real rows, with the parents that {summary.lead} "
        f"sees. Parents in the order of the methods where they differ. Values: distinct ones in training rows. One "
        f"standard error near 0.5: {decimals(1 / sqrt(6 * n_rows * n_seeds))}."
    )
    headings = ["column", *summary.methods, "reference", "parents", "values"]
    return Grid(f"Columns of {table}", headings, rows, note)


def _reference(summary: ColumnSummary, table: str, column: str) -> float | None:
    """The lead's, or another's where the lead gives no parents."""
    values = [summary.value(table, column, method, "reference") for method in (summary.lead, *summary.methods)]
    return next((value for value in values if value is not None), None)


def _facts(summary: ColumnSummary, table: str, column: str) -> tuple[str, str]:
    """Numbers of parents and values; numbers that differ between seeds are averaged."""
    found = [summary.found(table, column, method) for method in summary.methods]
    parents = [f"{fmean(t.n_parents for t in trials):.3g}" if trials else NOTHING for trials in found]
    values = fmean(trial.n_values for trials in found for trial in trials)
    return " / ".join(parents if len(set(parents)) > 1 else parents[:1]), decimals(values, 0)


def _failures(summary: ColumnSummary) -> list[Grid]:
    failed = [trial for trials in summary.trials.values() for trial in trials if trial.error]
    rows = [[t.table, t.method, t.column or NOTHING, str(t.seed), t.error] for t in failed]
    return [Grid("Failures", ["table", "method", "column", "seed", "error"], rows, n_labels=5)] if rows else []
