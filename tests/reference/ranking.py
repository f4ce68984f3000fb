"""Reference for the ranking kernels: explicit distributions row by row, and positions by exhaustive search."""

from __future__ import annotations

import numpy as np

from reference.walking import below


def below_all(lines, cumulative, apart, cdf, steps, leaves, scores, surface, lined, r):
    """(nodes,) probability below every even share of every present code, null aside."""
    n_steps = steps.shape[1] - 1
    shares = np.diff(cdf[leaves[r]].astype(float), axis=1, prepend=0.0).mean(axis=0)[:-1]
    codes = np.repeat(np.arange(len(shares)), n_steps)
    along = np.tile(np.arange(n_steps) / n_steps, len(shares))
    if not lined[r]:
        before = np.concatenate([[0.0], np.cumsum(shares)])
        return np.append(before[codes] + along * shares[codes], before[-1])
    _, _, coef, spread, low, high, _, bend = lines
    own = coef[leaves[r]]
    clipped = np.clip(scores[:, r], low[leaves[r]], high[leaves[r]])
    centre, width = (own[:, -1] + (own[:, :-1] * clipped).sum(axis=1)).mean(), spread[leaves[r]].mean()
    centre, width = surface[0, r] + surface[1, r] * centre, surface[1, r] * width
    off = np.where(np.isin(np.arange(len(shares)), apart), shares, 0.0)
    before = np.concatenate([[0.0], np.cumsum(off)])
    off_below = np.append(before[codes] + along * off[codes], before[-1])
    z = np.append(steps[: len(shares), :-1].ravel(), steps[len(shares) - 1, -1])
    return off_below + (1 - before[-1]) * below(cumulative[leaves[r]].mean(axis=0), (z - centre) / width, bend)


def total(cdf, leaves, lined, apart, r):
    """Probability of all present codes; along a regression, of all codes but null if it is apart."""
    if not lined[r]:
        return cdf[leaves[r], -2].astype(float).mean()
    null = cdf.shape[1] - 1
    return 1.0 - (1.0 - cdf[leaves[r], -2].astype(float).mean()) * (null in apart)


def rank_of(lines, cumulative, apart, cdf, steps, leaves, scores, surface, lined, codes, shares, r):
    """Rank of one row's position."""
    below = below_all(lines, cumulative, apart, cdf, steps, leaves, scores, surface, lined, r)
    n_steps = steps.shape[1] - 1
    rank = np.interp((codes[r] + shares[r]) * n_steps, np.arange(len(below)), below) / total(
        cdf, leaves, lined, apart, r
    )
    if (codes[r], shares[r]) == (cdf.shape[1] - 2, 1.0):
        return (rank + 1) / 2
    return rank / 2 if (codes[r], shares[r]) == (0, 0.0) else rank
