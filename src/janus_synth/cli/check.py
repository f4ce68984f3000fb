"""``janus check``: a model file and conditions in; whether any row can satisfy them out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.errors import EXIT_CODE, FAILED, USAGE
from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Model, Where
from janus_synth.cli.output import console, shorten, show_status
from janus_synth.cli.shell_terms import in_shell_terms

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.sampling import Check

CHECK_EXAMPLES = (
    'janus check people.janus --where "age < 30 and experience > 10"',
    'janus check people.janus --where "sex == \'female\'" --where "bonus > 0"',
    'janus check people.janus --where "hired" --json',
)


def check(
    context: typer.Context,
    model: Model,
    where: Where = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print as JSON whether rows can exist, and such a row or the reason why not.")
    ] = False,
) -> None:
    """Check whether any row can satisfy the model's rules and the conditions, without drawing rows.

    If one can, print such a row and exit with 0.
    If none can, print the reason and the rules that contradict each other, and exit with 1.
    An error, such as a condition that cannot be parsed, exits with 2, and an open question with 3: it was not decided
    in time. Both leave standard output empty.
    """
    context.meta[EXIT_CODE] = USAGE
    janus = load_model(model)
    with show_status("looking for a row", quiet=False):
        answer = janus.check(where)
    if as_json:
        typer.echo(json.dumps(_check_as_dict(answer), indent=2, ensure_ascii=False))
    elif answer.feasible:
        console().print("possible; such a row is")
        console().print(_row_table(answer.witness))
    else:
        _print_conflict(janus, answer)
    if not answer.feasible:
        raise typer.Exit(FAILED)


def _check_as_dict(answer: Check) -> dict[str, Any]:
    return {
        "feasible": answer.feasible,
        "witness": dict(_cells(answer.witness)) if answer.feasible else None,
        "reason": in_shell_terms(answer.reason),
        "conflict": list(answer.conflict),
    }


def _print_conflict(janus: Janus, answer: Check) -> None:
    """Print the reason, and for each contradictory rule whether it comes from the model or from the call."""
    sources = {str(link): "link of the model" for link in janus.links_}
    sources |= {str(rule): "rule of the model" for rule in janus.rules_}
    out = console()
    out.print(f"impossible: {in_shell_terms(answer.reason)}", soft_wrap=True, markup=False, highlight=False)
    for rule in answer.conflict:
        out.print(f"  {sources.get(rule, 'condition')}: {shorten(rule)}", soft_wrap=True)


def _row_table(frame: Any) -> Table:
    """Lay out a row with one line per column: name, and value as a rule would write it."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", overflow="fold")
    table.add_column(overflow="fold")
    for name, value in _cells(frame):
        shown = Text("null", style="dim italic") if value is None else Text(str(value))
        table.add_row(Text(f"  {name}"), shown)
    return table


def _cells(frame: Any) -> list[tuple[str, Any]]:
    """Names and plain values of the only row of a frame."""
    from janus_synth.table.files import plain_rows

    (row,) = plain_rows(frame)
    return list(row.items())
