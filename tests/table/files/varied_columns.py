"""Columns of kinds that the other lists lack: names of months in many languages, labels with numbers, counts of days.

Texts are made here without the library, as in `messy_columns`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import numpy as np

from table.files.messy_columns import N_ROWS, Messy, comma, day, point

MONTHS = {
    "polish": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "russian": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "turkish": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "french_abbreviated": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}
DAYS = "lundi mardi mercredi jeudi vendredi samedi dimanche"


def varied_columns(seed: int = 3) -> list[Messy]:
    """All columns, of ``N_ROWS`` texts each."""
    rng = np.random.default_rng(seed)
    days = [dt.datetime(2018, 1, 1) + dt.timedelta(int(d), int(s)) for d, s in rng.integers(0, 1800, (N_ROWS, 2))]
    return [
        *_months(days),
        *_dates(days),
        *_amounts(rng),
        *_labels(rng, days),
        *_unclear(rng, days),
        *_numbers(rng, days),
    ]


def _reader(names: list[str]) -> Callable[[str], dt.datetime]:
    """Read a day, a month by its name and a year, by hand."""

    def read(text: str) -> dt.datetime:
        day_, year = (int(digits) for digits in re.findall(r"\d+", text))
        name = next(name for name in sorted(names, key=len, reverse=True) if name in text)
        return dt.datetime(year, names.index(name) + 1, day_)

    return read


def _months(days: list[dt.datetime]) -> list[Messy]:
    found = []
    for language, line in MONTHS.items():
        names = line.split()
        between = " de " if language in ("spanish", "portuguese") else " "
        texts = [between.join((str(d.day), names[d.month - 1], str(d.year))) for d in days]
        found.append(Messy(f"{language}_day", "month in words", texts, "datetime", r"\d+ .* \d{4}", _reader(names)))
    return found


def _dates(days: list[dt.datetime]) -> list[Messy]:
    forms = {
        "ctime": ("%a %b %d %H:%M:%S %Y", r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \d{4}"),
        "sas_day": ("%d%b%Y", r"\d\d[A-Z]{3}\d{4}"),
        "sas_stamp": ("%d%b%Y:%H:%M:%S", r"\d\d[A-Z]{3}\d{4}:\d\d:\d\d:\d\d"),
        "weekday_day": ("%a %d/%m/%Y", r"[A-Z][a-z]{2} \d\d/\d\d/\d{4}"),
        "year_month": ("%Y-%b", r"\d{4}-[A-Z][a-z]{2}"),
        "packed_day_first": ("%d%m%Y", r"\d{8}"),
        "point_month": ("%m.%Y", r"\d\d\.\d{4}"),
        "point_month_last": ("%Y.%m", r"\d{4}\.\d\d"),
        "hungarian": ("%Y. %m. %d.", r"\d{4}\. \d\d\. \d\d\."),
        "iso_week_day": ("%G-W%V-%u", r"\d{4}-W\d\d-[1-7]"),
    }
    found = []
    for name, (form, pattern) in forms.items():
        texts = [d.strftime(form).upper() if name.startswith("sas") else d.strftime(form) for d in days]
        found.append(Messy(name, f"date: {name}", texts, "datetime", pattern, day(form)))
    weeks = [f"KW {d.isocalendar()[1]}/{d.isocalendar()[0]}" for d in days]
    monday = lambda text: dt.datetime.strptime(f"{text} 1", "KW %V/%G %u")  # noqa: E731
    return [*found, Messy("german_week", "week in words", weeks, "datetime", r"KW \d{1,2}/\d{4}", monday)]


def _amounts(rng: np.random.Generator) -> list[Messy]:
    x, whole = rng.gamma(1.5, 3_000, N_ROWS) + 1, rng.integers(1, 900, N_ROWS)
    swedish = [f"kr {v:,.2f}".translate(str.maketrans(",.", ".,")) for v in x]
    forms: dict[str, tuple[list[str], str, Callable[[str], float]]] = {
        "dirham": ([f"AED {v:,.2f}" for v in x], r"AED [\d,]+\.\d\d", point),
        "crown": (swedish, r"kr [\d.]+,\d\d", lambda text: comma(text.removeprefix("kr "))),
        "yen_sign": ([f"{v:,.0f}円" for v in x], r"[\d,]+円", point),
        "thin_space": ([f"{v * 99:,.2f}".replace(",", "\u2009") for v in x], r"[\d\u2009]+\.\d\d", point),
        "square_feet": ([f"{v * 7:,} sq ft" for v in whole], r"[\d,]+ sq ft", point),
        "hourly": ([f"${v:.2f}/hr" for v in x / 99], r"\$\d+\.\d\d/hr", point),
        "rupees": ([f"Rs. {v:,}/-" for v in whole], r"Rs\. [\d,]+/-", lambda text: point(text[4:-2])),
        "millions": ([f"{v / 10:.1f} Mio. €" for v in whole], r"\d+\.\d Mio\. €", lambda text: float(text.split()[0])),
        "ago": ([f"{v} days ago" for v in whole], r"\d+ days ago", point),
    }
    return [
        Messy(name, f"amount: {name}", texts, "numeric", form, value) for name, (texts, form, value) in forms.items()
    ]


def _any_of(texts: list[str]) -> str:
    return "|".join(map(re.escape, sorted(set(texts))))


def _labels(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    texts = {
        "week_label": [f"KW {d.isocalendar()[1] // 5 + 1}" for d in days],
        "padded_week": [f"W{d.isocalendar()[1] // 5 + 1:02d}" for d in days],
        "semantic_version": [f"1.{a}.{b}" for a, b in rng.integers(0, 12, (N_ROWS, 2)) // (1, 4)],
        "stage": [f"Stage {s}" for s in rng.choice(["I", "II", "III", "IV"], N_ROWS)],
        "likert": [str(s) for s in rng.choice(["1 - low", "2 - mid", "3 - high"], N_ROWS)],
        "cut": [str(s) for s in rng.choice(["(0, 10]", "(10, 20]", "(20, 100]"], N_ROWS)],
        "bond": [str(s) for s in rng.choice(["AAA", "AA+", "A", "BBB", "BB"], N_ROWS)],
        "french_weekday": [DAYS.split()[d.weekday()] for d in days],
        "spanish_month": [MONTHS["spanish"].split()[d.month - 1] for d in days],
        "short_fiscal": [f"{(d.month + 2) // 3}Q{d.year % 100}" for d in days],
    }
    return [
        Messy(
            name,
            f"label: {name}",
            its,
            "categorical",
            "|".join(map(re.escape, sorted(set(its)))),
            str,
            "unordered-labels",
        )
        for name, its in texts.items()
    ]


def _unclear(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    a, b = rng.integers(1, 300, (2, N_ROWS)).tolist()
    pairs = list(zip(a, b, strict=True))
    serials = [str((d - dt.datetime(1899, 12, 30)).days) for d in days]
    texts = {
        "box": ("several numbers", [f"{x} x {y} x 7 cm" for x, y in pairs], "number-text"),
        "engine": ("several numbers", [f"{x}bhp @ {y * 10}rpm" for x, y in pairs], "number-text"),
        "interval": ("several numbers", [f"{x / 10} [{x / 10 - 1}, {y}]" for x, y in pairs], "number-text"),
        "from_to": ("several numbers", [f"{x}-{x + y}" for x, y in pairs], "number-text"),
        "fraction": ("fraction", [f"{x % 9 + 1} {y % 7 + 1}/8" for x, y in pairs], "number-text"),
        "acidity": ("number after a word", [f"pH {x / 20:.1f}" for x in a], "number-text"),
        "sample": ("number after a word", [f"n={x}" for x in a], "number-text"),
        "significance": ("number with a mark", [f"{x / 10}{'*' * (y % 4)}" for x, y in pairs], "number-text"),
        "half": ("fraction", [f"{x}½" if y % 2 else str(x) for x, y in pairs], "number-text"),
        "underscores": ("thousands", [f"{x * 977:_}" for x in a], "number-text"),
        "power": ("power of ten", [f"{x / 100}×10³" for x, _ in pairs], "number-text"),
        "formula": ("formula of a spreadsheet", [f'="{x}"' for x, _ in pairs], "number-text"),
        "roughly": ("about", [f"ca. {x}" for x, _ in pairs], "number-text"),
        "python_value": ("nested", [str({"a": x, "b": None}) for x, _ in pairs], "nested-text"),
        "no_year": ("day without a year", [d.strftime("%d/%m") for d in days], "date-text"),
        "two_spans": ("duration", [f"{x} min" if x < 60 else f"{x // 60} hr {x % 60} min" for x in a], "date-text"),
        "half_serial": ("dates and counts of days", [
            serial if i % 4 == 0 else f"{d:%d/%m/%Y}" for i, (d, serial) in enumerate(zip(days, serials, strict=True))
        ], "date-text"),
        "null_date": ("stand-in for a date", [
            "0" if i % 9 == 0 else f"{d:%d/%m/%Y}" for i, d in enumerate(days)
        ], "date-text"),
    }  # fmt: skip
    return [Messy(name, family, cells, "", "(?s).*", None, alert) for name, (family, cells, alert) in texts.items()]


def _numbers(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    serials = [(d - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1) for d in days]
    ages = rng.integers(18, 70, N_ROWS)

    def coded(code: str) -> list[str]:
        return [code if i % 20 == 0 else str(age) for i, age in enumerate(ages)]

    codes = {"code_777": "777", "code_9998": "-9998", "largest": "2147483647"}
    found = [
        Messy(name, "code for missing", coded(code), "numeric", r"-?\d+", float, "missing-code")
        for name, code in codes.items()
    ]
    whole = [f"{serial:.0f}" for serial in np.floor(serials)]
    clocks = [f"{minute // 60:02d}.{minute % 60:02d}" for minute in rng.integers(600, 1440, N_ROWS).tolist()]
    post = [str(x) for x in rng.integers(10_000, 99_999, N_ROWS)]
    pluses, ticks, words = (rng.choice(pair, N_ROWS).tolist() for pair in (["+", "-"], ["✓", "✗"], ["ya", "tidak"]))
    errors = ["#REF!" if i % 9 == 0 else str(age) for i, age in enumerate(ages)]
    return [
        *found,
        Messy("shipped", "count of days", whole, "numeric", r"\d{5}", float, "date-number"),
        Messy("clock_with_point", "time with a point", clocks, "numeric", r"\d\d\.\d\d", float, "date-number"),
        Messy("Postleitzahl", "code", post, "numeric", r"\d{5}", point, "code"),
        Messy("plus_minus", "truth", pluses, "boolean", r"[+-]", None),
        Messy("tick", "truth", ticks, "boolean", "[✓✗]", None),
        Messy("indonesian", "truth", words, "boolean", "ya|tidak", None),
        Messy("gap_reference", "error of a spreadsheet", errors, "numeric", r"\d+|#REF!", point),
    ]
