"""Turn a speed result into tables; every ratio is shown beside the seconds it comes from."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, each_row, list_records, seconds, times
from janus_bench.speed.parts import OURS, Timing
from janus_bench.speed.requests import RequestTiming
from janus_bench.speed.run import Failure

if TYPE_CHECKING:
    from janus_bench.results import Result


BEST = "Seconds are those of the fastest run; spread is the slowest over the fastest."


def speed_grids(result: Result) -> list[Grid]:
    """All tables of a speed result."""
    timings = read_timings(result)
    makers = {
        "fit": _beside_ours,
        "sample": _beside_ours,
        "rows": _doubling,
        "columns": _doubling,
        "memory": _memory,
        "start": _starts,
    }
    grids = [
        make(part, timings[timings["part"] == part]) for part, make in makers.items() if part in set(timings["part"])
    ]
    requests = result.frame(RequestTiming)
    if len(requests):
        grids.append(_requests(requests))
    return grids + list_records("Failures", result.frame(Failure), {name: name for name in ("part", "table", "error")})


def read_timings(result: Result) -> pd.DataFrame:
    """Timings of a result, with the fastest run in wall-clock and CPU seconds and the spread over runs."""
    found = result.frame(Timing)
    return found.assign(
        best=found["seconds"].map(min),
        spread=found["seconds"].map(max) / found["seconds"].map(min),
        processor=[min(runs, default=nan) if isinstance(runs, list) else nan for runs in found["processor_seconds"]],
        size=[
            f"{n_rows:,} × {n_columns}" for n_rows, n_columns in zip(found["n_rows"], found["n_columns"], strict=True)
        ],
    )


def _beside_ours(part: str, timings: pd.DataFrame) -> Grid:
    """Every subject beside JANUS at the same size."""
    ours = timings[timings["subject"] == OURS][["table", "n_rows", "best", "processor"]]
    pairs = timings.merge(ours, on=["table", "n_rows"], how="left", suffixes=("", "_ours"))
    rows = [
        [
            t.table,
            t.subject,
            t.size,
            seconds(t.best),
            decimals(t.spread, 2),
            seconds(t.processor),
            times(t.best_ours / t.best),
            times(t.processor_ours / t.processor),
            NOTHING if t.subject == OURS else "faster" if t.best_ours < t.best else "slower",
        ]
        for t in each_row(pairs)
    ]
    headings = ["table", "subject", "rows × columns", "seconds", "spread", "processor s"]
    headings += [f"{OURS} takes", "in processor s", f"{OURS} is"]
    title = "Fitting" if part == "fit" else "Sampling"
    return Grid(title, headings, rows, f"{BEST} {OURS} takes so many times the subject's seconds.", n_labels=2)


def _doubling(part: str, timings: pd.DataFrame) -> Grid:
    """Growth of time from each size to the next."""
    cells = timings["n_rows"] * timings["n_columns"]
    growth = [column / column.shift() for column in (cells, timings["best"], timings["processor"])]
    rows = [
        [t.table, t.subject, t.size, seconds(t.best), *(decimals(ratios[t.Index], 2) for ratios in growth)]
        for t in each_row(timings)
    ]
    headings = ["table", "subject", "rows × columns", "seconds", "× cells", "× seconds", "× processor s"]
    return Grid(f"Fitting more {part}", headings, rows, "Each line beside the one above it.", n_labels=2)


def _memory(part: str, timings: pd.DataFrame) -> Grid:
    rows = [
        [t.table, t.subject, t.size, seconds(t.best), decimals(t.before_mib, 0), decimals(t.peak_mib, 0)]
        for t in each_row(timings)
    ]
    note = "Resident memory of a process of its own: before the call (table or model loaded) and at its peak."
    headings = ["table", "subject", "rows × columns", "seconds", "before MiB", "peak MiB"]
    return Grid("Memory", headings, rows, note, n_labels=2)


def _starts(part: str, timings: pd.DataFrame) -> Grid:
    rows = [[t.subject, seconds(t.best), decimals(t.spread, 2)] for t in each_row(timings)]
    note = f"In new processes. {BEST}"
    return Grid("Starting", ["what", "seconds", "spread"], rows, note)


def _requests(timings: pd.DataFrame) -> Grid:
    """Rows under conditions beside filtering, by acceptance rate."""
    found = timings.assign(ratio=timings["first"] / timings["filtering"], later=timings["again"] / timings["filtering"])
    groups = found.groupby(["table", "target"], sort=False)
    rows = [
        [
            str(table),
            f"{target:g}",
            str(len(part)),
            f"{part['probability'].median():.2g}",
            seconds(part["first"].median()),
            seconds(part["again"].median()),
            seconds(part["filtering"].median()),
            times(part["ratio"].median()),
            times(part["ratio"].max()),
            times(part["later"].median()),
        ]
        for (table, target), part in groups
    ]
    headings = ["table", "acceptance", "requests", "median probability", "first", "again", "filtering"]
    headings += ["first / filtering", "largest", "again / filtering"]
    note = (
        f"Processor seconds for {timings['n_rows'].iloc[0]:,} rows, medians over random requests: the first call with "
        "its plan, a second call with another seed, and unconstrained rows of the same model, drawn and judged until "
        "there are as many."
    )
    return Grid("Rows under conditions", headings, rows, note, n_labels=2)
