"""How well rows determine a surface: its splines at rows, weights and penalties in, a factor of its covariance out.

Splines with penalties are a Bayesian linear model. With rows Φ, weights w and prior precision S the coefficients have
the covariance Σ = (Φᵀ diag(w) Φ + S)⁻¹, and the surface has the variance φᵀ Σ φ at φ. Most of it lies in a few
directions: a factor R with a row for each of them, RᵀR ≈ Σ, is small enough to be kept, gives the variance as |R φ|²,
and draws of the coefficients as their mean plus Rᵀ ξ with standard normal ξ.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats

MOST_ROWS = 4096
"""Rows that stand for all, every k-th."""
MOST_DIRECTIONS = 48
"""Directions that are kept at most,"""
SHARE = 0.995
"""and the share of the variance at the rows that fewer must have."""


def covariance_factor(splines: Floats, weight: Floats, prior: Floats) -> Floats:
    """(directions, coefficients) factor R of the posterior covariance of coefficients.

    Parameters
    ----------
    splines : array (n, k)
        Values of all splines at the rows.
    weight : array (n,)
        Precision of each row.
    prior : array (k, k)
        Prior precision of the coefficients.

    Examples
    --------
    >>> x = np.column_stack([np.ones(4), [-1.0, 0.0, 1.0, 2.0]])
    >>> factor = covariance_factor(x, np.full(4, 2.0), 0.5 * np.eye(2))
    >>> np.allclose(factor.T @ factor, np.linalg.inv(2 * x.T @ x + 0.5 * np.eye(2)))
    True
    """
    from scipy.linalg import eigh, solve_triangular

    gram = splines.T @ splines / len(splines)
    lower = np.linalg.cholesky((splines * weight[:, None]).T @ splines + prior)
    inverse = solve_triangular(lower, np.eye(len(lower)), lower=True)
    k = len(lower)
    kept = min(k, MOST_DIRECTIONS)
    values, vectors = eigh(inverse @ gram @ inverse.T, subset_by_index=[k - kept, k - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    total = float(np.einsum("ij,ij->", inverse @ gram, inverse))
    if k > kept:
        kept = min(kept, int(np.searchsorted(np.cumsum(values), SHARE * total)) + 1)
    return np.ascontiguousarray(vectors[:, :kept].T @ inverse)
