"""A recipe: what is remembered of a personal column, and all that its regenerated values are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.identities.check_digits import SCHEMES, find_scheme
from janus_synth.identities.formats import Weighted, hexadecimal_formats, learn_formats, parse_format
from janus_synth.identities.roles import KEPT_STARTS, are_devices

KNOWN_SHAPES = ("email", "username", "ip", "text")
"""Roles whose values need no learnt format."""
MOST_VALUES = 10_000_000
"""Most values that repeat; a file that states more is refused."""
N_WORDS = 9
"""Numbers of words of a free text that are remembered: deciles, from the first to the ninth."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Formats, repeats and nulls of a personal column; none of its values.

    Parameters
    ----------
    formats : tuple of Weighted
        Formats of the values, each of several rows (see ``janus_synth.identities.formats``).
    check : str, optional
        Scheme of check digits that all values keep.
    distinct : bool
        Whether all values differ.
    missing : float
        Share of missing cells.
    repeats : tuple of (int, int)
        For values that repeat: pairs of a number of rows and how many values have so many.
    words : tuple of int
        For free text: deciles of the number of words.

    Examples
    --------
    >>> learn_recipe("format", ["AB-17", "CD-99", "EF-05"] * 4, missing=0.0, least=5)
    Recipe(formats=(Weighted(text='{A2}-{9:2}', weight=12),), check=None, distinct=False, missing=0.0, ...)
    """

    formats: tuple[Weighted, ...] = (Weighted("{a8}", 1),)
    check: str | None = None
    distinct: bool = False
    missing: float = 0.0
    repeats: tuple[tuple[int, int], ...] = ()
    words: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.formats or any(each.weight < 1 for each in self.formats):
            raise ValueError("it has no formats, or one without weight")
        for each in self.formats:
            if isinstance(problem := parse_format(each.text), str):
                raise ValueError(f"the format {each.text!r} cannot be used: {problem}")
        if self.check is not None and self.check not in SCHEMES:
            raise ValueError(f"the check digits {self.check!r} are not known")
        if not isinstance(self.distinct, bool) or not 0 <= self.missing <= 1:
            raise ValueError("the share of missing cells is not from 0 to 1, or distinct is no truth value")
        if any(rows < 1 or n < 1 for rows, n in self.repeats) or any(n < 0 for n in self.words):
            raise ValueError("a number of rows, values or words is negative")
        if sum(n for _, n in self.repeats) > MOST_VALUES:
            raise ValueError("the number of values that repeat is too large")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "formats": [list(each) for each in self.formats],
            "check": self.check,
            "distinct": self.distinct,
            "missing": self.missing,
            "repeats": [list(pair) for pair in self.repeats],
            "words": list(self.words),
        }

    @classmethod
    def from_dict(cls, values: Any) -> Recipe:
        """Inverse of ``to_dict``; raise ValueError for anything else."""
        if not isinstance(values, Mapping) or not values.keys() <= {f for f in cls.__dataclass_fields__}:
            raise ValueError(f"a recipe has the fields {', '.join(cls.__dataclass_fields__)}, not {values!r}")
        try:
            plain = dict(values)
            plain["formats"] = tuple(Weighted(str(text), int(weight)) for text, weight in plain["formats"])
            plain["repeats"] = tuple((int(rows), int(n)) for rows, n in plain.get("repeats", ()))
            plain["words"] = tuple(int(n) for n in plain.get("words", ()))
            return cls(**plain)
        except (KeyError, TypeError) as error:
            raise ValueError(f"a recipe cannot be read: {error}") from error

    def has(self, mark: str) -> bool:
        """Whether most values have this mark among their separators."""
        marked = [each.weight for each in self.formats if mark in _separators(each.text)]
        return 2 * sum(marked) > sum(each.weight for each in self.formats)

    @property
    def shares(self) -> Floats:
        """Share of the rows that each of the repeated values has, the most frequent first."""
        rows = np.concatenate([np.full(n, rows, float) for rows, n in self.repeats])
        return np.asarray(rows / rows.sum())


def _separators(text: str) -> str:
    runs = parse_format(text)
    return "" if isinstance(runs, str) else "".join(run.text for run in runs)


def _formats(role: str, texts: Sequence[str], least: int) -> tuple[Weighted, ...]:
    """Formats of the values; those of accounts, internet addresses and free text are known."""
    if role == "ip" and sum(":" in text for text in texts) * 2 > len(texts):
        return (Weighted("2001:db8::{*4}", 1),)
    if role in KNOWN_SHAPES or not texts:
        return (Weighted("{a8}", 1),)
    if role == "format" and are_devices(texts) and (found := hexadecimal_formats(texts, least=least)):
        return found
    return learn_formats(texts, least=least, keep=KEPT_STARTS.get(role), shared=role in ("format", "url"))


def learn_recipe(role: str, texts: Sequence[str], *, missing: float, least: int) -> Recipe:
    """Recipe of a column's present cells, one text per row."""
    counts = np.unique(np.array(texts, dtype=object).astype(str), return_counts=True)[1] if texts else np.empty(0, int)
    sizes, numbers = np.unique(counts, return_counts=True)
    repeats = tuple((int(rows), int(n)) for rows, n in zip(sizes[::-1], numbers[::-1], strict=True))
    words = sorted(len(text.split()) for text in texts) if role == "text" and texts else []
    deciles = tuple(int(q) for q in np.quantile(words, np.arange(1, N_WORDS + 1) / 10)) if words else ()
    return Recipe(
        formats=_formats(role, texts, least),
        check=None if role == "text" else find_scheme(texts),
        distinct=bool(len(counts) and counts.max() == 1),
        missing=float(missing),
        repeats=repeats,
        words=deciles,
    )
