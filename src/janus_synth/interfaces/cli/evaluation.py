"""``janus evaluate``: training, held-out and synthetic tables in, a report out."""

from __future__ import annotations

from typing import Annotated

import typer

from janus_synth.interfaces.cli.options import Format, Quiet
from janus_synth.interfaces.cli.shown import console, working

EVALUATE_EXAMPLES = (
    "janus evaluate people.csv held-out.csv rows.csv --target hired",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks,mmd",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks --json",
    "janus evaluate people.csv held-out.csv rows.csv -o report.json --quiet",
)
METRICS = (
    "detection, detection_mlp, utility, utility_gap, ks, total_variation, wasserstein, minority_preservation, "
    "rare_level_preservation, association_error, mutual_information_error, mmd, closer_to_train, exact_copies"
)


def evaluate(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Rows that the generator has seen.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="Real rows that it has not seen.")],
    synthetic: Annotated[
        str, typer.Argument(metavar="SYNTHETIC", help="Rows that it made; one of the three may be -.")
    ],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column that utility is about; by default the last one.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="A,B", help=f"Only these: {METRICS}. By default all but detection_mlp.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write the report as JSON to a file as well.")
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Larger tables are subsampled where a score takes time.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of subsamples and classifiers.")] = 0,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Judge synthetic rows: fidelity, utility, and distance from the training rows."""
    from janus_synth.interfaces.files import STANDARD, check_output, read_frame, whole_file

    paths = (train, test, synthetic)
    if paths.count(STANDARD) > 1:
        raise typer.BadParameter("standard input holds one table; give the others as files.")
    if out is not None:
        check_output(out, inputs=paths)
    from janus_synth import metrics as scores

    # The format is that of standard input, if it is read; files then speak for themselves.
    frames = [read_frame(path, format if STANDARD not in paths or path == STANDARD else None) for path in paths]
    names = None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]
    with working("reading", quiet=quiet) as say:
        report = scores.evaluate(
            *frames,
            target=target,
            metrics=names,
            max_rows=max_rows,
            random_state=seed,
            progress=lambda name, done, total: say(f"{done} of {total} scores done; now {name}"),
        )
    text = report.to_json()
    if out is not None:
        with whole_file(out) as file:
            file.write(f"{text}\n".encode())
    if as_json:
        typer.echo(text)
    elif not quiet:
        table = report.__rich__()
        table.columns[0].no_wrap = True  # names of scores are whole on a narrow terminal, too
        console().print(table)
