"""An earlier run once more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_bench.cli.finish import print_tables


def show(path: Annotated[Path, typer.Argument(help="A JSON file of an earlier run.")]) -> None:
    """Print the tables of an earlier run."""
    from janus_bench.results import read_result

    print_tables(read_result(path))
