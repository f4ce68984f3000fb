"""``janus effect``: a model file, a treatment and an outcome in; means and average treatment effects out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model, split_names
from janus_synth.cli.options import AnswerSeed, Jobs, Level, Model, TrustGraph
from janus_synth.cli.output import console, number_table, show_warnings
from janus_synth.cli.values import find_column, has_durations, parse_values

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.questions import Effect, Mediation
    from janus_synth.sampling import Estimate
    from janus_synth.table import Column

EFFECT_EXAMPLES = (
    "janus effect people.janus --treatment sex --outcome bonus --data rows.csv",
    "janus effect people.janus --treatment experience --outcome bonus \\\n"
    "    --data rows.csv --where \"sex == 'male'\"",
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
    of: Annotated[str, typer.Option("--treatment", "--of", metavar="COLUMN", help="The column to set.")],
    on: Annotated[
        str,
        typer.Option(
            "--outcome",
            "--on",
            metavar="OUTCOME",
            help="A column with a mean, or a condition such as \"loan == 'granted'\".",
        ),
    ],
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--values",
            metavar="A,B",
            help="Values or ranges low..high that the treatment is set to; may be repeated. Effects are relative to "
            "the first. By default all levels, or five quantiles.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="ROWS",
            help="Rows to estimate from, best those of the fit: a table file as for fit, or -. Narrower and not biased "
            "by smoothing.",
        ),
    ] = None,
    through: Annotated[
        str | None,
        typer.Option(
            "--through",
            metavar="A,B",
            help="Mediators: divide the effect between two values into a direct and an indirect one.",
        ),
    ] = None,
    confounded: Annotated[
        list[str] | None,
        typer.Option(
            "--confounded",
            metavar="A,B",
            help="Two columns with an unobserved common cause; may be repeated. What that leaves unidentified is "
            "refused.",
        ),
    ] = None,
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

    With --data they are estimated from rows, adjusted for the columns that the graph requires; without, they are
    simulated from the model, and the intervals include its smoothing bias.
    Neither covers a wrong graph, or unobserved confounders that are not stated.
    """
    janus = load_model(model, jobs=jobs, trust_graph=trust_graph)
    treatment = find_column(of, janus.schema_)
    options: dict[str, Any] = {
        "values": parse_values(values, treatment) if values else None,
        "where": where,
        "data": None if data is None else _read_data(data, janus),
        "level": level,
        "random_state": seed,
    }
    column = next((column for column in janus.schema_ if column.name == on), None)
    found: Effect | Mediation
    with show_warnings(quiet=False):
        if through is not None:
            if confounded:
                raise typer.BadParameter("--through takes no unobserved causes.", param_hint="--confounded")
            found = janus.mediation(of, on, through=split_names([through], janus.schema_.names), **options)
        else:
            found = janus.effect(of, on, confounded=_read_pairs(confounded or (), janus), **options)
    if as_json:
        typer.echo(json.dumps(_as_dict(found, column), indent=2, ensure_ascii=False, default=str))
    else:
        among = f" where {' and '.join(where)}" if where else ""
        _print(found, column, among)


def _read_data(path: str, janus: Janus) -> Any:
    from janus_synth.table.files import as_kind, read_frame

    return as_kind(read_frame(path), janus.schema_.frame)


def _read_pairs(texts: Sequence[str], janus: Janus) -> list[tuple[str, str]]:
    """Read pairs of columns, each with a comma between."""
    pairs = []
    for text in texts:
        names = split_names([text], janus.schema_.names)
        if len(names) != 2:
            raise typer.BadParameter(f"{text!r} is not a pair of columns; write a,b.", param_hint="--confounded")
        pairs.append((names[0], names[1]))
    return pairs


def _print(found: Effect | Mediation, column: Column | None, among: str) -> None:
    """Print a table and, below it, how the numbers were found."""
    from janus_synth.questions import Effect

    intervals = f"with {100 * found.level:.4g} % intervals"
    if isinstance(found, Effect):
        console().print(f"mean of {found.outcome}{among}, {intervals}", soft_wrap=True)
        console().print(_table(found, *_formatters(column)))
        if len(found.structural) > 1:
            shares = ", ".join(f"{share:.0%}" for share in found.structural[1:])
            console().print(f"variance between the graphs of the model: {shares} of that of the effect", soft_wrap=True)
    else:
        change = " to ".join(map(_format_setting, found.values))
        console().print(f"effect on {found.outcome} of {found.treatment} from {change}{among}, {intervals}")
        console().print(_mediation_table(found, _formatters(column)[1]))
    for sentence in found.basis:
        console().print(sentence, soft_wrap=True, highlight=False)


def _as_dict(found: Effect | Mediation, column: Column | None) -> dict[str, Any]:
    from janus_synth.questions import Effect

    unit = {} if _formatters(column) == (_format_number, _format_number) else {"unit": "microseconds"}
    asked = {"treatment": found.treatment, "outcome": found.outcome, "level": found.level, **unit}
    overlap = None if found.overlap is None else asdict(found.overlap)
    basis = {
        "estimator": found.estimator,
        "adjusted_for": list(found.adjusted_for),
        "n_rows": found.n_rows,
        "null_share": found.null_share,
        "overlap": overlap,
    }
    if not isinstance(found, Effect):
        parts = {name: getattr(found, name)._asdict() for name in ("total", "direct", "indirect")}
        return {**asked, "values": list(found.values), "through": list(found.through), **parts, **basis}
    cases = [
        {"value": value, "mean": mean._asdict(), "effect": effect._asdict()}
        for value, mean, effect in zip(found.values, found.means, found.effects, strict=True)
    ]
    for case, share in zip(cases, found.structural, strict=False):
        case["structural"] = share
    return {**asked, "cases": cases, **basis}


def _mediation_table(found: Mediation, text: Formatter) -> Table:
    from rich.text import Text

    table = number_table("", "effect", "from … to", gap=3)
    through = f"indirect, through {', '.join(found.through)}"
    for name, part in (("total", found.total), ("direct", found.direct), (through, found.indirect)):
        table.add_row(Text(name), text(part.value), _format_interval(part, text))
    return table


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
