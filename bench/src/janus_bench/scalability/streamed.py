"""Fidelity of a fit partition by partition: generated tables and seeds in; scores of its rows beside a fit in memory.

Trees of such a fit are grown on a sample, and all rows are counted into their leaves. The tables are longer than the
default sample, so that its size matters. Rows come from known distributions: every seed has new training rows, and
held-out rows that no fit has seen. A second fit in memory with another seed of the model tells what chance alone does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_bench.tables.drawn import MADE
from janus_synth.metrics import detection_auc, marginal_errors

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Janus
    from janus_synth.arrays import Floats

TABLES = ("hiring", "random-0", "mixed")
"""Generated tables: the labour market of the examples, a random structural model of 10 columns, and mixed kinds."""
N_COLUMNS = 10
N_PARTS = 8
AGAIN = -1
"""Stands for a second fit in memory, among numbers of sampled rows."""


@dataclass(frozen=True, slots=True)
class StreamedSizes:
    """Rows that are fitted and held out, and numbers of rows that trees are grown on."""

    n_train: int = 400_000
    n_test: int = 40_000
    samples: tuple[int, ...] = (200_000, 100_000, 50_000, 25_000)


QUICK = StreamedSizes(600, 300, (300, 150))


@dataclass(frozen=True, slots=True)
class StreamedTrial:
    """Scores of one fit.

    Attributes
    ----------
    table, seed : str, int
        Generated table, and the seed of its rows and of the fit.
    grown_on : int
        Rows that trees were grown on; all for a fit in memory, `AGAIN` for a second one with another seed.
    n_train : int
        Rows that were counted.
    detection, marginals : float
        AUC of a classifier against held-out rows, and mean distance of single columns.
    log_density : float
        Mean log likelihood of held-out rows that every fit of the same training rows can produce.
    """

    table: str
    seed: int
    grown_on: int
    n_train: int
    detection: float
    marginals: float
    log_density: float


def streamed_trials(n_seeds: int, *, sizes: StreamedSizes | None = None) -> Iterator[StreamedTrial]:
    """Fit every table in memory, again, and from samples; by default tables twice as long as the default sample."""
    sizes = sizes or StreamedSizes()
    for name in TABLES[:1] if sizes == QUICK else TABLES:
        for seed in range(n_seeds):
            yield from _trials(name, seed, sizes)


def draw_rows(name: str, n: int, seed: int) -> pd.DataFrame:
    """Rows of a generated table."""
    import pandas as pd

    from janus_bench.models.random_sem import random_sem
    from janus_synth import datasets

    rng = np.random.default_rng([seed, n])
    if name == "hiring":
        return datasets.hiring(n, random_state=int(rng.integers(2**31)))
    if name in MADE:
        return pd.DataFrame(MADE[name].draw(n, rng))
    return random_sem(N_COLUMNS, int(name.rsplit("-", 1)[1])).draw(n, rng)


def _trials(name: str, seed: int, sizes: StreamedSizes) -> Iterator[StreamedTrial]:
    rows = draw_rows(name, sizes.n_train + sizes.n_test, seed)
    train, test = rows[: sizes.n_train], rows[sizes.n_train :].reset_index(drop=True)
    found = {n: _scores(_fit(train, n, seed), test, seed) for n in (sizes.n_train, AGAIN, *sizes.samples)}
    possible = np.all([np.isfinite(density) for *_, density in found.values()], axis=0)
    for grown_on, (detection, marginals, density) in found.items():
        mean = float(density[possible].mean())
        yield StreamedTrial(name, seed, grown_on, sizes.n_train, detection, marginals, mean)


def _fit(train: pd.DataFrame, n_sampled: int, seed: int) -> Janus:
    from janus_synth import Janus

    size = -(-len(train) // N_PARTS)
    parts = [train[start : start + size].reset_index(drop=True) for start in range(0, len(train), size)]
    if n_sampled == AGAIN:
        return Janus(random_state=seed + 10_000).fit(parts, sample_rows=len(train), progress=False)
    return Janus(random_state=seed).fit(parts, sample_rows=n_sampled, progress=False)


def _scores(fitted: Janus, test: pd.DataFrame, seed: int) -> tuple[float, float, Floats]:
    made = fitted.sample(len(test), random_state=seed + 1, progress=False)
    errors = marginal_errors(test, made)
    distances = [*errors.ks.values(), *errors.total_variation.values()]
    return detection_auc(test, made, random_state=seed), float(np.mean(distances)), fitted.log_prob(test)
