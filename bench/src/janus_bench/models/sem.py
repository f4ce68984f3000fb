"""A structural causal model in; rows, rows under an intervention, or true counterfactuals out.

Every column is a function of its parents and of its own independent noise. Columns are drawn in causal order, so a row
that already breaks a condition can be dropped before its other columns are drawn. A counterfactual is computed from the
same noise with another value of a column. Children use a numeric version of each column, called ``hidden``: the
standardised value of a number, the effect of a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from janus_bench.models.mechanisms import MECHANISMS, NOISES
from janus_synth import Dag
from janus_synth.arrays import Bools, Floats

if TYPE_CHECKING:
    import pandas as pd

Cells = npt.NDArray[Any]
Do = Mapping[str, Any]
"""An intervention: columns that are set, to one value or to a value per row."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A parent, the name of its mechanism, and its weight."""

    parent: str
    mechanism: str
    weight: float


@dataclass(frozen=True, slots=True)
class Signal:
    """The standardised sum of the effects of a node's parents; 0 without parents."""

    edges: tuple[Edge, ...]
    mean: float = 0.0
    spread: float = 1.0

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns that it depends on."""
        return tuple(edge.parent for edge in self.edges)

    def of(self, hidden: Mapping[str, Floats], n: int) -> Floats:
        """Value per row, from the numeric versions of the parents."""
        total = np.zeros(n)
        for edge in self.edges:
            total += edge.weight * MECHANISMS[edge.mechanism](hidden[edge.parent])
        return (total - self.mean) / self.spread


class Node(Protocol):
    """The structural equation of one column."""

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns that it depends on."""
        ...

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw its noise, one value per row."""
        ...

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Cells, Floats]:
        """Cells, and their numeric version for the children, from the parents' numeric versions and the noise."""
        ...

    def seen(self, cells: Cells) -> Floats:
        """Numeric version, for the children, of cells that were set."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """``location + scale · (√share · signal + √(1 − share) · noise)``, rounded to ``decimals`` unless None.

    Children use the rounded value.
    """

    signal: Signal
    noise: str
    share: float
    location: float
    scale: float
    decimals: int | None = None

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns of the signal."""
        return self.signal.parents

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Standardised noise."""
        return NOISES[self.noise](rng, n)

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Cells, Floats]:
        """Add the signal to the noise, and round."""
        mixed = _mixed(self.signal, self.share, hidden, noise)
        values = self.location + self.scale * mixed
        if self.decimals is None:
            return values, mixed
        values = np.round(values, self.decimals)
        return values.astype(np.int64) if self.decimals == 0 else values, self.seen(values)

    def seen(self, cells: Cells) -> Floats:
        """Standardised values."""
        return (cells - self.location) / self.scale


@dataclass(frozen=True, slots=True)
class Softmax:
    """A level with probability ∝ exp(bias + slope · signal); children use the level's effect."""

    signal: Signal
    levels: tuple[str, ...]
    biases: tuple[float, ...]
    slopes: tuple[float, ...]
    effects: tuple[float, ...]

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns of the signal."""
        return self.signal.parents

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Uniform on [0, 1)."""
        return rng.random(n)

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Cells, Floats]:
        """Draw a level per row by inverting the distribution function."""
        signal = self.signal.of(hidden, len(noise))
        masses = np.exp(np.asarray(self.biases)[:, None] + np.outer(self.slopes, np.clip(signal, -8, 8)))
        shares = np.cumsum(masses, axis=0)
        codes = (noise * shares[-1] > shares[:-1]).sum(axis=0)
        return np.array(self.levels)[codes], np.array(self.effects)[codes]

    def seen(self, cells: Cells) -> Floats:
        """Effects of the levels."""
        return _effects(cells, self.levels, self.effects)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Levels as intervals of a latent number, the sum of signal and noise; children use the level's effect."""

    signal: Signal
    levels: tuple[str, ...]
    share: float
    noise: str
    cuts: tuple[float, ...]
    effects: tuple[float, ...]

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns of the signal."""
        return self.signal.parents

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Standardised noise."""
        return NOISES[self.noise](rng, n)

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Cells, Floats]:
        """Compute the latent number and find its interval."""
        codes = np.searchsorted(np.array(self.cuts), _mixed(self.signal, self.share, hidden, noise))
        return np.array(self.levels)[codes], np.array(self.effects)[codes]

    def seen(self, cells: Cells) -> Floats:
        """Effects of the levels."""
        return _effects(cells, self.levels, self.effects)


