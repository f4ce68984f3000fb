"""``janus demo``: a folder in; a guided example on a generated table out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.cli.output import check_table_path, console, format_count
from janus_synth.errors import MissingExtraError

DEMO_EXAMPLES = ("janus demo", "janus demo --out janus-demo --rows 2000 --seed 1", "janus demo --data people.csv")


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the model, the rows and the HTML page.")
    ] = Path("janus-demo"),
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="Training rows.")] = 5_000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same rows.")] = 0,
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Only write the generated table to this file."),
    ] = None,
) -> None:
    """Show what JANUS does on a generated table: fit, sample, score, and answer questions."""
    if data is not None:
        write_table(data, rows, seed)
        return
    try:
        from janus_synth.demo import run_demo
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("janus_synth"):
            raise
        raise MissingExtraError(error.name.partition(".")[0], "plots", purpose="janus demo") from error
    run_demo(out, n_rows=rows, random_state=seed, console=console())


def write_table(path: str, n_rows: int, seed: int) -> None:
    """Write the table of the demo to a file."""
    from janus_synth import datasets
    from janus_synth.table.files import STANDARD, write_frame

    check_table_path(path, None, inputs=())
    write_frame(datasets.hiring(n_rows, random_state=seed), path)
    if path != STANDARD:
        console().print(f"{format_count(n_rows, 'row')} in {path}", soft_wrap=True)
