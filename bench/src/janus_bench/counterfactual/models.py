"""The cases of the benchmark: a graph, a kind of noise and a seed in, a `Question` with its true answer out.

A root equals its noise. Other columns follow from a function f of their parents and noise ε: ``NLIN`` is f + ε,
``NADD`` is f · (1 + σε) with a standardised f, which changes its sign, and ``NADD+`` is the same with
softplus(f) + 0.5 for f.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from janus_bench.models.networks import Network, Neural, Noise
from janus_bench.models.sem import Draws, Sem
from janus_synth import Dag
from janus_synth.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

Parents = Mapping[str, tuple[str, ...]]

GRAPHS: Mapping[str, Parents] = {
    "Chain": {"x1": (), "x2": ("x1",), "x3": ("x2",)},
    "Triangle": {"x1": (), "x2": ("x1",), "x3": ("x1", "x2")},
    "Diamond": {"x1": (), "x2": ("x1",), "x3": ("x1",), "x4": ("x2", "x3")},
    "Y": {"x1": (), "x2": (), "x3": ("x1", "x2"), "x4": ("x3",)},
}
"""Parents of every column; parents come first."""
NOISES: tuple[Noise, ...] = ("NLIN", "NADD", "NADD+")
CAUSE = "x1"
"""The column that the intervention sets, a root in every graph."""

N_SCALING = 50_000
"""Rows of the sample that standardises a network's inputs and outputs."""
WEIGHTS, SCALING, TRAIN, TEST, DONORS = range(5)
"""Purposes of a case's random generators."""


def descendants_of(cause: str, parents: Parents) -> tuple[str, ...]:
    """Descendants of ``cause`` in the graph, in the order of ``parents``.

    Examples
    --------
    >>> descendants_of("x1", GRAPHS["Y"])
    ('x3', 'x4')
    """
    reached = Dag(parents).descendants(cause)
    return tuple(column for column in parents if column in reached)


@dataclass(frozen=True, slots=True)
class Case:
    """One model with its rows and its question, all determined by graph, noise and seed.

    Models that differ only in the kind of noise have the same network weights.
    """

    graph: str
    noise: Noise
    seed: int

    @property
    def parents(self) -> Parents:
        """The graph."""
        return GRAPHS[self.graph]

    def rng(self, purpose: int) -> np.random.Generator:
        """A generator for one purpose."""
        return np.random.default_rng([self.seed, list(GRAPHS).index(self.graph), purpose])

    def model(self) -> Sem:
        """The structural model, made once per case."""
        return _model_of(self)

    def question(self, n_train: int, n_test: int) -> Question:
        """Training rows, factual test rows, the intervention, and the true counterfactuals."""
        model = self.model()
        noise = model.draw_noise(n_test, self.rng(TEST))
        rows = model.rows_of(noise)
        do = {CAUSE: rows[CAUSE].to_numpy()[other_rows(n_test, self.rng(DONORS))]}
        train = model.draw(n_train, self.rng(TRAIN))
        return Question(self.parents, train, rows, do, model.rows_of(noise, do=do))


@cache
def _model_of(case: Case) -> Sem:
    """Draw random networks, parents first, each standardised on a large sample of the previous columns."""
    nodes: dict[str, Neural] = {}
    weights, pilot = case.rng(WEIGHTS), Draws(Sem({}), N_SCALING, case.rng(SCALING))
    for column, parents in case.parents.items():
        inputs = [pilot.hidden[name] for name in parents]
        function = Network.draw(np.column_stack(inputs), weights) if parents else None
        nodes[column] = Neural(parents, case.noise, function)
        pilot.add(column, nodes[column])
    return Sem(nodes)


class Question(NamedTuple):
    """Input of every method, and the true counterfactuals it is compared with."""

    parents: Parents
    train: pd.DataFrame
    rows: pd.DataFrame
    do: Mapping[str, Floats]
    truth: pd.DataFrame


def other_rows(n: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """A random permutation without fixed points: for every row another one.

    Examples
    --------
    >>> import numpy as np
    >>> bool((other_rows(5, np.random.default_rng(0)) != np.arange(5)).all())
    True
    """
    circle = rng.permutation(n)
    others = np.empty(n, dtype=np.intp)
    others[circle] = np.roll(circle, 1)
    return others
