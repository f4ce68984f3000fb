"""The argument ``rules`` and training rows in; rules that were found in the rows out, beside those the user wrote."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from janus_synth.coordinates import Link
from janus_synth.errors import InfeasibleError, JanusError
from janus_synth.model import Model
from janus_synth.rules import Rule, Where, as_rules, bind, judge, learn
from janus_synth.table import Table

DISCOVER = "discover"
"""The word that asks for rules found in the training rows."""
T = TypeVar("T")


def split_rules(rules: Where) -> tuple[tuple[Rule, ...], bool]:
    """Return the rules that the user wrote, and whether rules are to be found in the training rows.

    Examples
    --------
    >>> split_rules("discover")
    ((), True)
    >>> [str(rule) for rule in split_rules(["age >= 18", "discover"])[0]]
    ['age >= 18']
    """
    if isinstance(rules, str) or not isinstance(rules, Iterable):
        return ((), True) if _is_word(rules) else (as_rules(rules), False)
    parts = list(rules)
    written = [part for part in parts if not _is_word(part)]
    return as_rules(written), len(written) < len(parts)


def find_rules(table: Table, written: Sequence[Rule]) -> tuple[Rule, ...]:
    """Rules that hold in all rows of a table, without those that the user wrote."""
    from janus_synth.relations import discover

    found = dict.fromkeys(rule for text in discover(table).rules if (rule := _usable(text, table)) is not None)
    return tuple(rule for rule in found if rule not in written)


def find_time_orderings(table: Table, links: Sequence[Link], written: Sequence[Rule]) -> tuple[Rule, ...]:
    """Orderings of timestamps that hold in all rows, without those that a link or the user's rules already state.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> from janus_synth.table import read_table
    >>> [str(rule) for rule in find_time_orderings(read_table(datasets.hiring(500, random_state=0)), (), ())]
    ['end_date is null or end_date > start_date']
    """
    if sum(column.kind == "datetime" for column in table.schema.learnt) < 2:
        return ()
    from janus_synth.relations import find_time_orderings as find

    linked = {frozenset((link.column, *link.visible_inputs)) for link in links}
    apart = [relation for relation in find(table) if frozenset(relation.columns) not in linked]
    found = (_usable(relation.rule, table) for relation in apart)
    return tuple(rule for rule in found if rule is not None and rule not in written)


def plan_without_conflicts(model: Model, found: Sequence[Rule], plan: Callable[[Model], T]) -> tuple[Model, T]:
    """Plan for a model; found rules that make it impossible are left out with a warning."""
    while True:
        try:
            return model, plan(model)
        except JanusError as error:
            clashing = set(error.conflict) if isinstance(error, InfeasibleError) else {str(rule) for rule in found}
            dropped = [rule for rule in found if str(rule) in clashing]
            if not dropped:
                raise
            shown = ", ".join(f"'{rule}'" for rule in dropped)
            warnings.warn(f"rules that were found in the rows are not used: {shown}. {error}", stacklevel=4)
            found = [rule for rule in found if rule not in dropped]
            model = replace(model, rules=tuple(rule for rule in model.rules if rule not in dropped))


def _is_word(rule: object) -> bool:
    return isinstance(rule, str) and rule.strip() == DISCOVER


def _usable(text: str, table: Table) -> Rule | None:
    """A rule completed with the rows' combinations; None if it cannot be used or does not hold in all rows."""
    try:
        rule = learn(as_rules(text)[0], table)
        return rule if judge(bind(rule, table.schema), table).all() else None
    except JanusError:
        return None
