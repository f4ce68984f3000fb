"""Rules as values: frozen nodes that compare, hash, print as canonical text and turn into plain dicts for JSON.

A rule is a condition on one row. The leaves are ``Compare`` (two linear expressions), ``IsIn``, ``IsNull``,
``Increments``, ``FixedCombinations`` and the classes derived from ``Leaf`` in other modules; ``And``, ``Or``, ``Not``,
``Implies`` and ``Iff`` join them. Nodes do not depend on a schema: ``bind`` checks them against one, and ``holds``
evaluates them on rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import Linear, distinct
from janus_synth.rules.language.notation import format_name, format_value, plain_number
from janus_synth.table.columns import Level, as_level

OPS = ("<", "<=", ">", ">=", "==", "!=")
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Rule:
    """Base class of all nodes: they join with ``&``, ``|`` and ``~``, and have no truth value of their own."""

    __slots__ = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the rule uses, in order of appearance."""
        return distinct(leaf_columns(self))

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict, ready for JSON; ``from_json`` rebuilds the rule."""
        return _as_dict(self)

    def __and__(self, other: object) -> Rule:
        return NotImplemented if (rule := condition_of(other)) is None else all_of((self, rule))

    def __or__(self, other: object) -> Rule:
        return NotImplemented if (rule := condition_of(other)) is None else any_of((self, rule))

    def __rand__(self, other: object) -> Rule:
        return NotImplemented if (rule := condition_of(other)) is None else all_of((rule, self))

    def __ror__(self, other: object) -> Rule:
        return NotImplemented if (rule := condition_of(other)) is None else any_of((rule, self))

    def __invert__(self) -> Rule:
        return Not(self)

    def __bool__(self) -> NoReturn:
        raise_no_truth_value(self)


class Leaf(Rule):
    """Base class of leaves that other modules define; they know their columns and their dict themselves."""

    __slots__ = ()

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of the leaf, in order of appearance."""
        raise NotImplementedError

    def own_dict(self) -> dict[str, Any]:
        """Return the leaf as a plain dict."""
        raise NotImplementedError


def raise_no_truth_value(value: object) -> NoReturn:
    """Explain why ``and``, ``or``, ``not`` and chained comparisons do not work on a rule."""
    raise TypeError(
        f"'{value}' has no truth value before there are rows. Join conditions "
        "with & and |; write 18 <= age <= 65 as col('age').between(18, 65)."
    )


def condition_of(value: object) -> Rule | None:
    """Return the rule of a node or of a bare boolean column, or None for anything else."""
    if isinstance(value, Rule):
        return value
    as_condition: Callable[[], Rule] | None = getattr(value, "as_condition", None)
    return None if as_condition is None else as_condition()


@dataclass(frozen=True, slots=True)
class Compare(Rule):
    """Comparison of two linear expressions, or of a column with a date or a level.

    Examples
    --------
    >>> from janus_synth.rules.language import Term
    >>> print(Compare(Linear((Term("experience"),)), "<", Linear((Term("age"),), -18)))
    experience < age - 18
    """

    left: Linear
    op: str
    right: Linear

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise RuleError(f"{self.op!r} is not a comparison. Use one of {', '.join(OPS)}.")
        if self.left.is_constant and self.right.is_constant:
            raise RuleError(f"'{self}' names no column, so it says nothing about rows. Compare a column.")

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


