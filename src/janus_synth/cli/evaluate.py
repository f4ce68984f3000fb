"""``janus evaluate``: training, held-out and synthetic tables in; scores as a table, JSON or an HTML report out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.errors import EXIT_CODE, FAILED
from janus_synth.cli.inputs import is_source_path
from janus_synth.cli.options import Format, Quiet
from janus_synth.cli.output import (
    check_distinct_paths,
    check_text_paths,
    console,
    print_message,
    show_status,
)
from janus_synth.cli.thresholds import (
    Threshold,
    broken_thresholds,
    check_names,
    parse_threshold,
    threshold_values,
)

if TYPE_CHECKING:
    from janus_synth.metrics import Report

EVALUATE_EXAMPLES = (
    "janus evaluate people.csv held-out.csv rows.csv --target hired",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks,mmd",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks --json",
    "janus evaluate people.csv held-out.csv rows.csv -o report.json --quiet",
    "janus evaluate people.csv held-out.csv rows.csv --html report.html",
    "janus evaluate 'parts/*.parquet' held-out.csv rows.csv --metrics ks",
    "janus evaluate people.csv held-out.csv rows.csv --metrics ks,disclosure \\\n"
    '    --fail-if "ks > 0.2" --fail-if "linkability.risk > 0.1"',
)
METRICS = (
    "detection, detection_mlp, utility, utility_gap, ks, total_variation, wasserstein, minority_preservation, "
    "rare_level_preservation, association_error, association_norm, mutual_information_error, theils_u_error, mmd, "
    "closer_to_train, distance_to_train, delta_presence, k_anonymity, exact_copies"
)
ATTACKS = "singling_out, singling_out_univariate, linkability, inference, membership_distance, membership_density"
DISCLOSURE = "disclosure"
MAX_ROWS, SAMPLE_ROWS, USAGE = 20_000, 200_000, 2
WIDE = 110
"""Columns of a terminal on which scores and their meaning fit side by side."""


def evaluate(
    context: typer.Context,
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Rows that the generator was trained on.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="Held-out real rows, not used in training.")],
    synthetic: Annotated[str, typer.Argument(metavar="SYNTHETIC", help="Generated rows; one of the three may be -.")],
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that the utility scores predict; the last one by default."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help=f"Only these: {METRICS}, and {DISCLOSURE} (attacks). By default all but detection_mlp."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write the report as JSON to a file as well.")
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FILE", help="Write an HTML report with plots as well.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the HTML report.")] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="TEXT",
            help="Exit with 1 if this holds: 'detection > 0.7' for a score, 'singling_out.risk > 0.05' for an attack; "
            f"may be repeated. Attacks: {ATTACKS}. Errors then exit with 2.",
        ),
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Subsample larger tables for slow scores.")
    ] = MAX_ROWS,
    sample_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows that are sampled from each folder or pattern.")
    ] = SAMPLE_ROWS,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of subsamples and classifiers.")] = 0,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Score synthetic rows: fidelity, utility (train on synthetic, test on real), privacy and disclosure risk.

    A folder or a pattern such as 'rows/*.parquet' is read file by file, and may be larger than memory: most scores are
    then computed from random samples, and the report says which.
    """
    from janus_synth.table.files import STANDARD

    if fail_if:
        context.meta[EXIT_CODE] = USAGE
    paths = (train, test, synthetic)
    names = None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]
    thresholds = _thresholds(fail_if or [], names)
    if paths.count(STANDARD) > 1:
        raise typer.BadParameter("standard input holds one table; give the others as files.")
    _check_outputs(out, html, inputs=paths)
    # If a table comes through standard input, --format is its format; otherwise that of all files.
    used = [format if STANDARD not in paths or path == STANDARD else None for path in paths]
    with show_status("reading", quiet=quiet) as show:
        from janus_synth import metrics as scores
        from janus_synth.report import Origin, report_page
        from janus_synth.report.page import TITLE

        frames = _read(paths, used)
        report = scores.evaluate(
            *frames,
            target=target,
            metrics=None if names is None else [name for name in names if name != DISCLOSURE],
            disclosure=names is None or DISCLOSURE in names,
            max_rows=max_rows,
            sample_rows=sample_rows,
            random_state=seed,
            progress=lambda name, done, total: show(f"{done} of {total} scores done; now {name}"),
        )
        texts = {} if out is None else {out: f"{report.to_json()}\n"}
        if html is not None:
            options = {
                "target": target,
                "metrics": metrics,
                "max-rows": max_rows,
                "sample-rows": sample_rows,
                "seed": seed,
                "format": format,
                "title": title,
            }
            scored = frames if report.tables is None else report.tables.frames
            texts[html] = report_page(
                scored[0],
                scored[1],
                scored[2],
                report,
                title=title or TITLE,
                origin=Origin(_file_names(paths), _command(paths, html, options)),
                max_rows=max_rows,
                random_state=seed,
                progress=lambda name, done, total: show(f"{done} of {total} sections done; now {name}"),
            )
    _write(texts)
    if as_json:
        typer.echo(report.to_json())
    elif not quiet:
        _print_scores(report)
        if report.disclosure is not None:
            console().print(f"\n{report.disclosure}", soft_wrap=True)
        _print_page(html)
    if broken := broken_thresholds(thresholds, threshold_values(report)):
        for message in broken:
            print_message("failed", message)
        raise typer.Exit(FAILED)


