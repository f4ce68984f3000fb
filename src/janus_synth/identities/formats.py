"""Texts in, their formats out: classes and numbers of characters and the separators, but none of the texts; and back.

A format is a text such as ``{A1}{a2-7}-{9:4}``: braces hold a class of characters and how many of them, everything else
is kept as it is, and a doubled brace stands for one. Classes are ``9`` (digit), ``1`` (digit but 0), ``A`` and ``a``
(letter, upper and lower), ``*`` (lower-case letter or digit) and ``x`` and ``X`` (hexadecimal).

Formats of fewer than ``least`` texts are left out, as are those of one text that repeats, and the numbers of letters
are quantiles, so that no format describes a single text.
"""

from __future__ import annotations

import os
import re
import string
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Array, LongInts

CLASSES = {
    "9": string.digits,
    "1": string.digits[1:],
    "A": string.ascii_uppercase,
    "a": string.ascii_lowercase,
    "*": string.ascii_lowercase + string.digits,
    "x": string.digits + "abcdef",
    "X": string.digits + "ABCDEF",
}
MOST_FORMATS = 32
LEAST_COVERED = 0.5
"""Formats must describe this share of the texts; otherwise numbers of digits may vary, too."""
MIN_SHARED = 20
"""So many different texts of a format share characters; those of fewer could disclose one of them."""
COMMON, MOST_READ = 0.8, 2000
"""Share of all texts, or of so many, that have characters which belong to a format."""
LONGEST = 200
"""Longer runs of characters are cut."""
N_RANKED = 2**31
"""Most combinations of characters that a row's number is spread over; the remaining characters are random."""
LONG = 10
"""Texts with at least this many characters leave some of them out of the number's spread."""
_TOKEN = re.compile(r"\{\{|\}\}|\{(?P<kind>[91Aa*xX])(?::?)(?P<low>\d{1,3})(?:-(?P<high>\d{1,3}))?\}|(?P<text>[^{}]+)")


class Run(NamedTuple):
    """Some characters of a class, or the text itself if there is no class; a run of one text has both."""

    kind: str
    text: str
    low: int = 1
    high: int = 1


class Weighted(NamedTuple):
    """A format and the number of texts that it describes."""

    text: str
    weight: int


def parse_format(text: object) -> tuple[Run, ...] | str:
    """Runs of a format, or a text that says what is wrong with it.

    Examples
    --------
    >>> parse_format("+49 {9:3}")
    (Run(kind='', text='+49 ', low=1, high=1), Run(kind='9', text='', low=3, high=3))
    >>> parse_format("+49")
    'it has no {characters}, so that all values would be the same'
    """
    if not isinstance(text, str):
        return "it is not text"
    runs, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return f"the {text[at]!r} at position {at} has no partner, or holds no class of characters"
        if match["kind"]:
            low, high = int(match["low"]), int(match["high"] or match["low"])
            if not 0 <= low <= high <= LONGEST:
                return f"{match[0]} has no valid numbers of characters"
            runs.append(Run(match["kind"], "", low, high))
        else:
            runs.append(Run("", match["text"] or match[0][0]))
        at = match.end()
    return (
        tuple(runs) if any(run.kind for run in runs) else "it has no {characters}, so that all values would be the same"
    )


def learn_formats(
    texts: Sequence[str], *, least: int, keep: re.Pattern[str] | None = None, shared: bool = False
) -> tuple[Weighted, ...]:
    """Most frequent formats of some texts, each of at least ``least`` of them; one vague format if there is none.

    Parameters
    ----------
    texts : sequence of str
        One per row.
    least : int
        Fewest texts of a format.
    keep : regular expression, optional
        What it matches at the start of a text belongs to the format: a country code.
    shared : bool
        Whether characters of all texts of a format, and of most texts, belong to it: ``/km`` in ``4:48 /km``.

    Examples
    --------
    >>> learn_formats(["Ada Lovelace", "Kurt Gödel", "Emmy Noether"] * 4, least=5)
    (Weighted(text='{A1}{a2-3} {A1}{a4-7}', weight=12),)
    """
    split = [_runs_of(text, keep) for text in texts]
    for with_digits in (True, False):
        groups: defaultdict[tuple[object, ...], list[tuple[Run, ...]]] = defaultdict(list)
        for runs in split:
            groups[tuple(_key(run, with_digits) for run in runs)].append(runs)
        frequent = [
            group
            for group in groups.values()
            if len(group) >= least and any(run.kind for run in group[0]) and (least < 2 or _differ(group))
        ]
        if sum(map(len, frequent)) >= LEAST_COVERED * len(texts):
            break
    if not frequent:
        return (Weighted(_vague_format(texts), max(1, len(texts))),)
    described: Counter[str] = Counter()
    for group in frequent:
        described[_describe(group, split if shared else ())] += len(group)
    return tuple(Weighted(text, count) for text, count in sorted(described.most_common(MOST_FORMATS)))


