"""``janus inspect``: a model file in; its schema, rules, graph, settings and decisions out."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.options import Model
from janus_synth.cli.show import console, counted, facts, shortened

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.janus import Janus
    from janus_synth.table import Column

INSPECT_EXAMPLES = (
    "janus inspect people.janus",
    "janus inspect people.janus --explain hired --most 5",
    "janus inspect people.janus --graph mermaid",
    "janus inspect people.janus --schema > schema.json",
    "janus inspect people.janus --json",
)
MOST_LEVELS = 6


class Drawing(StrEnum):
    """Languages that a graph can be drawn in."""

    dot = "dot"
    mermaid = "mermaid"


def inspect(
    model: Model,
    explain: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Print the decision rules of a column, largest leaves first.")
    ] = None,
    tree: Annotated[int, typer.Option(min=1, metavar="N", help="With --explain: which of the column's trees.")] = 1,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="With --explain: how many rules.")] = 20,
    graph: Annotated[Drawing | None, typer.Option(help="Print the graph for Graphviz or Mermaid.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema as JSON, ready for janus fit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what a model knows: columns, rules, graph, settings."""
    wanted = {"--explain": explain, "--graph": graph, "--schema": schema, "--json": as_json}
    asked = [option for option, value in wanted.items() if value]
    if len(asked) > 1:
        raise typer.BadParameter(f"{' and '.join(asked)} cannot be combined. Ask for one at a time.")
    from janus_synth.janus import Janus

    learnt = Janus.load(model)
    if explain is not None:
        typer.echo(_decisions(learnt, explain, tree=tree, most=most))
    elif graph is not None:
        typer.echo(learnt.dag_.to_dot() if graph == Drawing.dot else learnt.dag_.to_mermaid())
    elif schema:
        typer.echo(learnt.schema_.to_json())
    elif as_json:
        typer.echo(json.dumps(_as_dict(learnt), indent=2, ensure_ascii=False))
    else:
        _show(learnt, model)


def _decisions(learnt: Janus, column: str, *, tree: int, most: int) -> str:
    n_trees = learnt.explain(column, most=0).n_trees
    if tree > n_trees:
        raise ValueError(f"{column!r} has {counted(n_trees, 'tree')}; there is no tree {tree}.")
    return str(learnt.explain(column, tree=tree - 1, most=most))


def _settings(learnt: Janus) -> dict[str, Any]:
    """Constructor arguments that the rest does not show."""
    return {name: value for name, value in learnt.get_params().items() if name not in ("schema", "rules")}


def _as_dict(learnt: Janus) -> dict[str, Any]:
    parents = {column: list(its) for column, its in learnt.dag_.parents.items()}
    return {
        "n_rows": learnt.n_rows_,
        "schema": learnt.schema_.to_dict(),
        "rules": [str(rule) for rule in learnt.rules_],
        "graph": {"given": learnt.model_.graph_given, "parents": parents},
        "settings": _settings(learnt),
    }


def _show(learnt: Janus, path: str) -> None:
    settings = ", ".join(f"{name}={shortened(repr(value), 60)}" for name, value in _settings(learnt).items())
    origin = "given" if learnt.model_.graph_given else "learnt, which is no causal claim"
    out = console()
    out.print(facts(model=path, rows=f"{learnt.n_rows_:,}", frame=learnt.schema_.frame, settings=settings))
    out.print()
    out.print(_columns(learnt))
    out.print()
    if learnt.rules_:
        out.print("rules that every row it emits keeps:")
        for rule in learnt.rules_:
            out.print(f"  {shortened(rule)}", soft_wrap=True)
        out.print()
    out.print(f"graph: {counted(len(learnt.dag_.edges), 'edge')}, {origin}")
    for line in str(learnt.dag_).splitlines():
        out.print(f"  {line}", soft_wrap=True)


def _columns(learnt: Janus) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("column", "kind", "dtype", "nulls", "values"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("kind", "dtype"))
    for column in learnt.schema_:
        cells = (column.name, column.kind, column.dtype, "yes" if column.nullable else "", _values(column))
        table.add_row(*map(Text, cells))
    return table


def _values(column: Column) -> str:
    """What a column may hold, in a few words."""
    from janus_synth.table import shown_value

    if column.is_discrete:
        shown = " < " if column.ordered else ", "
        more = len(column.levels) - MOST_LEVELS
        text = shown.join(str(level) for level in column.levels[:MOST_LEVELS])
        return f"{text} and {more:,} more" if more > 0 else text
    if not column.is_learnt:
        return column.template or ""
    if column.low is None or column.high is None:
        return "nothing but nulls"
    low, high = (shown_value(column, bound) for bound in (column.low, column.high))
    return " … ".join(f"{bound:.6g}" if isinstance(bound, float) else str(bound) for bound in (low, high))
