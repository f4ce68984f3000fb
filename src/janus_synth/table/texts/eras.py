"""The code of an era in; its pattern of years, and the years of both calendars, out.

A format of dates ends in the era's code in braces, ``%d/%m/%Y{be}``: ``be`` is the Buddhist era (2566 is 2023), ``roc``
that of Taiwan (112), and ``ja`` and ``jp`` are the Japanese ones, by name (令和5) and by letter (R5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from janus_synth.arrays import LongInts

_STARTS = ((2019, 5, 1), (1989, 1, 8), (1926, 12, 25), (1912, 7, 30), (1868, 1, 25))
"""First days of the Japanese eras, the latest first."""
_NAMES, _LETTERS = ("令和", "平成", "昭和", "大正", "明治"), ("R", "H", "S", "T", "M")
_FIRST = "元"
"""How the first year of a named era is read; it is written as 1."""


class Era(NamedTuple):
    """A way to count years: ahead of the Gregorian ones by ``ahead``, or anew in each of the Japanese eras."""

    pattern: str
    ahead: int = 0
    names: tuple[str, ...] = ()

    def gregorian(self, text: str) -> int:
        """Gregorian year of the text of a year.

        >>> ERAS["be"].gregorian("2566"), ERAS["roc"].gregorian("112"), ERAS["ja"].gregorian("令和5")
        (2023, 2023, 2023)
        """
        if not self.names:
            return int(text) - self.ahead
        place = next(i for i, name in enumerate(self.names) if text.startswith(name))
        number = text.removeprefix(self.names[place])
        return _STARTS[place][0] + (1 if number == _FIRST else int(number)) - 1

    def texts(self, days: Sequence[tuple[int, int, int]], *, padded: bool) -> list[str]:
        """Texts of the years of some days; ``padded`` years of Japanese eras have two digits."""
        return [self._text(day, padded) for day in days]

    def _text(self, day: tuple[int, int, int], padded: bool) -> str:
        if not self.names:
            return str(day[0] + self.ahead)
        place = next((i for i, start in enumerate(_STARTS) if day >= start), len(_STARTS) - 1)
        number = max(day[0] - _STARTS[place][0] + 1, 1)
        return f"{self.names[place]}{number:02d}" if padded else f"{self.names[place]}{number}"


def _japanese(names: tuple[str, ...], first: str) -> Era:
    return Era(f"(?:{'|'.join(names)})(?:{first}[0-9]{{1,2}})", names=names)


ERAS = {
    "be": Era("2[45][0-9]{2}", ahead=543),
    "th": Era("2[45][0-9]{2}", ahead=543),
    "roc": Era("[1-9][0-9]{1,2}", ahead=-1911),
    "ja": _japanese(_NAMES, f"{_FIRST}|"),
    "jp": _japanese(_LETTERS, ""),
}
"""Eras by the code of a format; Thai names of months go with the Buddhist era."""
_TAG = re.compile(r".*\{(?P<code>[a-z_]+)\}", re.DOTALL)
_SLASHED = [f"%Y{s}%m{s}%d" for s in "/.-"]
_CHINESE = ["%Y年%m月%d日", "%Y年%m月"]
_FORMS = {
    "ja": _CHINESE,
    "jp": [*_SLASHED, *_CHINESE],
    "roc": [*_SLASHED, *(f"{start}{form}" for start in ("民國", "民国", "中華民國") for form in _CHINESE)],
}
MIN_TEXTS = 20
"""Fewer texts without the name of an era may be keys."""
_SIGNS = {
    "be": re.compile(r"(?<!\d)2[45]\d\d(?!\d)"),
    "ja": re.compile("|".join(_NAMES)),
    "jp": re.compile(r"[RHSTM]\d{1,2}\D"),
    "roc": re.compile(r"民[國国]|(?<!\d)\d{2,3}[/.-]\d{1,2}[/.-]\d{1,2}(?!\d)"),
}
"""What shows that a text may be a date of an era."""


def era_of(form: str) -> Era | None:
    """Era of a format of dates; None for Gregorian years.

    >>> era_of("%d/%m/%Y{be}").ahead, era_of("%d/%m/%Y") is None
    (543, True)
    """
    found = _TAG.fullmatch(form)
    return ERAS.get(found["code"]) if found else None


def forms_with_eras(text: str, forms: Sequence[str]) -> list[str]:
    """Formats of eras that a text may have; ``forms`` are those of other dates.

    >>> forms_with_eras("R5.3.1", [])[:3], forms_with_eras("2023-03-01", [])
    (['%Y/%m/%d{jp}', '%Y.%m.%d{jp}', '%Y-%m-%d{jp}'], [])
    """
    codes = [code for code, sign in _SIGNS.items() if sign.search(text)]
    plain = [form for form in forms if "%Y" in form and not re.search("%[^a-z]?[aAbBjq]", form)]
    return [f"{form}{{{code}}}" for code in codes for form in _FORMS.get(code, plain)]


def shows_era(form: str, texts: Any) -> bool:
    """Whether texts of a format are dates of its era, not keys or dates with two digits of the year.

    That needs some of them where nothing names the era, and a year after 100 of the era of Taiwan: 108/08/29, R5.3.1.

    >>> import pyarrow as pa
    >>> shows_era("%Y/%m/%d{roc}", pa.array(["19/08/29"] * 20)), shows_era("%Y年%-m月{ja}", pa.array(["令和5年3月"]))
    (False, True)
    """
    import pyarrow.compute as pc

    if not form.endswith(("{roc}", "{jp}")) or "年" in form:
        return True
    late = form.endswith("{jp}") or pc.any(pc.match_substring_regex(texts, r"^\s*1[0-9]{2}[^0-9]")).as_py()
    return len(texts) >= MIN_TEXTS and bool(late)


def day_triples(years: LongInts, months: LongInts, days: LongInts) -> list[tuple[int, int, int]]:
    """Years, months and days as one triple per date."""
    return list(zip(years.tolist(), months.tolist(), days.tolist(), strict=True))
