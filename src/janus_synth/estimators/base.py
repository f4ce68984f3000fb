"""What all estimators share: the arguments of the model below, scikit-learn's tags, and the fit of one frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from janus_synth.estimators.features import DIRECT, merge_schema, numeric_kinds, read_features
from janus_synth.janus import Janus
from janus_synth.table import Schema


class JanusEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A scikit-learn estimator around a ``Janus``, which is ``janus_`` after the fit."""

    def __init__(
        self,
        *,
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
        self.structure = structure
        self.n_trees = n_trees
        self.n_bins = n_bins
        self.min_samples_leaf = min_samples_leaf
        self.prior_strength = prior_strength
        self.leaves = leaves
        self.rules = rules
        self.schema = schema
        self.links = links
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _fit_frame(self, frame: pd.DataFrame, fields: Mapping[str, Mapping[str, object]], target: str | None) -> None:
        """Learn a frame; ``fields`` declares columns that the estimator knows more about than the rows show."""
        schema = merge_schema(numeric_kinds(frame), fields, self.schema)
        structure = self.structure
        if isinstance(structure, str) and structure == DIRECT:
            learnt = [column.name for column in Schema.detect(frame, schema).learnt]
            structure = direct_graph(learnt, target)
        self.seed_ = make_integer_seed(self.random_state)
        self.janus_ = Janus(
            structure=structure,
            n_trees=self.n_trees,
            n_bins=self.n_bins,
            min_samples_leaf=self.min_samples_leaf,
            prior_strength=self.prior_strength,
            leaves=self.leaves,
            rules=self.rules,
            schema=schema,
            links=self.links,
            keep_rare=True,  # a prediction publishes no row, and rare classes and extreme targets are to be predicted
            n_jobs=self.n_jobs,
            random_state=self.seed_,
        ).fit(frame, progress=False)

    def _read(self, X: Any) -> pd.DataFrame:
        """Read features after the fit."""
        check_is_fitted(self)
        return read_features(self, X, reset=False)


def direct_graph(columns: list[str], target: str | None) -> dict[str, list[str]]:
    """Parents of every column: all others for the target, none for the rest.

    Examples
    --------
    >>> direct_graph(["a", "b", "y"], "y")
    {'a': [], 'b': [], 'y': ['a', 'b']}
    """
    if target is None:
        raise ValueError("structure is 'direct', and there is no target here; choose 'auto', or give a graph.")
    return {name: [other for other in columns if other != name] if name == target else [] for name in columns}


def make_integer_seed(random_state: Any) -> int:
    """Turn what scikit-learn takes as ``random_state`` into one integer."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))
