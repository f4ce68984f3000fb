"""Records on the rare class to tables and a picture: means and spreads over seeds, beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev
from typing import TYPE_CHECKING, Any

from janus_bench.grids import NOTHING, Grid, decimals, mean_of, seconds, with_spread
from janus_bench.pictures import Dot, dot_panel
from janus_bench.versions import REAL_ROWS
from janus_bench.workers import FAILED
from janus_synth.plots import Chart, altair, dressed

if TYPE_CHECKING:
    from janus_bench.results import Result


PAPER = {"JANUS": (0.591, 0.946, 0.028), "CTGAN": (0.600, 0.742, 0.166), "TVAE": (0.591, 0.844, 0.049)}
"""F1, mode collapse score and its spread, means of three tables."""
NOTE = (
    "MCS is 1 less the relative error of the rarest class's share, 1 at best; F1 is macro F1 on held-out rows of a "
    "decision tree that learnt from synthetic ones. Means over seeds ± standard deviation; the average's spread is the "
    "mean of the tables'. CPU seconds are those of fit and sample together, all threads."
)


def collapse_grids(result: Result) -> list[Grid]:
    """One table of averages, one for each table, and what failed."""
    tables = list(dict.fromkeys(record["table"] for record in result.records))
    methods = list(dict.fromkeys(record["method"] for record in result.records))
    grids = [_averages(result.records, tables, methods)]
    grids += [_table(result.records, table, methods) for table in tables]
    failures = [[r["table"], r["method"], str(r["seed"]), r[FAILED]] for r in result.records if FAILED in r]
    if failures:
        grids.append(Grid("What could not be measured", ["table", "method", "seed", "why"], failures, n_labels=4))
    return grids


def _averages(records: Sequence[dict[str, Any]] | Any, tables: list[str], methods: list[str]) -> Grid:
    rows = []
    for method in methods:
        by_table = [[r for r in records if r["table"] == t and r["method"] == method and "mcs" in r] for t in tables]
        complete = [some for some in by_table if some]
        f1, mcs = (mean_of(mean_of(r[name] for r in some) for some in complete) for name in ("f1", "mcs"))
        spread = mean_of(stdev([r["mcs"] for r in some]) for some in complete if len(some) > 1)
        paper = PAPER.get(method)
        rows.append(
            [
                method if len(complete) == len(tables) else f"{method} ({len(complete)} of {len(tables)} tables)",
                decimals(f1),
                NOTHING if paper is None else f"{paper[0]:.3f}",
                _with_spread(mcs, spread),
                NOTHING if paper is None else f"{paper[1]:.3f} ± {paper[2]:.3f}",
                seconds(mean_of(r.get("seconds") for some in complete for r in some)),
                seconds(mean_of(r.get("cpu_seconds") for some in complete for r in some)),
            ]
        )
    heads = ["method", "F1", "in the paper", "MCS", "in the paper", "fit and sample, s", "CPU, s"]
    return Grid("The rare class, on average", heads, rows, note=NOTE)


def _table(records: Any, table: str, methods: list[str]) -> Grid:
    rows = []
    for method in methods:
        some = [r for r in records if r["table"] == table and r["method"] == method and "mcs" in r]
        if not some:
            continue
        mcs = [r["mcs"] for r in some]
        rows.append(
            [
                method,
                decimals(mean_of(r["f1"] for r in some)),
                with_spread(mcs),
                " ".join(f"{value:.2f}" for value in mcs),
            ]
        )
    return Grid(f"The rare class of {table}", ["method", "F1", "MCS", "seed by seed"], rows)


def _with_spread(value: float | None, spread: float | None) -> str:
    return decimals(value) if spread is None else f"{decimals(value)} ± {decimals(spread)}"


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
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
    return dressed(alt.hconcat(*panels, spacing=18), "How well the rarest class keeps its share", notes)
