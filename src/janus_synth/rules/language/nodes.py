"""Rules as values: frozen nodes that compare, hash, print as canonical text and turn into plain dicts.

A rule is a condition on one row. The leaves are ``Compare`` (two linear expressions), ``IsIn``, ``IsNull``,
``Increments`` and ``FixedCombinations``; ``And``, ``Or``, ``Not`` and ``Implies`` join them. Nodes know nothing of
schemas: ``bind`` checks them against one and ``holds`` judges rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeVar

from janus_synth.errors import RuleError
from janus_synth.rules.language.spelling import name_text, plain_number, span_text, value_text
from janus_synth.table.columns import Level, as_level

OPS = ("<", "<=", ">", ">=", "==", "!=")
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

_T = TypeVar("_T")


class Term(NamedTuple):
    """A coefficient times a column; ``span`` says that the coefficient is in microseconds, as in ``days(nights)``."""

    column: str
    coefficient: int | float = 1
    span: bool = False


class Rule:
    """What all nodes share: joining with ``&``, ``|`` and ``~``, and no truth value."""

    __slots__ = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the rule uses, in order of appearance."""
        return distinct(leaf_columns(self))

    def to_json(self) -> dict[str, Any]:
        """Plain dict, ready for JSON; ``from_json`` gives the rule back."""
        from janus_synth.rules.language.serialise import to_json

        return to_json(self)

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
        refuse_truth(self)


def refuse_truth(value: object) -> NoReturn:
    """Say why ``and``, ``or``, ``not`` and chained comparisons do not work on what has no rows yet."""
    raise TypeError(
        f"'{value}' has no truth value before there are rows. Join conditions "
        "with & and |; write 18 <= age <= 65 as col('age').between(18, 65)."
    )


def condition_of(value: object) -> Rule | None:
    """Rule in a node or in a bare column, or None."""
    if isinstance(value, Rule):
        return value
    as_condition: Callable[[], Rule] | None = getattr(value, "as_condition", None)
    return None if as_condition is None else as_condition()


