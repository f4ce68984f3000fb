"""A rule and a schema in, a ``BoundRule`` out: names and types checked, constants in physical units.

The bound form uses the same nodes in a normal form that needs no further thought about types, negation or nulls:

- ``And`` and ``Or`` join literals; ``Implies`` is gone and ``Not`` stands only before ``Increments`` and
  ``FixedCombinations``.
- ``Compare`` has all columns on the left and one number on the right, in the units of ``Table``: numbers, or
  microseconds. One column has the coefficient 1. Only numeric, datetime and (in sums) boolean columns are compared.
- ``IsIn`` lists physical values: numbers, microseconds, or indices of levels. Comparisons of a category with its
  levels, in order or not, have become ``IsIn``.
- ``FixedCombinations`` lists rows of physical values, None for missing.

No literal but ``IsNull`` and ``FixedCombinations`` holds where one of its columns is null. ``not`` moves inwards,
so ``not (x > 3)`` is ``x <= 3``. A premise of ``implies`` that meets a null does not hold, so the rule does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from janus_synth.errors import RuleError, SchemaError, UnknownColumnError
from janus_synth.rules.language.nodes import (
    NEGATED,
    SWAPPED,
    And,
    Compare,
    FixedCombinations,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Linear,
    Not,
    Or,
    Rule,
    Term,
    all_of,
    any_of,
    distinct,
    leaves,
)
from janus_synth.rules.language.parse import as_rule
from janus_synth.table import Column, Schema, Table, physical_value, read_table, shown_value
from janus_synth.table.columns import Level

PYTHON_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule as the user wrote it, and the same condition in physical units and normal form."""

    source: Rule
    test: Rule

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the rule uses, in order of appearance."""
        return self.source.columns

    def __str__(self) -> str:
        return str(self.source)


def bind(rule: object, schema: Schema, table: Table | None = None, *, strict: bool = True) -> BoundRule:
    """Check a rule against a schema and put it into physical units.

    Parameters
    ----------
    rule : str or Rule
        What to bind.
    schema : Schema
        Columns with their kinds and levels. Numbers beyond a column's domain are fine.
    table : Table, optional
        Rows to learn ``fixed_combinations`` from.
    strict : bool
        Refuse levels the schema does not know; otherwise no row takes them.

    Returns
    -------
    BoundRule

    Raises
    ------
    UnknownColumnError
        If the schema lacks a column, with the closest names.
    RuleError
        If a column's kind does not fit what the rule does with it.

    Examples
    --------
    >>> city = Column("city", "categorical", "str", levels=("Oslo", "Rome"))
    >>> schema = Schema((Column("age", "numeric", "int64"), city))
    >>> bind("2 * age >= 36 and city != 'Rome'", schema).test
    And(parts=(Compare(left=Linear(terms=(Term(column='age', ...), op='>=', right=Linear(terms=(), constant=18, ...
    """
    source = as_rule(rule)
    binder = _Binder(schema, strict)
    binder.check_columns(source.columns)
    return BoundRule(source, binder.normal(source if table is None else learn(source, table)))


def learn(rule: object, frame: Any) -> Rule:
    """Fill in the combinations that ``fixed_combinations`` waits for.

    Parameters
    ----------
    rule : str or Rule
        Any rule; only ``fixed_combinations`` without rows change.
    frame : DataFrame or Table
        Rows whose combinations are the known ones.

    Examples
    --------
    >>> import pandas as pd
    >>> seen = pd.DataFrame({"city": ["Rome", "Oslo"], "country": ["Italy", "Norway"]})
    >>> print(learn("fixed_combinations(city, country)", seen))
    fixed_combinations(city, country, [['Oslo', 'Norway'], ['Rome', 'Italy']])
    """
    source = as_rule(rule)
    waiting = distinct(
        name
        for leaf in leaves(source)
        if isinstance(leaf, FixedCombinations) and leaf.rows is None
        for name in leaf.combined
    )
    if not waiting:
        return source
    table = frame if isinstance(frame, Table) else read_table(frame, columns=waiting)
    return _learnt(source, table)


def _learnt(rule: Rule, table: Table) -> Rule:
    match rule:
        case FixedCombinations(combined, None):
            return FixedCombinations(combined, _combinations(table, combined))
        case And(parts):
            return And(tuple(_learnt(part, table) for part in parts))
        case Or(parts):
            return Or(tuple(_learnt(part, table) for part in parts))
        case Not(part):
            return Not(_learnt(part, table))
        case Implies(premise, conclusion):
            return Implies(_learnt(premise, table), _learnt(conclusion, table))
    return rule


def _combinations(table: Table, names: tuple[str, ...]) -> tuple[tuple[Level | None, ...], ...]:
    """Distinct rows of some columns as a user would write them."""
    import numpy as np

    for name in names:
        if name in table.schema and not table.schema[name].is_learnt:
            raise RuleError(f"column {name!r} is an identifier, and those take no part in rules.")
    columns = [table.schema[name] for name in names]
    filled = [np.where(table.missing(name), -np.inf, table[name].astype(np.float64)) for name in names]
    rows = np.unique(np.stack(filled, axis=1), axis=0)
    return tuple(
        tuple(
            None if np.isneginf(cell) else shown_value(column, cell) for column, cell in zip(columns, row, strict=True)
        )
        for row in rows.tolist()
    )


class _Binder:
    """Binds the nodes of one rule."""

    def __init__(self, columns: Iterable[Column], strict: bool) -> None:
        self.columns = {column.name: column for column in columns}
        self.strict = strict

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse names the schema lacks, and identifiers."""
        for name in names:
            if name not in self.columns:
                raise UnknownColumnError(name, self.columns, where="the schema")
            if not self.columns[name].is_learnt:
                raise RuleError(
                    f"column {name!r} is an identifier: its values are made afresh, so no rule can speak of it. "
                    f"If it means something, give it another kind, such as {{{name!r}: {{'kind': 'categorical'}}}}."
                )

    def normal(self, rule: Rule, negated: bool = False) -> Rule:
        """Bound rule, or its negation moved inwards."""
        match rule:
            case Compare() | IsIn() | Increments() if empty := self.without_values(rule.columns):
                return IsIn(empty, ())
            case And(parts):
                return (any_of if negated else all_of)([self.normal(part, negated) for part in parts])
            case Or(parts):
                return (all_of if negated else any_of)([self.normal(part, negated) for part in parts])
            case Not(part):
                return self.normal(part, not negated)
            case Implies(premise, conclusion) if negated:
                return all_of((self.normal(premise), self.normal(conclusion, True)))
            case Implies(premise, conclusion):
                return any_of((self.otherwise(self.normal(premise)), self.normal(conclusion)))
            case IsNull(column, null_negated):
                return IsNull(column, null_negated != negated)
            case IsIn():
                return self.membership(rule, negated)
            case Compare(left, op, right):
                return self.comparison(rule, left, NEGATED[op] if negated else op, right)
            case Increments():
                self.check_increments(rule)
                return Not(rule) if negated else rule
            case FixedCombinations():
                bound = self.combinations(rule)
                return Not(bound) if negated else bound
        raise TypeError(f"{rule!r} is no rule.")

    def without_values(self, names: Iterable[str]) -> str | None:
        """First column whose kind nobody could detect, because all its cells are missing."""
        if self.strict:
            return None
        columns = (self.columns[name] for name in names)
        return next((column.name for column in columns if column.kind == "categorical" and not column.levels), None)

    def otherwise(self, test: Rule) -> Rule:
        """Complement of a bound rule: true on exactly the rows where it is false, nulls included."""
        match test:
            case And(parts):
                return any_of([self.otherwise(part) for part in parts])
            case Or(parts):
                return all_of([self.otherwise(part) for part in parts])
            case IsNull(column, negated):
                return IsNull(column, not negated)
            case FixedCombinations():
                return Not(test)
            case Not(FixedCombinations() as part):
                return part
            case Not(part):
                return any_of((part, *self.nulls(part.columns)))
            case Increments():
                return any_of((Not(test), *self.nulls(test.columns)))
            case IsIn(column, values, negated):
                return any_of((IsIn(column, values, not negated), *self.nulls((column,))))
            case Compare(left, op, right):
                return any_of((Compare(left, NEGATED[op], right), *self.nulls(left.columns)))
        raise TypeError(f"{test!r} is no bound rule.")

    def nulls(self, names: Iterable[str]) -> list[Rule]:
        """Rules that a column is null, for those that can be."""
        return [IsNull(name) for name in names if self.columns[name].nullable]

    def membership(self, rule: IsIn, negated: bool) -> Rule:
        """Values of a list in physical units."""
        column = self.columns[rule.column]
        if rule.truths == (True,) and column.kind != "boolean" and not any(isinstance(x, bool) for x in column.levels):
            fail(rule, f"column {column.name!r} is {column.kind}, not boolean. {_advice(column)}")
        return self.among(rule, column, rule.values, rule.negated != negated)

    def among(self, rule: Rule, column: Column, values: tuple[Level, ...], negated: bool) -> Rule:
        """Rule that a column takes some values, of which unknown levels drop out where that is allowed."""
        found = (self.value(rule, column, value) for value in values)
        return IsIn(column.name, distinct(value for value in found if value is not None), negated)

    def value(self, rule: Rule, column: Column, value: Level | None) -> Level | None:
        """Physical value of a constant; None for a level nobody knows where that is allowed."""
        if column.kind == "boolean" and not isinstance(value, bool) and value in (0, 1):
            value = bool(value)
        if not self.strict and column.is_discrete and not _knows(column, value):
            return None
        if column.kind == "datetime" and not isinstance(value, str):
            fail(rule, f"column {column.name!r} is datetime and {value!r} is not. {_advice(column)}")
        if column.kind == "numeric" and isinstance(value, str | bool):
            what = "text" if isinstance(value, str) else "true or false"
            fail(rule, f"column {column.name!r} is numeric and {value!r} is {what}. {_advice(column)}")
        try:
            physical = physical_value(column, value)
        except SchemaError as error:
            fail(rule, str(error))
        return int(physical) if column.is_discrete else physical

    def comparison(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Comparison in physical units."""
        names = distinct(left.columns + right.columns)
        if any(self.columns[name].kind == "categorical" for name in names):
            return self.of_levels(rule, left, op, right)
        if len(names) == 1 and self.columns[names[0]].kind == "boolean":
            return self.of_truth(rule, left, op, right)
        return self.of_numbers(rule, left, op, right)

    def of_levels(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Comparison of a category with a level, or of two categories."""
        if left.bare is None:
            left, op, right = right, SWAPPED[op], left
        column = self.columns[left.bare or next(iter(left.columns + right.columns))]
        if left.bare and right.bare:
            return self.of_two(rule, column, op, self.columns[right.bare])
        if not left.bare or not (right.lone_text is not None or right.is_number):
            name = next(n for n in left.columns + right.columns if self.columns[n].kind == "categorical")
            fail(rule, f"column {name!r} is categorical, so it has no place in a sum. {_advice(self.columns[name])}")
        level: Level = right.constant if right.lone_text is None else right.lone_text
        if op not in ("==", "!=") and not column.is_ordered:
            fail(
                rule,
                f"column {column.name!r} is categorical and its levels have no order, so {op!r} means nothing. "
                "Use == or in, or declare the column as ordered, numeric or datetime.",
            )
        if op in ("==", "!="):
            return self.among(rule, column, (level,), op == "!=")
        code = _Binder((column,), strict=True).value(rule, column, level)  # an unknown level has no place in the order
        assert isinstance(code, int)
        return IsIn(column.name, tuple(i for i in range(len(column.levels)) if PYTHON_OPS[op](i, code)))

    def of_two(self, rule: Rule, column: Column, op: str, other: Column) -> Rule:
        """Two categories are equal, or not, by their levels."""
        if not (column.is_discrete and other.is_discrete) or op not in ("==", "!="):
            fail(
                rule,
                f"columns {column.name!r} ({column.kind}) and {other.name!r} ({other.kind}) cannot be compared with "
                f"{op!r}. Categories can be equal or unequal to one another.",
            )
        if column.name == other.name:
            return IsNull(column.name, True) if op == "==" else IsIn(column.name, ())
        shared = [level for level in column.levels if _knows(other, level)]
        rows = tuple((int(physical_value(column, level)), int(physical_value(other, level))) for level in shared)
        same = FixedCombinations((column.name, other.name), rows)
        if op == "==":
            return same
        return And((Not(same), IsNull(column.name, True), IsNull(other.name, True)))

    def of_truth(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Condition on one boolean column, tried on both its values."""
        name = (left.columns + right.columns)[0]
        difference = self.difference(rule, left, right)
        slope = sum(term.coefficient for term in difference.terms)
        holding = (code for code in (0, 1) if PYTHON_OPS[op](slope * code + difference.constant, 0))
        return IsIn(name, tuple(holding))

    def of_numbers(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Linear comparison of numbers, moments or durations."""
        difference = self.difference(rule, left, right)
        names = distinct(left.columns + right.columns)
        cancelled = [IsNull(name, True) for name in names if name not in difference.columns]
        if not difference.terms:  # a < a + 1: true of every row that is not null, or of none
            holds = PYTHON_OPS[op](difference.constant, 0)
            return all_of(cancelled) if holds else IsIn(names[0], ())
        bound, terms = -difference.constant, difference.terms
        if len(terms) == 1:
            bound, op = bound / terms[0].coefficient, SWAPPED[op] if terms[0].coefficient < 0 else op
            terms = (Term(terms[0].column),)
        return all_of((Compare(Linear(terms), op, Linear(constant=bound)), *cancelled))

    def difference(self, rule: Rule, left: Linear, right: Linear) -> Linear:
        """Left minus right in physical units: terms and one number."""
        self.check_units(rule, left, right)
        names = left.columns + right.columns
        return self.physical(rule, left, names).plus(self.physical(rule, right, names).times(-1))

    def physical(self, rule: Rule, side: Linear, names: tuple[str, ...]) -> Linear:
        """One side with its text and durations turned into numbers."""
        moment = 0.0
        if side.text is not None:
            column = next(self.columns[name] for name in names if self.columns[name].kind == "datetime")
            moment = side.sign * float(self.value(rule, column, side.text) or 0.0)
        terms = tuple(Term(term.column, term.coefficient) for term in side.terms)
        return Linear(terms, side.constant + side.span + moment)

    def check_units(self, rule: Rule, left: Linear, right: Linear) -> None:
        """Refuse sums of what cannot be added: moments, durations and plain numbers are three things."""
        terms = [*left.terms, *right.times(-1).terms]
        moments = [term for term in terms if self.columns[term.column].kind == "datetime"]
        plain = [term for term in terms if term not in moments and not term.span and not self.is_span(term.column)]
        texts = [side.text for side in (left, right) if side.text is not None]
        spans = bool(
            left.span or right.span or any(t.span or self.is_span(t.column) for t in terms if t not in moments)
        )
        number = left.constant or right.constant
        for term in terms:
            if term.span and (term in moments or self.is_span(term.column)):
                fail(rule, f"a duration counts plain numbers, and column {term.column!r} already is a time.")
        if texts and not moments:
            column = self.columns[terms[0].column]
            fail(rule, f"column {column.name!r} is {column.kind} and {texts[0]!r} is text. {_advice(column)}")
        if moments:
            weight = sum(t.coefficient for t in moments) + left.sign * (left.text is not None)
            weight -= right.sign * (right.text is not None)
            if abs(weight) > 1e-9:
                column = self.columns[moments[0].column]
                fail(rule, f"column {column.name!r} is datetime; compare it with a moment. {_advice(column)}")
        if (moments or spans) and plain:
            name = plain[0].column
            fail(rule, f"column {name!r} is a plain number among times. Write days({name}) or hours({name}).")
        if (moments or spans) and number:
            fail(rule, f"{number} is a plain number among times. Write days({number}) or hours({number}).")

    def is_span(self, name: str) -> bool:
        """Whether a numeric column holds durations or times of day, which are microseconds."""
        column = self.columns[name]
        return column.kind == "numeric" and any(mark in column.dtype.lower() for mark in ("time", "duration"))

    def check_increments(self, rule: Increments) -> None:
        """Refuse steps on what is not numeric."""
        column = self.columns[rule.column]
        if column.kind != "numeric":
            fail(rule, f"column {column.name!r} is {column.kind}; increments are for numeric columns.")

    def combinations(self, rule: FixedCombinations) -> Rule:
        """Known combinations in physical units; those with a level nobody knows are left out."""
        if rule.rows is None:
            fail(rule, "the combinations are not known yet. Give bind the training table, or call learn(rule, rows).")
        columns = [self.columns[name] for name in rule.combined]
        lenient = _Binder(self.columns.values(), strict=False)
        rows = []
        for row in rule.rows:
            cells = [
                None if cell is None else lenient.value(rule, column, cell)
                for column, cell in zip(columns, row, strict=True)
            ]
            if all(cell is not None or given is None for cell, given in zip(cells, row, strict=True)):
                rows.append(tuple(cells))
        return FixedCombinations(rule.combined, tuple(rows))


def fail(rule: Rule, problem: str) -> NoReturn:
    """Refuse a rule that does not fit the schema."""
    raise RuleError(problem, rule=str(rule))


def _knows(column: Column, level: object) -> bool:
    return any(level == known and isinstance(level, bool) == isinstance(known, bool) for known in column.levels)


def _advice(column: Column) -> str:
    """What to compare a column with."""
    match column.kind:
        case "datetime":
            return f"Write ISO text, such as {column.name} >= '2024-01-31'."
        case "numeric":
            return f"Compare it with a number, such as {column.name} >= 1."
        case "boolean":
            return "Use it alone, or compare it with True or False."
    levels = ", ".join(map(repr, column.levels[:3]))
    return f"Compare it with its levels{', such as ' + levels if levels else ''}."