def _runs_of(text: str, keep: re.Pattern[str] | None) -> tuple[Run, ...]:
    """Runs of one text; what is no letter and no digit is kept."""
    start = keep.match(text) if keep is not None else None
    head = (Run("", start[0]),) if start and start[0] else ()
    found = []
    for kind, run in groupby(text[len(head[0].text) if head else 0 :], key=_class_of):
        characters = "".join(run)
        length = min(len(characters), LONGEST)
        found.append(Run(kind, characters[:LONGEST], length, length) if kind else Run("", characters))
    return (*head, *found)


def _differ(group: Sequence[tuple[Run, ...]]) -> bool:
    """Whether the texts of a format are not one text that repeats."""
    return any(runs != group[0] for runs in group)


def _class_of(character: str) -> str:
    if character.isdigit():
        return "9"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return ""


def _key(run: Run, with_digits: bool) -> object:
    """What texts of one format share: literal text, the class, an initial capital, and numbers of digits."""
    if not run.kind:
        return run.text
    exact = (run.kind == "9" and with_digits) or (run.kind == "A" and run.low == 1)
    return (run.kind, run.low) if exact else (run.kind,)


def _describe(group: Sequence[tuple[Run, ...]], everything: Sequence[tuple[Run, ...]]) -> str:
    """Format of texts that share their keys; lengths from the second to the ninth tenth.

    What they all begin a run with is kept if many of ``everything`` have it, too.
    """
    parts: list[str] = []
    may_share = bool(everything) and len(set(group)) >= MIN_SHARED
    for runs in zip(*group, strict=True):
        if not runs[0].kind:
            parts.append(re.sub(r"([{}])", r"\1\1", runs[0].text))
            continue
        start = os.path.commonprefix([run.text for run in runs]) if may_share else ""  # noqa: RUF071, by characters
        if start and _is_common(start, everything):
            parts.append(start)
            runs = tuple(run._replace(low=run.low - len(start)) for run in runs)
            if not any(run.low for run in runs):
                continue
        low, high = (int(q) for q in np.quantile([run.low for run in runs], (0.1, 0.9), method="nearest"))
        colon = ":" if runs[0].kind in "91" else ""
        parts.append(f"{{{runs[0].kind}{colon}{low}{f'-{high}' * (high > low)}}}")
    return "".join(parts)


