"""A variational graph autoencoder: a table and its graph in, counterfactual rows out.

Each column has a latent variable, and messages pass from parents to children: a model like VACA (Sánchez-Martín,
Rateike and Valera, "VACA: Designing Variational Graph Autoencoders for Causal Queries", AAAI 2022), re-implemented.
The encoder sees a column and its parents. The decoder has as many layers of messages as the longest path has edges, so
that a latent affects every descendant. Abduction uses the encoder's mean; a column that is set gets the latent of its
new value and no messages from its parents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from janus_bench.counterfactual.models import Parents, descendants_of
from janus_bench.counterfactual.node_by_node import Scale
from janus_bench.peers.training import (
    Module,
    Plan,
    Tensor,
    perceptron,
    plan_for,
    seeded,
    tensor,
    torch_library,
    train,
)
from janus_synth import Dag
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd

N_LATENT, N_MESSAGE, WIDTH = 1, 8, 32
"""One latent per column was best of 1, 2 and 4: with more, the latents encode the value instead of its noise."""
SPREAD = 0.15
"""The decoder's standard deviation; if learnt, latents collapse. 0.1 is better for small noise, 0.22 for large."""


class GraphAutoencoder:
    """Separate networks for every column and edge, trained on the evidence lower bound."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._parents: Parents | None = None
        self._scales: dict[str, Scale] = {}
        self._parts: Any = None

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Standardise, then train."""
        self._parents = parents
        self._scales = {column: Scale.of(frame[column].to_numpy(dtype=np.float64)) for column in parents}
        with seeded(seed) as torch:
            self._parts = _parts(parents)

            def loss(batch: Tensor) -> Tensor:
                mean, log_deviation = self._encoded(batch)
                latent = mean + log_deviation.exp() * torch.randn_like(mean)
                divergence = 0.5 * (mean**2 + (2 * log_deviation).exp() - 1) - log_deviation
                misfit = 0.5 * ((batch - self._decoded(latent)) / SPREAD) ** 2
                return misfit.sum(1).mean() + divergence.sum((1, 2)).mean()

            train(self._parts, loss, self._tensor(frame), plan=self.plan)
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Encode the factual row, replace the latents of set columns, and decode descendants."""
        if self._parents is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        answer = frame.assign(**{column: np.asarray(values, dtype=np.float64) for column, values in do.items()})
        with seeded(0) as torch, torch.no_grad():
            latent, _ = self._encoded(self._tensor(frame))
            set_latent, _ = self._encoded(self._tensor(answer), cut=do)
            for j, column in enumerate(self._parents):
                if column in do:
                    latent[:, j] = set_latent[:, j]
            decoded = self._decoded(latent, cut=do).numpy().astype(np.float64)
        ordered = {column: self._parents[column] for column in Dag(self._parents).order}
        reached = {name for column in do for name in descendants_of(column, ordered)} - set(do)
        for j, column in enumerate(self._parents):
            if column in reached:
                answer[column] = self._scales[column].up(decoded[:, j])
        return answer

    def _tensor(self, frame: pd.DataFrame) -> Tensor:
        columns = self._scales.items()
        return tensor(np.column_stack([scale.down(frame[column].to_numpy()) for column, scale in columns]))

    def _encoded(self, cells: Tensor, cut: Collection[str] = ()) -> tuple[Tensor, Tensor]:
        """Mean and log standard deviation of the latents (n, d, latent)."""
        found = self._passed("encode", cells[:, :, None], cut)
        return found[..., :N_LATENT], found[..., N_LATENT:].clamp(-8, 4)

    def _decoded(self, latent: Tensor, cut: Collection[str] = ()) -> Tensor:
        hidden = latent
        for layer in range(_longest_path(self._parents or {})):
            hidden = self._passed(f"decode {layer}", hidden, cut)
        return torch_library().hstack([part(hidden[:, j]) for j, part in enumerate(self._parts["read"])])

    def _passed(self, layer: str, hidden: Tensor, cut: Collection[str]) -> Tensor:
        """One layer: each column's state from its previous state and the sum of its parents' messages."""
        torch, parents = torch_library(), self._parents or {}
        places = {column: j for j, column in enumerate(parents)}
        found = []
        for column, j in places.items():
            message = torch.zeros(len(hidden), N_MESSAGE)
            for parent in () if column in cut else parents[column]:
                pair = torch.hstack([hidden[:, places[parent]], hidden[:, j]])
                message = message + self._parts[f"{layer} message"][f"{parent} {column}"](pair)
            found.append(self._parts[layer][j](torch.hstack([hidden[:, j], message])))
        return torch.stack(found, 1)


def _parts(parents: Parents) -> Module:
    """Networks per column and per edge for the encoder and each decoder layer, and an output network per column."""
    nn = torch_library().nn
    parts = {"read": nn.ModuleList([perceptron(WIDTH, 1, width=WIDTH, depth=1) for _ in parents])}
    layers = [("encode", 1, 2 * N_LATENT)]
    layers += [(f"decode {i}", WIDTH if i else N_LATENT, WIDTH) for i in range(_longest_path(parents))]
    for layer, n_in, n_out in layers:
        edges = [f"{parent} {column}" for column in parents for parent in parents[column]]
        messages = {edge: perceptron(2 * n_in, N_MESSAGE, width=WIDTH, depth=1) for edge in edges}
        parts[f"{layer} message"] = nn.ModuleDict(messages)
        parts[layer] = nn.ModuleList([perceptron(n_in + N_MESSAGE, n_out, width=WIDTH, depth=1) for _ in parents])
    return nn.ModuleDict(parts)


def _longest_path(parents: Parents) -> int:
    """Number of edges of the longest path, at least 1."""
    depth: dict[str, int] = {}
    for column in Dag(parents).order:
        depth[column] = max((depth[parent] + 1 for parent in parents[column]), default=0)
    return max(1, *depth.values())


def graph_autoencoder(share: float) -> GraphAutoencoder:
    """One autoencoder for the whole graph, with larger batches than the other networks."""
    return GraphAutoencoder(replace(plan_for(share), batch=256))
