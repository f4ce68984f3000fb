"""Rule text in, nodes out: Python's syntax tree is read by a list of allowed nodes and never evaluated.

Each kind of syntax that rules allow has a ``case``; everything else raises ``RuleError`` with its place in the text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NoReturn

from janus_synth.errors import RuleError
from janus_synth.rules.language.dates import PARTS, Calendar, DatePart, check_possible, compare_part
from janus_synth.rules.language.expressions import between, fixed_combinations, increments, is_true, one_hot
from janus_synth.rules.language.keys import split_keys, unique
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.nodes import (
    FixedCombinations,
    Iff,
    Implies,
    IsIn,
    IsNull,
    Not,
    Rule,
    all_of,
    any_of,
    condition_of,
)
from janus_synth.rules.language.notation import NULLS, SPANS
from janus_synth.rules.language.pieces import CALLS, Pieces, Sum, add_sums, call, compare
from janus_synth.rules.language.products import compare_rounded, divide, multiply, power
from janus_synth.rules.language.syntax import CONDITIONS, MAX_DEPTH, Source, explain_unsupported, parse_syntax, scan
from janus_synth.rules.language.texts import TextIs
from janus_synth.table.columns import Level

Where = str | Rule | Iterable[object] | None
"""A condition, several that must all hold, or none."""
_OPS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Parameters
    ----------
    text : str
        A condition on the columns of one row: comparisons of sums, ``in``, ``is null``, ``and``, ``or``, ``not``,
        ``implies(a, b)``, ``iff(a, b)``, ``between(x, low, high)``, ``abs``, ``max`` and ``min`` of sums, products,
        ratios and whole powers of columns, ``x == round(y, 2)``, parts of dates such as ``month(x)``, and texts by
        ``x matches 'pattern'``. Names with spaces or signs stand in `back-quotes`; dates are ISO text.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        If the text is not a rule, with the place and what to write instead.

    Examples
    --------
    >>> rule = parse_rule("50_000 <= income <= 80_000 and loan in ['Approved', 'Pending']")
    >>> print(rule)
    50000 <= income <= 80000 and loan in ['Approved', 'Pending']
    >>> rule.columns
    ('income', 'loan')
    """
    return _parse_rule(text)


@lru_cache(maxsize=256)
def _parse_rule(text: str) -> Rule:
    """Read a rule, or return it as it was read: one request reads its text several times."""
    source = scan(text)
    return _Reader(source).condition(parse_syntax(source), 0)


def parse_sum(text: str) -> Linear:
    """Read a sum of columns and numbers, as it stands on one side of a comparison.

    Examples
    --------
    >>> parse_sum("2 * price + 10").columns
    ('price',)
    """
    source = scan(text)
    found = _Reader(source).sum(parse_syntax(source), 0)
    if isinstance(found, Pieces) or found.products:
        source.fail(
            "abs, max, min and products of columns are not linear; here only a sum of columns times numbers can stand.",
            0,
        )
    return found


def as_rule(rule: object) -> Rule:
    """Return a rule as it is, or read it from text or a bare boolean column.

    Examples
    --------
    >>> as_rule("age >= 18") == as_rule(as_rule("age >= 18"))
    True
    """
    if isinstance(rule, str):
        return parse_rule(rule)
    found = condition_of(rule)
    if found is None:
        raise RuleError(
            f"a rule is text or built with col(...), not {type(rule).__name__}. Write something like 'age >= 18'."
        )
    return found


def as_rules(where: Where) -> tuple[Rule, ...]:
    """Return one or several conditions as rules, keys last and apart from the others.

    Examples
    --------
    >>> [str(rule) for rule in as_rules(["age >= 18", "not smoker"])], as_rules(None)
    (['age >= 18', 'not smoker'], ())
    """
    if where is None:
        return ()
    listed = [where] if isinstance(where, str | Rule) or not isinstance(where, Iterable) else where
    about_rows, keys = split_keys(as_rule(part) for part in listed)
    return (*about_rows, *keys)


