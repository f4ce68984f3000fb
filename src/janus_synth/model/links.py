"""Links of a model that is about to be fitted: a table, rules and settings in; links, and rules that they need, out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from janus_synth.coordinates import Link, Lookup, as_floats
from janus_synth.coordinates.pair_lookup import PairLookup, fit_pair_lookup
from janus_synth.coordinates.ranges import keeps_sign
from janus_synth.encoding.extremes import declared_ends
from janus_synth.graph import Dag, given_edges
from janus_synth.model.fit import FitSettings
from janus_synth.rules import Rule, bind, col
from janus_synth.table import Column, Schema, Table, shown_value
from janus_synth.threads import one_blas_thread


def choose_for_fit(table: Table, rules: Sequence[Rule], settings: FitSettings, *, find: bool) -> tuple[Link, ...]:
    """Links that agree with the user's graph and background knowledge; rules suggest some, as far as rows keep them."""
    from janus_synth.coordinates.choose import choose_links  # only fits need the search for relations

    bound = [bind(rule, table.schema) for rule in rules]
    graph = None
    if not isinstance(settings.structure, str):
        graph = Dag.from_edges([column.name for column in table.schema.learnt], given_edges(settings.structure))
    tier_of = {name: number for number, tier in enumerate(settings.tiers) for name in tier}
    barred = [(late, early) for late in tier_of for early in tier_of if tier_of[late] > tier_of[early]]
    forced = [(child, parent) for parent, child in settings.required]
    with one_blas_thread():
        return choose_links(
            table,
            bound,
            find=find,
            graph=graph,
            barred=(*settings.forbidden, *barred, *forced),
            least=settings.bins.least,
        )


def domain_rules(
    links: Sequence[Link], schema: Schema, declared: Mapping[str, Mapping[str, object]] | Schema | None
) -> tuple[Rule, ...]:
    """Rules that keep computed columns in the domain that the user declared, and differences from becoming negative."""
    rules: list[Rule] = []
    for link in links:
        column = schema[link.column]
        for bound in declared_ends(link.column, declared):
            value = shown_value(column, getattr(column, bound))
            test = col(link.column) >= value if bound == "low" else col(link.column) <= value
            rules.append(_unless_null(column, test))
        if keeps_sign(link, column):
            rules.append(_unless_null(column, col(link.column) >= 0))
    return tuple(dict.fromkeys(rules))


def _unless_null(column: Column, test: Rule) -> Rule:
    return col(column.name).is_null() | test if column.nullable else test


def without_rare_keys(links: Sequence[Link], table: Table, least: int) -> tuple[Link, ...]:
    """Links that look up only keys of at least ``least`` rows; other numbers take the value of the nearest such key."""
    kept = []
    for link in links:
        if isinstance(link.formula, Lookup) and least > 1:
            keys, counts = np.unique(as_floats(table[link.formula.key]), return_counts=True, equal_nan=True)
            frequent = set(keys[counts >= least].tolist())
            pairs = [pair for pair in zip(link.formula.known, link.formula.values, strict=True) if pair[0] in frequent]
            if not pairs:
                continue
            known, values = zip(*pairs, strict=True)
            missing = link.formula.missing if counts[np.isnan(keys)].sum() >= least else None
            link = replace(link, formula=replace(link.formula, known=known, values=values, missing=missing))
        elif isinstance(link.formula, PairLookup) and least > 1:
            one, other, column = (as_floats(table[name]) for name in (*link.formula.keys, link.column))
            pair_lookup = fit_pair_lookup(link.formula.keys, (one, other, column), least)
            if pair_lookup is None:
                continue
            link = replace(link, formula=pair_lookup)
        kept.append(link)
    return tuple(kept)
