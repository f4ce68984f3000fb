"""Labelled rows in; the probability of every class out, by Bayes' rule in a joint model of features and class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from janus_synth.arrays import Array, Floats
from janus_synth.estimators.base import JanusEstimator
from janus_synth.estimators.features import read_features, read_target, target_name
from janus_synth.estimators.predictive import uncertainty_frame
from janus_synth.estimators.unknown_cells import probabilities_by_code
from janus_synth.questions import labelled_probabilities


class JanusClassifier(ClassifierMixin, JanusEstimator):  # type: ignore[misc]
    """Classify rows with a joint model of features and class.

    By default the class comes first in the graph, and features depend on it and on each other: P(class | features) by
    Bayes' rule. Features may be numbers, levels, times and missing cells.

    Parameters
    ----------
    structure : str, edge list or dict
        Graph of features and class as for ``Janus``, or ``"direct"``: the class depends on all features, and they on
        nothing. A direct graph is faster, and its uncertainty has a closed form.
    n_trees, n_bins, min_samples_leaf, prior_strength, leaves
        As for ``Janus``.
    rules : str, Rule or list of them, optional
        Rules of all rows, by the names of columns; the class has the name of the series ``y``, or ``target``.
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
    classes_ : array
        Classes, sorted.
    janus_ : Janus
        The model, with the class as its column ``target_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> JanusClassifier(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
    True
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn features and class together.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features; cells may be missing.
        y : array or Series of shape (n_samples,)
            Classes.

        Returns
        -------
        JanusClassifier
            This estimator.
        """
        frame = read_features(self, X, reset=True)
        labels = read_target(y, X, estimator=self, numeric=False)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        self.target_ = target_name(y, self.columns_)
        fields = {self.target_: {"kind": "categorical", "levels": self.classes_.tolist(), "nullable": False}}
        # The class comes first: features then depend on it wherever the order of columns decides.
        joint = pd.concat([pd.Series(labels, index=frame.index, name=self.target_), frame], axis=1)
        self._fit_frame(joint, fields, self.target_)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every class.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; rows sum to 1.
        """
        frame = self._read(X)
        by_code = probabilities_by_code(self.janus_, frame, self.target_, seed=self.seed_)
        named = labelled_probabilities(self.janus_.model_, self.target_, by_code)
        levels = self.janus_.schema_[self.target_].levels
        shares = np.stack([named.get(str(level), np.zeros(len(frame))) for level in levels], axis=1)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        array of shape (n_samples,)
            Classes.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def predict_uncertainty(self, X: Any, *, n_draws: int = 24) -> pd.DataFrame:
        """Return how uncertain each prediction is, and how much of that more data would remove.

        *Aleatoric* uncertainty is noise that remains, *epistemic* what the model does not know for lack of rows; both
        are entropies in nats and add up to *total*. With ``structure="direct"`` they come in closed form, together
        with *support*, which falls from 1 towards 0 away from the training rows. Otherwise they come from models
        drawn from the posterior.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        n_draws : int
            Models drawn from the posterior.

        Returns
        -------
        DataFrame
            Columns ``total``, ``aleatoric``, ``epistemic``, and ``support`` for a direct graph.
        """
        frame = self._read(X)
        return uncertainty_frame(self.janus_, frame, self.target_, n_draws=n_draws, seed=self.seed_)
