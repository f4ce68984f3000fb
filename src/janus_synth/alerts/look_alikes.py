"""What texts of no common format look like: patterns of dates, times, durations and numbers, each with a remedy.

A remedy is a line of Python with ``{c}`` in the place of ``df['column']``, or ``COLUMNS``: a column of each number.
"""

from __future__ import annotations

import re

from janus_synth.alerts.dates import CONVERT
from janus_synth.alerts.frames import common_frames, extraction

_LIKE_DATE = re.compile(
    r"(?!\d+ days|\d\.? ?(?:[Qq]|trim))(?:[^\W\d]{2,10},? )?(?:(?:19|20)\d\d[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/. ]\d{1,2}"
    r"|\d{1,2}(?:\.|st|nd|rd|th)?(?: of)?(?: de)?[-/. ](?:\d{1,2}|[^\W\d]{3,9}\.?)(?: de)?[-/., ]{1,2}(?:19|20)?\d{2}"
    r"|[^\W\d]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?:[T ,:(].{1,24})?"
)
_LIKE_TIME = re.compile(
    r"\d{1,2}(?:[:.h][0-5]\d){0,2} ?[AaPp]\.? ?[Mm]\.?|(?:[01]?\d|2[0-3])[:h][0-5]\d(?: ?(?:Uhr|h|hrs))?"
    r"|(?:[01]?\d|2[0-3])\.[0-5]\d ?(?:Uhr|h)"
)
_LIKE_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_LIKE_DURATION = re.compile(
    r"-?\d{1,4}:\d\d(?::\d\d(?:\.\d+)?)?|(?:\d+ ?(?:d|h|m|min|s|hrs?|days?|hours?|minutes?) ?){1,4}"
    r"|-?P(?=.)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?|\d+ days?,? \d{1,2}:\d\d:\d\d"
)
_LIKE_ISO_SPAN = re.compile(r"-?P(?=.)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?")
_LIKE_SPAN = re.compile(
    r"(?:\d+ ?(?:y|yrs?|years?|mo|mos|mths?|months?|w|wks?|weeks?|d|days?),? ?(?:and |& )?){2,4}", re.IGNORECASE
)
_NUMBER = r"(?!0\d)\d{1,15}(?:[,' \u00a0.]\d{3})*(?:[.,]\d+)?"
_LIKE_NUMBER = re.compile(
    r"['\"]?(?:(?:ca|approx)\.? ?|(?:about|circa|around) )?"
    rf"[-+(~≈<>≤≥]{{0,2}}=? ?(?:[$€£¥₹] ?)?{_NUMBER} ?[A-Za-z%€$£¥]{{0,5}}\)?['\"]?"
)
_LIKE_PAIR = re.compile(rf"\(?[-+]?{_NUMBER}(?: ?[/x×;|+] ?|, ?)[-+]?{_NUMBER}\)?(?: ?[A-Za-z]{{1,4}})?")
_LIKE_ANGLE = re.compile(
    r"-?\d{1,3}° ?(?:\d{1,2}(?:\.\d+)?['′] ?)?(?:\d{1,2}(?:\.\d+)?[\"″] ?)?[NSEWO]?"
    r"|\d{1,2}['′] ?\d{1,2}[\"″]?"
)
_LIKE_PLACE = re.compile(rf"(?:{_LIKE_ANGLE.pattern}),? ?(?:{_LIKE_ANGLE.pattern})")
_LIKE_PACE = re.compile(r"\d{1,3}[:'′]\d\d[\"″]? ?(?:min)? ?/ ?[A-Za-z]{1,6}")
_LIKE_OTHER_CALENDAR = re.compile(
    r"1[34]\d\d[-/.](?:0?[1-9]|1[0-2])[-/.][0-3]?\d|[0-3]?\d[-/.](?:0?[1-9]|1[0-2])[-/.]1[34]\d\d"
)
_PART = r"(?:\d{1,2}|[xX?]{1,2})"
_LIKE_UNSURE = re.compile(rf"(?:{_PART}[-/.]){{1,2}}(?:19|20)\d\d ?\??|(?:19|20)\d\d(?:[-/.]{_PART}){{1,2}} ?\??")
_IS_UNSURE = re.compile(r".*[xX?].*")
_LIKE_PRECISE = re.compile(r"(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?)?")
"""Years beside months or days."""
_DAY = r"(?:\d{1,2}[-/.]\d{4}|\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}(?:[-/.](?:\d{4}|\d\d)?)?)"
_LIKE_STAY = re.compile(rf"{_DAY} ?(?:-|–|—|/|~|to|bis|au|until) ?{_DAY}")
_IS_STAY = re.compile(r".*(?:19|20)\d\d.*")
_LIKE_SHIFT = re.compile(r"[^\W\d]{2,9}\.?,? (?:[01]?\d|2[0-3])[:.h][0-5]\d")
_LIKE_SHORT_WEEK = re.compile(r"(?:KW|CW|WK?|Week) ?\d{1,2}(?:[/-]|, ?| )\d\d")
_LIKE_NET_DATE = re.compile(r"/?Date\(\d{12,13}(?:[+-]\d{4})?\)/?")
_LIKE_FILE_TIME = re.compile(r"1[23]\d{16}")
_LIKE_MINUTES = re.compile(r"-?\d{1,4}:[0-5]\d(?:\.\d+)?")
_STEMS = (
    "jan|f[eé][bv]|m[aä]r|maa|mrt|maer|avr|apr|abr|mai|maj|mei|may|mag|ju[nli]|giu|lug|ao[uû]|aug|ago|sie|sep|set|wrz|o[ck]t|out|"
    "ott|pa[zź]|nov|lis|d[eé][cz]|dic|gru|ene|gen|sty|lut|kwi|cze|lip"
)
_LIKE_DAY = re.compile(
    r"(?:0[1-9]|[12]\d|3[01])[./-](?:0[1-9]|1[0-2])\.?|(?:0[1-9]|1[0-2])[/-](?:0[1-9]|[12]\d|3[01])"
    rf"|(?:0?[1-9]|[12]\d|3[01])[-. ]{{1,2}}(?:{_STEMS})[^\W\d]{{0,8}}\.?"
    rf"|(?:{_STEMS})[^\W\d]{{0,8}}\.? (?:0?[1-9]|[12]\d|3[01])",
    re.IGNORECASE,
)
_LIKE_MONTH = re.compile(rf"(?:{_STEMS})[^\W\d]{{0,8}}\.?(?: de)? (?:19|20)\d\d", re.IGNORECASE)
"""Months of a year in English, French, German, Spanish, Italian, Portuguese, Dutch or Polish."""
_LIKE_EXPONENT = re.compile(r"[-+]?\d+(?:,\d+)?[eE][-+]?\d{1,3}")
_LIKE_UNDERSCORES = re.compile(r"[-+]?[1-9]\d{0,2}(?:_\d{3})*(?:\.\d+)?")
_LIKE_POWER = re.compile(r"[-+]?\d+(?:[.,]\d+)? ?[x×*·] ?10(?:\^-?\d{1,3}|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_LIKE_FRACTION = re.compile(r"-?\d+|-?(?:\d+ )?\d{1,3}/(?:2|3|4|5|6|8|10|12|16|32|64)|\d*[¼½¾⅓⅔⅛⅜⅝⅞]")
_IS_FRACTION = re.compile(r"-?\d+ \d+/\d+|1/[2-8]|\d*[¼½¾⅓⅔⅛⅜⅝⅞]")
_LIKE_SERIAL = re.compile(rf"[2-5]\d{{4}}(?:\.\d+)?|{_LIKE_DATE.pattern}")
_LIKE_FOREIGN_DIGITS = re.compile(r"[-+]?(?=.*[^\x00-\x7f])\d+(?:[.,٫]\d+)?")
_LIKE_UNIT = re.compile(rf"[-+~≈<>≤≥]?=? ?{_NUMBER} ?[A-Za-z]{{1,5}}")
_LIKE_ERROR = re.compile(rf"[-+]?{_NUMBER} ?(?:±|\+/-|\+-) ?{_NUMBER}(?: ?[A-Za-z%]{{1,5}})?")
_LIKE_POINT = re.compile(rf"(?:POINT ?)?[\[({{] ?[-+]?{_NUMBER}(?:, ?| )[-+]?{_NUMBER} ?[\])}}]")

COLUMNS = "make a column of each number"
ONE_FORMAT = "write them all in one format, for example"
_MIXED = f"{ONE_FORMAT} {{c}} = pd.to_datetime({{c}}, format='mixed')"
_NUMBER_AND_UNIT = "df[[{n!r}, {u!r}]] = {c}.str.extract(r'([-+]?\\d+(?:\\.\\d+)?) ?(.*)').astype({{0: float}})"
_POWERS = (
    r"{c} = {c}.str.replace(r' ?[x×*·] ?10\^?', 'e', regex=True)"
    r".str.normalize('NFKC').str.replace('−', '-').astype(float)"
)
_SERIALS = (
    "{c} = pd.to_datetime(pd.to_numeric({c}, errors='coerce'), unit='D', origin='1899-12-30')"
    ".fillna(pd.to_datetime({c}, format='mixed', dayfirst=True, errors='coerce'))"
)
_FRACTIONS = "{c} = {c}.map(lambda text: float(sum(map(fractions.Fraction, text.split()))))"
_PACE = "{c} = pd.to_timedelta('0:' + {c}.str.extract(r'(\\d+\\D\\d\\d)')[0].str.replace(r'\\D', ':', regex=True))"
_UNSURE = "{c} = pd.to_datetime({c}.str.rstrip('? '), format='mixed', dayfirst=True, errors='coerce')"
_STAY = "df[['{n}_1', '{n}_2']] = {c}.str.extract(r'^(.{{4,10}}?) ?(?:-|–|—|/|~|to|bis|au|until) ?(\\S{{6,10}})$')"
_SHIFT = "df[['{n}_day', '{n}_time']] = {c}.str.split(n=1, expand=True)"
_NET_DATE = "{c} = pd.to_datetime({c}.str.extract(r'(\\d+)')[0].astype('int64'), unit='ms')"
_FILE_TIME = "{c} = pd.to_datetime(({c}.astype('int64') - 116444736000000000) // 10, unit='us')"
_SIGNS = "{c} = pd.to_numeric({c}.str.replace(r'[^0-9.-]', '', regex=True))"
UNSURE = "dates of which some are not certain"
PRECISE = "years, months or days in one column"
STAYS = "two dates in one text"
UNDERSCORES = "numbers with underscores"
SPANS = "spans of years and months"
_DECIMAL_COMMAS = "{c} = pd.to_numeric({c}.str.replace(r'[^0-9,-]', '', regex=True).str.replace(',', '.'))"
LOOK_ALIKES = (
    ("date-text", STAYS, _LIKE_STAY, _STAY),
    ("date-text", "dates", _LIKE_DATE, _MIXED),
    ("date-text", UNSURE, _LIKE_UNSURE, _UNSURE),
    ("date-text", PRECISE, _LIKE_PRECISE, "{c} = pd.to_datetime({c}, format='ISO8601')"),
    ("date-text", "dates of the Persian or Islamic calendar", _LIKE_OTHER_CALENDAR, CONVERT),
    (
        "date-text",
        "weeks with a short year",
        _LIKE_SHORT_WEEK,
        "{c} = {c}.str.replace(r'(?=\\d\\d$)', '20', regex=True)",
    ),
    ("date-text", "milliseconds since 1970", _LIKE_NET_DATE, _NET_DATE),
    ("date-text", "hundreds of nanoseconds since 1601, as Windows counts them", _LIKE_FILE_TIME, _FILE_TIME),
    ("date-text", "months", _LIKE_MONTH, _MIXED),
    ("date-text", "times of day", _LIKE_TIME, f"{ONE_FORMAT} {{c}} = pd.to_datetime({{c}}, format='mixed').dt.time"),
    ("date-text", "times of day", _LIKE_CLOCK, "{c} = {c}.str[:2] + ':' + {c}.str[2:]"),
    ("date-text", "weekdays and times of day", _LIKE_SHIFT, _SHIFT),
    ("date-text", "minutes and seconds per unit", _LIKE_PACE, _PACE),
    ("date-text", "minutes and seconds", _LIKE_MINUTES, "{c} = pd.to_timedelta('0:' + {c})"),
    ("date-text", SPANS, _LIKE_ISO_SPAN, COLUMNS),
    ("date-text", "durations", _LIKE_DURATION, "{c} = pd.to_timedelta({c})"),
    ("date-text", "days without a year", _LIKE_DAY, "add the year, such as {c} + '/2024', and use pd.to_datetime"),
    ("number-text", "ages or spans", _LIKE_SPAN, COLUMNS),
    ("date-text", "dates beside days as spreadsheets count them", _LIKE_SERIAL, _SERIALS),
    ("number-text", "numbers", _LIKE_FOREIGN_DIGITS, "{c} = {c}.map(float)"),
    ("number-text", UNDERSCORES, _LIKE_UNDERSCORES, "{c} = pd.to_numeric({c}.str.replace('_', ''))"),
    ("number-text", "numbers", _LIKE_POWER, _POWERS),
    ("number-text", "numbers", _LIKE_EXPONENT, "{c} = pd.to_numeric({c}.str.replace(',', '.'))"),
    ("number-text", "fractions", _LIKE_FRACTION, _FRACTIONS),
    ("number-text", "numbers of several units", _LIKE_UNIT, _NUMBER_AND_UNIT),
    ("number-text", "numbers", _LIKE_NUMBER, _SIGNS),
    ("number-text", "angles or lengths", _LIKE_ANGLE, COLUMNS),
    ("number-text", "pairs of angles", _LIKE_PLACE, COLUMNS),
    ("number-text", "numbers with an error", _LIKE_ERROR, COLUMNS),
    ("number-text", "pairs of numbers", _LIKE_PAIR, COLUMNS),
    ("number-text", "pairs of numbers", _LIKE_POINT, COLUMNS),
)
"""Kind of alert, what the texts look like, the pattern of nearly all of them, and the remedy; the likeliest first."""
NEEDED = {
    "fractions": _IS_FRACTION,
    "dates beside days as spreadsheets count them": _LIKE_DATE,
    UNSURE: _IS_UNSURE,
    PRECISE: re.compile(r"\d{4}-\d\d"),
    STAYS: _IS_STAY,
    UNDERSCORES: re.compile(r".*_.*"),
    SPANS: re.compile(r"-?P[^T]*[YM].*"),
}
"""What at least one of the texts must be."""


def _numbers_of(texts: list[str]) -> str:
    """Line that reads numbers with signs and marks; words where commas or thousands (65k) leave no single reading."""
    commas = [text for text in texts if "," in text]
    if any(re.search(r"\d ?[kKmMbB]\b", text) for text in texts):
        return f"{ONE_FORMAT} with pd.to_numeric"
    if all(re.search(r"\d,\d{3}(?!\d)", text) for text in commas):
        return _SIGNS
    return f"{ONE_FORMAT} with pd.to_numeric" if any("." in text for text in texts) else _DECIMAL_COMMAS


def remedy_for(name: str, what: str, remedy: str, texts: list[str]) -> str:
    """The remedy for a column.

    >>> remedy_for("time", "durations", "{c} = pd.to_timedelta({c})", ["1h 5m"])
    "df['time'] = pd.to_timedelta(df['time'])"
    """
    if remedy == COLUMNS:
        parts = common_frames(texts)
        return COLUMNS if parts is None else extraction(name, parts)
    if remedy == _SIGNS:
        remedy = _numbers_of(texts)
    if what == "fractions" and any(not text.isascii() for text in texts):
        halves = "sum(unicodedata.numeric(c) for c in text if not c.isascii())"
        remedy = f"{{c}} = {{c}}.map(lambda text: float(re.match(r'\\d*', text)[0] or 0) + {halves})"
    return remedy.format(c=f"df[{name!r}]", n=name, u=f"{name}_unit")
