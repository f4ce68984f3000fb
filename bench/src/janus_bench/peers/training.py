"""What the rivals on torch share: training with early stopping, normal scores, level intervals, training plans.

The networks are so small that one thread is fastest; torch's own seed and thread count are restored afterwards.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from janus_bench.libraries import needed
from janus_bench.peers.coding import Codes
from janus_synth.arrays import Floats

Tensor = Any
Module = Any
Loss = Callable[[Tensor], Tensor]
"""Rows of a batch in, their mean loss out."""
HELD_OUT = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to train: Adam, whose steps shrink when the held-out tenth stops improving.

    After ``patience`` epochs without improvement the rate falls to a third; the fall after the last ends the training,
    as does ``epochs``. The best epoch counts.
    """

    epochs: int = 400
    batch: int = 128
    rate: float = 3e-3
    patience: int = 12
    falls: int = 3


def torch_library() -> Any:
    """The torch module, or an error that says how to get it."""
    with needed("torch"):
        import torch
    return torch


@contextmanager
def seeded(seed: int) -> Iterator[Any]:
    """Torch on one thread with a seed of its own."""
    torch = torch_library()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield torch
    finally:
        torch.set_num_threads(threads)


def perceptron(n_in: int, n_out: int, *, width: int = 64, depth: int = 2) -> Module:
    """Layers of SiLU units."""
    nn = torch_library().nn
    sizes = [n_in, *[width] * depth]
    layers = [part for i in range(depth) for part in (nn.Linear(sizes[i], sizes[i + 1]), nn.SiLU())]
    return nn.Sequential(*layers, nn.Linear(width, n_out))


def tensor(values: Floats) -> Tensor:
    """An array in torch's single precision."""
    return torch_library().as_tensor(np.asarray(values), dtype=torch_library().float32)


def train(network: Module, loss: Loss, rows: Tensor, *, plan: Plan) -> None:
    """Train in place, inside `seeded`; the held-out loss has the same chance at every epoch."""
    torch = torch_library()
    mixed = rows[torch.randperm(len(rows))]
    n_held = max(1, int(HELD_OUT * len(rows)))
    held, kept = mixed[:n_held], mixed[n_held:]
    adam = torch.optim.Adam(network.parameters(), lr=plan.rate, fused=True)
    best, best_state, since, falls = float("inf"), copy.deepcopy(network.state_dict()), 0, 0
    for _ in range(plan.epochs):
        for batch in kept[torch.randperm(len(kept))].split(plan.batch):
            adam.zero_grad()
            loss(batch).backward()
            adam.step()
        found = _held_out(loss, held)
        since += 1
        if found < best:
            best, best_state, since = found, copy.deepcopy(network.state_dict()), 0
        if since >= plan.patience:
            since, falls = 0, falls + 1
            if falls > plan.falls:
                break
            network.load_state_dict(best_state)
            for group in adam.param_groups:
                group["lr"] /= 3
    network.load_state_dict(best_state)


def _held_out(loss: Loss, held: Tensor) -> float:
    torch = torch_library()
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return float(loss(held))


def plan_for(share: float) -> Plan:
    """The usual plan with a share of its epochs, at least one.

    Examples
    --------
    >>> plan_for(0.1).epochs, plan_for(0.0).epochs
    (40, 1)
    """
    return replace(Plan(), epochs=max(1, round(Plan().epochs * share)))


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
