"""Ways to get conditional rows: a fitted synthesizer and a `Request` in, an `Answer` out.

Native conditional sampling, rejection, filtering of training rows, and clipping.
"""

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
"""Limits on the rows that rejection draws at a time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When rejection gives up: normally at the limit of draws; the limit of seconds is a safeguard."""

    most_draws: int = 5_000_000
    most_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request for ``n`` rows that meet a condition."""

    n: int
    condition: Condition
    seed: int
    limits: Limits = field(default_factory=Limits)


class Answer(NamedTuple):
    """The rows returned, and how many were drawn for them; None for filtering and clipping."""

    rows: pd.DataFrame
    n_drawn: int | None


Make = Callable[["Sem"], "Synthesizer"]
"""Function from the true model, whose graph some methods get, to an unfitted synthesizer."""
Ask = Callable[["Synthesizer", Request], Answer]


@dataclass(frozen=True, slots=True)
class Method:
    """A name, a synthesizer to fit, and a way to get conditional rows from it.

    Methods with equal synthesizers share a fit, unless cached plans would make the times too short (see `way`).
    ``make`` and ``ask`` are functions of a module, or partials of them, so that they can be pickled.
    """

    name: str
    make: Make
    ask: Ask

    @property
    def ours(self) -> bool:
        """Whether conditional rows come from JANUS itself."""
        return isinstance(self.ask, Natively)

    @property
    def asked(self) -> str:
        """The way to get conditional rows, as text.

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
        """Key that separates its fit from fits of equal settings; usually empty.

        JANUS caches the plans of conditions. A method with other arguments of `Janus.sample` must not find them cached,
        or its times would be too short.
        """
        return self.asked if isinstance(self.ask, Natively) and self.ask.arguments else ""


@dataclass(frozen=True, slots=True)
class Natively:
    """Conditional sampling by JANUS itself, with further arguments of `Janus.sample`."""

    arguments: Mapping[str, Any]

    def __call__(self, fitted: Synthesizer, request: Request) -> Answer:
        """Sample with the condition as text."""
        where: Any = {"where": str(request.condition), **self.arguments}
        return Answer(fitted.sample(request.n, seed=request.seed, **where), request.n)


def natively(**arguments: Any) -> Natively:
    """Conditional sampling by JANUS itself, with further arguments of `Janus.sample`."""
    return Natively(arguments)


def reject(fitted: Synthesizer, request: Request) -> Answer:
    """Draw unconditional rows and keep those that meet the condition, until there are enough or a limit is reached."""
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
    """Rows to draw next: 10 % more than the acceptance rate suggests; doubling while none is accepted."""
    wanted = 1.1 * (n - found) * drawn / found if found else max(2 * n, 2 * drawn)
    return int(min(LARGEST_BATCH, max(wanted, SMALLEST_BATCH)))


def _in_time(drawn: int, spent: float, most_seconds: float) -> int:
    """Rows that can be drawn in the remaining time at the current speed, so that slow methods stop in time."""
    return max(SMALLEST_BATCH, int(drawn / spent * (most_seconds - spent))) if drawn else LARGEST_BATCH


def _drawn_for(n: int, found: int, drawn: int) -> int:
    """Rows drawn for the ``n`` rows returned, reduced in proportion if the last batch gave more than ``n``."""
    return drawn if found <= n else round(drawn * n / found)


class TrainingRows:
    """A baseline without a model: it resamples the training rows."""

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
    """Draw with replacement from the training rows that meet the condition; no rows if none does."""
    assert isinstance(fitted, TrainingRows)
    assert fitted.frame is not None
    matching = fitted.frame[request.condition.mask(fitted.frame)]
    if matching.empty:
        return Answer(matching, None)
    return Answer(TrainingRows().fit(matching, seed=0).sample(request.n, seed=request.seed), None)


def clip(fitted: Synthesizer, request: Request) -> Answer:
    """Draw unconditional rows, then move every violating cell to an allowed value, comparison by comparison.

    For a comparison of two columns the first is moved. A violation caused by a later move is not repaired.
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
    """Set violating cells to the required level; for ``!=`` to the level of a random row without a violation."""
    bad = ~literal.mask(rows)
    column = rows[literal.column].copy()
    if literal.op == "==":
        column[bad] = literal.value
    elif not bad.all():
        column[bad] = rng.choice(column[~bad].to_numpy(), size=int(bad.sum()))
    return rows.assign(**{literal.column: column})
