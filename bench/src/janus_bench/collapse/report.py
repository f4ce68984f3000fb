"""Report on mode collapse: a `Result` in, grids and a chart out.

They show means and standard deviations over seeds, next to the paper's figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, seconds, with_spread
from janus_bench.pictures import Dot, dot_panel
from janus_bench.versions import REAL_ROWS
from janus_bench.workers import FAILED
from janus_synth.plots import Chart, altair, apply_theme

if TYPE_CHECKING:
    from janus_bench.results import Result


PAPER = {"JANUS": (0.591, 0.946, 0.028), "CTGAN": (0.600, 0.742, 0.166), "TVAE": (0.591, 0.844, 0.049)}
"""The paper's F1, mode collapse score and its standard deviation, means over three tables."""
NOTE = (
    "MCS is 1 less the relative error of the rarest class's share, 1 at best; F1 is macro F1 on held-out rows of a "
    "decision tree that learnt from synthetic ones. Means over seeds ± standard deviation; the average's spread is the "
    "mean of the tables'. CPU seconds are those of fit and sample together, all threads."
)


def collapse_grids(result: Result) -> list[Grid]:
    """A grid of averages, a grid per table, and failures if there are any."""
    records = pd.DataFrame(result.records)
    measured = records[records["mcs"].notna()] if "mcs" in records else records.iloc[:0]
    grids = [_averages(records, measured)]
    grids += [_table(measured[measured["table"] == table], table) for table in records["table"].unique()]
    failures = [[r["table"], r["method"], str(r["seed"]), r[FAILED]] for r in result.records if FAILED in r]
    if failures:
        grids.append(Grid("What could not be measured", ["table", "method", "seed", "why"], failures, n_labels=4))
    return grids


def _averages(records: pd.DataFrame, measured: pd.DataFrame) -> Grid:
    n_tables = records["table"].nunique()
    rows = []
    for method in records["method"].unique():
        own = measured[measured["method"] == method]
        by_table = own.groupby("table").agg(f1=("f1", "mean"), mcs=("mcs", "mean"), spread=("mcs", "std"))
        f1, mcs, spread = by_table.mean()
        times = own.reindex(columns=["seconds", "cpu_seconds"]).mean()  # real rows take none
        paper = PAPER.get(method)
        rows.append(
            [
                method if len(by_table) == n_tables else f"{method} ({len(by_table)} of {n_tables} tables)",
                decimals(f1),
                NOTHING if paper is None else f"{paper[0]:.3f}",
                decimals(mcs) if math.isnan(spread) else f"{decimals(mcs)} ± {decimals(spread)}",
                NOTHING if paper is None else f"{paper[1]:.3f} ± {paper[2]:.3f}",
                *map(seconds, times),
            ]
        )
    heads = ["method", "F1", "in the paper", "MCS", "in the paper", "fit and sample, s", "CPU, s"]
    return Grid("The rare class, on average", heads, rows, note=NOTE)


def _table(measured: pd.DataFrame, table: str) -> Grid:
    rows = [
        [
            str(method),
            decimals(own["f1"].mean()),
            with_spread(own["mcs"]),
            " ".join(f"{value:.2f}" for value in own["mcs"]),
        ]
        for method, own in measured.groupby("method", sort=False)
    ]
    return Grid(f"The rare class of {table}", ["method", "F1", "MCS", "seed by seed"], rows)


def charts(result: Result) -> dict[str, Chart]:
    """The chart by name."""
    measured = any("mcs" in record and record["method"] != REAL_ROWS for record in result.records)
    return {"shares": share_picture(result)} if measured else {}


def share_picture(result: Result) -> Chart:
    """A dot per seed, a tick at their mean, a panel per table."""
    alt = altair()
    records = [record for record in result.records if "mcs" in record and record["method"] != REAL_ROWS]
    methods = list(dict.fromkeys(record["method"] for record in records))
    tables = list(dict.fromkeys(record["table"] for record in records))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="mode collapse score", tickCount=5))
    panels = [
        dot_panel(
            [Dot(r["method"], r["mcs"], r["method"].startswith("JANUS")) for r in records if r["table"] == table],
            x,
            methods,
            title=table,
            labelled=table == tables[0],
        )
        for table in tables
    ]
    notes = ["1 is the share of the rarest class among real rows, 0 none of it or twice as much. A dot is a seed."]
    return apply_theme(alt.hconcat(*panels, spacing=18), "How well the rarest class keeps its share", notes)