@dataclass(frozen=True, slots=True)
class Linear:
    """Sum of coefficients times columns, a number, a duration and at most one text.

    Parameters
    ----------
    terms : tuple of Term
        Columns with their coefficients; terms of one column are merged, zeros dropped.
    constant : int or float
        A plain number.
    span : int or float
        A duration in microseconds.
    text : str, optional
        A date as ISO text, or the level of a category; which of the two, the schema says.
    sign : {1, -1}
        Whether the text is added or taken away.

    Examples
    --------
    >>> print(Linear((Term("a", 2), Term("b", -1)), 3))
    2 * a - b + 3
    """

    terms: tuple[Term, ...] = ()
    constant: int | float = 0
    span: int | float = 0
    text: str | None = None
    sign: int = 1

    def __post_init__(self) -> None:
        sums: dict[tuple[str, bool], float] = {}
        for term in map(Term._make, self.terms):
            key = (term.column, bool(term.span))
            sums[key] = sums.get(key, 0) + term.coefficient
        kept = ((column, plain_number(total), span) for (column, span), total in sums.items())
        object.__setattr__(self, "terms", tuple(Term(*parts) for parts in kept if parts[1] != 0))
        object.__setattr__(self, "constant", plain_number(self.constant))
        object.__setattr__(self, "span", plain_number(self.span))
        if self.sign not in (1, -1) or (self.text is None and self.sign != 1):
            raise RuleError("a date cannot be multiplied. Add or subtract it once.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        return distinct(term.column for term in self.terms)

    @property
    def is_constant(self) -> bool:
        """Whether no column is left."""
        return not self.terms

    @property
    def is_number(self) -> bool:
        """Whether it is nothing but a number."""
        return not self.terms and not self.span and self.text is None

    @property
    def bare(self) -> str | None:
        """The column, if it is one column and nothing else."""
        if len(self.terms) == 1 and self == Linear((Term(self.terms[0].column),)):
            return self.terms[0].column
        return None

    @property
    def lone_text(self) -> str | None:
        """The text, if it is one text and nothing else."""
        return self.text if self == Linear(text=self.text) else None

    def plus(self, other: Linear) -> Linear:
        """Sum of the two."""
        return sum_of((self, other))

    def times(self, factor: float) -> Linear:
        """Product with a number."""
        if self.text is not None and factor not in (1, -1):
            raise RuleError(f"{self.text!r} is text and cannot be multiplied.")
        terms = tuple(Term(t.column, t.coefficient * factor, t.span) for t in self.terms)
        sign = self.sign if factor > 0 or self.text is None else -self.sign
        return Linear(terms, self.constant * factor, self.span * factor, self.text, sign)

    def __str__(self) -> str:
        parts = [_term_text(term) for term in self.terms]
        if self.constant:
            parts.append(_signed(self.constant, str(abs(self.constant))))
        if self.span:
            parts.append(_signed(self.span, span_text(abs(self.span))))
        if self.text is not None:
            parts.append(_signed(self.sign, value_text(self.text)))
        if not parts:
            return "0"
        (sign, first), rest = parts[0], parts[1:]
        return ("-" if sign == "-" else "") + first + "".join(f" {sign} {part}" for sign, part in rest)


def sum_of(parts: Sequence[Linear]) -> Linear:
    """Sum of linear expressions, of which at most one holds a text."""
    texts = [(part.text, part.sign) for part in parts if part.text is not None]
    if len(texts) > 1:
        raise RuleError("two texts cannot be added or subtracted. Write the difference with days(...).")
    terms = tuple(term for part in parts for term in part.terms)
    text, sign = texts[0] if texts else (None, 1)
    return Linear(terms, sum(part.constant for part in parts), sum(part.span for part in parts), text, sign)


def _term_text(term: Term) -> tuple[str, str]:
    name, size = name_text(term.column), abs(term.coefficient)
    if term.span:
        return _signed(term.coefficient, span_text(size, name))
    return _signed(term.coefficient, name if size == 1 else f"{size} * {name}")


def _signed(value: float, text: str) -> tuple[str, str]:
    return ("-" if value < 0 else "+"), text


@dataclass(frozen=True, slots=True)
class Compare(Rule):
    """Comparison of two linear expressions, or of a column with a date or a level.

    Examples
    --------
    >>> print(Compare(Linear((Term("experience"),)), "<", Linear((Term("age"),), -18)))
    experience < age - 18
    """

    left: Linear
    op: str
    right: Linear

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise RuleError(f"{self.op!r} is no comparison. Use one of {', '.join(OPS)}.")
        if self.left.is_constant and self.right.is_constant:
            raise RuleError(f"'{self}' names no column, so it says nothing about rows. Compare a column.")

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


@dataclass(frozen=True, slots=True)
class IsIn(Rule):
    """A column takes one of some values, or none of them and is not null.

    Examples
    --------
    >>> print(IsIn("city", ("Rome", "Oslo")), IsIn("married", (True,)), sep="; ")
    city in ['Rome', 'Oslo']; married
    """

    column: str
    values: tuple[Level, ...]
    negated: bool = False
    truths: tuple[bool, ...] = field(init=False, repr=False)  # tells True from 1, which == does not

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(map(_plain_value, self.values)))
        object.__setattr__(self, "truths", tuple(isinstance(value, bool) for value in self.values))

    @property
    def is_truth(self) -> bool:
        """Whether it is a bare boolean column."""
        return not self.negated and self.truths == (True,) and self.values == (True,)

    def __str__(self) -> str:
        name = name_text(self.column)
        if self.is_truth:
            return name
        if self.truths == (True,):
            return f"{name} {'!=' if self.negated else '=='} {self.values[0]}"
        return f"{name} {'not in' if self.negated else 'in'} [{', '.join(map(value_text, self.values))}]"


@dataclass(frozen=True, slots=True)
class IsNull(Rule):
    """A column is missing, or is not.

    Examples
    --------
    >>> print(IsNull("city", negated=True))
    city is not null
    """

    column: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{name_text(self.column)} is {'not ' if self.negated else ''}null"


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
        return f"increments({name_text(self.column)}, {self.step})"


