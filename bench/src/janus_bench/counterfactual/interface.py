"""Interface of counterfactual methods: a table and its graph in, counterfactual rows out.

Also the methods that wrap existing code: copying the row, JANUS and dowhy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np

from janus_bench.counterfactual.models import Parents
from janus_bench.libraries import needed
from janus_synth.arrays import Floats
from janus_synth.errors import NotFittedError

if TYPE_CHECKING:
    import pandas as pd


class Counterfactuals(Protocol):
    """A counterfactual method."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Counterfactuals:
        """Fit to a table whose graph is given."""
        ...

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """The counterfactual of each row with the columns of ``do`` set to these values, one per row."""
        ...


@dataclass(frozen=True, slots=True)
class Method:
    """An unfitted method.

    Attributes
    ----------
    word, name : str
        Its name on the command line, and in reports.
    make : callable
        Makes the method for a share of the full training effort. A function of the method's module, or a partial of
        one: it must be picklable, and a change of the module's code invalidates stored measurements.
    libraries : tuple of str
        Packages that affect its answers; a missing one is reported, and a new version is measured again.
    """

    word: str
    name: str
    make: Callable[[float], Counterfactuals]
    libraries: tuple[str, ...]

    @property
    def module(self) -> str:
        """Name of the module with its code."""
        return str(self._function.__module__)

    @property
    def settings(self) -> dict[str, Any]:
        """The function that makes it and its arguments, as plain values."""
        return {"made by": self._function.__qualname__, **getattr(self.make, "keywords", {})}

    @property
    def _function(self) -> Any:
        return getattr(self.make, "func", self.make)


class CopiedRow:
    """A baseline: the counterfactual is the factual row with the intervention's values."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Do nothing."""
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """The factual row, with the columns of ``do`` replaced."""
        return frame.assign(**{column: np.asarray(values) for column, values in do.items()})


def copied_row(share: float) -> CopiedRow:
    """Make the baseline; it does not train, so ``share`` is ignored."""
    return CopiedRow()


class JanusCounterfactuals:
    """`Janus.counterfactual` with the true graph."""

    def __init__(self) -> None:
        self._model: Any = None

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Fit JANUS with the given graph."""
        from janus_synth import Janus

        edges = [(parent, column) for column in parents for parent in parents[column]]
        self._model = Janus(structure=edges, random_state=seed).fit(frame, progress=False)
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Call `Janus.counterfactual`."""
        if self._model is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        found: pd.DataFrame = self._model.counterfactual(frame, do=dict(do), progress=False)
        return found


def janus(share: float) -> JanusCounterfactuals:
    """Make JANUS with its defaults; it has no training effort, so ``share`` is ignored."""
    return JanusCounterfactuals()


Regressor = Literal["linear", "boosted", "auto"]


class DowhyModel:
    """An invertible structural model of ``dowhy.gcm``: regressions with additive noise, empirical roots.

    Parameters
    ----------
    regressor : {"linear", "boosted", "auto"}
        Least squares, histogram boosting, or dowhy's automatic choice for each column.
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
        """Abduction, action, prediction; dowhy calls an intervention's function for each row in order."""
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
    """Make the model; its training effort is fixed, so ``share`` is ignored."""
    return DowhyModel(regressor)
