"""Quantiles and tails of distributions for intervals and tests: numbers in, numbers out.

They are special functions. Importing ``scipy.stats`` for them would take three times as long, and all of it in the
first call of a question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ALIKE = 1e-7
"""Relative difference up to which two tables count as equally likely."""


def half_width(level: float, freedom: float = np.inf) -> float:
    """Half width of an interval in standard errors: a quantile of Student's t, or of the normal distribution.

    Examples
    --------
    >>> round(half_width(0.95), 3), round(half_width(0.95, 7), 3)
    (1.96, 2.365)
    """
    from scipy.special import ndtri, stdtrit

    upper = 0.5 + level / 2
    return float(ndtri(upper) if np.isinf(freedom) else stdtrit(freedom, upper))


def binomial_tails(n_successes: int, n: int, share: float) -> tuple[float, float]:
    """Probability of at least, and of at most, so many successes among ``n``.

    Examples
    --------
    >>> binomial_tails(1, 2, 0.5)
    (0.75, 0.75)
    """
    from scipy.special import bdtr, bdtrc

    at_least = bdtrc(n_successes - 1, n, share) if n_successes > 0 else 1.0
    return float(at_least), float(bdtr(n_successes, n, share))


def fisher_p_value(counts: Sequence[Sequence[int]]) -> float:
    """Two-sided p-value of Fisher's exact test of a table of two rows and two columns.

    Examples
    --------
    >>> round(fisher_p_value([[8, 2], [1, 5]]), 4)
    0.035
    """
    from scipy.special import gammaln

    (a, b), (c, d) = counts
    first, second, drawn = a + b, c + d, a + c
    some = np.arange(max(0, drawn - second), min(first, drawn) + 1)
    log_share = -sum(gammaln(part + 1.0) for part in (some, first - some, drawn - some, second - drawn + some))
    share = np.exp(log_share - log_share.max())
    return min(float(share[share <= share[a - some[0]] * (1 + ALIKE)].sum() / share.sum()), 1.0)
