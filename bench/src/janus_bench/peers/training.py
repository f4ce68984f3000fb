"""Shared by the rivals that use torch: training with early stopping, normal scores and level intervals.

The networks are so small that one thread is fastest; torch's random state and thread count are restored afterwards.
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
"""Takes the rows of a batch and returns their mean loss."""
HELD_OUT = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of training with Adam and early stopping.

    After ``patience`` epochs without improvement on the held-out tenth, the learning rate is divided by 3. Training
    ends when that would happen for the (``falls`` + 1)-th time, or after ``epochs``; the best weights are kept.
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
    """Torch on one thread with the given seed."""
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
    """A multilayer perceptron with SiLU units."""
    nn = torch_library().nn
    sizes = [n_in, *[width] * depth]
    layers = [part for i in range(depth) for part in (nn.Linear(sizes[i], sizes[i + 1]), nn.SiLU())]
    return nn.Sequential(*layers, nn.Linear(width, n_out))


def tensor(values: Floats) -> Tensor:
    """An array in torch's single precision."""
    return torch_library().as_tensor(np.asarray(values), dtype=torch_library().float32)


def train(network: Module, loss: Loss, rows: Tensor, *, plan: Plan) -> None:
    """Train in place, inside `seeded`; the held-out loss uses the same random numbers at every epoch."""
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
    """The default plan with a share of its epochs, at least one.

    Examples
    --------
    >>> plan_for(0.1).epochs, plan_for(0.0).epochs
    (40, 1)
    """
    return replace(Plan(), epochs=max(1, round(Plan().epochs * share)))


LEAST_QUANTILES, MOST_QUANTILES = 10, 1_000
ROWS_PER_QUANTILE = 30
BATCHES = 32
"""Batches per epoch of a small table: with fewer, larger ones, 300 epochs are too few steps to learn a ring."""
LEAST_BATCH, MOST_BATCH = 32, 256
PATIENCE = 60
"""Epochs without improvement: the held-out loss of a small table is noisy, and fewer would end training too early."""


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
        """Learn the quantiles, as many as TabDDPM uses."""
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
    """Bounds of intervals of (0, 1), one interval per level and as wide as its share.

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
    """Training settings for a table with this number of rows.

    Examples
    --------
    >>> training_plan(1_000, 300).batch, training_plan(20_000, 300).batch
    (32, 256)
    """
    batch = int(np.clip(n_rows // BATCHES, LEAST_BATCH, MOST_BATCH))
    return Plan(epochs=epochs, batch=batch, rate=1e-3, patience=PATIENCE, falls=2)
