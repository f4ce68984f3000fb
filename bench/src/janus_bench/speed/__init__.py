"""The command ``janus bench speed``: time of fits, samples and first calls beside familiar baselines, and memory."""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import Tables, split_words
from janus_bench.results import Result


def speed(
    tables: Tables = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables, each measured once.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Time fits and samples beside random forests, sequential CART and numpy; measure memory and start-up.

    Times are stored with their date: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.speed.parts import QUICK, SpeedSizes
    from janus_bench.speed.run import run_speed

    return run_speed(split_words(tables), sizes=QUICK if quick else SpeedSizes(), run=run)


def _report() -> Report:
    from janus_bench.speed.report import speed_grids

    return Report(speed_grids)


SPEED = Benchmark(
    name="speed",
    title="Speed",
    report=_report,
    shown=("Fitting", "Sampling"),
    run=speed,
    example="janus bench speed --tables adult --quick --out speed-results",
    in_parallel=False,
    timed=True,
)
