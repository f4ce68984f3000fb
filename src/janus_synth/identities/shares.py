"""Texts and a question in, whether enough of them have it out; no more texts are asked than it takes to tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def share_reaches(texts: Sequence[str], holds: Callable[[str], object], least: float) -> bool:
    """Whether a call returns something true for at least a share of the texts, of which there are some.

    Examples
    --------
    >>> share_reaches(["a1", "b2", "c"], str.isalpha, 0.3), share_reaches(["a1", "b2", "c"], str.isalpha, 0.5)
    (True, False)
    """
    n, hits = len(texts), 0
    for asked, text in enumerate(texts, 1):
        hits += bool(holds(text))
        if hits / n >= least:
            return True
        if (hits + n - asked) / n < least:
            return False
    return False
