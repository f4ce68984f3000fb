"""Distinct texts in; the fixed text around their numbers, such as ``0 x 0 cm``, and how to take the numbers out, out.

A frame is a text with ``0`` in the place of every number. Texts of one frame, or of very few, hold quantities if their
numbers have different lengths and no leading zeros; keys and telephone numbers do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

ENOUGH = 0.9
"""Share of the texts that the frames must cover."""
MOST_FRAMES, MIN_TEXTS = 4, 3
"""Frames that are looked at, and how many texts there must be more than for each."""
LONGEST_FRAME = 40
_SIGN = r"(?:(?:(?<=[\s(\[{,;:=~])|^)[-+−])?"
NUMBER = re.compile(rf"{_SIGN}(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?")
VERSION = re.compile(r"[A-Za-z]{0,3}\d+(?:\.\d+){2,}", re.ASCII)
"""Versions and numbers of sections: 1.10.2."""
_NAME = re.compile(r"[A-Z][a-z]{2}")
"""Words such as those of a street: 12 Main Street."""


class Framed(NamedTuple):
    """What is around numbers, the most frequent first; and the numbers of the texts that have the first frame."""

    frames: tuple[str, ...]
    rows: list[list[str]]

    @property
    def n_numbers(self) -> int:
        """How many numbers each text of the first frame has."""
        return self.frames[0].count("0")


def find_frames(texts: Sequence[str]) -> Framed | None:
    """Frames of texts that hold quantities; None if they hold none, or differ in more than their numbers.

    Examples
    --------
    >>> find_frames(["5 ft 11 in", "6 ft 2 in", "4 ft 9 in", "4 ft 10 in"]).frames
    ('0 ft 0 in',)
    >>> find_frames(["ORD-017", "ORD-204"]) is None, find_frames(["12 High Street", "3 Old Road"]) is None
    (True, True)
    """
    found = common_frames(texts) if texts and _share_of_versions(texts) < ENOUGH else None
    if found is None or set(found.frames) == {"0"} or max(map(len, found.frames)) > LONGEST_FRAME:
        return None
    frame = found.frames[0]
    if _NAME.search(frame) or not _are_quantities(frame, found.rows) or _may_be_a_key(frame, found.rows):
        return None
    return found


def common_frames(texts: Sequence[str]) -> Framed | None:
    """Frames of nearly all texts, whatever their numbers mean; None if there are too many.

    >>> common_frames(["(1, -2)", "(4, 7)", "(3, 3)", "(12, 40)"]).frames
    ('(0, 0)',)
    """
    framed = [(NUMBER.sub("0", text.strip()), NUMBER.findall(text)) for text in texts]
    common = Counter(frame for frame, numbers in framed if numbers).most_common(MOST_FRAMES)
    covered = sum(n for _, n in common)
    if not common or covered < ENOUGH * len(texts) or len(texts) <= MIN_TEXTS * len(common):
        return None
    frames = tuple(frame for frame, _ in common)
    return Framed(frames, [numbers for frame, numbers in framed if frame == frames[0]])


def _share_of_versions(texts: Sequence[str]) -> float:
    return sum(VERSION.fullmatch(text.strip()) is not None for text in texts) / len(texts)


def _are_quantities(frame: str, rows: list[list[str]]) -> bool:
    """Whether numbers have decimals, different lengths or words between them, and none has leading zeros."""
    columns = list(zip(*rows, strict=True))
    if any(re.match(r"[-+−]?0\d", number) for column in columns for number in column):
        return False
    if re.match(r"0 (?:[a-z]+ )+0", frame) or any("." in number for column in columns for number in column):
        return True
    return any(len({len(number.lstrip("-+−")) for number in column}) > 1 for column in columns)


def _may_be_a_key(frame: str, rows: list[list[str]]) -> bool:
    """Whether numbers with nothing but dashes, dots or strokes between them may be the parts of a key, such as 17-204.

    Ranges are none: their second number is never below the first one.
    """
    if (frame[0].isalpha() or frame[0] == "#") and frame.count("0") == 1:
        is_amount = re.search(r"[=/<>~$€£¥]", frame) or any("." in number for row in rows for number in row)
        return not is_amount or frame.lower().startswith("v")  # a numbered label, or a version
    if re.fullmatch(r"[A-Za-z]*0(?:[-–_./:]0)+", frame) is None:
        return False
    return frame not in ("0-0", "0–0") or any(float(_plain(a)) > float(_plain(b)) for a, b in rows)


def _plain(number: str) -> str:
    return number.replace(",", "").replace("−", "-")


def extraction(name: str, framed: Framed) -> str:
    """Line of Python that makes columns of the numbers.

    >>> extraction("size", find_frames(["5 ft 11 in", "6 ft 2 in", "4 ft 9 in", "4 ft 10 in"]))
    "df[['size_1', 'size_2']] = df['size'].str.extract(r'...').replace(',', '', regex=True).astype(float)"
    """
    n, number = framed.n_numbers, r"([-+\d.,]+)"
    if (mark := _mark_of_lists(framed.frames)) is not None:
        return f"df = df.join(df[{name!r}].str.get_dummies({mark!r}).add_prefix({name + '_'!r}))"
    if n == 1:
        found = f"df[{name!r}].str.extract(r'([-+]?\\d[\\d.,]*)')[0].str.replace(',', '')"
        return f"df[{name!r}] = {found}.astype(float)"
    parts = [re.sub(r"(['\"])", ".", re.escape(part)).replace(r"\ ", " ") for part in framed.frames[0].split("0")]
    names = [f"{name}_{i + 1}" for i in range(n)]
    found = f"df[{name!r}].str.extract(r'{number.join(parts)}').replace(',', '', regex=True)"
    return f"df[{names!r}] = {found}.astype(float)"


def _mark_of_lists(frames: Sequence[str]) -> str | None:
    """Mark between the numbers of lists of different lengths: 1,4,7 and 2 and 3,4; None for other frames."""
    marks = {frame.replace("0", "")[:1] for frame in frames} - {""}
    if len(frames) < 2 or len(marks) != 1:
        return None
    mark = marks.pop()
    are_lists = all(set(frame) <= {"0", mark} and mark * 2 not in frame for frame in frames)
    return mark if are_lists and len({len(frame) for frame in frames}) > 1 and mark in ",;|" else None


def patterns_in(line: str) -> list[str]:
    """Patterns in a line of Python, which have words of the texts; model files leave them out.

    >>> patterns_in("df['a'] = df['a'].str.extract(r'(.) ft')")
    ["r'(.) ft'"]
    """
    return re.findall(r"(?<=extract\()r'[^']*'", line)
