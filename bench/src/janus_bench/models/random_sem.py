"""A number of columns and a seed in, a random structural model and training rows drawn from it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_bench.models.mechanisms import MECHANISMS, NOISES
from janus_bench.models.sem import Draws, Edge, Node, Number, Sem, Signal, Softmax, Thresholds
from janus_synth.arrays import Floats
from janus_synth.table import Schema, read_table

if TYPE_CHECKING:
    import pandas as pd

KEPT_MODELS = 2
"""Models that a process caches: all methods are measured on one model before the next."""
PILOT_ROWS = 20_000
"""Rows from which the mean and spread of a sum of mechanisms are estimated once, when a model is made."""
Maker = Callable[[Signal, np.random.Generator], Node]


def random_sem(n_nodes: int, seed: int) -> Sem:
    """A random structural model with two edges per node.

    Edges join 2 · ``n_nodes`` random pairs of columns and are directed by a random causal order; five nodes have only
    ten pairs, so their graph is complete. A fifth of the columns are categories, a fifth are rounded. The order of
    columns in the table is independent of the graph.

    Parameters
    ----------
    n_nodes : int
        Number of columns, at least 5 for all kinds to occur.
    seed : int
        Determines the model.

    Examples
    --------
    >>> len(random_sem(30, seed=1).edges)
    60
    """
    rng = np.random.default_rng([n_nodes, seed])
    names = [f"x{i}" for i in range(n_nodes)]
    order = [str(name) for name in rng.permutation(names)]
    parents = _random_parents(order, 2 * n_nodes, rng)
    makers = _random_makers(n_nodes, rng)
    pilot = Draws(Sem({}), PILOT_ROWS, rng)
    nodes: dict[str, Node] = {}
    for name, make in zip(order, makers, strict=True):
        signal = _standardised(_random_edges(parents[name], rng), pilot.hidden)
        nodes[name] = make(signal, rng)
        pilot.add(name, nodes[name])
    return Sem({name: nodes[name] for name in names})


def _random_parents(order: list[str], n_edges: int, rng: np.random.Generator) -> dict[str, list[str]]:
    pairs = [(order[i], order[j]) for j in range(len(order)) for i in range(j)]
    chosen = rng.choice(len(pairs), size=min(n_edges, len(pairs)), replace=False)
    parents: dict[str, list[str]] = {name: [] for name in order}
    for i in sorted(chosen):
        parent, child = pairs[i]
        parents[child].append(parent)
    return parents


def _random_edges(parents: list[str], rng: np.random.Generator) -> tuple[Edge, ...]:
    """A mechanism and a weight for each parent; weights are bounded away from zero, so that every edge matters."""
    kinds = list(MECHANISMS)
    signs = rng.choice([-1.0, 1.0], size=len(parents))
    weights = signs * rng.uniform(0.5, 1.5, size=len(parents))
    return tuple(Edge(p, kinds[rng.integers(len(kinds))], float(w)) for p, w in zip(parents, weights, strict=True))


def _standardised(edges: tuple[Edge, ...], hidden: Mapping[str, Floats]) -> Signal:
    if not edges:
        return Signal(())
    # Mechanisms differ in spread; dividing by it makes weights comparable.
    spreads = [float(np.std(MECHANISMS[edge.mechanism](hidden[edge.parent]))) for edge in edges]
    edges = tuple(Edge(e.parent, e.mechanism, e.weight / (s or 1.0)) for e, s in zip(edges, spreads, strict=True))
    raw = Signal(edges).of(hidden, PILOT_ROWS)
    return Signal(edges, float(raw.mean()), float(raw.std()) or 1.0)


def _random_makers(n_nodes: int, rng: np.random.Generator) -> list[Maker]:
    """Kinds of nodes: a fifth categories, a fifth rounded, the rest continuous, in random order."""
    fifth = max(1, n_nodes // 5)
    makers: list[Maker] = [_random_category] * fifth + [_random_rounded] * fifth
    makers += [_random_number] * (n_nodes - 2 * fifth)
    return [makers[i] for i in rng.permutation(n_nodes)]


def _random_number(signal: Signal, rng: np.random.Generator, decimals: int | None = None) -> Number:
    noises = list(NOISES)
    scale = float(np.exp(rng.uniform(np.log(0.5), np.log(3.0))))
    return Number(
        signal=signal,
        noise=noises[rng.integers(len(noises))],
        share=float(rng.uniform(0.5, 0.9)),
        location=float(rng.uniform(-3, 3)),
        scale=scale if decimals is None else scale * 2 if decimals == 0 else scale / 2,
        decimals=decimals,
    )


def _random_rounded(signal: Signal, rng: np.random.Generator) -> Number:
    return _random_number(signal, rng, decimals=int(rng.integers(2)))


def _random_category(signal: Signal, rng: np.random.Generator) -> Softmax | Thresholds:
    n_levels = int(rng.integers(2, 6))
    levels = tuple("abcde"[:n_levels])
    raw = rng.normal(size=n_levels)
    effects = tuple(float(effect) for effect in (raw - raw.mean()) / raw.std())
    if rng.random() < 0.5:
        biases, slopes = rng.normal(scale=0.7, size=n_levels), rng.normal(scale=1.5, size=n_levels)
        return Softmax(signal, levels, tuple(map(float, biases)), tuple(map(float, slopes)), effects)
    cuts = np.sort(rng.uniform(-1.3, 1.3, size=n_levels - 1))
    noises = list(NOISES)
    noise, share = noises[rng.integers(len(noises))], float(rng.uniform(0.5, 0.9))
    return Thresholds(signal, levels, share, noise, tuple(map(float, cuts)), effects)


class ModelKey(NamedTuple):
    """Identifies a random structural model and its training rows."""

    n_nodes: int
    seed: int

    def sem(self) -> Sem:
        """The structural model."""
        return random_sem(self.n_nodes, self.seed)

    def rng(self, purpose: int) -> np.random.Generator:
        """A random generator that depends on the model and on ``purpose``."""
        return np.random.default_rng([self.n_nodes, self.seed, purpose])


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A structural model, and the rows that methods learn from."""

    sem: Sem
    train: pd.DataFrame
    schema: Schema


@lru_cache(maxsize=KEPT_MODELS)
def known_model(key: ModelKey, n_train: int) -> KnownModel:
    """A structural model with ``n_train`` training rows.

    Examples
    --------
    >>> known_model(ModelKey(5, 0), 50).train.shape
    (50, 5)
    """
    sem = key.sem()
    train = sem.draw(n_train, key.rng(1))
    return KnownModel(sem, train, read_table(train).schema)
