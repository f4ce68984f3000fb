"""A hundred columns as they come in CSV files, of fifty kinds: texts, what a person reads, and a pattern of the form.

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
    usual = [*_dates(rng), *_times(rng), *_money(rng), *_numbers(rng), *_words(rng), *_missing(rng), *_codes(rng)]
    return [*usual, *_periods(rng), *_logs(rng), *_prices(rng), *_foreign_words(rng), *_unclear(rng), *_counters(rng)]


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
    names = ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"]
    german = [f"{m.day}. {names[m.month - 1]} {m.year}" for m in _moments(rng)]
    read = lambda text: dt.datetime(int(text[-4:]), names.index(text[-8:-5]) + 1, int(text[:-10]))  # noqa: E731
    found.append(Messy("german", "German date", german, "datetime", r"\d+\. [A-Z][a-zä]{2} \d{4}", read))
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


def monday(text: str) -> dt.datetime:
    return dt.datetime.fromisocalendar(int(text[:4]), int(text[-2:]), 1)


def quarter(text: str) -> dt.datetime:
    year, number = re.search(r"\d{4}", text)[0], int(re.search(r"Q(\d)", text)[1])
    return dt.datetime(int(year), 3 * number - 2, 1)


def _periods(rng: np.random.Generator) -> list[Messy]:
    days = _moments(rng)
    weeks = [f"{m.isocalendar()[0]}-W{m.isocalendar()[1]:02d}" for m in days]
    quarters = [f"{m.year}Q{(m.month + 2) // 3}" for m in days]
    chinese = [f"{m.year}年{m.month}月{m.day}日" for m in days]
    return [
        Messy("iso_week", "week", weeks, "datetime", r"\d{4}-W[0-5]\d", monday),
        Messy("quarter", "quarter", quarters, "datetime", r"\d{4}Q[1-4]", quarter),
        Messy("quarter_first", "quarter", [f"{q[4:]} {q[:4]}" for q in quarters], "datetime", r"Q[1-4] \d{4}", quarter),
        Messy(
            "day_of_year",
            "day of the year",
            [m.strftime("%Y-%j") for m in days],
            "datetime",
            r"\d{4}-\d{3}",
            day("%Y-%j"),
        ),
        Messy("packed_month", "packed month", [m.strftime("%Y%m") for m in days], "datetime", r"\d{6}", day("%Y%m")),
        Messy(
            "year_first",
            "short year first",
            [m.strftime("%y-%m-%d") for m in days],
            "datetime",
            r"\d\d-\d\d-\d\d",
            day("%y-%m-%d"),
        ),
        Messy("chinese", "Chinese date", chinese, "datetime", r"\d{4}年\d+月\d+日", day("%Y年%m月%d日")),
    ]


def _logs(rng: np.random.Generator) -> list[Messy]:
    forms = {
        "web_log": ("%d/%b/%Y:%H:%M:%S +0000", r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000"),
        "mail_date": ("%a, %d %b %Y %H:%M:%S +0000", r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000"),
        "basic_stamp": ("%Y%m%dT%H%M%SZ", r"\d{8}T\d{6}Z"),
        "packed_stamp": ("%Y%m%d%H%M%S", r"\d{14}"),
    }
    found = [
        Messy(name, "log", [m.strftime(form) for m in _moments(rng, seconds=True)], "datetime", pattern, day(form))
        for name, (form, pattern) in forms.items()
    ]
    clock = [m.strftime("%I:%M%p").lstrip("0").lower() for m in _moments(rng, seconds=True)]
    found.append(Messy("clock_pm", "time of day", clock, "numeric", r"[1-9]\d?:\d\d[ap]m", day("%I:%M%p")))
    return found


def _prices(rng: np.random.Generator) -> list[Messy]:
    large, signed = rng.gamma(1.5, 30_000, N_ROWS) + 1000, rng.normal(100, 400, N_ROWS)
    lakhs = [f"{int(x) // 1000 // 100},{int(x) // 1000 % 100:02d},{int(x) % 1000:03d}" for x in large * 10 + 100_000]
    rappen = [f"{x:,.0f}.-".replace(",", "'") for x in large]
    return [
        Messy("lakhs", "Indian groups", lakhs, "numeric", r"\d{1,3}(,\d\d)?(,\d{3})?", point),
        Messy("price_tag", "price tag", rappen, "numeric", r"[\d']+\.-", lambda text: number(text[:-2], group="'")),
        Messy(
            "trailing_minus",
            "trailing minus",
            [f"{abs(x):.2f}{'-' if x < 0 else ''}" for x in signed],
            "numeric",
            r"\d+\.\d\d-?",
            point,
        ),
        Messy(
            "true_minus",
            "minus sign",
            [f"{'−' if x < 0 else ''}{abs(x):.2f}" for x in signed],
            "numeric",
            r"−?\d+\.\d\d",
            lambda text: number(text.replace("−", "-")),
        ),
        Messy("plus", "plus sign", [f"{x:+.1f}" for x in signed], "numeric", r"[+-]?\d+\.\d", point),
        Messy(
            "percent_comma",
            "percentage",
            [f"{x:.1f} %".replace(".", ",") for x in signed],
            "numeric",
            r"-?\d+,\d %",
            comma,
        ),
        Messy(
            "euro_code", "money", [f"{x:.2f} EUR".replace(".", ",") for x in large], "numeric", r"\d+,\d\d EUR", comma
        ),
        Messy("promille", "per mille", [f"{x:.1f}‰" for x in large / 1000], "numeric", r"\d+\.\d‰", point),
    ]


def _foreign_words(rng: np.random.Generator) -> list[Messy]:
    pairs = {
        "spanish": ("sí", "no"),
        "portuguese": ("sim", "não"),
        "russian": ("да", "нет"),
        "german_truth": ("wahr", "falsch"),
    }
    found = [
        Messy(
            name,
            "foreign truth",
            [str(x) for x in rng.choice(words, N_ROWS)],
            "boolean",
            "|".join(words),
            lambda text: text,
        )
        for name, words in pairs.items()
    ]
    spelt = [str(x) for x in rng.choice(["Red", "red", "RED", "blue"], N_ROWS)]
    found.append(Messy("spelt", "spellings", spelt, "categorical", "(?i)red|blue", lambda text: text, "spellings"))
    return found


def _unclear(rng: np.random.Generator) -> list[Messy]:
    """Texts in no format: an alert says so."""
    a, b = rng.integers(1, 60, N_ROWS), rng.integers(0, 60, N_ROWS)
    ends = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    spoken = [f"{m.strftime('%B')} {m.day}{ends.get(m.day, 'th')}, {m.year}" for m in _moments(rng)]
    dots = [f"{x % 12 + 1}:{y:02d} {'ap'[x % 2]}.m." for x, y in zip(a, b, strict=True)]
    texts = {
        "spoken_date": ("spoken date", spoken, "date-text"),
        "clock_dots": ("a.m. and p.m.", dots, "date-text"),
        "iso_duration": ("duration", [f"PT{x}H{y}M" for x, y in zip(a, b, strict=True)], "date-text"),
        "long_duration": ("duration", [f"{x}:{y:02d}:07" for x, y in zip(a, b, strict=True)], "date-text"),
        "pressure": ("pair of numbers", [f"{x + 90}/{y + 50}" for x, y in zip(a, b, strict=True)], "number-text"),
        "position": ("pair of numbers", [f"{x}.25, -{y}.5" for x, y in zip(a, b, strict=True)], "number-text"),
        "height": ("feet and inches", [f"{x % 4 + 4}'{y % 12}\"" for x, y in zip(a, b, strict=True)], "number-text"),
        "about": ("about", [f"~{x}" for x in a], "number-text"),
        "below": ("below a limit", ["<0.5" if x < 9 else f"{x}.{y}" for x, y in zip(a, b, strict=True)], "number-text"),
        "two_units": ("two units", [f"{x}.5 {'MG'[x % 2]}B" for x in a], "number-text"),
        "arabic": ("other digits", ["".join(chr(0x660 + int(c)) for c in str(x * 37)) for x in a], "number-text"),
    }
    return [Messy(name, family, cells, "", ".*", None, alert) for name, (family, cells, alert) in texts.items()]


def _counters(rng: np.random.Generator) -> list[Messy]:
    """Integers that count time, and codes that look like integers."""
    stamps = [int((m - dt.datetime(1970, 1, 1)).total_seconds()) for m in _moments(rng, seconds=True)]
    return [
        Messy("epoch", "seconds since 1970", list(map(str, stamps)), "numeric", r"\d{10}", point, "date-number"),
        Messy(
            "epoch_ms", "seconds since 1970", [f"{s}000" for s in stamps], "numeric", r"\d{13}", point, "date-number"
        ),
        Messy(
            "sheet_date",
            "spreadsheet date",
            [str(s // 86_400 + 25_569) for s in stamps],
            "numeric",
            r"\d{5}",
            point,
            "date-number",
        ),
        Messy(
            "hexadecimal",
            "hexadecimal",
            [f"0x{x:04X}" for x in rng.integers(0, 99, N_ROWS)],
            "categorical",
            r"0x[0-9A-F]{4}",
            lambda text: text,
        ),
        Messy(
            "zeros",
            "leading zeros",
            [f"{x:06d}" for x in rng.integers(0, 40, N_ROWS)],
            "categorical",
            r"0\d{5}",
            lambda text: text,
        ),
        Messy(
            "long_account",
            "long number",
            [str(x) for x in rng.integers(2 * 10**15, 9 * 10**15, N_ROWS)],
            "identifier",
            r"\d{16}",
            lambda text: text,
        ),
    ]
