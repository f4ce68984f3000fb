"""An earlier run once more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import print_tables


@app.command(epilog="Example: janus bench show bench-results/fidelity-2026-01-31-120000.json")
def show(path: Annotated[Path, typer.Argument(help="A JSON file of an earlier run.")]) -> None:
    """Print the tables of an earlier run."""
    from janus_synth.bench.results import read_result

    print_tables(read_result(path))
