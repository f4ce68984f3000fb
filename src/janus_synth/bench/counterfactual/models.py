"""A graph, a kind of noise and a seed to a structural model: rows, the noise behind them, true counterfactuals.

Every column is a known function of its parents and of noise of its own. Run again with the same noise and another x1,
the model says what each row would have been.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Parents = Mapping[str, tuple[str, ...]]
Noise = Literal["NLIN", "NADD", "NADD+"]

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

N_HIDDEN = 16
SIGMA = 0.1
LEAST = 0.5
"""Below this no positive f falls: the noise of NADD+ never vanishes."""
N_SCALING = 50_000
"""Rows of the draw that a network's input and output are standardised over."""
WEIGHTS, SCALING, TRAIN, TEST, DONORS = range(5)
"""What the generators of a case are for."""


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer of SiLU units on standardised inputs, its output standardised too."""

    into: Floats
    bias: Floats
    out: Floats
    centre: Floats
    spread: Floats
    mean: float = 0.0
    deviation: float = 1.0

    def __call__(self, inputs: Floats) -> Floats:
        """Value per row of ``inputs`` (n, p)."""
        hidden = (inputs - self.centre) / self.spread @ self.into + self.bias
        raw: Floats = _silu(hidden) @ self.out
        return (raw - self.mean) / self.deviation

    @classmethod
    def draw(cls, inputs: Floats, rng: np.random.Generator) -> Network:
        """Random weights; ``inputs`` are the rows that it is standardised over."""
        p = inputs.shape[1]
        # Wider than a trained network begins, so that functions bend within the data.
        weights = rng.normal(0, 2 / np.sqrt(p), (p, N_HIDDEN)), rng.normal(0, 1, N_HIDDEN), rng.normal(0, 1, N_HIDDEN)
        scale = inputs.mean(axis=0), inputs.std(axis=0)
        raw = cls(*weights, *scale)(inputs)
        return cls(*weights, *scale, mean=float(raw.mean()), deviation=float(raw.std()))


class Drawn(NamedTuple):
    """Rows, and the noise of every cell."""

    rows: pd.DataFrame
    noise: pd.DataFrame


@dataclass(frozen=True, slots=True)
class StructuralModel:
    """A function per column that has parents, and how its noise enters.

    Roots are their noise. ``NLIN`` is f + ε, ``NADD`` is f · (1 + σε) with a standardised f, which changes its sign,
    and ``NADD+`` is the same with softplus(f) + 0.5 for f.

    Examples
    --------
    >>> import numpy as np
    >>> model = Case("Chain", "NLIN", 0).model()
    >>> rows, noise = model.draw(3, np.random.default_rng(0))
    >>> bool(np.allclose(model.rows_of(noise), rows))
    True
    >>> model.descendants
    ('x2', 'x3')
    """

    parents: Parents
    noise: Noise
    functions: Mapping[str, Network]

    @property
    def descendants(self) -> tuple[str, ...]:
        """Columns that x1 acts on, directly or not."""
        return descendants_of(CAUSE, self.parents)

    def draw(self, n: int, rng: np.random.Generator) -> Drawn:
        """Draw ``n`` rows with their noise."""
        import pandas as pd

        noise = pd.DataFrame({column: rng.standard_normal(n) for column in self.parents})
        return Drawn(self.rows_of(noise), noise)

    def rows_of(self, noise: pd.DataFrame, *, do: Mapping[str, Floats] | None = None) -> pd.DataFrame:
        """Rows with this noise, some columns set to given values: the true counterfactual of `draw`'s rows."""
        import pandas as pd

        cells: dict[str, Floats] = {}
        for column, parents in self.parents.items():
            if do is not None and column in do:
                cells[column] = np.asarray(do[column], dtype=np.float64)
            else:
                inputs = np.column_stack([cells[name] for name in parents]) if parents else np.empty((len(noise), 0))
                cells[column] = self._cells(column, inputs, noise[column].to_numpy())
        return pd.DataFrame(cells, index=noise.index)

    def _cells(self, column: str, inputs: Floats, noise: Floats) -> Floats:
        if column not in self.functions:
            return noise
        return mixed(self.noise, self.functions[column](inputs), noise)


def mixed(kind: Noise, signal: Floats, noise: Floats) -> Floats:
    """A column's cells from what its parents say and its noise.

    Examples
    --------
    >>> import numpy as np
    >>> mixed("NADD", np.array([2.0, -2.0]), np.array([1.0, 1.0]))
    array([ 2.2, -2.2])
    """
    if kind == "NLIN":
        return signal + noise
    if kind == "NADD+":
        signal = np.logaddexp(0.0, signal) + LEAST
    return signal * (1 + SIGMA * noise)


def descendants_of(cause: str, parents: Parents) -> tuple[str, ...]:
    """Columns that ``cause`` acts on, directly or not; parents must come first in the mapping.

    Examples
    --------
    >>> descendants_of("x1", GRAPHS["Y"])
    ('x3', 'x4')
    """
    reached: list[str] = []
    for column, its_parents in parents.items():
        if {cause, *reached} & set(its_parents):
            reached.append(column)
    return tuple(reached)


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

    def model(self) -> StructuralModel:
        """The functions, made once per case."""
        return _model_of(self)

    def question(self, n_train: int, n_test: int) -> Question:
        """Rows to learn from, rows to ask about, and the truth."""
        model = self.model()
        rows, noise = model.draw(n_test, self.rng(TEST))
        do = {CAUSE: rows[CAUSE].to_numpy()[other_rows(n_test, self.rng(DONORS))]}
        train = model.draw(n_train, self.rng(TRAIN)).rows
        return Question(self.parents, train, rows, do, model.rows_of(noise, do=do))


@cache
def _model_of(case: Case) -> StructuralModel:
    """Draw the functions, parents first, each standardised over a large draw of the columns before it."""
    functions: dict[str, Network] = {}
    cells: dict[str, Floats] = {}
    weights, draws = case.rng(WEIGHTS), case.rng(SCALING)
    for column, parents in case.parents.items():
        cells[column] = draws.standard_normal(N_SCALING)
        if parents:
            inputs = np.column_stack([cells[name] for name in parents])
            functions[column] = Network.draw(inputs, weights)
            cells[column] = mixed(case.noise, functions[column](inputs), cells[column])
    return StructuralModel(case.parents, case.noise, functions)


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


def _silu(values: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = values * expit(values)
    return found
