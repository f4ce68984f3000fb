"""How time grows with columns and rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, MostSeconds, Out, kept, words
from janus_synth.errors import DataError


@app.command(epilog="Example: janus bench scalability --parts A,B --columns 5,10,30 --seeds 1")
def scalability(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (structural models, scored), B (more columns, graph known), C (more rows). Default: all."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Of given, janus, forest, paper, cart, cart-given. Default: those that suit each part."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Numbers of columns in A and B.")] = None,
    rows: Annotated[str | None, typer.Option(help="Numbers of rows in C.")] = None,
    table: Annotated[
        str | None, typer.Option(help="What C makes longer. Default: adult if at hand, or hiring.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Models and tables of each size. Default: 3.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes and one seed, in about a minute.")] = False,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Time fits and samples as columns and rows become more, beside sequential CART and the paper's table."""
    from janus_synth.bench.scalability.run import FULL, N_SEEDS, QUICK, run_scalability

    sizes = QUICK if quick else FULL
    if columns is not None:
        sizes = replace(sizes, columns=_numbers(columns), sparse_columns=_numbers(columns))
    if rows is not None:
        sizes = replace(sizes, row_steps=_numbers(rows))
    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds)
    chosen = range(seeds or (1 if quick else N_SEEDS))
    finish(run_scalability(words(parts), words(methods), chosen, sizes=sizes, table=table, **how), out)


def _numbers(text: str) -> tuple[int, ...]:
    """Sizes between commas; thousands may be marked by underscores."""
    try:
        found = tuple(sorted({int(word) for word in words(text) or []}))
    except ValueError:
        raise DataError(f"{text!r} holds something that is no whole number. Write sizes such as 5,10,30.") from None
    if not found or found[0] < 5:
        raise DataError(f"{text!r} names no sizes, or some below 5. Write sizes such as 5,10,30.")
    return found
