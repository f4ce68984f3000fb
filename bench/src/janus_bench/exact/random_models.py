"""Exactness on random models (part A): the number of a case in, a `Comparison` out.

The number determines a structural model, those of `janus_bench.constrained`, and a request of calibrated rarity. The
structural model only provides a table: the sampler under test belongs to the JANUS model fitted to 5,000 of its rows,
so the request is calibrated on unconditional rows of that fitted model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from janus_bench.constrained.calibrate import Kind, Rarity, RowsUnder, random_condition
from janus_bench.constrained.conditions import Condition, Literals
from janus_bench.constrained.scenarios import N_TRAIN
from janus_bench.exact.against import Comparison, Effort, compare
from janus_bench.models.random_sem import ModelKey

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.models.sem import Sem
    from janus_synth import Janus

Graph = Literal["given", "learnt"]

N_NODES = 10
KINDS: tuple[Kind, ...] = ("range", "inter-column", "mixed")
RAREST, EASIEST = 1.5e-4, 7e-2
"""Range of target probabilities; narrower than 1e-4 to 1e-1, the range wanted, as calibration is not exact."""
MOST_COMPARISONS = 3
REQUEST, POOL, REFERENCE = 10, 11, 12
"""Purposes of a case's random generators; the reference must not contain the rows used for calibration."""


@dataclass(frozen=True, slots=True)
class Case:
    """One structural model with one request, both determined by the number.

    Examples
    --------
    >>> [(case.graph, case.kind) for case in map(Case, range(3))]
    [('given', 'range'), ('learnt', 'inter-column'), ('given', 'mixed')]
    """

    number: int

    @property
    def key(self) -> ModelKey:
        """The structural model and its training rows."""
        return ModelKey(N_NODES, self.number)

    @property
    def graph(self) -> Graph:
        """Whether JANUS gets the true graph (even numbers) or learns one (odd numbers)."""
        return "learnt" if self.number % 2 else "given"

    @property
    def kind(self) -> Kind:
        """Kind of the comparisons; each kind occurs with given and with learnt graphs."""
        return KINDS[self.number % len(KINDS)]

    @property
    def rarity(self) -> Rarity:
        """A log-uniform target probability and a random number of comparisons."""
        rng = self.key.rng(REQUEST)
        share = np.exp(rng.uniform(np.log(RAREST), np.log(EASIEST)))
        return Rarity(float(share), int(rng.integers(1, MOST_COMPARISONS + 1)))

    def seed(self, purpose: int) -> int:
        """A seed for this case and purpose."""
        return int(self.key.rng(purpose).integers(2**31))

    def fit(self, sem: Sem, *, n_train: int = N_TRAIN) -> Janus:
        """Fit JANUS to rows of the structural model."""
        from janus_synth import Janus

        structure = [list(edge) for edge in sem.edges] if self.graph == "given" else "auto"
        train = sem.draw(n_train, self.key.rng(1))
        return Janus(structure=structure, random_state=self.number).fit(train, progress=False)

    def __str__(self) -> str:
        return f"{self.number}, graph {self.graph}"


def compare_case(case: Case, effort: Effort, *, n_train: int = N_TRAIN, pool_rows: int = 400_000) -> Comparison:
    """Fit, calibrate a request, and compare its rows with rejection."""
    sem = case.key.sem()
    model = case.fit(sem, n_train=n_train)
    condition = calibrated_on(model, case, sem, pool_rows=pool_rows)
    return compare(
        model, str(condition), effort, part="A", subject=str(case), kind=case.kind, seed=case.seed(REFERENCE)
    )


def calibrated_on(model: Janus, case: Case, sem: Sem, *, pool_rows: int) -> Condition:
    """A random condition with about the case's target probability under the fitted model."""
    pool = model.sample(pool_rows, random_state=case.seed(POOL), progress=False)
    return random_condition(sem, case.kind, case.rarity, case.key.rng(REQUEST + 10), rows_under=rows_among(pool))


def rows_among(pool: pd.DataFrame) -> RowsUnder:
    """A function that returns the rows of ``pool`` that meet given comparisons."""

    def rows_under(literals: Literals) -> pd.DataFrame:
        return pool[Condition(literals).mask(pool)] if literals else pool

    return rows_under
