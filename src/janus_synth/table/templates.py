"""The look of identifiers as a short text, learnt from values without keeping any of them.

============================  ==========================================================
template                      makes
============================  ==========================================================
``uuid4``                     random UUIDs
``EMP-{00124}``               EMP-00124, EMP-00125, ...: braces hold the first fresh number,
                              padded with zeros to its own width
``[AAA]-[9999]``              random characters of a class, one per character in brackets:
                              ``9`` digit, ``A`` ``a`` ``@`` letter (upper, lower, any),
                              ``X`` ``x`` hexadecimal (upper, lower),
                              ``Z`` ``z`` ``*`` letter or digit (upper, lower, any)
``name_{000001}``             irregular text (names, addresses): the column's name and a number
============================  ==========================================================

Everything outside braces and brackets is kept as it is; a doubled ``{{`` ``}}`` ``[[`` ``]]`` stands for one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

DIGITS, LOWER, UPPER = string.digits, string.ascii_lowercase, string.ascii_uppercase
CLASSES = {
    "9": DIGITS,
    "A": UPPER,
    "a": LOWER,
    "@": UPPER + LOWER,
    "X": DIGITS + "ABCDEF",
    "x": DIGITS + "abcdef",
    "Z": UPPER + DIGITS,
    "z": LOWER + DIGITS,
    "*": UPPER + LOWER + DIGITS,
}
MIN_SHARED = 10  # with fewer values, a shared character could give one of them away
MAX_DIGITS = 18  # numbers beyond int64 are treated as random digits

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_TOKEN = re.compile(
    r"(?P<twice>\{\{|\}\}|\[\[|\]\])|\{(?P<count>\d+)\}|\[(?P<random>[^\[\]{}]+)\]|(?P<text>[^\[\]{}]+)"
)


class Part(NamedTuple):
    """A piece of a template: fixed ``text``, a ``count``er or ``random`` characters."""

    role: str
    text: str


def parse_template(template: object) -> tuple[Part, ...] | str:
    """Pieces of a template, or a text that says what is wrong with it.

    Examples
    --------
    >>> parse_template("EMP-{00124}")
    (Part(role='text', text='EMP-'), Part(role='count', text='00124'))
    >>> parse_template("EMP")
    'it has no {number} and no [characters], so it cannot make distinct values'
    """
    if not isinstance(template, str):
        return "it is not text"
    if template == "uuid4":
        return (Part("uuid", ""),)
    parts: list[Part] = []
    position = 0
    while position < len(template):
        match = _TOKEN.match(template, position)
        if match is None:
            return f"the {template[position]!r} at position {position} opens or closes nothing; double it"
        role = str(match.lastgroup)
        parts.append(Part("text", match[0][0]) if role == "twice" else Part(role, match[role]))
        position = match.end()
    return _problem_with(parts) or tuple(parts)


def _problem_with(parts: Sequence[Part]) -> str | None:
    counters = sum(part.role == "count" for part in parts)
    unknown = {c for part in parts if part.role == "random" for c in part.text} - CLASSES.keys()
    if unknown:
        return f"{sorted(unknown)} are no character classes; there are {' '.join(CLASSES)}"
    if counters > 1:
        return "it has more than one {number}"
    if counters == 0 and not any(part.role == "random" for part in parts):
        return "it has no {number} and no [characters], so it cannot make distinct values"
    return None


def template_of_texts(name: str, texts: Sequence[str]) -> str:
    """Template of text identifiers.

    Examples
    --------
    >>> template_of_texts("employee", ["EMP-00017", "EMP-00123"])
    'EMP-{00124}'
    >>> template_of_texts("guest", ["Ada Lovelace", "Kurt Gödel"])
    'guest_{000001}'
    """
    return _uuid(texts) or _numbered(texts) or _pictured(texts) or _irregular(name, texts)


def template_of_numbers(largest: int) -> str:
    """Template of integer identifiers: what follows the largest one."""
    return f"{{{max(largest + 1, 0)}}}"


def _uuid(texts: Sequence[str]) -> str | None:
    return "uuid4" if texts and all(map(_UUID.fullmatch, texts)) else None


def _numbered(texts: Sequence[str]) -> str | None:
    """Find a fixed beginning, a number and a fixed end."""
    if len(texts) < 2:
        return None
    before = _shared_beginning(texts).rstrip(DIGITS)
    after = _shared_beginning([text[::-1] for text in texts])[::-1].lstrip(DIGITS)
    middles = [text[len(before) : len(text) - len(after)] for text in texts]
    if not all(m.isdecimal() and m.isascii() and len(m) <= MAX_DIGITS for m in middles):
        return None
    first, widths = str(max(map(int, middles)) + 1), {len(m) for m in middles}
    if len(widths) == 1:
        width = widths.pop()
        if len(first) > width and len(texts) >= MIN_SHARED:
            return None  # 9999 is taken: random digits keep the look, a longer number would not
        first = first.zfill(width)
    elif any(len(m) > 1 and m[0] == "0" for m in middles):
        first = first.zfill(max(map(len, middles)))
    return f"{_escape(before)}{{{first}}}{_escape(after)}"


def _shared_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)  # whatever these two share, all between them share
    n_same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n_same]


def _pictured(texts: Sequence[str]) -> str | None:
    """Draw the classes of texts of one length, position by position."""
    if len(texts) < MIN_SHARED or len({len(text) for text in texts}) != 1 or not texts[0]:
        return None
    grid = np.array(texts).view(np.uint32).reshape(len(texts), -1)
    seen = ["".join(map(chr, np.unique(grid[:, i]))) for i in range(grid.shape[1])]
    pictures = [_class_of(characters) for characters in seen if len(characters) > 1]
    if not all(pictures):
        return None
    varied = "".join(characters for characters in seen if len(characters) > 1)
    for hexadecimal in "xX":
        if set(varied) <= set(CLASSES[hexadecimal]) and not varied.isdecimal() and not varied.isalpha():
            pictures = [hexadecimal] * len(pictures)
    rest = iter(pictures)
    marked = [(len(c) > 1, next(rest) if len(c) > 1 else c) for c in seen]
    groups = ((drawn, "".join(str(text) for _, text in run)) for drawn, run in groupby(marked, key=itemgetter(0)))
    return "".join(f"[{text}]" if drawn else _escape(text) for drawn, text in groups)


def _class_of(characters: str) -> str | None:
    """Find the narrowest class that holds these letters and digits; None if there are other characters."""
    if not all(c.isalpha() or c in DIGITS for c in characters):
        return None
    digits = any(c in DIGITS for c in characters)
    upper = any(c.isalpha() and not c.islower() for c in characters)
    lower = any(c.isalpha() and c.islower() for c in characters)
    return {
        (True, False, False): "9",
        (False, True, False): "A",
        (False, False, True): "a",
        (False, True, True): "@",
        (True, True, False): "Z",
        (True, False, True): "z",
        (True, True, True): "*",
    }[digits, upper, lower]


def _irregular(name: str, texts: Sequence[str]) -> str:
    """Use the column's name and a number, beyond any that look like it already."""
    alike = re.compile(rf"{re.escape(name)}_(\d{{1,{MAX_DIGITS}}})")
    taken = [int(match[1]) for match in map(alike.fullmatch, texts) if match]
    return f"{_escape(name)}_{{{max(taken, default=0) + 1:06d}}}"


def _escape(text: str) -> str:
    return re.sub(r"([\[\]{}])", r"\1\1", text)
