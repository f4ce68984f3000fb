"""One column of a schema: its kind, its native dtype and its domain, checked on construction."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from janus_synth.errors import SchemaError
from janus_synth.table.moments import is_moment_format
from janus_synth.table.templates import parse_template

Kind = Literal["numeric", "boolean", "categorical", "datetime", "identifier"]
Level = str | int | float | bool

KINDS: tuple[Kind, ...] = get_args(Kind)
LEVEL_TYPES = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it is, how it is stored and which values it may take.

    Parameters
    ----------
    name : str
        Name in the frame.
    kind : {"numeric", "boolean", "categorical", "datetime", "identifier"}
        How the column is learnt; identifiers are not learnt but made afresh.
    dtype : str
        Text that rebuilds the native dtype in the schema's frame kind, such as ``"Int64"``.
    nullable : bool
        Missing values were seen or are allowed.
    low, high : float, optional
        Domain of a numeric or datetime column in physical units: plain numbers, or microseconds
        (since the epoch in UTC for datetimes). None until known.
    levels : tuple of str, int, float or bool
        Values of a categorical or boolean column, in order.
    ordered : bool
        The order of the levels means something.
    template : str, optional
        For an identifier, how to make fresh ones (see ``janus_synth.table.templates``);
        for a datetime kept as text, its format, such as ``"%Y-%m-%d"``.

    Examples
    --------
    >>> Column("age", "numeric", "Int64", low=0, high=120).is_ordered
    True
    >>> Column("member", "boolean", "bool").levels
    (False, True)
    """

    name: str
    kind: Kind
    dtype: str
    nullable: bool = False
    low: float | None = None
    high: float | None = None
    levels: tuple[Level, ...] = ()
    ordered: bool = False
    template: str | None = None

    def __post_init__(self) -> None:
        self._check_basics()
        self._check_bounds()
        self._check_levels()
        self._check_template()

    @property
    def is_ordered(self) -> bool:
        """Whether 'less than' means something: numeric, datetime or ordered categorical."""
        return self.kind in ("numeric", "datetime") or self.ordered

    @property
    def is_learnt(self) -> bool:
        """Whether the model learns this column: everything but identifiers."""
        return self.kind != "identifier"

    @property
    def is_discrete(self) -> bool:
        """Whether the column is stored as indices into its levels."""
        return self.kind in ("boolean", "categorical")

    def _check_basics(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(f"a column is named {self.name!r}; names must be text. Use {str(self.name)!r}.")
        if self.kind not in KINDS:
            self._fail(f"the kind is {self.kind!r}; it must be one of {', '.join(KINDS)}")
        if not isinstance(self.dtype, str) or not self.dtype:
            self._fail(f"the dtype is {self.dtype!r}; it must be text such as 'int64'")
        for field in ("nullable", "ordered"):
            if not isinstance(getattr(self, field), bool):
                self._fail(f"{field} is {getattr(self, field)!r}; it must be true or false")

    def _check_bounds(self) -> None:
        for field in ("low", "high"):
            value = getattr(self, field)
            if value is None:
                continue
            if self.kind not in ("numeric", "datetime"):
                self._fail(f"{field} is given, but a {self.kind} column has no range. Drop it")
            object.__setattr__(self, field, self._finite(field, value))
        if self.low is not None and self.high is not None and self.low > self.high:
            self._fail(f"low {self.low} lies above high {self.high}. Swap them")

    def _finite(self, field: str, value: Any) -> float:
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self._fail(f"{field} is {value!r}; it must be a finite number")
        if self.kind == "datetime" and number != round(number):
            self._fail(f"{field} is {value!r}; it must be a whole number of microseconds")
        return number

    def _check_levels(self) -> None:
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable):
            self._fail(f"levels is {self.levels!r}; it must be a list of values")
        levels = tuple(map(as_level, self.levels))
        if self.kind == "boolean" and not levels:
            levels = (False, True)
        object.__setattr__(self, "levels", levels)
        if levels and not self.is_discrete:
            self._fail(f"levels are given, but a {self.kind} column has none. Drop them")
        if self.kind == "boolean" and (levels != (False, True) or not all(isinstance(level, bool) for level in levels)):
            self._fail(f"the levels are {levels!r}; a boolean column has the levels (False, True)")
        if self.ordered and self.kind != "categorical":
            self._fail(f"ordered is for categorical columns, and this one is {self.kind}. Drop it")
        for level in levels:
            if not isinstance(level, LEVEL_TYPES):
                self._fail(f"the level {level!r} is a {type(level).__name__}; levels are text, numbers or booleans")
            if isinstance(level, float) and not math.isfinite(level):
                self._fail(f"the level {level!r} is not finite. Missing values need no level")
        if len({level_key(level) for level in levels}) < len(levels):
            twice = next(a for i, a in enumerate(levels) if level_key(a) in map(level_key, levels[:i]))
            self._fail(f"the level {twice!r} is listed twice")

    def _check_template(self) -> None:
        if self.template is None:
            return
        if self.kind == "datetime":
            if not is_moment_format(self.template):
                self._fail(f"the format {self.template!r} is not known. Write one like '%Y-%m-%d %H:%M:%S'")
        elif self.kind != "identifier":
            self._fail(f"a template is given, but a {self.kind} column has none. Drop it")
        elif isinstance(problem := parse_template(self.template), str):
            self._fail(f"the template {self.template!r} cannot be used: {problem}")

    def _fail(self, problem: str) -> None:
        raise SchemaError(f"column {self.name!r}: {problem}.", column=self.name)


def as_level(value: Any) -> Any:
    """Turn a NumPy scalar or a subclass of a level type into the plain Python value."""
    if type(value) in LEVEL_TYPES:
        return value
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    for plain in (bool, str, int, float):
        if isinstance(value, plain):
            return plain(value)
    return value


def level_key(level: Any) -> Hashable:
    """Tell True from 1, which Python's own equality does not; 1 and 1.0 stay the same level."""
    return isinstance(level, bool), level
