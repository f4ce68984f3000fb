"""Labelled rows with rare classes in; the same rows and drawn rows of the rare classes out.

The methods ``fit`` and ``fit_resample`` are those of imbalanced-learn's samplers, so that its pipelines take it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from janus_synth.arrays import Array
from janus_synth.estimators.base import JanusEstimator, make_integer_seed
from janus_synth.estimators.features import is_frame, like_input, read_features, read_target, target_name
from janus_synth.rules import col

STRATEGIES = ("auto", "not majority", "minority", "all")


class JanusAugmenter(JanusEstimator):
    """Oversample rare classes with rows drawn from a joint model given their class.

    Parameters
    ----------
    sampling_strategy : str, float or dict
        Rows of each class afterwards, as in imbalanced-learn. ``"auto"`` and ``"not majority"``: as many as the largest
        class; ``"minority"``: only the smallest class; ``"all"``: the same as ``"auto"``. A number is the ratio of the
        smaller to the larger of two classes. ``{"rare": 500}`` gives totals by class.
    structure, n_trees, n_bins, min_samples_leaf, prior_strength, leaves
        As for ``Janus``.
    rules : str, Rule or list of them, optional
        Rules that drawn rows keep, by the names of columns; the class has the name of the series ``y``, or ``target``.
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
    sampling_strategy_ : dict
        Number of rows to draw of each class.
    janus_ : Janus
        The model, with the class as its column ``target_``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(120, 2)), np.array(["usual"] * 100 + ["rare"] * 20)
    >>> X_more, y_more = JanusAugmenter(random_state=0).fit_resample(X, y)
    >>> X_more.shape, Counter(y_more.tolist())["rare"]
    ((200, 2), 100)
    """

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
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
        self.sampling_strategy = sampling_strategy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

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
        JanusAugmenter
            This estimator.
        """
        frame = read_features(self, X, reset=True)
        labels = read_target(y, X, estimator=self, numeric=False)
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        self.sampling_strategy_ = rows_to_draw(self.sampling_strategy, Counter(labels.tolist()))
        self.target_ = target_name(y, self.columns_)
        fields = {self.target_: {"kind": "categorical", "levels": self.classes_.tolist(), "nullable": False}}
        joint = pd.concat([pd.Series(labels, index=frame.index, name=self.target_), frame], axis=1)
        self._fit_frame(joint, fields, self.target_)
        return self

    def sample(self, label: Any, n: int, *, random_state: Any = None) -> pd.DataFrame:
        """Draw rows of one class.

        Parameters
        ----------
        label : str, int, float or bool
            A class.
        n : int
            Number of rows.
        random_state : int, RandomState or Generator, optional
            Seed; that of the estimator by default.

        Returns
        -------
        DataFrame
            Features of the rows.
        """
        check_is_fitted(self)
        seed = self.seed_ if random_state is None else make_integer_seed(random_state)
        rows = self.janus_.sample(n, where=col(self.target_) == label, random_state=seed, progress=False)
        features: pd.DataFrame = rows[self.columns_]
        return features

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Learn the rows, and return them followed by the drawn ones.

        Parameters
        ----------
        X : array or DataFrame of shape (n_samples, n_features)
            Features.
        y : array or Series of shape (n_samples,)
            Classes.

        Returns
        -------
        array or DataFrame, and array or Series
            Features and classes, in the form in which they came.
        """
        self.fit(X, y)
        given = self._read(X)
        labels = read_target(y, X, estimator=self, numeric=False)
        drawn = [self.sample(label, n) for label, n in self.sampling_strategy_.items()]
        rows = pd.concat([given, *(part.astype(given.dtypes) for part in drawn)], ignore_index=True)
        more = [np.full(n, label, dtype=labels.dtype) for label, n in self.sampling_strategy_.items()]
        return _rows_like(rows, X), _labels_like(np.concatenate([labels, *more]), y)


def rows_to_draw(strategy: Any, counts: Mapping[Any, int]) -> dict[Any, int]:
    """Return how many rows of each class to draw, in the order of the classes.

    Examples
    --------
    >>> rows_to_draw("auto", {"a": 90, "b": 30, "c": 60}), rows_to_draw(0.5, {"a": 90, "b": 30})
    ({'b': 60, 'c': 30}, {'b': 15})
    """
    largest = max(counts.values())
    if isinstance(strategy, str) and strategy in STRATEGIES:
        rare = min(counts, key=lambda label: counts[label])
        chosen = [rare] if strategy == "minority" else list(counts)
        wanted = {label: largest for label in chosen}
    elif isinstance(strategy, Mapping):
        wanted = dict(strategy)
    elif isinstance(strategy, int | float | np.number) and not isinstance(strategy, bool) and len(counts) == 2:
        rare = min(counts, key=lambda label: counts[label])
        wanted = {rare: int(strategy * largest)}
    else:
        raise ValueError(
            f"sampling_strategy is {strategy!r}; give one of {', '.join(map(repr, STRATEGIES))}, totals by class, or "
            "with two classes the ratio of the smaller to the larger."
        )
    _check_totals(wanted, counts)
    return {label: wanted[label] - n for label, n in sorted(counts.items()) if wanted.get(label, n) > n}


def _check_totals(wanted: Mapping[Any, int], counts: Mapping[Any, int]) -> None:
    for label, total in wanted.items():
        if label not in counts:
            raise ValueError(f"sampling_strategy names the class {label!r}; there are {', '.join(map(repr, counts))}.")
        if total < counts[label]:
            raise ValueError(
                f"sampling_strategy asks for {total:,} rows of class {label!r}, which has {counts[label]:,} already; "
                "rows are only added."
            )


def _rows_like(rows: pd.DataFrame, X: Any) -> Any:
    if is_frame(X):
        return like_input(rows, X)
    return rows.to_numpy().astype(getattr(np.asarray(X), "dtype", np.float64), copy=False)


def _labels_like(labels: Array, y: Any) -> Any:
    """Return classes as a series where ``y`` is one."""
    return pd.Series(labels, name=y.name, dtype=y.dtype) if isinstance(y, pd.Series) else labels
