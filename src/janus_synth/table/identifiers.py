"""Fresh identifiers from a template: numbered after the last one seen, or random.

A row's identifier depends on the generator's seed and the row's number only, so a table written in pieces has the
same identifiers as one written whole, and none twice.
"""

from __future__ import annotations

import hashlib
import math
import uuid
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.table.templates import CLASSES, Part, parse_template


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
        Look of the identifiers, see ``janus_synth.table.templates``.
    n_rows : int
        How many to make.
    rng : numpy.random.Generator
        Source of random characters; pieces of one table start from the same state.
    first : int
        How many identifiers were already handed out.

    Examples
    --------
    >>> fresh_texts("EMP-{00124}", 2, np.random.default_rng(0), first=10)
    ['EMP-00134', 'EMP-00135']
    """
    parts = parse_template(template)
    assert not isinstance(parts, str), "a Column checks its template"
    if parts[0].role == "uuid":
        return _uuids(n_rows, rng, first=first)
    if any(part.role == "count" for part in parts):
        return _numbered(parts, n_rows, rng, first=first)
    return _random(parts, n_rows, rng, first=first)


def _count(start: int, n_rows: int) -> Array:
    """Consecutive numbers, in the first integer type that holds them all."""
    end = start + n_rows
    dtype: Any = np.int64 if end <= 2**63 else np.uint64 if end <= 2**64 else object
    if dtype is object:
        return np.array([start + i for i in range(n_rows)], dtype=object)
    numbers: Array = np.arange(n_rows, dtype=dtype) + dtype(start)
    return numbers


def _numbered(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    columns: list[list[str] | str] = []
    for part in parts:
        if part.role == "text":
            columns.append(part.text)
        elif part.role == "random":
            columns.append(_shuffled(part.text, n_rows, rng, first=first)[0])
        else:
            start, width = int(part.text) + first, len(part.text)
            columns.append([f"{start + i:0{width}d}" for i in range(n_rows)])
    return _join(columns, n_rows)


def _random(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    """Random characters without repeats; once all are used up, the same again with a number behind."""
    picture = "".join(part.text for part in parts if part.role == "random")
    drawn, rounds = _shuffled(picture, n_rows, rng, first=first)
    texts = _fill(parts, drawn)
    return [f"{text}-{number}" if number else text for text, number in zip(texts, rounds, strict=True)]


def _shuffled(picture: str, n_rows: int, rng: np.random.Generator, *, first: int) -> tuple[list[str], list[int]]:
    """Fillings of a picture in a shuffled order, from the ``first`` on, and how often each was used before.

    The order is row ↦ (a · row + b) mod capacity, which meets every filling once if a and the capacity share no
    factor.
    """
    sizes = [len(CLASSES[c]) for c in picture]
    capacity = math.prod(sizes)
    a, b = (int.from_bytes(rng.bytes(16), "big") % capacity for _ in range(2))
    while math.gcd(a, capacity) != 1:
        a += 1
    ranks = [(a * row + b) % capacity for row in range(first, first + n_rows)]
    columns: list[list[str]] = []
    for symbol, size in zip(reversed(picture), reversed(sizes), strict=True):
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


def _uuids(n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    """Version 4 UUIDs: 122 bits from a keyed hash of the row's number, so repeats do not happen."""
    key = rng.bytes(32)
    digests = (hashlib.blake2b(row.to_bytes(8, "big"), key=key, digest_size=16) for row in range(first, first + n_rows))
    return [str(uuid.UUID(bytes=digest.digest(), version=4)) for digest in digests]
