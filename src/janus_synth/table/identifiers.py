"""Identifiers: learn a template from the values seen, and make fresh identifiers from it.

A template is a short text that describes how identifiers look and holds none of the values seen.

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

A row's identifier depends only on the generator's seed and the row's number: a table written in pieces has the same
identifiers as one written whole, and none of them repeats.
"""

from __future__ import annotations

import hashlib
import math
import re
import string
import uuid
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Array

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
MIN_SHARED = 10  # with fewer values, the characters they share could disclose one of them
MAX_DIGITS = 18  # numbers beyond int64 are treated as random digits

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_TOKEN = re.compile(
    r"(?P<twice>\{\{|\}\}|\[\[|\]\])|\{(?P<count>\d+)\}|\[(?P<random>[^\[\]{}]+)\]|(?P<text>[^\[\]{}]+)"
)


class Part(NamedTuple):
    """One part of a template: its role is ``text``, ``count``, ``random`` or ``uuid``."""

    role: str
    text: str


def parse_template(template: object) -> tuple[Part, ...] | str:
    """Parts of a template, or a text that says what is wrong with it.

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
            return (
                f"the {template[position]!r} at position {position} has no partner; double it to keep it as a character"
            )
        role = str(match.lastgroup)
        parts.append(Part("text", match[0][0]) if role == "twice" else Part(role, match[role]))
        position = match.end()
    return _find_problem(parts) or tuple(parts)


def _find_problem(parts: Sequence[Part]) -> str | None:
    counters = sum(part.role == "count" for part in parts)
    unknown = {c for part in parts if part.role == "random" for c in part.text} - CLASSES.keys()
    if unknown:
        return f"{sorted(unknown)} are not character classes; choose from {' '.join(CLASSES)}"
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
    return _uuid_template(texts) or _numbered_template(texts) or _pattern_template(texts) or _name_template(name, texts)


def is_irregular(texts: Sequence[str]) -> bool:
    """Whether no template but a mere number describes the texts.

    Examples
    --------
    >>> is_irregular(["EMP-00017", "EMP-00123"]), is_irregular(["Ada Lovelace", "Kurt Gödel"])
    (False, True)
    """
    return not (_uuid_template(texts) or _numbered_template(texts) or _pattern_template(texts))


def template_of_numbers(largest: int) -> str:
    """Template of integer identifiers: count on from the largest one."""
    return f"{{{max(largest + 1, 0)}}}"


def _uuid_template(texts: Sequence[str]) -> str | None:
    return "uuid4" if texts and all(map(_UUID.fullmatch, texts)) else None


def _numbered_template(texts: Sequence[str]) -> str | None:
    """Template of texts with a shared prefix, a number and a shared suffix."""
    if len(texts) < 2:
        return None
    prefix = _shared_prefix(texts).rstrip(DIGITS)
    suffix = _shared_prefix([text[::-1] for text in texts])[::-1].lstrip(DIGITS)
    middles = [text[len(prefix) : len(text) - len(suffix)] for text in texts]
    if not all(m.isdecimal() and m.isascii() and len(m) <= MAX_DIGITS for m in middles):
        return None
    first, widths = str(max(map(int, middles)) + 1), {len(m) for m in middles}
    if len(widths) == 1:
        width = widths.pop()
        if len(first) > width and len(texts) >= MIN_SHARED:
            return None  # 9999 is taken: random digits keep the width, a longer number would not
        first = first.zfill(width)
    elif any(len(m) > 1 and m[0] == "0" for m in middles):
        first = first.zfill(max(map(len, middles)))
    return f"{_escape(prefix)}{{{first}}}{_escape(suffix)}"


def _shared_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)  # a prefix of these two is a prefix of all texts between them
    n_same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:n_same]


def _pattern_template(texts: Sequence[str]) -> str | None:
    """Template of texts of equal length: the narrowest character class of every position that varies."""
    if len(texts) < MIN_SHARED or len({len(text) for text in texts}) != 1 or not texts[0]:
        return None
    grid = np.array(texts).view(np.uint32).reshape(len(texts), -1)
    seen = ["".join(map(chr, np.unique(grid[:, i]))) for i in range(grid.shape[1])]
    classes = [_class_of(characters) for characters in seen if len(characters) > 1]
    if not all(classes):
        return None
    varied = "".join(characters for characters in seen if len(characters) > 1)
    for hexadecimal in "xX":
        if set(varied) <= set(CLASSES[hexadecimal]) and not varied.isdecimal() and not varied.isalpha():
            classes = [hexadecimal] * len(classes)
    rest = iter(classes)
    marked = [(len(c) > 1, next(rest) if len(c) > 1 else c) for c in seen]
    groups = ((drawn, "".join(str(text) for _, text in run)) for drawn, run in groupby(marked, key=itemgetter(0)))
    return "".join(f"[{text}]" if drawn else _escape(text) for drawn, text in groups)


def _class_of(characters: str) -> str | None:
    """Narrowest class of these letters and digits; None if there are other characters."""
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


def _name_template(name: str, texts: Sequence[str]) -> str:
    """Template of irregular texts: the column's name and a number that is not taken yet."""
    numbered = re.compile(rf"{re.escape(name)}_(\d{{1,{MAX_DIGITS}}})")
    taken = [int(match[1]) for match in map(numbered.fullmatch, texts) if match]
    return f"{_escape(name)}_{{{max(taken, default=0) + 1:06d}}}"


