"""``janus sample``: a model file in, rows out, in batches that fit in memory."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import is_folder_output, load_model, parse_count, split_names
from janus_synth.cli.mixes import parse_balance, parse_means, parse_shares
from janus_synth.cli.options import Dask, Format, Jobs, MaxSeconds, Method, Model, OutRows, Quiet, RowSeed, Where
from janus_synth.cli.output import check_table_path, console, print_written, progress_option, show_status

if TYPE_CHECKING:
    from janus_synth.janus import Janus

BATCH_ROWS = 131_072
"""Rows in memory at a time; fixed, so that a seed always gives the same file."""

SAMPLE_EXAMPLES = (
    "janus sample people.janus -n 1000 -o rows.csv",
    "janus sample people.janus -n 1000000 -o rows.parquet --seed 7",
    'janus sample people.janus -n 1000 -o young.csv --where "18 <= age < 30"',
    'janus sample people.janus -n 9 --where "age > 50" --where "not hired"',
    'janus sample people.janus -n 9 --where "age < 19 or age > 64" --verify',
    "janus sample people.janus -n 100 --share hired=true:0.3 --balance sex",
    "janus sample people.janus -n 100 --mean age=35:0.5 -o young.csv",
    "janus sample people.janus --conditions wanted.csv --each 2 -o more.csv",
    "janus sample people.janus -n 20000 -o rows/ --piece-rows 5000",
    "janus sample people.janus -n 5 --max-seconds 30",
    "janus sample people.janus -n 5 | head -3",
    "janus sample people.janus -n 500 --format arrow > rows.arrow",
)


def sample(
    model: Model,
    n: Annotated[
        Any, typer.Option("--rows", "-n", parser=parse_count, metavar="N", help="How many rows: 1000, or 1e9.")
    ] = 1000,
    out: OutRows = "-",
    where: Where = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="TEXT",
            help="Share of rows with a value, churn=Yes:0.3, or that meet a condition, 'age < 30:0.5'; may be "
            "repeated.",
        ),
    ] = None,
    balance: Annotated[
        list[str] | None,
        typer.Option(
            "--balance", metavar="NAME", help="Column whose values get equal shares, or a,b for all combinations."
        ),
    ] = None,
    mean: Annotated[
        list[str] | None,
        typer.Option("--mean", metavar="NAME=X", help="Mean of a column, or NAME=X:TOLERANCE; may be repeated."),
    ] = None,
    unique: Annotated[
        list[str] | None,
        typer.Option("--unique", metavar="NAMES", help="Columns of a key that no two rows share, with commas."),
    ] = None,
    conditions: Annotated[
        str | None,
        typer.Option("--conditions", metavar="ROWS", help="A table of values, one condition per row, instead of -n."),
    ] = None,
    each: Annotated[int, typer.Option("--each", min=0, metavar="N", help="How many rows for each condition.")] = 1,
    index: Annotated[
        str | None, typer.Option("--index", metavar="NAME", help="Column to add: the number of the row's condition.")
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="How conditions are met: exact draws from the model's distribution given the conditions; greedy is "
            "the paper's Algorithm 1, kept for comparison, and may break rules that involve several columns."
        ),
    ] = Method.exact,
    verify: Annotated[
        bool | None,
        typer.Option(
            "--verify/--no-verify",
            show_default="rare requests with alternatives",
            help="Compare the rows with an independent estimate of their distribution; fail on a clear difference.",
        ),
    ] = None,
    piece_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows of a file, if --out is a folder.")
    ] = 1_048_576,
    dask: Dask = None,
    seed: RowSeed = None,
    max_seconds: MaxSeconds = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows from a model. All of them satisfy its rules and the conditions.

    A file is written completely or not at all. If --out is a folder (rows/), rows are written in many files; a run that
    was stopped goes on when it is repeated.
    """
    from janus_synth.table.files import write_frame, write_frames

    if is_folder_output(out):
        _check_alone("a folder", conditions=conditions, share=share, balance=balance, mean=mean, unique=unique)
        _sample_to(load_model(model, jobs=jobs), out, n, where, format, piece_rows, seed, dask, quiet=quiet)
        return
    check_table_path(out, format, inputs=(model, conditions) if conditions else (model,))
    start = time.perf_counter()
    with show_status("loading the model", quiet=quiet):
        janus = load_model(model, jobs=jobs)
    progress, limit = progress_option(out, quiet=quiet), "auto" if max_seconds is None else max_seconds
    if conditions or share or balance or mean or unique or has_keys(janus, where):
        options: dict[str, Any] = {"where": where, "random_state": seed, "progress": progress, "max_seconds": limit}
        if conditions:
            _check_alone("--conditions", share=share, balance=balance, mean=mean, unique=unique)
            rows, told = _sample_for(janus, conditions, each, index, options), ""
        else:
            rows, told = _sample_mix(janus, n, (share, balance, mean, unique), {**options, "verify": verify})
        write_frame(rows, out, format=format)
        if not quiet and out != "-":
            print_written(rows.shape[0], out, start, told)
        return
    batches = janus.sample_batches(
        n,
        where=where,
        method=method.value,
        batch_rows=BATCH_ROWS,
        verify=verify,
        random_state=seed,
        max_seconds=limit,
        progress=progress,
    )
    with contextlib.closing(batches):  # type: ignore[type-var]  # a generator: closing it removes the progress bar
        write_frames(batches, out, schema=janus.schema_, format=format)
    if not quiet and out != "-":
        print_written(n, out, start)


