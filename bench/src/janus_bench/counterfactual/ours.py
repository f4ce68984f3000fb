"""JANUS behind the interface of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from janus_bench.arrays import Floats
from janus_bench.counterfactual.models import Parents
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd


class JanusCounterfactuals:
    """`Janus` with the true graph, asked by ``counterfactual``."""

    def __init__(self) -> None:
        self._model: Any = None

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Learn the trees of the given graph."""
        from janus_synth import Janus

        edges = [(parent, column) for column in parents for parent in parents[column]]
        self._model = Janus(structure=edges, random_state=seed).fit(frame, progress=False)
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Ask the model."""
        if self._model is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        found: pd.DataFrame = self._model.counterfactual(frame, do=dict(do), progress=False)
        return found


def janus(share: float) -> JanusCounterfactuals:
    """JANUS as it is, whatever the share: it does not train."""
    return JanusCounterfactuals()
