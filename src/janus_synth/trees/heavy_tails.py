"""Robust regression: residuals of least squares in; weights of rows that keep far rows from bending the line out.

Where most rows follow a line closely and some are far from it, as bills that mostly grow by a little and are sometimes
paid off, least squares is a compromise that few rows follow. Such residuals are closer to a Cauchy distribution than to
a normal one. It is a normal distribution with a random precision for each row, so that its likeliest line is one of
weighted least squares, with the rows' expected precisions as weights (expectation and maximisation).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi

import numpy as np

from janus_synth.arrays import Floats

LEAST_GAIN = 0.05
"""Nats per row by which the Cauchy distribution must raise the log likelihood of the residuals."""
ROUNDS = 12
"""Rounds of expectation and maximisation."""
NORMAL_SPREAD = 0.6745
"""Median of |r| of a standard normal r."""


def weights_of_rows(residual: Floats, fit: Callable[[Floats], tuple[Floats, float]]) -> Floats | None:
    """Weights under which least squares is the likeliest regression with Cauchy residuals; None if normal ones do.

    Parameters
    ----------
    residual : array of float
        Residuals of plain least squares.
    fit : callable
        Weights in; residuals of the weighted regression and their weighted root mean square out.

    Examples
    --------
    >>> z = np.array([0.0, 0.1, -0.1, 0.2, -0.2, 50.0])
    >>> def fit(w):
    ...     r = z - np.average(z, weights=w)
    ...     return r, np.sqrt(np.mean(w * r**2))
    >>> weights_of_rows(z - z.mean(), fit).round(1)
    array([2. , 1.5, 1.4, 0.8, 0.8, 0. ])
    """
    deviation = float(residual.std()) if len(residual) else 0.0
    spread = float(np.median(np.abs(residual))) / NORMAL_SPREAD if deviation > 0 else 0.0
    if not spread > 0.0:
        return None
    normal = -0.5 - 0.5 * log(2 * pi) - log(deviation)
    for _ in range(ROUNDS):
        residual, spread = fit(expected_precisions(residual, spread))
        if not spread > 0.0:
            return None
    cauchy = -log(pi) - log(spread) - float(np.log1p((residual / spread) ** 2).mean())
    return expected_precisions(residual, spread) if cauchy > normal + LEAST_GAIN else None


def expected_precisions(residual: Floats, spread: float) -> Floats:
    """Expected precision of each row, relative to that of ``spread``."""
    return np.asarray(2.0 / (1.0 + (residual / spread) ** 2))
