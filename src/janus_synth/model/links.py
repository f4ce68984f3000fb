"""Links of a model that is about to be fitted: a table, rules and settings in; links, and rules that they need, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from janus_synth.coordinates import Link, Sum
from janus_synth.coordinates.choose import choose_links
from janus_synth.graph import Dag, given_edges
from janus_synth.model.fit import FitSettings
from janus_synth.rules import Rule, bind, col, judge
from janus_synth.table import Schema, Table, shown_value


def choose_for_fit(table: Table, rules: Sequence[Rule], settings: FitSettings, *, find: bool) -> tuple[Link, ...]:
    """Links that agree with the user's graph and background knowledge; rules suggest some if all rows keep them."""
    bound = [bind(rule, table.schema) for rule in rules]
    kept = [rule for rule in bound if judge(rule, table).all()]
    graph = None
    if not isinstance(settings.structure, str):
        graph = Dag.from_edges([column.name for column in table.schema.learnt], given_edges(settings.structure))
    tier_of = {name: number for number, tier in enumerate(settings.tiers) for name in tier}
    barred = [(late, early) for late in tier_of for early in tier_of if tier_of[late] > tier_of[early]]
    forced = [(child, parent) for parent, child in settings.required]
    return choose_links(table, kept, find=find, graph=graph, barred=(*settings.forbidden, *barred, *forced))


def domain_rules(
    links: Sequence[Link], schema: Schema, declared: Mapping[str, Mapping[str, object]] | Schema | None
) -> tuple[Rule, ...]:
    """Rules that keep computed columns in the domain that the user declared, and differences from becoming negative."""
    rules: list[Rule] = []
    for link in links:
        column = schema[link.column]
        for bound in _declared_bounds(link.column, declared):
            value = shown_value(column, getattr(column, bound))
            rules.append(col(link.column) >= value if bound == "low" else col(link.column) <= value)
        if (
            not isinstance(link.formula, Sum)
            or link.hidden
            or column.kind != "numeric"
            or column.low is None
            or column.low < 0
        ):
            continue
        if any(weight < 0 for _, weight in link.formula.terms):
            rules.append(col(link.column) >= 0)
    return tuple(rules)


def _declared_bounds(name: str, declared: Mapping[str, Mapping[str, object]] | Schema | None) -> list[str]:
    """Which ends of a column's domain the user declared."""
    if isinstance(declared, Schema):
        known = [column for column in declared if column.name == name]
        return [bound for bound in ("low", "high") if known and getattr(known[0], bound) is not None]
    return [bound for bound in ("low", "high") if bound in (declared or {}).get(name, {})]
