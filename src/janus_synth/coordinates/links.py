"""Links: how a column of a table is computed from others, and from hidden columns that hold what is left to learn.

A link has a formula. Hidden columns may go with it:

- the *parts* of a timestamp, its date and its time of day, which the formula adds up, or the factor of a multiple;
- a *gap* that is added to the formula: ``end = start + gap``;
- a *source* that says for each row whether the value is computed, a value of its own, or null;
- a column of these *own* values.

Hidden columns are learnt like any other and never written. A linked column without any of them is *derived*: all rows
keep the formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.coordinates.checks import require, require_names, require_numbers
from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import (
    DAY,
    HALF,
    Band,
    Formula,
    Product,
    Sum,
    Values,
    round_to,
)
from janus_synth.coordinates.kinds import formula_from_json, formula_to_json
from janus_synth.coordinates.local_time import LocalTime
from janus_synth.coordinates.scaled import Scaled
from janus_synth.errors import SchemaError
from janus_synth.rules.holds import ULPS, precision_of
from janus_synth.rules.language import Compare, IsIn, IsNull, Linear, Rule, Term, all_of, any_of
from janus_synth.rules.language.notation import format_name
from janus_synth.rules.language.units import is_span
from janus_synth.table import Column, Schema, cells

COMPUTED, OWN, NULL = 0, 1, 2
"""Levels of a source."""
SOURCES = ("computed", "own", "null")


@dataclass(frozen=True, slots=True, repr=False)
class Link:
    """How one column is computed.

    Examples
    --------
    >>> link = Link("end", Sum((("start", 1.0),)), gap="end - start")
    >>> link.inputs, link.hidden
    (('start', 'end - start'), ('end - start',))
    >>> print(link)
    end = start + a learnt gap
    """

    column: str
    formula: Formula
    gap: str | None = None
    source: str | None = None
    own: str | None = None
    precision: float = 0.0
    """Relative rounding of the stored values of the column and its inputs; 0 compares exactly."""
    parts: tuple[str, ...] = ()
    """Inputs of the formula that are measured from the column itself: date and time of day, or the factor."""
    within: tuple[float, float] | None = None
    """Domain that values are clipped to: a date and a time of day, or a copy, can lead beyond it."""
    times: tuple[str, ...] = field(default=(), compare=False)
    """For printing: columns in microseconds, whose durations get readable units."""

    def __post_init__(self) -> None:
        if self.source is None and self.own is not None:
            raise SchemaError(f"the link of {self.column!r} has own values without a source.")
        require_names(self.column, *self.inputs)
        names = (self.column, *self.inputs)
        require(len(set(names)) == len(names), f"{self.column!r} or an input occurs twice in {names!r}")
        require_numbers([self.precision])
        require(self.precision >= 0, "the precision is negative")
        require(isinstance(self.parts, tuple), f"{self.parts!r} is no list of names")
        if isinstance(self.formula, Scaled):
            require(self.parts == (self.formula.factor,), "a multiple of a column has its factor as a part")
            return
        is_clock = isinstance(self.formula, Sum | LocalTime) and self.parts == self.formula.inputs
        require(not self.parts or (is_clock and len(self.parts) == 2), "parts are a date and a time of day")

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns that are learnt for this link and never written."""
        return (*self.parts, *self._added)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that must be known before this one can be computed."""
        return (*self.formula.inputs, *self._added)

    @property
    def visible_inputs(self) -> tuple[str, ...]:
        """Inputs that are columns of the user; hidden columns are measured from these and the column itself."""
        return tuple(name for name in self.formula.inputs if name not in self.parts)

    @property
    def _added(self) -> tuple[str, ...]:
        return tuple(name for name in (self.gap, self.source, self.own) if name is not None)

    def with_hidden_names(self, names: Mapping[str, str]) -> Link:
        """The same link with other names for its hidden columns."""
        gap, source, own = (None if name is None else names[name] for name in (self.gap, self.source, self.own))
        parts = tuple(names[name] for name in self.parts)
        formula = self.formula
        if parts and isinstance(formula, Sum):
            formula = replace(formula, terms=tuple((names[name], weight) for name, weight in formula.terms))
        elif isinstance(formula, Scaled):
            formula = replace(formula, factor=parts[0])
        elif isinstance(formula, LocalTime):
            formula = replace(formula, date=parts[0], time=parts[1])
        return replace(self, formula=formula, gap=gap, source=source, own=own, parts=parts)

    @property
    def is_absent_elsewhere(self) -> bool:
        """Whether the column is computed in part of the rows, and null in all others."""
        return self.source is not None and self.own is None

    @property
    def is_exact(self) -> bool:
        """Whether all rows keep the formula, apart from nulls of the column: gaps and own values leave it open."""
        return self.gap is None and self.own is None

    @property
    def is_clock(self) -> bool:
        """Whether the column is a timestamp, computed from its date and its time of day."""
        return len(self.parts) == 2

    def compute(self, values: Values) -> Floats:
        """Values of the column, NaN for missing, from those of its inputs."""
        found = self.formula.evaluate(values)
        if self.gap is not None:
            found = self._after_gap(found, values, values[self.gap])
        if self.source is not None:
            source = values[self.source]
            if self.own is not None:
                own = values[self.own]
                found = np.where((source == OWN) & ~np.isnan(own), own, found)
            is_null = source == NULL
            found = np.where(is_null, np.nan, found) if is_null.any() else found
        return found if self.within is None else np.clip(found, *self.within)

    def measure(self, values: Values, *, complete: bool = True) -> dict[str, Floats]:
        """Values of the hidden columns, given the others.

        If rows are not ``complete``, a missing cell may stand for any value, and what depends on it is missing, too.
        """
        column = values[self.column]
        if isinstance(self.formula, Scaled):
            return {self.formula.factor: self._measured_factor(values, self.formula, complete=complete)}
        if self.is_clock:
            local = self.formula.local(column) if isinstance(self.formula, LocalTime) else column
            of_day = np.mod(local, DAY)
            return dict(zip(self.parts, (local - of_day, of_day), strict=True))
        formula = self.formula.evaluate(values)
        found: dict[str, Floats] = {}
        if self.gap is not None:
            found[self.gap] = self._gap_to(column, formula, values)
        if self.source is not None:
            same, other = self.agrees(values), COMPUTED if self.own is None else OWN
            source = np.where(same, COMPUTED, np.where(np.isnan(column), NULL, other)).astype(float)
            if not complete:
                source[np.isnan(column) | np.isnan(formula)] = np.nan
            found[self.source] = source
            if self.own is not None:
                found[self.own] = np.where(source == OWN, column, np.nan)
        return found

    def _after_gap(self, formula: Floats, values: Values, gap: Floats) -> Floats:
        if isinstance(self.formula, Clock):
            return self.formula.later(values, gap)
        return _rounded(self.formula, formula + gap)

    def _gap_to(self, column: Floats, formula: Floats, values: Values) -> Floats:
        if isinstance(self.formula, Clock):
            return self.formula.gap(values, column)
        return _rounded(self.formula, column - formula)

    def _measured_factor(self, values: Values, formula: Scaled, *, complete: bool) -> Floats:
        """Index of the first factor that gives a row its value, else of the nearest; NaN where the column is null.

        Unless rows are ``complete``, it is also NaN where several factors give the value.
        """
        column, source = values[self.column], values[formula.source]
        matches = formula.matches(column, source, self.precision)
        away = np.abs(column[:, None] - source[:, None] * np.array(formula.factors))
        nearest = np.where(np.isnan(away), np.inf, away).argmin(axis=1)
        found = np.where(matches.any(axis=1), matches.argmax(axis=1), nearest).astype(float)
        if not complete:
            return np.where(matches.sum(axis=1) == 1, found, np.nan)
        return np.where(np.isnan(column) & ~np.isnan(source), np.nan, found)

    def agrees(self, values: Values) -> Bools:
        """Rows in which the column has the value of the formula; two missing values agree.

        Half a unit of the last decimal is allowed: people round halves up, down, or to the even digit.
        """
        column, formula = values[self.column], self.formula.evaluate(values)
        slack = ULPS * self.precision * (np.abs(column) + np.abs(formula))
        if isinstance(self.formula, Sum | Product | Scaled) and self.formula.decimals is not None:
            formula = self.formula.unrounded(values)
            slack = np.maximum(slack, HALF * 10.0**-self.formula.decimals)
        same = np.abs(column - formula) <= slack
        return np.asarray(same | (np.isnan(column) & np.isnan(formula)))

    def contradicts(self, values: Values) -> Bools:
        """Rows that the link cannot give, whatever its hidden columns are; gaps and own values can give any."""
        if isinstance(self.formula, Scaled):
            column, source = values[self.column], values[self.formula.source]
            return np.asarray(~np.isnan(column) & ~self.formula.matches(column, source, self.precision).any(axis=1))
        if self.is_absent_elsewhere:
            return np.asarray(~np.isnan(values[self.column]) & ~self.agrees(values))
        return np.zeros(len(values[self.column]), bool) if self.hidden else ~self.agrees(values)

    def rule(self) -> Rule | None:
        """The link as a bound test; None if the rule language cannot express it."""
        if self.source is not None:
            computed = self.formula.rule(self.column) if self.is_absent_elsewhere else None
            return None if computed is None else any_of([computed, IsNull(self.column)])
        if self.gap is not None and isinstance(self.formula, Sum):
            return replace(self.formula, terms=(*self.formula.terms, (self.gap, 1.0))).rule(self.column)
        return self.formula.rule(self.column) if self.gap is None else None

    def rule_without_nulls(self) -> Rule | None:
        """The link as a bound test of rows in which nothing is null, hidden columns included; None if it has none."""
        if self.source is not None and self.is_absent_elsewhere:
            computed = replace(self, source=None).rule_without_nulls()
            return None if computed is None else all_of([IsIn(self.source, (COMPUTED,)), computed])
        if self.source is not None:
            return self.rule_by_source()
        if isinstance(self.formula, Product):
            return self.formula.rule_without_nulls(self.column, self.gap)
        if isinstance(self.formula, Band) and self.gap is None:
            return self.formula.rule_without_nulls(self.column)
        return self.rule()

    def rule_by_source(self) -> Rule | None:
        """The link of part of the rows as a bound test that names its hidden columns; None if it has no such test."""
        computed = self.formula.rule(self.column)
        if self.source is None or self.own is None or computed is None:
            return None
        is_computed, is_own, is_null = (IsIn(self.source, (level,)) for level in (COMPUTED, OWN, NULL))
        drawn = Compare(Linear((Term(self.column), Term(self.own, -1))), "==", Linear())
        return any_of(
            [
                all_of([is_computed, computed]),
                all_of([is_own, IsNull(self.own), computed]),
                all_of([is_own, drawn]),
                all_of([is_null, IsNull(self.column)]),
            ]
        )

    @property
    def equation(self) -> Sum | None:
        """The weighted sum that the column equals in every row, gap included; None if none, or if it is rounded."""
        if not isinstance(self.formula, Sum) or self.formula.rounds or self.source is not None:
            return None
        gap = () if self.gap is None else ((self.gap, 1.0),)
        return replace(self.formula, terms=(*self.formula.terms, *gap))

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values = {"column": self.column, "formula": formula_to_json(self.formula), "precision": self.precision}
        for part in ("gap", "source", "own"):
            if getattr(self, part) is not None:
                values[part] = getattr(self, part)
        for several in ("parts", "within"):
            if getattr(self, several):
                values[several] = list(getattr(self, several))
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Link:
        """Inverse of ``to_json``; raise SchemaError for anything else."""
        known = {"column", "formula", "precision", "gap", "source", "own", "parts", "within"}
        if not isinstance(values, Mapping) or not {"column", "formula"} <= values.keys() <= known:
            raise SchemaError(f"a link has a column and a formula, not {values!r}.")
        plain: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
        return cls(**plain | {"formula": formula_from_json(values["formula"])})

    def __repr__(self) -> str:
        return f"Link({str(self)!r})"

    def __str__(self) -> str:
        if self.is_clock:
            zone = f" in {self.formula.zone}" if isinstance(self.formula, LocalTime) else ""
            return f"{format_name(self.column)} = its date + its time of day{zone}"
        text = f"{format_name(self.column)} = {self.formula_text}"
        if self.gap is not None:
            text += " + a learnt gap"
        if self.is_absent_elsewhere:
            return f"{text}, or null"
        return text if self.source is None else f"{text} in part of the rows"

    @property
    def formula_text(self) -> str:
        """The formula, with durations in readable units where ``times`` is known."""
        formula = self.formula
        return formula.text(self.column, self.times) if isinstance(formula, Sum) else str(formula)

    def with_units(self, schema: Schema) -> Link:
        """The same link, which knows for printing which of its columns are times or durations.

        Examples
        --------
        >>> late = Link("departure", Sum((("scheduled", 1.0), ("delay", 60e6))))
        >>> times = [Column(name, "datetime", "datetime64[us]") for name in ("scheduled", "departure")]
        >>> print(late.with_units(Schema((*times, Column("delay", "numeric", "int64")))))
        departure = scheduled + minutes(delay)
        """
        names = (self.column, *self.formula.inputs)
        return replace(self, times=tuple(name for name in names if name in schema and is_time(schema[name])))


def is_time(column: Column) -> bool:
    """Whether a column's values are microseconds."""
    return column.kind == "datetime" or is_span(column)


def _rounded(formula: Formula, values: Floats) -> Floats:
    return round_to(values, formula.decimals if isinstance(formula, Sum | Product) else None)


def as_cells(column: Column, values: Floats) -> Array:
    """Floats as a table holds them: floats, or indices of levels with −1 for missing."""
    return cells.as_cells(values, discrete=column.is_discrete)


def link_precision(schema: Schema, names: Iterable[str]) -> float:
    """Relative rounding of stored values: 0 if all are whole numbers or levels."""
    columns = [schema[name] for name in names]
    real = [column for column in columns if column.kind == "numeric" and "int" not in column.dtype.lower()]
    return max((precision_of(column) for column in real), default=0.0)
