"""Columns that look like plain numbers, keys or Gregorian dates, and are not: versions, eras, units of other alphabets.

Texts are made here without the library, as in `messy_columns`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import numpy as np

from table.files.messy_columns import N_ROWS, Messy, day, point

JAPANESE = {"令和": 2018, "平成": 1988, "昭和": 1925, "R": 2018, "H": 1988, "S": 1925}
"""Years that come before the first of an era."""
MONTHS = {
    "hungarian": "január február március április május június július augusztus szeptember október november december",
    "thai": "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.",
    "greek": "Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",
    "arabic": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}


def local_columns(seed: int = 4) -> list[Messy]:
    """All columns, of ``N_ROWS`` texts each."""
    rng = np.random.default_rng(seed)
    days = [dt.datetime(2019, 6, 1) + dt.timedelta(int(d), int(s)) for d, s in rng.integers(0, 1500, (N_ROWS, 2))]
    return [*_eras(rng, days), *_months(days), *_stamps(rng, days), *_codes(rng), *_amounts(rng), *_unclear(rng, days)]


def _shifted(ahead: int) -> Callable[[str], dt.datetime]:
    """Read year, month and day, or day, month and year, of an era that is ``ahead``."""

    def read(text: str) -> dt.datetime:
        a, b, c = (int(digits) for digits in re.findall(r"\d+", text))
        year, month, first = (c, b, a) if c > 31 else (a, b, c)
        return dt.datetime(year - ahead, month, first)

    return read


def _japanese(text: str) -> dt.datetime:
    name, year, month, first = re.fullmatch(r"(\D+)(\d+)\D(\d+)\D(\d+)\D?", text).groups()
    return dt.datetime(JAPANESE[name] + int(year), int(month), int(first))


def _eras(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    eras = rng.choice(["昭和", "平成"], N_ROWS).tolist()
    births = [
        f"{era}{y}年{m}月{d}日" for era, (y, m, d) in zip(eras, rng.integers(3, [31, 13, 29], (N_ROWS, 3)), strict=True)
    ]
    forms = {
        "buddhist": ([f"{d:%d/%m}/{d.year + 543}" for d in days], r"\d\d/\d\d/25\d\d", _shifted(543)),
        "buddhist_iso": ([f"{d.year + 543}-{d:%m-%d}" for d in days], r"25\d\d-\d\d-\d\d", _shifted(543)),
        "taiwan": ([f"{d.year - 1911}/{d:%m/%d}" for d in days], r"1\d\d/\d\d/\d\d", _shifted(-1911)),
        "taiwan_words": (
            [f"民國{d.year - 1911}年{d.month}月{d.day}日" for d in days],
            r"民國1\d\d年\d+月\d+日",
            _shifted(-1911),
        ),
        "reiwa": ([f"令和{d.year - 2018}年{d.month}月{d.day}日" for d in days], r"令和\d年\d+月\d+日", _japanese),
        "reiwa_letter": ([f"R{d.year - 2018}.{d.month}.{d.day}" for d in days], r"R\d\.\d+\.\d+", _japanese),
        "reiwa_padded": ([f"R{d.year - 2018:02d}/{d:%m/%d}" for d in days], r"R0\d/\d\d/\d\d", _japanese),
        "births": (births, r"(昭和|平成)\d+年\d+月\d+日", _japanese),
    }
    return [Messy(name, "era", texts, "datetime", form, value) for name, (texts, form, value) in forms.items()]


def _months(days: list[dt.datetime]) -> list[Messy]:
    found = []
    for language, line in MONTHS.items():
        names = line.split()
        ahead = 543 if language == "thai" else 0
        texts = [f"{d.day} {names[d.month - 1]} {d.year + ahead}" for d in days]
        if language == "hungarian":
            texts = [f"{d.year}. {names[d.month - 1]} {d.day}." for d in days]

        def read(text: str, names: list[str] = names, ahead: int = ahead) -> dt.datetime:
            month = next(name for name in sorted(names, key=len, reverse=True) if name in text)
            first, year = sorted(int(digits) for digits in re.findall(r"\d+", text))
            return dt.datetime(year - ahead, names.index(month) + 1, first)

        found.append(Messy(f"{language}_month", "month in words", texts, "datetime", r".*\d{4}.*", read))
    return found


def _stamps(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    fractions = rng.integers(0, 10**6, N_ROWS).tolist()
    fine = [f"{d:%Y-%m-%dT%H:%M:%S}.{n:06d}0" for d, n in zip(days, fractions, strict=True)]
    posts = [f"{d:%a %b %d %H:%M:%S} +0000 {d:%Y}" for d in days]
    forms = {
        "file_name": ("%Y%m%d_%H%M%S", r"\d{8}_\d{6}"),
        "db2": ("%Y-%m-%d-%H.%M.%S.000000", r"\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d{6}"),
        "underscored": ("%Y_%m_%d", r"\d{4}_\d\d_\d\d"),
        "short_year": ("%b '%y", r"[A-Z][a-z]{2} '\d\d"),
        "hour": ("%Y-%m-%dT%H", r"\d{4}-\d\d-\d\dT\d\d"),
        "postgres": ("%Y-%m-%d %H:%M:%S+00", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00"),
    }
    others = [
        Messy(name, f"stamp: {name}", [d.strftime(form) for d in days], "datetime", pattern, day(form))
        for name, (form, pattern) in forms.items()
    ]
    return [
        *others,
        Messy(
            "seven_decimals",
            "decimals of seconds",
            fine,
            "datetime",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}",
            lambda text: dt.datetime.fromisoformat(text[:-1]),
        ),
        Messy(
            "post",
            "time of a post",
            posts,
            "datetime",
            r"\w{3} \w{3} \d\d [\d:]{8} \+0000 \d{4}",
            day("%a %b %d %H:%M:%S +0000 %Y"),
        ),
    ]


def _codes(rng: np.random.Generator) -> list[Messy]:
    made = {
        "python": ("version", ["3.6", "3.8", "3.9", "3.10", "3.11", "3.12"], r"3\.\d+", "unordered-labels"),
        "app_version": ("version", ["1.0", "1.1", "2.0", "2.5"], r"\d\.\d", "unordered-labels"),
        "clause": ("section", [f"{a}.{b}" for a in "123" for b in range(1, 13)], r"\d\.\d+", "unordered-labels"),
        "icd9": ("diagnosis", ["038.9", "250.00", "250.01", "401.9", "427.31"], r"\d{3}\.\d+", ""),
        "illness": ("diagnosis", ["038.9", "250.00", "401.9", "427.31"], r"\d{3}\.\d+", ""),
        "part_of_a_hash": ("hash", ["59e80", "12e03", "77e19", "30e11"], r"\d\de\d\d", ""),
    }
    return [
        Messy(name, family, rng.choice(levels, N_ROWS).tolist(), "categorical", form, str, alert)
        for name, (family, levels, form, alert) in made.items()
    ]


def _amounts(rng: np.random.Generator) -> list[Messy]:
    x, whole = rng.uniform(0, 999, N_ROWS), rng.integers(1, 900, N_ROWS).tolist()
    large = rng.integers(1_000, 900_000, N_ROWS).tolist()
    errors = ["#WERT!" if i % 9 == 0 else f"{v:.1f}".replace(".", ",") for i, v in enumerate(x)]
    forms: dict[str, tuple[list[str], str, Callable[[str], float]]] = {
        "ten_thousand_yen": ([f"{v}万円" for v in whole], r"\d+万円", point),
        "floor_space": ([f"{v:.2f}㎡" for v in x], r"\d+\.\d\d㎡", point),
        "pieces": ([f"{v} шт." for v in whole], r"\d+ шт\.", point),
        "baht": ([f"{v} บาท" for v in whole], r"\d+ บาท", point),
        "zeros_in_front": ([f"{v:06.2f}" for v in x], r"\d{3}\.\d\d", float),
        "concentration": ([f"{v**3 - 9:.2E}" for v in x], r"-?\d\.\d\dE[-+]\d\d", float),
        "german_error": (errors, r"\d+,\d|#WERT!", lambda text: float(text.replace(",", "."))),
    }
    some_grouped = [f"{v:,}" if i % 2 else str(v) for i, v in enumerate(large)]
    return [
        *(
            Messy(name, f"number: {name}", texts, "numeric", form, value)
            for name, (texts, form, value) in forms.items()
        ),
        Messy("some_grouped", "thousands in some rows", some_grouped, "numeric", r"\d{1,3}(,\d{3})*", point),
    ]


def _unclear(rng: np.random.Generator, days: list[dt.datetime]) -> list[Messy]:
    """Texts in no format: an alert says so."""
    pairs = rng.integers(1, 60, (N_ROWS, 2)).tolist()
    marks = ["?", *[""] * 6]
    answers = rng.choice([*map(str, range(1, 11)), "Refused", "Don't know"], N_ROWS).tolist()
    notes = rng.choice(
        [f"call {title} {name}" for title in ("Mr", "Mrs") for name in ("Koch", "Wolf", "Weber")], N_ROWS
    )
    texts = {
        "pace": ("pace", [f"{a % 5 + 3}:{b:02d} /km" for a, b in pairs], "date-text"),
        "service_day": ("digits of dates", [f"{d:%m%d%y}" for d in days], "date-text"),
        "second_of_day": ("digits of times", [f"{d:%H%M%S}" for d in days], "date-text"),
        "unsure_day": ("date with a mark", [f"{d:%d/%m/%Y}{marks[i % 7]}" for i, d in enumerate(days)], "date-text"),
        "stay": ("two dates", [f"{d:%d.%m.}-{d:%d.%m.%Y}" for d in days], "date-text"),
        "shift": ("weekday and time", [f"{d:%a %H:%M}" for d in days], "date-text"),
        "short_week": ("week", [f"KW{d.isocalendar()[1]:02d}/{d:%y}" for d in days], "date-text"),
        "year_or_month": ("year or month", [str(d)[: 4 + 3 * (i % 2)] for i, d in enumerate(days)], "date-text"),
        "persian": ("other calendar", [f"140{a % 4}/{a % 12 + 1:02d}/{b % 31 + 1:02d}" for a, b in pairs], "date-text"),
        "weeks_and_days": ("several numbers", [f"{a}+{b % 7}" for a, b in pairs], "number-text"),
        "survey": ("answer or none", answers, "number-text"),
        "year_about": ("word before a number", [f"c. {1700 + 3 * a + b}" for a, b in pairs], "nearly-unique"),
        "note": ("names among words", notes.tolist(), "people"),
    }  # fmt: skip
    kinds = {"note": "categorical", "year_about": "personal"}
    return [
        Messy(name, family, cells, kinds.get(name, ""), "(?s).*", None, alert)
        for name, (family, cells, alert) in texts.items()
    ]
