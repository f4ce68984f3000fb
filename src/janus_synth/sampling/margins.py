"""Tables of counts with given margins: a joint distribution and shares in, whole numbers of rows out.

Every cell of the joint distribution belongs to one category of each axis. ``fit_margins`` scales the cells so that the
categories have their shares and nothing else about the joint distribution changes (iterative proportional fitting,
Deming & Stephan 1940: the distribution with these margins that is closest in Kullback–Leibler divergence).
``round_counts`` turns expected numbers of rows into whole ones that keep the margins (controlled rounding).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import InfeasibleError

MOST_ROUNDS = 5_000
CLOSE = 1e-10
"""Largest error of a margin at which fitting stops."""
CLOSE_ENOUGH = 1e-4
"""Largest error of a margin, as a share of all rows, that rounding may correct: convergence is slow where a cell must
become empty."""


def largest_remainder(shares: Floats, n: int) -> LongInts:
    """Numbers of rows that add up to ``n``, each within one of its share.

    Examples
    --------
    >>> largest_remainder(np.array([0.3, 0.7]), 5), largest_remainder(np.array([1.0, 1.0, 1.0]) / 3, 100)
    (array([2, 3]), array([34, 33, 33]))
    """
    exact = np.round(np.asarray(shares, float) * n, 9)
    counts = np.floor(exact).astype(np.int64)
    missing = n - int(counts.sum())
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[:missing]] += 1
    return counts


def fit_margins(joint: Floats, members: Sequence[LongInts], margins: Sequence[Floats]) -> Floats:
    """Scale a joint distribution until it has the given margins.

    Parameters
    ----------
    joint : array of float
        Probability of each cell, up to a factor.
    members : sequence of array of int
        For each axis, the category of each cell.
    margins : sequence of array of float
        For each axis, the share of each category; they add up to 1.

    Returns
    -------
    array of float
        Probability of each cell; it adds up to 1. The margins may be off by as much as ``margin_errors`` tells.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> fitted = fit_margins(np.array([4.0, 1.0, 1.0, 4.0]), [rows, columns], [np.array([0.5, 0.5])] * 2)
    >>> fitted.round(3)
    array([0.4, 0.1, 0.1, 0.4])
    """
    fitted = np.asarray(joint, float) / max(float(np.sum(joint)), 1e-300)
    for _ in range(MOST_ROUNDS):
        for category, shares in zip(members, margins, strict=True):
            found = np.bincount(category, fitted, minlength=len(shares))
            factor = np.divide(shares, found, out=np.zeros(len(shares)), where=found > 0)
            fitted = fitted * factor[category]
        if max(float(np.abs(gap).max()) for gap in margin_errors(fitted, members, margins)) < CLOSE:
            break
    return fitted


def margin_errors(fitted: Floats, members: Sequence[LongInts], margins: Sequence[Floats]) -> list[Floats]:
    """For each axis, by how much the share of each category differs from the one it should have."""
    return [
        np.bincount(category, fitted, minlength=len(shares)) - shares
        for category, shares in zip(members, margins, strict=True)
    ]


def round_counts(
    expected: Floats, members: Sequence[LongInts], counts: Sequence[LongInts], rng: np.random.Generator
) -> LongInts:
    """Whole numbers of rows near the expected ones, with exact margins.

    Each cell is rounded up or down, up with about the probability of its remainder, so that many small cells are not
    all rounded down. Where no such table has the margins, which can happen from three axes on, cells move further.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> margins = [np.array([3, 2]), np.array([3, 2])]
    >>> made = round_counts(np.array([2.2, 0.8, 0.8, 1.2]), [rows, columns], margins, np.random.default_rng(0))
    >>> np.bincount(rows, made), np.bincount(columns, made)
    (array([3., 2.]), array([3., 2.]))
    """
    if len(members) == 1 and len(np.unique(members[0])) == len(expected):
        return np.asarray(counts[0][members[0]], np.int64)
    base = np.floor(expected + 1e-9).astype(np.int64)
    part = np.clip(expected - base, 1e-6, 1 - 1e-6)
    noise = rng.logistic(size=len(part))  # alone, a cell would be rounded up with the probability of its remainder
    gain = np.log(part) - np.log1p(-part) + noise
    missing = [
        counts[axis] - np.bincount(category, base, minlength=len(counts[axis])).astype(np.int64)
        for axis, category in enumerate(members)
    ]
    up = _solve(-gain, members, missing, low=np.zeros(len(base)), high=np.ones(len(base)))
    if up is None:
        up = _move_further(part, members, missing, base)
    return base + up


def _move_further(part: Floats, members: Sequence[LongInts], missing: Sequence[LongInts], base: LongInts) -> LongInts:
    """Change of each cell, by any number of rows: the sum of the changes up and down is least."""
    n = len(base)
    both = [np.concatenate([category, category]) for category in members]
    high = np.concatenate([np.full(n, float(base.sum() + n)), base.astype(float)])
    cost = np.concatenate([1.0 - part, 1.0 + part])
    signs = np.concatenate([np.ones(n), -np.ones(n)])
    moved = _solve(cost, both, missing, low=np.zeros(2 * n), high=high, signs=signs)
    if moved is None:
        raise InfeasibleError(
            "no whole numbers of rows have these shares: some combinations of the categories never occur together. Ask "
            "for joint shares of the columns instead, or for fewer shares at once."
        )
    return moved[:n] - moved[n:]


def _solve(
    cost: Floats,
    members: Sequence[LongInts],
    sums: Sequence[LongInts],
    *,
    low: Floats,
    high: Floats,
    signs: Floats | None = None,
) -> LongInts | None:
    """Whole numbers of least cost whose sums over each axis's categories are given; None if there are none."""
    from scipy import optimize, sparse

    n, weight = len(cost), np.ones(len(cost)) if signs is None else signs
    rows: list[Any] = [
        sparse.csr_array((weight, (category, np.arange(n))), shape=(len(total), n))
        for category, total in zip(members, sums, strict=True)
    ]
    total = np.concatenate(list(sums)).astype(float)
    found = optimize.milp(
        cost,
        integrality=np.ones(n),
        bounds=optimize.Bounds(low, high),
        constraints=optimize.LinearConstraint(sparse.vstack(rows).tocsr(), total, total),
        options={"mip_rel_gap": 0.01},
    )
    return None if found.x is None else np.round(found.x).astype(np.int64)
