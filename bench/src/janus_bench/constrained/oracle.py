"""Exact conditional sampling from a known model: a structural model and a condition in, rows out.

This is rejection sampling in stages: a row is dropped at the first comparison that it violates, before its other
columns are drawn. The remaining rows have exactly the conditional distribution, and a condition that one row in
100,000 meets costs little more than drawing the columns that its first comparison needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from janus_bench.constrained.conditions import Condition, Literals
from janus_bench.models.random_sem import KnownModel
from janus_bench.models.sem import Draws, Sem

if TYPE_CHECKING:
    import pandas as pd

CHUNK = 1 << 17
"""Rows drawn at a time; about a dozen columns of this length fit into a processor's cache."""
MOST_DRAWS = 400_000_000


class Truth(NamedTuple):
    """Rows of the true conditional, with the numbers of accepted and drawn rows and the seconds spent."""

    rows: pd.DataFrame
    n_accepted: int
    n_drawn: int
    seconds: float

    @property
    def probability(self) -> float:
        """Share of drawn rows that met the condition."""
        return self.n_accepted / self.n_drawn


class Stage(NamedTuple):
    """Columns to draw, and the comparisons that can be checked after that."""

    columns: tuple[str, ...]
    literals: Literals


@dataclass(frozen=True)
class Oracle:
    """The true conditional of a structural model.

    Examples
    --------
    >>> from janus_bench.constrained.conditions import Bound
    >>> from janus_bench.models.random_sem import random_sem
    >>> sem = random_sem(5, seed=0)
    >>> truth = Oracle(sem, Condition((Bound("x1", ">=", 2.0),))).sample(50, np.random.default_rng(0))
    >>> len(truth.rows), bool(truth.rows["x1"].min() >= 2)
    (50, True)
    """

    sem: Sem
    condition: Condition

    def sample(self, n: int, rng: np.random.Generator, *, most_draws: int = MOST_DRAWS) -> Truth:
        """Draw ``n`` rows, or fewer if ``most_draws`` unconditional rows do not yield that many."""
        import pandas as pd

        start = perf_counter()
        stages = stages_of(self.sem, self.condition)
        pieces: list[pd.DataFrame] = []
        accepted = drawn = 0
        while accepted < n and drawn < most_draws:
            size = min(_chunk(n, accepted, drawn), most_draws - drawn)
            piece = _survivors(self.sem, stages, size, rng)
            pieces.append(piece)
            accepted, drawn = accepted + len(piece), drawn + size
        rows = pd.concat(pieces, ignore_index=True).iloc[:n]
        return Truth(rows, accepted, drawn, perf_counter() - start)


def stages_of(sem: Sem, condition: Condition) -> list[Stage]:
    """Stages in greedy order: always the comparison that needs the fewest new columns; other columns come last."""
    drawn: set[str] = set()
    waiting = list(condition.literals)
    stages: list[Stage] = []
    while waiting:
        needed = [{*sem.dag.ancestors(*literal.columns), *literal.columns} - drawn for literal in waiting]
        new = min(needed, key=len)
        drawn |= new
        ready = tuple(literal for literal, missing in zip(waiting, needed, strict=True) if missing <= new)
        waiting = [literal for literal in waiting if literal not in ready]
        stages.append(Stage(tuple(name for name in sem.order if name in new), ready))
    return [*stages, Stage(tuple(name for name in sem.order if name not in drawn), ())]


def _survivors(sem: Sem, stages: list[Stage], size: int, rng: np.random.Generator) -> pd.DataFrame:
    rows = Draws(sem, size, rng)
    for stage in stages:
        rows.extend(stage.columns)
        if stage.literals:
            rows.keep(Condition(stage.literals).mask(rows.cells))
    return rows.to_frame()


def _chunk(n: int, accepted: int, drawn: int) -> int:
    """Rows to draw next: 20 % more than the acceptance rate suggests, so easy conditions take one or two chunks."""
    if accepted == 0:
        return min(CHUNK, max(4 * n, 4_096, drawn))
    return int(min(CHUNK, max(1_024, 1.2 * (n - accepted) * drawn / accepted)))


@dataclass(frozen=True, slots=True)
class Reference:
    """A condition on a known model with two true samples: the reference, and a second that is scored against it."""

    known: KnownModel
    condition: Condition
    n_rows: int
    truth: Truth
    second: Truth

    @classmethod
    def draw(
        cls, known: KnownModel, condition: Condition, n_rows: int, rng: Callable[[int], np.random.Generator]
    ) -> Self:
        """Draw both samples, with the generators of purposes 1 and 2."""
        oracle = Oracle(known.sem, condition)
        truth, second = (oracle.sample(n_rows, rng(purpose)) for purpose in (1, 2))
        return cls(known, condition, n_rows, truth, second)

    @property
    def probability(self) -> float:
        """Share of the true model's rows that meet the condition, from both samples."""
        accepted = self.truth.n_accepted + self.second.n_accepted
        return accepted / (self.truth.n_drawn + self.second.n_drawn)

    @property
    def n_training_matches(self) -> int:
        """Training rows that meet the condition."""
        return int(self.condition.mask(self.known.train).sum())
