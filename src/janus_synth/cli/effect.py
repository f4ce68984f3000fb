"""``janus effect``: a model file, a treatment and an outcome in; means, effects and their intervals out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.interventions import has_durations, learnt_column, values_in
from janus_synth.cli.options import AnswerSeed, Jobs, Model, TrustGraph
from janus_synth.cli.show import console
from janus_synth.cli.trust import causal_model, doubts_told

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.questions import Effect
    from janus_synth.sampling import Estimate
    from janus_synth.table import Column

EFFECT_EXAMPLES = (
    "janus effect people.janus --of age --on offered_salary --values 30,40,50",
    "janus effect people.janus --of sex --on hired --values male,female --json",
    "janus effect people.janus --of hired --on 'bonus > 0' --values false,true",
    "janus effect people.janus --of age --on bonus --values 20..30,50..60",
)
Spell = Callable[[float], str]
DAY = 86_400_000_000
MOST_WIDTH = 20


def effect(
    model: Model,
    of: Annotated[str, typer.Option("--of", metavar="COLUMN", help="Treatment: the column that is set.")],
    on: Annotated[
        str,
        typer.Option(
            "--on", metavar="OUTCOME", help="A column with a mean, or a condition such as \"loan == 'granted'\"."
        ),
    ],
    values: Annotated[
        list[str],
        typer.Option(
            "--values",
            metavar="A,B",
            help="What the treatment is set to: values or ranges low..high; may be repeated. Effects are relative "
            "to the first.",
        ),
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "--rule",
            metavar="TEXT",
            help="Whose effect: a condition on columns that the treatment does not move.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.9999, metavar="X", help="How often the intervals are to hold the truth.")
    ] = 0.95,
    seed: AnswerSeed = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print means and effects with intervals as JSON.")] = False,
) -> None:
    """Ask how much an outcome moves when a column is set: means, and differences to the first, with intervals.

    The intervals cover the luck of the draw and the want of rows.
    They do not cover a wrong graph, or causes that nobody recorded.
    """
    learnt = causal_model(model, trust_graph=trust_graph, jobs=jobs)
    asked = values_in(values, learnt_column(of, learnt.schema_))
    with doubts_told(quiet=False):
        found = learnt.effect(of, on, asked, where, level=level, random_state=seed)
    column = next((column for column in learnt.schema_ if column.name == on), None)
    if as_json:
        typer.echo(json.dumps(_as_dict(found, column), indent=2, ensure_ascii=False, default=str))
    else:
        among = f" where {' and '.join(where)}" if where else ""
        console().print(f"mean of {on}{among}, with {100 * level:.4g} % intervals", soft_wrap=True)
        console().print(_table(found, *_spelling(column)))


def _as_dict(found: Effect, column: Column | None) -> dict[str, Any]:
    cases = [
        {"value": value, "mean": mean._asdict(), "effect": effect._asdict()}
        for value, mean, effect in zip(found.values, found.means, found.effects, strict=True)
    ]
    unit = {} if _spelling(column) == (_number, _number) else {"unit": "microseconds"}
    return {"treatment": found.treatment, "outcome": found.outcome, "level": found.level, **unit, "cases": cases}


def _spelling(column: Column | None) -> tuple[Spell, Spell]:
    """How to write means of an outcome, and their differences."""
    if column is not None and column.kind == "datetime":
        return _moment, _days
    if column is not None and has_durations(column):
        return _days, _days
    return _number, _number


def _table(found: Effect, mean_text: Spell, effect_text: Spell) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold")
    shown = [_shown(value) for value in found.values]
    width = min(MOST_WIDTH, max(map(len, [found.treatment, *shown])))  # numbers on a narrow terminal leave that much
    table.add_column(Text(found.treatment), overflow="fold", min_width=width)
    for heading in ("mean", "from … to", "effect", "from … to"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, (value, mean, effect) in enumerate(zip(shown, found.means, found.effects, strict=True)):
        effects = (effect_text(effect.value), _interval(effect, effect_text)) if place else ("–", "")
        table.add_row(Text(value), mean_text(mean.value), _interval(mean, mean_text), *effects)
    return table


def _interval(estimate: Estimate, text: Spell) -> str:
    return f"{text(estimate.low)} … {text(estimate.high)}"


def _shown(value: Any) -> str:
    """A setting, as a user writes it."""
    match value:
        case tuple():
            return " to ".join(map(str, value))
        case list():
            return " or ".join(map(_shown, value))
        case None:
            return "null"
        case bool():
            return str(value).lower()
    return str(value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _moment(value: float) -> str:
    from janus_synth.table.moments import moment_text

    return moment_text(round(value / DAY) * DAY)


def _days(value: float) -> str:
    return f"{_number(value / DAY)} days"
