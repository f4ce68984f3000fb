"""Words of a command line to methods that answer counterfactual questions, JANUS and rivals alike."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from janus_synth.bench.counterfactual.models import Floats, Parents
from janus_synth.bench.counterfactual.node_by_node import Mechanism, NodeByNode
from janus_synth.errors import DataError, NotFittedError

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.bench.counterfactual.training import Plan

OURS = "JANUS"
ANEW = "our re-implementation"


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
    """A word, what tables call it, and how to make it for a share of the full training effort."""

    word: str
    name: str
    make: Callable[[float], Counterfactuals]


def make_counterfactual_methods(words: Iterable[str] | None = None) -> list[Method]:
    """Methods by word; by default all.

    Examples
    --------
    >>> [method.name for method in make_counterfactual_methods(["janus", "forget"])]
    ['JANUS', 'forget the noise']
    """
    known = {method.word: method for method in METHODS}
    found = []
    for word in known if words is None else words:
        if word.lower() not in known:
            close = difflib.get_close_matches(word.lower(), known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(known)}."
            raise DataError(f"no method is called {word!r}. {hint}")
        if known[word.lower()] not in found:
            found.append(known[word.lower()])
    return found


class JanusCounterfactuals:
    """`Janus` with the true graph, asked by ``counterfactual``."""

    def __init__(self) -> None:
        self._model: Any = None

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """Learn the trees of the given graph."""
        from janus_synth.api import Janus

        edges = [(parent, column) for column in parents for parent in parents[column]]
        self._model = Janus(structure=edges, random_state=seed).fit(frame, progress=False)
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """Ask the model."""
        if self._model is None:
            raise NotFittedError("this method has not seen data. Call fit first.")
        found: pd.DataFrame = self._model.counterfactual(frame, do=dict(do), progress=False)
        return found


class CopiedRow:
    """Nothing would have been different but what was set: a reference line."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Self:
        """There is nothing to learn."""
        return self

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """The row as it was, with the values that were set."""
        return frame.assign(**{column: np.asarray(values) for column, values in do.items()})


def _by_node(make: Callable[[float], Mechanism]) -> Callable[[float], Counterfactuals]:
    return lambda share: NodeByNode(lambda: make(share))


def _forget(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.regressions import ForgottenNoise, boosted

    return ForgottenNoise(boosted)


def _linear(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.regressions import AdditiveNoise, linear

    return AdditiveNoise(linear)


def _boosted(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.regressions import AdditiveNoise, boosted

    return AdditiveNoise(boosted)


def _process(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.regressions import AdditiveNoise, GaussianProcess

    return AdditiveNoise(GaussianProcess)


def _neural(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.networks import NeuralNoise

    return NeuralNoise(_plan(share))


def _neighbours(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.quantiles import NearestNeighbours

    return NearestNeighbours()


def _forest(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.quantiles import QuantileForest

    return QuantileForest(n_trees=max(20, round(200 * share)))


def _flow(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.networks import AffineFlow

    return AffineFlow(_plan(share))


def _diffusion(share: float) -> Mechanism:
    from janus_synth.bench.counterfactual.diffusion import Diffusion

    return Diffusion(_plan(share))


def _autoencoder(share: float) -> Counterfactuals:
    from janus_synth.bench.counterfactual.autoencoder import GraphAutoencoder

    return GraphAutoencoder(replace(_plan(share), batch=256))


def _dowhy(regressor: Any) -> Callable[[float], Counterfactuals]:
    def make(share: float) -> Counterfactuals:
        from janus_synth.bench.counterfactual.dowhy_models import DowhyModel

        return DowhyModel(regressor)

    return make


def _plan(share: float) -> Plan:
    """A plan for a share of the epochs."""
    from janus_synth.bench.counterfactual.training import Plan

    return replace(Plan(), epochs=max(1, round(Plan().epochs * share)))


METHODS: tuple[Method, ...] = (
    Method("janus", OURS, lambda share: JanusCounterfactuals()),
    Method("copy", "copy the row", lambda share: CopiedRow()),
    Method("forget", "forget the noise", _by_node(_forget)),
    Method("linear", "additive noise, linear", _by_node(_linear)),
    Method("boosted", "additive noise, boosted trees", _by_node(_boosted)),
    Method("gp", "additive noise, Gaussian process", _by_node(_process)),
    Method("mlp", "additive noise, network", _by_node(_neural)),
    Method("knn", "quantiles of neighbours", _by_node(_neighbours)),
    Method("forest", "quantile forest", _by_node(_forest)),
    Method("flow", f"affine flow (CAREFL's kind, {ANEW})", _by_node(_flow)),
    Method("diffusion", f"diffusion (DCM's kind, {ANEW})", _by_node(_diffusion)),
    Method("vaca", f"graph autoencoder (VACA's kind, {ANEW})", _autoencoder),
    Method("dowhy-linear", "dowhy.gcm, linear", _dowhy("linear")),
    Method("dowhy-boosted", "dowhy.gcm, boosted trees", _dowhy("boosted")),
    Method("dowhy-auto", "dowhy.gcm, automatic", _dowhy("auto")),
)
