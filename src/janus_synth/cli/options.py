"""Options that several commands share, and what is refused in all of them alike."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from janus_synth.table.files import Place


class FormatName(StrEnum):
    """Formats of tables; their names are ``janus_synth.table.files.FORMATS``."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"


class Method(StrEnum):
    """Ways to draw rows under conditions; ``Janus.sample`` says what each of them promises."""

    exact = "exact"
    greedy = "greedy"


class Leaves(StrEnum):
    """What the leaves of numbers and times hold."""

    auto = "auto"
    histogram = "histogram"
    trend = "trend"


class OnViolation(StrEnum):
    """What to do about training rows that break a rule."""

    warn = "warn"
    drop = "drop"
    error = "error"


WHERE_HELP = "Condition on the rows, such as \"18 <= age < 30 and city == 'Rome'\"; may be repeated, all must hold."

Where = Annotated[list[str] | None, typer.Option("--where", "--rule", metavar="TEXT", help=WHERE_HELP)]
NeededWhere = Annotated[list[str], typer.Option("--where", "--rule", metavar="TEXT", help=WHERE_HELP)]
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
Rows = Annotated[str, typer.Argument(metavar="ROWS", help="Rows to ask about: a table file as for fit, or -.")]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="What a column is set to: age=30, a range age=30..40, one of some city=Rome|Oslo, end_date=null, or a sum "
        "of columns bonus:=0.1*salary; may be repeated. A range or a list lets it follow its own distribution there.",
    ),
]
AnswerSeed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="One seed, one answer.")]
TrustGraph = Annotated[
    bool, typer.Option("--trust-graph", help="Vouch for the arrows of a learnt graph, so that nothing warns of them.")
]


def check_model_path(path: str, *, inputs: tuple[str, ...], option: str) -> None:
    """Refuse a place where no model can be written."""
    from janus_synth.table.files import STANDARD, check_output

    if path == STANDARD:
        raise typer.BadParameter("a model goes to a file, not to standard output.", param_hint=option)
    check_output(path, inputs=inputs)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"{path} is a device, and a model goes to a file. Choose another output.")


def keep_from_terminal(place: Place) -> None:
    """Refuse to write a binary format where a person would have to read it."""
    if place.is_standard and not place.is_text and sys.stdout.isatty():
        raise typer.BadParameter(
            f"{place.format} is not for the eyes. Name a file with -o, or send the output on.", param_hint="--format"
        )
