"""What benchmarks share: words that are known or close to one, parts that are asked for, what was found as records."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from janus_synth.errors import DataError


def hint(word: str, known: Iterable[str]) -> str:
    """What somebody may have meant by a word that is not known.

    Examples
    --------
    >>> hint("fidelty", ["fidelity", "speed"]), hint("x", ["fidelity", "speed"])
    ("Did you mean 'fidelity'?", 'Choose from fidelity, speed.')
    """
    words = list(known)
    close = difflib.get_close_matches(word, words, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(words)}."


def parts_named(words: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Parts in their order, in capitals or not; by default all.

    Examples
    --------
    >>> parts_named(["c", "A"], ("A", "B", "C"))
    ['A', 'C']
    """
    wanted = set(known) if words is None else {word.upper() for word in words}
    unknown = sorted(wanted - set(known))
    if unknown or not wanted:
        raise DataError(f"no part is called {', '.join(unknown) or 'nothing'}. Choose from {', '.join(known)}.")
    return [part for part in known if part in wanted]


def records_of(found: Iterable[Any]) -> list[dict[str, object]]:
    """What was found, values of dataclasses, as plain JSON values, each with the name of its kind."""
    return [{"record": type(one).__name__.lower(), **asdict(one)} for one in found]
