"""Dates and times as text: the format of a column in; microseconds out, and texts of the same form back.

Formats use the codes of ``strptime``: ``%d/%m/%Y``, ``%b %d, %Y %I:%M %p``. A few codes are added: ``%-d`` (also with
m, H and I) has no leading zero, ``%^b`` is in capitals, ``%P`` is am or pm, ``%3f`` has three decimals, and
``%q`` is the quarter. Weeks (``%G-W%V``) and quarters stand for their first day. A time zone
that all texts share, such as ``Z`` or ``+02:00``, is part of the format; microseconds are then in UTC. Names of months
in another language than English have its code at the end, ``%-d %B %Y{fr}`` (`month_names`), and years of another era
theirs, ``%d/%m/%Y{be}`` (`eras`).
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats, LongInts
from janus_synth.table.texts.eras import Era, day_triples, era_of, forms_with_eras, shows_era
from janus_synth.table.texts.month_names import ENGLISH, MonthNames, languages_of, split_language

DAYS = [calendar.day_name[i] for i in range(7)]
_CODE = re.compile(r"%(-?[dmHIV]|\^?[Bb]|[YyAaMSpPGVquj]|[1-9]?f)")
_PATTERNS = {
    "d": r"(?:0[1-9]|[12][0-9]|3[01])",
    "m": r"(?:0[1-9]|1[0-2])",
    "H": r"(?:[01][0-9]|2[0-3])",
    "I": r"(?:0[1-9]|1[0-2])",
    "-d": r"(?:[12][0-9]|3[01]|[1-9])",
    "-m": r"(?:1[0-2]|[1-9])",
    "-H": r"(?:1[0-9]|2[0-3]|[0-9])",
    "-I": r"(?:1[0-2]|[1-9])",
    "Y": r"[12][0-9]{3}",
    "y": r"[0-9]{2}",
    "A": f"(?:{'|'.join(DAYS)})",
    "a": f"(?:{'|'.join(day[:3] for day in DAYS)})",
    "G": r"[12][0-9]{3}",
    "V": r"(?:0[1-9]|[1-4][0-9]|5[0-3])",
    "-V": r"(?:[1-4][0-9]|5[0-3]|[1-9])",
    "u": r"[1-7]",
    "q": r"[1-4]",
    "j": r"(?:00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6])",
    "M": r"[0-5][0-9]",
    "S": r"[0-5][0-9]",
    "p": r"[AP]M",
    "P": r"[ap]m",
    "f": r"[0-9]{6}",
    **{f"{n}f": f"[0-9]{{{n}}}" for n in range(1, 10)},
}
_TIMES = [
    *("%H:%M:%S.%f", "%H:%M:%S.%3f", "%H:%M:%S,%3f", "%H:%M:%S", "%H:%M", "%Hh%M", "%H.%M"),
    *(f"%H:%M:%S.%{n}f" for n in (7, 9, 2, 1)),
    *(f"%I:%M{seconds}{space}%{half}" for seconds in ("", ":%S") for space in ("", " ") for half in "pP"),
]
PACKED_DAYS = ("%d%m%Y", "%m%d%Y")
"""Digits that are dates if many texts are, and may be keys otherwise."""
_DATES = [
    *(f"{a}{s}{b}{s}%Y" for s in "/.-" for a, b in (("%d", "%m"), ("%m", "%d"))),
    *(f"{a}{s}{b}{s}%y" for s in "/.-" for a, b in (("%d", "%m"), ("%m", "%d"))),
    *("%G-W%V", "%GW%V", "%G W%V", "%V/%G", "%G-W%V-%u", "%V. KW %G"),
    *(f"{word}%V{between}%G" for word in ("KW ", "KW", "W", "Week ") for between in ("/", " ", ", ", "-")),
    *("%Y-%j", "%YQ%q", "%Y-Q%q", "%Y Q%q", "%Y/Q%q", "Q%q %Y", "Q%q-%Y", "Q%q/%Y"),
    *("%Y年%m月%d日", "%Y年%m月", "%Y년 %m월 %d일"),
    *("%y-%m-%d", "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y", "%m.%Y"),
    *(f"%d{s}%{m}{s}%{y}" for s in "- /" for m in ("b", "B", "^b", "^B") for y in "Yy"),
    *(
        "%d%^b%Y",
        "%d%b%Y",
        "%d%^b%y",
        "%b%d,%Y",
        "%Y-%b",
        "%Y %b",
        "%Y-%b-%d",
        "%Y %B %d",
        "%Y. %m. %d.",
        "%Y. %B %d.",
        "%Y. %b %d.",
        "%Y_%m_%d",
        "%b '%y",
        "%b ’%y",
        "%A, %d-%b-%y",
        *PACKED_DAYS,
    ),
    *(f"%d de %{m} de %Y" for m in "bB"),
    *(f"%{m} %d, %Y" for m in "bB"),
    *(f"%{m} %d %Y" for m in "bB"),
    *(f"%d. %{m} %Y" for m in "bB"),
    *(f"%{m}{s}%{y}" for s in " -" for m in "bB" for y in "Yy"),
    *(f"%{a}, %d %{m} %Y" for a, m in (("a", "b"), ("A", "B"))),
    *(f"%{a} %d{s}%m{s}%Y" for a in "aA" for s in "/.-"),
    *(f"%{a}, %{m} %d, %Y" for a, m in (("a", "b"), ("A", "B"))),
]
MANY_YEARS, MIN_TEXTS = 3, 20
"""Among so many distinct dates, a reading with so many times the years of another one is wrong."""
_WHOLE = [
    "%d/%b/%Y:%H:%M:%S",
    "%d%^b%Y:%H:%M:%S",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S UTC %Y",
    "%a %b %d %H:%M:%S +0000 %Y",
    "%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)",
    "%Y%m%dT%H%M%S",
    "%Y%m%dT%H%M",
    "%Y%m%d %H%M%S",
    "%Y%m%d-%H%M%S",
    "%Y%m%d_%H%M%S",
    "%Y-%m-%d-%H.%M.%S.%f",
    "%Y-%m-%d-%H.%M.%S",
    "%Y-%m-%d_%H-%M-%S",
    "%Y-%m-%dT%H",
]
"""Timestamps whose clock has no colon, or follows one."""
_ZONE = re.compile(r"(?P<rest>.*?)(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?")
_OFFSET = re.compile(r"%[36]?[SMfpP] ?(?P<sign>[+-])(?P<hours>\d\d)(?::?(?P<minutes>\d\d))?$")
_CLOCK = re.compile(
    r"^(?P<date>.*?)(?P<between>T|,? )?(?P<clock>\d{1,2}[:h]\d\d.*?)(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$"
)


def is_datetime_format(text: object, *, dated: bool = True) -> bool:
    """Whether texts can be read and written in this format; times of day have no date.

    Examples
    --------
    >>> is_datetime_format("%d.%m.%y"), is_datetime_format("%H:%M"), is_datetime_format("%H:%M", dated=False)
    (True, False, True)
    """
    if not isinstance(text, str) or "%" in _CODE.sub("", text) or split_language(text)[1] is None:
        return False
    codes = {_plain_code(code) for code in _CODE.findall(text)}
    if "q" in codes and codes != {"Y", "q"}:
        return False
    is_day = (bool(codes & {"Y", "y"}) and bool(codes & {"m", "B", "b", "q", "j"})) or codes >= {"G", "V"}
    return is_day if dated else bool(codes & {"H", "I"}) and not codes - {"H", "I", "M", "S", "f", "p", "P"}


def _plain_code(code: str) -> str:
    """A code without its flags: d for -d, b for ^b, f for 3f."""
    return code.lstrip("-^123456789")


@cache
def datetime_pattern(text: str) -> str:
    """Pattern of the texts that have this format, leading zeros included."""
    return _pattern_of(text, year="(?:{})")


def _pattern_of(text: str, year: str) -> str:
    """Pattern of a format; ``year`` is a template of the group around the year of an era."""
    (bare, names), era = split_language(text), era_of(text)
    known = (
        _PATTERNS | _month_patterns(names or ENGLISH) | ({"Y": year.format(_year_pattern(era, bare))} if era else {})
    )
    return "".join(re.escape(part) if i % 2 == 0 else known[part] for i, part in enumerate(_CODE.split(bare)))


def _year_pattern(era: Era, bare: str) -> str:
    """Years of Japanese eras have two digits if months have."""
    return (
        era.pattern.replace("[0-9]{1,2}", "[0-9]{2}" if "%m" in bare else "[1-9][0-9]?") if era.names else era.pattern
    )


def _month_patterns(names: MonthNames) -> dict[str, str]:
    found = {"B": names.full, "b": names.short}
    found |= {f"^{code}": tuple(map(str.upper, each)) for code, each in found.items()}
    longest_first = {code: sorted(each, key=len, reverse=True) for code, each in found.items()}
    return {code: f"(?:{'|'.join(map(re.escape, each))})" for code, each in longest_first.items()}


def parse_formatted(texts: Any, form: str) -> Any:
    """Microseconds of an arrow array of texts; null where a text does not have the form.

    Texts of a time of day give microseconds since midnight.

    Examples
    --------
    >>> import pyarrow as pa
    >>> parse_formatted(pa.array(["02/01/1970", "1970"]), "%d/%m/%Y").to_pylist()
    [86400000000, None]
    """
    import pandas as pd
    import pyarrow as pa

    dated = is_datetime_format(form)
    cells = pd.Series(texts.to_numpy(zero_copy_only=False), dtype=object).str.strip()
    if (era := era_of(form)) is not None:
        cells = cells.str.replace(f"^{_pattern_of(form, year='(?P<year>{})')}$", _in_common_era(era), regex=True)
    form, names = split_language(form)
    if names is not None and names != ENGLISH:
        cells = cells.str.replace(
            _month_patterns(names)[_month_code(form)], _in_english(names, _month_code(form)), regex=True
        )
    plain = _CODE.sub(lambda code: "%" + _plain_code(code[1]).replace("P", "p"), form)
    if not dated:
        plain, cells = f"%Y {plain}", "1970 " + cells
    elif "%V" in plain and "%u" not in plain:
        plain, cells = f"{plain} %u", cells + " 1"  # Monday
    elif "%q" in plain:
        plain, cells = "%Y-%m", _first_months(cells, form)
    read = pd.to_datetime(cells, format=plain, errors="coerce", exact=True)
    missing = read.isna().to_numpy()
    ticks = read.to_numpy().astype("datetime64[us]").astype(np.int64)
    return pa.array(np.where(missing, 0, ticks - _offset(form)), mask=missing)


def _in_common_era(era: Era) -> Callable[[re.Match[str]], str]:
    """Call that replaces the year of a date by the Gregorian one."""

    def replaced(found: re.Match[str]) -> str:
        start, stop = (place - found.start() for place in found.span("year"))
        return f"{found[0][:start]}{era.gregorian(found['year']):04d}{found[0][stop:]}"

    return replaced


def _month_code(form: str) -> str:
    """The code of a format that stands for the name of a month."""
    return next((code for code in _CODE.findall(form) if code[-1] in "bB"), "B")


def _in_english(names: MonthNames, code: str) -> Callable[[re.Match[str]], str]:
    """Call that replaces the name of a month by the English one."""
    theirs, ours = (names.full, ENGLISH.full) if code[-1] == "B" else (names.short, ENGLISH.short)
    meaning = {name.lower(): english for name, english in zip(theirs, ours, strict=True)}
    return lambda found: meaning[found[0].lower()]


def _first_months(cells: Any, form: str) -> Any:
    """Texts such as 2023-04 for the quarters of a column."""
    pattern = re.escape(form).replace("%Y", "(?P<year>[0-9]{4})").replace("%q", "(?P<quarter>[1-4])")
    found = cells.str.extract(f"^{pattern}$")
    months = found["quarter"].map({"1": "01", "2": "04", "3": "07", "4": "10"})
    return found["year"] + "-" + months


def format_formatted(microseconds: Floats, form: str) -> list[str]:
    """Texts of datetimes, rounded to the smallest unit that the format shows.

    Examples
    --------
    >>> format_formatted(np.array([86_400e6]), "%-d %B %Y, %I:%M %p")
    ['2 January 1970, 12:00 AM']
    """
    era, (form, names) = era_of(form), split_language(form)
    size = _smallest_unit(form)
    local = np.asarray(microseconds, dtype=np.float64) + _offset(form)
    ticks = np.rint(local / size).astype(np.int64) * size
    parts = _CODE.split(form)
    fields = _Fields(ticks, names or ENGLISH)
    columns = [[part] * len(ticks) if i % 2 == 0 else fields.texts(part) for i, part in enumerate(parts)]
    if era is not None:
        dates = day_triples(*(fields.numbers[code] for code in "Ymd"))
        columns[2 * _CODE.findall(form).index("Y") + 1] = era.texts(dates, padded="%m" in form)
    return list(map("".join, zip(*columns, strict=True)))


def _offset(form: str) -> int:
    """Microseconds by which the format's time zone is ahead of UTC."""
    found = _OFFSET.search(form)
    if found is None:
        return 0
    minutes = int(found["hours"]) * 60 + int(found["minutes"] or 0)
    return (-minutes if found["sign"] == "-" else minutes) * 60_000_000


