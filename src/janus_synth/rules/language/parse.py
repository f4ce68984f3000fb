"""Text to rule: Python's syntax tree read by a white list, never evaluated.

Each kind of syntax that means something has a ``case``; everything else is refused with its place in the text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from janus_synth.errors import RuleError
from janus_synth.rules.language.expressions import between, fixed_combinations, increments, one_hot, truth
from janus_synth.rules.language.nodes import (
    Compare,
    FixedCombinations,
    Implies,
    IsIn,
    IsNull,
    Linear,
    Not,
    Rule,
    Term,
    all_of,
    any_of,
    condition_of,
    sum_of,
)
from janus_synth.rules.language.spelling import NULLS, SPANS
from janus_synth.rules.language.tokens import MAX_DEPTH, Source, scan, tree_of
from janus_synth.table.columns import Level

CONDITIONS = ("implies", "between", "increments", "one_hot", "fixed_combinations")
_OPS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_KNOWN = f"The functions of a rule are {', '.join(CONDITIONS)} and {', '.join(SPANS)}."
_REFUSED: dict[type[ast.AST], str] = {
    ast.Attribute: "a dot reaches into an object, which rules cannot. Write a name with a dot in `back-quotes`.",
    ast.Subscript: "square brackets after a name are not part of a rule. Write the column's name alone.",
    ast.Lambda: "a lambda is code, and rules are not run. Write the condition itself.",
    ast.JoinedStr: "an f-string is code, and rules are not run. Put the value into the text first.",
    ast.IfExp: "if ... else is not part of a rule. Write implies(condition, consequence).",
    ast.NamedExpr: ":= is not part of a rule. Write == to compare.",
    ast.ListComp: "a comprehension is code, and rules are not run. List the values.",
    ast.SetComp: "a comprehension is code, and rules are not run. List the values.",
    ast.DictComp: "a comprehension is code, and rules are not run. List the values.",
    ast.GeneratorExp: "a comprehension is code, and rules are not run. List the values.",
    ast.Starred: "* before a name is not part of a rule. List the values.",
    ast.Dict: "a dict is not part of a rule. Write conditions joined with and.",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Pow: "** is not part of a rule: only sums of columns times numbers are. Write the number out.",
    ast.Mod: "% is not part of a rule. For multiples write increments(x, step).",
    ast.FloorDiv: "// is not part of a rule. Divide with / by a number.",
    ast.BitAnd: "& joins conditions in Python; in a rule's text write and.",
    ast.BitOr: "| joins conditions in Python; in a rule's text write or.",
}


def parse_rule(text: str) -> Rule:
    """Read a rule.

    Parameters
    ----------
    text : str
        A condition on the columns of one row: comparisons of sums, ``in``, ``is null``, ``and``, ``or``, ``not``,
        ``implies(a, b)``, ``between(x, low, high)``. Odd names stand in `back-quotes`, dates are ISO text.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        If the text is no rule, with the place and what to write instead.

    Examples
    --------
    >>> rule = parse_rule("50_000 <= income <= 80_000 and loan in ['Approved', 'Pending']")
    >>> print(rule)
    50000 <= income <= 80000 and loan in ['Approved', 'Pending']
    >>> rule.columns
    ('income', 'loan')
    """
    source = scan(text)
    return _Reader(source).condition(tree_of(source), 0)


def parse_sum(text: str) -> Linear:
    """Read a sum of columns and numbers, as it stands on one side of a comparison.

    Examples
    --------
    >>> parse_sum("2 * price + 10").columns
    ('price',)
    """
    source = scan(text)
    return _Reader(source).linear(tree_of(source), 0)


def as_rule(rule: object) -> Rule:
    """Rule from text, a node or a bare boolean column.

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


