"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FormatName(StrEnum):
    """Formats of tables; their names are ``janus_synth.interfaces.files.FORMATS``."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"


Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="Threads; all cores by default. The result does not depend on it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Format = Annotated[
    FormatName | None,
    typer.Option("--format", help="Format, whatever the ending says; of - it is csv by default."),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model that janus fit or Janus.save wrote.")]