def _is_common(start: str, texts: Sequence[tuple[Run, ...]]) -> bool:
    """Whether a run of nearly all texts begins like this: a name that many rows repeat does not."""
    some = texts[:: max(1, len(texts) // MOST_READ)]
    n = sum(any(run.kind and run.text.startswith(start) for run in runs) for runs in some)
    return n >= COMMON * len(some)


def hexadecimal_formats(texts: Sequence[str], *, least: int) -> tuple[Weighted, ...]:
    """Formats of devices and other hexadecimal numbers: their lengths and separators.

    >>> hexadecimal_formats(["0A:1F", "77:B0"] * 4, least=5)
    (Weighted(text='{X2}:{X2}', weight=8),)
    """
    kind = "x" if any(re.search("[a-f]", text) for text in texts) else "X"
    found = Counter(re.sub("[0-9a-fA-F]+", lambda run: f"{{{kind}{len(run[0])}}}", text) for text in texts)
    return tuple(Weighted(text, count) for text, count in sorted(found.items()) if count >= least)


def _vague_format(texts: Sequence[str]) -> str:
    """Format of texts that have nothing in common: letters and digits of about their lengths."""
    lengths = [min(len(text), LONGEST) for text in texts] or [8]
    low, high = (int(q) for q in np.quantile(lengths, (0.25, 0.75)))
    return f"{{*{max(low, 1)}-{max(high, low, 1)}}}"


def draw_texts(formats: Sequence[Weighted], numbers: LongInts, random: Array, *, seed: int) -> list[str]:
    """One text per number, by formats chosen at random; different numbers give different texts as long as they last.

    Parameters
    ----------
    formats : sequence of Weighted
        What texts look like.
    numbers : array of int
        Number of each row, or of the value that several rows share.
    random : array of uint64, (rows, words)
        Random words that depend on the number alone.
    seed : int
        Seed of the order in which characters are used up.

    Examples
    --------
    >>> words = np.random.default_rng(0).integers(2**63, size=(3, 8), dtype=np.uint64)
    >>> draw_texts([Weighted("No. {9:4}", 1)], np.arange(3), words, seed=1)
    ['No. 5333', 'No. 8953', 'No. 1683']
    """
    parsed = [parse_format(each.text) for each in formats]
    share = np.cumsum([each.weight for each in formats]) / sum(each.weight for each in formats)
    chosen = np.minimum(np.searchsorted(share, random[:, 0] / 2.0**64, side="right"), len(formats) - 1)
    out = np.empty(len(numbers), object)
    for i in np.unique(chosen).tolist():
        rows = np.flatnonzero(chosen == i)
        runs = parsed[i]
        assert not isinstance(runs, str), "a Recipe checks its formats"
        lengths = np.column_stack([_lengths(run, random[rows], j) for j, run in enumerate(runs)])
        for shape in np.unique(lengths, axis=0):
            same = rows[(lengths == shape).all(axis=1)]
            out[same] = _fill(runs, shape.tolist(), numbers[same], random[same], seed)
    return [str(text) for text in out]


def _lengths(run: Run, random: Array, j: int) -> LongInts:
    word = random[:, 1 + j % (random.shape[1] - 1)] >> np.uint64(7 * (j // (random.shape[1] - 1)) % 50)
    return run.low + (word % np.uint64(run.high - run.low + 1)).astype(np.int64)


def _fill(runs: tuple[Run, ...], lengths: list[int], numbers: LongInts, random: Array, seed: int) -> list[str]:
    """Texts of one shape: the first characters spread the number over all combinations, the others are random."""
    symbols = [CLASSES[run.kind] if run.kind else "" for run, n in zip(runs, lengths, strict=True) for _ in range(n)]
    literal = [run.text for run, n in zip(runs, lengths, strict=True) for _ in range(n)]
    sizes = [len(s) for s in symbols if s]
    first = 2 if len(sizes) >= LONG else 0  # a check digit may replace the first two or the last character
    stop, capacity = first, 1
    while stop < len(sizes) - (len(sizes) >= LONG) and capacity * sizes[stop] <= N_RANKED:
        capacity *= sizes[stop]
        stop += 1
    rank, again = _spread(numbers, capacity, seed), numbers // capacity
    noise = np.random.default_rng([seed, capacity, len(sizes)]).integers(
        2**62, size=max(len(sizes), 1), dtype=np.uint64
    )
    columns: list[Array | str] = []
    at = 0
    for symbol, text in zip(symbols, literal, strict=True):
        if not symbol:
            columns.append(text)
            continue
        if first <= at < stop:
            digit, rank = rank % len(symbol), rank // len(symbol)
        else:
            digit = (mix_bits(random[:, at % random.shape[1]] + noise[at]) % np.uint64(len(symbol))).astype(np.int64)
        columns.append(np.array(list(symbol))[digit])
        at += 1
    spread = [[column] * len(numbers) if isinstance(column, str) else column.tolist() for column in columns]
    texts = map("".join, zip(*spread, strict=True))
    return [
        f"{text}-{n}" if n and stop - first == len(sizes) else text
        for text, n in zip(texts, again.tolist(), strict=True)
    ]


def _spread(numbers: LongInts, capacity: int, seed: int) -> LongInts:
    """Permutation of 0 … capacity − 1, number ↦ (a · number + b) mod capacity; a is coprime to all sizes of classes."""
    a, b = (int(x) for x in np.random.default_rng([seed, capacity]).integers(capacity, size=2))
    while any(a % prime == 0 for prime in (2, 3, 5, 13)):
        a += 1
    return np.asarray((a * (numbers % capacity) + b) % capacity)


def mix_bits(words: Array) -> Array:
    """Bits of 64-bit words mixed by multiplication and shifts (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))
