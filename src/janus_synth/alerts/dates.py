"""Distinct numbers of a column in; alerts about those that are dates or times out: counted, or written as digits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.arrays import Array, Floats, LongInts
from janus_synth.table import Column

MIN_ROWS = 20
TIMES = re.compile(r"time|date|stamp|epoch|created|updated|_at$|^ts$|_ts$")
"""Names of columns that may hold seconds since 1970."""
EPOCHS = np.array([1e8, 4e9])
"""Seconds since 1970 from 1973 to 2096, in a column whose name speaks of time."""
LATE_EPOCHS = np.array([9.4e8, 2e9])
"""Seconds since 1970 from 1999 to 2033, in any column; in other units in columns of integers."""
SERIALS = (20_000, 80_000)
"""Days since 1900 from 1954 to 2119, in a column whose name speaks of dates."""
LATE_SERIALS = (32_874, 51_500)
"""Days since 1900 from 1990 to 2040, in any column."""
MOST_DAYS, MOST_ROUND = 11_000, 0.25
"""Days of any column span at most 30 years, and so many at most are multiples of ten, unlike pay and prices."""
_MEASURES = re.compile(
    r"price|cost|amount|salary|income|wage|pay|revenue|sales|fee|total|balance|rent|budget|spend|value|mile|km|meter|weight|"
    r"count|number|population|size|area|score|zip|post|plz|code|preis|betrag|gehalt|umsatz|prix|montant|precio|importe"
)
"""Names of columns that say what their numbers measure, and that it is no time."""
MINUTE, NEARLY = 0.02, 0.95
"""Fractions of days are times of day if nearly all are whole minutes, up to this rounding."""
MANY_CLOCKS = 100
"""Distinct integers whose last two digits are all below 60 are times of day: by chance, 0.6 to this power."""
_DIGITS = {6: ("%y%m%d", "%d%m%y", "%m%d%y"), 8: ("%Y%m%d", "%d%m%Y", "%m%d%Y")}
"""Formats of dates by their number of digits."""
OTHER_YEARS = (1300, 1499)
MICROSECONDS_OF_A_YEAR = 365.2425 * 86_400e6
CONVERT = "convert them to the Gregorian calendar first, with a package such as jdatetime or hijridate"
"""What to do about dates of another calendar."""
FIRST_YEAR, MOST_PARSED = 1900, 1000
_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def counted_dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Numbers that count seconds since 1970, or days as spreadsheets do."""
    plain = set(column.format or "") <= set("0#.,[]")
    unit = unit_of_dates(column.name, column.dtype, distinct) if plain else None
    if unit is None:
        return
    origin = ", origin='1899-12-30'" if unit == "D" else ""
    what = "days since 1900, as spreadsheets count them" if unit == "D" else f"{_UNITS[unit]} since 1970"
    effect = "learnt as plain numbers, without weekdays and times of day"
    remedy = f"df[{column.name!r}] = pd.to_datetime(df[{column.name!r}], unit={unit!r}{origin})"
    yield make_alert(column.name, "date-number", f"numbers that look like {what}", effect, remedy=remedy)


