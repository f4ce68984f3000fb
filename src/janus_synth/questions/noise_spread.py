"""Spread of an outcome's noise along a treatment and covariates: residuals in, standard deviations row by row out.

Where noise grows with the dose, a regression that weighs all rows alike follows noise at one end and smooths a kink
away at the other, and one smoothing parameter suits neither. The spread is taken to be a product,
log σ(t, x) = a(t) + b(x), fitted to the logarithms of absolute residuals (Davidian and Carroll 1987) with the normal
priors of the curve itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.questions.mixed_regression import fit_mixed

SMALLEST_RESIDUAL = 0.05
"""Residuals below this times the median count as that large: their logarithms say little about the spread."""
FARTHEST = 2.0
"""Bound on |log σ|, a factor of 7 either way."""
CLEAR_GAIN = 10.0
"""Akaike's criterion must improve by this for the spread to vary. Then rows of even noise keep equal weights."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of the noise, up to a factor.

    Attributes
    ----------
    by_row : array (n,)
        Of each row.
    of_doses : callable
        The part that depends on the dose.
    gain : float
        By how much Akaike's criterion prefers it to an even spread.
    """

    by_row: Floats
    of_doses: Callable[[Floats], Floats]
    gain: float

    @property
    def is_clear(self) -> bool:
        """Whether the rows clearly show that the spread varies."""
        return self.gain > CLEAR_GAIN

    @property
    def weights(self) -> Floats:
        """Weights 1 / σ² with mean 1."""
        weights = self.by_row**-2.0
        return np.asarray(weights / weights.mean())


def fit_spread(
    basis: Callable[[Floats], Floats], doses: Floats, groups: LongInts, covariates: Floats, residual: Floats
) -> Spread:
    """Fit the spread of residuals.

    Parameters
    ----------
    basis : callable
        Values (n, p) of functions of the doses.
    doses : array (n,)
        Treatment of each row.
    groups : array (p,) of int
        Variance component of each function; 0 is free.
    covariates : array (n, q)
        Columns that the spread may depend on, which share one more component.
    residual : array (n,)
        Residuals of the outcome.
    """
    sizes = np.abs(residual)
    logs = np.log(np.maximum(sizes, SMALLEST_RESIDUAL * max(float(np.median(sizes)), 1e-300)))
    logs -= logs.mean()
    phi = basis(doses)
    centre, p = phi.mean(axis=0), phi.shape[1]
    z = np.column_stack([phi - centre, covariates - covariates.mean(axis=0)])
    fit = fit_mixed(z, logs, np.append(groups, np.full(covariates.shape[1], groups.max() + 1)))
    fitted = z @ fit.coefficients

    def of_doses(some: Floats) -> Floats:
        return np.asarray(np.exp(np.clip((basis(some) - centre) @ fit.coefficients[:p], -FARTHEST, FARTHEST)))

    total, rest = float(logs @ logs), float(np.sum((logs - fitted) ** 2))
    gain = len(logs) * float(np.log(max(total, 1e-300) / max(rest, 1e-300))) - 2 * fit.freedom
    return Spread(np.exp(np.clip(fitted, -FARTHEST, FARTHEST)), of_doses, gain)
