"""Requests of the ablation: a structural model in, a condition on its rows out.

`Middle` restricts columns to their interquartile ranges, `Free` has no condition; random conditions are `Scenario`s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from janus_bench.constrained.calibrate import KINDS
from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.models.random_sem import ModelKey
from janus_bench.models.sem import Sem

QUARTILE_ROWS = 20_000
SHARES = (0.1, 0.25, 0.5)
"""Shares of the columns that the paper restricts to their interquartile ranges."""


class Question(Protocol):
    """A condition on a structural model; `Scenario`, `Middle` and `Free` implement it."""

    @property
    def model(self) -> ModelKey:
        """The structural model."""
        ...

    @property
    def kind(self) -> str:
        """Kind of the condition."""
        ...

    @property
    def rarity(self) -> str:
        """How strict it is, in words."""
        ...

    def rng(self, purpose: int) -> np.random.Generator:
        """A random generator for this question and purpose."""
        ...

    def condition(self, sem: Sem) -> Condition:
        """The condition."""
        ...

    def __hash__(self) -> int:
        """Equal questions have equal hashes, so that results can be cached."""
        ...


@dataclass(frozen=True, slots=True)
class Free:
    """No condition, written as one that every row meets."""

    FREE: ClassVar[str] = "none"
    model: ModelKey

    @property
    def kind(self) -> str:
        """The word for no condition."""
        return self.FREE

    @property
    def rarity(self) -> str:
        """The word for no condition."""
        return self.FREE

    def rng(self, purpose: int) -> np.random.Generator:
        """A random generator for this question and purpose."""
        return np.random.default_rng([*self.model, len(KINDS), 0, purpose])

    def condition(self, sem: Sem) -> Condition:
        """A bound below all numbers."""
        return Condition((Bound(sem.numbers[0], ">=", -1e300),))


@dataclass(frozen=True, slots=True)
class Middle:
    """The interquartile range of each of a share of the columns.

    The columns of a smaller share are among those of a larger one. Only numbers have quartiles.

    Examples
    --------
    >>> key = ModelKey(10, 0)
    >>> [len(Middle(key, share).condition(key.sem()).columns) for share in SHARES]
    [1, 2, 5]
    """

    KIND: ClassVar[str] = "IQR"
    model: ModelKey
    share: float

    @property
    def kind(self) -> str:
        """The interquartile range."""
        return self.KIND

    @property
    def rarity(self) -> str:
        """The share of the columns."""
        return f"{100 * self.share:g} %"

    @property
    def n_columns(self) -> int:
        """Columns with a condition, rounded down."""
        return max(1, int(self.share * self.model.n_nodes))

    def rng(self, purpose: int) -> np.random.Generator:
        """A random generator for this question and purpose."""
        return np.random.default_rng([*self.model, len(KINDS) + 1, self.n_columns, purpose])

    def condition(self, sem: Sem) -> Condition:
        """Between the quartiles of the true model."""
        rng = np.random.default_rng([*self.model, len(KINDS) + 1])
        columns = [str(name) for name in rng.permutation(sem.numbers)[: self.n_columns]]
        rows = sem.draw(QUARTILE_ROWS, rng)
        literals: list[Bound] = []
        for name in columns:
            low, high = (float(value) for value in np.quantile(rows[name], [0.25, 0.75]))
            literals += [Bound(name, ">=", low), Bound(name, "<=", high)]
        return Condition(tuple(literals))