def _escape(text: str) -> str:
    return re.sub(r"([\[\]{}])", r"\1\1", text)


def fresh_numbers(template: str, n_rows: int, *, first: int = 0) -> Array | None:
    """Numbers of a template that is a bare number, such as ``{124}``; None for any other template.

    Examples
    --------
    >>> fresh_numbers("{124}", 3)
    array([124, 125, 126])
    """
    parts = parse_template(template)
    if isinstance(parts, str) or [part.role for part in parts] != ["count"] or parts[0].text != str(int(parts[0].text)):
        return None
    start = int(parts[0].text) + first
    return _count(start, n_rows)


def fresh_texts(template: str, n_rows: int, rng: np.random.Generator, *, first: int = 0) -> list[str]:
    """Make ``n_rows`` distinct texts.

    Parameters
    ----------
    template : str
        How the identifiers look, see the top of this module.
    n_rows : int
        How many to make.
    rng : numpy.random.Generator
        Source of random characters; all pieces of one table start from the same state.
    first : int
        How many identifiers were made before.

    Examples
    --------
    >>> fresh_texts("EMP-{00124}", 2, np.random.default_rng(0), first=10)
    ['EMP-00134', 'EMP-00135']
    """
    parts = parse_template(template)
    assert not isinstance(parts, str), "a Column checks its template"
    if parts[0].role == "uuid":
        return _random_uuids(n_rows, rng, first=first)
    if any(part.role == "count" for part in parts):
        return _numbered_texts(parts, n_rows, rng, first=first)
    return _random_texts(parts, n_rows, rng, first=first)


def _count(start: int, n_rows: int) -> Array:
    """Consecutive numbers, in the first integer type that holds them all."""
    end = start + n_rows
    dtype: Any = np.int64 if end <= 2**63 else np.uint64 if end <= 2**64 else object
    if dtype is object:
        return np.array([start + i for i in range(n_rows)], dtype=object)
    numbers: Array = np.arange(n_rows, dtype=dtype) + dtype(start)
    return numbers


def _numbered_texts(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    columns: list[list[str] | str] = []
    for part in parts:
        if part.role == "text":
            columns.append(part.text)
        elif part.role == "random":
            columns.append(_shuffled_texts(part.text, n_rows, rng, first=first)[0])
        else:
            start, width = int(part.text) + first, len(part.text)
            columns.append([f"{start + i:0{width}d}" for i in range(n_rows)])
    return _join(columns, n_rows)


def _random_texts(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    """Random characters without repeats; once all are used up, they repeat with a number appended."""
    classes = "".join(part.text for part in parts if part.role == "random")
    drawn, rounds = _shuffled_texts(classes, n_rows, rng, first=first)
    texts = _fill(parts, drawn)
    return [f"{text}-{number}" if number else text for text, number in zip(texts, rounds, strict=True)]


def _shuffled_texts(classes: str, n_rows: int, rng: np.random.Generator, *, first: int) -> tuple[list[str], list[int]]:
    """Texts of the character ``classes`` in a shuffled order from the ``first`` on, and how often each was used before.

    The order is row ↦ (a · row + b) mod capacity, a permutation if a and the capacity share no factor.
    """
    sizes = [len(CLASSES[c]) for c in classes]
    capacity = math.prod(sizes)
    a, b = (int.from_bytes(rng.bytes(16), "big") % capacity for _ in range(2))
    while math.gcd(a, capacity) != 1:
        a += 1
    ranks = [(a * row + b) % capacity for row in range(first, first + n_rows)]
    columns: list[list[str]] = []
    for symbol, size in zip(reversed(classes), reversed(sizes), strict=True):
        columns.append([CLASSES[symbol][rank % size] for rank in ranks])
        ranks = [rank // size for rank in ranks]
    return _join(columns[::-1], n_rows), [row // capacity for row in range(first, first + n_rows)]


def _fill(parts: tuple[Part, ...], drawn: list[str]) -> list[str]:
    columns: list[list[str] | str] = []
    start = 0
    for part in parts:
        if part.role == "text":
            columns.append(part.text)
        else:
            end = start + len(part.text)
            columns.append([text[start:end] for text in drawn])
            start = end
    return _join(columns, len(drawn))


def _join(columns: list[list[str] | str] | list[list[str]], n_rows: int) -> list[str]:
    spread = [[column] * n_rows if isinstance(column, str) else column for column in columns]
    return list(map("".join, zip(*spread, strict=True)))


def _random_uuids(n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    """Version 4 UUIDs: 122 bits of a keyed hash of the row's number, so a repeat is practically impossible."""
    key = rng.bytes(32)
    digests = (hashlib.blake2b(row.to_bytes(8, "big"), key=key, digest_size=16) for row in range(first, first + n_rows))
    return [str(uuid.UUID(bytes=digest.digest(), version=4)) for digest in digests]
