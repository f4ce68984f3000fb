"""Time and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import Tables, words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid


def speed(
    tables: Tables = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables, each measured once.")] = False,
    **kept: Any,
) -> Result:
    """Time fits and samples beside random forests, sequential CART and numpy; weigh memory and start-up.

    What is timed is kept, with its date: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.speed.parts import QUICK, Sizes
    from janus_bench.speed.run import run_speed

    return run_speed(words(tables), sizes=QUICK if quick else Sizes(), **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.speed.grids import speed_grids

    return speed_grids(result)


SPEED = Benchmark(
    name="speed",
    title="Speed",
    tables=tables_of,
    shown=("Fitting", "Sampling"),
    run=speed,
    example="janus bench speed --tables adult --quick --out speed-results",
    in_parallel=False,
    timed=True,
)
