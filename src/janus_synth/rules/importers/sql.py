"""``CHECK`` clauses and keys of SQL in, rules out. As in SQL, a check that is neither true nor false passes.

``sqlglot`` parses the conditions; each kind of expression that rules know has a ``case``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from janus_synth.errors import require_extra
from janus_synth.rules.importers.great_expectations import like
from janus_synth.rules.importers.imported import (
    OTHER_TABLE,
    Imported,
    NotTakenError,
    collect,
    matches_somewhere,
    unless_null,
)
from janus_synth.rules.importers.sql_definitions import TOKEN, columns_not_null, keys_of
from janus_synth.rules.language.dates import PARTS, Calendar
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.nodes import SWAPPED, IsIn, IsNull, Not, Rule, all_of, any_of
from janus_synth.rules.language.notation import SPANS
from janus_synth.rules.language.pieces import Sum, add_sums, call, compare

_OPS = {"LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=", "EQ": "==", "NEQ": "!="}
_OTHERS = re.compile(r"\b(FOREIGN\s+KEY|REFERENCES)\b", re.IGNORECASE)


def from_sql(text: str, *, dialect: str | None = None) -> Imported:
    """Read the ``CHECK``, ``NOT NULL``, ``UNIQUE`` and ``PRIMARY KEY`` constraints of SQL, or a single condition.

    Parameters
    ----------
    text : str
        ``CREATE TABLE``, ``ALTER TABLE`` or ``CREATE UNIQUE INDEX`` statements, or conditions separated by semicolons.
    dialect : str, optional
        Dialect that sqlglot knows, such as ``"postgres"``.

    Returns
    -------
    Imported
        Rules; conditions with functions that rules do not know, and references to other tables, are skipped.

    Examples
    --------
    >>> text = "CREATE TABLE t (age INT NOT NULL CHECK (age BETWEEN 0 AND 120), id INT UNIQUE, org INT REFERENCES o)"
    >>> found = from_sql(text)
    >>> [str(rule) for rule in found.rules], [str(skipped) for skipped in found.skipped]
    (['age is not null', '0 <= age <= 120', 'unique(id)'], ['REFERENCES: it is about another table.'])
    """
    sqlglot = require_extra("sqlglot", "rules", purpose="reading rules from SQL")
    checks = list(_check_clauses(text))
    present = columns_not_null(text)
    if not checks and not _is_statement(text):
        checks = [part for part in (piece.strip() for piece in text.split(";")) if part]
    parts: list[tuple[str, Callable[[], Rule | None]]] = []
    for name in present:
        parts.append((f"{name} NOT NULL", lambda name=name: IsNull(name, negated=True)))  # type: ignore[misc]
    for check in checks:
        parts.append((f"CHECK ({check})", lambda check=check: _read(check, sqlglot, dialect, present)))  # type: ignore[misc]
    for other in dict.fromkeys(" ".join(found.upper().split()) for found in _OTHERS.findall(_without_texts(text))):
        parts.append((other, _other_table))
    return collect([*parts, *keys_of(text)])


def _other_table() -> Rule:
    raise NotTakenError(OTHER_TABLE)


def _is_statement(text: str) -> bool:
    return re.match(r"\s*(CREATE|ALTER)\b", re.sub(r"^(\s*--[^\n]*\n)*", "", text), re.IGNORECASE) is not None


def _without_texts(text: str) -> str:
    return "".join(" " if token[0] in "'\"`" or token[:2] in ("--", "/*") else token for token in TOKEN.findall(text))


def _check_clauses(text: str) -> Iterator[str]:
    """Texts between the brackets of every CHECK."""
    tokens = [match for match in TOKEN.finditer(text) if not match[0].startswith(("--", "/*"))]
    words = [token for token in tokens if not token[0].isspace()]
    for i, token in enumerate(words[:-1]):
        if token[0].upper() == "CHECK" and words[i + 1][0] == "(":
            depth, start = 0, words[i + 1].end()
            for other in words[i + 1 :]:
                depth += (other[0] == "(") - (other[0] == ")")
                if depth == 0:
                    yield text[start : other.start()].strip()
                    break


def _read(check: str, sqlglot: Any, dialect: str | None, present: tuple[str, ...]) -> Rule:
    problem = ""
    for tried in (dialect, "postgres") if dialect is None else (dialect,):
        try:
            return _Reader(present).passes(sqlglot.parse_one(check, dialect=tried))
        except sqlglot.errors.SqlglotError as error:
            problem = problem or str(error).splitlines()[0]
    raise NotTakenError(f"it cannot be parsed: {problem}")


class _Reader:
    """Turns a parsed condition into a rule."""

    def __init__(self, present: tuple[str, ...]) -> None:
        self.present = present

    def passes(self, node: Any, negated: bool = False) -> Rule:
        """Rows in which a condition is not false, or if ``negated`` not true."""
        match node.key:
            case "paren":
                return self.passes(node.this, negated)
            case "and" | "or":
                parts = self.passes(node.left, negated), self.passes(node.right, negated)
                return (all_of if (node.key == "and") != negated else any_of)(parts)
            case "not":
                return self.passes(node.this, not negated)
            case "is" if node.expression.key == "null":
                return IsNull(self.column(node.this), negated)
        leaf = self.leaf(node)
        return unless_null(Not(leaf) if negated else leaf, self.present)

    def leaf(self, node: Any) -> Rule:
        """A comparison, a list, a range, a pattern or a boolean column."""
        kind = type(node).__name__
        if kind in _OPS:
            return self.comparison(node.left, _OPS[kind], node.right)
        match node.key:
            case "column":
                return IsIn(self.column(node), (True,))
            case "between":
                low = self.comparison(node.args["low"], "<=", node.this)
                high = self.comparison(node.this, "<=", node.args["high"])
                return all_of((low, high))
            case "in" if node.expressions:
                return self.membership(node.this, [self.value(each) for each in node.expressions])
            case "is":
                return IsIn(self.column(node.this), (self.value(node.expression),))
            case "like":
                return like(self.column(node.this), str(self.value(node.expression)))
            case "regexplike":
                return matches_somewhere(self.column(node.this), str(self.value(node.expression)))
        raise NotTakenError(f"{node.sql()!r} is no condition that rules know.")

    def comparison(self, left: Any, op: str, right: Any) -> Rule:
        if left.key == "extract" or right.key == "extract":
            part, other = (left, right) if left.key == "extract" else (right, left)
            return self.calendar(part, op if part is left else SWAPPED[op], [self.value(other)])
        for one, other in ((left, right), (right, left)):
            if one.key == "boolean" and op in ("==", "!="):
                return IsIn(self.column(other), (bool(one.this),), op == "!=")
        return compare(self.sum(left), op, self.sum(right))

    def membership(self, node: Any, values: list[Any]) -> Rule:
        return self.calendar(node, "in", values) if node.key == "extract" else IsIn(self.column(node), tuple(values))

    def calendar(self, node: Any, op: str, values: list[Any]) -> Rule:
        part = str(node.this.name or node.this).lower()
        if part not in PARTS:
            raise NotTakenError(f"there is no part {part!r} of a date in rules. There are {', '.join(PARTS)}.")
        return Calendar(self.column(node.expression), part, op, tuple(values))

    def sum(self, node: Any) -> Sum:
        """One side of a comparison."""
        match node.key:
            case "paren":
                return self.sum(node.this)
            case "column":
                return Linear((Term(self.column(node)),))
            case "add" | "sub":
                right = self.sum(node.right)
                return add_sums((self.sum(node.left), right if node.key == "add" else right.times(-1)))
            case "neg":
                return self.sum(node.this).times(-1)
            case "mul" | "div":
                return self.scaled(node)
            case "abs":
                return call("abs", self.sum(node.this))
            case "greatest" | "least":
                parts = [node.this, *node.expressions]
                return call("max" if node.key == "greatest" else "min", *map(self.sum, parts))
            case "interval":
                return self.span(node)
        value = self.value(node)
        return Linear(text=value) if isinstance(value, str) else Linear(constant=value)

    def scaled(self, node: Any) -> Sum:
        left, right = self.sum(node.left), self.sum(node.right)
        if node.key == "mul" and isinstance(left, Linear) and left.is_number:
            left, right = right, left
        if not isinstance(right, Linear) or not right.is_number or (node.key == "div" and not right.constant):
            raise NotTakenError(f"{node.sql()!r} is not linear.")
        return left.times(right.constant if node.key == "mul" else 1 / right.constant)

    def span(self, node: Any) -> Linear:
        unit = str(node.args["unit"].name if node.args.get("unit") else "").lower().rstrip("s") + "s"
        if unit not in SPANS:
            raise NotTakenError(f"{node.sql()!r} has no fixed length. Write it in days or hours.")
        return Linear(span=float(node.this.name) * SPANS[unit])

    def column(self, node: Any) -> str:
        while node.key == "paren":
            node = node.this
        if node.key != "column":
            raise NotTakenError(f"{node.sql()!r} stands where rules need a column.")
        return str(node.name)

    def value(self, node: Any) -> Any:
        """A constant; dates may be cast from text."""
        match node.key:
            case "paren" | "cast" | "date" | "timestamp" | "tsordstodate":
                return self.value(node.this)
            case "literal":
                return node.name if node.is_string else _number(node.name)
            case "neg":
                return -self.value(node.this)
            case "boolean":
                return bool(node.this)
        raise NotTakenError(f"{node.sql()!r} is no constant, and rules do not know the function.")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
