"""``janus anomalies``: a model file and rows in; the least likely rows and the columns that contribute most out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Format, Jobs, Model, Quiet, Rows
from janus_synth.cli.output import check_table_path, choose_formats, console, print_written, show_status

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

ANOMALIES_EXAMPLES = (
    "janus anomalies people.janus held-out.csv",
    "janus anomalies people.janus held-out.csv -n 50 -o anomalies.csv",
)
N_COLUMNS = 3
"""Columns named for each row."""


def anomalies(
    model: Model,
    rows: Rows,
    n: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="How many rows.")] = 10,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write row, score and columns as a table file, or to - for a pipe."
        ),
    ] = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """List the most anomalous rows, and the columns that contribute most to their score.

    The score says by how many nats a row is less likely than the model's own rows are on average; 0 is typical.
    Rows are counted from 0.
    """
    from janus_synth.table.files import read_frame, write_frame

    path = out or "-"
    formats = choose_formats(rows, out or rows, format)
    if out is not None:
        check_table_path(path, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    frame = read_frame(rows, formats.rows, like=janus.schema_)
    with show_status("scoring rows", quiet=quiet):
        by_column = janus.anomaly_score(frame, by_column=True)
    worst = by_column.loc[by_column.sum(axis=1).sort_values(ascending=False, kind="stable").index[:n]]
    if out is not None:
        write_frame(_as_frame(worst), path, format=formats.out)
        if not quiet and path != "-":
            print_written(len(worst), path, start)
    elif not quiet:
        console().print(_table(frame, worst))


def _main_columns(scores: pd.Series[float]) -> list[tuple[str, float]]:
    """Return the columns that add most to a row's score, the largest first."""
    largest = scores.sort_values(ascending=False, kind="stable")[:N_COLUMNS]
    return [(str(name), float(score)) for name, score in largest.items() if score > 0]


def _as_frame(worst: pd.DataFrame) -> pd.DataFrame:
    """Tabulate row numbers, scores, and the names of the main columns."""
    import pandas as pd

    names = [", ".join(name for name, _ in _main_columns(scores)) for _, scores in worst.iterrows()]
    return pd.DataFrame({"row": worst.index, "score": worst.sum(axis=1).to_numpy(), "columns": names})


def _table(frame: pd.DataFrame, worst: pd.DataFrame) -> Table:
    """Lay out the same for people, with the values of the main columns."""
    from rich.table import Table
    from rich.text import Text

    from janus_synth.table.files import plain_rows

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("row", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("mainly from", overflow="fold")
    cells = plain_rows(frame.loc[worst.index])
    for (number, scores), row in zip(worst.iterrows(), cells, strict=True):
        texts = [
            f"{name} = {'null' if row[name] is None else row[name]} ({score:+.1f})"
            for name, score in _main_columns(scores)
        ]
        table.add_row(f"{number:,}", f"{scores.sum():.1f}", Text(", ".join(texts)))
    return table
