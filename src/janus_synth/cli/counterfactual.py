"""``janus counterfactual``: a model file, rows and interventions in; the counterfactual rows out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import AnswerSeed, Format, Interventions, Jobs, Model, OutRows, Quiet, Rows, TrustGraph
from janus_synth.cli.output import (
    check_table_path,
    choose_formats,
    console,
    format_count,
    print_written,
    progress_option,
    show_warnings,
)
from janus_synth.cli.values import parse_interventions

if TYPE_CHECKING:
    from janus_synth.table import Schema

COUNTERFACTUAL_EXAMPLES = (
    "janus counterfactual people.janus held-out.csv --set sex=male -o men.csv",
    "janus counterfactual people.janus rows.csv --set 'age := age + 5' -o o.csv",
    "janus counterfactual people.janus rows.csv --set age=30 --draws 5 -o d.csv",
    "janus counterfactual people.janus rows.csv --set hired=true --trust-graph",
)
N_LISTED = 5


def counterfactual(
    model: Model,
    rows: Rows,
    interventions: Interventions,
    out: OutRows = "-",
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "--rule",
            metavar="TEXT",
            help="Condition that a row keeps if it holds before the intervention, like the model's rules; may be "
            "repeated.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Write every row K times, each with noise drawn from its posterior; the columns draw and row, both "
            "counted from 0, come first.",
        ),
    ] = None,
    no_rules: Annotated[
        bool, typer.Option("--no-rules", help="Allow counterfactual rows that break the model's rules.")
    ] = False,
    seed: AnswerSeed = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Compute what each row would have been with columns set, its own noise kept (abduction, action, prediction).

    A sum may name the column itself: --set 'age := age + 5'.
    A file is written completely or not at all.
    """
    from janus_synth.table.files import as_kind, read_frame, write_frame

    if no_rules and where:
        raise typer.BadParameter(
            "it turns the rules off, and --where would add to them. Drop one.", param_hint="--no-rules"
        )
    formats = choose_formats(rows, out, format)
    check_table_path(out, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs, trust_graph=trust_graph)
    set_to = parse_interventions(interventions, janus.schema_)
    before = as_kind(read_frame(rows, formats.rows, like=janus.schema_), janus.schema_.frame)
    progress = progress_option(out, quiet=quiet)
    with show_warnings(quiet=quiet):
        found = janus.counterfactual(
            before,
            set_to,
            where or None,
            n_draws=draws,
            keep_rules=not no_rules,
            random_state=seed,
            progress=progress,
        )
    after = found if draws is None else stack_draws(found)
    write_frame(after, out, format=formats.out, schema=janus.schema_)
    if not quiet and out != "-":
        print_written(after.shape[0], out, start)
        console().print(_describe_changes(before, [found] if draws is None else found, janus.schema_), soft_wrap=True)


def stack_draws(frames: Sequence[Any]) -> Any:
    """Concatenate draws, with the numbers of the draw and of the row in two new columns.

    Examples
    --------
    >>> import pandas as pd
    >>> stack_draws([pd.DataFrame({"row": ["a", "b"]}), pd.DataFrame({"row": ["a", "c"]})])
       draw  row_ row
    0     0     0   a
    1     0     1   b
    2     1     0   a
    3     1     1   c
    """
    import pandas as pd

    from janus_synth.table.files import as_kind

    plain = [as_kind(frame, "pandas").reset_index(drop=True) for frame in frames]
    draw, row = (_unused_name(name, plain[0].columns) for name in ("draw", "row"))
    together = pd.concat(plain, keys=range(len(plain)), names=[draw, row])
    return together.reset_index()


def _unused_name(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name


def _describe_changes(before: Any, frames: Sequence[Any], schema: Schema) -> str:
    """Say how many rows changed, and which columns most often."""
    import numpy as np

    from janus_synth.table import read_table

    names = tuple(column.name for column in schema.learnt)
    old = read_table(before, schema, columns=names)
    by_column, n_changed = dict.fromkeys(names, 0), 0
    for frame in frames:
        new = read_table(frame, old.schema, columns=names)
        changed = {name: ~np.isclose(old[name], new[name], rtol=0, atol=0, equal_nan=True) for name in names}
        n_changed += int(np.logical_or.reduce([*changed.values()]).sum())
        by_column = {name: count + int(changed[name].sum()) for name, count in by_column.items()}
    most = sorted((name for name in names if by_column[name]), key=lambda name: -by_column[name])
    listed = ", ".join(f"{name} ({by_column[name]:,})" for name in most[:N_LISTED])
    more = f" and {format_count(len(most) - N_LISTED, 'more column')}" if len(most) > N_LISTED else ""
    summary = f"{n_changed:,} of {old.n_rows * len(frames):,} rows changed"
    return f"{summary}, most often in {listed}{more}" if most else summary
