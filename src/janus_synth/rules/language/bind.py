"""A rule and a schema in, a ``BoundRule`` out: names and types checked, constants in physical units.

The bound form (a *test*) uses the same nodes in negation normal form, with types and nulls settled:

- ``And`` and ``Or`` join literals; there is no ``Implies``, and ``Not`` stands only before ``Increments`` and
  ``FixedCombinations``.
- ``Compare`` has all columns on the left and one number on the right, in the units of ``Table``: numbers, or
  microseconds. One column has the coefficient 1. Only numeric, datetime and (in sums) boolean columns are compared.
- ``IsIn`` lists physical values: numbers, microseconds, or indices of levels. Comparisons of a category with its
  levels, in order or not, have become ``IsIn``.
- ``CompareProducts`` is such a comparison with products, ratios or powers of columns among its terms.
- ``InCalendar`` has the ranges of a part of a date, and the column's time zone.
- ``FixedCombinations`` lists rows of physical values, None for missing.

``abs``, ``max`` and ``min`` have become ``And`` and ``Or`` of linear comparisons, and patterns the levels that match.

Only ``IsNull`` and ``FixedCombinations`` can hold where one of their columns is null. ``not`` moves inwards, so
``not (x > 3)`` is ``x <= 3``. A premise of ``implies`` about a null does not hold, so the rule does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from janus_synth.errors import RuleError, UnknownColumnError
from janus_synth.rules.language.cases import denominators, linear_cases
from janus_synth.rules.language.dates import Calendar, InCalendar
from janus_synth.rules.language.keys import Unique, require_no_keys
from janus_synth.rules.language.learn import learn
from janus_synth.rules.language.linear import Linear, Term, distinct
from janus_synth.rules.language.nodes import (
    NEGATED,
    SWAPPED,
    And,
    Compare,
    FixedCombinations,
    Iff,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Not,
    Or,
    Rule,
    all_of,
    any_of,
)
from janus_synth.rules.language.parse import as_rule
from janus_synth.rules.language.pieces import ComparePieces, compare
from janus_synth.rules.language.products import CompareProducts, product_terms
from janus_synth.rules.language.texts import TextIs
from janus_synth.rules.language.units import (
    fail,
    has_level,
    is_span,
    physical_constant,
    subtract_sides,
    suggest_constant,
    suggest_quotes,
)
from janus_synth.table import Column, Schema, Table, physical_value
from janus_synth.table.columns import Level, read_formatted
from janus_synth.table.datetimes import zone_of

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
    """A rule as the user wrote it (``source``), and the same in physical units and normal form (``test``)."""

    source: Rule
    test: Rule

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the rule uses, in order of appearance."""
        return self.source.columns

    def __str__(self) -> str:
        return str(self.source)


