"""Turn a by-column result into tables: means over tables, and the columns of each table, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

import pandas as pd

from janus_bench.fidelity.by_column import ColumnTrial
from janus_bench.fidelity.summary import DETECTION
from janus_bench.grids import NOTHING, Grid, decimals, list_records

if TYPE_CHECKING:
    from janus_bench.results import Result


class ColumnSummary(NamedTuple):
    """Trials of a run, their means over seeds by table, column and method, and the method that orders the columns."""

    trials: pd.DataFrame
    means: pd.DataFrame
    tables: Sequence[str]
    methods: Sequence[str]
    lead: str

    @classmethod
    def of(cls, result: Result) -> Self:
        """Group the records of a result."""
        trials, options = result.frame(ColumnTrial), result.options
        of_columns = trials[trials["column"] != ""]
        means = of_columns.groupby(["table", "column", "method"], sort=False).mean(numeric_only=True)
        lead = (*options["ours"], *options["methods"])[0]
        return cls(trials, means, options["tables"], options["methods"], lead)

    def scores(self, table: str, name: str = "auc") -> pd.DataFrame:
        """Means over seeds of one table: a row per column that some method gives parents, a column per method."""
        own = self.means[self.means.index.get_level_values("table") == table].droplevel("table")
        order = own.index.get_level_values("column").unique()
        return own[name].unstack("method").reindex(index=order, columns=list(self.methods))

    def losses(self, table: str, name: str) -> pd.DataFrame:
        """Losses of the scores: a detection AUC below 0.5 counts as one equally far above."""
        return self.scores(table, name).map(DETECTION.loss)

    def worst_first(self, table: str) -> list[str]:
        """Columns by the lead's loss; those that the lead has no score for come last, by the other methods' loss."""
        losses = self.losses(table, "auc")
        others = losses.drop(columns=self.lead).max(axis=1)
        keys = pd.DataFrame({"own": losses[self.lead], "others": others}).fillna(0.0)
        return list(keys.sort_values(["own", "others"], ascending=False, kind="stable").index)

    def shared_tables(self) -> list[str]:
        """Tables on which every method has a score, so that means are comparable."""
        return [table for table in self.tables if self.losses(table, "auc").notna().any().all()]


def by_column_grids(result: Result) -> list[Grid]:
    """All tables of a result by column."""
    summary = ColumnSummary.of(result)
    grids = [_means(summary, result.options["left_out"])]
    grids += [_columns(summary, table) for table in summary.tables if len(summary.scores(table))]
    failed = summary.trials[summary.trials["error"] != ""].replace({"column": {"": NOTHING}})
    names = ("table", "method", "column", "seed", "error")
    return grids + list_records("Failures", failed, {name: name for name in names})


def _means(summary: ColumnSummary, left_out: Sequence[str]) -> Grid:
    tables = summary.shared_tables()
    rows = []
    for method in summary.methods:
        losses = [[summary.losses(table, name)[method] for table in tables] for name in ("auc", "reference")]
        cells = [
            pd.Series([reduce(own) for own in found]).mean() if found else nan
            for found in losses
            for reduce in (pd.Series.mean, pd.Series.max)
        ]
        rows.append([method, *map(decimals, cells), str(sum(own.count() for own in losses[0]))])
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
    scores, references = summary.scores(table), summary.scores(table, "reference")
    # The lead's reference, or another's where the lead gives no parents.
    first = references[list(dict.fromkeys([summary.lead, *summary.methods]))].bfill(axis=1).iloc[:, 0]
    parents = summary.scores(table, "n_parents")
    trials = summary.trials[summary.trials["table"] == table]
    n_values = trials.groupby("column")["n_values"].mean()
    rows = [
        [
            column,
            *map(decimals, scores.loc[column]),
            decimals(first[column]),
            _parents([parents[method][column] for method in summary.methods]),
            decimals(n_values[column], 0),
        ]
        for column in summary.worst_first(table)
    ]
    error = 1 / sqrt(6 * trials["n_rows"].max() * trials["seed"].nunique())
    note = (
        f"Detection AUC, worst for {summary.lead} first; reference: real rows, with the parents that {summary.lead} "
        f"sees. Parents in the order of the methods where they differ. Values: distinct ones in training rows. One "
        f"standard error near 0.5: {decimals(error)}."
    )
    headings = ["column", *summary.methods, "reference", "parents", "values"]
    return Grid(f"Columns of {table}", headings, rows, note)


def _parents(counts: Sequence[float]) -> str:
    """Numbers of parents by method, means over seeds; one number where all agree."""
    texts = [NOTHING if pd.isna(count) else f"{count:.3g}" for count in counts]
    return " / ".join(texts if len(set(texts)) > 1 else texts[:1])
