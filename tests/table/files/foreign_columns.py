"""Forty further columns as they come in CSV files: other locales, spreadsheets, devices, places and nested values.

Texts are made here without the library, as in `messy_columns`.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable

import numpy as np

from table.files.messy_columns import N_ROWS, Messy, comma, day, number, point

LETTERS = list("ABCDEFGHJKLMNPRSTUVWXYZ")
FRENCH = [
    *("janvier", "février", "mars", "avril", "mai", "juin"),
    *("juillet", "août", "septembre", "octobre", "novembre", "décembre"),
]


def foreign_columns(seed: int = 1) -> list[Messy]:
    """All columns, of ``N_ROWS`` texts each."""
    rng = np.random.default_rng(seed)
    return [*_amounts(rng), *_dates(rng), *_truth(rng), *_labels(rng), *_identities(rng), *_unclear(rng)]


def same(text: str) -> str:
    return text


def spaced(text: str) -> float:
    """Read a number with spaces between thousands and a decimal comma."""
    return number(re.sub(r"[\s\u00a0\u202f]", "", text), group="", decimal=",")


def _amounts(rng: np.random.Generator) -> list[Messy]:
    x = rng.gamma(1.5, 3_000, N_ROWS) + 1
    french = [f"{v:,.2f}".replace(",", "\u00a0").replace(".", ",") for v in x]
    bracketed = [f"({v:,.2f})" if i % 3 == 0 else f"{v:,.2f}" for i, v in enumerate(x)]
    brazilian = [f"R$ {v:,.2f}".translate(str.maketrans(",.", ".,")) for v in x]
    forms: dict[str, tuple[list[str], str, Callable[[str], float]]] = {
        "bracketed": (bracketed, r"\([\d,]+\.\d\d\)|[\d,]+\.\d\d", point),
        "bracketed_dollar": ([t.replace("(", "($") if "(" in t else f"${t}" for t in bracketed], r"\(?\$.*", point),
        "french_spaces": (french, r"\d{1,3}(\u00a0\d{3})*,\d\d", spaced),
        "narrow_spaces": ([f"{v * 99:,.0f}".replace(",", "\u202f") for v in x], r"\d{1,3}(\u202f\d{3})*", spaced),
        "franc": ([f"CHF {v:,.2f}".replace(",", "'") for v in x], r"CHF [\d']+\.\d\d", lambda t: number(t, group="'")),
        "rupee": ([f"₹{v:,.0f}" for v in x], r"₹[\d,]+", point),
        "real": (brazilian, r"R\$ [\d.]+,\d\d", lambda t: comma(t.removeprefix("R$ "))),
        "krona": ([f"{v:,.0f} kr".replace(",", "\u00a0") for v in x], r"\d{1,3}(\u00a0\d{3})* kr", spaced),
        "temperature": ([f"{v:.1f}°C" for v in rng.normal(10, 8, N_ROWS)], r"-?\d+\.\d°C", point),
        "latitude": ([f"{v:.4f} N" for v in rng.uniform(40, 60, N_ROWS)], r"\d\d\.\d{4} N", point),
        "basis_points": ([f"{v} bps" for v in rng.integers(1, 400, N_ROWS)], r"\d+ bps", point),
        "not_available": (["#N/A" if i % 8 == 0 else f"{v:.2f}" for i, v in enumerate(x)], r"#N/A|\d+\.\d\d", point),
        "by_zero": (["#DIV/0!" if i % 8 == 0 else f"{v:.2f}" for i, v in enumerate(x)], r"#DIV/0!|\d+\.\d\d", None),
    }
    families = {"not_available": "spreadsheet error", "by_zero": "spreadsheet error", "latitude": "coordinate"}
    return [
        Messy(name, families.get(name, "local amount"), texts, "numeric", form, value)
        for name, (texts, form, value) in forms.items()
    ]


def _moments(rng: np.random.Generator) -> list[dt.datetime]:
    return [dt.datetime(2019, 1, 1) + dt.timedelta(int(d), int(s)) for d, s in rng.integers(0, 1_500, (N_ROWS, 2))]


def _french(text: str) -> dt.datetime:
    first, month, year = f"1 {text}".split()[-3:]
    return dt.datetime(int(year), FRENCH.index(month) + 1, int(first))


def _dates(rng: np.random.Generator) -> list[Messy]:
    forms = {
        "header_date": ("%a, %d %b %Y", r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4}"),
        "log_comma": ("%Y-%m-%d %H:%M:%S,000", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"),
    }
    found = [
        Messy(name, "device date", [m.strftime(form) for m in _moments(rng)], "datetime", pattern)
        for name, (form, pattern) in forms.items()
    ]
    found[0] = Messy(**{**vars(found[0]), "value": day("%a, %d %b %Y")})
    french = [f"{m.day} {FRENCH[m.month - 1]} {m.year}" for m in _moments(rng)]
    months = [text.split(" ", 1)[1] for text in french]
    found.append(Messy("french_date", "foreign date", french, "datetime", r"\d+ [a-zéû]+ \d{4}", _french))
    found.append(Messy("french_month", "foreign date", months, "datetime", r"[a-zéû]+ \d{4}", _french))
    seconds = [f"{1.6e9 + s:.3f}" for s in rng.uniform(0, 1e7, N_ROWS)]
    found.append(Messy("fine_epoch", "seconds since 1970", seconds, "numeric", r"\d{10}\.\d{3}", point, "date-number"))
    return found


def _truth(rng: np.random.Generator) -> list[Messy]:
    words = {"yes_no_unknown": ("yes", "no", "unknown"), "oui": ("oui", "non"), "switch": ("on", "off")}
    return [
        Messy(name, "truth or unknown", [str(w) for w in rng.choice(its, N_ROWS)], "boolean", "|".join(its), same)
        for name, its in words.items()
    ]


def _labels(rng: np.random.Generator) -> list[Messy]:
    """Labels in an order that texts do not say; periods, grades, numerals."""
    years = rng.integers(2005, 2023, N_ROWS)
    texts = {
        "grade": [str(g) for g in rng.choice(["A", "A-", "B+", "B", "C"], N_ROWS)],
        "numeral": [str(g) for g in rng.choice(["I", "II", "III", "IV", "V"], N_ROWS)],
        "half_year": [f"H{y % 2 + 1} {y // 4 * 2}" for y in years * 2],
        "fiscal": [f"FY{y % 100:02d}" for y in years],
        "season": [f"{y}/{(y + 1) % 100:02d}" for y in years],
    }
    found = [
        Messy(
            name,
            "ordered labels",
            its,
            "categorical",
            "|".join(map(re.escape, sorted(set(its)))),
            same,
            "unordered-labels",
        )
        for name, its in texts.items()
    ]
    tags = [";".join(sorted(rng.choice(["red", "blue", "big"], 1 + i % 2, replace=False))) for i in range(N_ROWS)]
    return [*found, Messy("tags", "several tags", tags, "categorical", r"[a-z]+(;[a-z]+)?", same)]


def _identities(rng: np.random.Generator) -> list[Messy]:
    def digits(n: int) -> str:
        return "".join(map(str, rng.integers(0, 10, n)))

    def letters(n: int) -> str:
        return "".join(rng.choice(LETTERS, n))

    def hexes(n: int) -> str:
        return "".join(rng.choice(list("0123456789abcdef"), n))

    made: dict[str, tuple[Callable[[], str], str, str]] = {
        "iban": (lambda: f"DE{digits(20)}", "personal", r"[A-Z]{2}[A-Z0-9]{13,30}"),
        "vat": (lambda: f"DE{digits(9)}", "identifier", r"DE\d{9}"),
        "plate": (
            lambda: f"{letters(1)}-{letters(2)} {rng.integers(100, 9999)}",
            "personal",
            r"[A-Z]-[A-Z]{2} \d{3,4}",
        ),
        "mac": (lambda: ":".join(hexes(2) for _ in range(6)), "identifier", r"([0-9a-f]{2}:){5}[0-9a-f]{2}"),
        "uuid": (
            lambda: "-".join(map(hexes, (8, 4, 4, 4, 12))),
            "identifier",
            r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        ),
        "ip6": (lambda: ":".join(hexes(4) for _ in range(8)), "personal", r"[0-9a-f:]{4,39}"),
        "french_phone": (lambda: f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}", "personal", r"\d\d( \d\d){4}"),
        "remark": (
            lambda: f'{letters(5)}\nsecond line, "{letters(6)}"',
            "identifier",
            r'[A-Z]{5}\nsecond line, "[A-Z]{6}"',
        ),
    }
    return [
        Messy(name, f"identity: {name}", [make() for _ in range(N_ROWS)], kind, form, same)
        for name, (make, kind, form) in made.items()
    ]


def _unclear(rng: np.random.Generator) -> list[Messy]:
    """Texts in no format: an alert says so."""
    a, b = rng.integers(1, 60, (2, N_ROWS))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    texts = {
        "laps": ("duration", [f"{x}:{y:02d}" for x, y in pairs], "date-text"),
        "hours_minutes": ("duration", [f"{x}h {y:02d}m" for x, y in pairs], "date-text"),
        "exponent_comma": ("exponent", [f"{x},{y:02d}E+03" for x, y in pairs], "number-text"),
        "error": ("number with an error", [f"{x}.5 ± 0.{y}" for x, y in pairs], "number-text"),
        "pounds": ("two units", [f"{x} {'kg' if y % 2 else 'lb'}" for x, y in pairs], "number-text"),
        "angle": ("coordinate", [f"{x}°{y}'7\"N" for x, y in pairs], "number-text"),
        "point": ("coordinate", [f"POINT ({x}.25 {y}.5)" for x, y in pairs], "number-text"),
        "list": ("nested", [f"[{x}, {y}]" for x, y in pairs], "number-text"),
        "json": ("nested", [json.dumps({"a": x, "b": [y]}) for x, y in pairs], "nested-text"),
        "out_of": ("pair of numbers", [f"{x}/100" for x, _ in pairs], "number-text"),
        "apostrophe": ("spreadsheet text", [f"'{x * 60 + y}" for x, y in pairs], "number-text"),
    }
    return [Messy(name, family, cells, "", "(?s).*", None, alert) for name, (family, cells, alert) in texts.items()]
