"""``janus discover``: a table in; the relations between its columns out, as a table, as JSON or as rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import read_schema
from janus_synth.cli.options import Format
from janus_synth.cli.output import format_count, show_status

if TYPE_CHECKING:
    from janus_synth.relations import Relation, Relations

DISCOVER_EXAMPLES = (
    "janus discover people.csv",
    "janus discover people.csv --rules-only",
    "janus discover people.csv -o rules.txt",
    "janus discover people.parquet --json",
    "cat people.csv | janus discover - --rules-only",
)
MAX_ROWS = 20_000


def discover(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Table to look at: .csv, .csv.gz, .tsv, .parquet, .arrow, or -.")
    ],
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Print only the rules that hold in all rows, one per line.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the rules that hold in all rows to a file as well."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the relations as JSON.")] = False,
    schema: Annotated[
        str | None,
        typer.Option(metavar="FILE", help='JSON that corrects the detected schema: {"zip": {"kind": "categorical"}}.'),
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows that relations are proposed from; all rows verify them.")
    ] = MAX_ROWS,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same relations.")] = 0,
    format: Format = None,
) -> None:
    """Find relations between columns: sums, orderings, lookups, parts of timestamps, copies, nulls and others.

    What could be chance is not reported. Rules can be given to janus fit with --rule.
    """
    if rules_only and as_json:
        raise typer.BadParameter("--rules-only and --json cannot be combined. Ask for one at a time.")
    from janus_synth.table.files import check_output, open_output, read_frame

    if out is not None:
        check_output(out, inputs=(data,))
    from janus_synth import relations

    corrected = None if schema is None else read_schema(schema)
    frame = read_frame(data, format)
    with show_status("looking for relations", quiet=False):
        found = relations.discover(frame, schema=corrected, max_rows=max_rows, random_state=seed)
    if out is not None:
        with open_output(out) as file:
            file.write("".join(f"{rule}\n" for rule in found.rules).encode())
    _print(found, rules_only=rules_only, as_json=as_json, out=out)


def _print(found: Relations, *, rules_only: bool, as_json: bool, out: str | None) -> None:
    if as_json:
        typer.echo(json.dumps([_as_dict(relation) for relation in found], indent=2, ensure_ascii=False))
    elif rules_only:
        for rule in found.rules:
            typer.echo(rule)
    elif out != "-":
        typer.echo(str(found))
        if out is not None:
            typer.echo(f"\n{format_count(len(found.rules), 'rule')} in {out}")


def _as_dict(relation: Relation) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(relation), "example": dict(relation.example)}
