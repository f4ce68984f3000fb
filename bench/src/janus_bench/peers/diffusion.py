"""A diffusion model of whole rows, re-implemented after TabDDPM: a table in, synthetic rows out.

Numbers, as normal scores, get Gaussian noise; levels are replaced by uniformly drawn ones with growing probability; one
network reverses both (Kotelnikov, Baranchuk, Rubachev and Babenko, "TabDDPM: Modelling Tabular Data with Diffusion
Models", ICML 2023). The network is smaller than theirs and there are fewer steps; levels are learnt by cross-entropy of
the clean level.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from janus_bench.peers.coding import Coded, TableCoder
from janus_bench.peers.training import (
    Module,
    NormalScores,
    Tensor,
    perceptron,
    seeded,
    tensor,
    torch_library,
    train,
    training_plan,
)
from janus_synth.errors import NotFittedError

N_STEPS = 100
N_WAVES = 4


class TableDiffusion:
    """A denoising diffusion model of numbers and levels.

    Parameters
    ----------
    epochs : int
        Most passes over the table; training ends earlier if the held-out loss no longer improves.
    width, depth : int
        Units per hidden layer, and number of hidden layers.
    """

    name = "diffusion (own)"
    libraries: ClassVar[tuple[str, ...]] = ("torch", "scikit-learn")

    def __init__(self, *, epochs: int = 300, width: int = 256, depth: int = 3) -> None:
        self.epochs = epochs
        self.width = width
        self.depth = depth
        self._coder: TableCoder | None = None
        self._scores: NormalScores = NormalScores(None)
        self._network: Module = None
        # Share of the signal left after each step: a cosine, so that noise grows evenly (Nichol and Dhariwal).
        angle = (np.arange(N_STEPS + 1) / N_STEPS + 0.008) / 1.008 * np.pi / 2
        self._kept = np.clip(np.cos(angle) ** 2 / np.cos(angle[0]) ** 2, 1e-5, 1.0)

    def brief(self) -> Self:
        """The same method trained for one epoch only."""
        return type(self)(epochs=1, width=self.width, depth=self.depth)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Train the network on rows at random steps."""
        self._coder, coded = TableCoder.learn(frame)
        self._scores = NormalScores.of(coded.numbers)
        numbers = self._scores.encode(coded.numbers)
        plan = training_plan(len(frame), self.epochs)
        with seeded(seed):
            n_values = numbers.shape[1] + sum(self._coder.n_levels)
            self._network = perceptron(n_values + 1 + 2 * N_WAVES, n_values, width=self.width, depth=self.depth)
            train(self._network, self._loss, tensor(np.hstack([numbers, coded.codes])), plan=plan)
        return self

    def _loss(self, batch: Tensor) -> Tensor:
        """Squared error of the predicted noise, plus cross-entropy of the clean levels."""
        torch = torch_library()
        p = len(self._numbers())
        step = torch.randint(1, N_STEPS + 1, (len(batch),))
        kept = tensor(self._kept)[step][:, None]
        noise = torch.randn(len(batch), p)
        noisy = kept.sqrt() * batch[:, :p] + (1 - kept).sqrt() * noise
        clean = batch[:, p:].long()
        levels = [
            torch.where(torch.rand(len(batch)) < kept[:, 0], clean[:, j], torch.randint(n, (len(batch),)))
            for j, n in enumerate(self._n_levels())
        ]
        predicted, *logits = self._denoise(noisy, levels, step)
        loss = ((predicted - noise) ** 2).sum()
        for j, guess in enumerate(logits):
            loss = loss + torch.nn.functional.cross_entropy(guess, clean[:, j], reduction="sum")
        return loss / (len(batch) * max(1, p + len(logits)))

    def _denoise(self, noisy: Tensor, levels: list[Tensor], step: Tensor) -> list[Tensor]:
        """Predicted noise of the numbers, and logits of each clean level."""
        torch = torch_library()
        hot = [torch.nn.functional.one_hot(code, n) for code, n in zip(levels, self._n_levels(), strict=True)]
        share = step[:, None] / N_STEPS
        waves = [wave for k in range(N_WAVES) for wave in ((np.pi * 2**k * share).sin(), (np.pi * 2**k * share).cos())]
        predicted = self._network(torch.hstack([noisy, *hot, share, *waves]))
        return list(predicted.split([noisy.shape[1], *self._n_levels()], dim=1))

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Start from normal noise and uniformly drawn levels, and reverse all steps."""
        if self._coder is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        with seeded(seed) as torch, torch.no_grad():
            numbers = torch.randn(n, len(self._numbers()))
            levels = [torch.randint(k, (n,)) for k in self._n_levels()]
            for at in range(N_STEPS, 0, -1):
                predicted, *logits = self._denoise(numbers, levels, torch.full((n,), at))
                numbers = self._number_step(numbers, predicted, at)
                levels = [self._level_step(level, guess, at) for level, guess in zip(levels, logits, strict=True)]
            values = self._scores.decode(np.asarray(numbers.numpy(), dtype=np.float64))
            codes = np.column_stack([level.numpy() for level in levels]) if levels else np.empty((n, 0), dtype=np.int64)
        return self._coder.decode(Coded(values, codes.astype(np.int64)), seed=seed)

    def _number_step(self, noisy: Tensor, noise: Tensor, at: int) -> Tensor:
        """One reverse step of DDPM, with the predicted clean values clipped to the range of normal scores."""
        torch = torch_library()
        kept, before = float(self._kept[at]), float(self._kept[at - 1])
        clean = ((noisy - (1 - kept) ** 0.5 * noise) / kept**0.5).clamp(-5.2, 5.2)
        if at == 1:
            return clean
        added = 1 - kept / before
        mean = (before**0.5 * added * clean + (kept / before) ** 0.5 * (1 - before) * noisy) / (1 - kept)
        return mean + (added * (1 - before) / (1 - kept)) ** 0.5 * torch.randn_like(noisy)

    def _level_step(self, level: Tensor, logits: Tensor, at: int) -> Tensor:
        """One reverse step: draw the previous levels given the current ones and the predicted clean ones."""
        torch = torch_library()
        n_levels = logits.shape[1]
        kept, before = float(self._kept[at]), float(self._kept[at - 1])
        clean = logits.softmax(dim=1)
        if at == 1:
            return torch.multinomial(clean, 1)[:, 0] if len(clean) else level
        stay = kept / before
        now = stay * torch.nn.functional.one_hot(level, n_levels) + (1 - stay) / n_levels
        earlier = now * (before * clean + (1 - before) / n_levels)
        return torch.multinomial(earlier, 1)[:, 0] if len(earlier) else level

    def _numbers(self) -> list[Any]:
        assert self._coder is not None
        return list(self._coder.numbers)

    def _n_levels(self) -> tuple[int, ...]:
        assert self._coder is not None
        return self._coder.n_levels