def unit_of_dates(name: str, dtype: str, distinct: Floats) -> str | None:
    """Unit in which sorted numbers count time, as pandas calls it; None if they do not look like dates.

    Examples
    --------
    >>> stamps = 1_600_000_000.0 + 86_400 * np.arange(20)
    >>> unit_of_dates("created", "int64", stamps), unit_of_dates("price", "int64", stamps / 1e6)
    ('s', None)
    """
    low, high, named = float(distinct[0]), float(distinct[-1]), bool(TIMES.search(name.lower()))
    if len(distinct) < MIN_ROWS:
        return None
    whole = "int" in dtype.lower()
    if not whole and (EPOCHS if named else LATE_EPOCHS)[0] <= low and high <= LATE_EPOCHS[1]:
        return "s"  # with fractions of seconds
    for unit, size in (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        start, stop = (EPOCHS if named else LATE_EPOCHS) * size
        if whole and start <= low and high <= stop:
            return unit
    if named and SERIALS[0] <= low and high <= SERIALS[1] and re.search(r"dat|day|fecha|dia", name.lower()):
        return "D"
    return "D" if not _MEASURES.search(name.lower()) and _are_serials(distinct, whole) else None


def _are_serials(distinct: Floats, whole: bool) -> bool:
    """Whether numbers count days since 1900, with the time as a fraction; sums of money are rounder or wider apart."""
    low, high = float(distinct[0]), float(distinct[-1])
    if low < LATE_SERIALS[0] or high > LATE_SERIALS[1] or not 1 < high - low <= MOST_DAYS:
        return False
    if not whole:
        minutes = distinct * 1440.0
        return bool((np.abs(minutes - np.rint(minutes)) < MINUTE).mean() > NEARLY) and bool((distinct % 1).any())
    return len(distinct) >= 2 * MIN_ROWS and float((distinct % 10 == 0).mean()) <= MOST_ROUND


def other_calendar(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Dates of the years 1300 to 1499, which are those of the Persian and of the Islamic calendar."""
    years = (np.asarray([distinct[0], distinct[-1]]) / MICROSECONDS_OF_A_YEAR + 1970).astype(int)
    if len(distinct) < MIN_ROWS or years[0] < OTHER_YEARS[0] or years[1] > OTHER_YEARS[1]:
        return
    message = f"dates of the years {years[0]} to {years[1]} look like those of the Persian or Islamic calendar"
    effect = "learnt as Gregorian dates, with other weekdays and lengths of months"
    yield make_alert(
        column.name, "ambiguous-date", message, effect, remedy=CONVERT, quoted=[f"{years[0]} to {years[1]}"]
    )


def digits_of_dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Integers whose digits are those of dates or times: 231101, 20231101, 1645; and times such as 16.45."""
    if column.format == "0.00" and _are_clocks(distinct):
        message, effect = (
            "numbers that look like hours and minutes",
            "learnt as plain numbers, so that minutes above 59 appear",
        )
        changes = {"kind": "numeric", "format": "%H.%M"}
        yield make_alert(column.name, "date-number", message, effect, changes=changes)
    if column.format is not None or not re.search(r"int", column.dtype, re.IGNORECASE):
        return
    form, name = form_of_digits(distinct), column.name
    if form is None:
        return
    what, example, wrong = "dates", form.replace("%", ""), "months and days"
    remedy = f"df[{name!r}] = pd.to_datetime(df[{name!r}].astype(str), format={form!r})"
    if form == "%H%M":
        what, example, wrong = "times of day", "hhmm", "minutes"
        remedy = f"df[{name!r}] = df[{name!r}] // 100 * 60 + df[{name!r}] % 100  # minutes since midnight"
    if form == "%H%M%S":
        what, example, wrong = "times of day", "hhmmss", "minutes and seconds"
        parts = f"df[{name!r}] // 10000 * 3600 + df[{name!r}] // 100 % 100 * 60 + df[{name!r}] % 100"
        remedy = f"df[{name!r}] = {parts}  # seconds since midnight"
    effect = f"learnt as plain numbers, so that {wrong} that do not exist are generated"
    message = f"numbers that look like {what} ({example})"
    yield make_alert(name, "date-number", message, effect, remedy=remedy)


def form_of_digits(distinct: Floats) -> str | None:
    """Format in which the digits of all sorted integers are dates, or times of day; None if there is none.

    Examples
    --------
    >>> years, clocks = np.arange(2000, 2024), np.add.outer(100 * np.arange(6, 24), np.arange(0, 60, 5)).ravel()
    >>> form_of_digits(years * 10_000 + 1231), form_of_digits(clocks), form_of_digits(years)
    ('%Y%m%d', '%H%M', None)
    """
    low, high = int(distinct[0]), int(distinct[-1])
    if low < 0 or len(str(high)) > max(_DIGITS):
        return None
    numbers = np.asarray(distinct, np.int64)
    n_digits = len(str(high))
    if len(numbers) >= MANY_CLOCKS and 1000 <= high <= 2400 and (numbers % 100 < 60).all():
        return "%H%M"
    if len(numbers) >= MANY_CLOCKS and n_digits == 6 and _have_format([f"{n:06d}" for n in numbers], "%H%M%S"):
        return "%H%M%S"
    if len(numbers) < MIN_ROWS or len(str(low)) != n_digits:
        return None
    return next((form for form in _DIGITS.get(n_digits, ()) if _are_dates(numbers, form)), None)


def form_of_digit_texts(texts: Sequence[str]) -> str | None:
    """Format of dates, or of times with seconds, that texts of six digits are, zeros in front included; or None.

    >>> form_of_digit_texts([f"0829{year}" for year in range(10, 40)]), form_of_digit_texts(["082919"])
    ('%m%d%y', None)
    """
    if len(texts) < MIN_ROWS or not all(re.fullmatch(r"\d{6}", text) for text in texts):
        return None
    return next((form for form in (*_DIGITS[6], "%H%M%S") if _have_format(texts, form)), None)


def _have_format(texts: Sequence[str], form: str) -> bool:
    from datetime import datetime

    try:
        return all(datetime.strptime(text, form) for text in texts[:MOST_PARSED])
    except ValueError:
        return False


def _are_clocks(distinct: Floats) -> bool:
    """Whether numbers with two decimals are hours and minutes: those are all below 60."""
    hours, minutes = np.divmod(np.rint(distinct * 100), 100)
    return len(distinct) >= MANY_CLOCKS and bool((minutes < 60).all() and hours[0] >= 0 and 11 < hours[-1] < 24)


def _are_dates(numbers: LongInts, form: str) -> bool:
    """Whether the digits of every number are a date in this format."""
    from datetime import datetime

    try:
        years = [datetime.strptime(str(number), form).year for number in numbers[:MOST_PARSED].tolist()]
    except ValueError:
        return False
    return min(years) >= FIRST_YEAR
