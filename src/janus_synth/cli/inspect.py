"""``janus inspect``: a model file in; its schema, links, rules, graph, settings and decision rules out."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Model
from janus_synth.cli.output import console, facts_table, format_count, shorten

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.table import Column

INSPECT_EXAMPLES = (
    "janus inspect people.janus",
    "janus inspect people.janus --explain hired --most 5",
    "janus inspect people.janus --graph mermaid",
    "janus inspect people.janus --schema > schema.json",
    "janus inspect people.janus --privacy",
    "janus inspect people.janus --json",
)
N_LEVELS = 6


class GraphLanguage(StrEnum):
    """Languages in which a graph can be printed."""

    dot = "dot"
    mermaid = "mermaid"


def inspect(
    model: Model,
    explain: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Print the decision rules of a column; those for most rows come first."),
    ] = None,
    tree: Annotated[int, typer.Option(min=1, metavar="N", help="With --explain: which of the column's trees.")] = 1,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="With --explain: how many rules.")] = 20,
    graph: Annotated[
        GraphLanguage | None, typer.Option(help="Print the graph in the language of Graphviz (dot) or Mermaid.")
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema as JSON, ready for janus fit.")] = False,
    privacy: Annotated[
        bool, typer.Option("--privacy", help="List every value of the training rows that the file holds, and why.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what a model has learnt: columns, links, rules, graph, settings, and the decision rules of a column."""
    options = {"--explain": explain, "--graph": graph, "--schema": schema, "--json": as_json and not privacy}
    options["--privacy"] = privacy
    given = [option for option, value in options.items() if value]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} cannot be combined. Ask for one at a time.")
    janus = load_model(model)
    if privacy:
        _show_literals(janus, as_json=as_json)
    elif explain is not None:
        typer.echo(_explain(janus, explain, tree=tree, most=most))
    elif graph is not None:
        typer.echo(janus.dag_.to_dot() if graph == GraphLanguage.dot else janus.dag_.to_mermaid())
    elif schema:
        typer.echo(janus.schema_.to_json())
    elif as_json:
        typer.echo(json.dumps(_as_dict(janus), indent=2, ensure_ascii=False))
    else:
        _show(janus, model)


def _show_literals(janus: Janus, *, as_json: bool) -> None:
    """Print the literal values of the file, with the training rows behind each."""
    from rich.table import Table
    from rich.text import Text

    from janus_synth.model import REASONS, list_literals

    literals = list_literals(janus.model_)
    if as_json:
        typer.echo(json.dumps([literal._asdict() for literal in literals], indent=2, ensure_ascii=False))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", width=min(80, console().width))
    for heading in ("column", "why", "value", "rows"):
        table.add_column(heading, overflow="fold", justify="right" if heading == "rows" else "left")
    for literal in literals:
        rows = "" if literal.n_rows is None else f"{literal.n_rows:,}"
        table.add_row(*map(Text, (literal.column, literal.reason, shorten(literal.value, 60), rows)))
    console().print(table)
    console().print()
    for reason in dict.fromkeys(literal.reason for literal in literals):
        console().print(f"{reason}: {REASONS[reason]}", soft_wrap=True)


def _explain(janus: Janus, column: str, *, tree: int, most: int) -> str:
    n_trees = janus.explain(column, most=0).n_trees
    if tree > n_trees:
        raise ValueError(f"{column!r} has {format_count(n_trees, 'tree')}; there is no tree {tree}.")
    return str(janus.explain(column, tree=tree - 1, most=most))


def _settings(janus: Janus) -> dict[str, Any]:
    """Constructor arguments, without those shown elsewhere."""
    return {name: value for name, value in janus.get_params().items() if name not in ("schema", "rules")}


def _as_dict(janus: Janus) -> dict[str, Any]:
    parents = {column: list(its) for column, its in janus.dag_.parents.items()}
    return {
        "n_rows": janus.n_rows_,
        "schema": janus.schema_.to_dict(),
        "rules": [str(rule) for rule in janus.rules_],
        "links": [
            {"column": link.column, "text": str(link), "inputs": link.visible_inputs, "hidden": link.hidden}
            for link in janus.links_
        ],
        "alerts": [asdict(alert) for alert in janus.alerts_],
        "graph": {"given": janus.model_.graph_given, "parents": parents},
        "settings": _settings(janus),
    }


def _show(janus: Janus, path: str) -> None:
    settings = ", ".join(f"{name}={shorten(repr(value), 60)}" for name, value in _settings(janus).items())
    origin = "given" if janus.model_.graph_given else "learnt from rows, which is no causal claim"
    out = console()
    out.print(facts_table(model=path, rows=f"{janus.n_rows_:,}", frame=janus.schema_.frame, settings=settings))
    out.print()
    out.print(_column_table(janus))
    out.print()
    if janus.links_:
        out.print("links, by which columns are computed (--links off in janus fit learns them like others):")
        for link in janus.links_:
            hidden = f"   [learnt for it: {', '.join(link.hidden)}]" if link.hidden else ""
            out.print(f"  {shorten(link)}{hidden}", soft_wrap=True)
        out.print()
    if janus.rules_:
        out.print("rules that every generated row satisfies:")
        for rule in janus.rules_:
            out.print(f"  {shorten(rule)}", soft_wrap=True)
        out.print()
    if janus.alerts_:
        out.print("alerts about the training rows (--silence in janus fit leaves one out):")
        for alert in janus.alerts_:
            out.print(f"  {alert.where}: {alert.message}; {alert.effect}.", soft_wrap=True)
            out.print(f"    remedy: {alert.shell_remedy}   silence: {alert.silence}", soft_wrap=True)
        out.print()
    out.print(f"graph: {format_count(len(janus.dag_.edges), 'edge')}, {origin}")
    for line in str(janus.dag_).splitlines():
        out.print(f"  {line}", soft_wrap=True)


def _column_table(janus: Janus) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("column", "kind", "dtype", "nulls", "values"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("kind", "dtype"))
    for column in janus.schema_:
        cells = (column.name, column.kind, column.dtype, "yes" if column.nullable else "", _describe_values(column))
        table.add_row(*map(Text, cells))
    return table


def _describe_values(column: Column) -> str:
    """Describe the domain of a column in a few words."""
    from janus_synth.table import shown_value

    if column.is_discrete:
        separator = " < " if column.ordered else ", "
        more = len(column.levels) - N_LEVELS
        text = separator.join(str(level) for level in column.levels[:N_LEVELS])
        return f"{text} and {more:,} more" if more > 0 else text
    if not column.is_learnt:
        return column.template or ""
    if column.low is None or column.high is None:
        return "only nulls"
    low, high = (shown_value(column, bound) for bound in (column.low, column.high))
    return " … ".join(f"{bound:.6g}" if isinstance(bound, float) else str(bound) for bound in (low, high))
