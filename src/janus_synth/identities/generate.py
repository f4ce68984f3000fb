"""Personal columns of a table and row numbers in, one made-up text per row and column out.

A row's texts depend on the seed and the row's number alone, so that a table written in pieces is the same as one
written whole. Columns of one person agree: the e-mail address is made from the name in the row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from janus_synth.arrays import Array, Bools, LongInts
from janus_synth.identities.check_digits import correct
from janus_synth.identities.column_words import person_of
from janus_synth.identities.formats import Weighted, draw_texts, mix_bits
from janus_synth.identities.pools import LATIN, Pool, pool_of
from janus_synth.identities.recipe import Recipe
from janus_synth.identities.roles import NAME_ROLES

N_RANDOM = 16
"""Random words per row and column."""
DOMAINS = ("example.com", "example.org", "example.net")
"""Domains that belong to nobody (RFC 2606)."""
WORD = (Weighted("{a4-9}", 1),)
MOST_WORDS = 500
PRIME = 2_654_435_761
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""Step between the states of one row's words, as in SplitMix64."""
ENTITIES = "whose value repeats"


@dataclass(frozen=True, slots=True)
class PersonalColumn:
    """What is needed to regenerate one column."""

    name: str
    role: str
    recipe: Recipe
    locale: str | None = None
    keep_equal: bool = False


@dataclass(frozen=True, slots=True)
class Cells:
    """Texts of one column, and which of its cells are missing."""

    texts: list[str]
    missing: Bools


def generate(columns: Sequence[PersonalColumn], n_rows: int, *, seed: int, first: int = 0) -> dict[str, Cells]:
    """Make ``n_rows`` rows of personal columns.

    Parameters
    ----------
    columns : sequence of PersonalColumn
        All personal columns of a table, since those of one person agree.
    n_rows : int
        How many rows to make.
    seed : int
        The same for all pieces of one table.
    first : int
        How many rows were made before.

    Examples
    --------
    >>> code = PersonalColumn("code", "format", Recipe((Weighted("{A2}-{9:4}", 1),)))
    >>> made = generate([code], 3, seed=0)["code"].texts
    >>> len(set(made)), made[1:] == generate([code], 2, seed=0, first=1)["code"].texts
    (3, True)
    """
    if n_rows == 0:
        return {column.name: Cells([], np.empty(0, bool)) for column in columns}
    rows = np.arange(first, first + n_rows)
    texts: dict[str, list[str]] = {}
    found: dict[str, Cells] = {}
    for column in sorted(columns, key=lambda column: column.role not in NAME_ROLES):
        person = _group_of(column, columns)
        numbers = _numbers(column, person, columns, rows, seed)
        maker = Maker(column, seed, person)
        names = {each.role: texts[each.name] for each in columns if each.name in texts and _is_name_of(each, person)}
        texts[column.name] = maker.texts(numbers, names)
        found[column.name] = Cells(texts[column.name], _missing(column, rows, seed))
    return {column.name: found[column.name] for column in columns}


def _group_of(column: PersonalColumn, columns: Sequence[PersonalColumn]) -> str:
    """Whose column this is; an account of nobody in particular belongs to the first person with a name."""
    groups = [person_of(each.name) for each in columns if each.role in NAME_ROLES]
    mine = person_of(column.name)
    is_account = column.role in ("email", "username") and not column.keep_equal
    return groups[0] if groups and mine not in groups and is_account else mine


def _is_name_of(column: PersonalColumn, person: str) -> bool:
    return column.role in NAME_ROLES and person_of(column.name) == person


def _numbers(
    column: PersonalColumn, person: str, columns: Sequence[PersonalColumn], rows: LongInts, seed: int
) -> LongInts:
    """Number that each row's value is made from: the row's own, or that of a value that several rows share."""
    equal = [c for c in columns if c.keep_equal and c.recipe.repeats and _group_of(c, columns) == person]
    follows = column.role in (*NAME_ROLES, "email", "username") or column.keep_equal
    if not equal or not follows:
        return rows
    share = np.cumsum(equal[0].recipe.shares)
    drawn = np.searchsorted(share, random_words(seed, f"{person} {ENTITIES}", rows)[:, 0] / 2.0**64, side="right")
    return np.minimum(drawn, len(share) - 1).astype(np.int64)


