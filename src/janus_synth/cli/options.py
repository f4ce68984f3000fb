"""Options and arguments that several commands share, and the choices they take."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FormatName(StrEnum):
    """File formats of tables: the names in ``janus_synth.table.files.FORMATS``."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"


class Method(StrEnum):
    """Ways to draw rows under conditions; ``Janus.sample`` documents the guarantees of each."""

    exact = "exact"
    greedy = "greedy"


class Leaves(StrEnum):
    """Leaf families of numbers and times."""

    auto = "auto"
    histogram = "histogram"
    trend = "trend"


class GraphLearner(StrEnum):
    """Learners of the graphs of ``--structure bootstrap``."""

    pc = "pc"
    ges = "ges"
    forest = "forest"
    notears = "notears"


class Links(StrEnum):
    """Which columns are computed from others: those that rows show, those that rules state, or none."""

    auto = "auto"
    rules = "rules"
    off = "off"


class OnViolation(StrEnum):
    """What to do about training rows that break a rule."""

    warn = "warn"
    drop = "drop"
    error = "error"


class BadFiles(StrEnum):
    """What to do about files that cannot be used."""

    error = "error"
    skip = "skip"


class Nulls(StrEnum):
    """Where completed rows may have nulls: in columns that the rows lack, in all missing cells, or nowhere."""

    absent = "absent"
    draw = "draw"
    fill = "fill"


class Unknown(StrEnum):
    """What to do about values that no row of a model can have."""

    error = "error"
    keep = "keep"


WHERE_HELP = "Condition on the rows, such as \"18 <= age < 30 and city == 'Rome'\"; may be repeated, all must hold."
LEVEL_HELP = "Confidence level of the intervals."

Where = Annotated[list[str] | None, typer.Option("--where", "--rule", metavar="TEXT", help=WHERE_HELP)]
RequiredWhere = Annotated[list[str], typer.Option("--where", "--rule", metavar="TEXT", help=WHERE_HELP)]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="Threads; all cores by default. The result does not depend on it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Format = Annotated[
    FormatName | None,
    typer.Option("--format", help="File format, instead of the one the ending names; - is csv by default."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=KIND",
        help="How to read a column: zip=categorical, 'day=datetime:%d/%m/%Y', 'price=numeric:$#,##0.00', "
        "'size=ordered:S<M<L'; may be repeated.",
    ),
]
MissingTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="NAME=TEXT",
        help="Text or number that means missing in a column: age=999; may be repeated.",
    ),
]
Silence = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND[:NAME]", help="Alerts that are not wanted: constant, constant:age, or all; may be repeated."
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, written by janus fit or Janus.save.")]
Rows = Annotated[str, typer.Argument(metavar="ROWS", help="Rows to ask about: a table file as for fit, or -.")]
OutModel = Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the model.")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Dask scheduler whose workers do the work: tcp://127.0.0.1:8786."),
]
OutRows = Annotated[
    str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows; - is standard output.")
]
Interventions = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="What a column is set to: age=30, a range age=30..40, one of several city=Rome|Oslo, end_date=null, or a "
        "sum of columns bonus:=0.1*salary; may be repeated. Within a range or a list the column keeps its own "
        "distribution.",
    ),
]
AnswerSeed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="The same seed gives the same answer.")]
RowSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="N",
        help="The same seed gives the same rows. Without it, a model fitted with a seed gives the same rows each time, "
        "any other model new ones.",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        min=0,
        metavar="X",
        show_default="120 and 0.05 for each row",
        help="Fail if the rows take longer; inf for no limit. Rows never depend on the time.",
    ),
]
Level = Annotated[float, typer.Option("--level", min=0.5, max=0.9999, metavar="X", help=LEVEL_HELP)]
TrustGraph = Annotated[
    bool, typer.Option("--trust-graph", help="Take the arrows of a learnt graph as causal, without a warning.")
]
