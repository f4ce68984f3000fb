"""A formula for times of day as numbers: 1405 and a delay of 75 minutes in, 1520 out, past midnight as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.coordinates.checks import require, require_names
from janus_synth.coordinates.formulas import Values
from janus_synth.rules.language import Rule
from janus_synth.rules.language.notation import format_name
from janus_synth.table.datetimes import MINUTES_OF_DAY, clock_numbers, minutes_of_day


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day some minutes after another one, both as numbers such as 1405.

    Parameters
    ----------
    start : str
        Column of times of day.
    minutes : str, optional
        Column of minutes that are added, negative or more than a day; none if a gap is learnt.
    midnight : {0, 2400}
        How midnight is written.

    Examples
    --------
    >>> end = Clock("start", "late")
    >>> end.evaluate({"start": np.array([1405.0, 2350.0, 10.0]), "late": np.array([75.0, 20.0, np.nan])})
    array([1520.,   10.,   nan])
    >>> print(end)
    start + late minutes on the clock
    """

    start: str
    minutes: str | None = None
    midnight: int = 0

    def __post_init__(self) -> None:
        require_names(*self.inputs)
        require(self.midnight in (0, 2400), f"midnight is 0 or 2400, not {self.midnight!r}")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The time of day, and the minutes."""
        return (self.start,) if self.minutes is None else (self.start, self.minutes)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where an input is missing."""
        return self.later(values, 0.0 if self.minutes is None else values[self.minutes])

    def later(self, values: Values, minutes: Floats | float) -> Floats:
        """Time of day so many minutes after the start."""
        return clock_numbers(minutes_of_day(values[self.start]) + np.rint(minutes), self.midnight)

    def gap(self, values: Values, column: Floats) -> Floats:
        """Minutes from the start to a time of day, from 0 to 1439."""
        return np.asarray(np.mod(minutes_of_day(column) - minutes_of_day(values[self.start]), MINUTES_OF_DAY))

    def inferred(self, values: Values, column: Floats, least: float) -> dict[str, Floats]:
        """Inputs with those missing cells filled that a known time of day determines; minutes from ``least`` on."""
        if self.minutes is None:
            return {}
        start, minutes = values[self.start], values[self.minutes]
        began = clock_numbers(minutes_of_day(column) - minutes)
        lasted = least + np.mod(self.gap(values, column) - least, MINUTES_OF_DAY)
        return {
            self.start: np.where(np.isnan(start), began, start),
            self.minutes: np.where(np.isnan(minutes), lasted, minutes),
        }

    def rule(self, column: str) -> Rule | None:
        """None: the language does not count past midnight."""
        return None

    def times(self) -> Floats:
        """All 1,440 times of day, in ascending order."""
        return np.sort(clock_numbers(np.arange(float(MINUTES_OF_DAY)), self.midnight))

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"start": self.start, "minutes": self.minutes, "midnight": self.midnight}

    def __str__(self) -> str:
        if self.minutes is None:
            return format_name(self.start)
        return f"{format_name(self.start)} + {format_name(self.minutes)} minutes on the clock"
