"""Conditions as values: a conjunction of comparisons, columns in, a mask of the rows that meet it out.

`str` gives the condition as a rule, and `janus_synth.holds` checks the rows that methods return by that rule. The
oracle checks billions of rows, comparison by comparison, and needs this faster code; tests check that both agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Bools

if TYPE_CHECKING:
    import pandas as pd

Columns: TypeAlias = "Mapping[str, npt.NDArray[Any]] | pd.DataFrame"

SLACK = 4 * 2.0**-52
"""Relative tolerance of a comparison for rounding errors, the same as in `holds`."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``column >= bound`` or ``column <= bound``, or with another column: ``column >= factor * other + bound``."""

    column: str
    op: Literal[">=", "<="]
    bound: float
    other: str | None = None
    factor: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are read."""
        return (self.column,) if self.other is None else (self.column, self.other)

    def limit(self, columns: Columns) -> npt.NDArray[np.float64]:
        """The bound of each row."""
        if self.other is None:
            return np.array(self.bound)
        return self.factor * np.asarray(columns[self.other], dtype=np.float64) + self.bound

    def mask(self, columns: Columns) -> Bools:
        """Whether each row meets the comparison."""
        values, limit = np.asarray(columns[self.column], dtype=np.float64), self.limit(columns)
        slack = SLACK * (np.abs(values) + np.abs(limit - self.bound) + abs(self.bound))
        found: Bools = values >= limit - slack if self.op == ">=" else values <= limit + slack
        return found

    def __str__(self) -> str:
        if self.other is None:
            return f"{self.column} {self.op} {self.bound!r}"
        times = self.other if self.factor == 1 else f"{self.factor!r} * {self.other}"
        sign = "-" if self.bound < 0 else "+"
        return f"{self.column} {self.op} {times} {sign} {abs(self.bound)!r}"


@dataclass(frozen=True, slots=True)
class Level:
    """``column == value`` or ``column != value``: a level of a category, or a rounded number."""

    column: str
    op: Literal["==", "!="]
    value: str | float

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that is read."""
        return (self.column,)

    def mask(self, columns: Columns) -> Bools:
        """Whether each row meets the comparison."""
        if isinstance(self.value, str):
            equal = np.asarray(columns[self.column]) == self.value
        else:
            values = np.asarray(columns[self.column], dtype=np.float64)
            equal = np.abs(values - self.value) <= SLACK * (np.abs(values) + abs(self.value))
        found: Bools = np.asarray(equal if self.op == "==" else ~equal, dtype=bool)
        return found

    def __str__(self) -> str:
        return f"{self.column} {self.op} {self.value!r}"


Literals: TypeAlias = "tuple[Bound | Level, ...]"


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction of comparisons.

    Examples
    --------
    >>> condition = Condition((Bound("x3", ">=", 1.25), Bound("x5", "<=", 0.5, "x2"), Level("x1", "==", "b")))
    >>> print(condition)
    x3 >= 1.25 and x5 <= x2 + 0.5 and x1 == 'b'
    >>> condition.mask({"x1": np.array(["b", "a"]), "x2": np.zeros(2), "x3": np.full(2, 1.25), "x5": np.zeros(2)})
    array([ True, False])
    """

    literals: Literals

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that are read, in order of appearance."""
        return tuple(dict.fromkeys(name for literal in self.literals for name in literal.columns))

    def mask(self, columns: Columns) -> Bools:
        """Whether each row meets all comparisons."""
        masks = [literal.mask(columns) for literal in self.literals]
        found: Bools = np.logical_and.reduce(masks)
        return found

    def __str__(self) -> str:
        return " and ".join(str(literal) for literal in self.literals)
