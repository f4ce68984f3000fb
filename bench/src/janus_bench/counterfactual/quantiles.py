"""Conditional quantiles to counterfactuals of one column: the same rank, at the new parents."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from janus_bench.arrays import Floats
from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.libraries import needed

LEVELS = np.linspace(0.005, 0.995, 199)
"""Where conditional distributions are read."""
HELD_OUT = 0.1


def same_rank(values: Floats, old: Floats, new: Floats) -> Floats:
    """Move each value from one row of quantiles to the other, straight between them.

    Beyond the last quantile a value keeps its distance from it.

    Examples
    --------
    >>> same_rank(np.array([1.5, 9.0]), np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([[10.0, 20.0], [10.0, 20.0]]))
    array([15., 27.])
    """
    inside = np.clip(values, old[:, 0], old[:, -1])
    beyond = values - inside
    moved = [np.interp(value, *pair) for value, *pair in zip(inside, old, new, strict=True)]
    return np.array(moved) + beyond


def pinball(values: Floats, quantiles: Floats) -> float:
    """Mean loss of quantiles at `LEVELS`, which the true ones make smallest."""
    miss = values[:, None] - quantiles
    return float(np.maximum(LEVELS * miss, (LEVELS - 1) * miss).mean())


class NearestNeighbours:
    """Quantiles among the nearest training rows; how many is decided by a held-out tenth."""

    sizes = (20, 40, 80, 160, 320)

    def __init__(self) -> None:
        self._values: Floats = np.empty(0)
        self._k = 0
        self._search: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Choose the number of neighbours, then keep all rows."""
        mixed = np.random.default_rng(seed).permutation(len(values))
        held, kept = np.split(mixed, [max(1, int(HELD_OUT * len(values)))])
        self._remember(parents[kept], values[kept])
        sizes = [k for k in self.sizes if k <= len(kept)] or [len(kept)]
        losses = {k: pinball(values[held], self._quantiles(parents[held], k)) for k in sizes}
        self._k = min(losses, key=lambda k: losses[k])
        self._remember(parents, values)

    def _remember(self, parents: Floats, values: Floats) -> None:
        from scipy.spatial import KDTree

        self._search, self._values = KDTree(parents), values

    def _quantiles(self, parents: Floats, k: int) -> Floats:
        nearest: npt.NDArray[np.intp] = self._search.query(parents, k=k)[1].reshape(len(parents), k)
        found: Floats = np.quantile(self._values[nearest], LEVELS, axis=1).T
        return found

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The rank among the old neighbours, read among the new ones."""
        return same_rank(values, self._quantiles(parents, self._k), self._quantiles(new_parents, self._k))


class QuantileForest:
    """Quantiles of a random forest's leaves (Meinshausen 2006), by the package ``quantile-forest``.

    The size of leaves is decided by a held-out tenth.
    """

    sizes = (5, 10, 20, 40)

    def __init__(self, *, n_trees: int = 200) -> None:
        self.n_trees = n_trees
        self._forest: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Choose the size of leaves with few trees, then grow them all."""
        mixed = np.random.default_rng(seed).permutation(len(values))
        held, kept = np.split(mixed, [max(1, int(HELD_OUT * len(values)))])
        losses = {}
        for size in self.sizes:
            forest = _forest(min(50, self.n_trees), size, seed).fit(parents[kept], values[kept])
            losses[size] = pinball(values[held], _read(forest, parents[held]))
        self._forest = _forest(self.n_trees, min(losses, key=lambda size: losses[size]), seed).fit(parents, values)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The rank at the old parents, read at the new ones."""
        return same_rank(values, _read(self._forest, parents), _read(self._forest, new_parents))


def _forest(n_trees: int, leaf: int, seed: int) -> Any:
    from janus_bench.cores import n_cores

    with needed("quantile-forest"):
        import quantile_forest as package
    return package.RandomForestQuantileRegressor(
        n_estimators=n_trees, min_samples_leaf=leaf, max_samples_leaf=None, random_state=seed, n_jobs=n_cores()
    )


def _read(forest: Any, parents: Floats) -> Floats:
    found: Floats = np.asarray(forest.predict(parents, quantiles=LEVELS.tolist()), dtype=np.float64)
    return found.reshape(len(parents), len(LEVELS))


def nearest_neighbours(share: float) -> NodeByNode:
    """Ranks among neighbours, column by column."""
    return NodeByNode(NearestNeighbours)


def quantile_forest(share: float) -> NodeByNode:
    """Ranks within a forest's leaves, with a share of its trees."""
    return NodeByNode(lambda: QuantileForest(n_trees=max(20, round(200 * share))))
