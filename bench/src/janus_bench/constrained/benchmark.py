"""Rows under conditions on models that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def constrained(
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of janus, given, greedy, paper, reject, cart, cart-given, copula, rows, clip, which are the default; "
            "by rejection also bn, arf, ctgan, tvae, diffusion, flow (together: peers), cart10, cart20, independent, "
            "uniform."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="A further JANUS, as name:key=value,key=value; structure=given is the true graph. Give it once per "
            "setting."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Structural models of each size. Default: those of the grid.")
    ] = None,
    nodes: Annotated[str | None, typer.Option(help="Sizes of the models, of 5, 10, 30.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Of range, equality, inter-column, mixed.")] = None,
    rarities: Annotated[str | None, typer.Option(help="Of easy, medium, hard, 1%, 0.1%, 0.001%.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="31 scenarios of fewer rows instead of 523.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the table for ctgan, tvae, diffusion, flow. Default: 300.")
    ] = None,
    most_seconds: Annotated[
        float | None,
        typer.Option(
            min=0.1, help="Time for one method and all conditions on one model; what is not done is a failure."
        ),
    ] = None,
    **kept: Any,
) -> Result:
    """Ask for rows under conditions on known structural models, and judge them by the true conditional.

    Every answer is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.constrained.methods import make_conditional_methods
    from janus_bench.constrained.run import FULL, QUICK, run_constrained
    from janus_bench.constrained.scenarios import chosen_scenarios

    chosen = make_conditional_methods(words(methods), setting or (), epochs=epochs)
    grid = chosen_scenarios(quick=quick, seeds=seeds, nodes=words(nodes), kinds=words(kinds), rarities=words(rarities))
    return run_constrained(grid, chosen, sizes=QUICK if quick else FULL, most_seconds=most_seconds, **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.constrained.report import constrained_grids

    return constrained_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.constrained.pictures import charts

    return charts(result)


CONSTRAINED = Benchmark(
    name="constrained",
    title="Rows under conditions",
    tables=tables_of,
    charts=charts_of,
    shown=("Beside", "JANUS by kind", "Final by rarity", "Detection AUC by r"),
    run=constrained,
    example="janus bench constrained --quick --methods janus,cart,rows --rarities 'hard,0.1%'. "
    "Rivals that train: janus bench constrained --methods janus,ctgan,tvae,bn --nodes 5 --seeds 1 --epochs 100",
)