@dataclass(frozen=True)
class Sem:
    """A structural model over named columns.

    Attributes
    ----------
    nodes : mapping of str to Node
        Structural equation of each column, in the order of the table.

    Examples
    --------
    >>> from janus_bench.models.random_sem import random_sem
    >>> sem = random_sem(5, seed=0)
    >>> sem.draw(100, np.random.default_rng(1)).shape
    (100, 5)
    """

    nodes: Mapping[str, Node]

    @cached_property
    def dag(self) -> Dag:
        """The graph."""
        return Dag({name: node.parents for name, node in self.nodes.items()})

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All arrows ``(parent, child)``."""
        return self.dag.edges

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Columns in causal order: parents before children."""
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

    def draw(self, n: int, rng: np.random.Generator, *, do: Do | None = None) -> pd.DataFrame:
        """Draw rows of the model under the intervention ``do``."""
        rows = Draws(self, n, rng)
        rows.set(do or {})
        rows.extend(self.order)
        return rows.to_frame()

    def draw_noise(self, n: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Noise of every column."""
        return {name: self.nodes[name].draw_noise(n, rng) for name in self.order}

    def rows_of(self, noise: Mapping[str, Floats], *, do: Do | None = None) -> pd.DataFrame:
        """Rows with this noise; with ``do``, their counterfactuals.

        Examples
        --------
        >>> from janus_bench.models.random_sem import random_sem
        >>> sem, rng = random_sem(5, seed=0), np.random.default_rng(1)
        >>> noise = sem.draw_noise(3, rng)
        >>> sem.rows_of(noise).equals(sem.rows_of(noise, do={"x0": sem.rows_of(noise)["x0"]}))
        True
        """
        rows = Draws(self, len(next(iter(noise.values()))), np.random.default_rng(), noise=noise)
        rows.set(do or {})
        rows.extend(self.order)
        return rows.to_frame()


@dataclass
class Draws:
    """Partly drawn rows: columns are set or added, rows are dropped; noise that is not given is drawn."""

    sem: Sem
    n: int
    rng: np.random.Generator
    noise: Mapping[str, Floats] = field(default_factory=dict)
    cells: dict[str, Cells] = field(default_factory=dict)
    hidden: dict[str, Floats] = field(default_factory=dict)

    def set(self, do: Do) -> None:
        """Set columns to a value, or to a value per row."""
        for name, value in do.items():
            self.cells[name] = np.full(self.n, value)
            self.hidden[name] = self.sem.nodes[name].seen(self.cells[name])

    def extend(self, names: Iterable[str]) -> None:
        """Add columns whose parents were added before, or come earlier in ``names``."""
        for name in names:
            if name not in self.cells:
                self.add(name, self.sem.nodes[name])

    def add(self, name: str, node: Node) -> None:
        """Add a column whose parents were added before."""
        noise = self.noise[name] if name in self.noise else node.draw_noise(self.n, self.rng)
        self.cells[name], self.hidden[name] = node.cells(self.hidden, noise)

    def keep(self, chosen: Bools) -> None:
        """Keep the chosen rows and drop the others."""
        index = np.flatnonzero(chosen)
        self.n = len(index)
        self.cells = {name: cells[index] for name, cells in self.cells.items()}
        self.hidden = {name: values[index] for name, values in self.hidden.items()}

    def to_frame(self) -> pd.DataFrame:
        """All columns, in the order of the table."""
        import pandas as pd

        return pd.DataFrame({name: self.cells[name] for name in self.sem.nodes})


def _mixed(signal: Signal, share: float, hidden: Mapping[str, Floats], noise: Floats) -> Floats:
    """Sum of signal and noise, where ``share`` is the signal's share of the variance; for a root only noise."""
    if not signal.edges:
        return noise
    return np.asarray(np.sqrt(share) * signal.of(hidden, len(noise)) + np.sqrt(1 - share) * noise)


def _effects(cells: Cells, levels: tuple[str, ...], effects: tuple[float, ...]) -> Floats:
    of_level = dict(zip(levels, effects, strict=True))
    return np.array([of_level[str(cell)] for cell in cells])
