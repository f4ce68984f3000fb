"""Exactness under disjunctions (part O): the number of a case in, a `Comparison` and a `Disjunction` out.

The number determines a random model, as in `random_models`, and a disjunction of calibrated branches. A sampler can
lose a branch of ``(A) or (B)`` and still return only rows that meet the request, so the share of every branch is
compared with its share among reference rows, which come from rejection.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from janus_bench.constrained.calibrate import Kind, Rarity, random_condition
from janus_bench.constrained.conditions import Condition
from janus_bench.constrained.scenarios import N_TRAIN
from janus_bench.exact.against import Comparison, Effort, draw_both, judge
from janus_bench.exact.random_models import EASIEST, KINDS, MOST_COMPARISONS, RAREST, Case, rows_among
from janus_bench.stopwatch import seconds_of
from janus_synth.arrays import Bools

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from janus_bench.models.sem import Sem
    from janus_synth import Janus

Balance = Literal["equal shares", "one branch of 5 %", "random shares"]

PART = "O"
MOST_BRANCHES = 4
BALANCES: tuple[Balance, ...] = ("equal shares", "one branch of 5 %", "random shares")
SMALLEST_SHARE = 0.05
N_CANDIDATES = 4
"""Random conditions drawn for a branch; the one farthest from the previous branches is used."""
FEWEST_POOL_ROWS = 20
"""Minimum number of pool rows that a branch is calibrated to; a threshold from fewer rows would be too inaccurate."""
REQUEST, BRANCHES, POOL, REFERENCE = 30, 31, 32, 33
"""Purposes of a case's random generators."""


@dataclass(frozen=True, slots=True)
class DisjunctionCase:
    """One random model with one disjunction, both determined by the number.

    Examples
    --------
    >>> case = DisjunctionCase(1)
    >>> str(case), case.balance, len(case.shares), min(case.shares)
    ('1, graph learnt', 'one branch of 5 %', 3, 0.05)
    """

    number: int

    @property
    def model(self) -> Case:
        """The random model; its own request is not used."""
        return Case(self.number)

    @property
    def balance(self) -> Balance:
        """How the probability is divided among the branches."""
        return BALANCES[self.number % len(BALANCES)]

    @property
    def target(self) -> float:
        """Probability of the whole request, log-uniform."""
        return float(np.exp(self.model.key.rng(REQUEST).uniform(np.log(RAREST), np.log(EASIEST))))

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each branch; their sum is 1."""
        rng = np.random.default_rng(self.model.seed(REQUEST))
        n = int(rng.integers(2, MOST_BRANCHES + 1))
        if self.balance == "equal shares":
            return (1 / n,) * n
        if self.balance == "one branch of 5 %":
            return (SMALLEST_SHARE, *((1 - SMALLEST_SHARE) / (n - 1),) * (n - 1))
        free = rng.dirichlet(np.ones(n))
        return tuple(float(SMALLEST_SHARE + (1 - n * SMALLEST_SHARE) * share) for share in free)

    def __str__(self) -> str:
        return str(self.model)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Branches of one request: how many rows of the sampler and of the reference meet each, and what each costs.

    Rows that meet several branches count in each of them. ``seconds`` is the time of ``sample``, including its plan,
    for the whole request; ``branch_seconds`` are the times for as many rows of a single branch.
    """

    part: str
    subject: str
    rules: list[str]
    n_rows: int
    counts: list[int]
    n_reference_rows: int
    reference_counts: list[int]
    seconds: float
    processor_seconds: float
    branch_seconds: list[float]
    branch_processor_seconds: list[float]

    @property
    def n_branches(self) -> int:
        """Number of branches."""
        return len(self.rules)

    @property
    def shares(self) -> list[float]:
        """Share of each branch among the sampler's rows."""
        return [count / max(self.n_rows, 1) for count in self.counts]

    @property
    def reference_shares(self) -> list[float]:
        """Share of each branch among the reference rows."""
        return [count / max(self.n_reference_rows, 1) for count in self.reference_counts]

    @property
    def largest_z(self) -> float:
        """Largest absolute z-score of the difference between a branch's two shares."""
        pairs = zip(self.counts, self.reference_counts, strict=True)
        return max(abs(z_of(k, self.n_rows, m, self.n_reference_rows)) for k, m in pairs)

    @property
    def over_most_expensive(self) -> float:
        """Processor seconds of the request divided by those of its most expensive branch."""
        return self.processor_seconds / max(self.branch_processor_seconds)

    @property
    def over_sum(self) -> float:
        """Processor seconds of the request divided by the sum over its branches."""
        return self.processor_seconds / sum(self.branch_processor_seconds)


