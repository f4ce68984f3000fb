"""Structural equations that are random neural networks: parents and noise in, a column out.

Noise is added (NLIN) or multiplied (NADD, NADD+; the latter with a positive signal).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from janus_synth.arrays import Floats

Noise = Literal["NLIN", "NADD", "NADD+"]

N_HIDDEN = 16
SIGMA = 0.1
LEAST = 0.5
"""Lower bound of the signal of NADD+, so that its multiplicative noise never vanishes."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer of SiLU units and standardised inputs and output."""

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
        """Draw random weights; ``inputs`` are the rows whose means and spreads standardise inputs and output."""
        p = inputs.shape[1]
        # Larger than the usual initial weights, so that functions are nonlinear within the range of the data.
        weights = rng.normal(0, 2 / np.sqrt(p), (p, N_HIDDEN)), rng.normal(0, 1, N_HIDDEN), rng.normal(0, 1, N_HIDDEN)
        scale = inputs.mean(axis=0), inputs.std(axis=0)
        raw = cls(*weights, *scale)(inputs)
        return cls(*weights, *scale, mean=float(raw.mean()), deviation=float(raw.std()))


@dataclass(frozen=True, slots=True, eq=False)
class Neural:
    """A numeric column: a network of its parents combined with normal noise; a root is its noise."""

    parents: tuple[str, ...]
    noise: Noise
    function: Network | None = None

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Standard normal noise."""
        return rng.standard_normal(n)

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Floats, Floats]:
        """Cells; children use them unchanged."""
        if self.function is None:
            return noise, noise
        inputs = np.column_stack([hidden[name] for name in self.parents])
        found = mixed(self.noise, self.function(inputs), noise)
        return found, found

    def seen(self, cells: Floats) -> Floats:
        """The cells, unchanged."""
        return np.asarray(cells, dtype=np.float64)


def mixed(kind: Noise, signal: Floats, noise: Floats) -> Floats:
    """Combine the signal of a column's parents with its noise.

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


def _silu(values: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = values * expit(values)
    return found
