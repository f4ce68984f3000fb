"""A rule and a table in, the rule with its known combinations out: ``fixed_combinations`` learnt from rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import And, FixedCombinations, Iff, Implies, Not, Or, Rule, leaves
from janus_synth.rules.language.parse import as_rule
from janus_synth.table import Table, read_table, shown_value
from janus_synth.table.columns import Level

LEAST_KEPT = 0.9
"""Share of the rows whose combinations must be frequent for the others to be left out; fewer would distort columns."""


def learn(rule: object, frame: Any, *, least: int = 1) -> Rule:
    """Fill in the combinations of every ``fixed_combinations`` that has none yet.

    Parameters
    ----------
    rule : str or Rule
        Any rule; only ``fixed_combinations`` without rows change.
    frame : DataFrame or Table
        Rows whose combinations are the known ones.
    least : int
        Combinations of fewer rows are left out, if the others make up 90 % of the rows.

    Examples
    --------
    >>> import pandas as pd
    >>> seen = pd.DataFrame({"city": ["Rome", "Oslo"], "country": ["Italy", "Norway"]})
    >>> print(learn("fixed_combinations(city, country)", seen))
    fixed_combinations(city, country, [['Oslo', 'Norway'], ['Rome', 'Italy']])
    """
    source = as_rule(rule)
    names = distinct(
        name
        for leaf in leaves(source)
        if isinstance(leaf, FixedCombinations) and leaf.rows is None
        for name in leaf.combined
    )
    if not names:
        return source
    table = frame if isinstance(frame, Table) else read_table(frame, columns=names)
    return _fill_in(source, table, least)


def count_unexcluded(rule: object, table: Table, *, least: int) -> int:
    """Count combinations of training rows that a rule is meant to exclude, but that ``learn`` leaves out.

    Under ``not``, or as a premise, ``fixed_combinations`` excludes what rows have. Combinations that are left out
    because few rows have them are then not excluded.

    Examples
    --------
    >>> import pandas as pd
    >>> seen = read_table(pd.DataFrame({"city": ["Rome"] * 40 + ["Oslo"], "country": ["Italy"] * 40 + ["Norway"]}))
    >>> [count_unexcluded(f"{sign}fixed_combinations(city, country)", seen, least=2) for sign in ("", "not ")]
    [0, 1]
    """
    return sum(
        len(_distinct_rows(table, names, 1)) - len(_distinct_rows(table, names, least))
        for names in distinct(_open_combinations(as_rule(rule), negated=False))
    )


def _open_combinations(rule: Rule, *, negated: bool) -> Iterator[tuple[str, ...]]:
    """Columns of each ``fixed_combinations`` without rows whose rows a rule excludes."""
    match rule:
        case FixedCombinations(combined, None):
            if negated:
                yield combined
        case And(parts) | Or(parts):
            for part in parts:
                yield from _open_combinations(part, negated=negated)
        case Not(part):
            yield from _open_combinations(part, negated=not negated)
        case Implies(premise, conclusion):
            yield from _open_combinations(premise, negated=not negated)
            yield from _open_combinations(conclusion, negated=negated)
        case Iff(first, second):
            for part in (first, second):
                yield from _open_combinations(part, negated=True)


def _fill_in(rule: Rule, table: Table, least: int) -> Rule:
    match rule:
        case FixedCombinations(combined, None):
            return FixedCombinations(combined, _distinct_rows(table, combined, least))
        case And(parts):
            return And(tuple(_fill_in(part, table, least) for part in parts))
        case Or(parts):
            return Or(tuple(_fill_in(part, table, least) for part in parts))
        case Not(part):
            return Not(_fill_in(part, table, least))
        case Implies(premise, conclusion):
            return Implies(_fill_in(premise, table, least), _fill_in(conclusion, table, least))
        case Iff(first, second):
            return Iff(_fill_in(first, table, least), _fill_in(second, table, least))
    return rule


def _distinct_rows(table: Table, names: tuple[str, ...], least: int) -> tuple[tuple[Level | None, ...], ...]:
    """Distinct rows of some columns, in the values a user would write."""
    for name in names:
        if name in table.schema and not table.schema[name].is_learnt:
            raise RuleError(
                f"column {name!r} is {table.schema[name].what}, and rules cannot use {table.schema[name].what_plural}."
            )
    columns = [table.schema[name] for name in names]
    filled = [np.where(table.missing(name), -np.inf, table[name].astype(np.float64)) for name in names]
    rows, counts = np.unique(np.stack(filled, axis=1), axis=0, return_counts=True)
    if counts[counts >= least].sum() >= LEAST_KEPT * counts.sum():
        rows = rows[counts >= least]
    return tuple(
        tuple(
            None if np.isneginf(cell) else shown_value(column, cell) for column, cell in zip(columns, row, strict=True)
        )
        for row in rows.tolist()
    )
