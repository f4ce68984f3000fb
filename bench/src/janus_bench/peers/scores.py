"""What networks on whole rows share: numbers as normal scores, levels as intervals, and how long to train."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.training import Plan
from janus_bench.peers.coding import Codes

LEAST_QUANTILES, MOST_QUANTILES = 10, 1_000
ROWS_PER_QUANTILE = 30
BATCHES = 32
"""Batches that a small table is cut into: with few and large ones, 300 epochs are too few steps to learn a ring."""
LEAST_BATCH, MOST_BATCH = 32, 256
PATIENCE = 60
"""Epochs without gain: the held-out loss of a small table is mostly chance, so that fewer would end it too early."""


class NormalScores:
    """Columns of numbers to normal scores and back, by quantiles of the training rows.

    Examples
    --------
    >>> values = np.exp(np.random.default_rng(0).normal(size=(500, 1)))
    >>> scores = NormalScores.of(values)
    >>> bool(abs(scores.encode(values).std() - 1) < 0.1)
    True
    >>> bool(np.allclose(scores.decode(scores.encode(values)), values))
    True
    """

    def __init__(self, transformer: Any) -> None:
        self._transformer = transformer

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Learn the quantiles; as many as TabDDPM takes."""
        from sklearn.preprocessing import QuantileTransformer

        if not values.shape[1]:
            return cls(None)
        n_quantiles = int(np.clip(len(values) // ROWS_PER_QUANTILE, LEAST_QUANTILES, MOST_QUANTILES))
        n_quantiles = min(n_quantiles, len(values))
        transformer = QuantileTransformer(n_quantiles=n_quantiles, output_distribution="normal", subsample=None)
        return cls(transformer.fit(values))

    def encode(self, values: Floats) -> Floats:
        """Normal scores."""
        return values if self._transformer is None else np.asarray(self._transformer.transform(values))

    def decode(self, scores: Floats) -> Floats:
        """Values at these scores."""
        if self._transformer is None or not len(scores):
            return scores
        return np.asarray(self._transformer.inverse_transform(np.asarray(scores, dtype=np.float64)))


def level_edges(codes: Codes, n_levels: int) -> Floats:
    """Ends of intervals of (0, 1), one per level and as wide as its share.

    Examples
    --------
    >>> level_edges(np.array([0, 0, 0, 1]), 2)
    array([0.  , 0.75, 1.  ])
    """
    shares = np.bincount(codes, minlength=n_levels) / max(len(codes), 1)
    edges: Floats = np.concatenate([[0.0], np.cumsum(shares)])
    edges[-1] = 1.0
    return edges


def training_plan(n_rows: int, epochs: int) -> Plan:
    """How to train on so many rows.

    Examples
    --------
    >>> training_plan(1_000, 300).batch, training_plan(20_000, 300).batch
    (32, 256)
    """
    batch = int(np.clip(n_rows // BATCHES, LEAST_BATCH, MOST_BATCH))
    return Plan(epochs=epochs, batch=batch, rate=1e-3, patience=PATIENCE, falls=2)
