"""Labels of a column in; their natural order, if they have one, out."""

from __future__ import annotations

import re
from collections.abc import Sequence

SCALES: tuple[tuple[str, ...], ...] = tuple(
    tuple(part.strip() for part in line.split("<"))
    for line in (
        "very low < low < medium low < medium < medium high < high < very high < critical",
        "very low < low < moderate < high < very high",
        "low < mid < high",
        "low < normal < high",
        "low < average < high",
        "none < minor < mild < moderate < major < severe < critical",
        "none < low < medium < high",
        "xxs < xs < s < m < l < xl < xxl < xxxl",
        "tiny < small < medium < large < huge",
        "extra small < small < medium < large < extra large",
        "very bad < bad < ok < good < very good",
        "very poor < poor < fair < average < good < very good < excellent",
        "poor < fair < good < very good < ideal",
        "fair < good < very good < premium < ideal",
        "strongly disagree < disagree < neutral < agree < strongly agree",
        "very dissatisfied < dissatisfied < neutral < satisfied < very satisfied",
        "never < rarely < seldom < sometimes < often < usually < always",
        "never < yearly < monthly < weekly < daily",
        "beginner < intermediate < advanced < expert",
        "junior < mid < senior < lead < principal",
        "bronze < silver < gold < platinum < diamond",
        "basic < standard < premium",
        "young < middle-aged < old",
        "child < teenager < adult < senior",
        "first < second < third < fourth < fifth",
        "jan < feb < mar < apr < may < jun < jul < aug < sep < oct < nov < dec",
        "january < february < march < april < may < june < july < august < september < october < november < december",
        "mon < tue < wed < thu < fri < sat < sun",
        "monday < tuesday < wednesday < thursday < friday < saturday < sunday",
        "none < primary < lower secondary < secondary < upper secondary < vocational < tertiary",
        "none < primary school < middle school < high school < some college < associate < bachelor < master "
        "< doctorate",
        "primary < secondary < bachelor < master < phd",
        "high school < college < bachelor < master < phd",
        "highschool < college < bachelors < masters < doctorate",
        "preschool < 1st-4th < 5th-6th < 7th-8th < 9th < 10th < 11th < 12th < hs-grad < some-college < assoc-voc "
        "< assoc-acdm < bachelors < masters < prof-school < doctorate",
        "high school < associate's < bachelor's < master's < doctorate",
        "below secondary < secondary < bachelor < master < doctorate",
        "cold < cool < mild < warm < hot",
        "f < d- < d < d+ < c- < c < c+ < b- < b < b+ < a- < a < a+",
        "i < ii < iii < iv < v < vi < vii < viii < ix < x < xi < xii",
        "★ < ★★ < ★★★ < ★★★★ < ★★★★★",
    )
)
"""Scales of labels in lower case, the lowest first; a column may use a part of one."""
_LETTERS = frozenset("abcdfivx")
"""Single letters of grades and numerals, which may as well be the names of groups."""
_BAND = re.compile(
    r"(?P<sign>[<>≤≥]=?|under |over |up to |more than |less than )?\s?[$€£]?(?P<low>\d[\d,.]*)\s?"
    r"(?P<unit>[kKmM%]|years|yrs)?(?P<rest>\s?(?:[-–]|to|\+|and over|or more|and up).*)?",
    re.IGNORECASE,
)

_PERIOD = re.compile(
    r"(?:(?P<part>[HST][1-3]|Q[1-4])[ /'’-]?)?(?P<fiscal>FY ?)?(?P<year>(?:19|20)?\d\d)"
    r"(?:[/–-](?P<next>(?:19|20)?\d\d))?",
    re.IGNORECASE,
)


def order_of_labels(labels: Sequence[str]) -> list[str] | None:
    """Labels in their natural order; None if they have none.

    Examples
    --------
    >>> order_of_labels(["high", "low", "medium"])
    ['low', 'medium', 'high']
    >>> order_of_labels(["25-34", "18-24", "65+"])
    ['18-24', '25-34', '65+']
    >>> order_of_labels(["red", "blue"]) is None
    True
    """
    plain = {re.sub(r"[_\s]+", " ", label.strip().lower()): label for label in labels}
    if len(plain) != len(labels) or not 2 <= len(labels) <= 50:
        return None
    for scale in SCALES:
        if set(plain) <= set(scale) and (len(plain) > 2 or min(map(len, plain)) > 2) and not set(plain) <= _LETTERS:
            return [plain[word] for word in scale if word in plain]
    return _order_of_periods(labels) or _order_of_bands(labels)


def _order_of_periods(labels: Sequence[str]) -> list[str] | None:
    """Order of half-years, quarters, financial years and seasons, such as H1 2023, Q3'23, FY22 and 2019/20."""
    found = [_PERIOD.fullmatch(label.strip()) for label in labels]
    periods = [match for match in found if match is not None and _is_period(match)]
    if len(labels) < 3 or len(periods) < len(labels):
        return None
    places = {label: (int(match["year"]), match["part"] or "") for label, match in zip(labels, periods, strict=True)}
    return sorted(labels, key=places.__getitem__) if len(set(places.values())) == len(labels) else None


def _is_period(match: re.Match[str]) -> bool:
    """Whether something says that a number is a year: a half, the letters FY, or the next year."""
    if match["next"]:
        return (int(match["year"]) + 1) % 100 == int(match["next"]) % 100
    return bool(match["part"] or match["fiscal"])


def _order_of_bands(labels: Sequence[str]) -> list[str] | None:
    """Order of bands such as 18-24, 25-34 and 65+ by their lower end."""
    found = [_BAND.fullmatch(label.strip()) for label in labels]
    bands = [match for match in found if match is not None and (match["rest"] or match["sign"])]
    if len(bands) < max(2, len(labels) - 1) or not all(found) or len(labels) < 3:
        return None

    def lower_end(label: str) -> tuple[float, bool]:
        match = _BAND.fullmatch(label.strip())
        assert match is not None
        number = float(re.sub(r"[,.](?=\d{3})|[.,]$", "", match["low"]).replace(",", "."))
        scale = {"k": 1e3, "m": 1e6}.get((match["unit"] or "").lower(), 1.0)
        sign = (match["sign"] or "").strip().lower()
        below = sign in ("<", "<=", "≤", "under", "up to", "less than")
        return (-1.0 if below else number * scale, bool(sign) and not below)

    ends = [lower_end(label) for label in labels]
    return sorted(labels, key=lower_end) if len(set(ends)) == len(ends) else None
