"""A learnt column and its array in; alerts about its values out: keys, codes, labels, missing codes, rare levels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.alerts.scales import order_of_labels
from janus_synth.arrays import Array, Floats, LongInts
from janus_synth.identities import MANY_RARE, holds_codes, least_rows
from janus_synth.table import Column
from janus_synth.table.detect import KEY_NAME

CODES = re.compile(
    r"(?:^|[_\s.-])(?:zip|zipcode|zip_?code|postal|postal_?code|post_?code|plz|fips|area_?code|country_?code|sic|naics|icd)$"
)
"""Names of columns whose numbers are codes."""
TIMES = re.compile(r"time|date|stamp|epoch|created|updated|_at$|^ts$|_ts$")
"""Names of columns that may hold seconds since 1970."""
SENTINELS = (-1, -9, -99, -999, -9999, 99, 999, 9999, 99999, 999999)
EPOCHS = np.array([1e8, 4e9])
"""Seconds since 1970 from 1973 to 2096, in a column whose name speaks of time."""
LATE_EPOCHS = np.array([9.4e8, 2e9])
"""Seconds since 1970 from 1999 to 2033, in any column; in other units in columns of integers."""
SERIALS = (20_000, 80_000)
"""Days since 1900 from 1954 to 2119, in a column whose name speaks of dates."""
MANY_CLOCKS = 100
"""Distinct integers whose last two digits are all below 60 are times of day: by chance, 0.6 to this power."""
_DIGITS = {6: ("%y%m%d", "%d%m%y", "%m%d%y"), 8: ("%Y%m%d", "%d%m%Y", "%m%d%Y")}
"""Formats of dates by their number of digits."""
FIRST_YEAR, MOST_PARSED = 1900, 1000
_UNITS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
NEARLY = 0.9
MANY_LEVELS = 200
MIN_ROWS = 20
ZERO_STEPS = 5
KEY_DIGITS = 5
"""Distinct integers with this many digits, the same number in every row, look like keys."""


def value_alerts(column: Column, cells: Array) -> Iterator[Alert]:
    """Alerts about one learnt column; ``cells`` are those that are not missing."""
    if not len(cells):
        effect, remedy = "generated rows have nulls there as well", "drop the column, or check how it was exported"
        yield make_alert(column.name, "constant", "all cells are empty", effect, remedy=remedy)
    if len(cells) < 2:
        return
    distinct, counts = np.unique(cells, return_counts=True)
    checks: Sequence[Callable[[Column, Array, Array], Iterator[Alert]]]
    if len(distinct) == 1:
        checks = (_constant,)
    elif column.kind == "categorical":
        checks = (_many_levels, _spellings, _labels, _rare_levels)
    elif column.kind == "datetime":
        checks = (_missing_dates,)
    else:
        checks = (_dates, _digits_of_dates, _codes, _missing_codes) if column.kind == "numeric" else ()
    for find in checks:
        yield from find(column, distinct, counts)


def _constant(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    message, effect = "all cells have the same value", "every generated row has it too"
    remedy = "drop the column, or check how it was exported"
    if column.nullable:
        message, effect = "all cells but nulls have the same value", "only whether it is there is learnt"
        remedy = "if null means no, write a word for it, such as df.fillna('no')"
    yield make_alert(column.name, "constant", message, effect, remedy=remedy)


def _many_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    n_rows, n_levels = int(counts.sum()), len(distinct)
    if _is_grouped(column, counts):
        message = f"{n_levels:,} codes in {n_rows:,} rows"
        effect = "codes of few rows are learnt as groups with the same start, and the rest of them is made up"
        remedy = "if it is no secret, keep_rare=True; or a column with the start of the code alone"
        yield make_alert(column.name, "many-levels", message, effect, remedy=remedy)
    elif n_rows >= MIN_ROWS and n_levels > NEARLY * n_rows:
        message = f"{n_levels:,} different texts in {n_rows:,} rows"
        effect = "little of it is learnt, and texts of very few rows are merged into others or reappear"
        yield make_alert(column.name, "nearly-unique", message, effect, changes={"kind": "identifier"})
    elif n_levels > MANY_LEVELS:
        message = f"{n_levels:,} levels in {n_rows:,} rows"
        effect = "rare levels share one code, so how they depend on other columns is not learnt"
        remedy = f'group rare levels; or schema={{"{column.name}": {{"kind": "personal"}}}} makes all of them up'
        yield make_alert(column.name, "many-levels", message, effect, remedy=remedy)


def _spellings(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Levels such as Red, red and RED."""
    groups: dict[str, list[str]] = {}
    for place in distinct.tolist():
        level = column.levels[int(place)]
        if isinstance(level, str):
            groups.setdefault(" ".join(level.casefold().split()), []).append(level)
    same = [group for group in groups.values() if len(group) > 1]
    if same:
        shown = ", ".join(map(repr, same[0][:3]))
        message = f"levels differ in capitals or spaces only, such as {shown}"
        remedy = f"df[{column.name!r}] = df[{column.name!r}].str.strip().str.lower()"
        effect = "they are learnt as different levels"
        yield make_alert(column.name, "spellings", message, effect, remedy=remedy, quoted=[shown])


