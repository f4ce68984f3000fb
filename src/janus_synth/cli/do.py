"""``janus do``: a model file and interventions in; rows of the intervened model, or that model itself, out."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Format, FormatName, Interventions, Jobs, Model, Quiet, RowSeed, TrustGraph, Where
from janus_synth.cli.output import (
    check_model_path,
    check_table_path,
    console,
    format_size,
    print_written,
    progress_option,
    show_status,
    show_warnings,
)
from janus_synth.cli.sample import BATCH_ROWS
from janus_synth.cli.values import parse_interventions

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
    interventions: Interventions,
    n: Annotated[
        int | None, typer.Option("--rows", "-n", min=0, metavar="N", help=f"How many rows; {N_ROWS} by default.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows; standard output by default."),
    ] = None,
    where: Where = None,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the intervened model, for all other commands; then rows are drawn only with -n or -o.",
        ),
    ] = None,
    seed: RowSeed = None,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows after an intervention: what would happen if columns were set.

    A column that is set no longer depends on its parents; the columns that depend on it follow.
    Conditions select among the rows after the intervention.
    """
    from janus_synth.table.files import write_frames

    path = out or "-"
    wants_rows = save is None or out is not None or n is not None
    _check_outputs(model, path, save, where, format, wants_rows=wants_rows)
    start = time.perf_counter()
    with show_status("loading the model", quiet=quiet):
        janus = load_model(model, jobs=jobs, trust_graph=trust_graph)
    set_to = parse_interventions(interventions, janus.schema_)
    n_rows = (N_ROWS if n is None else n) if wants_rows else 0
    progress = progress_option(path, quiet=quiet)
    with show_warnings(quiet=quiet):
        changed = janus.do(set_to)
        batches = changed.sample_batches(
            n_rows, where=where, batch_rows=BATCH_ROWS, random_state=seed, progress=progress
        )
    prints = not quiet and not (wants_rows and path == "-")
    if save is not None:
        changed.save(os.path.realpath(save))  # keeps a symbolic link
        if prints:
            console().print(f"intervened model in {save} ({format_size(os.path.getsize(save))})", soft_wrap=True)
    if wants_rows:
        with contextlib.closing(batches):  # type: ignore[type-var]  # a generator: closing it removes the progress bar
            write_frames(batches, path, schema=changed.schema_, format=format)
        if prints:
            print_written(n_rows, path, start)


def _check_outputs(
    model: str, out: str, save: str | None, where: list[str] | None, format: FormatName | None, *, wants_rows: bool
) -> None:
    """Raise an error unless everything can be written."""
    if save is not None:
        check_model_path(save, inputs=(model,), option="--save")
        if os.path.realpath(save) == os.path.realpath(out):
            raise typer.BadParameter(f"{save} cannot hold both the model and rows.", param_hint="--save")
    if wants_rows:
        check_table_path(out, format, inputs=(model,))
    elif where:
        raise typer.BadParameter(
            "it selects among rows, but no rows are requested. Add -n or -o.", param_hint="--where"
        )
