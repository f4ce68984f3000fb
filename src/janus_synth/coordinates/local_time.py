"""A formula for timestamps with a time zone: date and time of day on the local clock in, the timestamp out.

Shops open and commuters leave by the local clock. A time that the clock shows twice, when summer time ends, is the
first of the two; one that it skips, when summer time begins, is the next one that it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.coordinates.checks import require, require_names
from janus_synth.coordinates.formulas import Values, local_micros
from janus_synth.rules.language import Rule
from janus_synth.table.datetimes import is_zone

MOST_SHIFT = 7_200e6
"""Microseconds by which a clock is moved at once, at most."""


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A timestamp of a date and a time of day on the clock of a time zone.

    Examples
    --------
    >>> import datetime as dt
    >>> start = LocalTime("date", "time", "Europe/Berlin")
    >>> found = start.evaluate({"date": np.array([0.0]), "time": np.array([7_200e6])})
    >>> dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=found[0])
    datetime.datetime(1970, 1, 1, 1, 0)
    """

    date: str
    time: str
    zone: str

    def __post_init__(self) -> None:
        require_names(self.date, self.time)
        require(isinstance(self.zone, str) and is_zone(self.zone), f"{self.zone!r} is no time zone")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The date and the time of day."""
        return (self.date, self.time)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where the date or the time is missing."""
        return to_utc(values[self.date] + values[self.time], self.zone)

    def local(self, stamps: Floats) -> Floats:
        """What the clock shows at some timestamps, as microseconds since the beginning of 1970."""
        return to_local(stamps, self.zone)

    def rule(self, column: str) -> Rule | None:
        """None: the language has no clocks."""
        return None

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"date": self.date, "time": self.time, "zone": self.zone}

    def __str__(self) -> str:
        return f"its date + its time of day in {self.zone}"


def to_local(stamps: Floats, zone: str) -> Floats:
    """What the clock of a zone shows; NaN stays."""
    missing = np.isnan(stamps)
    found = local_micros(np.where(missing, 0.0, stamps).astype(np.int64), zone)
    return np.where(missing, np.nan, found.astype(np.float64))


def to_utc(local: Floats, zone: str) -> Floats:
    """Timestamps at which the clock of a zone shows some times; NaN stays."""
    import pandas as pd

    missing = np.isnan(local)
    shown = pd.DatetimeIndex(np.where(missing, 0.0, local).astype(np.int64).astype("datetime64[us]"))
    first = np.ones(len(shown), bool)
    stamps = shown.tz_localize(zone, ambiguous=first, nonexistent="shift_forward").tz_convert("UTC").tz_localize(None)
    found = stamps.to_numpy().astype("datetime64[us]").astype(np.int64)
    return np.where(missing, np.nan, found.astype(np.float64))
