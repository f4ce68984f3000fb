"""A number of rows in, a pandas table of sold houses out, drawn from a known structural model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.datasets.columns import Rule, days_after, generator, pick, text, to_lattice

if TYPE_CHECKING:
    import pandas as pd

FIRST_SALE = np.datetime64("2023-05-01")
N_SALE_DAYS = 730
PLACES = (  # zip, city, share, log of the price per square foot beside the mean
    ("98101", "Seaport", 9, 0.45),
    ("98102", "Seaport", 11, 0.30),
    ("98103", "Seaport", 12, 0.15),
    ("98104", "Seaport", 8, 0.05),
    ("98105", "Seaport", 6, -0.10),
    ("98004", "Bellmont", 6, 0.60),
    ("98005", "Bellmont", 5, 0.40),
    ("98006", "Bellmont", 4, 0.30),
    ("98030", "Kentwood", 7, -0.35),
    ("98031", "Kentwood", 6, -0.40),
    ("98055", "Renfield", 6, -0.25),
    ("98056", "Renfield", 5, -0.20),
    ("98033", "Kirkby", 4, 0.25),
    ("98034", "Kirkby", 4, 0.10),
    ("98065", "Snowfall", 3, -0.05),
    ("98014", "Carrick", 1.5, -0.15),
    ("98024", "Fallow", 1, -0.20),
    ("98039", "Medway", 0.5, 1.10),
)
LIVED_IN = 2025  # year of the last sale

HOUSES_RULES: tuple[Rule, ...] = (
    Rule("above + basement == living", 1.0),
    Rule("fixed_combinations(zip, city)", 1.0),
    Rule("renovated == 0 or renovated >= year_built", 1.0),
    Rule("basement == 0", 0.60),
    Rule("renovated == 0", 0.94),
)
"""Rules of the houses table, each with the share of rows that satisfy it."""


def houses(n: int = 10_000, *, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw sold houses of a fictitious county.

    Lots and prices have heavy tails; prices are round numbers, rounder when they are asked than when they are
    haggled over. Most houses have no basement and were never renovated.

    What is computed from what:

    - ``above + basement == living``, with ``basement == 0`` in 60 % of the rows
    - ``fixed_combinations(zip, city)``
    - ``renovated == 0 or renovated >= year_built``, with ``renovated == 0`` in 94 % of the rows

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``sale_date``, ``zip`` (text), ``city``, ``year_built``, ``renovated`` (a year, or 0), ``above``,
        ``basement`` and ``living`` (square feet, multiples of 10), ``lot`` (square feet), ``bedrooms``,
        ``bathrooms`` (steps of 0.25), ``floors`` (steps of 0.5) and ``price``.

    Examples
    --------
    >>> rows = houses(1_000)
    >>> bool((rows["above"] + rows["basement"] == rows["living"]).all())
    True
    """
    import pandas as pd

    rng = generator(n, random_state)
    zips, cities, weights, premiums = (list(part) for part in zip(*PLACES, strict=True))
    place = pick(rng, weights, n)
    built = 1900 + np.floor(125 * rng.beta(2.2, 1.3, n)).astype(np.int64)
    floors = np.choose(pick(rng, _floor_weights(built), n), [1.0, 1.5, 2.0, 3.0])
    above, basement = _areas(rng, built, floors)
    living = above + basement
    bedrooms = np.clip(np.rint(0.6 + 1.25 * np.sqrt(living / 500) + 0.6 * rng.standard_normal(n)), 1, 9)
    bathrooms = (
        np.clip(np.rint(4 * (0.35 + 0.45 * bedrooms + living / 3_500 + 0.4 * rng.standard_normal(n))), 3, 32) / 4
    )
    lot = _lots(rng, above / floors, np.array(premiums)[place])
    renovated = _renovations(rng, built)
    day = _sale_days(rng, n)
    value = 6.45 + np.array(premiums)[place] + 0.85 * np.log(living) + 0.03 * np.log(lot / 7_000) + 0.06 * bathrooms
    value += 0.12 * (renovated > 0) + 0.05 * day / 365 + 0.17 * rng.standard_normal(n)
    return pd.DataFrame(
        {
            "sale_date": days_after(FIRST_SALE, day),
            "zip": text(zips, place),
            "city": text(cities, place),
            "year_built": built,
            "renovated": renovated,
            "above": above,
            "basement": basement,
            "living": living,
            "lot": lot,
            "bedrooms": bedrooms.astype(np.int64),
            "bathrooms": bathrooms,
            "floors": floors,
            "price": _round_prices(rng, np.exp(value)),
        }
    )


def _floor_weights(built: LongInts) -> Floats:
    """Two floors became common after 1975."""
    late = np.where(built > 1975, 1.0, 0.0)
    return np.stack([6 - 3.5 * late, 1.4 - 1.2 * late, 1.6 + 4.5 * late, 0.05 + 0.5 * late], axis=1)


def _areas(rng: np.random.Generator, built: LongInts, floors: Floats) -> tuple[LongInts, LongInts]:
    """Areas above and below ground; houses of one floor have a basement more often."""
    n = len(built)
    log_area = 7.05 + 0.28 * (floors - 1) + 0.0025 * (built - 1960) + 0.3 * rng.standard_normal(n)
    above = np.maximum(to_lattice(np.exp(log_area), 10), 370)
    has_basement = rng.random(n) < np.where(floors < 2, 0.56, 0.23)
    part = np.clip(0.5 + 0.22 * rng.standard_normal(n), 0.05, 1.0)
    return above, np.where(has_basement, np.maximum(to_lattice(part * above, 10), 50), 0)


def _lots(rng: np.random.Generator, ground: Floats, premium: Floats) -> LongInts:
    """Square feet, larger where land is cheap; one in twenty is farmland."""
    farm = np.where(rng.random(len(ground)) < 0.05, 1.8, 0.0)
    spread = 0.42 + 0.25 * farm
    log_lot = 8.85 - 0.35 * premium + 0.25 * np.log(ground / 1_200) + farm + spread * rng.standard_normal(len(ground))
    return np.rint(np.maximum(np.exp(log_lot), 1.1 * ground)).astype(np.int64)


def _renovations(rng: np.random.Generator, built: LongInts) -> LongInts:
    """Year of the renovation, late in a house's life, or 0."""
    age = LIVED_IN - built
    year = LIVED_IN - 1 - np.floor(age * rng.beta(1.0, 3.0, len(built))).astype(np.int64)
    renovates = rng.random(len(built)) < np.clip((age - 15) / 570, 0, 0.15)
    return np.where(renovates, np.maximum(year, built), 0)


def _sale_days(rng: np.random.Generator, n: int) -> LongInts:
    """Days after the first: more in spring and summer, hardly any at weekends."""
    day = np.arange(N_SALE_DAYS)
    monday = (FIRST_SALE.astype("datetime64[D]").astype(np.int64) + 3 + day) % 7
    weights = np.where(monday < 5, 1.0, 0.02) * (1 + 0.45 * np.cos(2 * np.pi * (day - 30) / 365.25))
    return np.asarray(np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(n)), dtype=np.int64)


def _round_prices(rng: np.random.Generator, value: Floats) -> LongInts:
    """Multiples of 50,000, of 5,000, of 1,000, or 50 below a multiple of 1,000."""
    kind = pick(rng, [0.2, 0.4, 0.25, 0.15], len(value))
    steps = [to_lattice(value, step) for step in (50_000, 5_000, 1_000)]
    return np.asarray(np.maximum(np.choose(kind, [*steps, steps[2] - 50]), 50_000))
