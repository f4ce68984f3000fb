"""Time limits of requests for rows: seconds and a number of rows in; rows in time, or an error that says why not, out.

Nothing but the error depends on the clock: a request either gives the rows of its seed or none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from janus_synth.deadlines import OutOfTime, check_time, time_limit
from janus_synth.errors import TimeLimitError, UndecidedError
from janus_synth.model import Model
from janus_synth.rules import Rule

LEAST_SECONDS, SECONDS_PER_ROW = 120.0, 0.05
"""The time limit of a request is the sum of the two by default: a rare request takes 10 s in bad cases, most of it for
its plan, and an imputed row 12 ms (docs/mixes.md)."""
MOST_NAMED, MOST_CHARACTERS = 2, 120
"""Rules that a message names, and characters of each."""


class RowLimit:
    """Time that a request for rows has left; only time inside ``running`` counts, so that batches can be consumed."""

    def __init__(self, max_seconds: float | str | None, n: int, model: Model, where: Sequence[Rule] = ()) -> None:
        self.seconds = limit_in_seconds(max_seconds, n)
        self.left = self.seconds
        self.n_wanted, self.n_found = n, 0
        self.rules = [str(rule) for rule in (*model.all_rules, *where)]

    def count(self, n_rows: int) -> None:
        """Count rows that are complete."""
        self.n_found += n_rows

    @contextmanager
    def running(self) -> Iterator[None]:
        """Raise ``TimeLimitError`` if the block, with the blocks before it, takes longer than the limit."""
        start = time.monotonic()
        try:
            with time_limit(self.left):
                try:
                    yield
                except UndecidedError:
                    check_time()  # if the limit has passed, this limit is the reason
                    raise
        except OutOfTime:
            raise self.error() from None
        finally:
            self.left -= time.monotonic() - start

    def error(self) -> TimeLimitError:
        """Return the error that says what was reached, what is hard, and what to do."""
        hard = sorted(self.rules, key=len, reverse=True)[:MOST_NAMED]
        named = " and ".join(repr(_shorten(text)) for text in hard)
        which = "" if not hard else f" The longest of {len(self.rules)} rules and conditions: {named}."
        advice = "simplify or leave out one of these, ask for fewer rows, or" if hard else "ask for fewer rows, or"
        return TimeLimitError(
            f"{self.n_found:,} of {self.n_wanted:,} rows were complete within {self.seconds:g} s.{which} To have rows, "
            f"{advice} allow more time: max_seconds={10 * max(self.seconds, 1.0):.0f}, or max_seconds=None for no "
            "limit.",
            seconds=self.seconds,
            n_found=self.n_found,
            n_wanted=self.n_wanted,
            hard=hard,
        )


def limit_in_seconds(max_seconds: float | str | None, n: int) -> float:
    """Return a limit in seconds, by default one that depends on the number of rows; None is no limit.

    Examples
    --------
    >>> limit_in_seconds("auto", 1_000), limit_in_seconds(5, 1_000), limit_in_seconds(None, 1_000)
    (170.0, 5.0, inf)
    """
    if max_seconds is None:
        return math.inf
    if isinstance(max_seconds, str) and max_seconds == "auto":
        return LEAST_SECONDS + SECONDS_PER_ROW * n
    if isinstance(max_seconds, str | bool) or not max_seconds > 0:
        raise ValueError(f"max_seconds is {max_seconds!r}; it must be above 0, 'auto', or None for no limit.")
    return float(max_seconds)


def _shorten(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
