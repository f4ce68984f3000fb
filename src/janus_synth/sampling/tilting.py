"""Means of chosen rows: candidates, counts and wanted means in; which candidates are chosen out.

Rows are chosen with inclusion probabilities ∝ exp(λ·g), where g is how far a cell lies above the wanted mean
(exponential tilting): of all distributions with these means it is the closest to the candidates' own in
Kullback–Leibler divergence. No candidate is chosen twice, so that an inclusion probability is at most 1. Systematic
sampling along λ·g, then a few exchanges, bring the mean of the chosen rows within its tolerance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts

MOST_STEPS = 100
CLOSE = 1e-9
"""Error of a mean, in standard deviations, at which the tilt is found."""
STEEPEST = 200.0
"""Largest tilt per standard deviation."""
LIGHTEST = -500.0
"""Log of the smallest weight, relative to the largest, so that no division overflows."""
MOST_EXCHANGES = 20_000
TRIED = 64
"""Pairs of rows that each exchange is the best of."""


class Tilt(NamedTuple):
    """Inclusion probabilities of candidates, and the tilt that they come from."""

    inclusion: Floats
    slopes: Floats
    """λ, one per mean."""
    error: float
    """Largest distance of a mean from zero, in standard deviations."""
    effective: float
    """Effective sample size of the tilted candidates."""


def tilt(g: Floats, strata: LongInts, counts: Floats | LongInts) -> Tilt:
    """Find the tilt whose means are zero.

    Parameters
    ----------
    g : array of float
        (means, candidates): how far each cell lies above the wanted mean, 0 where it is null.
    strata : array of int
        Stratum of each candidate.
    counts : array of float
        Expected number of rows from each stratum; a few of many candidates, or whole numbers to choose.

    Returns
    -------
    Tilt
        Its error is large if the means are out of reach.

    Examples
    --------
    >>> found = tilt(np.array([[-1.0, 0.0, 1.0, 2.0]]), np.zeros(4, int), np.array([2]))
    >>> round(float(found.inclusion @ [-1, 0, 1, 2]), 6), round(float(found.inclusion.sum()), 6)
    (0.0, 2.0)
    """
    scale = np.maximum(g.std(axis=1), 1e-300)
    z = g / scale[:, None]
    slopes, n = np.zeros(len(g)), max(float(counts.sum()), 1e-300)
    inclusion = _inclusion(slopes @ z, strata, counts)
    error = z @ inclusion / n
    for _ in range(MOST_STEPS):
        if np.abs(error).max(initial=0.0) < CLOSE:
            break
        step = _newton_step(z, inclusion, strata, counts, error * n)
        for shrink in 0.5 ** np.arange(12):
            tried = np.clip(slopes - shrink * step, -STEEPEST, STEEPEST)
            new = _inclusion(tried @ z, strata, counts)
            if np.linalg.norm(z @ new / n) < np.linalg.norm(error):
                break
        else:
            break
        slopes, inclusion, error = tried, new, z @ new / n
    return Tilt(
        inclusion, slopes / scale, float(np.abs(error).max(initial=0.0)), _effective(slopes @ z, strata, counts)
    )


def _inclusion(log_weight: Floats, strata: LongInts, counts: Floats | LongInts) -> Floats:
    """Inclusion probabilities min(1, c · weight) that add up to each stratum's count."""
    inclusion = np.zeros(len(log_weight))
    for stratum in np.flatnonzero(counts):
        at = np.flatnonzero(strata == stratum)
        weight = np.exp(np.maximum(log_weight[at] - log_weight[at].max(), LIGHTEST))
        inclusion[at] = _capped(weight, float(counts[stratum]))
    return inclusion


def _capped(weight: Floats, count: float) -> Floats:
    """Probabilities min(1, c · weight) that add up to a count of at most as many rows as there are."""
    order = np.argsort(-weight, kind="stable")
    heavy = weight[order]
    from_here_on = np.cumsum(heavy[::-1])[::-1]
    factor = (count - np.arange(len(heavy))) / from_here_on
    enough = np.flatnonzero(~(factor * heavy > 1.0))  # first row that is not certain
    first = int(enough[0]) if len(enough) else len(heavy)
    found = np.ones(len(heavy))
    if first < len(heavy):
        found[first:] = factor[first] * heavy[first:]
    out = np.empty(len(heavy))
    out[order] = np.clip(found, 0.0, 1.0)
    return out


