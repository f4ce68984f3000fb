"""Rows under conditions on models that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Out, words


@app.command(epilog="Example: janus bench constrained --quick --methods janus,cart,rows --rarities 'hard,0.1%'")
def constrained(
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of janus, given, greedy, paper, reject, cart, cart-given, copula, rows, clip. Default: all of them."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="A further JANUS, as name:key=value,key=value. Give it once per setting."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Structural models of each size. Default: those of the grid.")
    ] = None,
    nodes: Annotated[str | None, typer.Option(help="Sizes of the models, of 5, 10, 30.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Of range, equality, inter-column, mixed.")] = None,
    rarities: Annotated[str | None, typer.Option(help="Of easy, medium, hard, 1%, 0.1%, 0.001%.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="31 scenarios of fewer rows instead of 523.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask for rows under conditions on known structural models, and judge them by the true conditional."""
    from janus_synth.bench.constrained.methods import make_conditional_methods
    from janus_synth.bench.constrained.run import FULL, QUICK, run_constrained
    from janus_synth.bench.constrained.scenarios import chosen_scenarios

    chosen = make_conditional_methods(words(methods), setting or ())
    grid = chosen_scenarios(quick=quick, seeds=seeds, nodes=words(nodes), kinds=words(kinds), rarities=words(rarities))
    result = run_constrained(grid, chosen, sizes=QUICK if quick else FULL)
    finish(result, out)
