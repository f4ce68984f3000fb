"""Levels of a categorical column in; alerts about levels that name people, or mean the same, out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.arrays import Array
from janus_synth.table import Column

LEAST_PEOPLE, SHARE_OF_PEOPLE = 3, 0.1
"""So many levels, and this share of all, must name people."""
_CAPITALISED = r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+"
_TITLES = (
    r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Señora?|Señorita|Dhr|Mevr|Signora?)\.?"
    r"|(?:M|Sr|Sra|Hr|Fr|Sig)\."
)
_PEOPLE = re.compile(
    rf"\b(?:{_TITLES}) (?:{_CAPITALISED}|[A-Z]\.)"
    r"|[^@\s]@[^@\s]+\.[A-Za-z]{2,}"
)
"""A title and a name, or an e-mail address, among other words."""
_CALL = re.compile(r"(?<![\w.,])(?:\+\d|\(?0\d)[\d ()/-]{6,18}\d(?![\w.,])")
LEAST_DIGITS = 9
"""Telephone numbers have so many digits, and dates fewer."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_MEANINGS = {
    **dict.fromkeys(("yes", "y", "true", "t", "1"), True),
    **dict.fromkeys(("no", "n", "false", "f", "0"), False),
}


def people_in_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Levels such as *call Mrs Weber back*, which generated rows would repeat."""
    levels = [column.levels[int(place)] for place in distinct.tolist()]
    found = [level for level in levels if isinstance(level, str) and _names_somebody(level)]
    if len(found) < max(LEAST_PEOPLE, SHARE_OF_PEOPLE * len(levels)):
        return
    shown = ", ".join(map(repr, found[:2]))
    message = (
        f"{len(found):,} of {len(levels):,} levels name people or hold their addresses or numbers, such as {shown}"
    )
    effect = "levels are learnt and come back in generated rows"
    yield make_alert(column.name, "people", message, effect, changes={"kind": "personal"}, quoted=[shown])


def _names_somebody(level: str) -> bool:
    call = _CALL.search(level)
    is_call = call is not None and sum(map(str.isdigit, call[0])) >= LEAST_DIGITS and any(map(str.isalpha, level))
    return is_call or _PEOPLE.search(level) is not None


def alike_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Levels such as Red, red and RED, or yes and Y."""
    levels = [level for place in distinct.tolist() if isinstance(level := column.levels[int(place)], str)]
    groups: dict[str, list[str]] = {}
    for level in levels:
        groups.setdefault(_plain(level), []).append(level)
    same = [group for group in groups.values() if len(group) > 1]
    name, effect = f"df[{column.name!r}]", "they are learnt as different levels"
    if same:
        shown = ", ".join(map(repr, same[0][:3]))
        signs, message = "", f"levels differ in capitals or spaces only, such as {shown}"
        if any(len({level.strip().lower() for level in group}) > 1 for group in same):
            signs = r".str.normalize('NFKC').str.replace(r'[\u00ad\u200b-\u200f\u2060\ufeff]', '', regex=True)"
            signs += r".str.replace(r'\s+', ' ', regex=True)"
        if not any(len({" ".join(level.casefold().split()) for level in group}) == 1 for group in same):
            message = f"levels look alike, but have different characters: {', '.join(map(ascii, same[0][:3]))}"
        remedy = f"{name} = {name}{signs}.str.strip().str.lower()"
        quoted = [shown, ", ".join(map(ascii, same[0][:3]))]
        yield make_alert(column.name, "spellings", message, effect, remedy=remedy, quoted=quoted)
    words = {_plain(level) for level in levels}
    if len(words) > 2 and len(levels) == len(distinct) and words <= _MEANINGS.keys() and _mean_both(words):
        message = f"several words for true or false: {', '.join(sorted(words))}"
        meanings = {word: _MEANINGS[word] for word in sorted(words)}
        remedy = f"{name} = {name}.str.strip().str.lower().map({meanings})"
        yield make_alert(column.name, "spellings", message, effect, remedy=remedy)


def _plain(level: str) -> str:
    """A level without what a reader does not see: capitals, spaces around it, invisible and composed characters."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFKC", level)).casefold().split())


def _mean_both(words: set[str]) -> bool:
    return {_MEANINGS[word] for word in words} == {True, False}
