"""A number of rows in, a pandas table of flights out, drawn from a known structural model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.datasets.columns import Dates, Rule, generator, logistic, nullable, pick, seconds_after, text, without

if TYPE_CHECKING:
    import pandas as pd

FIRST_DAY = np.datetime64("2024-01-01T00:00:00")
N_DAYS = 182  # half a year
CARRIERS = (  # code, name, share, log of the mean delay beside the mean
    ("NR", "Northern Air", 30, 0.0),
    ("BW", "Bluewing", 24, 0.3),
    ("CX", "Coastal Express", 18, 0.15),
    ("SL", "Skyline", 14, -0.2),
    ("TR", "Transregio", 9, 0.45),
    ("HV", "High Valley", 5, -0.4),
)
AIRPORTS = {  # place in miles
    "EWN": (0.0, 0.0),
    "JFX": (17.0, -3.0),
    "LGB": (13.0, 8.0),
    "BST": (170.0, 120.0),
    "CHO": (-690.0, 110.0),
    "ATL": (-560.0, -610.0),
    "MIA": (-270.0, -1_050.0),
    "DNV": (-1_600.0, 40.0),
    "LXA": (-2_420.0, -280.0),
    "SFC": (-2_540.0, 90.0),
    "DCX": (-150.0, -160.0),
    "ORX": (-130.0, -930.0),
}
ORIGINS = 3  # the first airports
ROUTE_WEIGHTS = np.array([0, 0, 0, 12, 15, 15, 12, 6, 13, 10, 9, 8])
"""Weights of the destinations; long flights leave from the second airport more often."""
HOURLY = np.array([0, 0, 0, 0, 0, 2, 8, 8, 8.5, 6.5, 5.5, 5.3, 5.8, 6.2, 6.6, 7.5, 7.6, 8, 7.2, 7, 5.5, 3.5, 1.2, 0.3])
"""Weights of the hours of scheduled departures."""

FLIGHTS_RULES: tuple[Rule, ...] = (
    Rule("cancelled or departure == scheduled + minutes(delay)", 1.0),
    Rule("not cancelled or departure is null and delay is null and departure_hhmm is null and air_time is null", 1.0),
    Rule("fixed_combinations(carrier, carrier_name)", 1.0),
    Rule("fixed_combinations(origin, destination, distance)", 1.0),
    Rule("cancelled", 0.023),
    Rule("delay <= 0", 0.67),
)
"""Rules of the flights table, each with the share of complete rows that satisfy it."""


def flights(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw flights of fictitious carriers from three airports over half a year.

    Most flights leave a few minutes early; delays have a heavy tail and grow over the day and with bad weather.

    What is computed from what:

    - ``cancelled or departure == scheduled + minutes(delay)``
    - ``scheduled_hhmm`` is 100 times the hour of ``scheduled`` plus its minute, ``departure_hhmm`` so of ``departure``
    - ``not cancelled or departure is null and delay is null and departure_hhmm is null and air_time is null``, and no
      nulls in flights that were not cancelled
    - ``fixed_combinations(carrier, carrier_name)``, ``fixed_combinations(origin, destination, distance)``

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``scheduled`` (whole minutes, most of them multiples of 5), ``scheduled_hhmm``, ``departure``,
        ``departure_hhmm``, ``delay`` (minutes), ``carrier``, ``carrier_name``, ``origin``, ``destination``,
        ``distance`` (miles), ``air_time`` (minutes) and ``cancelled``.

    Examples
    --------
    >>> rows = flights(1_000)
    >>> bool((rows["departure"].isna() == rows["cancelled"]).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    codes, names, weights, lateness = (list(part) for part in zip(*CARRIERS, strict=True))
    carrier = pick(rng, weights, n)
    origin, destination, distance = _routes(rng, n)
    day, hour = rng.integers(N_DAYS, size=n), pick(rng, HOURLY, n)
    minute = np.where(rng.random(n) < 0.8, 5 * rng.integers(12, size=n), rng.integers(60, size=n))
    scheduled = seconds_after(FIRST_DAY, 60 * (1_440 * day + 60 * hour + minute))
    winter = np.cos(2 * np.pi * day / 365.25)
    delay = _delays(rng, np.array(lateness)[carrier] + 0.25 * winter, hour)
    cancelled = rng.random(n) < logistic(-4.1 + 0.9 * winter + 0.04 * (hour - 12) + np.array(lateness)[carrier])
    departure = scheduled + (60 * delay).astype("timedelta64[s]")
    west = np.array([place[0] for place in AIRPORTS.values()])[destination] < -1_000
    air_time = np.rint(18 + distance / 8.1 + 9 * west + (4 + distance / 250) * rng.standard_normal(n))
    return pd.DataFrame(
        {
            "scheduled": scheduled,
            "scheduled_hhmm": hhmm(scheduled),
            "departure": without(departure, null=cancelled),
            "departure_hhmm": nullable(hhmm(departure), null=cancelled),
            "delay": nullable(delay, null=cancelled),
            "carrier": text(codes, carrier),
            "carrier_name": text(names, carrier),
            "origin": text(list(AIRPORTS), origin),
            "destination": text(list(AIRPORTS), destination),
            "distance": distance,
            "air_time": nullable(np.maximum(air_time, 20), null=cancelled),
            "cancelled": cancelled,
        }
    )


def hhmm(times: Dates) -> LongInts:
    """Time of day as a number: 100 times the hour plus the minute.

    >>> hhmm(np.array(["2024-01-01T17:05", "2024-01-02T00:30"], dtype="datetime64[us]"))
    array([1705,   30])
    """
    minutes = times.astype("datetime64[m]").astype(np.int64) % 1_440
    return np.asarray(100 * (minutes // 60) + minutes % 60)


def _routes(rng: np.random.Generator, n: int) -> tuple[LongInts, LongInts, LongInts]:
    """Airports and the miles between them, a function of both."""
    places = np.array(list(AIRPORTS.values()))
    apart = np.rint(np.linalg.norm(places[:, None] - places[None], axis=2)).astype(np.int64)
    origin = pick(rng, [36, 34, 30], n)
    longer = np.exp(np.outer([0.0, 0.4, -1.0], apart[:ORIGINS].mean(axis=0) / 1_000))
    destination = pick(rng, (ROUTE_WEIGHTS * longer)[origin], n)
    return origin, destination, apart[origin, destination]


def _delays(rng: np.random.Generator, lateness: Floats, hour: LongInts) -> LongInts:
    """Minutes: a few too early for flights on time, a heavy tail for late ones."""
    n = len(hour)
    late = rng.random(n) < logistic(-1.35 + 0.09 * (hour - 10) + lateness)
    punctual = np.rint(-3.5 + 2.6 * rng.standard_normal(n))
    tail = np.ceil(np.exp(2.6 + 0.3 * lateness + 0.03 * (hour - 12) + 1.15 * rng.standard_normal(n)))
    return np.where(late, np.minimum(tail, 1_200), np.clip(punctual, -20, 10)).astype(np.int64)
