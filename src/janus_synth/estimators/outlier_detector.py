"""Rows in; their anomaly score and whether they are outliers out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from janus_synth.arrays import Floats, LongInts
from janus_synth.estimators.base import JanusEstimator
from janus_synth.estimators.features import read_features

FALSE_ALARMS = 0.01
"""Share of a model's own rows that ``contamination="auto"`` calls outliers."""


class JanusOutlierDetector(OutlierMixin, JanusEstimator):  # type: ignore[misc]
    """Find rows that a joint model of all columns considers unlikely.

    Parameters
    ----------
    contamination : float or "auto"
        Share of the training rows to call outliers, up to 0.5. ``"auto"``: at most one in a hundred of the rows that
        follow the model.
    structure, n_trees, n_bins, min_samples_leaf, prior_strength, leaves
        As for ``Janus``.
    rules : str, Rule or list of them, optional
        Rules of all rows, by the names of columns.
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
    offset_ : float
        Score below which a row is an outlier.
    janus_ : Janus
        The model; ``janus_.anomaly_score(rows, by_column=True)`` says which cells make a row unlikely.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> JanusOutlierDetector(random_state=0).fit(X).predict([[0.0, 0.0], [40.0, -40.0]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        *,
        contamination: float | str = "auto",
        structure: Any = "auto",
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
        self.contamination = contamination

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the table and set the threshold.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        JanusOutlierDetector
            This estimator.
        """
        automatic = isinstance(self.contamination, str) and self.contamination == "auto"
        if not automatic and not (
            isinstance(self.contamination, int | float | np.number) and 0 < self.contamination <= 0.5
        ):
            raise ValueError(f"contamination is {self.contamination!r}; give a number in (0, 0.5], or 'auto'.")
        frame = read_features(self, X, reset=True)
        self._fit_frame(frame, {}, None)
        if automatic:
            self.offset_ = -largest_usual_score(len(self.janus_.schema_.learnt))
        else:
            scores = -self.janus_.anomaly_score(frame)
            self.offset_ = float(np.percentile(scores, 100 * float(self.contamination)))
        return self

    def score_samples(self, X: Any) -> Floats:
        """Return how usual each row is: the negative of ``Janus.anomaly_score``, 0 on average for usual rows.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
            Higher is more usual.
        """
        frame = self._read(X)
        return np.asarray(-self.janus_.anomaly_score(frame))

    def decision_function(self, X: Any) -> Floats:
        """Return ``score_samples`` minus ``offset_``: negative for outliers.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
            Negative for outliers.
        """
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: Any) -> LongInts:
        """Return −1 for outliers and 1 for all other rows.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array of shape (n_samples,)
            −1 or 1.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)


def largest_usual_score(n_columns: int) -> float:
    """Anomaly score that at most ``FALSE_ALARMS`` of the rows of a model exceed.

    A cell adds −log p − 1 with a p-value p. Where values are continuous, p is uniform and independent of the other
    cells given the graph, so that the sum over d cells plus d is Gamma(d) distributed; discrete cells spread less.

    Examples
    --------
    >>> round(largest_usual_score(1), 3)
    3.605
    """
    from scipy.stats import gamma

    return float(gamma.ppf(1 - FALSE_ALARMS, n_columns)) - n_columns
