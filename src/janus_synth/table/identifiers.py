"""Fresh identifiers from a template: numbered after the last one seen, or random."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from janus_synth.table.templates import CLASSES, Part, parse_template

_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_UUID_DIGITS = np.array([i for i in range(36) if i not in (8, 13, 18, 23)])


def fresh_numbers(template: str, n_rows: int, *, first: int = 0) -> npt.NDArray[Any] | None:
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
        Source of random characters.
    first : int
        How many numbered identifiers were already handed out.

    Examples
    --------
    >>> fresh_texts("EMP-{00124}", 2, np.random.default_rng(0), first=10)
    ['EMP-00134', 'EMP-00135']
    """
    parts = parse_template(template)
    assert not isinstance(parts, str), "a Column checks its template"
    if parts[0].role == "uuid":
        return _uuids(n_rows, rng)
    if any(part.role == "count" for part in parts):
        return _numbered(parts, n_rows, rng, first=first)
    return _random(parts, n_rows, rng)


def _count(start: int, n_rows: int) -> npt.NDArray[Any]:
    """Consecutive numbers, in the first integer type that holds them all."""
    end = start + n_rows
    dtype: Any = np.int64 if end <= 2**63 else np.uint64 if end <= 2**64 else object
    if dtype is object:
        return np.array([start + i for i in range(n_rows)], dtype=object)
    numbers: npt.NDArray[Any] = np.arange(n_rows, dtype=dtype) + dtype(start)
    return numbers


def _numbered(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator, *, first: int) -> list[str]:
    columns: list[list[str] | str] = []
    for part in parts:
        if part.role == "text":
            columns.append(part.text)
        elif part.role == "random":
            columns.append(_characters(part.text, n_rows, rng))
        else:
            start, width = int(part.text) + first, len(part.text)
            columns.append([f"{start + i:0{width}d}" for i in range(n_rows)])
    return _join(columns, n_rows)


def _random(parts: tuple[Part, ...], n_rows: int, rng: np.random.Generator) -> list[str]:
    """Random characters without repeats; once all are used up, the same again with a number behind."""
    picture = "".join(part.text for part in parts if part.role == "random")
    drawn = _distinct(picture, n_rows, rng)
    rounds = -(-n_rows // len(drawn)) if drawn else 0
    bare: list[str] = []
    for number in range(rounds):
        texts = _fill(parts, drawn)
        bare += texts if number == 0 else [f"{text}-{number}" for text in texts]
    return bare[:n_rows]


def _distinct(picture: str, n_rows: int, rng: np.random.Generator) -> list[str]:
    """Distinct fillings of a picture: ``n_rows`` of them, or all there are."""
    sizes = [len(CLASSES[c]) for c in picture]
    capacity = 1
    for size in sizes:
        capacity *= size
    if capacity <= 4 * n_rows:
        ranks = rng.permutation(capacity)[:n_rows]
        digits = np.unravel_index(ranks, sizes)
        return _join([_letters(c, d) for c, d in zip(picture, digits, strict=True)], len(ranks))
    found: dict[str, None] = {}
    while len(found) < n_rows:  # at most a quarter is taken, so this ends soon
        found.update(dict.fromkeys(_characters(picture, n_rows - len(found), rng)))
    return list(found)


def _characters(picture: str, n_rows: int, rng: np.random.Generator) -> list[str]:
    return _join([_letters(c, rng.integers(len(CLASSES[c]), size=n_rows)) for c in picture], n_rows)


def _letters(symbol: str, digits: npt.NDArray[Any]) -> list[str]:
    letters: list[str] = np.array(list(CLASSES[symbol]))[digits].tolist()
    return letters


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


def _uuids(n_rows: int, rng: np.random.Generator) -> list[str]:
    """Version 4 UUIDs: 122 random bits each, so repeats do not happen."""
    grid = np.full((n_rows, 36), ord("-"), dtype=np.uint8)
    grid[:, _UUID_DIGITS] = _HEX[rng.integers(16, size=(n_rows, 32), dtype=np.uint8)]
    grid[:, 14] = ord("4")
    grid[:, 19] = _HEX[rng.integers(8, 12, size=n_rows, dtype=np.uint8)]
    texts: list[str] = grid.view("S36").ravel().astype("U36").tolist()
    return texts
