"""Columns whose values look like something else: stand-ins for dates, digits of dates, telephone numbers."""

from __future__ import annotations

import datetime as dt

import numpy as np

from table.files.messy_columns import N_ROWS, Messy

NOMS = "Martin Bernard Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefebvre Leroy Roux David Bertrand"


def awkward_columns(seed: int = 2) -> list[Messy]:
    """All columns, of ``N_ROWS`` texts each."""
    rng = np.random.default_rng(seed)
    days = [dt.datetime(2021, 1, 1) + dt.timedelta(days=int(n)) for n in rng.permutation(900)[:N_ROWS]]
    clocks = [
        f"{h:02d}{m:02d}" for h, m in zip(rng.integers(24, size=N_ROWS), rng.integers(60, size=N_ROWS), strict=True)
    ]
    return [*_days(days), *_stand_ins(days), *_digits(days, clocks), *_words(rng, days, clocks)]


def _days(days: list[dt.datetime]) -> list[Messy]:
    weeks = [one.strftime("%V/%G") for one in days]
    monday = lambda text: dt.datetime.strptime(f"{text} 1", "%V/%G %u")  # noqa: E731
    return [Messy("week_of_year", "week before year", weeks, "datetime", r"\d\d/\d{4}", monday)]


def _stand_ins(days: list[dt.datetime]) -> list[Messy]:
    """Dates with another one in every twentieth row."""

    def mixed(form: str, word: str) -> list[str]:
        return [word if i % 20 == 0 else one.strftime(form) for i, one in enumerate(days)]

    iso, dotted = r"\d{4}-\d\d-\d\d", r"\d\d\.\d\d\.\d{4}"
    zero, last, first = (
        mixed("%Y-%m-%d", "0000-00-00"),
        mixed("%Y-%m-%d", "9999-12-31"),
        mixed("%d.%m.%Y", "01.01.1900"),
    )
    return [
        Messy("zero_date", "stand-in for a date", zero, "datetime", iso),
        Messy("last_date", "stand-in for a date", last, "datetime", iso, None, "missing-code"),
        Messy("first_date", "stand-in for a date", first, "datetime", dotted, None, "missing-code"),
    ]


def _digits(days: list[dt.datetime], clocks: list[str]) -> list[Messy]:
    """Integers whose digits are dates or times."""
    short, day_first = [f"{d:%y%m%d}" for d in days], [f"{d.day % 19 + 10}{d:%m%y}" for d in days]
    plain = [str(int(clock)) for clock in clocks]
    return [
        Messy("six_digits", "digits of dates", short, "numeric", r"\d+", float, "date-number"),
        Messy("six_digits_day", "digits of dates", day_first, "numeric", r"\d+", float, "date-number"),
        Messy("clock_digits", "digits of times", plain, "numeric", r"\d+", float, "date-number"),
        Messy("clock_text", "digits of times", clocks, "", ".*", None, "date-text"),
    ]


def _words(rng: np.random.Generator, days: list[dt.datetime], clocks: list[str]) -> list[Messy]:
    noms = rng.choice([*NOMS.split(), *(name + "eau" for name in NOMS.split())], N_ROWS).tolist()
    calls = [f"+{n}" for n in rng.integers(10**10, 10**11, N_ROWS)]
    quarters = [f"Q{(one.month + 2) // 3}'{one:%y}" for one in days]
    spans = [f"{years} yrs {months} mo" for years, months in rng.integers(1, 12, (N_ROWS, 2)).tolist()]
    return [
        Messy("german_clock", "foreign time", [f"{c[:2]}.{c[2:]} Uhr" for c in clocks], "", ".*", None, "date-text"),
        Messy("span", "several units", spans, "", ".*", None, "number-text"),
        Messy("short_quarter", "ordered labels", quarters, "categorical", r"Q\d'\d\d", None, "unordered-labels"),
        Messy("call", "telephone without spaces", calls, "personal", r"\+\d{8,15}"),
        Messy("nom", "foreign surname", noms, "personal", "[A-Za-z' -]+"),
        Messy("nothing", "no values", [""] * N_ROWS, "categorical", "", None, "constant"),
    ]