def _missing(column: PersonalColumn, rows: LongInts, seed: int) -> Bools:
    """Which cells are missing, with the share of the recipe."""
    if column.recipe.missing == 0:
        return np.zeros(len(rows), bool)
    return np.asarray(random_words(seed, f"{column.name}?", rows)[:, 0] / 2.0**64 < column.recipe.missing)


def random_words(seed: int, stream: str, numbers: LongInts) -> Array:
    """(rows, N_RANDOM) random words that depend on the seed, the stream and the number of each row alone."""
    key = np.random.SeedSequence([seed, *stream.encode("utf-8", "surrogatepass")]).generate_state(2, np.uint64)
    consecutive = bool((np.diff(numbers) == 1).all())
    distinct, inverse = (numbers, slice(None)) if consecutive else np.unique(numbers, return_inverse=True)
    words = np.empty((len(distinct), N_RANDOM), np.uint64)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(distinct) != 1])).tolist()
    for start, stop in pairwise([*starts, len(distinct)]):
        generator = np.random.Philox(key=key)
        generator.advance(int(distinct[start]) * N_RANDOM // 4)  # Philox makes four words at a time
        words[start:stop] = generator.random_raw((stop - start) * N_RANDOM).reshape(-1, N_RANDOM)
    return np.asarray(words[inverse])


class Maker:
    """Makes the texts of one column from numbers."""

    def __init__(self, column: PersonalColumn, seed: int, person: str) -> None:
        self._column, self._seed, self._person = column, seed, person
        self._pool: Pool | None = pool_of(column.locale)

    def texts(self, numbers: LongInts, names: Mapping[str, list[str]]) -> list[str]:
        """One text per number; ``names`` are those of the same rows, by role."""
        role, pool = self._column.role, self._pool
        match role:
            case "email" | "username":
                return self._accounts(numbers, names)
            case "ip":
                return self._internet_addresses(numbers)
            case "text":
                return self._sentences(numbers)
        if role in NAME_ROLES and pool is not None:
            return self._names(numbers, pool)
        if role == "address" and pool is not None:
            return self._addresses(numbers, pool)
        texts = self._formatted(numbers)
        if role in NAME_ROLES or self._column.recipe.check is None:
            return texts
        return [correct(self._column.recipe.check, text) for text in texts]

    def _words(self, numbers: LongInts, stream: str = "") -> Array:
        return random_words(self._seed, f"{self._column.name}:{stream}", numbers)

    def _formatted(self, numbers: LongInts) -> list[str]:
        name = int.from_bytes(self._column.name.encode("utf-8", "surrogatepass")[:6], "big")
        return draw_texts(self._column.recipe.formats, numbers, self._words(numbers), seed=(self._seed ^ name) % 2**63)

    def _names(self, numbers: LongInts, pool: Pool) -> list[str]:
        """Names of the person that all name columns of a group share."""
        words = random_words(self._seed, f"name of {self._person}", numbers)
        firsts, lasts = _picked(pool.first_names, words[:, 0]), _picked(pool.last_names, words[:, 1])
        if self._column.role == "first_name":
            return firsts
        if self._column.role == "last_name":
            return lasts
        commas = self._column.recipe.has(",")
        return [f"{b}, {a}" if commas else f"{a} {b}" for a, b in zip(firsts, lasts, strict=True)]

    def _accounts(self, numbers: LongInts, names: Mapping[str, list[str]]) -> list[str]:
        """E-mail addresses and user names made from the names in the row; distinct ones end in the number."""
        words = self._words(numbers)
        local = [_slug(name) for name in self._full_names(numbers, names, words)]
        if self._column.recipe.distinct or not names:
            local = [f"{name}{number}" for name, number in zip(local, numbers.tolist(), strict=True)]
        if self._column.role == "username":
            return local
        return [f"{name}@{domain}" for name, domain in zip(local, _picked(DOMAINS, words[:, 2]), strict=True)]

    def _full_names(self, numbers: LongInts, names: Mapping[str, list[str]], words: Array) -> list[str]:
        if "name" in names:
            return [" ".join(reversed(name.split(","))) for name in names["name"]]
        parts = [names[role] for role in ("first_name", "last_name") if role in names]
        if not parts and self._pool is not None:
            parts = [_picked(self._pool.first_names, words[:, 0]), _picked(self._pool.last_names, words[:, 1])]
        if not parts:
            parts = [draw_texts(WORD, numbers, words[:, part:], seed=self._seed % 2**62 + part) for part in (0, 1)]
        return [" ".join(each) for each in zip(*parts, strict=True)]

    def _addresses(self, numbers: LongInts, pool: Pool) -> list[str]:
        """A street with random digits in place of its number, and a city if the format has a comma."""
        words = self._words(numbers)
        streets, cities = _picked(pool.streets, words[:, 0]), _picked(pool.cities, words[:, 1])
        texts = [_with_digits(street, int(word)) for street, word in zip(streets, words[:, 2], strict=True)]
        if self._column.recipe.has(","):
            texts = [f"{street}, {city}" for street, city in zip(texts, cities, strict=True)]
        return texts

    def _internet_addresses(self, numbers: LongInts) -> list[str]:
        """Addresses of version 4, or of version 6 in the range for documentation if most formats have a colon."""
        words = self._words(numbers)
        start = int(random_words(self._seed, self._column.name, np.zeros(1, np.int64))[0, 0] >> np.uint64(32))
        mixed = (numbers * PRIME + start) % (223 << 24)  # a permutation: different numbers, different addresses
        if self._column.recipe.has("::"):
            return [f"2001:db8::{w >> 48 & 0xFFFF:x}:{m >> 16:x}:{m & 0xFFFF:x}"
                    for w, m in zip(words[:, 0].tolist(), mixed.tolist(), strict=True)]  # fmt: skip
        return [f"{1 + (m >> 24)}.{m >> 16 & 255}.{m >> 8 & 255}.{m & 255}" for m in mixed.tolist()]

    def _sentences(self, numbers: LongInts) -> list[str]:
        """Words that mean nothing, as many as the texts had."""
        words = self._words(numbers)
        deciles = np.array([0, *self._column.recipe.words] if self._column.recipe.words else [3, 8])
        levels = words[:, 0] / 2.0**64 * (len(deciles) - 1)
        lengths = np.interp(levels, np.arange(len(deciles)), deciles).round().clip(1, MOST_WORDS).astype(int)
        known = self._pool.words if self._pool is not None else LATIN
        ends = np.cumsum(lengths)
        place = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        state = np.repeat(words[:, 1], lengths) + place.astype(np.uint64) * GOLDEN
        chosen = _picked(known, mix_bits(state))
        return [
            " ".join(chosen[end - n : end]).capitalize() + "."
            for n, end in zip(lengths.tolist(), ends.tolist(), strict=True)
        ]


def _picked(known: Sequence[str], words: Array) -> list[str]:
    return [known[i] for i in (words % np.uint64(len(known))).tolist()]


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
    return ".".join(re.findall(r"[a-z]+", plain)) or "user"


def _with_digits(text: str, word: int) -> str:
    """The text with random digits, the first of a number not 0."""

    def digit(match: re.Match[str]) -> str:
        nonlocal word
        word, value = divmod(word, 9 if match.start() == 0 or not text[match.start() - 1].isdigit() else 10)
        return str(value + 1 if match.start() == 0 or not text[match.start() - 1].isdigit() else value)

    return re.sub(r"\d", digit, text)
