"""``janus check`` and ``janus probability``: a model file and conditions in, an answer out and no rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.errors import FAILED
from janus_synth.cli.options import Jobs, Model, NeededWhere, Where
from janus_synth.cli.show import console, shortened, working

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.sampling import Check, Estimate

CHECK_EXAMPLES = (
    'janus check people.janus --where "age < 30 and experience > 10"',
    'janus check people.janus --where "sex == \'female\'" --where "bonus > 0"',
    'janus check people.janus --where "hired" --json',
)
PROBABILITY_EXAMPLES = (
    'janus probability people.janus --where "age < 30 and bonus > 0"',
    'janus probability people.janus --where "not hired" --level 0.99',
    'janus probability people.janus --where "age >= 60" --seed 1 --json',
)


def check(
    model: Model,
    where: Where = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print feasible, witness, reason and conflict as JSON.")
    ] = False,
) -> None:
    """Ask whether any row can meet some conditions and the model's rules, before drawing one.

    Possible: such a row is printed, and the exit code is 0.
    Impossible: the reason and the rules that clash, and the exit code is 1.
    An error, such as a condition that cannot be read, leaves stdout empty.
    """
    from janus_synth.janus import Janus

    learnt = Janus.load(model)
    with working("looking for a row", quiet=False):
        answer = learnt.check(where)
    if as_json:
        typer.echo(json.dumps(_check_as_dict(answer), indent=2, ensure_ascii=False))
    elif answer.feasible:
        console().print("possible; such a row is")
        console().print(_upright(answer.witness))
    else:
        _tell_clash(learnt, answer)
    if not answer.feasible:
        raise typer.Exit(FAILED)


def probability(
    model: Model,
    where: NeededWhere,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.9999, metavar="X", help="How often the interval holds the model's share.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="One seed, one answer.")] = 0,
    jobs: Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print value, low, high, level and one_in as JSON.")] = False,
) -> None:
    """Ask which share of a model's rows meets some conditions, however rare, with an interval.

    The interval is about the computation, not about what was learnt.
    For an equality of a continuous column it is a density, per unit.
    """
    from janus_synth.janus import Janus

    learnt = Janus.load(model)
    if jobs is not None:
        learnt.set_params(n_jobs=jobs)
    with working("counting what the model makes of it", quiet=False):
        share = learnt.probability(where, level=level, random_state=seed)
    if as_json:
        one_in = 1 / share.value if share.value else None
        typer.echo(json.dumps({**share._asdict(), "level": level, "one_in": one_in}, indent=2))
    else:
        console().print(f"{share.value:.4g} ({100 * level:.4g} % interval: {share.low:.4g} to {share.high:.4g})")
        console().print(_one_in(share), soft_wrap=True)


def _check_as_dict(answer: Check) -> dict[str, Any]:
    return {
        "feasible": answer.feasible,
        "witness": dict(_cells(answer.witness)) if answer.feasible else None,
        "reason": answer.reason,
        "conflict": list(answer.conflict),
    }


def _tell_clash(learnt: Janus, answer: Check) -> None:
    """Say why, and whose the rules are that clash."""
    of_model = {str(rule) for rule in learnt.rules_}
    out = console()
    out.print(f"impossible: {answer.reason}", soft_wrap=True)
    for rule in answer.conflict:
        whose = "rule of the model" if rule in of_model else "condition"
        out.print(f"  {whose}: {shortened(rule)}", soft_wrap=True)


def _upright(frame: Any) -> Table:
    """A row as a table of two columns: names, and values as a rule would write them."""
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


def _one_in(share: Estimate) -> str:
    if share.value == 0:
        return "none of the model's rows; janus check tells whether there could be one"
    rows = 1 / share.value
    if rows < 1.005:
        return "all of the model's rows, or nearly all"
    return f"one row in {rows:,.0f}" if rows >= 10 else f"one row in {rows:.2g}"
