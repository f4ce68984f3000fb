"""Answers of the library in; plain values that the page shows out. Nothing is computed here."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from janus_synth.errors import InfeasibleError, RuleError, UndecidedError, UnknownColumnError

if TYPE_CHECKING:
    from janus_synth.janus import Janus
    from janus_synth.profile import Profile
    from janus_synth.relations import Relation
    from janus_synth.table import Column, Schema

MOST_LEVELS = 60
MOST_SHOWN = 200
"""Rows of a question that the page shows; downloads hold all of them."""


def describe_data(found: Profile, schema: Schema, relations: Iterable[Relation]) -> dict[str, Any]:
    """Columns, alerts and relations of a table."""
    columns = []
    for one in found.columns:
        levels = list(map(str, schema[one.name].levels[:MOST_LEVELS]))
        columns.append(
            {
                **{name: getattr(one, name) for name in ("name", "kind", "missing", "n_distinct", "low", "high")},
                "counts": list(one.counts),
                "shown": list(one.levels),
                "levels": levels,
                "ordered": schema[one.name].ordered,
                "values": one.values,
                "alerts": [_alert(alert) for alert in found.alerts_of(one.name)],
            }
        )
    return {
        "n_rows": found.n_rows,
        "kinds": found.kinds,
        "missing": found.missing,
        "columns": columns,
        "alerts": [_alert(alert) for alert in found.alerts if alert.column is None],
        "relations": [
            {
                "text": str(one),
                "rule": one.rule,
                "kind": one.kind,
                "support": one.support,
                "exceptions": one.exceptions,
            }
            for one in relations
        ],
    }


def _alert(alert: Any) -> dict[str, Any]:
    return {"message": f"{alert.message}; {alert.effect}", "serious": alert.is_serious, "remedy": alert.remedy}


def describe_model(janus: Janus) -> dict[str, Any]:
    """Columns with how a rule writes them and their levels, edges, links and rules of a model."""
    from janus_synth.rules.language.notation import format_name, format_value

    columns = [
        {
            "name": column.name,
            "kind": column.kind,
            "written": format_name(column.name),
            "learnt": column.is_learnt,
            "levels": [format_value(level) for level in column.levels[:MOST_LEVELS]],
            "names": [str(level) for level in column.levels[:MOST_LEVELS]],
            "nullable": column.nullable,
            **_range(janus, column),
        }
        for column in janus.schema_
    ]
    dag = janus.dag_
    return {
        "n_rows": janus.n_rows_,
        "columns": columns,
        "edges": [list(edge) for edge in dag.edges],
        "given": janus.model_.graph_given or janus.trust_graph,
        "rules": [str(rule) for rule in janus.rules_],
        "links": [str(link) for link in janus.links_],
    }


def _range(janus: Janus, column: Column) -> dict[str, Any]:
    """Ends and step of a numeric or datetime column, for sliders; empty for others."""
    from janus_synth.table import shown_value

    codec = janus.model_.codec.columns.get(column.name)
    if codec is None or column.is_discrete or column.low is None or column.high is None:
        return {}
    lattice = getattr(codec, "lattice", None)
    ends = {"low": shown_value(column, column.low), "high": shown_value(column, column.high)}
    return {**ends, "step": lattice.step if lattice is not None and column.kind == "numeric" else None}


def explain(janus: Janus, column: str) -> dict[str, Any]:
    """The largest leaves of a column's first tree, as if–then statements."""
    found = janus.explain(column, most=12)
    return {
        "column": column,
        "parents": list(found.parents),
        "n_trees": found.n_trees,
        "n_leaves": found.n_leaves,
        "rules": [
            {"conditions": list(rule.conditions), "outcome": rule.outcome, "n_rows": rule.n_rows}
            for rule in found.rules
        ],
    }


def verdict(janus: Janus, where: Sequence[str]) -> dict[str, Any]:
    """Whether any row satisfies some conditions, the rules that clash, or where the text is wrong."""
    try:
        found = janus.check(list(where) or None, witness=False)
    except RuleError as error:
        return {"verdict": "unreadable", "problem": error.problem, **_place(error, where)}
    except UndecidedError as error:
        return {"verdict": "undecided", "problem": str(error)}
    except UnknownColumnError as error:
        return {"verdict": "unreadable", "problem": str(error), **_place_of_name(str(error.name), where)}
    if found.feasible:
        return {"verdict": "possible"}
    own = {str(rule) for rule in (*janus.rules_, *janus.links_)}
    conflict = [{"rule": rule, "of_model": rule in own} for rule in found.conflict]
    return {"verdict": "impossible", "problem": found.reason, "conflict": conflict}


def _place(error: RuleError, where: Sequence[str]) -> dict[str, int | None]:
    """Line of the condition that an error is about, and the offset in it."""
    line = next((i for i, text in enumerate(where) if text == error.rule), None)
    return {"line": line, "position": error.position}


def _place_of_name(name: str, where: Sequence[str]) -> dict[str, int | None]:
    """Line of the first condition with a name, and the offset in it."""
    line = next((i for i, text in enumerate(where) if name in text), None)
    return {"line": line, "position": None if line is None else where[line].index(name)}


def rarity(janus: Janus, where: Sequence[str], *, max_seconds: float) -> dict[str, Any]:
    """How many of the model's rows satisfy some conditions."""
    try:
        found = janus.probability(list(where), max_seconds=max_seconds)
    except InfeasibleError:
        return {"value": 0.0, "low": 0.0, "high": 0.0}
    return {"value": found.value, "low": found.low, "high": found.high}


def show_rows(frame: Any) -> dict[str, Any]:
    """The first rows of a frame."""
    from janus_synth.table.files import plain_rows

    head = frame.head(MOST_SHOWN)
    names = list(head.columns)
    return {"columns": names, "rows": [[row[name] for name in names] for row in plain_rows(head)]}


def show_support(janus: Janus, frame: Any, column: str) -> list[float]:
    """How far training rows support the cells of a column in the first rows of a frame, from 0 to 1."""
    found = janus.uncertainty(frame.head(MOST_SHOWN), columns=[column])
    return [round(float(x), 3) for x in found.cells[column].support]


def repeat_lines(request: Mapping[str, Any], model: str) -> dict[str, str]:
    """Lines of Python and of the shell that draw the same rows again.

    Examples
    --------
    >>> print(repeat_lines({"n": 5, "where": ["age > 40"], "seed": 1}, "model.janus")["shell"])
    janus sample model.janus -n 5 --seed 1 --where 'age > 40' -o rows.csv
    """
    where = list(request["where"])
    words = ["janus", "sample", model, "-n", str(request["n"]), "--seed", str(request["seed"])]
    for text in where:
        words += ["--where", text]
    given = f", where={where!r}" if where else ""
    python = f'Janus.load("{model}").sample({request["n"]}{given}, random_state={request["seed"]})'
    return {"shell": shlex.join([*words, "-o", "rows.csv"]), "python": python}
