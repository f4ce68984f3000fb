"""Penalised splines: places between 0 and 1 in, values of cubic B-splines and matrices of their roughness out.

The splines have evenly spaced knots. Roughness is the sum of squared second differences of the coefficients (Eilers and
Marx, 1996, "Flexible smoothing with B-splines and penalties"): what it does not shrink is a straight line.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from janus_synth.arrays import Floats

DEGREE = 3


def spline_values(place: Floats, n_intervals: int) -> Floats:
    """(places, n_intervals + 3) values of cubic B-splines over equal intervals of [0, 1]; each row sums to 1.

    Examples
    --------
    >>> spline_values(np.array([0.0, 1.0]), 1).round(3)
    array([[0.167, 0.667, 0.167, 0.   ],
           [0.   , 0.167, 0.667, 0.167]])
    """
    at = np.clip(place, 0.0, 1.0) * n_intervals
    first = np.minimum(at.astype(int), n_intervals - 1)
    t = at - first
    four = np.stack([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, 3 * (t + t**2 - t**3) + 1, t**3]) / 6
    out = np.zeros((len(place), n_intervals + DEGREE))
    for i, part in enumerate(four):
        out[np.arange(len(place)), first + i] = part
    return out


@cache
def roughness(n: int) -> Floats:
    """(n, n) matrix of the sum of squared second differences of n coefficients."""
    second = np.diff(np.eye(n), 2, axis=0)
    return np.asarray(second.T @ second)


@cache
def roughness_values(n: int) -> Floats:
    """(n,) eigenvalues of `roughness`, ascending; those of straight lines are exactly 0."""
    values = np.linalg.eigvalsh(roughness(n))
    values[:2] = 0.0
    return np.asarray(values)


@cache
def tilt(n: int) -> Floats:
    """(n, n) projection on what roughness leaves open but a constant: the slope of n coefficients."""
    slope = np.linspace(-1.0, 1.0, n)
    return np.outer(slope, slope) / (slope @ slope)


@cache
def tensor_roughness(n: int) -> tuple[Floats, Floats]:
    """(n², n²) roughness of a product of two splines along the first and along the second."""
    along, across = np.kron(roughness(n), np.eye(n)), np.kron(np.eye(n), roughness(n))
    return np.asarray(along, float), np.asarray(across, float)
