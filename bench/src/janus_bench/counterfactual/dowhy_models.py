"""dowhy's graphical causal models behind the interface of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from janus_bench.arrays import Floats
from janus_bench.counterfactual.models import Parents
from janus_bench.libraries import needed
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd

Regressor = Literal["linear", "boosted", "auto"]


class DowhyModel:
    """An invertible structural model of ``dowhy.gcm``: additive noise on a regression, roots as observed.

    Parameters
    ----------
    regressor : {"linear", "boosted", "auto"}
        Least squares, histogram boosting, or whatever dowhy picks for each column.
    """

    def __init__(self, regressor: Regressor) -> None:
        self.regressor = regressor
        self._model: Any = None

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Assign a mechanism to every column and fit it."""
        with needed("dowhy"):
            from dowhy import gcm
        import networkx

        gcm.config.disable_progress_bars()
        gcm.util.general.set_random_seed(seed)
        graph = networkx.DiGraph()
        graph.add_nodes_from(parents)
        graph.add_edges_from((parent, column) for column in parents for parent in parents[column])
        model = gcm.InvertibleStructuralCausalModel(graph)
        if self.regressor == "auto":
            gcm.auto.assign_causal_mechanisms(model, frame)
        else:
            self._assign(gcm, model, parents)
        gcm.fit(model, frame)
        self._model = model
        return self

    def _assign(self, gcm: Any, model: Any, parents: Parents) -> None:
        make = (
            gcm.ml.create_linear_regressor
            if self.regressor == "linear"
            else gcm.ml.create_hist_gradient_boost_regressor
        )
        for column, its_parents in parents.items():
            mechanism = gcm.AdditiveNoiseModel(make()) if its_parents else gcm.EmpiricalDistribution()
            model.set_causal_mechanism(column, mechanism)

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Abduct, act, predict; dowhy asks for an intervention's value row by row, in order."""
        if self._model is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        from dowhy import gcm

        def in_turn(values: Floats) -> Any:
            rows = iter(np.asarray(values, dtype=np.float64).tolist())
            return lambda value: next(rows)

        settings = {column: in_turn(values) for column, values in do.items()}
        found: pd.DataFrame = gcm.counterfactual_samples(self._model, settings, observed_data=frame)
        return found[list(frame.columns)].set_axis(frame.index)


def dowhy_model(share: float, *, regressor: Regressor) -> DowhyModel:
    """The same for any share of the effort."""
    return DowhyModel(regressor)
