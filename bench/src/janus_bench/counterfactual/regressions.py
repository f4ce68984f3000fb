"""Mechanisms for one column: values and parents in, values at new parents out.

Regressions keep or drop the residual; conditional quantiles keep the rank.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.libraries import needed
from janus_synth.arrays import Floats

Make = Callable[[int], Any]
"""Function from a seed to a regressor with scikit-learn's interface."""
N_TUNING = 1_000
"""Rows that the Gaussian process's kernel is fitted to; all rows are used to predict."""


class AdditiveNoise:
    """``x = f(parents) + ε``: the residual at the old parents is added to the mean at the new ones."""

    keeps_noise = True

    def __init__(self, make: Make) -> None:
        self.make = make
        self._regressor: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Fit the conditional mean."""
        self._regressor = self.make(seed).fit(parents, values)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The mean at the new parents, plus the residual at the old ones if it is kept."""
        mean: Floats = self._regressor.predict(new_parents)
        return mean + (values - self._regressor.predict(parents)) if self.keeps_noise else mean


class ForgottenNoise(AdditiveNoise):
    """The conditional mean at the new parents, without abduction: the row's noise is ignored."""

    keeps_noise = False


def linear(seed: int) -> Any:
    """Least squares."""
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def boosted(seed: int) -> Any:
    """Boosted trees with early stopping on a held-out tenth."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        learning_rate=0.05, max_iter=1_000, max_leaf_nodes=15, early_stopping=True, n_iter_no_change=20,
        validation_fraction=0.1, random_state=seed,
    )  # fmt: skip


class GaussianProcess:
    """Gaussian process with RBF kernel and noise; hyperparameters are fitted to some rows, the mean to all."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._process: Any = None

    def fit(self, parents: Floats, values: Floats) -> GaussianProcess:
        """Fit the hyperparameters, then condition on all rows."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        kernel = ConstantKernel(1.0, (1e-2, 1e4)) * RBF(np.ones(parents.shape[1]), (0.05, 50)) + WhiteKernel(
            0.1, (1e-6, 10)
        )
        some = np.random.default_rng(self.seed).permutation(len(values))[:N_TUNING]
        with warnings.catch_warnings():  # a length scale at its bound is acceptable
            warnings.simplefilter("ignore", ConvergenceWarning)
            tuned = GaussianProcessRegressor(kernel, random_state=self.seed).fit(parents[some], values[some])
        self._process = GaussianProcessRegressor(tuned.kernel_, optimizer=None).fit(parents, values)
        return self

    def predict(self, parents: Floats) -> Floats:
        """The conditional mean."""
        found: Floats = self._process.predict(parents)
        return found


def forgotten_noise(share: float) -> NodeByNode:
    """Conditional means by boosted trees."""
    return NodeByNode(lambda: ForgottenNoise(boosted))


def linear_noise(share: float) -> NodeByNode:
    """Additive noise on least squares."""
    return NodeByNode(lambda: AdditiveNoise(linear))


def boosted_noise(share: float) -> NodeByNode:
    """Additive noise on boosted trees."""
    return NodeByNode(lambda: AdditiveNoise(boosted))


def process_noise(share: float) -> NodeByNode:
    """Additive noise on a Gaussian process."""
    return NodeByNode(lambda: AdditiveNoise(GaussianProcess))


LEVELS = np.linspace(0.005, 0.995, 199)
"""Quantile levels at which conditional distributions are estimated."""
HELD_OUT = 0.1


def same_rank(values: Floats, old: Floats, new: Floats) -> Floats:
    """Map each value from the old quantiles to the new ones at the same rank, by linear interpolation.

    A value outside the quantiles keeps its distance from the nearest one.

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
    """Mean pinball loss of quantiles at `LEVELS`; the true quantiles minimise its expectation."""
    miss = values[:, None] - quantiles
    return float(np.maximum(LEVELS * miss, (LEVELS - 1) * miss).mean())


class NearestNeighbours:
    """Quantiles among the k nearest training rows; k is chosen on a held-out tenth."""

    sizes = (20, 40, 80, 160, 320)

    def __init__(self) -> None:
        self._values: Floats = np.empty(0)
        self._k = 0
        self._search: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Choose the number of neighbours, then index all rows."""
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
        """The values with the same rank among the neighbours at the new parents."""
        return same_rank(values, self._quantiles(parents, self._k), self._quantiles(new_parents, self._k))


class QuantileForest:
    """Quantiles of a random forest's leaves (Meinshausen 2006), by the package ``quantile-forest``.

    The minimum leaf size is chosen on a held-out tenth.
    """

    sizes = (5, 10, 20, 40)

    def __init__(self, *, n_trees: int = 200) -> None:
        self.n_trees = n_trees
        self._forest: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Choose the minimum leaf size with few trees, then grow the full forest."""
        mixed = np.random.default_rng(seed).permutation(len(values))
        held, kept = np.split(mixed, [max(1, int(HELD_OUT * len(values)))])
        losses = {}
        for size in self.sizes:
            forest = _forest(min(50, self.n_trees), size, seed).fit(parents[kept], values[kept])
            losses[size] = pinball(values[held], _read(forest, parents[held]))
        self._forest = _forest(self.n_trees, min(losses, key=lambda size: losses[size]), seed).fit(parents, values)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The values with the same conditional rank at the new parents."""
        return same_rank(values, _read(self._forest, parents), _read(self._forest, new_parents))


def _forest(n_trees: int, leaf: int, seed: int) -> Any:
    from janus_bench.stopwatch import n_cores

    with needed("quantile-forest"):
        import quantile_forest as package
    return package.RandomForestQuantileRegressor(
        n_estimators=n_trees, min_samples_leaf=leaf, max_samples_leaf=None, random_state=seed, n_jobs=n_cores()
    )


def _read(forest: Any, parents: Floats) -> Floats:
    found: Floats = np.asarray(forest.predict(parents, quantiles=LEVELS.tolist()), dtype=np.float64)
    return found.reshape(len(parents), len(LEVELS))


def nearest_neighbours(share: float) -> NodeByNode:
    """Quantiles of nearest neighbours, column by column."""
    return NodeByNode(NearestNeighbours)


def quantile_forest(share: float) -> NodeByNode:
    """Quantile forests, column by column, with a share of the 200 trees."""
    return NodeByNode(lambda: QuantileForest(n_trees=max(20, round(200 * share))))
