"""Definitions of computed columns among rules: a bound rule's source in, what a message says of it out.

Models may compute columns from others. Feasibility treats each such definition as one more rule; messages put it into
words, because the user did not write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.rules.feasibility.clauses import Space
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.nodes import Rule
from janus_synth.rules.language.notation import format_name, plain_number
from janus_synth.table import Column, shown_value

MAX_VALUES = 4
"""Most values of a hidden column that a message lists."""
UNITS = (("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000))


@dataclass(frozen=True, slots=True)
class Definition(Rule):
    """How a computed column follows from others, as the source of a bound rule.

    Parameters
    ----------
    test : Rule
        The definition in bound form.
    column : str
        The computed column.
    text : str
        The definition as the model shows it: ``total = casual + registered``.
    formula : str
        What the column is computed from, in words: ``casual + registered``, ``determined by city``.
    gap : str, optional
        Hidden column that is added to the formula.
    parts : tuple of str
        Hidden columns of the date and the time of day that add up to the column, or of its factor.
    others : str
        What the definition excludes, for the advice: "other sums", "other gaps".

    Examples
    --------
    >>> from janus_synth.rules.language import IsNull
    >>> print(Definition(IsNull("total"), "total", "total = casual + registered", "casual + registered"))
    total = casual + registered
    """

    test: Rule
    column: str
    text: str
    formula: str
    gap: str | None = None
    parts: tuple[str, ...] = ()
    others: str = "other values"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the test."""
        return self.test.columns

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns of the test that the user does not know."""
        return self.parts if self.gap is None else (self.gap, *self.parts)

    def __str__(self) -> str:
        return self.text


def definitions(rules: Sequence[BoundRule]) -> list[Definition]:
    """Definitions among some rules."""
    return [rule.source for rule in rules if isinstance(rule.source, Definition)]


def hidden_names(rules: Sequence[BoundRule]) -> set[str]:
    """Columns of the rules' definitions that the user does not know."""
    return {name for definition in definitions(rules) for name in definition.hidden}


def describe_definition(definition: Definition, space: Space) -> str:
    """Say what a definition fixes, with the range of its hidden columns."""
    name = format_name(definition.column)
    if len(definition.parts) == 2:
        date, time = (_describe_range(space, part, clock=True) for part in definition.parts)
        return f"{name} has dates from {date} and times of day from {time}"
    gap = "" if definition.gap is None else f" plus {_describe_range(space, definition.gap)}"
    return f"{name} is {definition.formula}{gap}"


def _describe_range(space: Space, name: str, *, clock: bool = False) -> str:
    """Values of a hidden column: a few of them, or the smallest and the largest; with ``clock``, as times of day."""
    i = space.index(name)
    domain, grid = space.domains[i], space.grids[i]
    if not len(domain.intervals):
        return "nothing"
    if domain.size <= MAX_VALUES:
        positions = domain.positions()
        shown = [_format(space.columns[i], grid.value(position), clock) for position in positions[~np.isnan(positions)]]
        return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else shown[0]
    low, high = (_format(space.columns[i], grid.value(position), clock) for position in (domain.low, domain.high))
    return f"{low} to {high}"


def _format(column: Column, value: float, clock: bool) -> str:
    if column.kind == "datetime":
        return str(shown_value(column, value))[:10]
    if clock:
        return str(np.datetime64(int(value), "us"))[11:19]
    if "time" in column.dtype or "duration" in column.dtype:
        return format_duration(value)
    return f"{plain_number(value):,}" if float(value).is_integer() else f"{value:.6g}"


def format_duration(microseconds: float) -> str:
    """Write a duration in its two largest units.

    Examples
    --------
    >>> format_duration(79e6), format_duration(6511e6), format_duration(-3.5e6), format_duration(0)
    ('1m19s', '1h48m', '-3.5s', '0s')
    """
    sign, left = "-" if microseconds < 0 else "", abs(microseconds)
    start = next((i for i, (_, size) in enumerate(UNITS) if left >= size), len(UNITS) - 1)
    if start == len(UNITS) - 1:
        return f"{sign}{left / UNITS[-1][1]:.6g}s"
    (unit, size), (smaller, part) = UNITS[start : start + 2]
    whole, rest = divmod(left, size)
    return f"{sign}{whole:.0f}{unit}" + (f"{rest // part:.0f}{smaller}" if rest >= part else "")
