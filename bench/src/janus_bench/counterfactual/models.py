"""A graph, a kind of noise and a seed to a case: a structural model, rows to learn and to ask about, and the truth.

Roots are their noise. ``NLIN`` is f + ε, ``NADD`` is f · (1 + σε) with a standardised f, which changes its sign, and
``NADD+`` is the same with softplus(f) + 0.5 for f.
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
"""The column that is set, a root in every graph."""

N_SCALING = 50_000
"""Rows of the draw that a network's input and output are standardised over."""
WEIGHTS, SCALING, TRAIN, TEST, DONORS = range(5)
"""What the generators of a case are for."""


def descendants_of(cause: str, parents: Parents) -> tuple[str, ...]:
    """Columns that ``cause`` acts on, directly or not, in the order of the graph.

    Examples
    --------
    >>> descendants_of("x1", GRAPHS["Y"])
    ('x3', 'x4')
    """
    reached = Dag(parents).descendants(cause)
    return tuple(column for column in parents if column in reached)


@dataclass(frozen=True, slots=True)
class Case:
    """One model with its rows and its question; everything follows from graph, noise and seed.

    The three kinds of noise share their weights.
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
        """Rows to learn from, rows to ask about, and the truth."""
        model = self.model()
        noise = model.draw_noise(n_test, self.rng(TEST))
        rows = model.rows_of(noise)
        do = {CAUSE: rows[CAUSE].to_numpy()[other_rows(n_test, self.rng(DONORS))]}
        train = model.draw(n_train, self.rng(TRAIN))
        return Question(self.parents, train, rows, do, model.rows_of(noise, do=do))


@cache
def _model_of(case: Case) -> Sem:
    """Draw the functions, parents first, each standardised over a large draw of the columns before it."""
    nodes: dict[str, Neural] = {}
    weights, pilot = case.rng(WEIGHTS), Draws(Sem({}), N_SCALING, case.rng(SCALING))
    for column, parents in case.parents.items():
        inputs = [pilot.hidden[name] for name in parents]
        function = Network.draw(np.column_stack(inputs), weights) if parents else None
        nodes[column] = Neural(parents, case.noise, function)
        pilot.add(column, nodes[column])
    return Sem(nodes)


class Question(NamedTuple):
    """What every method is given, and the truth that it is judged by."""

    parents: Parents
    train: pd.DataFrame
    rows: pd.DataFrame
    do: Mapping[str, Floats]
    truth: pd.DataFrame


def other_rows(n: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """For every row another one, at random and each once.

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
