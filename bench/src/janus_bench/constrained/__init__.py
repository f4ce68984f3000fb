"""The benchmark "constrained": conditional samples scored against the true conditional of known structural models.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


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
    nodes: Annotated[str | None, typer.Option(help="ConstrainedSizes of the models, of 5, 10, 30.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Of range, equality, inter-column, mixed.")] = None,
    rarities: Annotated[str | None, typer.Option(help="Of easy, medium, hard, 1%, 0.1%, 0.001%.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="31 scenarios of fewer rows instead of 523.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the table for ctgan, tvae, diffusion, flow. Default: 300.")
    ] = None,
    *,
    run: RunSettings,
) -> Result:
    """Sample rows under conditions on known structural models, and score them against the true conditional.

    Every answer is stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.constrained.methods import make_conditional_methods
    from janus_bench.constrained.run import FULL, QUICK, run_constrained
    from janus_bench.constrained.scenarios import chosen_scenarios

    chosen = make_conditional_methods(split_words(methods), setting or (), epochs=epochs)
    grid = chosen_scenarios(
        quick=quick, seeds=seeds, nodes=split_words(nodes), kinds=split_words(kinds), rarities=split_words(rarities)
    )
    return run_constrained(grid, chosen, sizes=QUICK if quick else FULL, run=run)


def _report() -> Report:
    from janus_bench.constrained.pictures import charts
    from janus_bench.constrained.report import constrained_grids

    return Report(constrained_grids, charts)


CONSTRAINED = Benchmark(
    name="constrained",
    title="Constrained generation",
    report=_report,
    shown=("Beside", "JANUS by kind", "Final by rarity", "Detection AUC by r"),
    run=constrained,
    example="janus bench constrained --quick --methods janus,cart,rows --rarities 'hard,0.1%'. "
    "Rivals that train: janus bench constrained --methods janus,ctgan,tvae,bn --nodes 5 --seeds 1 --epochs 100",
)