def _dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
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
    is_day = named and SERIALS[0] <= low and high <= SERIALS[1]
    return "D" if is_day and re.search(r"dat|day|fecha|dia", name.lower()) else None


def _digits_of_dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Integers whose digits are those of dates or times: 231101, 20231101, 1645."""
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
    if len(numbers) < MIN_ROWS or len(str(low)) != n_digits:
        return None
    return next((form for form in _DIGITS.get(n_digits, ()) if _are_dates(numbers, form)), None)


def _are_dates(numbers: LongInts, form: str) -> bool:
    """Whether the digits of every number are a date in this format."""
    from datetime import datetime

    try:
        years = [datetime.strptime(str(number), form).year for number in numbers[:MOST_PARSED].tolist()]
    except ValueError:
        return False
    return min(years) >= FIRST_YEAR


def _missing_dates(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """A first or last date that occurs often and lies far from all others, such as 1900-01-01 and 9999-12-31."""
    from janus_synth.table import shown_value
    from janus_synth.table.texts import format_values

    if len(distinct) < MIN_ROWS:
        return
    for place, rest in ((0, distinct[1:]), (-1, distinct[:-1])):
        gap, width = abs(float(distinct[place]) - float(rest[place])), float(rest[-1] - rest[0])
        n_rows, n_all = int(counts[place]), int(counts.sum())
        if gap > 0.5 * width and n_rows >= max(least_rows(n_all), 0.005 * n_all):
            moments, form = distinct[[place]], column.format
            shown = format_values(moments, "datetime", form)[0] if form else str(shown_value(column, moments[0]))
            message = f"{shown} in {n_rows:,} rows lies far from all other dates and may mean missing"
            changes = {"missing": [shown]}
            yield make_alert(column.name, "missing-code", message, "it is learnt as a real date", changes=changes)


def _is_grouped(column: Column, counts: Array) -> bool:
    """Whether a column holds codes, so many of them rare that they are learnt as groups."""
    n_rows = int(counts.sum())
    if n_rows < MIN_ROWS or counts[counts < least_rows(n_rows)].sum() <= MANY_RARE * n_rows:
        return False
    texts = [level for level in column.levels if isinstance(level, str)]
    return len(texts) == len(column.levels) and column.generalised is not False and holds_codes(column.name, texts)


def _labels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    levels = [str(level) for level in column.levels]
    order = None if column.ordered else order_of_labels(levels)
    if order is not None:
        shown = " < ".join(order[:6]) + (" < …" if len(order) > 6 else "")
        message, effect = (
            f"labels look ordered: {shown}",
            "their order is not used, and rules such as < are not possible",
        )
        rare = counts.min() < least_rows(int(counts.sum()))
        quoted = (shown, "<".join(order), json.dumps(order, ensure_ascii=False)[1:-1]) if rare else ()
        changes = {"ordered": True, "levels": order}
        yield make_alert(column.name, "unordered-labels", message, effect, changes=changes, quoted=quoted)


def _rare_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    once, n_rows = int((counts == 1).sum()), int(counts.sum())
    if n_rows >= MIN_ROWS and once > 0 and len(distinct) <= NEARLY * n_rows:
        if _is_grouped(column, counts):
            return
        noun = "1 level occurs" if once == 1 else f"{once:,} levels occur"
        effect = "it could point to a real row, so such rows take a more frequent level of a similar row"
        remedy = "keep_rare=True if it is no secret; or list all levels in the schema"
        yield make_alert(column.name, "rare-levels", f"{noun} in a single row", effect, remedy=remedy)


def _codes(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Integers that are codes or keys by their name or shape."""
    if not re.search(r"int", column.dtype, re.IGNORECASE):
        return
    n_rows, name = int(counts.sum()), column.name
    if unit_of_dates(name, column.dtype, distinct) is not None or form_of_digits(distinct) is not None:
        return
    effect = "values between the real ones are generated"
    if CODES.search(name.lower()):
        yield make_alert(
            name, "code", "postal or other codes are read as numbers", effect, changes={"kind": "categorical"}
        )
    elif (KEY_NAME.search(name) or KEY_NAME.search(name.lower())) and len(distinct) > MIN_ROWS:
        message = f"looks like a key, with {len(distinct):,} values in {n_rows:,} rows"
        yield make_alert(name, "key", message, effect, changes={"kind": "categorical"})
    elif len(distinct) == n_rows >= 5 * MIN_ROWS and _same_digits(distinct) and not TIMES.search(name.lower()):
        message = f"{n_rows:,} distinct integers with the same number of digits look like a key"
        yield make_alert(name, "key", message, effect, changes={"kind": "identifier"})


