"""Report on tables larger than memory: a `Result` in; tables of time, memory, ratios and fidelity out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, seconds, times, with_spread
from janus_bench.scalability.large import TIMES, TURNS, LargeStep
from janus_bench.scalability.streamed import StreamedTrial

if TYPE_CHECKING:
    from janus_bench.results import Result

FIT_MB, WRITE_MB = 1_500, 1_000
"""Targets: most memory of a fit, and of writing rows, in millions of bytes."""
MOST_PER_ROW = 1.5
MOST_OF_DUCKDB = 3.0
LEAST_OF_TWO = 1.6
TIME = (
    "Each step ran once, with two threads in a process of its own. Memory is the largest resident set of the process. "
    f"Targets: a fit from files below {FIT_MB:,} MB and within {MOST_PER_ROW} × of the CPU time per row of the fit in "
    f"memory; writing below {WRITE_MB:,} MB."
)
TURN = (
    "Steps took turns. Speed-up: seconds of one thread over those of two, median over turns (target: at least "
    f"{LEAST_OF_TWO}); on a busy machine it says little. × DuckDB: CPU seconds over those of one query that reads the "
    f"same columns and computes one group-by (target: at most {MOST_OF_DUCKDB:.0f}); counting fills the leaves of all "
    "trees, about a hundred group-bys."
)
STREAM = (
    "Trees grown on a share of the training rows, all rows counted; 100 % is a fit in memory. Detection: AUC against "
    "held-out rows, 0.5 ideal. Marginals: mean distance of single columns. Difference of detection: paired by seed."
)


def large_grids(result: Result) -> list[Grid]:
    """All tables of a result on large tables."""
    steps, trials = result.frame(LargeStep), result.frame(StreamedTrial)
    grids = []
    if len(steps) and (steps["part"] == TIMES).any():
        grids.append(_times(steps[steps["part"] == TIMES]))
    if len(steps) and (steps["part"] == TURNS).any():
        grids.append(_turns(steps[steps["part"] == TURNS]))
    if len(trials):
        grids.append(_fidelity(trials))
    return grids


def _times(steps: pd.DataFrame) -> Grid:
    per_row = 1e6 * steps["cpu"] / steps["rows"]
    inside = float(per_row[steps["step"] == "fit in memory"].iloc[0])
    rows = []
    for (_, step), cost in zip(steps.iterrows(), per_row, strict=True):
        megabytes = step["peak_mib"] * 2**20 / 1e6
        ratio = times(cost / inside, 2) if step["step"] == "fit from files" else NOTHING
        verdict = _verdict(step["step"], megabytes, cost / inside)
        clock, cpu = seconds(step["seconds"]), seconds(step["cpu"])
        cells = [f"{step['rows']:,}", clock, cpu, decimals(cost, 2), ratio, decimals(megabytes, 0), verdict]
        rows.append([step["step"], *cells])
    heads = ["step", "rows", "s", "CPU s", "CPU µs per row", "× in memory", "peak MB", "target"]
    return Grid("Time and memory", heads, rows, TIME)


def _verdict(step: str, megabytes: float, ratio: float) -> str:
    if step == "fit from files":
        return "met" if megabytes < FIT_MB and ratio <= MOST_PER_ROW else "missed"
    if step == "write":
        return "met" if megabytes < WRITE_MB else "missed"
    return NOTHING


def _turns(steps: pd.DataFrame) -> Grid:
    rows = []
    duckdb = steps[steps["step"].str.startswith("group by")].set_index(["turn", "threads"])["cpu"]
    for name in steps["step"].unique():
        own = steps[steps["step"] == name].set_index(["turn", "threads"])
        clock = own["seconds"].unstack("threads")
        ratio = (own["cpu"] / duckdb).median() if name == "count" else float("nan")
        per_row = (1e6 * own["cpu"] / own["rows"]).median()
        speed_up = (clock[1] / clock[2]).median()
        cells = [f"{own['rows'].iloc[0]:,}", decimals(per_row, 2), times(ratio, 1) if name == "count" else NOTHING]
        rows.append([name, *cells, seconds(clock[1].median()), seconds(clock[2].median()), decimals(speed_up, 2)])
    heads = ["step", "rows", "CPU µs per row", "× DuckDB", "s, 1 thread", "s, 2 threads", "speed-up"]
    return Grid("Two threads and one, and DuckDB", heads, rows, TURN)


def _fidelity(trials: pd.DataFrame) -> Grid:
    rows = []
    for name in trials["table"].unique():
        own = trials[trials["table"] == name].set_index(["seed", "share"])
        scores = own["detection"].unstack("share")
        for share in sorted(scores, reverse=True):
            gap = with_spread(scores[share] - scores[1.0]) if share < 1 else NOTHING
            marginals = own["marginals"].unstack("share")[share]
            size = f"{int(own['n_train'].iloc[0] * share):,}"
            rows.append([name, f"{share:.0%}", size, with_spread(scores[share]), gap, with_spread(marginals)])
    heads = ["table", "grown on", "rows", "detection", "difference", "marginals"]
    return Grid("Fidelity of a fit from partitions", heads, rows, STREAM, n_labels=2)
