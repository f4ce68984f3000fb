"""Rivals on torch that treat a column at a time: additive noise, and an affine flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.effort import plan_for
from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.counterfactual.training import Module, Plan, Tensor, perceptron, seeded, tensor, train

LOG_SCALE_BOUND = 6.0
"""Scales between e⁻⁶ and e⁶ of a standardised column; a soft bound keeps first steps from overflowing."""


class NeuralNoise:
    """``x = f(parents) + ε`` with a network for f, trained by least squares."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._network: Module = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Train on squares of the residual."""
        with seeded(seed):
            self._network = network = perceptron(parents.shape[1], 1)

            def loss(batch: Tensor) -> Tensor:
                return ((network(batch[:, :-1])[:, 0] - batch[:, -1]) ** 2).mean()

            train(network, loss, tensor(np.column_stack([parents, values])), plan=self.plan)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The residual, added at the new parents."""
        return self._mean(new_parents) + (values - self._mean(parents))

    def _mean(self, parents: Floats) -> Floats:
        with seeded(0) as torch, torch.no_grad():
            return _array(self._network(tensor(parents))[:, 0])


class AffineFlow:
    """``x = exp(s(parents)) · ε + t(parents)`` with normal ε, by maximum likelihood: CAREFL's kind of flow.

    Along a known graph the flow has one affine layer per column, whose inverse is exact (Khemakhem, Monti, Leech and
    Hyvärinen, "Causal Autoregressive Flows", AISTATS 2021).
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._networks: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Train on the negative log-likelihood."""
        with seeded(seed) as torch:
            p = parents.shape[1]
            self._networks = torch.nn.ModuleList([perceptron(p, 1), perceptron(p, 1)])

            def loss(batch: Tensor) -> Tensor:
                shift, log_scale = self._affine(batch[:, :-1])
                noise = (batch[:, -1] - shift) * (-log_scale).exp()
                return (0.5 * noise**2 + log_scale).mean()

            train(self._networks, loss, tensor(np.column_stack([parents, values])), plan=self.plan)

    def _affine(self, parents: Tensor) -> tuple[Tensor, Tensor]:
        shift, log_scale = (network(parents)[:, 0] for network in self._networks)
        return shift, LOG_SCALE_BOUND * (log_scale / LOG_SCALE_BOUND).tanh()

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The noise at the old parents, shifted and scaled at the new ones."""
        with seeded(0) as torch, torch.no_grad():
            shift, log_scale = map(_array, self._affine(tensor(parents)))
            new_shift, new_log_scale = map(_array, self._affine(tensor(new_parents)))
        return (values - shift) * np.exp(new_log_scale - log_scale) + new_shift


def _array(values: Tensor) -> Floats:
    return np.asarray(values.numpy(), dtype=np.float64)


def neural_noise(share: float) -> NodeByNode:
    """Additive noise on a network, column by column."""
    return NodeByNode(lambda: NeuralNoise(plan_for(share)))


def affine_flow(share: float) -> NodeByNode:
    """A flow of one affine layer per column."""
    return NodeByNode(lambda: AffineFlow(plan_for(share)))
