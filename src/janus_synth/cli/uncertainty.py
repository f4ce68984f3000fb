"""``janus uncertainty`` and ``janus anomalies``: a model file and rows in; how sure it is, or how odd they are, out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.formats import Formats, check_table_path, formats_of, tell_written
from janus_synth.cli.options import Format, FormatName, Jobs, Model, Quiet, Rows
from janus_synth.cli.show import console, counted, working

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
)
ANOMALIES_EXAMPLES = (
    "janus anomalies people.janus held-out.csv",
    "janus anomalies people.janus held-out.csv -n 50 -o odd.csv",
)
MOST_COLUMNS = 3
MEASURES = ("total", "aleatoric", "epistemic")


class By(StrEnum):
    """What has a line of its own."""

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
        By | None, typer.Option(help="A line for each cell or row, or means per column (default). Rows count from 0.")
    ] = None,
    suggest: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Write instead the N rows whose labels would teach most, most first."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="With --suggest: the column that one would find out; by default whole rows."
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a table file, or - for standard output.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines as JSON.")] = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Ask how sure a model is of cells, given the other columns of their rows.

    Total: how much is open. Aleatoric: noise, which stays however many rows are learnt.
    Epistemic: what the model does not know yet, which more rows would take away.
    Cells of the columns asked about may be absent, and rules are left aside.
    """
    from janus_synth.table.files import plain_rows, read_frame, write_frame

    _check_asked({"--column": columns, "--by": by, "--json": as_json}, suggest=suggest, target=target)
    if as_json and out is not None:
        raise typer.BadParameter("it prints, and -o writes a table file. Choose one.", param_hint="--json")
    is_read = out is None and suggest is None and by in (None, By.column)
    path, formats = _check_paths(model, rows, out, format, is_read=is_read or as_json)
    start = time.perf_counter()
    learnt = _loaded(model, jobs)
    frame = read_frame(rows, formats.rows)
    with working("asking the model how sure it is", quiet=quiet):
        if suggest is not None:
            found = learnt.suggest(frame, suggest, target)
        else:
            sure = learnt.uncertainty(frame, _columns(columns, learnt))
            found = _by(sure, by or By.column)
    if as_json:
        typer.echo(json.dumps(plain_rows(found), indent=2, ensure_ascii=False))
    elif not is_read:
        write_frame(found, path, format=formats.out)
        if not quiet and path != "-":
            tell_written(len(found), path, start)
    elif not quiet:
        console().print(
            f"means over {counted(len(frame), 'row')}, in nats and in % of the most there could be", soft_wrap=True
        )
        console().print(_means_table(found))


def anomalies(
    model: Model,
    rows: Rows,
    n: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="How many rows.")] = 10,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write a table file of row, score and columns, or - for a pipe."
        ),
    ] = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """List the oddest rows, and the columns that make them so.

    The score says by how many nats a row is less likely than the model's own rows usually are; 0 is as usual.
    Rows count from 0.
    """
    from janus_synth.table.files import read_frame, write_frame

    is_read = out is None
    path, formats = _check_paths(model, rows, out, format, is_read=is_read)
    start = time.perf_counter()
    learnt = _loaded(model, jobs)
    frame = read_frame(rows, formats.rows)
    with working("judging the rows", quiet=quiet):
        parts = learnt.anomaly_score(frame, by_column=True)
    oddest = parts.loc[parts.sum(axis=1).sort_values(ascending=False, kind="stable").index[:n]]
    if not is_read:
        write_frame(_listed(oddest), path, format=formats.out)
        if not quiet and path != "-":
            tell_written(len(oddest), path, start)
    elif not quiet:
        console().print(_odd_table(frame, oddest))


def _check_asked(others: Mapping[str, object], *, suggest: int | None, target: str | None) -> None:
    """Refuse options that say nothing together."""
    if suggest is None and target is not None:
        raise typer.BadParameter(
            "it is for --suggest. To ask about a column, name it with --column.", param_hint="--target"
        )
    if suggest is not None and (mixed := [option for option, value in others.items() if value]):
        raise typer.BadParameter(
            f"it writes rows as they are, and goes without {' and '.join(mixed)}. Name a column with --target.",
            param_hint="--suggest",
        )


def _check_paths(
    model: str, rows: str, out: str | None, format: FormatName | None, *, is_read: bool
) -> tuple[str, Formats]:
    """Where to write, and the formats of both ends; what a person reads has none."""
    if is_read:
        return "-", formats_of(rows, rows, format)
    path = out or "-"
    formats = formats_of(rows, path, format)
    check_table_path(path, formats.out, inputs=(model, rows))
    return path, formats


def _loaded(model: str, jobs: int | None) -> Janus:
    from janus_synth.janus import Janus

    learnt = Janus.load(model)
    return learnt if jobs is None else learnt.set_params(n_jobs=jobs)


def _columns(texts: Sequence[str] | None, learnt: Janus) -> list[str] | None:
    """Names of columns; commas part them, unless they belong to a name."""
    if not texts:
        return None
    found = [name for text in texts for name in ([text] if text in learnt.schema_ else text.split(","))]
    return list(dict.fromkeys(name if name in learnt.schema_ else name.strip() for name in found))


def _by(sure: Uncertainty, by: By) -> Any:
    match by:
        case By.cell:
            return sure.to_frame()
        case By.row:
            return sure.by_row.reset_index(names="row")
    return sure.by_column


def _means_table(means: pd.DataFrame) -> Table:
    """Measures per column, in nats and as shares of the most there could be."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("column", overflow="fold")
    for measure in MEASURES:
        table.add_column(measure, justify="right", no_wrap=True)
        table.add_column("", justify="right", no_wrap=True, style="dim")
    for line in means.to_dict("records"):
        numbers = [text for name in MEASURES for text in (f"{line[name]:.3f}", f"{100 * line[f'{name}_share']:.1f} %")]
        table.add_row(Text(line["column"]), *numbers)
    return table


def _most_odd(parts: pd.Series[float]) -> list[tuple[str, float]]:
    """The columns that add most to a row's score, most first."""
    most = parts.sort_values(ascending=False, kind="stable")[:MOST_COLUMNS]
    return [(str(name), float(part)) for name, part in most.items() if part > 0]


def _listed(oddest: pd.DataFrame) -> pd.DataFrame:
    """Row numbers, scores, and the names of the columns that add most."""
    import pandas as pd

    names = [", ".join(name for name, _ in _most_odd(parts)) for _, parts in oddest.iterrows()]
    return pd.DataFrame({"row": oddest.index, "score": oddest.sum(axis=1).to_numpy(), "columns": names})


def _odd_table(frame: pd.DataFrame, oddest: pd.DataFrame) -> Table:
    """The same for people, with the cells themselves."""
    from rich.table import Table
    from rich.text import Text

    from janus_synth.table.files import plain_rows

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("row", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("most from", overflow="fold")
    cells = plain_rows(frame.loc[oddest.index])
    for (number, parts), row in zip(oddest.iterrows(), cells, strict=True):
        texts = [
            f"{name} = {'null' if row[name] is None else row[name]} ({part:+.1f})" for name, part in _most_odd(parts)
        ]
        table.add_row(f"{number:,}", f"{parts.sum():.1f}", Text(", ".join(texts)))
    return table