def bind(rule: object, schema: Schema, table: Table | None = None, *, strict: bool = True) -> BoundRule:
    """Check a rule against a schema and convert it to physical units.

    Parameters
    ----------
    rule : str or Rule
        The rule.
    schema : Schema
        Columns with their kinds and levels. Numbers outside a column's domain are allowed.
    table : Table, optional
        Rows to learn ``fixed_combinations`` from.
    strict : bool
        Raise an error for a level that the schema does not have; otherwise no row has it.

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
    if isinstance(source, Unique):
        return BoundRule(source, binder.bind_key(source))
    require_no_keys((source,))
    binder.check_columns(source)
    return BoundRule(source, binder.normalise(source if table is None else learn(source, table)))


class _Binder:
    """Binds the nodes of one rule."""

    def __init__(self, columns: Iterable[Column], strict: bool) -> None:
        self.columns = {column.name: column for column in columns}
        self.strict = strict

    def check_names(self, rule: Rule) -> None:
        """Raise an error for names that the schema lacks."""
        for name in rule.columns:
            if name not in self.columns:
                hint = suggest_quotes(rule, name, self.columns)
                raise UnknownColumnError(name, self.columns, where="the schema", hint=hint)

    def bind_key(self, rule: Unique) -> Rule:
        """Check the columns of a key; a single row satisfies it whatever its cells, which the test says."""
        self.check_names(rule)
        personal = [name for name in rule.names if self.columns[name].kind == "personal"]
        if len(personal) == len(rule.names):
            fail(
                rule,
                f"the values of {', '.join(map(repr, personal))} are made up and may repeat, so they are no key. Add "
                "an identifier or a learnt column.",
            )
        learnt = [column.name for column in self.columns.values() if column.is_learnt]
        name = next((name for name in (*rule.names, *learnt) if name in learnt), rule.names[0])
        return any_of((IsNull(name), IsNull(name, True)))

    def check_columns(self, rule: Rule) -> None:
        """Raise an error for names that the schema lacks, and for columns that are not learnt."""
        self.check_names(rule)
        for name in rule.columns:
            if not self.columns[name].is_learnt:
                raise RuleError(
                    f"column {name!r} is {self.columns[name].what}: its values are generated anew, so rules cannot use "
                    f"it. If its values matter, give it another kind, such as {{{name!r}: {{'kind': 'categorical'}}}}."
                )

    def normalise(self, rule: Rule, negated: bool = False) -> Rule:
        """Bind a rule, or its negation with ``not`` moved inwards."""
        match rule:
            case Compare() | IsIn() | Increments() | ComparePieces() | Calendar() | TextIs() if (
                empty := self.column_without_values(rule.columns)
            ):
                return IsIn(empty, ())
            case And(parts):
                return (any_of if negated else all_of)([self.normalise(part, negated) for part in parts])
            case Or(parts):
                return (all_of if negated else any_of)([self.normalise(part, negated) for part in parts])
            case Not(part):
                return self.normalise(part, not negated)
            case Implies(premise, conclusion) if negated:
                return all_of((self.normalise(premise), self.normalise(conclusion, True)))
            case Implies(premise, conclusion):
                return any_of((self.complement(self.normalise(premise)), self.normalise(conclusion)))
            case Iff(first, second):
                return self.bind_equivalence(first, second, negated)
            case IsNull(column, null_negated):
                return IsNull(column, null_negated != negated)
            case IsIn():
                return self.bind_membership(rule, negated)
            case Compare(left, op, right):
                return self.bind_comparison(rule, left, NEGATED[op] if negated else op, right)
            case ComparePieces():
                return self.bind_pieces(rule, NEGATED[rule.op] if negated else rule.op)
            case Calendar():
                return self.bind_calendar(rule, negated)
            case TextIs():
                return self.bind_text(rule, negated)
            case Increments():
                self.check_increments(rule)
                return Not(rule) if negated else rule
            case FixedCombinations():
                bound = self.bind_combinations(rule)
                return Not(bound) if negated else bound
        raise TypeError(f"{rule!r} is not a rule.")

    def column_without_values(self, names: Iterable[str]) -> str | None:
        """First column whose cells are all missing, so that its kind could not be detected."""
        if self.strict:
            return None
        columns = (self.columns[name] for name in names)
        return next((column.name for column in columns if column.kind == "categorical" and not column.levels), None)

    def complement(self, test: Rule) -> Rule:
        """Complement of a test: true on exactly the rows where it is false, nulls included."""
        match test:
            case And(parts):
                return any_of([self.complement(part) for part in parts])
            case Or(parts):
                return all_of([self.complement(part) for part in parts])
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
            case InCalendar(column):
                return any_of((test.opposite, *self.nulls((column,))))
            case Compare(left, op, right):
                return any_of((Compare(left, NEGATED[op], right), *self.nulls(left.columns)))
            case CompareProducts():
                zeros = [Compare(Linear((Term(name),)), "==", Linear()) for name in test.divisors]
                return any_of((test.opposite, *self.nulls(test.columns), *zeros))
        raise TypeError(f"{test!r} is not a bound rule.")

    def nulls(self, names: Iterable[str]) -> list[Rule]:
        """For each column that can be null, the rule that it is."""
        return [IsNull(name) for name in names if self.columns[name].nullable]

    def bind_equivalence(self, first: Rule, second: Rule, negated: bool) -> Rule:
        """Bind ``iff``: both or neither; its negation is one of the two and the negation of the other."""
        one, other = self.normalise(first), self.normalise(second)
        if negated:
            only_first = all_of((one, self.normalise(second, True)))
            return any_of((only_first, all_of((other, self.normalise(first, True)))))
        return any_of((all_of((one, other)), all_of((self.complement(one), self.complement(other)))))

    def bind_pieces(self, rule: ComparePieces, op: str) -> Rule:
        """Bind a comparison with ``abs``, ``max`` or ``min``; a null in any of its columns makes it false."""
        cases = linear_cases(rule, op)
        present = [IsNull(name, True) for name in rule.own_columns if self.columns[name].nullable]
        if isinstance(cases, bool):
            name = rule.own_columns[0]
            return all_of([*present, IsNull(name, True)]) if cases else IsIn(name, ())
        try:
            defined = [self.normalise(compare(below, "!=", Linear())) for below in denominators(rule)]
            return all_of([self.normalise(cases), *defined, *present])
        except RuleError as error:
            raise RuleError(error.problem, rule=str(rule)) from error

    def bind_calendar(self, rule: Calendar, negated: bool) -> Rule:
        """Bind a condition on a part of a date."""
        column = self.columns[rule.column]
        if column.kind != "datetime":
            fail(rule, f"column {column.name!r} is {column.kind}; {rule.part}(...) is for datetime columns.")
        return InCalendar(column.name, rule.part, rule.ranges(negated=negated), zone_of(column.dtype))

    def bind_text(self, rule: TextIs, negated: bool) -> Rule:
        """Bind a condition on a text as the levels that satisfy it."""
        column = self.columns[rule.column]
        if column.kind != "categorical" or not any(isinstance(level, str) for level in column.levels):
            what = "has levels that are no text" if column.kind == "categorical" else f"is {column.kind}"
            fail(rule, f"column {column.name!r} {what}; {rule.way} is for text. {suggest_constant(column)}")
        found = tuple(i for i, level in enumerate(column.levels) if rule.accepts(level))
        return IsIn(column.name, found, negated)

    def bind_membership(self, rule: IsIn, negated: bool) -> Rule:
        """Bind a list of values."""
        column = self.columns[rule.column]
        has_bools = column.kind == "boolean" or any(isinstance(level, bool) for level in column.levels)
        if rule.are_bool == (True,) and not has_bools:
            fail(rule, f"column {column.name!r} is {column.kind}, not boolean. {suggest_constant(column)}")
        return self.is_in(rule, column, rule.values, rule.negated != negated)

    def is_in(self, rule: Rule, column: Column, values: tuple[Level, ...], negated: bool) -> Rule:
        """Test that a column takes some values; unknown levels are left out unless ``strict``."""
        found = (physical_constant(rule, column, value, strict=self.strict) for value in values)
        return IsIn(column.name, distinct(value for value in found if value is not None), negated)

    def bind_comparison(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Bind a comparison, by the kinds of its columns."""
        if left.products or right.products:
            return self.compare_products(rule, left, op, right)
        names = distinct(left.columns + right.columns)
        if any(self.columns[name].kind == "categorical" for name in names):
            return self.compare_levels(rule, left, op, right)
        if len(names) == 1 and self.columns[names[0]].kind == "boolean":
            column, word = self.columns[names[0]], left.only_text if right.only_text is None else right.only_text
            if op in ("==", "!=") and word is not None and read_formatted(column, word) is not None:
                return self.is_in(rule, column, (word,), op == "!=")
            return self.compare_boolean(rule, left, op, right)
        return self.compare_numbers(rule, left, op, right)

    def compare_levels(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Compare a category with a level, or two categories."""
        if left.only_column is None:
            left, op, right = right, SWAPPED[op], left
        column = self.columns[left.only_column or next(iter(left.columns + right.columns))]
        if left.only_column and right.only_column:
            return self.compare_categories(rule, column, op, self.columns[right.only_column])
        if not left.only_column or not (right.only_text is not None or right.is_number):
            name = next(n for n in left.columns + right.columns if self.columns[n].kind == "categorical")
            advice = suggest_constant(self.columns[name])
            fail(rule, f"column {name!r} is categorical, so it cannot be part of a sum. {advice}")
        level: Level = right.constant if right.only_text is None else right.only_text
        if op not in ("==", "!=") and not column.is_ordered:
            fail(
                rule,
                f"column {column.name!r} is categorical and its levels have no order, so {op!r} has no meaning. "
                "Use == or in, or declare the column as ordered, numeric or datetime.",
            )
        if op in ("==", "!="):
            return self.is_in(rule, column, (level,), op == "!=")
        code = physical_constant(rule, column, level, strict=True)  # an unknown level has no place in the order
        assert isinstance(code, int)
        return IsIn(column.name, tuple(i for i in range(len(column.levels)) if PYTHON_OPS[op](i, code)))

    def compare_categories(self, rule: Rule, column: Column, op: str, other: Column) -> Rule:
        """Compare two categories by their levels; they can only be equal or unequal."""
        if not (column.is_discrete and other.is_discrete) or op not in ("==", "!="):
            fail(
                rule,
                f"columns {column.name!r} ({column.kind}) and {other.name!r} ({other.kind}) cannot be compared with "
                f"{op!r}. Categories can be equal or unequal to one another.",
            )
        if column.name == other.name:
            return IsNull(column.name, True) if op == "==" else IsIn(column.name, ())
        shared = [level for level in column.levels if has_level(other, level)]
        rows = tuple((int(physical_value(column, level)), int(physical_value(other, level))) for level in shared)
        same = FixedCombinations((column.name, other.name), rows)
        if op == "==":
            return same
        return And((Not(same), IsNull(column.name, True), IsNull(other.name, True)))

    def compare_boolean(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Compare one boolean column, by trying both its values."""
        name = (left.columns + right.columns)[0]
        difference = subtract_sides(rule, left, right, self.columns)
        slope = sum(term.coefficient for term in difference.terms)
        codes = (code for code in (0, 1) if PYTHON_OPS[op](slope * code + difference.constant, 0))
        return IsIn(name, tuple(codes))

    def compare_numbers(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Compare sums of numbers, moments or durations."""
        difference = subtract_sides(rule, left, right, self.columns)
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

    def compare_products(self, rule: Rule, left: Linear, op: str, right: Linear) -> Rule:
        """Compare sums with products of columns."""
        names = distinct(left.columns + right.columns)
        for column in (self.columns[name] for name in names):
            if column.kind not in ("numeric", "boolean") or is_span(column):
                what = "a duration" if column.kind == "numeric" else column.kind
                fail(rule, f"column {column.name!r} is {what}; products and ratios are for plain numbers.")
        try:
            terms = (*product_terms(left), *product_terms(right.times(-1)))
        except RuleError as error:
            fail(rule, error.problem)
        difference = left.plus(right.times(-1))
        kept = {name for product in difference.products for name in product.divisors}
        lost = distinct(name for product in (*left.products, *right.products) for name in product.divisors)
        defined: list[Rule] = [Compare(Linear((Term(name),)), "!=", Linear()) for name in lost if name not in kept]
        defined += [IsNull(name, True) for name in names if name not in difference.columns]
        if difference.products:
            return all_of((CompareProducts(terms, op, -float(difference.constant)), *defined))
        if difference.terms:  # the products cancel
            return all_of((self.bind_comparison(rule, difference, op, Linear()), *defined))
        return all_of(defined) if PYTHON_OPS[op](difference.constant, 0) else IsIn(names[0], ())

    def check_increments(self, rule: Increments) -> None:
        """Raise ``RuleError`` if the column is not numeric."""
        column = self.columns[rule.column]
        if column.kind != "numeric":
            fail(rule, f"column {column.name!r} is {column.kind}; increments are for numeric columns.")

    def bind_combinations(self, rule: FixedCombinations) -> Rule:
        """Bind known combinations; those with an unknown level are left out."""
        if rule.rows is None:
            fail(
                rule,
                "fixed_combinations learns from training rows, so it is a rule that a model is fitted with, and no "
                f"condition. Or list what is known: fixed_combinations({rule.column_list}, [[...], [...]]).",
            )
        columns = [self.columns[name] for name in rule.combined]
        rows = []
        for row in rule.rows:
            cells = [
                None if cell is None else physical_constant(rule, column, cell, strict=False)
                for column, cell in zip(columns, row, strict=True)
            ]
            if all(cell is not None or given is None for cell, given in zip(cells, row, strict=True)):
                rows.append(tuple(cells))
        return FixedCombinations(rule.combined, tuple(rows))
