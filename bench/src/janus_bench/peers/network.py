"""A Bayesian network on quantile bins, by the library ``pgmpy``: a table in, synthetic rows out."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import pandas as pd

from janus_bench.libraries import needed, quiet
from janus_bench.peers.coding import Coded, Codes, TableCoder
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

WIDE = 60
"""Columns from which hill climbing takes too long, as every step scores all pairs: 128 took over 20 minutes."""


class BayesianNetwork:
    """Hill climbing by BIC, or a Chow–Liu tree, with a BDeu prior; rows are drawn by forward sampling.

    Numbers are binned at quantiles; a number in a bin is drawn from the training values in it, so that frequent values
    are reproduced exactly.

    Parameters
    ----------
    structure : {"auto", "climb", "tree"}
        How the graph is learnt; by default by hill climbing, in wide tables as a Chow–Liu tree.
    n_bins : int
        Bins of a numeric column, besides one for nulls.
    max_parents : int
        Most parents of a column when climbing.
    max_steps : int
        Most steps of hill climbing.
    """

    name = "BN"
    libraries: ClassVar[tuple[str, ...]] = ("pgmpy",)

    def __init__(
        self,
        *,
        structure: Literal["auto", "climb", "tree"] = "auto",
        n_bins: int = 10,
        max_parents: int = 2,
        max_steps: int = 300,
    ) -> None:
        self.structure = structure
        self.n_bins = n_bins
        self.max_parents = max_parents
        self.max_steps = max_steps
        self._coder: TableCoder | None = None
        self._edges: list[Floats] = []
        self._within: list[Binned] = []
        self._model: Any = None

    def brief(self) -> Self:
        """The same method with a Chow–Liu tree, which is learnt quickly."""
        return type(self)(structure="tree", n_bins=self.n_bins)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Bin numbers, learn the graph, and estimate its probabilities."""
        self._coder, coded = TableCoder.learn(frame)
        self._edges = [_edges(coded.numbers[:, i], self.n_bins) for i in range(coded.numbers.shape[1])]
        self._within = [Binned.of(coded.numbers[:, i], edges) for i, edges in enumerate(self._edges)]
        states = self._states(coded)
        with quiet("pgmpy"):
            with needed("pgmpy"):
                from pgmpy.models import DiscreteBayesianNetwork
                from pgmpy.parameter_estimator import DiscreteBayesianEstimator
            self._model = DiscreteBayesianNetwork(self._arrows(states))
            self._model.add_nodes_from(list(states))
            self._model.fit(states, estimator=DiscreteBayesianEstimator(prior_type="BDeu"))
        return self

    def _states(self, coded: Coded) -> pd.DataFrame:
        """Bins and levels as text; nulls have their own bin, so their flags are not needed."""
        assert self._coder is not None
        states: dict[str, Codes] = {}
        for i, place in self._coder.flag_places():
            bins = _bins(coded.numbers[:, i], self._edges[i])
            states[f"x{i}"] = bins if place is None else np.where(coded.codes[:, place] == 1, -1, bins)
        for j in range(len(self._coder.levels)):
            states[f"c{j}"] = coded.codes[:, j]
        return pd.DataFrame({name: codes.astype(str).astype(object) for name, codes in states.items()})

    def _arrows(self, states: pd.DataFrame) -> list[tuple[str, str]]:
        if states.shape[1] < 2:
            return []
        from pgmpy.causal_discovery import HillClimbSearch
        from pgmpy.estimators import TreeSearch

        if self.structure == "tree" or (self.structure == "auto" and states.shape[1] >= WIDE):
            search = TreeSearch(states, root_node=states.columns[0], n_jobs=1)
            return list(search.estimate(estimator_type="chow-liu", show_progress=False).edges())
        climb = HillClimbSearch(
            scoring_method="bic-d",
            max_indegree=self.max_parents,
            max_iter=self.max_steps,
            return_type="dag",
            show_progress=False,
        )
        return list(climb.fit(states).causal_graph_.edges())

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw states by forward sampling, then numbers within their bins."""
        if self._coder is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        with quiet("pgmpy"):
            states = self._model.simulate(max(n, 1), seed=seed, show_progress=False).iloc[:n]
        codes = np.zeros((n, len(self._coder.n_levels)), dtype=np.int64)
        numbers = np.zeros((n, len(self._coder.numbers)))
        for j in range(len(self._coder.levels)):
            codes[:, j] = states[f"c{j}"].astype(str).astype(np.int64)
        rng = np.random.default_rng(seed)
        for i, place in self._coder.flag_places():
            bins = states[f"x{i}"].astype(str).to_numpy(dtype=object).astype(np.int64)
            numbers[:, i] = self._within[i].draw(np.maximum(bins, 0), rng.random(n))
            if place is not None:
                codes[:, place] = bins < 0
        return self._coder.decode(Coded(numbers, codes), seed=seed)


class Binned(NamedTuple):
    """Values in ascending order, and the positions where bins begin and end."""

    values: Floats
    ends: Codes

    @classmethod
    def of(cls, values: Floats, edges: Floats) -> Self:
        """Sort values into bins."""
        counts = np.bincount(_bins(values, edges), minlength=len(edges) - 1)
        return cls(np.sort(values), np.concatenate([[0], np.cumsum(counts)]))

    def draw(self, bins: Codes, uniforms: Floats) -> Floats:
        """Draw one of the values in each of ``bins``.

        Examples
        --------
        >>> binned = Binned.of(np.array([0.0, 0.0, 5.0, 7.0]), np.array([0.0, 1.0, 7.0]))
        >>> binned.draw(np.array([0, 1, 1]), np.array([0.5, 0.1, 0.9]))
        array([0., 5., 7.])
        """
        start, end = self.ends[bins], self.ends[bins + 1]
        place = np.minimum(start + ((end - start) * uniforms).astype(np.int64), len(self.values) - 1)
        return np.asarray(self.values[place])


def _bins(values: Floats, edges: Floats) -> Codes:
    """Bin of each value; a bin includes its lower edge."""
    return np.searchsorted(edges[1:-1], values, side="right").astype(np.int64)


def _edges(values: Floats, n_bins: int) -> Floats:
    """Distinct quantiles; if all values are equal, one bin of width zero."""
    edges: Floats = np.unique(np.quantile(values, np.linspace(0, 1, n_bins + 1)))
    return edges if len(edges) > 1 else np.repeat(edges, 2)
