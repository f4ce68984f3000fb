"""Text columns in; alerts about dates and numbers among them, and about formats that are unclear, out."""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.identities import is_hierarchy
from janus_synth.table import Column
from janus_synth.table.texts import TextForm, recognise

MIN_NUMBERS = 50
"""With fewer distinct texts, plain integers as text are taken for codes."""
MIN_TEXTS = 10
"""With fewer distinct texts, those without a common format are not questioned."""
MOST_LIKE = 0.9
"""Share of the texts that must look like dates or numbers if no format fits all of them."""
MOST_EXAMPLES = 3

_LIKE_DATE = re.compile(
    r"(?:[^\W\d]{2,10},? )?(?:(?:19|20)\d\d[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/. ]\d{1,2}"
    r"|\d{1,2}(?:\.|st|nd|rd|th)?(?: of)?(?: de)?[-/. ](?:\d{1,2}|[^\W\d]{3,9}\.?)(?: de)?[-/., ]{1,2}(?:19|20)?\d{2}"
    r"|[^\W\d]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?:[T ,:].{1,24})?"
)
_LIKE_TIME = re.compile(
    r"\d{1,2}(?:[:.h][0-5]\d){0,2} ?[AaPp]\.? ?[Mm]\.?|(?:[01]?\d|2[0-3])[:h][0-5]\d(?: ?(?:Uhr|h|hrs))?"
    r"|(?:[01]?\d|2[0-3])\.[0-5]\d ?(?:Uhr|h)"
)
_LIKE_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_LIKE_DURATION = re.compile(
    r"-?\d{1,4}:\d\d(?::\d\d(?:\.\d+)?)?|(?:\d+ ?(?:d|h|m|min|s|hrs?|days?|hours?|minutes?) ?){2,4}"
    r"|-?P(?=.)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?|\d+ days?,? \d{1,2}:\d\d:\d\d"
)
_LIKE_SPAN = re.compile(
    r"(?:\d+ ?(?:y|yrs?|years?|mo|mos|mths?|months?|w|wks?|weeks?|d|days?),? ?(?:and |& )?){2,4}", re.IGNORECASE
)
_NUMBER = r"(?!0\d)\d{1,15}(?:[,' \u00a0.]\d{3})*(?:[.,]\d+)?"
_LIKE_NUMBER = re.compile(rf"['\"]?[-+(~≈<>≤≥]{{0,2}}=? ?(?:[$€£¥₹] ?)?{_NUMBER} ?[A-Za-z%€$£¥]{{0,5}}\)?['\"]?")
_LIKE_PAIR = re.compile(rf"\(?[-+]?{_NUMBER}(?: ?[/x×;|] ?|, ?)[-+]?{_NUMBER}\)?(?: ?[A-Za-z]{{1,4}})?")
_LIKE_ANGLE = re.compile(
    r"-?\d{1,3}° ?(?:\d{1,2}(?:\.\d+)?['′] ?)?(?:\d{1,2}(?:\.\d+)?[\"″] ?)?[NSEWO]?"
    r"|\d{1,2}['′] ?\d{1,2}[\"″]?"
)
_LIKE_MINUTES = re.compile(r"-?\d{1,4}:[0-5]\d")
_STEMS = (
    "jan|f[eé][bv]|m[aä]r|maa|mrt|maer|avr|apr|abr|mai|maj|mei|may|mag|ju[nli]|giu|lug|ao[uû]|aug|ago|sie|sep|set|wrz|o[ck]t|out|"
    "ott|pa[zź]|nov|lis|d[eé][cz]|dic|gru|ene|gen|sty|lut|kwi|cze|lip"
)
_LIKE_MONTH = re.compile(rf"(?:{_STEMS})[^\W\d]{{0,8}}\.?(?: de)? (?:19|20)\d\d", re.IGNORECASE)
"""Months of a year in English, French, German, Spanish, Italian, Portuguese, Dutch or Polish."""
_FOREIGN = re.compile(r"[^\W\d_]{3,}")
_LIKE_EXPONENT = re.compile(r"[-+]?\d+(?:,\d+)?[eE][-+]?\d{1,3}")
_LIKE_FOREIGN_DIGITS = re.compile(r"[-+]?(?=.*[^\x00-\x7f])\d+(?:[.,٫]\d+)?")
_LIKE_UNIT = re.compile(rf"[-+~≈<>≤≥]?=? ?{_NUMBER} ?[A-Za-z]{{1,5}}")
_LIKE_ERROR = re.compile(rf"[-+]?{_NUMBER} ?(?:±|\+/-|\+-) ?{_NUMBER}(?: ?[A-Za-z%]{{1,5}})?")
_LIKE_POINT = re.compile(rf"(?:POINT ?)?[\[({{] ?[-+]?{_NUMBER}(?:, ?| )[-+]?{_NUMBER} ?[\])}}]")
_ONE_FORMAT = "write them all in one format, for example with"
_LIKE = (
    ("date-text", "dates", _LIKE_DATE, f"{_ONE_FORMAT} pd.to_datetime(..., format='mixed')"),
    ("date-text", "months", _LIKE_MONTH, f"{_ONE_FORMAT} pd.to_datetime(..., format='mixed')"),
    ("date-text", "times of day", _LIKE_TIME, f"{_ONE_FORMAT} pd.to_datetime"),
    ("date-text", "times of day", _LIKE_CLOCK, "write a colon: texts.str[:2] + ':' + texts.str[2:]"),
    ("date-text", "minutes and seconds", _LIKE_MINUTES, "add the hours: pd.to_timedelta('0:' + texts)"),
    ("date-text", "durations", _LIKE_DURATION, f"{_ONE_FORMAT} pd.to_timedelta"),
    ("number-text", "ages or spans", _LIKE_SPAN, "convert them to numbers of one unit, such as months"),
    ("number-text", "numbers", _LIKE_FOREIGN_DIGITS, f"{_ONE_FORMAT} texts.map(float)"),
    ("number-text", "numbers", _LIKE_EXPONENT, "write a decimal point: pd.to_numeric(texts.str.replace(',', '.'))"),
    ("number-text", "numbers of several units", _LIKE_UNIT, "convert them to numbers in one unit"),
    ("number-text", "numbers", _LIKE_NUMBER, f"{_ONE_FORMAT} pd.to_numeric"),
    (
        "number-text",
        "angles or lengths",
        _LIKE_ANGLE,
        f"{_ONE_FORMAT} a number of degrees, or of one unit",
    ),
    ("number-text", "numbers with an error", _LIKE_ERROR, "make them two columns"),
    ("number-text", "pairs of numbers", _LIKE_PAIR, "make them two columns"),
    ("number-text", "pairs of numbers", _LIKE_POINT, "make them two columns"),
)


