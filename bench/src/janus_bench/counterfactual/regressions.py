"""A regression to counterfactuals of one column: keep the residual, or forget it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.node_by_node import NodeByNode

Make = Callable[[int], Any]
"""A seed in, a regressor in scikit-learn's manner out."""
N_TUNING = 1_000
"""Rows that the Gaussian process's kernel is fitted to; all rows are used to predict."""


class AdditiveNoise:
    """``x = f(parents) + ε``: the residual found at the old parents is added at the new ones."""

    keeps_noise = True

    def __init__(self, make: Make) -> None:
        self.make = make
        self._regressor: Any = None

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> None:
        """Learn the conditional mean."""
        self._regressor = self.make(seed).fit(parents, values)

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """The mean at the new parents, and what was above the mean at the old ones."""
        mean: Floats = self._regressor.predict(new_parents)
        return mean + (values - self._regressor.predict(parents)) if self.keeps_noise else mean


class ForgottenNoise(AdditiveNoise):
    """The conditional mean alone: the row's own noise is not asked for."""

    keeps_noise = False


def linear(seed: int) -> Any:
    """Least squares."""
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def boosted(seed: int) -> Any:
    """Boosted trees, as many as a held-out tenth asks for."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        learning_rate=0.05, max_iter=1_000, max_leaf_nodes=15, early_stopping=True, n_iter_no_change=20,
        validation_fraction=0.1, random_state=seed,
    )  # fmt: skip


class GaussianProcess:
    """A smooth kernel with noise, its scales fitted to some of the rows and its mean to all."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._process: Any = None

    def fit(self, parents: Floats, values: Floats) -> GaussianProcess:
        """Fit scales, then condition on all rows."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        kernel = ConstantKernel(1.0, (1e-2, 1e4)) * RBF(np.ones(parents.shape[1]), (0.05, 50)) + WhiteKernel(
            0.1, (1e-6, 10)
        )
        some = np.random.default_rng(self.seed).permutation(len(values))[:N_TUNING]
        with warnings.catch_warnings():  # a scale at its bound is an answer too
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
