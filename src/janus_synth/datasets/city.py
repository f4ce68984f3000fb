"""Numbers of rows in, pandas tables of bicycle rentals and taxi trips out, drawn from known structural models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.datasets.columns import (
    Dates,
    Rule,
    amounts,
    days_after,
    generator,
    nullable,
    pick,
    seconds_after,
    text,
)

if TYPE_CHECKING:
    import pandas as pd

# Rentals

OPENED = np.datetime64("2023-01-01")
N_DAYS = 731  # two years, one of them a leap year
SEASONS = ("winter", "spring", "summer", "autumn")
WEATHER = ("clear", "mist", "rain", "storm")
HOLIDAYS = ((1, 1), (5, 1), (10, 3), (12, 25), (12, 26))
"""Month and day of the holidays of every year."""

RENTALS_RULES: tuple[Rule, ...] = (
    Rule("casual + registered == total", 1.0),
    Rule("fixed_combinations(month, season)", 1.0),
    Rule("implies(weekday >= 5, not working_day)", 1.0),
    Rule("casual == 0", 0.145),
)
"""Rules of the rentals table, each with the share of rows that satisfy it."""


def rentals(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw hours of a fictitious bicycle rental, with the numbers of bicycles taken.

    The number of rentals has a heavy tail and depends on hour and working day together (commuters twice a day, others
    in the afternoon), on weather and temperature, and grows over two years. Rows are independent hours.

    What is computed from what:

    - ``casual + registered == total``
    - ``month`` and ``weekday`` (0 is Monday) are functions of ``date``
    - ``fixed_combinations(month, season)``
    - ``working_day`` is true from Monday to Friday except on `HOLIDAYS`: ``implies(weekday >= 5, not working_day)``

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``date`` (midnight), ``hour``, ``weekday``, ``month``, ``season``, ``working_day``, ``weather``,
        ``temperature`` (steps of 0.5), ``casual``, ``registered`` and ``total``.

    Examples
    --------
    >>> rows = rentals(1_000)
    >>> bool((rows["casual"] + rows["registered"] == rows["total"]).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    day, hour = rng.integers(N_DAYS, size=n), rng.integers(24, size=n)
    date = days_after(OPENED, day)
    month, weekday, working = _calendar(date)
    yearly = np.cos(2 * np.pi * (day - 20) / 365.25)  # coldest on January 21
    weather = pick(rng, np.stack([6 - yearly, 2.5 + yearly, 1.2 + 0.4 * yearly, np.full(n, 0.15)], axis=1), n)
    daily = np.cos(2 * np.pi * (hour - 15) / 24)
    chill = np.array([0.0, 1.5, 3.0, 4.0])[weather]
    temperature = np.rint(2 * (12 - 11 * yearly + 4 * daily - chill + 3.5 * rng.standard_normal(n))) / 2
    casual, registered = _riders(rng, hour, working, weather, temperature, day / N_DAYS)
    return pd.DataFrame(
        {
            "date": date,
            "hour": hour,
            "weekday": weekday,
            "month": month,
            "season": text(SEASONS, month % 12 // 3),
            "working_day": working,
            "weather": text(WEATHER, weather),
            "temperature": temperature,
            "casual": casual,
            "registered": registered,
            "total": casual + registered,
        }
    )


def _calendar(date: Dates) -> tuple[LongInts, LongInts, Bools]:
    """Month, weekday and whether it is a working day."""
    month = date.astype("datetime64[M]").astype(np.int64) % 12 + 1
    day = (date.astype("datetime64[D]") - date.astype("datetime64[M]")).astype(np.int64) + 1
    weekday = (date.astype("datetime64[D]").astype(np.int64) + 3) % 7  # day 0 was a Thursday
    holiday = np.isin(100 * month + day, [100 * m + d for m, d in HOLIDAYS])
    return month, weekday, (weekday < 5) & ~holiday


def _riders(
    rng: np.random.Generator, hour: LongInts, working: Bools, weather: LongInts, temperature: Floats, trend: Floats
) -> tuple[LongInts, LongInts]:
    """Casual and registered riders: negative binomial counts."""
    pleasant = -(((temperature - 23) / 15) ** 2)
    afternoon = np.exp(-(((hour - 14.5) / 4.5) ** 2))
    rush = np.exp(-(((hour - 8) / 1.2) ** 2)) + 1.2 * np.exp(-(((hour - 17.5) / 1.8) ** 2))
    awake = np.where((hour >= 6) & (hour <= 23), 1.0, 0.15)
    wet = np.array([0.0, -0.1, -0.7, -1.6])[weather]
    casual_mean = np.where(working, 75, 190) * (0.05 + afternoon) * np.exp(0.4 * trend + pleasant + 1.2 * wet)
    shape = np.where(working, 0.35 + 2.2 * rush + 0.5 * afternoon, 0.35 + 1.3 * afternoon)
    registered_mean = 195 * awake * shape * np.exp(0.5 * trend + 0.4 * pleasant + wet)
    casual = rng.poisson(casual_mean * rng.gamma(3.0, 1 / 3, len(hour)))
    registered = rng.poisson(registered_mean * rng.gamma(6.0, 1 / 6, len(hour)))
    return casual, registered


# Trips

FIRST_RIDE = np.datetime64("2024-03-01T00:00:00")
N_TRIP_DAYS = 61  # March and April
ZONES = (  # name, borough, share of pickups, place in miles
    ("Midtown", "Manhattan", 20, (0.0, 0.0)),
    ("Upper East Side", "Manhattan", 16, (1.2, 1.8)),
    ("Upper West Side", "Manhattan", 12, (-0.8, 2.0)),
    ("Chelsea", "Manhattan", 10, (-0.9, -0.8)),
    ("East Village", "Manhattan", 9, (0.5, -2.0)),
    ("Financial District", "Manhattan", 7, (-0.4, -4.0)),
    ("Harlem", "Manhattan", 4, (0.4, 4.2)),
    ("Williamsburg", "Brooklyn", 4, (2.4, -3.0)),
    ("Park Slope", "Brooklyn", 3, (1.6, -6.6)),
    ("Bushwick", "Brooklyn", 1.5, (4.3, -4.4)),
    ("Astoria", "Queens", 3, (4.0, 1.3)),
    ("Flushing", "Queens", 0.7, (8.6, 1.0)),
    ("Airport East", "Queens", 6, (11.5, -7.5)),
    ("Airport North", "Queens", 5, (6.4, 1.7)),
    ("Riverdale", "Bronx", 0.5, (2.0, 9.5)),
    ("Fordham", "Bronx", 0.7, (3.6, 7.8)),
)
AIRPORT_EAST = 12
PAYMENTS = ("card", "cash")
TOLLS = np.array([0, 655, 1275])  # cents
HOURLY = np.array(
    [4, 3, 2, 1.4, 1, 1.2, 2.5, 4.5, 5.5, 5.5, 5.2, 5.4, 5.8, 5.7, 6, 5.6, 5, 6, 7.2, 7.5, 7, 6.8, 6.6, 5.4]
)
"""Weights of the hours of the day among pickups."""

TRIPS_RULES: tuple[Rule, ...] = (
    Rule("dropoff >= pickup", 1.0),
    Rule("fare + tip + tolls == total", 1.0),
    Rule("fixed_combinations(pickup_zone, pickup_borough)", 1.0),
    Rule("fixed_combinations(dropoff_zone, dropoff_borough)", 1.0),
    Rule("implies(payment == 'cash', tip == 0)", 1.0),
    Rule("tip == 0.2 * fare", 0.31),
    Rule("tip == 0", 0.34),
    Rule("tolls == 0", 0.93),
)
"""Rules of the trips table, each with the share of rows that satisfy it."""


def trips(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw taxi trips of a fictitious city over two months.

    The duration depends on the distance and on the traffic of the hour; the meter follows both. Passenger counts are
    missing in 4 % of the rows.

    What is computed from what:

    - ``dropoff >= pickup``; the time between them depends on ``distance`` and on the hour of ``pickup``
    - ``fare + tip + tolls == total``, in cents
    - ``fixed_combinations(pickup_zone, pickup_borough)``, ``fixed_combinations(dropoff_zone, dropoff_borough)``
    - ``implies(payment == 'cash', tip == 0)``
    - ``tip == 0.2 * fare`` in 31 % of the rows, ``tip == 0`` in 34 %

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``pickup``, ``dropoff`` (whole seconds), ``passengers`` (nullable integer), ``distance`` (miles, steps of
        0.01), ``pickup_zone``, ``pickup_borough``, ``dropoff_zone``, ``dropoff_borough``, ``payment``, ``fare`` (steps
        of 0.50), ``tip``, ``tolls`` and ``total``.

    Examples
    --------
    >>> rows = trips(1_000)
    >>> bool((rows["dropoff"] >= rows["pickup"]).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    names, boroughs, weights, places = (list(part) for part in zip(*ZONES, strict=True))
    hour = pick(rng, HOURLY, n)
    pickup = seconds_after(
        FIRST_RIDE, (24 * rng.integers(N_TRIP_DAYS, size=n) + hour) * 3_600 + rng.integers(3_600, size=n)
    )
    start = pick(rng, weights, n)
    apart = np.linalg.norm(np.array(places)[:, None] - np.array(places)[None], axis=2)
    end = pick(rng, (np.array(weights) * np.exp(-apart / 3))[start], n)
    distance = (
        np.rint(
            100 * (0.35 + 1.25 * apart[start, end] * np.exp(0.12 * rng.standard_normal(n)) + rng.gamma(2.0, 0.25, n))
        )
        / 100
    )
    duration = _durations(rng, distance, hour)
    card = rng.random(n) < 0.72
    fare = _fares(distance, duration, flat=(start == AIRPORT_EAST) & (end < 7))
    tip = _tips(rng, fare, card)
    tolls = TOLLS[np.where(rng.random(n) < np.where(apart[start, end] > 5, 0.45, 0.02), 1 + (rng.random(n) < 0.1), 0)]
    passengers = 1 + pick(rng, [71, 15, 4, 2, 5, 3], n)
    return pd.DataFrame(
        {
            "pickup": pickup,
            "dropoff": pickup + duration.astype("timedelta64[s]"),
            "passengers": nullable(passengers, null=rng.random(n) < 0.04),
            "distance": distance,
            "pickup_zone": text(names, start),
            "pickup_borough": text(boroughs, start),
            "dropoff_zone": text(names, end),
            "dropoff_borough": text(boroughs, end),
            "payment": text(PAYMENTS, (~card).astype(np.int64)),
            "fare": amounts(fare),
            "tip": amounts(tip),
            "tolls": amounts(tolls),
            "total": amounts(fare + tip + tolls),
        }
    )


def _durations(rng: np.random.Generator, distance: Floats, hour: LongInts) -> LongInts:
    """Seconds: slower on short trips and around 8 and 17 o'clock; 0 where the meter was started by mistake."""
    traffic = 0.45 * np.exp(-(((hour - 17) / 3.5) ** 2)) + 0.35 * np.exp(-(((hour - 8.5) / 2) ** 2)) - 0.25 * (hour < 6)
    miles_per_hour = 8.0 * distance**0.35 * np.exp(-traffic + 0.22 * rng.standard_normal(len(hour)))
    seconds = np.rint(3_600 * distance / miles_per_hour)
    return np.where(rng.random(len(hour)) < 0.003, 0, seconds).astype(np.int64)


def _fares(distance: Floats, duration: LongInts, *, flat: Bools) -> LongInts:
    """Cents: 2.50 and 0.50 per fifth of a mile and per two minutes of the trip; 52 on flat-rate trips."""
    clicks = np.floor(distance / 0.2 + duration / 120).astype(np.int64)
    return np.where(flat, 5_200, 250 + 50 * clicks)


def _tips(rng: np.random.Generator, fare: LongInts, card: Bools) -> LongInts:
    """Cents: none in cash; by card exactly 20 % of the fare, whole units, another part of the fare, or none."""
    kind = pick(rng, [0.43, 0.22, 0.27, 0.08], len(fare))
    units = 100 * (1 + rng.poisson(0.4 + fare / 1_000))
    part = np.rint(fare * np.clip(0.18 + 0.07 * rng.standard_normal(len(fare)), 0.02, None)).astype(np.int64)
    return np.where(card, np.choose(kind, [fare // 5, units, part, np.zeros_like(fare)]), 0)
