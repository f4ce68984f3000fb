"""What the benchmark asks of a counterfactual method, and three that need no training of ours: copy, JANUS, dowhy."""

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
    """What the benchmark needs to know of a method."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Counterfactuals:
        """Learn a table whose graph is given."""
        ...

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """What each row would have been, had the columns of ``do`` had these values, one per row."""
        ...


@dataclass(frozen=True, slots=True)
class Method:
    """A method before it has learnt anything.

    Attributes
    ----------
    word, name : str
        What a command line and what tables call it.
    make : callable
        Makes it for a share of the full training effort. A function of the module that holds the method, or a partial
        of one: processes get it by name, and its module's code decides whether a measurement still holds.
    libraries : tuple of str
        Packages that decide its answers; a missing one is reported, a new version is measured again.
    """

    word: str
    name: str
    make: Callable[[float], Counterfactuals]
    libraries: tuple[str, ...]

    @property
    def module(self) -> str:
        """Where its code is."""
        return str(self._function.__module__)

    @property
    def settings(self) -> dict[str, Any]:
        """How it is made, as plain values."""
        return {"made by": self._function.__qualname__, **getattr(self.make, "keywords", {})}

    @property
    def _function(self) -> Any:
        return getattr(self.make, "func", self.make)


class CopiedRow:
    """Nothing would have been different but what was set."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """There is nothing to learn."""
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """The row as it was, with the values that were set."""
        return frame.assign(**{column: np.asarray(values) for column, values in do.items()})


def copied_row(share: float) -> CopiedRow:
    """The same for any share of the effort."""
    return CopiedRow()


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
