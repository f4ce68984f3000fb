"""``janus fit``: a table in, a model file out."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import bins, edges_of, overrides_in, structure_of, tiers_in
from janus_synth.cli.options import Format, Jobs, Leaves, OnViolation, Quiet, check_model_path
from janus_synth.cli.show import console, counted, facts, shortened, size_text, warnings_told

if TYPE_CHECKING:
    from janus_synth.janus import Janus

FIT_EXAMPLES = (
    "janus fit people.csv -o people.janus",
    "janus fit people.parquet -o people.janus --trees 4 --seed 0",
    'janus fit people.csv -o people.janus --rule "experience <= age - 18"',
    "janus fit people.csv -o people.janus --required age:experience",
    "janus fit people.csv -o people.janus --structure edges.json",
    "janus fit people.csv -o people.janus --schema schema.json",
    "cat people.csv | janus fit - -o people.janus --quiet",
)


def fit(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Table to learn: .csv, .csv.gz, .tsv, .parquet, .arrow, or -.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the model.")],
    structure: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="auto, chain, forest, pc, ges, or a .json or .csv file of edges."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(metavar="FILE", help='What you know better, as JSON: {"age": {"low": 0}}, or a whole schema.'),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="TEXT",
            help='What must hold in every row the model emits: "experience <= age - 18"; may be repeated.',
        ),
    ] = None,
    on_violation: Annotated[
        OnViolation | None,
        typer.Option(help="Training rows that break a rule: learn from them and warn (default), drop them, or stop."),
    ] = None,
    trees: Annotated[int | None, typer.Option(min=1, metavar="N", help="Trees per column.")] = None,
    n_bins: Annotated[
        Any, typer.Option("--bins", parser=bins, metavar="N|auto", help="Most bins of an ordered column.")
    ] = None,
    min_leaf: Annotated[int | None, typer.Option(min=1, metavar="N", help="Fewest rows in a leaf.")] = None,
    leaves: Annotated[
        Leaves | None,
        typer.Option(help="What leaves of numbers and times hold: counts of bins, lines over the parents, or both."),
    ] = None,
    prior_strength: Annotated[
        float | None, typer.Option(min=1e-6, metavar="X", help="Rows' worth that a leaf leans on the node above it.")
    ] = None,
    lambda_unsup: Annotated[
        float | None, typer.Option(min=0, metavar="X", help="Weight of the unsupervised split term.")
    ] = None,
    lambda_div: Annotated[
        float | None, typer.Option(min=0, metavar="X", help="Weight of the diversity split term.")
    ] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Start from the paper's configuration; other options change it.")
    ] = False,
    required: Annotated[
        list[str] | None,
        typer.Option(metavar="A:B", help="Edge from column A to B that must be there; may be repeated."),
    ] = None,
    forbidden: Annotated[
        list[str] | None, typer.Option(metavar="A:B", help="Edge that must not be there; may be repeated.")
    ] = None,
    tiers: Annotated[
        str | None,
        typer.Option(metavar="FILE", help='Columns in causal order, as JSON: [["age"], ["pay", "loan"]].'),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="One seed, one model.")] = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Learn a table and write the model to a file."""
    from janus_synth.janus import Janus
    from janus_synth.table.files import read_frame

    check_model_path(out, inputs=(data,), option="--out")
    given: dict[str, Any] = {
        "structure": None if structure is None else structure_of(structure),
        "schema": None if schema is None else overrides_in(schema),
        "rules": rules or None,
        "on_violation": None if on_violation is None else on_violation.value,
        "n_trees": trees,
        "n_bins": n_bins,
        "min_samples_leaf": min_leaf,
        "leaves": None if leaves is None else leaves.value,
        "prior_strength": prior_strength,
        "lambda_unsup": lambda_unsup,
        "lambda_div": lambda_div,
        "required": edges_of(required, "--required"),
        "forbidden": edges_of(forbidden, "--forbidden"),
        "tiers": None if tiers is None else tiers_in(tiers),
        "n_jobs": jobs,
        "random_state": seed,
    }
    model = (Janus.paper if paper else Janus)(**{name: value for name, value in given.items() if value is not None})
    frame = read_frame(data, format)
    start = time.perf_counter()
    with warnings_told(quiet=quiet):
        model.fit(frame, progress=False if quiet else None)
    seconds = time.perf_counter() - start
    model.save(os.path.realpath(out))  # a link stays a link
    if not quiet:
        _summarise(model, out, seconds)


def _summarise(model: Janus, out: str, seconds: float) -> None:
    kinds = Counter(column.kind for column in model.schema_)
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    structure = model.structure if isinstance(model.structure, str) else "given"
    lines = {
        "model": f"{out} ({size_text(Path(out).stat().st_size)})",
        "rows": f"{model.n_rows_:,}",
        "columns": f"{len(model.schema_)}: {of_kinds}",
        "edges": f"{len(model.dag_.edges):,} ({structure})",
        "rules": "\n".join(shortened(rule) for rule in model.rules_),
        "time": f"{seconds:.1f} s",
    }
    console().print(facts(**{name: text for name, text in lines.items() if text}))
    if kinds["identifier"]:
        names = ", ".join(column.name for column in model.schema_ if not column.is_learnt)
        console().print(f"{counted(kinds['identifier'], 'identifier')} made afresh, not learnt: {names}")