def z_of(first: int, n_first: int, second: int, n_second: int) -> float:
    """z-score of the difference between two binomial shares, with the pooled variance.

    Examples
    --------
    >>> round(z_of(60, 100, 40, 100), 2), z_of(0, 100, 0, 100)
    (2.83, 0.0)
    """
    if not n_first or not n_second:
        return 0.0
    pooled = (first + second) / (n_first + n_second)
    error = math.sqrt(pooled * (1 - pooled) * (1 / n_first + 1 / n_second))
    return (first / n_first - second / n_second) / error if error else 0.0


def compare_disjunction(
    case: DisjunctionCase, effort: Effort, *, n_train: int = N_TRAIN, pool_rows: int = 1_000_000
) -> list[Comparison | Disjunction]:
    """Fit, calibrate a disjunction, and compare its rows with rejection, as a whole and branch by branch."""
    sem = case.model.key.sem()
    model = case.model.fit(sem, n_train=n_train)
    branches = calibrated_branches(model, case, sem, pool_rows=pool_rows)
    return compare_branches(
        model, branches, effort, subject=str(case), kind=case.balance, seed=case.model.seed(REFERENCE)
    )


def compare_branches(
    model: Janus, branches: Sequence[Condition], effort: Effort, *, subject: str, kind: str = "", seed: int = 0
) -> list[Comparison | Disjunction]:
    """Sample a disjunction, and compare with rejection; also time each branch by itself."""
    rule = disjunction_of(branches)
    pair = draw_both(model, rule, effort, seed=seed)
    whole = judge(model, rule, pair, effort, part=PART, subject=subject, kind=kind)
    ask = partial(model.sample, len(pair.rows), random_state=seed + 1, progress=False)
    alone = [seconds_of(partial(ask, where=str(branch))) for branch in branches]
    apart = Disjunction(
        part=PART,
        subject=subject,
        rules=[str(branch) for branch in branches],
        n_rows=len(pair.rows),
        counts=[int(branch.mask(pair.rows).sum()) for branch in branches],
        n_reference_rows=len(pair.truth.rows),
        reference_counts=[int(branch.mask(pair.truth.rows).sum()) for branch in branches],
        seconds=pair.seconds.clock,
        processor_seconds=pair.seconds.processor,
        branch_seconds=[spent.clock for spent in alone],
        branch_processor_seconds=[spent.processor for spent in alone],
    )
    return [whole, apart]


def disjunction_of(branches: Sequence[Condition]) -> str:
    """The branches joined by ``or``, as text.

    Examples
    --------
    >>> from janus_bench.constrained.conditions import Bound
    >>> disjunction_of([Condition((Bound("x1", "<=", 0),)), Condition((Bound("x1", ">=", 9), Bound("x2", ">=", 5)))])
    '(x1 <= 0) or (x1 >= 9 and x2 >= 5)'
    """
    return " or ".join(f"({branch})" for branch in branches)


def calibrated_branches(model: Janus, case: DisjunctionCase, sem: Sem, *, pool_rows: int) -> list[Condition]:
    """Random conjunctions, each with about its share of the target probability, far from one another."""
    pool = model.sample(pool_rows, random_state=case.model.seed(POOL), progress=False)
    rng = case.model.key.rng(BRANCHES)
    values = pool[list(sem.numbers)].to_numpy(np.float64)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    branches: list[Condition] = []
    centres: list[npt.NDArray[np.float64]] = []
    for share in case.shares:
        target = max(case.target * share, FEWEST_POOL_ROWS / pool_rows)
        drawn = [_branch(sem, target, rng, pool) for _ in range(N_CANDIDATES if branches else 1)]
        means = [_mean_of(values, branch.mask(pool)) for branch in drawn]
        gaps = [min((float(np.linalg.norm(mean - other)) for other in centres), default=0.0) for mean in means]
        farthest = int(np.argmax(gaps))
        branches.append(drawn[farthest])
        centres.append(means[farthest])
    return branches


def _branch(sem: Sem, target: float, rng: np.random.Generator, pool: pd.DataFrame) -> Condition:
    """A random conjunction of a random kind."""
    kind: Kind = KINDS[rng.integers(len(KINDS))]
    rarity = Rarity(target, int(rng.integers(1, MOST_COMPARISONS + 1)))
    return random_condition(sem, kind, rarity, rng, rows_under=rows_among(pool))


def _mean_of(values: npt.NDArray[np.float64], chosen: Bools) -> npt.NDArray[np.float64]:
    """Mean of the chosen rows; if there are none, 0, the mean of all standardised rows."""
    found: npt.NDArray[np.float64] = values[chosen].mean(axis=0) if chosen.any() else np.zeros(values.shape[1])
    return found
