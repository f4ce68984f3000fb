"""What becomes of the rare class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import QUICK_ROWS, Cache, Fresh, Jobs, MostSeconds, Out, kept, words


@app.command("mode-collapse", epilog="Example: janus bench mode-collapse --tables adult --methods JANUS,CART --seeds 2")
def mode_collapse(
    tables: Annotated[
        str | None, typer.Option(help="Names with commas between. Default: adult, bank and credit at hand, or hiring.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="As for fidelity. Default: JANUS, paper, CART, CTGAN and TVAE.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows, and neither CTGAN nor TVAE.")
    ] = False,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """See whether the rare class of a table keeps its share, seed by seed, and whether classifiers still learn it."""
    from janus_synth.bench.collapse.run import MAX_ROWS, run_collapse
    from janus_synth.bench.methods import make_methods

    usual = ["JANUS", "paper", "CART"] if quick else ["JANUS", "paper", "CART", "CTGAN", "TVAE"]
    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds)
    chosen = make_methods(words(methods) or usual)
    finish(run_collapse(words(tables), chosen, range(seeds), max_rows=QUICK_ROWS if quick else MAX_ROWS, **how), out)
