"""Fidelity of a fit partition by partition: tables and seeds in; detection of its rows beside a fit in memory out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from janus_bench.tables import read_named, table_names
from janus_synth.metrics import detection_auc, marginal_errors

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("hiring", "adult")
"""Tables of the comparison, where they are at hand."""
SHARES = (1.0, 0.5, 0.25)
"""Shares of the training rows that trees are grown on; all of them is a fit in memory."""
MOST_ROWS = 12_000
HIRING_ROWS = 12_000
N_PARTS = 8


@dataclass(frozen=True, slots=True)
class StreamedTrial:
    """Scores of one fit: trees grown on a share of the training rows, all of them counted."""

    table: str
    seed: int
    share: float
    n_train: int
    detection: float
    marginals: float


def streamed_trials(n_seeds: int, *, quick: bool = False) -> Iterator[StreamedTrial]:
    """Fit every table in memory and streamed, for several splits into training and held-out rows."""
    names = ["hiring"] if quick else [name for name in TABLES if name == "hiring" or name in table_names()]
    for name in names:
        frame = _frame(name, 600 if quick else HIRING_ROWS)
        for seed in range(n_seeds):
            yield from _trials(name, frame, seed)


def _frame(name: str, n_rows: int) -> pd.DataFrame:
    from janus_synth import datasets

    return datasets.hiring(n_rows, random_state=0) if name == "hiring" else read_named(name).frame


def _trials(name: str, frame: pd.DataFrame, seed: int) -> Iterator[StreamedTrial]:
    from janus_synth import Janus

    order = np.random.default_rng(seed).permutation(len(frame))[:MOST_ROWS]
    train, test = (frame.iloc[rows].reset_index(drop=True) for rows in np.array_split(order, 2))
    size = -(-len(train) // N_PARTS)
    parts = [train[start : start + size].reset_index(drop=True) for start in range(0, len(train), size)]
    for share in SHARES:
        rows = int(share * len(train))
        fitted = Janus(random_state=seed).fit(parts, sample_rows=rows, progress=False)
        made = fitted.sample(len(test), random_state=seed + 1, progress=False)
        errors = marginal_errors(test, made)
        distances = [*errors.ks.values(), *errors.total_variation.values()]
        detection = detection_auc(test, made, random_state=seed)
        yield StreamedTrial(name, seed, share, len(train), detection, float(np.mean(distances)))
