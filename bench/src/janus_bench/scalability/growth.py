"""Sizes and times to the power that joins them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """Slope of log time on log size, by least squares; None where fewer than two sizes were measured.

    Examples
    --------
    >>> round(exponent([5, 10, 30], [10.1, 21.1, 70.4]), 2)
    1.08
    """
    if len(set(sizes)) < 2:
        return None
    x, y = np.log(np.asarray(sizes, dtype=np.float64)), np.log(np.asarray(times, dtype=np.float64))
    x = x - x.mean()
    return float(x @ y / (x @ x))


def last_step(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The same slope over the two largest sizes alone: where a curve bends, it is the better forecast.

    Examples
    --------
    >>> last_step([1, 10, 100], [1.0, 1.0, 100.0])
    2.0
    """
    largest = sorted(set(sizes))[-2:]
    chosen = [(size, time) for size, time in zip(sizes, times, strict=True) if size in largest]
    return exponent([size for size, _ in chosen], [time for _, time in chosen])
