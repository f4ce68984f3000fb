"""Report on tables larger than memory: a `Result` in; tables of time, memory, ratios and fidelity out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, seconds, times
from janus_bench.scalability.large import COUNT, GROUP_BY, PAIRS, TIMES, TURNS, LargeStep
from janus_bench.scalability.streamed import AGAIN, StreamedTrial

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
    f"{LEAST_OF_TWO}); on a busy machine it says little. × DuckDB: CPU seconds of counting over those of one query "
    "that reads the same columns. The first query groups the rows by two columns and counts the values of the others "
    f"(target: at most {MOST_OF_DUCKDB:.0f}). Counting fills the leaves of about a hundred trees; the second query "
    "computes as many group-bys, one for each pair of columns."
)
STREAM = (
    "Tables drawn from known distributions; trees grown on a sample of the rows, all rows counted. The first line is a "
    "fit in memory, the second one with another seed, which shows what chance alone does. Log likelihood: mean over "
    "held-out rows. Detection: AUC against held-out rows, 0.5 ideal. Marginals: mean distance of single columns. "
    "Differences to the fit in memory are paired by seed, ± their standard error."
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
    cpu = {name: own.set_index(["turn", "threads"])["cpu"] for name, own in steps.groupby("step")}
    for name in steps["step"].unique():
        own = steps[steps["step"] == name].set_index(["turn", "threads"])
        clock = own["seconds"].unstack("threads")
        per_row = (1e6 * own["cpu"] / own["rows"]).median()
        speed_up = (clock[1] / clock[2]).median()
        ratios = [
            times((own["cpu"] / cpu[rival]).median(), 1) if name == COUNT and rival in cpu else NOTHING
            for rival in (GROUP_BY, PAIRS)
        ]
        cells = [f"{own['rows'].iloc[0]:,}", decimals(per_row, 2), *ratios]
        rows.append([name, *cells, seconds(clock[1].median()), seconds(clock[2].median()), decimals(speed_up, 2)])
    heads = ["step", "rows", "CPU µs per row", "× DuckDB", "× all pairs", "s, 1 thread", "s, 2 threads", "speed-up"]
    return Grid("Two threads and one, and DuckDB", heads, rows, TURN)


def _fidelity(trials: pd.DataFrame) -> Grid:
    rows = []
    for name in trials["table"].unique():
        own = trials[trials["table"] == name].set_index(["seed", "grown_on"])
        n_train = int(own["n_train"].iloc[0])
        scores = {score: own[score].unstack("grown_on") for score in ("log_density", "detection", "marginals")}
        for size in (n_train, AGAIN, *sorted((n for n in scores["detection"] if 0 < n < n_train), reverse=True)):
            label = "all, again" if size == AGAIN else "all" if size == n_train else f"{size:,}"
            cells: list[str] = []
            for found in scores.values():
                gap = NOTHING if size == n_train else _with_error(found[size] - found[n_train])
                cells += [decimals(found[size].mean(), 4), gap]
            rows.append([name, label, *cells])
    heads = ["table", "grown on", "log likelihood", "difference", "detection", "difference", "marginals", "difference"]
    return Grid("Fidelity of a fit from partitions", heads, rows, STREAM, n_labels=2)


def _with_error(gaps: pd.Series[float]) -> str:
    """Mean ± standard error, as text."""
    mean = ("+" if gaps.mean() >= 0 else "") + decimals(gaps.mean(), 4)
    return f"{mean} ± {decimals(float(gaps.std()) / gaps.count() ** 0.5, 4)}" if gaps.count() > 1 else mean
