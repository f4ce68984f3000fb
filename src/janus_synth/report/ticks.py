"""The two ends of an axis in; a few round numbers or calendar dates with their places out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

N_TICKS, N_DATES, N_YEARS = 5, 3, 6
"""Labels of an axis: numbers, dates of ten characters, years of four."""
DAY = 86_400_000_000
"""Microseconds, in which times are counted."""
CLOCK = tuple(
    1_000_000 * n for n in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200)
)
DAYS = tuple(DAY * n for n in (1, 2, 7, 14))
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 6_000, 12_000)
YEAR_0 = 12 * 1970
"""Months before 1970, from which NumPy counts."""
SUFFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class Tick(NamedTuple):
    """A label of an axis; ``place`` is 0 at its lower end and 1 at its upper end."""

    place: float
    text: str


def number_ticks(low: float, high: float, most: int = N_TICKS) -> tuple[Tick, ...]:
    """Multiples of 1, 2 or 5 times a power of ten; about ``most`` of them.

    Examples
    --------
    >>> [tick.text for tick in number_ticks(-3.0, 13.0)]
    ['0', '5', '10']
    >>> [tick.text for tick in number_ticks(20_000.0, 121_000.0, 3)]
    ['50k', '100k']
    """
    step = _round_step(high / most - low / most)
    places = [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1)]
    size, suffix = _unit(max(map(abs, places), default=0.0))
    return tuple(Tick(_place(place, low, high), _text(place / size, suffix)) for place in places)


def moment_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Full years, months, days or hours between two times in microseconds since 1970.

    Examples
    --------
    >>> [tick.text for tick in moment_ticks(0.0, 3.2e14)]
    ['1970', '1972', '1974', '1976', '1978', '1980']
    """
    step = next(
        (step for step in (*CLOCK, *DAYS) if (high - low) / step <= (N_DATES if step >= DAY else N_TICKS)), None
    )
    if step is not None:
        found = [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return tuple(Tick(_place(place, low, high), _moment_text(place, step)) for place in found)
    first, last = (
        int(np.datetime64(int(value), "us").astype("M8[M]").astype(np.int64)) + YEAR_0 for value in (low, high)
    )
    months = next(
        (step for step in MONTHS if (last - first) / step <= (N_YEARS if step % 12 == 0 else N_DATES)), MONTHS[-1]
    )
    starts = np.arange(-(-first // months), last // months + 1) * months
    moments = (starts - YEAR_0).astype("M8[M]")
    found = moments.astype("M8[us]").astype(np.int64).tolist()
    texts = moments.astype("M8[Y]" if months % 12 == 0 else "M8[M]").astype(str).tolist()
    return tuple(Tick(_place(place, low, high), text) for place, text in zip(found, texts, strict=True) if low <= place)


def _place(value: float, low: float, high: float) -> float:
    return (value / 2 - low / 2) / (high / 2 - low / 2)  # halves: the range itself may overflow


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= least * (1 - 1e-9))


def _unit(largest: float) -> tuple[float, str]:
    """Thousands, millions and so on, where the largest label has at least five digits."""
    return next(((size, suffix) for size, suffix in SUFFIXES if 1e16 > largest >= 10 * size), (1.0, ""))


def _text(value: float, suffix: str) -> str:
    return f"{value:.10g}{suffix if value else ''}".replace("-", "−")


def _moment_text(place: int, step: int) -> str:
    moment = np.datetime64(place, "us")
    if step >= DAY:
        return str(moment.astype("M8[D]"))
    return str(moment.astype("M8[s]"))[11 : 16 if step >= 60_000_000 else 19]
