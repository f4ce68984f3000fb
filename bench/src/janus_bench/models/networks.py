"""Random smooth functions as columns of a structural model, with noise that is added or multiplied."""

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
"""Below this no positive f falls: the noise of NADD+ never vanishes."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Neural:
    """A number that is a network of its parents, mixed with normal noise; a root is its noise."""

    parents: tuple[str, ...]
    noise: Noise
    function: Network | None = None

    def draw_noise(self, n: int, rng: np.random.Generator) -> Floats:
        """Standard normal noise."""
        return rng.standard_normal(n)

    def cells(self, hidden: Mapping[str, Floats], noise: Floats) -> tuple[Floats, Floats]:
        """Cells, which the children see as they are."""
        if self.function is None:
            return noise, noise
        inputs = np.column_stack([hidden[name] for name in self.parents])
        found = mixed(self.noise, self.function(inputs), noise)
        return found, found

    def seen(self, cells: Floats) -> Floats:
        """As they are."""
        return np.asarray(cells, dtype=np.float64)


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


def _silu(values: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = values * expit(values)
    return found