def _smallest_unit(form: str) -> int:
    codes = {code.lstrip("-") for code in _CODE.findall(form)}
    decimals = ((f"{n}f", 10 ** max(6 - n, 0)) for n in range(1, 10))
    units = (("f", 1), *decimals, ("S", 10**6), ("M", 60 * 10**6), ("H", 3600 * 10**6))
    return next((size for code, size in units if code in codes), 86_400 * 10**6)


class _Fields:
    """Parts of datetimes: years, months, days and so on."""

    def __init__(self, ticks: LongInts, names: MonthNames = ENGLISH) -> None:
        self.names = names
        stamps = ticks.astype("datetime64[us]")
        months, days = stamps.astype("datetime64[M]"), stamps.astype("datetime64[D]")
        clock = ticks - days.astype("datetime64[us]").astype(np.int64)
        hours = clock // 3_600_000_000
        self.numbers: dict[str, Array] = {
            "Y": stamps.astype("datetime64[Y]").astype(np.int64) + 1970,
            "m": months.astype(np.int64) % 12 + 1,
            "d": (days - months).astype(np.int64) + 1,
            "H": hours,
            "I": (hours + 11) % 12 + 1,
            "M": clock // 60_000_000 % 60,
            "S": clock // 1_000_000 % 60,
            "f": clock % 1_000_000,
        }
        self.numbers["y"] = self.numbers["Y"] % 100
        self.weekday = (days.astype(np.int64) + 3) % 7
        self.numbers["u"] = self.weekday + 1
        thursdays = days - self.weekday.astype("timedelta64[D]") + np.timedelta64(3, "D")  # a week's year is its own
        self.numbers |= {
            "q": (self.numbers["m"] + 2) // 3,
            "j": _day_of_year(days),
            "G": thursdays.astype("datetime64[Y]").astype(np.int64) + 1970,
            "V": (_day_of_year(thursdays) - 1) // 7 + 1,
        }

    def texts(self, code: str) -> list[str]:
        """Texts of one code."""
        plain = _plain_code(code)
        if plain in "bBaA":
            names = {"B": self.names.full, "b": self.names.short, "A": DAYS, "a": [day[:3] for day in DAYS]}[plain]
            places = self.numbers["m"] - 1 if plain in "bB" else self.weekday
            texts = [names[place] for place in places.tolist()]
            return [text.upper() for text in texts] if code[0] == "^" else texts
        if plain in "pP":
            halves = ("AM", "PM") if plain == "p" else ("am", "pm")
            return [halves[hour >= 12] for hour in self.numbers["H"].tolist()]
        if plain == "f" and code != plain:
            return [f"{number:06d}"[: int(code[0])].ljust(int(code[0]), "0") for number in self.numbers["f"].tolist()]
        width = 0 if code[0] == "-" else {"Y": 4, "G": 4, "f": 6, "j": 3, "q": 1, "u": 1}.get(plain, 2)
        return [f"{number:0{width}d}" for number in self.numbers[plain].tolist()]