def has_keys(janus: Janus, where: list[str] | None) -> bool:
    """Whether rules or conditions say that rows differ in some columns; such a table is drawn as a whole."""
    from janus_synth.rules import as_rules
    from janus_synth.rules.language import split_keys

    return bool(split_keys((*janus.rules_, *as_rules(where)))[1])


def _sample_to(
    janus: Janus,
    folder: str,
    n: int,
    where: Any,
    format: Any,
    piece_rows: int,
    seed: int | None,
    dask: str | None,
    *,
    quiet: bool,
) -> None:
    """Write rows to a folder; the seed is 0 by default, so that the same command goes on with a stopped run."""
    start = time.perf_counter()
    paths = janus.sample_to(
        folder,
        n,
        where=where,
        format="parquet" if format is None else format.value,
        piece_rows=piece_rows,
        random_state=0 if seed is None else seed,
        client=dask,
        progress=False if quiet else None,
    )
    if not quiet:
        seconds, files = time.perf_counter() - start, f"{len(paths):,} file{'s' * (len(paths) != 1)}"
        console().print(f"{n:,} rows in {files} written to {folder} in {seconds:.1f} s", soft_wrap=True)


def _sample_mix(janus: Janus, n: int, mix: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, str]:
    """Rows with shares, balanced columns, means and keys, and what was reached."""
    schema, (share, balance, mean, unique) = janus.schema_, mix
    rows, reached = janus.sample(
        n,
        shares=parse_shares(share, schema) if share else None,
        balance=parse_balance(balance, schema) if balance else None,
        means=parse_means(mean, schema) if mean else None,
        unique=split_names(unique, schema.names) if unique else None,
        with_mix=True,
        **options,
    )
    return rows, str(reached)


def _sample_for(janus: Janus, conditions: str, each: int, index: str | None, options: dict[str, Any]) -> Any:
    """Rows for each row of a file of conditions."""
    from janus_synth.table.files import as_kind, read_frame

    wanted = as_kind(read_frame(conditions), janus.schema_.frame)
    return janus.sample_for(wanted, each, index=index, **options)


def _check_alone(option: str, **others: Any) -> None:
    """Raise an error if other options are given beside one."""
    if given := [f"--{name}" for name, value in others.items() if value]:
        raise typer.BadParameter(f"{option} and {given[0]} cannot be used together.")
