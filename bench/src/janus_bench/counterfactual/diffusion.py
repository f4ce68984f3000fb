"""A diffusion model per column: values run up to noise along the old parents and down again along the new ones.

DCM's kind of model (Chao, Blöbaum, Patel and Kasiviswanathan, "Modeling Causal Mechanisms with Diffusion Models for
Interventional and Counterfactual Queries", TMLR 2024), written anew: a network tells the noise in a noisy value from
the value, its step and the parents; DDIM's deterministic steps up abduct, those down predict.
"""

from __future__ import annotations

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.effort import plan_for
from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.counterfactual.training import (
    Module,
    Plan,
    Tensor,
    perceptron,
    seeded,
    tensor,
    torch_library,
    train,
)

N_STEPS = 100
FIRST, LAST = 1e-4, 0.1
"""Variance added by the first and the last step, as in the paper."""
N_WAVES = 4
N_COPIES = 8
"""Noisy copies of each row in a batch: the loss is less a matter of chance."""


class Diffusion:
    """Noise network, trained on noisy copies of a column."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.kept = np.concatenate([[1.0], np.cumprod(1 - np.linspace(FIRST, LAST, N_STEPS))])
        self._network: Module = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Train the network to tell the noise."""
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
        """Up along the old parents, down along the new ones."""
        with seeded(0) as torch, torch.no_grad():
            hidden, old, new = tensor(values), tensor(parents), tensor(new_parents)
            for step in range(N_STEPS):
                hidden = self._stepped(hidden, old, start=step, stop=step + 1)
            for step in range(N_STEPS, 0, -1):
                hidden = self._stepped(hidden, new, start=step, stop=step - 1)
            return np.asarray(hidden.numpy(), dtype=np.float64)

    def _stepped(self, hidden: Tensor, parents: Tensor, *, start: int, stop: int) -> Tensor:
        """One step of DDIM, up or down, along the noise that the network tells."""
        at = torch_library().full((len(hidden),), max(start, 1))  # without noise there is none to tell
        noise = self._noise(hidden, at, parents)
        clean = (hidden - (1 - self.kept[start]) ** 0.5 * noise) / self.kept[start] ** 0.5
        return self.kept[stop] ** 0.5 * clean + (1 - self.kept[stop]) ** 0.5 * noise


def diffusion(share: float) -> NodeByNode:
    """A diffusion model per column."""
    return NodeByNode(lambda: Diffusion(plan_for(share)))