def _day_of_year(days: Array) -> Array:
    return np.asarray((days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(np.int64) + 1)


def infer_datetime_formats(texts: Any) -> list[str]:
    """Formats in which all texts of an arrow array are dates or times; more than one if day and month are unclear.

    Examples
    --------
    >>> import pyarrow as pa
    >>> infer_datetime_formats(pa.array(["19/08/2023", "01/02/2023"]))
    ['%d/%m/%Y']
    >>> infer_datetime_formats(pa.array(["03/08/2023", "01/02/2023"]))
    ['%m/%d/%Y', '%d/%m/%Y']
    """
    import pyarrow.compute as pc

    if len(texts) == 0 or not (first := texts[0].as_py().strip()):
        return []
    found: dict[str, str] = {}
    for form in _candidates(first):
        meaning = split_language(form)[0].replace("%-", "%").replace("%^", "%").replace("%B", "%b")
        if meaning in found:
            continue
        if (form in PACKED_DAYS and len(texts) < MIN_TEXTS) or not shows_era(form, texts):
            continue
        fits = pc.match_substring_regex(texts, rf"^\s*{datetime_pattern(form)}\s*$")
        if pc.all(fits).as_py() and not parse_formatted(texts, form).null_count:
            found[meaning] = form
    return _likeliest_first(texts, list(found.values()))


def _candidates(text: str) -> list[str]:
    """Formats that one text has, those with leading zeros first."""
    split = _ZONE.fullmatch(text)
    if split is not None and (whole := _matching(split["rest"], _WHOLE)):
        return [form + (split["zone"] or "") for form in whole]
    apart = _CLOCK.match(text)
    if apart is None:
        return _matching_dates(text)
    clocks = [clock + (apart["zone"] or "") for clock in _matching(apart["clock"], _TIMES)]
    if not apart["date"]:
        return clocks
    between = apart["between"] or ""
    return [_before_tag(date, between + clock) for date in _matching_dates(apart["date"]) for clock in clocks]


def _before_tag(date: str, rest: str) -> str:
    """A format of dates and what follows it, with the language or era at the end."""
    bare = split_language(date)[0]
    return bare + rest + date.removeprefix(bare)


def _matching_dates(text: str) -> list[str]:
    """Formats of a text without time; with the language, if it has the name of a month in another than English."""
    found = _matching(text, forms_with_eras(text, _DATES)) + _matching(text, _DATES)
    if named := languages_of(text):
        forms = [form for form in _DATES if "b" in form.lower() and "%a" not in form.lower()]
        found += [form for code in named for form in _matching(text, [f"{form}{{{code}}}" for form in forms])]
    return found


def _matching(text: str, forms: list[str]) -> list[str]:
    variants = [variant for form in forms for variant in (form, *_without_zeros(form))]
    return [form for form in variants if re.fullmatch(datetime_pattern(form), text)]


def _without_zeros(form: str) -> list[str]:
    """The format without leading zeros; versions such as 1.2.10 are no dates."""
    if form in (*_WHOLE, *PACKED_DAYS):
        return []
    bare = re.sub(r"%([dmHIV])", r"%-\1", form)
    partly = re.sub(r"%d", r"%-d", form)
    return [] if form.endswith(".%y") else [other for other in dict.fromkeys((bare, partly)) if other != form]


def _likeliest_first(texts: Any, forms: list[str]) -> list[str]:
    """Order formats that differ in day, month and year.

    Monthly tables have day 1; slashes put the month first. Days vary more than years do: readings with many more years
    than another one are left out.
    """
    if len(forms) < 2:
        return forms
    forms = [form for form in forms if form != "%V/%G"]  # weeks only where some of them are no months

    def rank(form: str) -> tuple[bool, int, bool]:
        days = parse_formatted(texts, form).to_numpy().astype("datetime64[us]").astype("datetime64[D]")
        on_first = bool((days == days.astype("datetime64[M]")).all())
        month_first = form.startswith(("%m", "%-m"))
        return not on_first, len(np.unique(days.astype("datetime64[Y]"))), month_first != ("/" in form)

    ordered = sorted(forms, key=rank)
    most = MANY_YEARS * rank(ordered[0])[1] if len(texts) >= MIN_TEXTS else np.inf
    return [form for form in ordered if rank(form)[1] <= most]
