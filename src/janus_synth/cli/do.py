"""``janus do``: a model file and columns to set in; rows from the world where they are set, or its model, out."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Annotated

import typer

from janus_synth.cli.formats import check_table_path, tell_written
from janus_synth.cli.interventions import settings_in
from janus_synth.cli.options import (
    Format,
    FormatName,
    Jobs,
    Model,
    Quiet,
    Settings,
    TrustGraph,
    Where,
    check_model_path,
)
from janus_synth.cli.sample import BATCH_ROWS
from janus_synth.cli.show import console, size_text, working
from janus_synth.cli.trust import causal_model, doubts_told

DO_EXAMPLES = (
    "janus do people.janus --set age=30 -n 1000 -o rows.csv",
    "janus do people.janus --set age=30..40 --set sex=female -o rows.csv",
    "janus do people.janus --set 'remote=true' --where 'hired' -n 5",
    "janus do people.janus --set 'bonus := 0.1 * offered_salary' -o rows.csv",
    "janus do people.janus --set hired=true --save world.janus --trust-graph",
)
N_ROWS = 1000


def do(
    model: Model,
    settings: Settings,
    n: Annotated[
        int | None, typer.Option("--rows", "-n", min=0, metavar="N", help=f"How many rows; {N_ROWS} if not said.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows; to standard output if not said."),
    ] = None,
    where: Where = None,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the world's model, for all other commands; then rows only with -n or -o."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="One seed, one table; as for sample.")] = None,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows from the world where columns are set: what would happen if.

    A column that is set no longer depends on others; those that depend on it follow.
    Conditions choose among the rows of that world.
    """
    from janus_synth.table.files import write_frames

    path = out or "-"
    wants_rows = save is None or out is not None or n is not None
    _check(model, path, save, where, format, wants_rows=wants_rows)
    start = time.perf_counter()
    learnt = causal_model(model, trust_graph=trust_graph, jobs=jobs)
    asked = settings_in(settings, learnt.schema_)
    n_rows = (N_ROWS if n is None else n) if wants_rows else 0
    shown = False if quiet or (path == "-" and sys.stdout.isatty()) else None
    with doubts_told(quiet=quiet), working("seeing what that world can be", quiet=shown is False):
        world = learnt.do(asked)
        pieces = world.sample_batches(n_rows, where=where, batch_rows=BATCH_ROWS, random_state=seed, progress=shown)
    is_told = not quiet and not (wants_rows and path == "-")
    if save is not None:
        world.save(os.path.realpath(save))  # a link stays a link
        if is_told:
            console().print(f"the world's model in {save} ({size_text(os.path.getsize(save))})", soft_wrap=True)
    if wants_rows:
        with contextlib.closing(pieces):  # type: ignore[type-var]  # a generator, whose bar must go when writing fails
            write_frames(pieces, path, schema=world.schema_, format=format)
        if is_told:
            tell_written(n_rows, path, start)


def _check(
    model: str, out: str, save: str | None, where: list[str] | None, format: FormatName | None, *, wants_rows: bool
) -> None:
    """Refuse what cannot be written, before any work is done for it."""
    if save is not None:
        check_model_path(save, inputs=(model,), option="--save")
        if os.path.realpath(save) == os.path.realpath(out):
            raise typer.BadParameter(f"{save} cannot hold both the model and rows.", param_hint="--save")
    if wants_rows:
        check_table_path(out, format, inputs=(model,))
    elif where:
        raise typer.BadParameter("it chooses among rows, and none are asked for. Add -n or -o.", param_hint="--where")
