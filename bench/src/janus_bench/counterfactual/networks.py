"""Neural mechanisms for one column: values and parents in, values at new parents out.

Additive noise, an affine flow and a diffusion model, each trained with torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.peers.training import Module, Plan, Tensor, perceptron, plan_for, seeded, tensor, torch_library, train
from janus_synth.arrays import Floats

LOG_SCALE_BOUND = 6.0
"""Soft bound on log scales of a standardised column (e⁻⁶ to e⁶), against overflow in early training steps."""


class NeuralNoise:
    """``x = f(parents) + ε`` with a network for f, trained by least squares."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._network: Module = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Train on the squared residual."""
        with seeded(seed):
            self._network = network = perceptron(parents.shape[1], 1)

            def loss(batch: Tensor) -> Tensor:
                return ((network(batch[:, :-1])[:, 0] - batch[:, -1]) ** 2).mean()

            train(network, loss, tensor(np.column_stack([parents, values])), plan=self.plan)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The residual at the old parents, added to the mean at the new ones."""
        return self._mean(new_parents) + (values - self._mean(parents))

    def _mean(self, parents: Floats) -> Floats:
        with seeded(0) as torch, torch.no_grad():
            return _array(self._network(tensor(parents))[:, 0])


class AffineFlow:
    """``x = exp(s(parents)) · ε + t(parents)`` with normal ε, by maximum likelihood, as in CAREFL.

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
        """Infer the noise at the old parents, then apply shift and scale at the new ones."""
        with seeded(0) as torch, torch.no_grad():
            shift, log_scale = map(_array, self._affine(tensor(parents)))
            new_shift, new_log_scale = map(_array, self._affine(tensor(new_parents)))
        return (values - shift) * np.exp(new_log_scale - log_scale) + new_shift


def _array(values: Tensor) -> Floats:
    return np.asarray(values.numpy(), dtype=np.float64)


def neural_noise(share: float) -> NodeByNode:
    """Additive noise on a neural regression, column by column."""
    return NodeByNode(lambda: NeuralNoise(plan_for(share)))


def affine_flow(share: float) -> NodeByNode:
    """A flow of one affine layer per column."""
    return NodeByNode(lambda: AffineFlow(plan_for(share)))


N_STEPS = 100
FIRST, LAST = 1e-4, 0.1
"""Variance added by the first and the last step, as in the paper."""
N_WAVES = 4
N_COPIES = 8
"""Noisy copies of each row in a batch, which reduce the variance of the loss."""


class Diffusion:
    """A diffusion model of one column given its parents, with a network that predicts the noise."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.kept = np.concatenate([[1.0], np.cumprod(1 - np.linspace(FIRST, LAST, N_STEPS))])
        self._network: Module = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Train the network to predict the noise."""
        with seeded(seed) as torch:
            self._network = perceptron(1 + 1 + 2 * N_WAVES + parents.shape[1], 1, width=128, depth=3)
            kept = tensor(self.kept)

            def loss(batch: Tensor) -> Tensor:
                rows = batch.repeat(N_COPIES, 1)
                step = torch.randint(1, N_STEPS + 1, (len(rows),))
                noise = torch.randn(len(rows))
                noisy = kept[step].sqrt() * rows[:, -1] + (1 - kept[step]).sqrt() * noise
                return ((self._noise(noisy, step, rows[:, :-1]) - noise) ** 2).mean()

            train(self._network, loss, tensor(np.column_stack([parents, values])), plan=self.plan)

    def _noise(self, noisy: Tensor, step: Tensor, parents: Tensor) -> Tensor:
        torch = torch_library()
        share = step[:, None] / N_STEPS
        angles = [np.pi * 2**wave * share for wave in range(N_WAVES)]
        waves = [turned for angle in angles for turned in (angle.sin(), angle.cos())]
        return self._network(torch.hstack([noisy[:, None], share, *waves, parents]))[:, 0]

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """Add noise by DDIM given the old parents, then remove it given the new ones."""
        with seeded(0) as torch, torch.no_grad():
            hidden, old, new = tensor(values), tensor(parents), tensor(new_parents)
            for step in range(N_STEPS):
                hidden = self._stepped(hidden, old, start=step, stop=step + 1)
            for step in range(N_STEPS, 0, -1):
                hidden = self._stepped(hidden, new, start=step, stop=step - 1)
            return np.asarray(hidden.numpy(), dtype=np.float64)

    def _stepped(self, hidden: Tensor, parents: Tensor, *, start: int, stop: int) -> Tensor:
        """One deterministic DDIM step, forward or backward, with the predicted noise."""
        at = torch_library().full((len(hidden),), max(start, 1))  # step 0 has no noise to predict
        noise = self._noise(hidden, at, parents)
        clean = (hidden - (1 - self.kept[start]) ** 0.5 * noise) / self.kept[start] ** 0.5
        return self.kept[stop] ** 0.5 * clean + (1 - self.kept[stop]) ** 0.5 * noise


def diffusion(share: float) -> NodeByNode:
    """A diffusion model per column."""
    return NodeByNode(lambda: Diffusion(plan_for(share)))