@dataclass(frozen=True, slots=True)
class IsIn(Rule):
    """A column takes one of some values; if ``negated``, it takes none of them and is not null.

    Examples
    --------
    >>> print(IsIn("city", ("Rome", "Oslo")), IsIn("married", (True,)), sep="; ")
    city in ['Rome', 'Oslo']; married
    """

    column: str
    values: tuple[Level, ...]
    negated: bool = False
    are_bool: tuple[bool, ...] = field(init=False, repr=False)
    """Which values are booleans, so that rules about True and about 1 are not equal."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(map(_plain_value, self.values)))
        object.__setattr__(self, "are_bool", tuple(isinstance(value, bool) for value in self.values))

    @property
    def is_bare_boolean(self) -> bool:
        """Whether it says that a boolean column is true, which a rule writes as the bare name."""
        return not self.negated and self.are_bool == (True,) and self.values == (True,)

    def __str__(self) -> str:
        name = format_name(self.column)
        if self.is_bare_boolean:
            return name
        if self.are_bool == (True,):
            return f"{name} {'!=' if self.negated else '=='} {self.values[0]}"
        return f"{name} {'not in' if self.negated else 'in'} [{', '.join(map(format_value, self.values))}]"


@dataclass(frozen=True, slots=True)
class IsNull(Rule):
    """A column is missing; if ``negated``, it is not.

    Examples
    --------
    >>> print(IsNull("city", negated=True))
    city is not null
    """

    column: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{format_name(self.column)} is {'not ' if self.negated else ''}null"


@dataclass(frozen=True, slots=True)
class Increments(Rule):
    """A numeric column is a whole multiple of a step.

    Examples
    --------
    >>> print(Increments("price", 0.5))
    increments(price, 0.5)
    """

    column: str
    step: int | float

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", plain_number(self.step))
        if self.step <= 0:
            raise RuleError(f"the step of increments is {self.step}; it must be above 0.")

    def __str__(self) -> str:
        return f"increments({format_name(self.column)}, {self.step})"


@dataclass(frozen=True, slots=True)
class FixedCombinations(Rule):
    """Columns come in known combinations only; a missing cell counts as a value of its own.

    Parameters
    ----------
    combined : tuple of str
        Two or more columns.
    rows : tuple of tuples, optional
        The known combinations, None for a missing cell. If they are absent, ``learn`` fills them in from a table.

    Examples
    --------
    >>> print(FixedCombinations(("city", "country")))
    fixed_combinations(city, country)
    """

    combined: tuple[str, ...]
    rows: tuple[tuple[Level | None, ...], ...] | None = None
    are_bool: tuple[tuple[bool, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "combined", tuple(self.combined))
        if len(set(self.combined)) < max(2, len(self.combined)):
            raise RuleError("fixed_combinations needs two or more different columns.")
        if self.rows is not None:
            rows = tuple(tuple(map(_plain_value, row)) for row in self.rows)
            object.__setattr__(self, "rows", rows)
            if any(len(row) != len(self.combined) for row in rows):
                raise RuleError(f"each combination of '{self.column_list}' needs {len(self.combined)} values.")
        are_bool = tuple(tuple(isinstance(value, bool) for value in row) for row in self.rows or ())
        object.__setattr__(self, "are_bool", are_bool)

    @property
    def column_list(self) -> str:
        """The columns as text."""
        return ", ".join(map(format_name, self.combined))

    def __str__(self) -> str:
        if self.rows is None:
            return f"fixed_combinations({self.column_list})"
        rows = ", ".join(f"[{', '.join(map(format_value, row))}]" for row in self.rows)
        return f"fixed_combinations({self.column_list}, [{rows}])"


@dataclass(frozen=True, slots=True)
class And(Rule):
    """All parts hold. An ``And`` among the parts is flattened.

    Examples
    --------
    >>> from janus_synth.rules.language import Term
    >>> age = Linear((Term("age"),))
    >>> print(And((Compare(Linear(constant=18), "<=", age), Compare(age, "<=", Linear(constant=65)))))
    18 <= age <= 65
    """

    parts: tuple[Rule, ...]

    def __post_init__(self) -> None:
        _flatten(self, self.parts)

    def __str__(self) -> str:
        return " and ".join(_format_parts(self.parts))


@dataclass(frozen=True, slots=True)
class Or(Rule):
    """At least one part holds. An ``Or`` among the parts is flattened.

    Examples
    --------
    >>> print(Or((IsNull("city"), IsIn("married", (True,)))))
    city is null or married
    """

    parts: tuple[Rule, ...]

    def __post_init__(self) -> None:
        _flatten(self, self.parts)

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True, slots=True)
class Not(Rule):
    """Negation. It moves inwards: ``not (x > 3)`` means ``x <= 3``, which a null does not satisfy.

    Examples
    --------
    >>> print(Not(Not(IsIn("married", (True,)))))
    not not married
    """

    part: Rule

    def __str__(self) -> str:
        simple = isinstance(self.part, Not | Implies | Iff | Increments | FixedCombinations)
        simple = simple or (isinstance(self.part, IsIn) and self.part.is_bare_boolean)
        return f"not {self.part}" if simple else f"not ({self.part})"


@dataclass(frozen=True, slots=True)
class Implies(Rule):
    """Where the premise holds, the conclusion holds too.

    A premise about a null does not hold, so the rule does.

    Examples
    --------
    >>> print(Implies(IsIn("married", (True,)), IsNull("spouse", negated=True)))
    implies(married, spouse is not null)
    """

    premise: Rule
    conclusion: Rule

    def __str__(self) -> str:
        return f"implies({self.premise}, {self.conclusion})"


@dataclass(frozen=True, slots=True)
class Iff(Rule):
    """Each of two rules implies the other: both hold, or neither does.

    A comparison with a null does not hold, so that two of them satisfy the rule.

    Examples
    --------
    >>> print(Iff(IsNull("end"), IsIn("active", (True,))))
    iff(end is null, active)
    """

    first: Rule
    second: Rule

    def __str__(self) -> str:
        return f"iff({self.first}, {self.second})"


def all_of(parts: Iterable[Rule]) -> Rule:
    """Join parts with ``And``; a single part is returned as it is."""
    joined = tuple(parts)
    return joined[0] if len(joined) == 1 else And(joined)


def any_of(parts: Iterable[Rule]) -> Rule:
    """Join parts with ``Or``; a single part is returned as it is."""
    joined = tuple(parts)
    return joined[0] if len(joined) == 1 else Or(joined)


def leaves(rule: Rule) -> Iterator[Rule]:
    """Iterate over the nodes that contain no other node, from left to right."""
    match rule:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case Implies(premise, conclusion):
            yield from leaves(premise)
            yield from leaves(conclusion)
        case Iff(first, second):
            yield from leaves(first)
            yield from leaves(second)
        case _:
            yield rule


def leaf_columns(rule: Rule) -> Iterator[str]:
    """Iterate over the columns of every leaf, repetitions included."""
    for leaf in leaves(rule):
        match leaf:
            case Compare(left, _, right):
                yield from left.columns + right.columns
            case FixedCombinations(combined):
                yield from combined
            case IsIn(column) | IsNull(column) | Increments(column):
                yield column
            case Leaf():
                yield from leaf.own_columns


def _as_dict(rule: Rule) -> dict[str, Any]:
    match rule:
        case Compare(left, op, right):
            return {"node": "compare", "left": left.to_json(), "op": op, "right": right.to_json()}
        case IsIn(column, values, negated):
            return {"node": "in", "column": column, "values": list(values), "negated": negated}
        case IsNull(column, negated):
            return {"node": "null", "column": column, "negated": negated}
        case Increments(column, step):
            return {"node": "increments", "column": column, "step": step}
        case FixedCombinations(combined, rows):
            listed = None if rows is None else [list(row) for row in rows]
            return {"node": "fixed_combinations", "columns": list(combined), "rows": listed}
        case And(parts):
            return {"node": "and", "parts": [_as_dict(part) for part in parts]}
        case Or(parts):
            return {"node": "or", "parts": [_as_dict(part) for part in parts]}
        case Not(part):
            return {"node": "not", "part": _as_dict(part)}
        case Implies(premise, conclusion):
            return {"node": "implies", "premise": _as_dict(premise), "conclusion": _as_dict(conclusion)}
        case Iff(first, second):
            return {"node": "iff", "first": _as_dict(first), "second": _as_dict(second)}
        case Leaf():
            return rule.own_dict()
    raise TypeError(f"{rule!r} is not a rule.")


def _flatten(node: And | Or, parts: Sequence[Rule]) -> None:
    flat: list[Rule] = []
    for part in parts:
        if isinstance(part, type(node)):
            flat.extend(part.parts)
        else:
            flat.append(part)
    if len(flat) < 2:
        raise RuleError(f"{type(node).__name__} needs two or more parts.")
    object.__setattr__(node, "parts", tuple(flat))


def _format_parts(parts: tuple[Rule, ...]) -> Iterator[str]:
    """Format the parts of an ``And``; two bounds on one column become a chain such as ``1 <= x <= 2``."""
    i = 0
    while i < len(parts):
        here, after = parts[i], parts[i + 1] if i + 1 < len(parts) else None
        if isinstance(here, Compare) and isinstance(after, Compare) and _is_range(here, after):
            yield f"{here} {after.op} {after.right}"
            i += 2
        else:
            yield f"({here})" if isinstance(here, Or) else str(here)
            i += 1


def _is_range(lower: Compare, upper: Compare) -> bool:
    same_way = lower.op[0] == upper.op[0] and lower.op[0] in "<>"
    one_column = lower.right.only_column is not None and lower.right == upper.left
    return same_way and one_column and lower.left.is_constant and upper.right.is_constant


def _plain_value(value: Any) -> Any:
    value = as_level(value)
    if value is None or isinstance(value, bool | str | int):  # levels may be integers that no float holds
        return value
    if isinstance(value, float):
        return plain_number(value)
    raise RuleError(f"{value!r} cannot be a constant in a rule. Use text, numbers, True or False.")