def _newton_step(z: Floats, inclusion: Floats, strata: LongInts, counts: Floats | LongInts, error: Floats) -> Floats:
    """Step of Newton's method: the covariance of the means within strata, rows that are certain left out."""
    weight = np.where(inclusion < 1.0, inclusion, 0.0)
    total = np.maximum(np.bincount(strata, weight, minlength=len(counts)), 1e-300)
    centred = z - np.stack([(np.bincount(strata, weight * one, minlength=len(counts)) / total)[strata] for one in z])
    covariance = (centred * weight) @ centred.T
    ridge = 1e-9 * max(float(np.trace(covariance)), 1e-12)
    return np.asarray(np.linalg.solve(covariance + ridge * np.eye(len(z)), error))


def _effective(log_weight: Floats, strata: LongInts, counts: Floats | LongInts) -> float:
    """Effective sample size of all candidates under weights whose sums over strata are in proportion to the counts."""
    weight = np.zeros(len(log_weight))
    for stratum in np.flatnonzero(counts):
        at = np.flatnonzero(strata == stratum)
        part = np.exp(log_weight[at] - log_weight[at].max())
        weight[at] = counts[stratum] * part / part.sum()
    return float(weight.sum() ** 2 / max(float(weight @ weight), 1e-300))


def choose_rows(found: Tilt, g: Floats, strata: LongInts, counts: LongInts, rng: np.random.Generator) -> Bools:
    """Choose candidates by systematic sampling within each stratum, along the tilt so that the means vary little."""
    chosen = np.zeros(len(strata), bool)
    along = found.slopes @ g if found.slopes.any() else g[0]
    for stratum in np.flatnonzero(counts):
        at = np.flatnonzero(strata == stratum)
        at = at[np.lexsort((rng.random(len(at)), along[at]))]
        ends = np.cumsum(found.inclusion[at])
        ends *= counts[stratum] / ends[-1]
        picked = np.searchsorted(ends, rng.random() + np.arange(counts[stratum]), side="right")
        chosen[at[_distinct(np.minimum(picked, len(at) - 1), len(at))]] = True
    return chosen


def _distinct(picked: LongInts, n: int) -> LongInts:
    """The same ascending positions, a repeated one moved to the next that is free; rounding can repeat one."""
    if len(np.unique(picked)) == len(picked):
        return picked
    taken = np.zeros(n, bool)
    taken[picked] = True
    free = np.flatnonzero(~taken)
    return np.concatenate([np.flatnonzero(taken), free[: len(picked) - int(taken.sum())]])


def exchange_rows(
    chosen: Bools, g: Floats, present: Bools, strata: LongInts, limits: Floats, rng: np.random.Generator
) -> Bools:
    """Exchange chosen rows for others of the same stratum until every mean lies within its limit, as far as possible.

    ``present`` (means, candidates) says which cells are not null; ``limits`` are the largest errors of the means. Each
    exchange is the best of a few random pairs, so that no more rows are exchanged than needed.
    """
    chosen = chosen.copy()
    inside = {int(s): np.flatnonzero(chosen & (strata == s)) for s in np.unique(strata[chosen])}
    outside = {s: np.flatnonzero(~chosen & (strata == s)) for s in inside}
    able = [s for s in inside if len(outside[s])]
    if not able:
        return chosen
    size = np.array([len(inside[s]) for s in able], float)
    sums, rows = (g * chosen).sum(axis=1), (present & chosen).sum(axis=1)
    for _ in range(MOST_EXCHANGES):
        excess = _excess(sums[:, None], rows[:, None], limits)[0]
        if excess <= 1.0:
            break
        s = able[rng.choice(len(able), p=size / size.sum())]
        i, j = rng.integers(len(inside[s]), size=TRIED), rng.integers(len(outside[s]), size=TRIED)
        old, new = inside[s][i], outside[s][j]
        tried_sums = sums[:, None] - g[:, old] + g[:, new]
        tried_rows = rows[:, None] - present[:, old] + present[:, new].astype(int)
        score = _excess(tried_sums, tried_rows, limits)
        best = int(np.argmin(score))
        if score[best] >= excess:
            continue
        sums, rows = tried_sums[:, best], tried_rows[:, best]
        inside[s][i[best]], outside[s][j[best]] = new[best], old[best]
        chosen[old[best]], chosen[new[best]] = False, True
    return chosen


def _excess(sums: Floats, rows: LongInts, limits: Floats) -> Floats:
    """Largest error of a mean over its limit, for several choices (means, choices)."""
    return np.asarray((np.abs(sums) / np.maximum(rows, 1) / limits[:, None]).max(axis=0))
