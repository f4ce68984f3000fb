"""Scales of a numeric treatment: doses in, the scales along which their curve may be even out.

Curves of skewed doses tend to bend where doses are dense and to level off in the long tail (dose and response, income,
counts). A prior with one variance everywhere smooths such a curve too much at one end and too little at the other;
along a logarithm it suits both. Which scale is right, the likelihood of the outcome tells (`dose_response`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from janus_synth.arrays import Floats

Scale = Callable[[Floats], Floats]
ENDS = (0.05, 0.5, 0.95)
"""Quantiles that the logarithm makes symmetric."""
SKEWED = 1.5
"""Ratio of the distances of the outer quantiles from the middle above which doses are skewed; of a normal, 1."""


def dose_scales(doses: Floats) -> list[Scale]:
    """The doses' own scale, and if they are skewed a logarithm of them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> len(dose_scales(rng.normal(size=500))), len(dose_scales(rng.lognormal(size=500)))
    (1, 2)
    """
    low, middle, high = np.quantile(doses, ENDS)
    below, above = middle - low, high - middle
    if min(below, above) <= 0 or max(below, above) <= SKEWED * min(below, above):
        return [np.asarray]
    return [np.asarray, _logarithm(low, middle, high) if above > below else _mirrored(-high, -middle, -low)]


def _logarithm(low: float, middle: float, high: float) -> Scale:
    """log(t + c) with (low + c)(high + c) = (middle + c)²; below ``low`` its tangent."""
    shift = (middle**2 - low * high) / (low + high - 2 * middle)
    start = low + shift

    def scale(doses: Floats) -> Floats:
        shifted = np.asarray(doses) + shift
        tangent = np.log(start) + (shifted - start) / start
        return np.where(shifted < start, tangent, np.log(np.maximum(shifted, start)))

    return scale


def _mirrored(low: float, middle: float, high: float) -> Scale:
    inner = _logarithm(low, middle, high)
    return lambda doses: -inner(-np.asarray(doses))
