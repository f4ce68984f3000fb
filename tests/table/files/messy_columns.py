"""Sixty columns as they come in CSV files, of twenty kinds: the texts, what a person reads, and a pattern of the form.

Texts are made here without the library. ``Messy.value`` turns a text into the value that a person would read, so that
generated texts can be checked as well.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

N_ROWS = 300


@dataclass(frozen=True)
class Messy:
    """One column: ``kind`` is what it should be read as, ``alert`` the alert that is enough instead, or needed too."""

    name: str
    family: str
    texts: list[str]
    kind: str
    form: str
    value: Callable[[str], Any] | None = None
    alert: str = ""


def number(text: str, *, group: str = ",", decimal: str = ".") -> float:
    """Read digits, by hand: drop everything else."""
    below = text.strip().startswith(("-", "(")) or "-" in text[:2] or text.endswith("-")
    plain = text.replace(group, "") if group else text
    digits = re.sub(rf"[^0-9{re.escape(decimal)}]", "", plain).strip(decimal).replace(decimal, ".")
    return -float(digits) if below else float(digits)


def point(text: str) -> float:
    return number(text)


def comma(text: str) -> float:
    return number(text, group=".", decimal=",")


def day(form: str) -> Callable[[str], Any]:
    return lambda text: dt.datetime.strptime(text, form)


def messy_columns(seed: int = 0) -> list[Messy]:
    """All columns, of ``N_ROWS`` texts each."""
    rng = np.random.default_rng(seed)
    return [*_dates(rng), *_times(rng), *_money(rng), *_numbers(rng), *_words(rng), *_missing(rng), *_codes(rng)]


def _moments(rng: np.random.Generator, *, seconds: bool = False) -> list[dt.datetime]:
    start, days = dt.datetime(2019, 1, 1), rng.integers(0, 1800, N_ROWS)
    clock = rng.integers(0, 86_400, N_ROWS) if seconds else np.zeros(N_ROWS, int)
    return [start + dt.timedelta(int(d), int(s)) for d, s in zip(days, clock, strict=True)]


def _dates(rng: np.random.Generator) -> list[Messy]:
    numeric = {
        "day_slash": ("%d/%m/%Y", r"\d\d/\d\d/\d{4}"),
        "day_point": ("%d.%m.%Y", r"\d\d\.\d\d\.\d{4}"),
        "day_dash": ("%d-%m-%Y", r"\d\d-\d\d-\d{4}"),
        "month_slash": ("%m/%d/%Y", r"\d\d/\d\d/\d{4}"),
        "month_short": ("%m/%d/%y", r"\d\d/\d\d/\d\d"),
        "day_short": ("%d/%m/%y", r"\d\d/\d\d/\d\d"),
        "iso": ("%Y-%m-%d", r"\d{4}-\d\d-\d\d"),
        "iso_slash": ("%Y/%m/%d", r"\d{4}/\d\d/\d\d"),
        "packed_date": ("%Y%m%d", r"\d{8}"),
        "month_only": ("%Y-%m", r"\d{4}-\d\d"),
    }
    named = {
        "named_day": ("%d %b %Y", r"\d\d [A-Z][a-z]{2} \d{4}"),
        "named_dash": ("%d-%b-%y", r"\d\d-[A-Z][a-z]{2}-\d\d"),
        "named_us": ("%B %d, %Y", r"[A-Z][a-z]+ \d\d, \d{4}"),
        "named_month": ("%b %Y", r"[A-Z][a-z]{2} \d{4}"),
    }
    found = [
        Messy(name, family, [m.strftime(form) for m in _moments(rng)], "datetime", pattern, day(form))
        for family, forms in (("numeric date", numeric), ("named date", named))
        for name, (form, pattern) in forms.items()
    ]
    bare = [f"{m.month}/{m.day}/{m.year}" for m in _moments(rng)]
    found.append(Messy("bare_us", "date without zeros", bare, "datetime", r"[1-9]\d?/[1-9]\d?/\d{4}", day("%m/%d/%Y")))
    bare = [f"{m.day}.{m.month}.{m.year}" for m in _moments(rng)]
    found.append(
        Messy("bare_eu", "date without zeros", bare, "datetime", r"[1-9]\d?\.[1-9]\d?\.\d{4}", day("%d.%m.%Y"))
    )
    capital = [m.strftime("%d-%b-%Y").upper() for m in _moments(rng)]
    found.append(Messy("oracle", "named date", capital, "datetime", r"\d\d-[A-Z]{3}-\d{4}", day("%d-%b-%Y")))
    unclear = [f"{rng.integers(1, 13):02d}/{rng.integers(1, 13):02d}/2023" for _ in range(N_ROWS)]
    found.append(Messy("unclear", "ambiguous date", unclear, "datetime", r"\d\d/\d\d/2023", None, "ambiguous-date"))
    mixed = [m.strftime(str(rng.choice(["%d/%m/%Y", "%Y.%m.%d"]))) for m in _moments(rng)]
    found.append(Messy("mixed_dates", "mixed date", mixed, "datetime", ".*", None, "date-text"))
    german = [f"{m.day}. Mär {m.year}" if m.month == 3 else f"{m.day}. Okt {m.year}" for m in _moments(rng)]
    found.append(Messy("german", "mixed date", german, "datetime", ".*", None, "date-text"))
    return found


def _times(rng: np.random.Generator) -> list[Messy]:
    forms = {
        "stamp": ("%Y-%m-%d %H:%M:%S", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"),
        "stamp_t": ("%Y-%m-%dT%H:%M", r"\d{4}-\d\d-\d\dT\d\d:\d\d"),
        "stamp_utc": ("%Y-%m-%dT%H:%M:%SZ", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        "stamp_zone": ("%Y-%m-%d %H:%M:%S+02:00", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+02:00"),
        "stamp_eu": ("%d.%m.%Y %H:%M", r"\d\d\.\d\d\.\d{4} \d\d:\d\d"),
        "stamp_us": ("%m/%d/%Y %I:%M %p", r"\d\d/\d\d/\d{4} \d\d:\d\d [AP]M"),
    }
    found = [
        Messy(
            name, "timestamp", [m.strftime(form) for m in _moments(rng, seconds=True)], "datetime", pattern, day(form)
        )
        for name, (form, pattern) in forms.items()
    ]
    clocks = {"clock": ("%H:%M", r"\d\d:\d\d"), "clock_12": ("%I:%M %p", r"\d\d:\d\d [AP]M")}
    found += [
        Messy(
            name, "time of day", [m.strftime(form) for m in _moments(rng, seconds=True)], "numeric", pattern, day(form)
        )
        for name, (form, pattern) in clocks.items()
    ]
    return found


def _money(rng: np.random.Generator) -> list[Messy]:
    amounts = rng.gamma(1.5, 3000, N_ROWS) + 1
    signed = rng.normal(100, 400, N_ROWS)
    eu = [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in amounts]
    return [
        Messy("dollar", "money", [f"${x:,.2f}" for x in amounts], "numeric", r"-?\$[\d,]+\.\d\d", point),
        Messy("dollar_whole", "money", [f"${x:,.0f}" for x in amounts], "numeric", r"-?\$[\d,]+", point),
        Messy("pound", "money", [f"£{x:.2f}" for x in amounts], "numeric", r"-?£\d+\.\d\d", point),
        Messy("euro_after", "money", [f"{x} €" for x in eu], "numeric", r"-?[\d.]+,\d\d €", comma),
        Messy("euro_before", "money", [f"€{x:,.2f}" for x in amounts], "numeric", r"-?€[\d,]+\.\d\d", point),
        Messy("yen", "money", [f"¥{x:,.0f}" for x in amounts], "numeric", r"-?¥[\d,]+", point),
        Messy("code_money", "money", [f"USD {x:,.2f}" for x in amounts], "numeric", r"-?USD [\d,]+\.\d\d", point),
        Messy(
            "signed",
            "signed money",
            [f"-${-x:,.2f}" if x < 0 else f"${x:,.2f}" for x in signed],
            "numeric",
            r"-?\$[\d,]+\.\d\d",
            point,
        ),
        Messy(
            "accounting",
            "signed money",
            [f"({-x:,.2f})" if x < 0 else f"{x:,.2f}" for x in signed],
            "numeric",
            r"\(?[\d,]+\.\d\d\)?",
            point,
        ),
        Messy(
            "currencies",
            "mixed money",
            [f"{c}{x:.2f}" for c, x in zip(rng.choice(["$", "€"], N_ROWS), amounts, strict=True)],
            "numeric",
            ".*",
            None,
            "number-text",
        ),
    ]


def _numbers(rng: np.random.Generator) -> list[Messy]:
    large, small = rng.gamma(1.5, 30_000, N_ROWS) + 1000, rng.normal(50, 10, N_ROWS)
    spaces = [f"{x:,.0f}".replace(",", " ") for x in large]
    return [
        Messy("percent", "percentage", [f"{x:.1f}%" for x in small], "numeric", r"-?\d+\.\d%", point),
        Messy("percent_whole", "percentage", [f"{x:.0f} %" for x in small], "numeric", r"-?\d+ %", point),
        Messy("thousands", "thousands", [f"{x * 40:,.0f}" for x in large], "numeric", r"-?[\d,]+", point),
        Messy("thousands_space", "thousands", spaces, "numeric", r"-?[\d ]+", lambda text: number(text, group=" ")),
        Messy(
            "thousands_point",
            "thousands",
            [f"{x * 40:,.0f}".replace(",", ".") for x in large],
            "numeric",
            r"-?[\d.]+",
            comma,
        ),
        Messy(
            "swiss",
            "thousands",
            [f"{x:,.2f}".replace(",", "'") for x in large],
            "numeric",
            r"-?[\d']+\.\d\d",
            lambda text: number(text, group="'"),
        ),
        Messy(
            "decimal_comma",
            "decimal comma",
            [f"{x:.2f}".replace(".", ",") for x in small],
            "numeric",
            r"-?\d+,\d\d",
            comma,
        ),
        Messy("fixed", "fixed decimals", [f"{x:.2f}" for x in small], "numeric", r"-?\d+\.\d\d", point),
        Messy("unit", "unit", [f"{x:.1f} kg" for x in small], "numeric", r"-?\d+\.\d kg", point),
        Messy(
            "months",
            "unit",
            [f"{x} months" for x in rng.choice([12, 24, 36, 60], N_ROWS)],
            "numeric",
            r"\d+ months",
            point,
        ),
        Messy("padded", "padded number", [f" {x:.0f}" for x in small], "numeric", r" -?\d+", point),
    ]


def _words(rng: np.random.Generator) -> list[Messy]:
    pairs = {
        "yes_no": ("yes", "no"),
        "y_n": ("Y", "N"),
        "t_f": ("t", "f"),
        "capital": ("TRUE", "FALSE"),
        "title": ("True", "False"),
    }
    found = [
        Messy(name, "truth", [str(x) for x in rng.choice(words, N_ROWS)], "boolean", "|".join(words), lambda text: text)
        for name, words in pairs.items()
    ]
    scales = {"level": ("low", "medium", "high"), "size": ("S", "M", "L", "XL"), "band": ("18-24", "25-34", "35+")}
    found += [
        Messy(
            name,
            "ordered labels",
            [str(x) for x in rng.choice(words, N_ROWS)],
            "categorical",
            "|".join(map(re.escape, words)),
            lambda text: text,
            "unordered-labels",
        )
        for name, words in scales.items()
    ]
    return found


def _with_gaps(rng: np.random.Generator, texts: list[str], marker: str) -> list[str]:
    return [marker if gone else text for text, gone in zip(texts, rng.random(N_ROWS) < 0.1, strict=True)]


def _missing(rng: np.random.Generator) -> list[Messy]:
    whole = [str(x) for x in rng.integers(20, 80, N_ROWS)]
    real = [f"{x:.2f}" for x in rng.normal(5, 1, N_ROWS)]
    dates = [m.strftime("%d/%m/%Y") for m in _moments(rng)]
    words = [str(x) for x in rng.choice(["red", "blue", "green"], N_ROWS)]
    return [
        Messy("gap_question", "marked gaps", _with_gaps(rng, whole, "?"), "numeric", r"\d+|\?", point),
        Messy("gap_na", "marked gaps", _with_gaps(rng, real, "NA"), "numeric", r"\d+\.\d\d|NA", point),
        Messy(
            "gap_na_slash",
            "marked gaps",
            _with_gaps(rng, dates, "N/A"),
            "datetime",
            r"\d\d/\d\d/\d{4}|N/A",
            day("%d/%m/%Y"),
        ),
        Messy("gap_dash", "marked gaps", _with_gaps(rng, real, "-"), "numeric", r"\d+\.\d\d|-", point),
        Messy(
            "gap_null",
            "marked gaps",
            _with_gaps(rng, words, "null"),
            "categorical",
            "red|blue|green|null",
            lambda text: text,
        ),
        Messy("gap_empty", "marked gaps", _with_gaps(rng, whole, ""), "numeric", r"\d+|", point),
        Messy("gap_code", "missing code", _with_gaps(rng, whole, "999"), "numeric", r"\d+", point, "missing-code"),
        Messy("gap_word", "stray words", [*whole[:-2], "several", "several"], "numeric", ".*", None, "number-text"),
    ]


def _codes(rng: np.random.Generator) -> list[Messy]:
    return [
        Messy("year", "year", [str(1990 + i % 30) for i in range(N_ROWS)], "numeric", r"\d{4}", point),
        Messy("fiscal_year", "year", [str(1700 + i) for i in range(N_ROWS)], "numeric", r"\d{4}", point),
        Messy(
            "zip",
            "code",
            [f"{x:05d}" for x in rng.choice(99_999, N_ROWS, replace=False)],
            "categorical",
            r"\d{5}",
            lambda text: text,
        ),
        Messy(
            "plz", "code", [str(x) for x in rng.integers(10_000, 99_999, N_ROWS)], "numeric", r"\d{5}", point, "code"
        ),
        Messy(
            "customer_id",
            "key",
            [str(x) for x in rng.choice(10**6, N_ROWS, replace=False)],
            "identifier",
            r"\d+",
            point,
        ),
        Messy(
            "order_ref",
            "key",
            [f"ORD-{x:06d}" for x in rng.choice(10**6, N_ROWS, replace=False)],
            "identifier",
            r"ORD-\d{6}",
            lambda text: text,
        ),
    ]
