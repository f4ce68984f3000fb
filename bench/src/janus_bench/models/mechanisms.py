"""Effects of a cause (functions of standardised values), and distributions of standardised noise.

Every mechanism takes a cause of mean 0 and variance 1; the node that adds several of them standardises the sum. Every
noise has mean 0 and variance 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from janus_synth.arrays import Floats

Mechanism = Callable[[Floats], Floats]
Noise = Callable[[np.random.Generator, int], Floats]

FAR = 4.0
"""`quadratic` clips its input here: repeated squares of heavy tails would otherwise let a single row dominate."""
DEAD = 0.6
"""`dead_zone` has no effect if the cause is smaller than this in absolute value."""


def linear(z: Floats) -> Floats:
    """The cause itself."""
    return z


def tanh(z: Floats) -> Floats:
    """A sigmoid, which saturates on both sides."""
    return np.tanh(1.5 * z)


def quadratic(z: Floats) -> Floats:
    """A parabola: both extremes have the same effect, so cause and effect are barely correlated."""
    return np.square(np.clip(z, -FAR, FAR))


def sine(z: Floats) -> Floats:
    """A wave, about one and a half periods over the bulk of the cause."""
    return np.sin(2.0 * z)


def arcsine(z: Floats) -> Floats:
    """Steep at the ends of [−2, 2], flat beyond them: the slope jumps from infinity to zero."""
    return np.arcsin(np.clip(0.5 * z, -1.0, 1.0))


def dead_zone(z: Floats) -> Floats:
    """Zero while the cause is in [−DEAD, DEAD], linear outside."""
    return z - np.clip(z, -DEAD, DEAD)


def beta_flux(z: Floats) -> Floats:
    """An asymmetric smooth saturation: the distribution function of Beta(2, 5) at the logistic of the cause.

    The paper names the mechanism but gives no formula; this is ours. It rises where the cause is negative and is
    flat where it is positive: I_u(2, 5) = 1 − (1 − u)⁵ (1 + 5u) with u = 1 / (1 + exp(−1.7 z)).
    """
    u = 1.0 / (1.0 + np.exp(-1.7 * z))
    return 1.0 - (1.0 - u) ** 5 * (1.0 + 5.0 * u)


MECHANISMS: Mapping[str, Mechanism] = {
    "linear": linear,
    "tanh": tanh,
    "quadratic": quadratic,
    "sine": sine,
    "arcsine": arcsine,
    "dead-zone": dead_zone,
    "beta-flux": beta_flux,
}
"""Mechanisms by the paper's names."""


def gaussian(rng: np.random.Generator, n: int) -> Floats:
    """Normal noise."""
    return rng.standard_normal(n)


def student(rng: np.random.Generator, n: int) -> Floats:
    """Student's t with 5 degrees of freedom, whose variance is 5 / 3."""
    return np.asarray(rng.standard_t(5, n) * np.sqrt(3 / 5))


def laplace(rng: np.random.Generator, n: int) -> Floats:
    """Laplace noise, whose variance is 2."""
    return np.asarray(rng.laplace(size=n) / np.sqrt(2))


def beta(rng: np.random.Generator, n: int) -> Floats:
    """Beta(2, 5): bounded and skewed, mean 2 / 7, variance 10 / (49 · 8)."""
    return np.asarray((rng.beta(2.0, 5.0, n) - 2 / 7) / np.sqrt(10 / 392))


NOISES: Mapping[str, Noise] = {"gaussian": gaussian, "student-t": student, "laplace": laplace, "beta": beta}
"""Noises by name."""
