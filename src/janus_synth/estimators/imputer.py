"""Rows with missing cells in; the same rows with cells drawn from a joint model given the rest of their row out."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from janus_synth.estimators.base import JanusEstimator
from janus_synth.estimators.features import like_input, read_features


class JanusImputer(OneToOneFeatureMixin, TransformerMixin, JanusEstimator):  # type: ignore[misc]
    """Fill missing cells with draws from a joint model of all columns, given the observed cells of their row.

    Draws keep spread and dependence, which means and modes lose; imputed rows keep the model's rules. The same rows
    get the same values. Give several values of ``random_state`` for multiple imputation.

    Parameters
    ----------
    structure, n_trees, n_bins, min_samples_leaf, prior_strength, leaves
        As for ``Janus``.
    rules : str, Rule or list of them, optional
        Rules that imputed rows keep, by the names of columns.
    schema : dict, optional
        Declared kinds and domains of columns: ``{"age": {"low": 0, "high": 120}}``.
    links : {"off", "auto", "rules"}
        Columns that are computed from others, as for ``Janus``.
    n_jobs : int, optional
        Number of threads; results do not depend on it.
    random_state : int, RandomState or Generator, optional
        Seed of the fit and of the draws.

    Attributes
    ----------
    janus_ : Janus
        The model.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(200.0)
    >>> X = np.stack([x, 2 * x], axis=1)
    >>> filled = JanusImputer(random_state=0).fit(X).transform([[100.0, np.nan]])
    >>> bool(abs(filled[0, 1] - 200) < 40)
    True
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the table; missing cells are left out of what is learnt about their column.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows, with missing cells or without.
        y : None
            Ignored.

        Returns
        -------
        JanusImputer
            This estimator.
        """
        self._fit_frame(read_features(self, X, reset=True), {}, None)
        return self

    def transform(self, X: Any) -> Any:
        """Fill the missing cells.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array or DataFrame of shape (n_samples, n_features)
            The same rows without missing cells, except in columns of which no training row has a value. Frames come
            back as frames with their dtypes.
        """
        frame = self._read(X)
        if not frame.isna().any(axis=None):
            return like_input(frame, X)
        filled = self.janus_.complete(frame, nulls="fill", unknown="keep", random_state=self.seed_, progress=False)
        return like_input(filled[self.columns_], X)