def _read(paths: tuple[str, ...], formats: Sequence[str | None]) -> list[Any]:
    """Tables in memory; or paths, if some are folders or patterns, which are read file by file."""
    from janus_synth.table.files import STANDARD, read_frame

    if any(map(is_source_path, paths)):
        if STANDARD in paths:
            raise typer.BadParameter("standard input cannot be compared with folders or patterns; give a file.")
        return list(paths)
    first = read_frame(paths[0], formats[0])
    return [first, *(read_frame(path, its, like=first) for path, its in zip(paths[1:], formats[1:], strict=True))]


def _print_scores(report: Report) -> None:
    """Print the scores as a table; on a narrow terminal, what they mean goes below each of them."""
    screen = console()
    if screen.width >= WIDE:
        table = report.__rich__()
        table.columns[0].no_wrap = True  # never break the names of scores
        screen.print(table)
        return
    from rich.table import Table
    from rich.text import Text

    screen.print(f"{report._title()}\n")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("score", "value", "reference", "ideal"):
        table.add_column(heading, justify="left" if heading == "score" else "right", no_wrap=True)
    names = [score.cells() for score in report.scores.values()]
    for cells in names:
        table.add_row(*cells[:4])
    screen.print(table)
    meanings = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    meanings.add_column(no_wrap=True, style="bold")
    meanings.add_column(overflow="fold")
    for cells in names:
        meanings.add_row(cells[0], Text(cells[4]))
    screen.print()
    screen.print(meanings)


def _thresholds(texts: list[str], names: list[str] | None) -> list[Threshold]:
    """Read the thresholds, and check that what they are about will be computed."""
    found = [parse_threshold(text) for text in texts]
    from janus_synth.metrics.disclosure import NUMBERS

    attacks = [f"{attack}.{number}" for attack in ATTACKS.split(", ") for number in NUMBERS]
    scores = METRICS.split(", ")
    computed = [name for name in scores if name != "detection_mlp"] if names is None else [*names]
    computed += attacks if names is None or DISCLOSURE in names else []
    check_names(found, [*scores, *attacks], computed)
    return found


def _check_outputs(out: str | None, html: str | None, *, inputs: tuple[str, ...]) -> None:
    """Raise an error unless all files can be written."""
    from janus_synth.table.files import check_output

    if out is not None:
        check_output(out, inputs=inputs)  # may be standard output
    check_text_paths({"--html": html}, inputs=inputs)
    check_distinct_paths({"--out": out, "--html": html})


def _write(texts: Mapping[str, str]) -> None:
    """Write texts by path, each file completely or not at all."""
    from janus_synth.table.files import open_output

    for path, text in texts.items():
        with open_output(path) as file:
            file.write(text.encode())


def _print_page(html: str | None) -> None:
    """Print where the report is."""
    if html is not None:
        console().print(f"report in {html}", soft_wrap=True)


def _file_names(paths: tuple[str, ...]) -> dict[str, str]:
    """Name the tables as the report does."""
    from janus_synth.report import file_name
    from janus_synth.table.files import STANDARD

    names = ["standard input" if path == STANDARD else file_name(path) for path in paths]
    return dict(zip(("train", "test", "synthetic"), names, strict=True))


def _command(paths: tuple[str, ...], html: str, options: Mapping[str, object]) -> str:
    """Reconstruct the command that writes the same report, without options at their defaults."""
    from janus_synth.report import file_name

    defaults = {"max-rows": MAX_ROWS, "sample-rows": SAMPLE_ROWS, "seed": 0}
    words = ["janus", "evaluate", *map(file_name, paths)]
    for name, value in options.items():
        if value is not None and value != defaults.get(name):
            words += [f"--{name}", str(value)]
    return shlex.join([*words, "--html", file_name(html)])
