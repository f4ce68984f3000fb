"""Labelled rows in, networks that quantify uncertainty out: MC dropout, a deep ensemble, evidential learning.

All three have the same architecture (two hidden layers of 64 ReLU units, dropout 0.2 in training) and the same training
loop. They train and predict on one thread: networks this small gain nothing from a second one, and become twenty times
slower on a busy machine. torch is optional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.peers.training import seeded, torch_library
from janus_bench.uncertainty.measures import Reals, Uncertainty, of_dirichlet, of_passes
from janus_bench.uncertainty.scenarios import LABEL

if TYPE_CHECKING:
    import pandas as pd

Net = Any  # a torch module; torch is optional, so its types cannot be imported
Tensor = Any
Loss = Callable[[Tensor, Tensor, float], Tensor]
"""Outputs, classes, and the share of training done, to the loss."""

HIDDEN, DROPOUT = 64, 0.2
PASSES, MEMBERS = 100, 5
BATCH, LEARNING_RATE, WEIGHT_DECAY = 128, 2e-3, 1e-4
EPOCHS, FEWEST_STEPS, MOST_STEPS = 60, 300, 2_000
"""Epochs, with bounds on the number of steps: few rows need more epochs, many rows fewer."""
ANNEALED = 0.3
"""Share of training after which the penalty of evidential learning reaches full weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """Trained networks, the scaling of their inputs, and the function from outputs to uncertainty (``judge``)."""

    nets: tuple[Net, ...]
    mean: Reals
    sd: Reals
    judge: Callable[[tuple[Net, ...], Tensor], Uncertainty]
    seed: int

    def prepare(self, features: pd.DataFrame) -> Tensor:
        """Standardise features, as a single-precision tensor; not timed."""
        return _tensor((features.to_numpy(dtype=np.float64) - self.mean) / self.sd)

    def ask(self, inputs: Tensor) -> Uncertainty:
        """Compute the uncertainty of prepared rows."""
        with seeded(self.seed), torch_library().inference_mode():
            return self.judge(self.nets, inputs)


def fit_dropout(frame: pd.DataFrame, *, seed: int) -> Networks:
    """Train one network; it predicts by 100 passes with dropout on (Gal and Ghahramani, 2016)."""
    return _fit(frame, 1, cross_entropy, judge_by_passes, seed=seed)


def fit_ensemble(frame: pd.DataFrame, *, seed: int) -> Networks:
    """Train five networks from different initial weights (Lakshminarayanan and others, 2017)."""
    return _fit(frame, MEMBERS, cross_entropy, judge_by_members, seed=seed)


def fit_evidential(frame: pd.DataFrame, *, seed: int) -> Networks:
    """Train a network whose output is a Dirichlet distribution; it predicts in one pass (Sensoy and others, 2018)."""
    return _fit(frame, 1, evidential_loss, judge_by_evidence, seed=seed)


def judge_by_passes(nets: tuple[Net, ...], inputs: Tensor) -> Uncertainty:
    """Uncertainty from 100 passes with dropout on."""
    (net,) = nets
    net.train()
    return of_passes(torch_library().stack([net(inputs).softmax(dim=1) for _ in range(PASSES)]).numpy())


def judge_by_members(nets: tuple[Net, ...], inputs: Tensor) -> Uncertainty:
    """Uncertainty from one pass of each network with dropout off."""
    return of_passes(torch_library().stack([net.eval()(inputs).softmax(dim=1) for net in nets]).numpy())


def judge_by_evidence(nets: tuple[Net, ...], inputs: Tensor) -> Uncertainty:
    """Uncertainty from the Dirichlet parameters of one pass, in closed form."""
    (net,) = nets
    return of_dirichlet(_alpha(net.eval()(inputs)).numpy())


def cross_entropy(outputs: Tensor, classes: Tensor, done: float) -> Tensor:
    """Cross-entropy, the usual loss of a classifier; ``done`` is not used."""
    return torch_library().nn.functional.cross_entropy(outputs, classes)


def evidential_loss(outputs: Tensor, classes: Tensor, done: float) -> Tensor:
    """Expected squared error under the Dirichlet, plus an annealed penalty on evidence for wrong classes."""
    alpha = _alpha(outputs)
    truth = torch_library().nn.functional.one_hot(classes, alpha.shape[1]).to(alpha.dtype)
    S = alpha.sum(dim=1, keepdim=True)
    p = alpha / S
    error = ((truth - p) ** 2 + p * (1 - p) / (S + 1)).sum(dim=1)
    misleading = truth + (1 - truth) * alpha
    return (error + min(1.0, done / ANNEALED) * divergence_from_flat(misleading)).mean()


def divergence_from_flat(alpha: Tensor) -> Tensor:
    """Kullback–Leibler divergence of Dirichlet distributions from the flat one, row by row."""
    S, K = alpha.sum(dim=1, keepdim=True), alpha.shape[1]
    flat = torch_library().lgamma(torch_library().tensor(float(K)))
    norms = S.lgamma().squeeze(1) - alpha.lgamma().sum(dim=1) - flat
    return norms + ((alpha - 1) * (alpha.digamma() - S.digamma())).sum(dim=1)


def _fit(
    frame: pd.DataFrame,
    n_nets: int,
    loss: Loss,
    judge: Callable[[tuple[Net, ...], Tensor], Uncertainty],
    *,
    seed: int,
) -> Networks:
    """Train ``n_nets`` networks on the same rows, one after the other."""
    features = frame.drop(columns=LABEL).to_numpy(dtype=np.float64)
    names, codes = np.unique(frame[LABEL].to_numpy(dtype=str), return_inverse=True)
    mean, sd = features.mean(axis=0), features.std(axis=0)
    sd = np.where(sd > 0, sd, 1.0)
    inputs, classes = _tensor((features - mean) / sd), torch_library().from_numpy(codes.astype(np.int64))
    steps = min(max(EPOCHS * len(codes) // BATCH, FEWEST_STEPS), MOST_STEPS)
    with seeded(seed):
        nets = tuple(_trained(inputs, classes, len(names), loss, steps) for _ in range(n_nets))
    return Networks(nets, mean, sd, judge, seed)


def _trained(inputs: Tensor, classes: Tensor, n_classes: int, loss: Loss, steps: int) -> Net:
    torch = torch_library()
    net = _body(inputs.shape[1], n_classes)
    adam = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    net.train()
    for step, rows in enumerate(_batches(len(classes), steps)):
        adam.zero_grad()
        loss(net(inputs[rows]), classes[rows], step / steps).backward()
        adam.step()
    return net


def _batches(n_rows: int, steps: int) -> Iterator[Tensor]:
    """Row indices of ``steps`` batches; every epoch is a new permutation of all rows."""
    left = steps
    while left:
        for rows in torch_library().randperm(n_rows).split(BATCH)[:left]:
            yield rows
            left -= 1


def _body(n_in: int, n_out: int) -> Net:
    nn = torch_library().nn
    first = [nn.Linear(n_in, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT)]
    return nn.Sequential(*first, nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, n_out))


def _alpha(outputs: Tensor) -> Tensor:
    return 1 + torch_library().nn.functional.softplus(outputs)


def _tensor(values: Reals) -> Tensor:
    return torch_library().from_numpy(np.ascontiguousarray(values, dtype=np.float32))