def _same_digits(distinct: Array) -> bool:
    low, high = float(distinct[0]), float(distinct[-1])
    return low > 0 and len(f"{low:.0f}") == len(f"{high:.0f}") >= KEY_DIGITS


def _missing_codes(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Values such as 999 that occur often and lie far from all others."""
    found = [code for code in SENTINELS if _is_sentinel(code, distinct, counts)]
    found += [0] if _is_sentinel_zero(distinct, counts) else []
    for code in found:
        n_rows = int(counts[distinct == code][0])
        message = f"{code} in {n_rows:,} rows lies far from all other values and may mean missing"
        effect = "it is learnt as a real value"
        yield make_alert(column.name, "missing-code", message, effect, changes={"missing": [str(code)]})


def _is_sentinel(code: int, distinct: Floats, counts: Array) -> bool:
    at = distinct == code
    rest = distinct[~at]
    if not at.any() or len(rest) < 5 or counts[at][0] < max(3, 0.005 * counts.sum()):
        return False
    low, high = float(rest[0]), float(rest[-1])
    if code < 0:
        return low >= 0 and (code < -1 or low > 0 or high > 20)
    return code > high + 0.5 * (high - low)


def _is_sentinel_zero(distinct: Floats, counts: Array) -> bool:
    """Whether zeros stand apart: other values begin above a fifth of their median and several steps from zero."""
    if distinct[0] != 0 or len(distinct) < MIN_ROWS or not 0.005 <= counts[0] / counts.sum() <= 0.5:
        return False
    rest: Any = np.repeat(distinct[1:], counts[1:])
    step = np.diff(distinct[1:]).min()
    return bool(rest[0] > max(0.2 * np.median(rest), ZERO_STEPS * step)) and counts[0] >= 3