def text_alerts(column: Column, texts: list[str]) -> Iterator[Alert]:
    """Alert if the distinct texts of a column that is learnt as text are dates or numbers."""
    import pyarrow as pa

    form = recognise(pa.array(texts, pa.large_string())) if texts else None
    learnt = (
        "not learnt; rows get made-up texts" if not column.is_learnt else f"learnt as {len(texts):,} unrelated levels"
    )
    if is_hierarchy(column.name, texts) and (form is None or (form.kind == "numeric" and not form.format)):
        return  # postal codes are no numbers, with or without leading zeros
    if form is not None and form.kind in ("numeric", "datetime"):
        if form.kind == "datetime" or form.format or len(texts) >= MIN_NUMBERS:
            yield _typed_alert(column.name, form, texts, learnt)
    elif len(texts) >= MIN_TEXTS:
        yield from _similar_alert(column.name, texts, learnt)


def _typed_alert(name: str, form: TextForm, texts: list[str], learnt: str) -> Alert:
    what = "dates" if form.kind == "datetime" else "times" if "%" in (form.format or "")[:1] else "numbers"
    message = f"{what} stored as text, such as {_quote_examples(texts)}"
    if form.stray:
        message += f", beside {_quote_examples(list(form.stray))}"
    if form.others:
        message += f"; they could also be {' or '.join(form.others)}"
    changes = {**form.changes, **({"missing": [*form.missing, *form.stray]} if form.stray else {})}
    kind = "number-text" if what == "numbers" else "date-text"
    quoted = [_quote_examples(texts)]
    if form.stray:
        quoted += [
            _quote_examples(list(form.stray)),
            *(json.dumps(word, ensure_ascii=False) for word in form.stray),
            *(f"'{name}={word}'" for word in form.stray),
        ]
    return make_alert(name, kind, message, learnt, changes=changes, quoted=quoted)


def _similar_alert(name: str, texts: list[str], learnt: str) -> Iterator[Alert]:
    """Alert about texts that look like dates, numbers or nested values in no common format."""
    for kind, what, pattern, remedy in _LIKE:
        if _share(texts, pattern.fullmatch) >= MOST_LIKE:
            message = f"{what} stored as text in no common format, such as {_quote_examples(texts)}"
            if kind == "date-text" and "mixed" in remedy and not _are_english(texts):
                remedy = "replace the names of months by numbers, such as 2024-03-19"
            yield make_alert(name, kind, message, learnt, remedy=remedy, quoted=[_quote_examples(texts)])
            return
    if _share(texts, _is_nested) >= MOST_LIKE:
        message = f"JSON stored as text, such as {_quote_examples(texts)}"
        remedy = f"make its fields columns: pd.json_normalize(df[{name!r}].map(json.loads))"
        yield make_alert(name, "nested-text", message, learnt, remedy=remedy, quoted=[_quote_examples(texts)])


def _share(texts: list[str], holds: Callable[[str], object]) -> float:
    """Share of the texts for which a call returns something true."""
    return sum(bool(holds(text)) for text in texts) / len(texts)


def _are_english(texts: list[str]) -> bool:
    """Whether all names of months and weekdays are English."""
    words = {word.lower()[:3] for text in texts for word in _FOREIGN.findall(text)}
    return words <= {name.lower()[:3] for name in (*calendar.month_name, *calendar.day_name)}


def _is_nested(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def format_alerts(column: Column, form: Mapping[str, Any]) -> Iterator[Alert]:
    """Alert if a column of a file was read in one of several possible formats."""
    others = form.get("others") or ()
    if not others or not column.format:
        return
    kind = "ambiguous-date" if column.kind == "datetime" else "ambiguous-number"
    message = f"read as {column.format}, but {' or '.join(others)} fits all cells as well"
    effect = (
        "if that is wrong, day and month are swapped" if column.kind == "datetime" else "if that is wrong, values are"
    )
    effect += "" if column.kind == "datetime" else " a thousand times too large or small"
    yield make_alert(column.name, kind, message, effect, changes={"kind": column.kind, "format": others[0]})


def _quote_examples(texts: list[str]) -> str:
    return ", ".join(repr(text if len(text) <= 24 else f"{text[:23]}…") for text in texts[:MOST_EXAMPLES])
