"""A structural model to rows: the truth that methods are judged by.

Every column is a function of its parents and of noise of its own, so the model can be drawn column by column, and rows
that already break a condition can be dropped before their other columns are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from janus_synth.bench.constrained.mechanisms import MECHANISMS, NOISES, Floats
from janus_synth.structure.dag import Dag

if TYPE_CHECKING:
    import pandas as pd

Cells = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Edge:
    """A parent, how it acts and how strongly."""

    parent: str
    mechanism: str
    weight: float


@dataclass(frozen=True, slots=True)
class Signal:
    """The sum of what a node's parents do, standardised; nothing (0) without parents."""

    edges: tuple[Edge, ...]
    mean: float = 0.0
    spread: float = 1.0

    def of(self, hidden: Mapping[str, Floats], n: int) -> Floats:
        """Value per row, from the standardised values of the parents."""
        total = np.zeros(n)
        for edge in self.edges:
            total += edge.weight * MECHANISMS[edge.mechanism](hidden[edge.parent])
        return (total - self.mean) / self.spread


class Node(Protocol):
    """How one column follows from its parents."""

    @property
    def signal(self) -> Signal:
        """What the parents do."""
        ...

    def draw(self, hidden: Mapping[str, Floats], n: int, rng: np.random.Generator) -> tuple[Cells, Floats]:
        """Cells, and the same cells as the children see them: standardised."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """``location + scale · (√share · signal + √(1 − share) · noise)``, rounded to so many decimals if any.

    Children see the rounded value.
    """

    signal: Signal
    noise: str
    share: float
    location: float
    scale: float
    decimals: int | None = None

    def draw(self, hidden: Mapping[str, Floats], n: int, rng: np.random.Generator) -> tuple[Cells, Floats]:
        """Draw the noise, add the signal, round."""
        noise = NOISES[self.noise](rng, n)
        if self.signal.edges:
            noise = np.sqrt(self.share) * self.signal.of(hidden, n) + np.sqrt(1 - self.share) * noise
        values = self.location + self.scale * noise
        if self.decimals is None:
            return values, noise
        values = np.round(values, self.decimals)
        cells = values.astype(np.int64) if self.decimals == 0 else values
        return cells, (values - self.location) / self.scale


@dataclass(frozen=True, slots=True)
class Softmax:
    """A level with probability ∝ exp(bias + slope · signal); children see the level's effect."""

    signal: Signal
    levels: tuple[str, ...]
    biases: tuple[float, ...]
    slopes: tuple[float, ...]
    effects: tuple[float, ...]

    def draw(self, hidden: Mapping[str, Floats], n: int, rng: np.random.Generator) -> tuple[Cells, Floats]:
        """Draw a level by inverting its distribution, row by row."""
        signal = self.signal.of(hidden, n)
        masses = np.exp(np.asarray(self.biases)[:, None] + np.outer(self.slopes, np.clip(signal, -8, 8)))
        shares = np.cumsum(masses, axis=0)
        codes = (rng.random(n) * shares[-1] > shares[:-1]).sum(axis=0)
        return np.array(self.levels)[codes], np.array(self.effects)[codes]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Levels as intervals of a hidden number, which is signal and noise; children see the level's effect."""

    signal: Signal
    levels: tuple[str, ...]
    share: float
    noise: str
    cuts: tuple[float, ...]
    effects: tuple[float, ...]

    def draw(self, hidden: Mapping[str, Floats], n: int, rng: np.random.Generator) -> tuple[Cells, Floats]:
        """Draw the hidden number and see where it falls."""
        noise = NOISES[self.noise](rng, n)
        if self.signal.edges:
            noise = np.sqrt(self.share) * self.signal.of(hidden, n) + np.sqrt(1 - self.share) * noise
        codes = np.searchsorted(np.array(self.cuts), noise)
        return np.array(self.levels)[codes], np.array(self.effects)[codes]


@dataclass(frozen=True)
class Sem:
    """A structural model over named columns.

    Attributes
    ----------
    nodes : mapping of str to Node
        How each column follows from its parents, in the order of the table.

    Examples
    --------
    >>> from janus_synth.bench.constrained.random_sem import random_sem
    >>> sem = random_sem(5, seed=0)
    >>> sem.draw(100, np.random.default_rng(1)).shape
    (100, 5)
    """

    nodes: Mapping[str, Node]

    @cached_property
    def dag(self) -> Dag:
        """The graph."""
        return Dag({name: tuple(edge.parent for edge in node.signal.edges) for name, node in self.nodes.items()})

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All arrows ``(parent, child)``."""
        return self.dag.edges

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Columns so that parents come before children."""
        return self.dag.order

    @property
    def categories(self) -> tuple[str, ...]:
        """Columns of levels."""
        return tuple(name for name, node in self.nodes.items() if not isinstance(node, Number))

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of numbers, rounded or not."""
        return tuple(name for name, node in self.nodes.items() if isinstance(node, Number))

    @property
    def rounded(self) -> tuple[str, ...]:
        """Columns of rounded numbers."""
        return tuple(n for n, node in self.nodes.items() if isinstance(node, Number) and node.decimals is not None)

    def draw(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """Rows of the model, unconditionally."""
        rows = Draws(self, n, rng)
        rows.extend(self.order)
        return rows.to_frame()


@dataclass
class Draws:
    """Rows in the making: columns are added, rows are dropped."""

    sem: Sem
    n: int
    rng: np.random.Generator
    cells: dict[str, Cells] = field(default_factory=dict)
    hidden: dict[str, Floats] = field(default_factory=dict)

    def extend(self, names: Iterable[str]) -> None:
        """Draw columns whose parents are there already, or come earlier in ``names``."""
        for name in names:
            if name not in self.cells:
                self.cells[name], self.hidden[name] = self.sem.nodes[name].draw(self.hidden, self.n, self.rng)

    def keep(self, chosen: Bools) -> None:
        """Drop the other rows."""
        index = np.flatnonzero(chosen)
        self.n = len(index)
        self.cells = {name: cells[index] for name, cells in self.cells.items()}
        self.hidden = {name: values[index] for name, values in self.hidden.items()}

    def to_frame(self) -> pd.DataFrame:
        """All columns, in the order of the table."""
        import pandas as pd

        return pd.DataFrame({name: self.cells[name] for name in self.sem.nodes})
