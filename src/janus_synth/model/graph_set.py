"""The graphs that a model considers possible, each with a weight and with bags of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np

from janus_synth.arrays import Codes
from janus_synth.encoding import Codec
from janus_synth.errors import StructureError
from janus_synth.graph import Dag
from janus_synth.streams import Stream, generator
from janus_synth.trees import Bag

MAX_GRAPHS = 1_000
"""Graphs of a set; more would not change its answers."""
TREES_PER_GRAPH = 2
"""Most trees per column of each graph: its bags are averaged over graphs, besides."""
LEAST_ROWS = 20
"""Least number of rows that a graph is learnt on."""

Learn = Callable[[Codec, Codes, int], Dag]
"""Learns a graph from codes, with a seed."""


@dataclass(frozen=True, slots=True)
class GraphSet:
    """Graphs over the same columns with weights that sum to 1; columns with the same parents share a bag.

    Parameters
    ----------
    dags : tuple of Dag
        The graphs.
    weights : tuple of float
        Their weights.
    bags : tuple of Bag
        A bag for every column and set of parents that occurs.
    places : tuple of tuple of int
        For each graph the number of the bag of each column, in the order of the columns.
    """

    dags: tuple[Dag, ...]
    weights: tuple[float, ...]
    bags: tuple[Bag, ...]
    places: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.dags) <= MAX_GRAPHS or not len(self.dags) == len(self.weights) == len(self.places):
            raise StructureError(f"a set of graphs has 1 to {MAX_GRAPHS:,} graphs, each with a weight and its bags.")
        if not all(weight > 0 for weight in self.weights) or not isclose(sum(self.weights), 1.0, abs_tol=1e-6):
            raise StructureError("the weights of a set of graphs are positive and sum to 1.")
        for dag, own in zip(self.dags, self.places, strict=True):
            fits = len(own) == len(dag.columns) and all(0 <= place < len(self.bags) for place in own)
            if not fits or any(self.bags[place].target != i for i, place in enumerate(own)):
                raise StructureError("a graph of the set names a bag that does not exist, or that of another column.")

    def bags_of(self, graph: int) -> tuple[Bag, ...]:
        """Bags of one graph, in the order of the columns."""
        return tuple(self.bags[place] for place in self.places[graph])


def resampled_graphs(codec: Codec, x: Codes, learn: Learn, *, n_graphs: int, seed: int) -> list[Dag]:
    """Graphs learnt on random halves of the rows.

    A half without replacement has the variance of a bootstrap resample (Politis and Romano, 1994), but no repeated
    rows, which independence tests would count as evidence. Where the data leave directions open, learners follow the
    order of the columns; it is shuffled for each graph, so that such directions differ between graphs.
    """
    graphs = []
    n_rows, names = x.shape[1], codec.names
    n_half = min(n_rows, max(LEAST_ROWS, n_rows // 2))
    for i in range(n_graphs):
        rng = generator(seed, Stream.RESAMPLED_GRAPHS, i)
        rows = np.sort(rng.choice(n_rows, n_half, replace=False))
        order = rng.permutation(len(names))
        shuffled = Codec({names[j]: codec.columns[names[j]] for j in order})
        dag = learn(shuffled, np.ascontiguousarray(x[order][:, rows]), int(rng.integers(2**31)))
        place = {name: j for j, name in enumerate(names)}
        graphs.append(Dag({name: tuple(sorted(dag.parents[name], key=place.__getitem__)) for name in names}))
    return graphs


def distinct_conditionals(dags: Sequence[Dag]) -> tuple[list[tuple[str, tuple[str, ...]]], list[tuple[int, ...]]]:
    """Every column with each of its sets of parents, and for each graph the numbers of its own."""
    number: dict[tuple[str, tuple[str, ...]], int] = {}
    places = [tuple(number.setdefault((name, dag.parents[name]), len(number)) for name in dag.columns) for dag in dags]
    return [*number], places
