"""``janus effect``: a model file, a treatment and an outcome in; means and average treatment effects out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import find_column, has_durations, load_model, parse_values
from janus_synth.cli.options import AnswerSeed, Jobs, Level, Model, TrustGraph
from janus_synth.cli.output import console, number_table, show_warnings

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
Formatter = Callable[[float], str]
DAY = 86_400_000_000
"""In microseconds, the physical unit of times."""
MAX_WIDTH = 20
"""Characters of the first column that a narrow terminal leaves beside the numbers."""


def effect(
    model: Model,
    of: Annotated[str, typer.Option("--of", metavar="COLUMN", help="Treatment: the column to set.")],
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
            help="Values or ranges low..high that the treatment is set to; may be repeated. Effects are relative to "
            "the first.",
        ),
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            "--rule",
            metavar="TEXT",
            help="Effect among the rows that satisfy a condition on columns the treatment does not change.",
        ),
    ] = None,
    level: Level = 0.95,
    seed: AnswerSeed = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print means and effects with intervals as JSON.")] = False,
) -> None:
    """Estimate average treatment effects: means of an outcome after setting a column, and their differences.

    The intervals cover Monte Carlo error and finite-sample uncertainty.
    They do not cover a wrong graph or unobserved confounders.
    """
    janus = load_model(model, jobs=jobs, trust_graph=trust_graph)
    treatments = parse_values(values, find_column(of, janus.schema_))
    with show_warnings(quiet=False):
        found = janus.effect(of, on, treatments, where, level=level, random_state=seed)
    column = next((column for column in janus.schema_ if column.name == on), None)
    if as_json:
        typer.echo(json.dumps(_as_dict(found, column), indent=2, ensure_ascii=False, default=str))
    else:
        among = f" where {' and '.join(where)}" if where else ""
        console().print(f"mean of {on}{among}, with {100 * level:.4g} % intervals", soft_wrap=True)
        console().print(_table(found, *_formatters(column)))
        if len(found.structural) > 1:
            shares = ", ".join(f"{share:.0%}" for share in found.structural[1:])
            console().print(f"variance between the graphs of the model: {shares} of that of the effect", soft_wrap=True)


def _as_dict(found: Effect, column: Column | None) -> dict[str, Any]:
    cases = [
        {"value": value, "mean": mean._asdict(), "effect": effect._asdict()}
        for value, mean, effect in zip(found.values, found.means, found.effects, strict=True)
    ]
    unit = {} if _formatters(column) == (_format_number, _format_number) else {"unit": "microseconds"}
    for case, share in zip(cases, found.structural, strict=False):
        case["structural"] = share
    return {"treatment": found.treatment, "outcome": found.outcome, "level": found.level, **unit, "cases": cases}


def _formatters(column: Column | None) -> tuple[Formatter, Formatter]:
    """Choose how to write means of an outcome, and their differences."""
    if column is not None and column.kind == "datetime":
        return _format_time, _format_days
    if column is not None and has_durations(column):
        return _format_days, _format_days
    return _format_number, _format_number


def _table(found: Effect, mean_text: Formatter, effect_text: Formatter) -> Table:
    from rich.text import Text

    table = number_table(found.treatment, "mean", "from … to", "effect", "from … to", gap=3)
    shown = [_format_setting(value) for value in found.values]
    table.columns[0].min_width = min(MAX_WIDTH, max(map(len, [found.treatment, *shown])))
    for place, (value, mean, effect) in enumerate(zip(shown, found.means, found.effects, strict=True)):
        effects = (effect_text(effect.value), _format_interval(effect, effect_text)) if place else ("–", "")
        table.add_row(Text(value), mean_text(mean.value), _format_interval(mean, mean_text), *effects)
    return table


def _format_interval(estimate: Estimate, text: Formatter) -> str:
    return f"{text(estimate.low)} … {text(estimate.high)}"


def _format_setting(value: Any) -> str:
    """Write a setting as a user would."""
    match value:
        case tuple():
            return " to ".join(map(str, value))
        case list():
            return " or ".join(map(_format_setting, value))
        case None:
            return "null"
        case bool():
            return str(value).lower()
    return str(value)


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _format_time(value: float) -> str:
    from janus_synth.table.datetimes import format_datetime

    return format_datetime(round(value / DAY) * DAY)


def _format_days(value: float) -> str:
    return f"{_format_number(value / DAY)} days"
