"""A normalising flow of whole rows, re-implemented with affine couplings on normal scores: a table in, rows out.

A level is encoded as a random point of an interval as wide as its share, redrawn for every batch (dequantisation), so
that levels have a density, too (Dinh, Sohl-Dickstein and Bengio, "Density estimation using Real NVP", ICLR 2017, with
intervals for levels).
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr

from janus_bench.peers.coding import Coded, TableCoder
from janus_bench.peers.training import (
    Module,
    NormalScores,
    Tensor,
    level_edges,
    perceptron,
    seeded,
    tensor,
    torch_library,
    train,
    training_plan,
)
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

LOG_SCALE_BOUND = 3.0
MARGIN = 1e-4
"""Smallest distance of points from the ends of (0, 1), where normal scores are infinite."""


class TableFlow:
    """Affine couplings of normal noise; each keeps one half of the columns and shifts and scales the other half by it.

    Parameters
    ----------
    epochs : int
        Most passes over the table; training ends earlier if the held-out loss no longer improves.
    n_layers : int
        Number of couplings; the half is drawn at random, and every second coupling takes the other half.
    width : int
        Units per hidden layer of the networks of the couplings.
    """

    name = "flow (own)"
    libraries: ClassVar[tuple[str, ...]] = ("torch", "scikit-learn")

    def __init__(self, *, epochs: int = 300, n_layers: int = 8, width: int = 128) -> None:
        self.epochs = epochs
        self.n_layers = n_layers
        self.width = width
        self._coder: TableCoder | None = None
        self._scores: NormalScores = NormalScores(None)
        self._edges: list[Floats] = []
        self._masks: list[Tensor] = []
        self._networks: Module = None

    def brief(self) -> Self:
        """The same method trained for one epoch only."""
        return type(self)(epochs=1, n_layers=self.n_layers, width=self.width)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Train the couplings by maximum likelihood."""
        self._coder, coded = TableCoder.learn(frame)
        self._scores = NormalScores.of(coded.numbers)
        numbers = self._scores.encode(coded.numbers)
        self._edges = [level_edges(coded.codes[:, j], n) for j, n in enumerate(self._coder.n_levels)]
        plan = training_plan(len(frame), self.epochs)
        with seeded(seed) as torch:
            p = numbers.shape[1] + len(self._edges)
            self._masks = _masks(p, self.n_layers)
            nets = [perceptron(p, 2 * p, width=self.width) for _ in self._masks]
            self._networks = torch.nn.ModuleList(nets)
            train(self._networks, self._loss, tensor(np.hstack([numbers, coded.codes])), plan=plan)
        return self

    def _loss(self, batch: Tensor) -> Tensor:
        """Negative log-likelihood of rows, with levels at random points of their intervals."""
        torch = torch_library()
        p = batch.shape[1] - len(self._edges)
        hidden = [batch[:, :p]]
        for j, edges in enumerate(self._edges):
            code = batch[:, p + j].long()
            low, high = tensor(edges[:-1])[code], tensor(edges[1:])[code]
            place = (low + (high - low) * torch.rand(len(batch))).clamp(MARGIN, 1 - MARGIN)
            hidden.append(torch.special.ndtri(place)[:, None])
        rows, log_volume = torch.hstack(hidden), 0.0
        for mask, network in zip(self._masks, self._networks, strict=True):
            shift, log_scale = _affine(network, rows * mask, mask)
            rows = (rows - shift) * (-log_scale).exp()
            log_volume = log_volume + log_scale.sum(dim=1)
        return ((0.5 * rows**2).sum(dim=1) + log_volume).mean() / rows.shape[1]

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Apply the inverse couplings, last one first, to normal noise, and decode levels."""
        if self._coder is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        p = len(self._coder.numbers)
        with seeded(seed) as torch, torch.no_grad():
            rows = torch.randn(n, p + len(self._edges))
            for mask, network in zip(reversed(self._masks), reversed(list(self._networks)), strict=True):
                shift, log_scale = _affine(network, rows * mask, mask)
                rows = rows * log_scale.exp() + shift
            drawn = np.asarray(rows.numpy(), dtype=np.float64)
        places = [np.searchsorted(e[1:-1], ndtr(drawn[:, p + j]), side="right") for j, e in enumerate(self._edges)]
        codes = np.column_stack(places) if places else np.empty((n, 0))
        return self._coder.decode(Coded(self._scores.decode(drawn[:, :p]), codes.astype(np.int64)), seed=seed)


def _masks(p: int, n_layers: int) -> list[Tensor]:
    """A mask per coupling, 1 for kept and 0 for transformed columns: a random half, then the other half."""
    torch = torch_library()
    masks: list[Tensor] = []
    while len(masks) < n_layers:
        first = torch.zeros(p)
        first[torch.randperm(p)[: p // 2]] = 1.0
        masks += [first, 1 - first]
    return masks[:n_layers]


def _affine(network: Module, kept: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Shift and log scale of the transformed columns; scales are bounded, as early training steps would overflow."""
    shift, log_scale = network(kept).chunk(2, dim=1)
    return shift * (1 - mask), LOG_SCALE_BOUND * (log_scale / LOG_SCALE_BOUND).tanh() * (1 - mask)
