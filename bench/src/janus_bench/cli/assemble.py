"""Results of many runs on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def assemble(
    folder: Annotated[Path, typer.Argument(help="JSON files of runs, and what is read in them: NAME.reading.md.")],
    out: Annotated[Path, typer.Option(help="Page to write.")] = Path("results.md"),
    no_pictures: Annotated[
        bool, typer.Option("--no-pictures", help="Show the pictures that are there; draw none.")
    ] = False,
) -> None:
    """Put the results of a folder on one page, with their readings, pictures, commands and versions."""
    from janus_bench.assembly import assemble as put_together

    page, *tables = put_together(folder, out, pictures=not no_pictures)
    typer.echo(f"wrote {page}, and all tables of {len(tables)} results beside them", err=True)
