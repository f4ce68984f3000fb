"""``janus uncertainty``: a model file and rows in; aleatoric and epistemic uncertainty of their cells out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model, split_names
from janus_synth.cli.options import Format, Jobs, Model, Quiet, Rows
from janus_synth.cli.output import (
    check_table_path,
    choose_formats,
    console,
    format_count,
    print_written,
    show_status,
)
from janus_synth.cli.values import find_column, parse_value

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.questions import Uncertainty

UNCERTAINTY_EXAMPLES = (
    "janus uncertainty people.janus held-out.csv",
    "janus uncertainty people.janus held-out.csv --column hired,bonus",
    "janus uncertainty people.janus held-out.csv --by row -o sure.csv",
    "janus uncertainty people.janus held-out.csv --by cell -o cells.parquet",
    "janus uncertainty people.janus held-out.csv --suggest 10 -o label.csv",
    "janus uncertainty caused.janus held-out.csv --suggest 10 -o label.csv \\\n"
    "    --protected sex --privileged male --outcome hired",
)
MEASURES = ("total", "aleatoric", "epistemic")


class By(StrEnum):
    """What one line of the output is about."""

    cell = "cell"
    row = "row"
    column = "column"


def uncertainty(
    model: Model,
    rows: Rows,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--column", "--columns", metavar="A,B", help="Columns to ask about; may be repeated. All by default."
        ),
    ] = None,
    by: Annotated[
        By | None,
        typer.Option(help="One line per cell or row, or means per column (default). Rows are counted from 0."),
    ] = None,
    suggest: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Write instead the N rows to label next (active learning), the most informative first.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="With --suggest: the column to label; whole rows by default."),
    ] = None,
    protected: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="With --suggest: label for the gap between groups of this column."),
    ] = None,
    privileged: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="With --protected: the privileged group: a value, A|B, or low..high."),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(metavar="OUTCOME", help="With --protected: a column of truth values, or a condition on a column."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a table file, or - for standard output.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines as JSON.")] = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Measure how uncertain a model is about cells, given the other columns of their rows.

    Total is the entropy of the posterior predictive, the sum of two parts.
    Aleatoric: noise in the data, which stays however many rows are learnt.
    Epistemic: uncertainty about the model, which shrinks with more rows.
    Support: how far training rows back the answer, from 1 among them to 0 far away.
    Cells of the columns in question may be missing, and rules are not applied.
    """
    from janus_synth.table.files import plain_rows, read_frame, write_frame

    gap = {"--protected": protected, "--privileged": privileged, "--outcome": outcome}
    _check_options({"--column": columns, "--by": by, "--json": as_json}, gap, suggest=suggest, target=target)
    if as_json and out is not None:
        raise typer.BadParameter("it prints, and -o writes a table file. Choose one.", param_hint="--json")
    for_people = out is None and suggest is None and by in (None, By.column)
    path = out or "-"
    prints = for_people or as_json
    formats = choose_formats(rows, rows if prints else path, format)
    if not prints:
        check_table_path(path, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    frame = read_frame(rows, formats.rows, like=janus.schema_)
    with show_status("measuring uncertainty", quiet=quiet):
        if suggest is not None:
            found = janus.suggest(frame, suggest, target, **_gap_arguments(janus, protected, privileged, outcome))
        else:
            names = split_names(columns, janus.schema_.names) if columns else None
            found = _by(janus.uncertainty(frame, names), by or By.column)
    if as_json:
        typer.echo(json.dumps(plain_rows(found), indent=2, ensure_ascii=False))
    elif not for_people:
        write_frame(found, path, format=formats.out)
        if not quiet and path != "-":
            print_written(len(found), path, start)
    elif not quiet:
        console().print(
            f"means over {format_count(len(frame), 'row')}, in nats and in % of the entropy of the column itself",
            soft_wrap=True,
        )
        console().print(_means_table(found))


def _gap_arguments(janus: Janus, protected: str | None, privileged: str | None, outcome: str | None) -> dict[str, Any]:
    """Arguments of ``Janus.suggest`` for a gap; empty without a protected column."""
    if protected is None or privileged is None:
        return {}
    group = parse_value(privileged, find_column(protected, janus.schema_))
    return {"for_": "gap", "protected": protected, "privileged": group, "outcome": outcome}


def _check_options(
    others: Mapping[str, object], gap: Mapping[str, object], *, suggest: int | None, target: str | None
) -> None:
    """Raise an error for options that cannot be combined."""
    if any(gap.values()):
        if suggest is None:
            raise typer.BadParameter("it needs --suggest.", param_hint=next(name for name in gap if gap[name]))
        if absent := [option for option, value in gap.items() if not value]:
            raise typer.BadParameter(f"a gap also needs {' and '.join(absent)}.", param_hint="--suggest")
        if target is not None:
            raise typer.BadParameter("with --protected the outcome is what is labelled.", param_hint="--target")
    if suggest is None and target is not None:
        raise typer.BadParameter(
            "it needs --suggest. To measure one column, name it with --column.", param_hint="--target"
        )
    if suggest is not None and (mixed := [option for option, value in others.items() if value]):
        raise typer.BadParameter(
            f"it writes rows unchanged and cannot be combined with {' and '.join(mixed)}. Name a column with --target.",
            param_hint="--suggest",
        )


def _by(found: Uncertainty, by: By) -> Any:
    """Choose a table of the result."""
    match by:
        case By.cell:
            return found.to_frame()
        case By.row:
            return found.by_row.reset_index(names="row")
    return found.by_column


def _means_table(means: pd.DataFrame) -> Table:
    """Lay out measures per column, in nats and as shares of the entropy of the column itself."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("column", overflow="fold")
    for measure in MEASURES:
        table.add_column(measure, justify="right", no_wrap=True)
        table.add_column("", justify="right", no_wrap=True, style="dim")
    table.add_column("support", justify="right", no_wrap=True)
    for line in means.to_dict("records"):
        numbers = [text for name in MEASURES for text in (f"{line[name]:.3f}", f"{100 * line[f'{name}_share']:.1f} %")]
        table.add_row(Text(line["column"]), *numbers, f"{line['support']:.3f}")
    return table
