"""``janus evaluate``: training, held-out and synthetic tables in, a report out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Annotated

import typer

from janus_synth.cli.options import Format, Quiet
from janus_synth.cli.show import complain, console, working

EVALUATE_EXAMPLES = (
    "janus evaluate people.csv held-out.csv rows.csv --target hired",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks,mmd",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks --json",
    "janus evaluate people.csv held-out.csv rows.csv -o report.json --quiet",
    "janus evaluate people.csv held-out.csv rows.csv --html report.html",
)
METRICS = (
    "detection, detection_mlp, utility, utility_gap, ks, total_variation, wasserstein, minority_preservation, "
    "rare_level_preservation, association_error, association_norm, mutual_information_error, theils_u_error, mmd, "
    "closer_to_train, distance_to_train, delta_presence, k_anonymity, exact_copies"
)
MAX_ROWS = 20_000


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
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write a page with a verdict and pictures as well.")
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Larger tables are subsampled where a score takes time.")
    ] = MAX_ROWS,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of subsamples and classifiers.")] = 0,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Judge synthetic rows: fidelity, utility, and distance from the training rows."""
    from janus_synth.table.files import STANDARD, read_frame

    paths = (train, test, synthetic)
    if paths.count(STANDARD) > 1:
        raise typer.BadParameter("standard input holds one table; give the others as files.")
    _check_outputs(out, html, inputs=paths)
    from janus_synth import metrics as scores
    from janus_synth.report import Origin, report_page

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
        texts = {} if out is None else {out: f"{report.to_json()}\n"}
        if html is not None:
            asked = {"target": target, "metrics": metrics, "max-rows": max_rows, "seed": seed, "format": format}
            texts[html] = report_page(
                frames[0],
                frames[1],
                frames[2],
                report,
                origin=Origin(_shown_files(paths), _command(paths, html, asked)),
                max_rows=max_rows,
                random_state=seed,
                progress=lambda name, done, total: say(f"{done} of {total} parts of the page done; now {name}"),
            )
    _write(texts)
    if as_json:
        typer.echo(report.to_json())
    elif not quiet:
        table = report.__rich__()
        table.columns[0].no_wrap = True  # names of scores are whole on a narrow terminal, too
        console().print(table)
        _tell_page(html)


def _check_outputs(out: str | None, html: str | None, *, inputs: tuple[str, ...]) -> None:
    """Refuse what cannot be written, before any work is done for it."""
    from janus_synth.table.files import STANDARD, check_output

    if html == STANDARD:
        raise typer.BadParameter("a page goes to a file, not to standard output.", param_hint="--html")
    for path in (out, html):
        if path is not None:
            check_output(path, inputs=inputs)
    if out is not None and html is not None and os.path.realpath(out) == os.path.realpath(html):
        raise typer.BadParameter(f"{html} is that of --out, too. Name two files.", param_hint="--html")


def _write(texts: Mapping[str, str]) -> None:
    """Write files by path, each whole or not at all."""
    from janus_synth.table.files import open_output

    for path, text in texts.items():
        with open_output(path) as file:
            file.write(text.encode())


def _tell_page(html: str | None) -> None:
    """Where the page is, and why it may have no pictures."""
    if html is None:
        return
    from janus_synth.plots import missing_extra

    console().print(f"page in {html}", soft_wrap=True)
    if (missing := missing_extra()) is not None:
        complain("warning", f"the page has no pictures: {missing}", style="bold yellow")


def _shown_files(paths: tuple[str, ...]) -> dict[str, str]:
    """Where the tables come from, as the page tells it."""
    from janus_synth.report import file_name
    from janus_synth.table.files import STANDARD

    names = ["standard input" if path == STANDARD else file_name(path) for path in paths]
    return dict(zip(("train", "test", "synthetic"), names, strict=True))


def _command(paths: tuple[str, ...], html: str, asked: Mapping[str, object]) -> str:
    """The command that makes the page again, without what is so by default."""
    from janus_synth.report import file_name

    usual = {"max-rows": MAX_ROWS, "seed": 0}
    words = ["janus", "evaluate", *map(file_name, paths)]
    for name, value in asked.items():
        if value is not None and value != usual.get(name):
            words += [f"--{name}", str(value)]
    return shlex.join([*words, "--html", file_name(html)])
