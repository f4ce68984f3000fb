"""Counterfactuals column by column: a mechanism for one column in, a method for whole graphs out.

Descendants of the set columns are recomputed in the order of the graph, each from its parents' new values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np

from janus_bench.counterfactual.models import Parents
from janus_synth import Dag
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd


class Mechanism(Protocol):
    """Model of one column given its parents; all numbers are standardised."""

    def fit(self, parents: Floats, values: Floats, *, seed: int) -> object:
        """Fit to ``parents`` (n, p) and ``values`` (n,)."""
        ...

    def moved(self, values: Floats, parents: Floats, new_parents: Floats) -> Floats:
        """Counterfactuals at ``new_parents`` of ``values`` observed at ``parents``."""
        ...


class Scale(NamedTuple):
    """Mean and standard deviation of a training column."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Scale:
        """Scale of a column; a constant one has deviation 1."""
        return cls(float(values.mean()), float(values.std()) or 1.0)

    def down(self, values: Floats) -> Floats:
        """Standardise values."""
        return (np.asarray(values, dtype=np.float64) - self.mean) / self.deviation

    def up(self, values: Floats) -> Floats:
        """Undo the standardisation."""
        return values * self.deviation + self.mean


class NodeByNode:
    """One mechanism per column that has parents.

    Parameters
    ----------
    make : callable
        Makes an unfitted mechanism.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from janus_bench.counterfactual.regressions import AdditiveNoise, linear
    >>> frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 2.5, 5.0]})
    >>> method = NodeByNode(lambda: AdditiveNoise(linear)).fit(frame, {"a": (), "b": ("a",)}, seed=0)
    >>> method.counterfactual(frame, {"a": frame["a"].to_numpy() + 1})["b"].round(2).tolist()
    [3.0, 4.5, 7.0]
    """

    def __init__(self, make: Callable[[], Mechanism]) -> None:
        self.make = make
        self._parents: Parents | None = None
        self._scales: dict[str, Scale] = {}
        self._mechanisms: dict[str, Mechanism] = {}

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Standardise every column, and fit a mechanism to each that has parents."""
        cells = {column: frame[column].to_numpy(dtype=np.float64) for column in parents}
        self._parents = parents
        self._scales = {column: Scale.of(values) for column, values in cells.items()}
        standard = {column: self._scales[column].down(values) for column, values in cells.items()}
        self._mechanisms = {}
        for number, column in enumerate(parents):
            if parents[column]:
                mechanism = self.make()
                mechanism.fit(_stacked(standard, parents[column]), standard[column], seed=1_000 * seed + number)
                self._mechanisms[column] = mechanism
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Recompute columns in the order of the graph; those without a changed ancestor keep their values."""
        if self._parents is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        old = {column: self._scales[column].down(frame[column].to_numpy()) for column in self._parents}
        new = dict(old)
        answer = frame.copy()
        touched = set(do)
        for column in Dag(self._parents).order:
            parents = self._parents[column]
            if column in do:
                new[column] = self._scales[column].down(do[column])
                answer[column] = np.asarray(do[column], dtype=np.float64)
            elif touched & set(parents):
                touched.add(column)
                moved = self._mechanisms[column].moved(old[column], _stacked(old, parents), _stacked(new, parents))
                new[column] = moved
                answer[column] = self._scales[column].up(moved)
        return answer


def _stacked(cells: Mapping[str, Floats], names: tuple[str, ...]) -> Floats:
    return np.column_stack([cells[name] for name in names])