@dataclass(frozen=True, slots=True)
class FixedCombinations(Rule):
    """Columns come in known combinations only; a missing cell counts as a value of its own.

    Parameters
    ----------
    combined : tuple of str
        Two or more columns.
    rows : tuple of tuples, optional
        The known combinations, None for a missing cell. Without them the rule waits for ``learn``.

    Examples
    --------
    >>> print(FixedCombinations(("city", "country")))
    fixed_combinations(city, country)
    """

    combined: tuple[str, ...]
    rows: tuple[tuple[Level | None, ...], ...] | None = None
    truths: tuple[tuple[bool, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "combined", tuple(self.combined))
        if len(set(self.combined)) < max(2, len(self.combined)):
            raise RuleError("fixed_combinations needs two or more different columns.")
        if self.rows is not None:
            rows = tuple(tuple(map(_plain_value, row)) for row in self.rows)
            object.__setattr__(self, "rows", rows)
            if any(len(row) != len(self.combined) for row in rows):
                raise RuleError(f"each combination of '{self.named}' needs {len(self.combined)} values.")
        truths = tuple(tuple(isinstance(value, bool) for value in row) for row in self.rows or ())
        object.__setattr__(self, "truths", truths)

    @property
    def named(self) -> str:
        """The columns as text."""
        return ", ".join(map(name_text, self.combined))

    def __str__(self) -> str:
        if self.rows is None:
            return f"fixed_combinations({self.named})"
        rows = ", ".join(f"[{', '.join(map(value_text, row))}]" for row in self.rows)
        return f"fixed_combinations({self.named}, [{rows}])"


@dataclass(frozen=True, slots=True)
class And(Rule):
    """All parts hold; an And among the parts is flattened.

    Examples
    --------
    >>> age = Linear((Term("age"),))
    >>> print(And((Compare(Linear(constant=18), "<=", age), Compare(age, "<=", Linear(constant=65)))))
    18 <= age <= 65
    """

    parts: tuple[Rule, ...]

    def __post_init__(self) -> None:
        _flatten(self, self.parts)

    def __str__(self) -> str:
        return " and ".join(_chained(self.parts))


@dataclass(frozen=True, slots=True)
class Or(Rule):
    """Some part holds; an Or among the parts is flattened.

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
    """The opposite holds: negation moves inwards, so ``not (x > 3)`` means ``x <= 3`` and no null satisfies it.

    Examples
    --------
    >>> print(Not(Not(IsIn("married", (True,)))))
    not not married
    """

    part: Rule

    def __str__(self) -> str:
        simple = isinstance(self.part, Not | Implies | Increments | FixedCombinations)
        simple = simple or (isinstance(self.part, IsIn) and self.part.is_truth)
        return f"not {self.part}" if simple else f"not ({self.part})"


@dataclass(frozen=True, slots=True)
class Implies(Rule):
    """Where the premise holds, the conclusion holds too.

    A premise that meets a null does not hold, so the rule does.

    Examples
    --------
    >>> print(Implies(IsIn("married", (True,)), IsNull("spouse", negated=True)))
    implies(married, spouse is not null)
    """

    premise: Rule
    conclusion: Rule

    def __str__(self) -> str:
        return f"implies({self.premise}, {self.conclusion})"


def all_of(parts: Iterable[Rule]) -> Rule:
    """Conjunction; of one part, the part itself."""
    joined = tuple(parts)
    return joined[0] if len(joined) == 1 else And(joined)


def any_of(parts: Iterable[Rule]) -> Rule:
    """Disjunction; of one part, the part itself."""
    joined = tuple(parts)
    return joined[0] if len(joined) == 1 else Or(joined)


def distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    """Each value once, in order of appearance."""
    return tuple(dict.fromkeys(values))


def leaves(rule: Rule) -> Iterator[Rule]:
    """Nodes that hold no other node, from left to right."""
    match rule:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case Implies(premise, conclusion):
            yield from leaves(premise)
            yield from leaves(conclusion)
        case _:
            yield rule


def leaf_columns(rule: Rule) -> Iterator[str]:
    """Columns of every leaf, as often as they appear."""
    for leaf in leaves(rule):
        match leaf:
            case Compare(left, _, right):
                yield from left.columns + right.columns
            case FixedCombinations(combined):
                yield from combined
            case IsIn(column) | IsNull(column) | Increments(column):
                yield column


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


def _chained(parts: tuple[Rule, ...]) -> Iterator[str]:
    """Texts of the parts of an And, two bounds on one column as a chain."""
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
    one_column = lower.right.bare is not None and lower.right == upper.left
    return same_way and one_column and lower.left.is_constant and upper.right.is_constant


def _plain_value(value: Any) -> Any:
    value = as_level(value)
    if value is None or isinstance(value, bool | str | int):  # levels may be integers that no float holds
        return value
    if isinstance(value, float):
        return plain_number(value)
    raise RuleError(f"{value!r} is no constant of a rule. Use text, numbers, True or False.")
