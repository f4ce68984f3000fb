"""Labels of a column in; their natural order, if they have one, out."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from janus_synth.alerts.frames import VERSION
from janus_synth.table.texts.month_names import scales_of_names

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
        "3xs < xxs < 2xs < xs < s < m < l < xl < xxl < 2xl < xxxl < 3xl < 4xl < 5xl",
        "tiny < small < medium < large < huge",
        "extra small < small < medium < large < extra large",
        "very bad < bad < ok < good < very good",
        "very poor < poor < fair < average < good < very good < excellent",
        "poor < fair < good < very good < ideal",
        "fair < good < very good < premium < ideal",
        "strongly disagree < disagree < neutral < agree < strongly agree",
        "strongly disagree < disagree < somewhat disagree < neither agree nor disagree < somewhat agree < agree "
        "< strongly agree",
        "not at all < a little < somewhat < moderately < quite a bit < very much < extremely",
        "very unlikely < unlikely < neutral < likely < very likely",
        "much worse < worse < about the same < better < much better",
        "trifft nicht zu < trifft eher nicht zu < teils-teils < trifft eher zu < trifft zu",
        "nie < selten < manchmal < oft < immer",
        "jamais < rarement < parfois < souvent < toujours",
        "nunca < raramente < a veces < a menudo < siempre",
        "freshman < sophomore < junior < senior",
        "一 < 二 < 三 < 四 < 五 < 六 < 七 < 八 < 九 < 十",
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
        "i < ii < iii < iv < v < vi < vii < viii < ix < x < xi < xii < xiii < xiv < xv < xvi < xvii < xviii < xix < xx",
        "★ < ★★ < ★★★ < ★★★★ < ★★★★★",
        "★☆☆☆☆ < ★★☆☆☆ < ★★★☆☆ < ★★★★☆ < ★★★★★",
        "zero < one < two < three < four < five < six < seven < eight < nine < ten < eleven < twelve",
        "d < c < cc < ccc- < ccc < ccc+ < b- < b < b+ < bb- < bb < bb+ < bbb- < bbb < bbb+ < a- < a < a+ < aa- < aa "
        "< aa+ < aaa",
        "sehr niedrig < niedrig < mittel < hoch < sehr hoch",
        "gering < mittel < hoch",
        "muy bajo < bajo < medio < alto < muy alto",
        "muito baixo < baixo < médio < alto < muito alto",
        "baja < media < alta",
        "baixa < média < alta",
        "très faible < faible < moyen < élevé < très élevé",
        "molto basso < basso < medio < alto < molto alto",
        "laag < middel < hoog",
        "niski < średni < wysoki",
        "låg < medel < hög",
    )
)
"""Scales of labels in lower case, the lowest first; a column may use a part of one."""
_LETTERS = frozenset("abcdfivx")
"""Single letters of grades and numerals, which may as well be the names of groups."""
_BAND = re.compile(
    r"(?P<bracket>[\[(])?(?P<sign>[<>≤≥]=?|under |over |up to |more than |less than )?\s?[$€£]?(?P<low>-?\d[\d,.]*)\s?"
    r"(?P<unit>[kKmM%$€£]|years?|yrs?|months?|days?)?(?P<rest>\s?(?:[-–]|to|\+|and over|or more|and up|, ?).*)?",
    re.IGNORECASE,
)

MOST_NAMED, MOST_LABELS = 50, 200
"""With more labels, only numbers in them are an order; with more than the second, none is offered."""
_WEEK_WORDS = "w wk kw cw week woche uke vecka v s sem semaine semana settimana m month p period"
_SCALE_WORDS = (
    "q t quarter trimester term semester year day level lvl tier stage phase grade rank class step round floor gen "
    "generation priority prio severity sev version ver category cat band wave cycle decile quartile quintile "
    "percentile # no nr stufe klasse jahr monat tag etage niveau nivel etapa fase nivå årskurs"
)
_WEEKS = frozenset(_WEEK_WORDS.split())
_NUMBERED = _WEEKS | frozenset(_SCALE_WORDS.split())
"""Words before numbers that are an order; after those of the first set, numbers may have leading zeros."""
_VERSION = re.compile(r"(?:[a-z]{1,12} ?)?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")
"""Versions of two parts: v1.10, ios 15.2, 3.10; numbers are none, because columns of numbers are read as such."""
_OPEN_COUNT = re.compile(
    r"(?P<count>\d{1,3})(?P<more> ?\+| (?:or more|and more|or over|and over|oder mehr|und mehr|ou plus|o más|ou mais))?"
)
_SHIFT = re.compile(r"([01]?\d|2[0-4])[:.h]([0-5]\d) ?(?:-|–|to|bis) ?([01]?\d|2[0-4])[:.h]([0-5]\d)(?: ?Uhr)?")
_PERIOD = re.compile(
    r"(?:(?P<part>[HS][12]|T[1-4]|Q[1-4]|[1-4][QT]|[1-4]\.? (?:Quartal|trimestre|quarter))[ /'’-]?)?"
    r"(?P<fiscal>FY ?)?(?P<year>(?:19|20)?\d\d)"
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
    if not 2 <= len(labels) <= MOST_LABELS:
        return None
    if len(labels) > MOST_NAMED:
        return _order_of_numbered(labels)
    return (
        _order_by_scale(labels)
        or _order_by_scale(labels, among_words=True)
        or _order_of_periods(labels)
        or _order_of_bands(labels)
        or _order_of_counts(labels)
        or _order_of_shifts(labels)
        or _order_of_numbered(labels)
    )


def _order_by_scale(labels: Sequence[str], *, among_words: bool = False) -> list[str] | None:
    """Order of words of one scale; ``among_words`` leaves out what all labels begin with: Stage I, Stage II."""
    plain = {re.sub(r"[_\s]+", " ", label.strip().lower()): label for label in labels}
    if len(plain) != len(labels):
        return None
    if among_words:
        shared = os.path.commonprefix(list(plain))  # noqa: RUF071, character by character is what is wanted
        start = max(shared.rfind(" "), shared.rfind("-")) + 1
        if not start:
            return None
        plain = {word[start:]: label for word, label in plain.items()}
    for scale in (*SCALES, *scales_of_names()):
        if set(plain) <= set(scale) and (len(plain) > 2 or min(map(len, plain)) > 2) and not set(plain) <= _LETTERS:
            return [plain[word] for word in scale if word in plain]
    return None


def _order_of_numbered(labels: Sequence[str]) -> list[str] | None:
    """Order of labels with numbers: Week 9 and Week 10, P1 and P2, versions 1.9.0 and 1.10.2, 1 - Low and 2 - High.

    Numbers with leading zeros are those of keys, but for weeks and months.
    """
    texts = [re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", label.strip().lower()) for label in labels]
    numbers = [tuple(map(int, re.findall(r"\d+", text))) for text in texts]
    if len(labels) < 3 or len(set(numbers)) < len(labels) or any(max(each, default=10**6) >= 10**6 for each in numbers):
        return None
    words = {re.sub(r"[\s._-]*\d+$", "", text) for text in texts}
    padded = any(re.search(r"(?<!\d)0\d", text) for text in texts)
    is_leading = all(re.match(r"\d{1,2}\s?[.):=-]\s?[^\W\d]", text) for text in texts)
    is_version = all(VERSION.fullmatch(text) for text in texts) or (
        all(_VERSION.fullmatch(text) for text in texts) and len({re.match(r"\D*", text)[0] for text in texts}) == 1  # type: ignore[index]
    )
    are_ordinals = texts != [label.strip().lower() for label in labels] and words == {""}
    is_numbered = are_ordinals or (len(words) == 1 and words <= _NUMBERED)
    if not (is_leading or is_version or is_numbered) or (padded and not (is_leading or words <= _WEEKS)):
        return None
    key = dict(zip(labels, [each[:1] if is_leading else each for each in numbers], strict=True))
    return sorted(labels, key=key.__getitem__) if len(set(key.values())) == len(labels) else None


def _order_of_counts(labels: Sequence[str]) -> list[str] | None:
    """Order of counts, the last of which is open: 1, 2, 3, 4 or more."""
    found = {label: _OPEN_COUNT.fullmatch(label.strip()) for label in labels}
    if len(labels) < 3 or not all(found.values()):
        return None
    places = {label: int(match["count"]) for label, match in found.items() if match is not None}
    top = [label for label, match in found.items() if match is not None and match["more"]]
    ordered = sorted(labels, key=places.__getitem__)
    return ordered if top == ordered[-1:] and len(set(places.values())) == len(labels) else None


def _order_of_shifts(labels: Sequence[str]) -> list[str] | None:
    """Order of intervals of a day, such as 08:00-10:00."""
    found = [_SHIFT.fullmatch(label.strip()) for label in labels]
    starts = {label: [int(n) for n in m.groups()] for label, m in zip(labels, found, strict=True) if m is not None}
    if len(labels) < 3 or len(starts) < len(labels):
        return None
    return sorted(labels, key=starts.__getitem__)


def _order_of_periods(labels: Sequence[str]) -> list[str] | None:
    """Order of half-years, quarters, financial years and seasons, such as H1 2023, Q3'23, FY22 and 2019/20."""
    found = [_PERIOD.fullmatch(label.strip()) for label in labels]
    periods = [match for match in found if match is not None and _is_period(match)]
    if len(labels) < 3 or len(periods) < len(labels):
        return None
    places = {
        label: (int(match["year"]), re.sub(r"\D", "", match["part"] or ""))
        for label, match in zip(labels, periods, strict=True)
    }
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
    counted = all(
        re.search(r"\d\D*\b(?:years?|yrs?|months?|days?|weeks?|hours?)\b", label, re.IGNORECASE) for label in labels
    )
    if len(bands) < (1 if counted else max(2, len(labels) - 1)) or not all(found) or len(labels) < 3:
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
