"""``janus counterfactual``: a model file, rows and columns to set in; the rows as they would have been out."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.formats import check_table_path, formats_of, tell_written
from janus_synth.cli.interventions import settings_in
from janus_synth.cli.options import AnswerSeed, Format, Jobs, Model, Quiet, Rows, Settings, TrustGraph
from janus_synth.cli.show import console, counted
from janus_synth.cli.trust import causal_model, doubts_told

if TYPE_CHECKING:
    from janus_synth.table import Schema

COUNTERFACTUAL_EXAMPLES = (
    "janus counterfactual people.janus held-out.csv --set sex=male -o men.csv",
    "janus counterfactual people.janus rows.csv --set 'age := age + 5' -o o.csv",
    "janus counterfactual people.janus rows.csv --set age=30 --draws 5 -o d.csv",
    "janus counterfactual people.janus rows.csv --set hired=true --trust-graph",
)
MOST_COLUMNS = 5


def counterfactual(
    model: Model,
    rows: Rows,
    settings: Settings,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows, or - for standard output.")
    ] = "-",
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "--rule",
            metavar="TEXT",
            help="What a row that meets it now is to meet then, besides the model's rules; may be repeated.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Write every row K times, with what is not known of its noise drawn anew; columns draw and row, both "
            "counted from 0, come first.",
        ),
    ] = None,
    no_rules: Annotated[
        bool, typer.Option("--no-rules", help="Let rows break the model's rules as they would have been.")
    ] = False,
    seed: AnswerSeed = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Ask what each row would have been with columns set: its own luck kept, what follows from them predicted anew.

    A sum may name the column itself: --set 'age := age + 5'.
    A file is written whole or not at all.
    """
    from janus_synth.table.files import as_kind, read_frame, write_frame

    if no_rules and where:
        raise typer.BadParameter(
            "rules are left aside, and --where would add to them. Drop one.", param_hint="--no-rules"
        )
    formats = formats_of(rows, out, format)
    check_table_path(out, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    learnt = causal_model(model, trust_graph=trust_graph, jobs=jobs)
    asked = settings_in(settings, learnt.schema_)
    before = as_kind(read_frame(rows, formats.rows), learnt.schema_.frame)
    shown = False if quiet or (out == "-" and sys.stdout.isatty()) else None
    with doubts_told(quiet=quiet):
        found = learnt.counterfactual(
            before, asked, where or None, n_draws=draws, keep_rules=not no_rules, random_state=seed, progress=shown
        )
    after = found if draws is None else stacked(found)
    write_frame(after, out, format=formats.out)
    if not quiet and out != "-":
        tell_written(after.shape[0], out, start)
        console().print(_changes(before, [found] if draws is None else found, learnt.schema_), soft_wrap=True)


def stacked(frames: Sequence[Any]) -> Any:
    """All draws below each other, after the numbers of the draw and of the row, in columns that the rows do not have.

    Examples
    --------
    >>> import pandas as pd
    >>> stacked([pd.DataFrame({"row": ["a", "b"]}), pd.DataFrame({"row": ["a", "c"]})])
       draw  row_ row
    0     0     0   a
    1     0     1   b
    2     1     0   a
    3     1     1   c
    """
    import pandas as pd

    from janus_synth.table.files import as_kind

    plain = [as_kind(frame, "pandas").reset_index(drop=True) for frame in frames]
    draw, row = (_free_name(name, plain[0].columns) for name in ("draw", "row"))
    together = pd.concat(plain, keys=range(len(plain)), names=[draw, row])
    return together.reset_index()


def _free_name(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name


def _changes(before: Any, frames: Sequence[Any], schema: Schema) -> str:
    """How many rows changed, and which columns did most often."""
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
    listed = ", ".join(f"{name} ({by_column[name]:,})" for name in most[:MOST_COLUMNS])
    more = f" and {counted(len(most) - MOST_COLUMNS, 'more column')}" if len(most) > MOST_COLUMNS else ""
    told = f"{n_changed:,} of {old.n_rows * len(frames):,} rows changed"
    return f"{told}, most often in {listed}{more}" if most else told
