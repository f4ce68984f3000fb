"""``janus predict``: a model file and rows in; predictions of one column out, with probabilities or uncertainty."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Format, FormatName, Jobs, Model, OutRows, Quiet, Rows
from janus_synth.cli.output import check_table_path, choose_formats, print_written
from janus_synth.cli.values import find_column

PREDICT_EXAMPLES = (
    "janus predict people.janus held-out.csv --target hired -o guesses.csv",
    "janus predict people.janus held-out.csv --target hired --probabilities",
    "janus predict people.janus held-out.csv --target bonus --uncertainty",
    "janus predict people.janus held-out.csv --target age --keep -o all.csv",
)
UNCERTAINTY = ("total", "aleatoric", "epistemic", "support")


def predict(
    model: Model,
    rows: Rows,
    target: Annotated[str, typer.Option("--target", metavar="COLUMN", help="Column to predict from all others.")],
    out: OutRows = "-",
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of every level, value or range.")
    ] = False,
    uncertainty: Annotated[
        bool,
        typer.Option(
            "--uncertainty",
            help="Add total, aleatoric and epistemic uncertainty of the column given its parents (nats), and support.",
        ),
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Write all columns of the rows as well.")] = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Predict a column from all others: its most probable level, or the median of a number or time.

    Values of the column in the rows are not used. A file is written completely or not at all.
    """
    from janus_synth.table.files import as_kind, read_frame

    formats = choose_formats(rows, out, format)
    check_table_path(out, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    find_column(target, janus.schema_)
    frame = as_kind(read_frame(rows, formats.rows), janus.schema_.frame)
    columns = _columns(frame) if keep else {}
    columns[f"predicted {target}"] = _one_column(janus.predict(frame, target))
    if probabilities:
        shares = _columns(janus.predict_proba(frame, target))
        columns |= {f"P({target} = {name})": share for name, share in shares.items()}
    if uncertainty:
        parts = _columns(janus.uncertainty(frame, [target])[target])
        columns |= {f"{name} {target}": parts[name] for name in UNCERTAINTY}
    n_rows = _write(columns, out, formats.out)
    if not quiet and out != "-":
        print_written(n_rows, out, start)


def _columns(frame: Any) -> dict[str, Any]:
    """Columns of a frame of any kind as Arrow arrays, which keep whole numbers and dates as they are."""
    from janus_synth.table.files import as_kind

    table = as_kind(frame, "pyarrow")
    return dict(zip(table.column_names, table.columns, strict=True))


def _one_column(series: Any) -> Any:
    """One column of a frame of any kind as an Arrow array."""
    import narwhals as nw

    return _columns(nw.from_native(series, series_only=True).alias("value").to_frame().to_native())["value"]


def _write(columns: dict[str, Any], out: str, format: FormatName | None) -> int:
    """Write the columns as a table; return the number of rows."""
    import pyarrow as pa

    from janus_synth.table.files import write_frame

    table = pa.table(columns)
    write_frame(table, out, format=format)
    return int(table.num_rows)