class _Reader:
    """Reads one syntax tree, with its source at hand for what to refuse."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def condition(self, node: ast.expr, depth: int) -> Rule:
        """Read what is true or false."""
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
            case ast.Name(id) if id not in NULLS or self.source.names.get(self.source.position(node)):
                return truth(self.source.name(node))
            case ast.Constant() | ast.Name():
                self.fail("a value alone is no condition. Compare it with a column.", node)
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()) | ast.UnaryOp(ast.USub() | ast.UAdd()):
                self.fail("a sum alone is no condition. Compare it with something.", node)
            case ast.Tuple() | ast.List() | ast.Set():
                self.fail("a list alone is no condition. Join conditions with and, or write x in [...].", node)
        self.refuse(node)

    def comparison(self, node: ast.Compare, depth: int) -> Rule:
        """Read a chain of comparisons as the conjunction of its pairs."""
        sides = [node.left, *node.comparators]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        return all_of([self.pair(left, op, right, depth + 1) for left, op, right in pairs])

    def pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr, depth: int) -> Rule:
        """Read one comparison of two sides."""
        if isinstance(op, ast.In | ast.NotIn):
            return IsIn(self.column(left, "in"), self.listed(right), isinstance(op, ast.NotIn))
        if self.is_null(left) and not self.is_null(right):
            left, right = right, left
        if self.is_null(right):
            if isinstance(op, ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
                return IsNull(self.column(left, "is null"), isinstance(op, ast.IsNot | ast.NotEq))
            self.fail("null is neither less nor more than anything. Write x is null or x is not null.", right)
        if isinstance(op, ast.Is | ast.IsNot):
            self.fail("'is' is for null only. Write == or != to compare.", right)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, bool):
                if not isinstance(op, ast.Eq | ast.NotEq):
                    self.fail("True and False have no order. Use == or !=.", one)
                return IsIn(self.column(other, "== True"), (one.value,), isinstance(op, ast.NotEq))
        sides = self.linear(left, depth), self.linear(right, depth)
        with self.pointing_at(left):
            return Compare(sides[0], _OPS[type(op)], sides[1])

    def linear(self, node: ast.expr, depth: int) -> Linear:
        """Read a sum; its spine is walked in a loop, so that long sums are not deep."""
        parts: list[Linear] = []
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            part = self.factor(node.right, depth + 1)
            with self.pointing_at(node):
                parts.append(part if isinstance(node.op, ast.Add) else part.times(-1))
            node = node.left
        parts.append(self.factor(node, depth + 1))
        if len(parts) == 1:
            return parts[0]
        with self.pointing_at(node):
            return sum_of(parts[::-1])

    def factor(self, node: ast.expr, depth: int) -> Linear:
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
                return self.linear(operand, depth)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.linear(operand, depth)
                with self.pointing_at(node):
                    return inner.times(-1)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self.linear(node, depth)
            case ast.BinOp(left, ast.Mult(), right):
                return self.product(self.linear(left, depth), self.linear(right, depth), node)
            case ast.BinOp(left, ast.Div(), right):
                return self.quotient(self.linear(left, depth), self.linear(right, depth), node)
            case ast.Call(ast.Name(id), _, _) if id in SPANS:
                return self.span(node, SPANS[id], depth)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                self.fail("a condition stands where a value is needed. Join conditions with and, or, implies.", node)
            case ast.List() | ast.Tuple() | ast.Set():
                self.fail("a list stands where a value is needed. Write x in [...].", node)
            case ast.Call(ast.Name(id)) if id in CONDITIONS:
                self.fail(f"{id}(...) is a condition and stands where a value is needed.", node)
        self.refuse(node)

    def product(self, left: Linear, right: Linear, node: ast.expr) -> Linear:
        """Multiply by a number; two columns make it non-linear."""
        if right.is_number:
            with self.pointing_at(node):
                return left.times(right.constant)
        if left.is_number:
            with self.pointing_at(node):
                return right.times(left.constant)
        self.fail("a product of two columns is not linear. Multiply a column by a number only.", node)

    def quotient(self, left: Linear, right: Linear, node: ast.expr) -> Linear:
        """Divide by a number other than zero."""
        if not right.is_number:
            self.fail("division by a column is not linear. Multiply both sides by it, or divide by a number.", node)
        if right.constant == 0:
            self.fail("this divides by zero.", node)
        with self.pointing_at(node):
            return left.times(1 / right.constant)

    def span(self, node: ast.Call, size: int, depth: int) -> Linear:
        """Read a duration such as ``days(3)`` or ``days(nights)``."""
        inner = self.linear(self.arguments(node, 1)[0], depth + 1)
        if inner.text is not None or inner.span or any(term.span for term in inner.terms):
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
            case "between":
                x, low, high = (self.linear(part, depth + 1) for part in self.arguments(node, 3))
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
        if node.func.id in SPANS:
            self.fail("a duration alone is no condition. Compare it with something.", node)
        self.refuse(node)

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
        """Arguments of a call, which must be so many and have no names."""
        assert isinstance(node.func, ast.Name)
        if node.keywords:
            self.fail(f"{node.func.id}(...) takes its arguments without names.", node)
        if n is not None and len(node.args) != n:
            self.fail(f"{node.func.id}(...) takes {n} argument{'s' * (n > 1)}, not {len(node.args)}.", node)
        return node.args

    def column(self, node: ast.expr, use: str) -> str:
        """Name of a column; anything else is refused."""
        if isinstance(node, ast.Name) and not self.is_null(node):
            return self.source.name(node)
        if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare | ast.List | ast.Tuple):
            self.fail(f"'{use}' needs the name of one column here.", node)
        self.refuse(node)

    def listed(self, node: ast.expr, *, nulls: bool = False) -> tuple[Level, ...]:
        """Constants in a list, tuple or set."""
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            self.fail("'in' needs a list of values: x in ['a', 'b'].", node)
        if not node.elts:
            self.fail("the list is empty, so no row could satisfy the rule. Put values into it.", node)
        return tuple(self.constant(value, nulls=nulls) for value in node.elts)

    def constant(self, node: ast.expr, *, nulls: bool) -> Level:
        """Text, number or truth in a list."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bool | int):
            return node.value
        if self.is_null(node):
            if nulls:
                return None  # type: ignore[return-value]
            self.fail("null is no value to list. Add: or x is null.", node)
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
        """Point at the place when a node refuses what it is built from."""
        try:
            yield
        except RuleError as error:
            self.fail(error.problem, node)

    def check_depth(self, node: ast.expr, depth: int) -> None:
        """Refuse what is nested too deeply."""
        if depth > MAX_DEPTH:
            self.fail(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.", node)

    def refuse(self, node: ast.expr) -> NoReturn:
        """Refuse syntax that is not on the white list."""
        match node:
            case ast.BinOp(op=op):
                self.fail(_OPERATORS.get(type(op), "this operator is not part of a rule. Use + - * /."), node)
            case ast.UnaryOp(ast.Invert()):
                self.fail("~ negates in Python; in a rule's text write not.", node)
            case ast.Call(ast.Name()):
                self.fail(f"there is no function {node.func.id!r} in rules. {_KNOWN}", node)  # type: ignore[attr-defined]
            case ast.Call(func):
                self.fail(_REFUSED.get(type(func), f"only named functions can be called. {_KNOWN}"), func)
        self.fail(_REFUSED.get(type(node), f"{type(node).__name__} is not part of a rule. {_KNOWN}"), node)

    def fail(self, problem: str, node: ast.AST) -> NoReturn:
        """Refuse the rule, pointing at a node."""
        self.source.fail(problem, node)
