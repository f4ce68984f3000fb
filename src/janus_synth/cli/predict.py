"""``janus predict``: a model file and rows in; predictions of one column out, with probabilities or uncertainty."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from janus_synth.cli.inputs import find_column, load_model
from janus_synth.cli.options import Format, Jobs, Model, OutRows, Quiet, Rows
from janus_synth.cli.output import check_table_path, choose_formats, print_written

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
    from janus_synth.table.files import as_kind, read_frame, write_frame

    formats = choose_formats(rows, out, format)
    check_table_path(out, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    find_column(target, janus.schema_)
    frame = as_kind(read_frame(rows, formats.rows), "pandas")
    asked = as_kind(frame, janus.schema_.frame)
    columns: dict[str, Any] = {name: frame[name] for name in frame.columns} if keep else {}
    columns[f"predicted {target}"] = _values(janus.predict(asked, target))
    if probabilities:
        shares = as_kind(janus.predict_proba(asked, target), "pandas")
        columns |= {f"P({target} = {name})": shares[name].to_numpy() for name in shares.columns}
    if uncertainty:
        parts = as_kind(janus.uncertainty(asked, [target])[target], "pandas")
        columns |= {f"{name} {target}": parts[name].to_numpy() for name in UNCERTAINTY}
    write_frame(_frame(columns), out, format=formats.out)
    if not quiet and out != "-":
        print_written(len(frame), out, start)


def _values(predicted: Any) -> Any:
    """A column of a frame of any kind as pandas has it."""
    return predicted.to_pandas().array if hasattr(predicted, "to_pandas") else predicted.array


def _frame(columns: dict[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)
