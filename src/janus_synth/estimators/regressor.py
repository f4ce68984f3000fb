"""Rows with a numeric target in; its predictive mean, spread, intervals and uncertainty out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin

from janus_synth.arrays import Floats
from janus_synth.estimators.base import JanusEstimator
from janus_synth.estimators.features import DIRECT, read_features, read_target, target_name
from janus_synth.estimators.predictive import NumericPrediction, uncertainty_frame
from janus_synth.janus.arguments import check_number


class JanusRegressor(RegressorMixin, JanusEstimator):  # type: ignore[misc]
    """Predict a number with its whole distribution.

    The target's bag of trees has histograms and linear trends in its leaves, so that a prediction is a distribution:
    its mean, its standard deviation and its quantiles.

    Parameters
    ----------
    structure : str, edge list or dict
        ``"direct"``: the target depends on all features, and they on nothing; or a graph as for ``Janus``.
    n_trees, n_bins, min_samples_leaf, prior_strength, leaves
        As for ``Janus``.
    rules : str, Rule or list of them, optional
        Rules of all rows, by the names of columns; the target has the name of the series ``y``, or ``target``.
    schema : dict, optional
        Declared kinds and domains of columns: ``{"age": {"low": 0, "high": 120}}``.
    links : {"off", "auto", "rules"}
        Columns that are computed from others, as for ``Janus``.
    n_jobs : int, optional
        Number of threads; results do not depend on it.
    random_state : int, RandomState or Generator, optional
        Seed of the fit.

    Attributes
    ----------
    janus_ : Janus
        The model, with the target as its column ``target_``.

    Examples
    --------
    >>> X = np.linspace(0, 10, 400)[:, None]
    >>> model = JanusRegressor(random_state=0).fit(X, 3 * X[:, 0] + np.sin(np.arange(400)))
    >>> bool(abs(model.predict([[5.0]])[0] - 15) < 1)
    True
    """

    def __init__(
        self,
        *,
        structure: Any = DIRECT,
        n_trees: int = 8,
        n_bins: int | str = "auto",
        min_samples_leaf: int = 10,
        prior_strength: float = 1.0,
        leaves: str = "auto",
        rules: Any = None,
        schema: Mapping[str, Mapping[str, object]] | None = None,
        links: str = "off",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            structure=structure, n_trees=n_trees, n_bins=n_bins, min_samples_leaf=min_samples_leaf,
            prior_strength=prior_strength, leaves=leaves, rules=rules, schema=schema, links=links, n_jobs=n_jobs,
            random_state=random_state,
        )  # fmt: skip

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the target given the features.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features; cells may be missing.
        y : array or Series of shape (n_samples,)
            Numbers.

        Returns
        -------
        JanusRegressor
            This estimator.
        """
        frame = read_features(self, X, reset=True)
        values = read_target(y, X, estimator=self, numeric=True)
        self.target_ = target_name(y, self.columns_)
        self._fit_frame(frame.assign(**{self.target_: values}), {self.target_: {"kind": "numeric"}}, self.target_)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the predictive mean of each row, and its standard deviation if asked for.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        return_std : bool
            Return the standard deviation of the predictive distribution as well.

        Returns
        -------
        array of shape (n_samples,), or a pair of them
            Means, or means and standard deviations.
        """
        found = self._prediction(X)
        return (found.mean(), found.std()) if return_std else found.mean()

    def predict_quantile(self, X: Any, q: float = 0.5) -> Floats:
        """Return a quantile of each row's predictive distribution.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        q : float
            From 0 to 1; 0.5 is the median.

        Returns
        -------
        array of shape (n_samples,)
            Quantiles.
        """
        check_number("q", q, low=0.0, high=1.0)
        return self._prediction(X).quantile(q)

    def predict_interval(self, X: Any, level: float = 0.9) -> Floats:
        """Return an interval that holds the target with probability ``level``, with equal tails.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        level : float
            From 0 to 1.

        Returns
        -------
        array of shape (n_samples, 2)
            Lower and upper ends.
        """
        check_number("level", level, low=0.0, high=1.0)
        found = self._prediction(X)
        return np.stack([found.quantile(0.5 - level / 2), found.quantile(0.5 + level / 2)], axis=1)

    def predict_uncertainty(self, X: Any, *, n_draws: int = 24) -> pd.DataFrame:
        """Return how uncertain each prediction is, and how much of that more data would remove.

        Entropies in nats of the target on at most eight ranges with equal numbers of training rows: *aleatoric* is
        noise that remains, *epistemic* what the model does not know for lack of rows, *support* says how close
        training rows are (1 among them, towards 0 far away). ``predict(X, return_std=True)`` has the units of ``y``.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        n_draws : int
            Models drawn from the posterior, for graphs in which features depend on the target.

        Returns
        -------
        DataFrame
            Columns ``total``, ``aleatoric``, ``epistemic``, and ``support`` where it is known.
        """
        frame = self._read(X)
        return uncertainty_frame(self.janus_, frame, self.target_, n_draws=n_draws, seed=self.seed_)

    def _prediction(self, X: Any) -> NumericPrediction:
        frame = self._read(X)
        return NumericPrediction.of(self.janus_, frame, self.target_, seed=self.seed_)