def _is_call(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


class _Reader:
    """Reads one syntax tree; the source text is kept for error messages."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def condition(self, node: ast.expr, depth: int) -> Rule:
        """Read something that is true or false."""
        self.check_depth(node, depth)
        match node:
            case ast.BoolOp(op, values):
                join = all_of if isinstance(op, ast.And) else any_of
                return join([self.condition(value, depth + 1) for value in values])
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self.condition(operand, depth + 1))
            case ast.Compare():
                return self.comparison(node, depth)
            case ast.Call(ast.Name(), _, _):
                return self.call(node, depth)
            case ast.BinOp(op=ast.MatMult()) if self.source.word(node) is not None:
                return self.text_condition(node)
            case ast.Name(id) if id not in NULLS or self.source.names.get(self.source.position(node)):
                return is_true(self.source.name(node))
            case ast.Constant() | ast.Name():
                self.fail("a value alone is not a condition. Compare it with a column.", node)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow()):
                self.fail("a sum alone is not a condition. Compare it with something.", node)
            case ast.UnaryOp(ast.USub() | ast.UAdd()):
                self.fail("a sum alone is not a condition. Compare it with something.", node)
            case ast.Tuple() | ast.List() | ast.Set():
                self.fail("a list alone is not a condition. Join conditions with and, or write x in [...].", node)
        self.fail_unsupported(node)

    def comparison(self, node: ast.Compare, depth: int) -> Rule:
        """Read a chain of comparisons as the conjunction of its pairs."""
        sides = [node.left, *node.comparators]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        return all_of([self.pair(left, op, right, depth + 1) for left, op, right in pairs])

    def pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr, depth: int) -> Rule:
        """Read one comparison of two sides."""
        if isinstance(op, ast.Eq | ast.NotEq) and (self.is_condition(left) or self.is_condition(right)):
            return self.equivalence(left, right, isinstance(op, ast.NotEq), depth)
        if (part := self.date_part(left, depth)) is not None or self.date_part(right, depth) is not None:
            return self.compare_date(part, left, op, right, depth)
        if isinstance(op, ast.In | ast.NotIn):
            return IsIn(self.column(left, "in"), self.listed(right), isinstance(op, ast.NotIn))
        if self.is_null(left) and not self.is_null(right):
            left, right = right, left
        if self.is_null(right):
            if isinstance(op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
                return IsNull(self.column(left, "is null"), isinstance(op, ast.IsNot | ast.NotEq))
            self.fail("null is neither less nor more than any value. Write x is null or x is not null.", right)
        if isinstance(op, ast.Is | ast.IsNot):
            self.fail("'is' is for null only. Write == or != to compare.", right)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, bool):
                if not isinstance(op, ast.Eq | ast.NotEq):
                    self.fail("True and False have no order. Use == or !=.", one)
                return IsIn(self.column(other, "== True"), (one.value,), isinstance(op, ast.NotEq))
        for one, other in ((left, right), (right, left)):
            if isinstance(op, ast.Eq | ast.NotEq) and _is_call(one, "round"):
                return self.rounded(one, other, depth, equal=isinstance(op, ast.Eq))
        sides = self.sum(left, depth), self.sum(right, depth)
        with self.pointing_at(left):
            return compare(sides[0], _OPS[type(op)], sides[1])

    def is_condition(self, node: ast.expr) -> bool:
        """Whether it is true or false by its form; a bare name may be either."""
        match node:
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return True
            case ast.BinOp(op=ast.MatMult()):
                return self.source.word(node) is not None
            case ast.Call(ast.Name(id)):
                return id in CONDITIONS
        return False

    def equivalence(self, left: ast.expr, right: ast.expr, negated: bool, depth: int) -> Rule:
        """Read ``(a) == (b)`` for two conditions, or for a condition and True or False."""
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, bool):
                found = self.condition(other, depth + 1)
                return found if one.value != negated else Not(found)
        same = Iff(self.condition(left, depth + 1), self.condition(right, depth + 1))
        return Not(same) if negated else same

    def text_condition(self, node: ast.BinOp) -> Rule:
        """Read ``column matches 'pattern'`` and the like."""
        way = self.source.word(node) or ""
        return self.text_is(node.left, way, node.right, node)

    def text_is(self, column: ast.expr, way: str, text: ast.expr, node: ast.expr) -> Rule:
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            self.fail(f"'{way}' needs a text in quotes after it: x {way} 'text'.", text)
        with self.pointing_at(node):
            return TextIs(self.column(column, way), way, text.value)

    def date_part(self, node: ast.expr, depth: int) -> DatePart | None:
        """Read ``month(start)`` and the like; None for anything else."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PARTS):
            return None
        (argument,) = self.arguments(node, 1)
        return DatePart(self.column(argument, node.func.id), node.func.id)

    def compare_date(self, part: DatePart | None, left: ast.expr, op: ast.cmpop, right: ast.expr, depth: int) -> Rule:
        """Compare a part of a date with a number, or with a list of numbers."""
        found = self.date_part(right, depth) if part is None else part
        assert found is not None
        other = left if part is None else right
        with self.pointing_at(left if part is not None else right):
            if isinstance(op, ast.In | ast.NotIn) and part is not None:
                values: tuple[Any, ...] = self.listed(other)
                rule = Calendar(found.column, found.part, "not in" if isinstance(op, ast.NotIn) else "in", values)
            else:
                is_number = not self.is_null(other) and self.date_part(other, depth) is None
                value = self.sum(other, depth) if is_number else None
                if type(op) not in _OPS or value is None or not value.is_number:
                    self.fail(f"'{found}' compares with numbers only: {found} == 6, {found} in [6, 7].", other)
                assert isinstance(value, Linear)
                rule = compare_part(found, _OPS[type(op)], value.constant, swapped=part is None)
            check_possible(rule)
        return rule

    def linear(self, node: ast.expr, depth: int) -> Linear:
        """Read a sum without ``abs``, ``max`` and ``min``."""
        found = self.sum(node, depth)
        if isinstance(found, Pieces):
            self.fail("abs, max and min cannot stand here; compare them with something.", node)
        return found

    def sum(self, node: ast.expr, depth: int) -> Sum:
        """Read a sum; its left spine is walked in a loop, so that long sums need no deep recursion."""
        parts: list[Sum] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            part = self.factor(node.right, depth + 1)
            with self.pointing_at(node):
                parts.append(part if isinstance(node.op, ast.Add) else part.times(-1))
            node = node.left
        parts.append(self.factor(node, depth + 1))
        if len(parts) == 1:
            return parts[0]
        with self.pointing_at(node):
            return add_sums(parts[::-1])

    def factor(self, node: ast.expr, depth: int) -> Sum:
        """Read a product, a number, a column, a text or a duration."""
        self.check_depth(node, depth)
        match node:
            case ast.Constant(bool()):
                self.fail("True and False cannot be added or multiplied. Compare with == True.", node)
            case ast.Constant(value) if isinstance(value, int | float):
                with self.pointing_at(node):
                    return Linear(constant=value)
            case ast.Constant(str() as text):
                return Linear(text=text)
            case ast.Constant(None):
                self.fail("null cannot be part of a sum. Write x is null.", node)
            case ast.Constant(value):
                self.fail(f"{value!r} is a {type(value).__name__}. Use plain numbers and text.", node)
            case ast.Name():
                if self.is_null(node):
                    self.fail("null cannot be part of a sum. Write x is null.", node)
                return Linear((Term(self.source.name(node)),))
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.sum(operand, depth)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.sum(operand, depth)
                with self.pointing_at(node):
                    return inner.times(-1)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self.sum(node, depth)
            case ast.BinOp(left, ast.Mult(), right):
                return self.combine(multiply, left, right, node, depth)
            case ast.BinOp(left, ast.Div(), right):
                return self.combine(divide, left, right, node, depth)
            case ast.BinOp(left, ast.Pow(), right):
                return self.combine(power, left, right, node, depth)
            case ast.Call(ast.Name(id), _, _) if id in SPANS:
                return self.span(node, SPANS[id], depth)
            case ast.Call(ast.Name(id), _, _) if id in CALLS:
                given = [self.sum(part, depth) for part in self.arguments(node)]
                with self.pointing_at(node):
                    return call(id, *given)
            case ast.Call(ast.Name(id), _, _) if id in PARTS:
                self.fail(f"{id}(...) compares with numbers only and cannot be part of a sum: {id}(x) == 6.", node)
            case ast.Call(ast.Name("round")):
                self.fail("round(...) stands alone on one side of == or !=: x == round(y, 2).", node)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                self.fail("a condition stands where a value is needed. Join conditions with and, or, implies.", node)
            case ast.List() | ast.Tuple() | ast.Set():
                self.fail("a list stands where a value is needed. Write x in [...].", node)
            case ast.Call(ast.Name(id)) if id in CONDITIONS:
                self.fail(f"{id}(...) is a condition and stands where a value is needed.", node)
        self.fail_unsupported(node)

    def combine(
        self, how: Callable[[Sum, Sum], Sum], left: ast.expr, right: ast.expr, node: ast.expr, depth: int
    ) -> Sum:
        """Multiply or divide two sums, or raise one to a power."""
        sides = self.sum(left, depth), self.sum(right, depth)
        with self.pointing_at(node):
            return how(*sides)

    def rounded(self, node: ast.expr, other: ast.expr, depth: int, *, equal: bool) -> Rule:
        """Compare a sum with ``round(...)`` of another one."""
        assert isinstance(node, ast.Call)
        arguments = self.arguments(node)
        if len(arguments) not in (1, 2):
            self.fail(f"round(...) takes a value and its digits, not {len(arguments)} arguments.", node)
        digits = self.sum(arguments[1], depth) if len(arguments) == 2 else 0
        sides = self.sum(other, depth), self.sum(arguments[0], depth)
        with self.pointing_at(node):
            return compare_rounded(*sides, digits, equal=equal)

    def span(self, node: ast.Call, size: int, depth: int) -> Linear:
        """Read a duration such as ``days(3)`` or ``days(nights)``."""
        inner = self.linear(self.arguments(node, 1)[0], depth + 1)
        if inner.text is not None or inner.span or inner.products or any(term.span for term in inner.terms):
            self.fail("a duration counts plain numbers: days(3), hours(0.5) or days(nights).", node)
        terms = tuple(Term(t.column, t.coefficient * size, True) for t in inner.terms)
        with self.pointing_at(node):
            return Linear(terms, span=inner.constant * size)

    def call(self, node: ast.Call, depth: int) -> Rule:
        """Read one of the functions that are conditions."""
        assert isinstance(node.func, ast.Name)
        match node.func.id:
            case "implies":
                premise, conclusion = (self.condition(part, depth + 1) for part in self.arguments(node, 2))
                return Implies(premise, conclusion)
            case "iff":
                first, second = (self.condition(part, depth + 1) for part in self.arguments(node, 2))
                return Iff(first, second)
            case "matches" | "starts_with" | "ends_with" | "contains" as way:
                column, text = self.arguments(node, 2)
                return self.text_is(column, way, text, node)
            case "between" if node.args and (part := self.date_part(node.args[0], depth)) is not None:
                _, least, most = self.arguments(node, 3)
                with self.pointing_at(node):
                    return part.between(self.linear(least, depth).constant, self.linear(most, depth).constant)
            case "between":
                x, low, high = (self.sum(part, depth + 1) for part in self.arguments(node, 3))
                with self.pointing_at(node):
                    return between(x, low, high)
            case "increments":
                column, step = self.arguments(node, 2)
                size = self.linear(step, depth + 1)
                if not size.is_number:
                    self.fail("the step of increments is a number.", step)
                with self.pointing_at(node):
                    return increments(self.column(column, "increments"), size.constant)
            case "one_hot":
                names = [self.column(part, "one_hot") for part in self.arguments(node)]
                with self.pointing_at(node):
                    return one_hot(*names)
            case "fixed_combinations":
                return self.combinations(node)
            case "unique":
                names = [self.column(part, "unique") for part in self.arguments(node)]
                with self.pointing_at(node):
                    return unique(*names)
        if node.func.id in (*CALLS, *PARTS):
            self.fail(f"{node.func.id}(...) alone is not a condition. Compare it with something.", node)
        if node.func.id in SPANS:
            self.fail("a duration alone is not a condition. Compare it with something.", node)
        self.fail_unsupported(node)

    def combinations(self, node: ast.Call) -> Rule:
        """Read ``fixed_combinations(a, b)``, with the known rows if they follow."""
        parts = self.arguments(node)
        rows = parts[-1] if parts and isinstance(parts[-1], ast.List) else None
        names = [self.column(part, "fixed_combinations") for part in (parts if rows is None else parts[:-1])]
        if rows is None:
            with self.pointing_at(node):
                return fixed_combinations(*names)
        known = tuple(self.listed(row, nulls=True) for row in rows.elts)
        with self.pointing_at(node):
            return FixedCombinations(tuple(names), known)

    def arguments(self, node: ast.Call, n: int | None = None) -> Sequence[ast.expr]:
        """Arguments of a call, which must be ``n`` if given and have no names."""
        assert isinstance(node.func, ast.Name)
        if node.keywords:
            self.fail(f"{node.func.id}(...) takes its arguments without names.", node)
        if n is not None and len(node.args) != n:
            self.fail(f"{node.func.id}(...) takes {n} argument{'s' * (n > 1)}, not {len(node.args)}.", node)
        return node.args

    def column(self, node: ast.expr, use: str) -> str:
        """Name of a column; anything else is an error."""
        if isinstance(node, ast.Name) and not self.is_null(node):
            return self.source.name(node)
        if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare | ast.List | ast.Tuple):
            self.fail(f"'{use}' needs the name of one column here.", node)
        self.fail_unsupported(node)

    def listed(self, node: ast.expr, *, nulls: bool = False) -> tuple[Level, ...]:
        """Constants in a list, tuple or set."""
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            self.fail("'in' needs a list of values: x in ['a', 'b'].", node)
        if not node.elts:
            self.fail("the list is empty, so no row could satisfy the rule. Put values into it.", node)
        return tuple(self.constant(value, nulls=nulls) for value in node.elts)

    def constant(self, node: ast.expr, *, nulls: bool) -> Level:
        """Text, number, True or False in a list; None for null if ``nulls`` is true."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bool | int):
            return node.value
        if self.is_null(node):
            if nulls:
                return None  # type: ignore[return-value]
            self.fail("null cannot be listed. Add: or x is null.", node)
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)) if not isinstance(value, bool):
                return -value
            case ast.Name():
                self.fail("a list holds values, not columns. Put text in quotes.", node)
        number = self.linear(node, 0)
        if not number.is_number:
            self.fail("a list holds plain values: text, numbers, True and False.", node)
        return number.constant

    def is_null(self, node: ast.expr) -> bool:
        """Whether it is null or None, outside back-quotes."""
        if isinstance(node, ast.Constant):
            return node.value is None
        return isinstance(node, ast.Name) and node.id in NULLS and self.source.position(node) not in self.source.names

    @contextmanager
    def pointing_at(self, node: ast.AST) -> Iterator[None]:
        """Add the place to a ``RuleError`` that building a node raises."""
        try:
            yield
        except RuleError as error:
            self.fail(error.problem, node)

    def check_depth(self, node: ast.expr, depth: int) -> None:
        """Raise ``RuleError`` if the rule is nested too deeply."""
        if depth > MAX_DEPTH:
            self.fail(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.", node)

    def fail_unsupported(self, node: ast.expr) -> NoReturn:
        """Raise ``RuleError`` for syntax that rules do not allow."""
        self.fail(*explain_unsupported(node))

    def fail(self, problem: str, node: ast.AST) -> NoReturn:
        """Raise ``RuleError`` that points at a node."""
        self.source.fail(problem, node)
