"""The benchmark "effects": coverage and width of intervals of causal effects on known models.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def effects(
    scenarios: Annotated[
        str | None,
        typer.Option(
            help="Of average, levels, subgroup, weak, rare, line, kink, growing-noise, wave, modified, product, "
            "saturating, skewed-line, group-curve, direct, interactions, nulls, nulls-curve, with commas "
            "between. Default: all."
        ),
    ] = None,
    methods: Annotated[str | None, typer.Option(help="Of rows, model. Default: both.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Tables of each scenario. Default: 200, quick 3.")] = None,
    rows: Annotated[int, typer.Option(min=200, help="Rows of a table.")] = 1_500,
    quick: Annotated[bool, typer.Option("--quick", help="Three tables of each scenario.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Estimate effects of known structural models, from rows and from a fitted model, and compare with the truth.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.effects.run import run_effects

    return run_effects(
        split_words(scenarios), split_words(methods), range(seeds or (3 if quick else 200)), n_rows=rows, run=run
    )


def _report() -> Report:
    from janus_bench.effects.report import effect_grids

    return Report(effect_grids)


EFFECTS = Benchmark(
    name="effects",
    title="Causal effects",
    report=_report,
    shown=("Coverage",),
    run=effects,
    example="janus bench effects --scenarios average,kink --methods rows --seeds 20",
)
