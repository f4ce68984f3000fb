"""A network and a loss to a trained network: what the rivals on torch share.

Networks here are so small that one thread is the fastest; torch's own seed and threads are as before afterwards.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.libraries import needed

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
