"""Adversarial random forests, re-implemented: a table in, rows drawn from leaves with nearly independent columns out.

The first forest is a classifier of real rows against rows with independent columns. Each next forest classifies real
rows against rows drawn column by column from the leaves of the previous one, until it no longer can (Watson, Blesch,
Kapar and Wright, "Adversarial Random Forests for Density Estimation and Generative Modeling", AISTATS 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri

from janus_bench.libraries import quiet
from janus_bench.peers.coding import Coded, TableCoder
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

Nodes = npt.NDArray[np.intp]


class AdversarialForest:
    """Truncated normal distributions and frequencies in the leaves of the last forest.

    Parameters
    ----------
    n_trees : int
        Trees of each forest.
    min_rows : int
        Fewest real rows of a leaf; a smaller leaf uses its nearest ancestor with enough rows.
    max_rounds : int
        Most forests after the first.
    n_jobs : int
        Threads that grow trees; the result does not depend on it.
    """

    name = "ARF (own)"
    libraries: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    def __init__(self, *, n_trees: int = 30, min_rows: int = 5, max_rounds: int = 10, n_jobs: int = 1) -> None:
        self.n_trees = n_trees
        self.min_rows = min_rows
        self.max_rounds = max_rounds
        self.n_jobs = n_jobs
        self._coder: TableCoder | None = None
        self._values: Floats = np.empty((0, 0))
        self._trees: list[_Leaves] = []

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Grow forests until out-of-bag accuracy is at most 0.5 or rises, then estimate distributions in the leaves."""
        rng = np.random.default_rng(seed)
        self._coder, coded = TableCoder.learn(frame)
        self._values = real = np.hstack([coded.numbers, coded.codes])
        forest, accuracy = self._grow(rng.permuted(real, axis=0), rng)
        for _ in range(self.max_rounds):
            if accuracy <= 0.5:
                break
            leaves = forest.apply(real)
            following, its_accuracy = self._grow(_within_leaves(real, leaves, rng), rng)
            if its_accuracy > accuracy:
                break
            forest, accuracy = following, its_accuracy
        n_numbers = coded.numbers.shape[1]
        self._trees = [_Leaves.of(tree.tree_, real, n_numbers, self.min_rows) for tree in forest.estimators_]
        return self

    def _grow(self, fake: Floats, rng: np.random.Generator) -> tuple[Any, float]:
        """Train a forest to classify real and fake rows; return it with its out-of-bag accuracy."""
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(
            self.n_trees,
            min_samples_leaf=self.min_rows,
            oob_score=True,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        )
        with quiet():  # scikit-learn warns about rows that are in all bags
            forest.fit(np.vstack([self._values, fake]), np.repeat([1, 0], len(fake)))
        return forest, float(forest.oob_score_)

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw a tree uniformly, a leaf by its share of real rows, then each column independently."""
        if self._coder is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        rng = np.random.default_rng(seed)
        which = rng.integers(len(self._trees), size=n)
        n_numbers = len(self._coder.numbers)
        drawn = np.empty((n, self._values.shape[1]))
        for i, leaves in enumerate(self._trees):
            mine = which == i
            drawn[mine] = leaves.draw(self._values, int(mine.sum()), n_numbers, rng)
        return self._coder.decode(Coded(drawn[:, :n_numbers], drawn[:, n_numbers:].astype(np.int64)), seed=seed)


@dataclass(frozen=True, slots=True)
class _Leaves:
    """Distributions in the nodes of one tree: real rows sorted by node, and truncated normal distributions."""

    node_of_row: Nodes
    rows: Nodes
    start: Nodes
    count: Nodes
    mean: Floats
    spread: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, tree: Any, real: Floats, n_numbers: int, min_rows: int) -> Self:
        member = tree.decision_path(real.astype(np.float32)).tocsc()  # rows × nodes: leaves and their ancestors
        count = np.diff(member.indptr)
        node_of_row = _lowest_with(count, min_rows, _parents(tree))[tree.apply(real.astype(np.float32))]
        numbers = real[:, :n_numbers]
        per_node = np.maximum(count, 1)[:, None]
        mean = (member.T @ numbers) / per_node
        centre = numbers.mean(axis=0)  # centred before squaring, against cancellation
        square = (member.T @ (numbers - centre) ** 2) / per_node
        spread = np.sqrt(np.maximum(square - (mean - centre) ** 2, 0.0))
        low, high = _bounds(tree, n_numbers)
        return cls(node_of_row, member.indices, member.indptr[:-1], count, mean, spread, low, high)

    def draw(self, real: Floats, n: int, n_numbers: int, rng: np.random.Generator) -> Floats:
        """Rows whose columns are independent within a leaf."""
        nodes = self.node_of_row[rng.integers(len(real), size=n)]
        drawn = np.empty((n, real.shape[1]))
        for j in range(n_numbers, real.shape[1]):
            places = self.start[nodes] + (rng.random(n) * self.count[nodes]).astype(np.intp)
            drawn[:, j] = real[self.rows[places], j]
        mean, spread = self.mean[nodes], self.spread[nodes]
        spread = np.where(spread > 0, spread, 1.0)
        floor, ceiling = (ndtr((bound[nodes] - mean) / spread) for bound in (self.low, self.high))
        scores = ndtri(floor + (ceiling - floor) * rng.random((n, n_numbers)))
        inside = np.clip(mean + spread * np.clip(scores, -8, 8), self.low[nodes], self.high[nodes])
        drawn[:, :n_numbers] = np.where(self.spread[nodes] > 0, inside, mean)
        return drawn


def _within_leaves(real: Floats, leaves: Nodes, rng: np.random.Generator) -> Floats:
    """Draw as many rows: the leaf of a random row in a random tree, then each column from a random row of that leaf."""
    n, n_trees = leaves.shape
    fake = np.empty_like(real)
    which = rng.integers(n_trees, size=n)
    for i in range(n_trees):
        mine = np.flatnonzero(which == i)
        order = np.argsort(leaves[:, i], kind="stable")
        _, place, count = np.unique(leaves[order, i], return_index=True, return_counts=True)
        group = np.repeat(np.arange(len(count)), count)[rng.integers(n, size=len(mine))]
        for j in range(real.shape[1]):
            donors = order[place[group] + (rng.random(len(mine)) * count[group]).astype(np.intp)]
            fake[mine, j] = real[donors, j]
    return fake


def _parents(tree: Any) -> Nodes:
    """Parent of each node; the root is its own parent."""
    parents: Nodes = np.zeros(tree.node_count, dtype=np.intp)
    for children in (tree.children_left, tree.children_right):
        inner = np.flatnonzero(children >= 0)
        parents[children[inner]] = inner
    return parents


def _lowest_with(count: Nodes, min_rows: int, parents: Nodes) -> Nodes:
    """For each node, itself or its nearest ancestor with ``min_rows`` rows; parents are numbered before children."""
    lowest: Nodes = np.arange(len(count))
    for node in range(1, len(count)):
        if count[node] < min_rows:
            lowest[node] = lowest[parents[node]]
    return lowest


def _bounds(tree: Any, n_numbers: int) -> tuple[Floats, Floats]:
    """Lower and upper bounds of each numeric column in each node, from the splits above it."""
    low: Floats = np.full((tree.node_count, n_numbers), -np.inf)
    high: Floats = np.full((tree.node_count, n_numbers), np.inf)
    for node in range(tree.node_count):
        left, right, feature = tree.children_left[node], tree.children_right[node], tree.feature[node]
        if left < 0:
            continue
        for child in (left, right):
            low[child], high[child] = low[node], high[node]
        if feature < n_numbers:
            high[left, feature] = low[right, feature] = tree.threshold[node]
    return low, high
