"""How likely a relation is by chance: the control of false discoveries, shared by all kinds.

A candidate is a statement about one row, such as ``a + b == c``. Its null hypothesis is that one of its columns has
nothing to do with the others. Permuting that column shows the share q of rows that keep the statement by chance; the
largest share over its columns counts. All but k of n rows then keep it with probability P(Bin(n, 1 − q) ≤ k). A kind
that tried m candidates reports only those for which m times this probability is below ``FALSE_RELATIONS``, so the
expected number of false relations per table is at most that, for each kind (Bonferroni).

The number of candidates includes those of coefficients and constants that the data chose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Array, Bools, Floats, LongInts

FALSE_RELATIONS = 1e-4
"""Expected number of false relations of each kind per table, at most."""
MIN_ROWS = 20
"""Rows that a relation must apply to, whatever the probability."""
PERMUTED_ROWS = 20_000
"""Rows on which the share by chance is measured, per column."""
MAX_PERMUTED = 2_000
"""Rows of one permutation."""

Statement = Callable[[Mapping[str, Array]], Bools]
"""Arrays of some columns in, whether each row keeps the statement out."""


def is_credible(log_probability: float, log_candidates: float) -> bool:
    """Whether a relation of this log-probability is more than chance, among so many candidates."""
    return log_probability + log_candidates < math.log(FALSE_RELATIONS)


def log_tail(n_rows: int, exceptions: int, share: float) -> float:
    """Log-probability that at most ``exceptions`` of the rows break a statement that a share of rows keeps by chance.

    Examples
    --------
    >>> round(math.exp(log_tail(10, 0, 0.5)) * 1024)
    1
    """
    from scipy.special import bdtr

    if share >= 1.0:
        return 0.0
    if exceptions == 0:
        return n_rows * math.log(share)
    tail = float(bdtr(exceptions, n_rows, 1.0 - share))
    return math.log(tail) if tail > 0 else -math.inf


def chance_share(statement: Statement, arrays: Mapping[str, Array], random: np.random.Generator) -> float:
    """Return the share of rows that keep a statement when one of its columns is permuted; the largest over columns."""
    n_rows = len(next(iter(arrays.values())))
    if n_rows > MAX_PERMUTED:
        arrays, n_rows = {name: array[:MAX_PERMUTED] for name, array in arrays.items()}, MAX_PERMUTED
    n_times = max(1, min(n_rows - 1, PERMUTED_ROWS // n_rows))
    return max(_permuted_share(statement, arrays, name, n_times, random) for name in arrays)


def _permuted_share(
    statement: Statement, arrays: Mapping[str, Array], name: str, n_times: int, random: np.random.Generator
) -> float:
    """Upper confidence bound (three standard errors) of the share with one column permuted."""
    order = random.permutation(len(arrays[name]))
    shifts = random.permutation(len(order))[:n_times]
    twice = np.concatenate([order, order])
    turned = twice[(len(order) - shifts)[:, None] + np.arange(len(order))]  # each row begins at another place
    cells = {other: np.tile(array, n_times) for other, array in arrays.items() if other != name}
    hits = int(statement({**cells, name: arrays[name][turned.ravel()]}).sum())
    tried = n_times * len(order)
    return min(1.0, (hits + 3.0 * math.sqrt(hits) + 3.0) / tried)


def log_unmoved(values: Floats, slack: float = 0.0) -> float:
    """Log-probability that a random permutation leaves a column as it is: Π n_v! / n! for values v of n_v rows.

    Values that lie within ``slack`` of one another count as equal.

    Examples
    --------
    >>> round(1 / math.exp(log_unmoved(np.array([0.0, 0.0, 0.0, 5.0, 7.0]))))
    20
    """
    from scipy.special import gammaln

    starts = np.flatnonzero(np.diff(np.sort(values)) > slack) + 1
    sizes = np.diff(np.concatenate([[0], starts, [len(values)]]))
    return float(gammaln(sizes + 1.0).sum() - gammaln(len(values) + 1.0))


def log_constant_groups(sizes: LongInts, shares: Sequence[float] | Array) -> float:
    """Log-probability that independent draws are constant within each group: Σ_g log Σ_v q_v^{n_g}.

    Examples
    --------
    >>> round(log_constant_groups(np.array([1, 3]), [0.5, 0.5]) / math.log(2))
    -2
    """
    found, counts = np.unique(np.asarray(sizes), return_counts=True)
    logs = np.log(np.asarray(shares, dtype=np.float64))
    scaled = found[:, None].astype(np.float64) * logs[None, :]
    top = scaled.max(axis=1)
    each = top + np.log(np.exp(scaled - top[:, None]).sum(axis=1))
    return float((counts * each).sum())


def log_choices(n: int, k: int) -> float:
    """Log of the number of ways to choose k of n."""
    from scipy.special import gammaln

    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
