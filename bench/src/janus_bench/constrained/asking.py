"""A fitted synthesizer and a request to rows: natively, by rejection, by filtering, by clipping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from janus_bench.constrained.conditions import Bound, Condition, Level
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.models.sem import Sem
    from janus_bench.peers.interface import Synthesizer

SMALLEST_BATCH, LARGEST_BATCH = 1_000, 100_000
"""Rows that a rejecting method draws at a time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a method that rejects gives up; the draws decide, the time only saves the day."""

    most_draws: int = 5_000_000
    most_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """So many rows that meet a condition."""

    n: int
    condition: Condition
    seed: int
    limits: Limits = field(default_factory=Limits)


class Answer(NamedTuple):
    """The rows returned, and how many were drawn for them; None where rows are not drawn."""

    rows: pd.DataFrame
    n_drawn: int | None


Make = Callable[["Sem"], "Synthesizer"]
"""The true model in, for methods that are given its graph, and something to fit out."""
Ask = Callable[["Synthesizer", Request], Answer]


@dataclass(frozen=True, slots=True)
class Method:
    """A name, what is fitted, and how it is asked; what is fitted alike is fitted once, unless that flatters times.

    Both are functions of a module, or partials of them, as processes get them by name.
    """

    name: str
    make: Make
    ask: Ask

    @property
    def ours(self) -> bool:
        """Whether JANUS itself answers the condition."""
        return isinstance(self.ask, Natively)

    @property
    def asked(self) -> str:
        """How it is asked, as text.

        Examples
        --------
        >>> Method("greedy", lambda sem: TrainingRows(), natively(method="greedy")).asked
        "Natively(arguments={'method': 'greedy'})"
        >>> Method("rejecting", lambda sem: TrainingRows(), reject).asked
        'reject'
        """
        return str(getattr(self.ask, "__name__", self.ask))

    @property
    def way(self) -> str:
        """What keeps its fit apart from others of the same setting; usually nothing.

        JANUS keeps plans of conditions that it was asked about: who asks it in another way would find them made.
        """
        return self.asked if isinstance(self.ask, Natively) and self.ask.arguments else ""


@dataclass(frozen=True, slots=True)
class Natively:
    """JANUS itself is asked, with further arguments of `Janus.sample`."""

    arguments: Mapping[str, Any]

    def __call__(self, fitted: Synthesizer, request: Request) -> Answer:
        """Hand over the condition as text."""
        where: Any = {"where": str(request.condition), **self.arguments}
        return Answer(fitted.sample(request.n, seed=request.seed, **where), request.n)


def natively(**arguments: Any) -> Natively:
    """Ask JANUS itself, with further arguments of `Janus.sample`."""
    return Natively(arguments)


def reject(fitted: Synthesizer, request: Request) -> Answer:
    """Draw without conditions and keep what obeys, until there are enough rows or a limit is reached."""
    import pandas as pd

    start = perf_counter()
    seeds = np.random.default_rng(request.seed)
    kept: list[pd.DataFrame] = []
    found = drawn = 0
    while found < request.n and drawn < request.limits.most_draws:
        spent = perf_counter() - start
        if spent > request.limits.most_seconds:
            break
        in_time = _in_time(drawn, spent, request.limits.most_seconds)
        size = min(_batch(request.n, found, drawn), request.limits.most_draws - drawn, in_time)
        batch = fitted.sample(size, seed=int(seeds.integers(2**31)))
        kept.append(batch[request.condition.mask(batch)])
        found, drawn = found + len(kept[-1]), drawn + size
    return Answer(pd.concat(kept, ignore_index=True).iloc[: request.n], _drawn_for(request.n, found, drawn))


def _batch(n: int, found: int, drawn: int) -> int:
    """A little more than the rate so far asks for; doubling while nothing was found."""
    wanted = 1.1 * (n - found) * drawn / found if found else max(2 * n, 2 * drawn)
    return int(min(LARGEST_BATCH, max(wanted, SMALLEST_BATCH)))


def _in_time(drawn: int, spent: float, most_seconds: float) -> int:
    """Rows that the pace so far allows for: a method that draws slowly is not to overrun its time by a large batch."""
    return max(SMALLEST_BATCH, int(drawn / spent * (most_seconds - spent))) if drawn else LARGEST_BATCH


def _drawn_for(n: int, found: int, drawn: int) -> int:
    """Rows drawn for the rows returned: what the last batch found beyond them does not count."""
    return drawn if found <= n else round(drawn * n / found)


class TrainingRows:
    """No model at all: the training rows."""

    name = "training rows"

    def __init__(self) -> None:
        self.frame: pd.DataFrame | None = None

    def fit(self, frame: pd.DataFrame, *, seed: int) -> TrainingRows:
        """Keep the table."""
        self.frame = frame
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw rows with replacement."""
        if self.frame is None:
            raise NotFittedError("training rows have not been given. Call fit first.")
        chosen = np.random.default_rng(seed).integers(len(self.frame), size=n)
        return self.frame.iloc[chosen].reset_index(drop=True)


def filter_training(fitted: Synthesizer, request: Request) -> Answer:
    """Draw with replacement from the training rows that obey; nothing where none does."""
    assert isinstance(fitted, TrainingRows)
    assert fitted.frame is not None
    matching = fitted.frame[request.condition.mask(fitted.frame)]
    if matching.empty:
        return Answer(matching, None)
    return Answer(TrainingRows().fit(matching, seed=0).sample(request.n, seed=request.seed), None)


def clip(fitted: Synthesizer, request: Request) -> Answer:
    """Draw without conditions, then move every violating cell to where it obeys, one comparison after the other.

    A comparison of two columns moves the first. What a later move breaks stays broken.
    """
    rows = fitted.sample(request.n, seed=request.seed)
    rng = np.random.default_rng(request.seed)
    for literal in request.condition.literals:
        rows = _moved_to_bound(rows, literal) if isinstance(literal, Bound) else _moved_to_level(rows, literal, rng)
    return Answer(rows, None)


def _moved_to_bound(rows: pd.DataFrame, literal: Bound) -> pd.DataFrame:
    bad = ~literal.mask(rows)
    column = rows[literal.column]
    limit = np.broadcast_to(literal.limit(rows), len(rows))
    if column.dtype.kind in "iu":
        limit = np.ceil(limit) if literal.op == ">=" else np.floor(limit)
    moved = np.where(bad, limit, column.to_numpy(np.float64))
    return rows.assign(**{literal.column: moved.astype(column.dtype.name)})


def _moved_to_level(rows: pd.DataFrame, literal: Level, rng: np.random.Generator) -> pd.DataFrame:
    """The level asked for; for ``!=`` that of a random row that has another."""
    bad = ~literal.mask(rows)
    column = rows[literal.column].copy()
    if literal.op == "==":
        column[bad] = literal.value
    elif not bad.all():
        column[bad] = rng.choice(column[~bad].to_numpy(), size=int(bad.sum()))
    return rows.assign(**{literal.column: column})
