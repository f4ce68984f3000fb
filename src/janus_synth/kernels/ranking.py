"""Where a value stands among those its parents allow, and which value stands there under other parents.

Positions are a code and a share of its mass; inside a code ranks run straight between ``N_STEPS`` even shares. Ranks
are taken by counts, in the mean over a row's leaves, or *along the line*: by the mean of the leaves' lines and spreads
and one distribution of residuals for the column, which says less than the leaves' own but is far less noisy, and finer
than a code. Null has no rank.
"""

from numba import njit

from janus_synth.kernels.dtypes import N_RESIDUALS, REACH

MIDDLE = N_RESIDUALS / 2.0
PER_SPREAD = N_RESIDUALS / (2.0 * REACH)
N_STEPS = 8
"""Straight pieces of a rank inside a code."""


@njit(cache=True, nogil=True)
def mean_line(lines, leaves, scores, r):
    """Where the lines of a row's leaves put it in the mean, given its parents' scores (p, n), and their mean spread."""
    _, _, coef, spreads, low, high = lines
    p, n_leaves = scores.shape[0], leaves.shape[1]
    at, spread = 0.0, 0.0
    for t in range(n_leaves):
        leaf = leaves[r, t]
        at += coef[leaf, p]
        spread += spreads[leaf]
        for j in range(p):
            at += coef[leaf, j] * min(max(scores[j, r], low[leaf, j]), high[leaf, j])
    return at / n_leaves, spread / n_leaves


@njit(cache=True, nogil=True)
def apart_below(apart, cdf, leaves, r, k, share):
    """Mean probability of the codes apart below a share of a code."""
    total = 0.0
    for a in apart:
        if a <= k:
            for t in range(leaves.shape[1]):
                leaf = leaves[r, t]
                own = float(cdf[leaf, a]) - (float(cdf[leaf, a - 1]) if a > 0 else 0.0)
                total += own if a < k else share * own
    return total / leaves.shape[1]


@njit(cache=True, nogil=True)
def residuals_below(cumulative, leaves, r, residual):
    """Share of residuals below one, in spreads, in the mean over a row's leaves."""
    place = residual * PER_SPREAD + MIDDLE
    if place <= 0.0:
        return 0.0
    if place >= N_RESIDUALS:
        return 1.0
    b, total = int(place), 0.0
    for t in range(leaves.shape[1]):
        low, high = cumulative[leaves[r, t], b], cumulative[leaves[r, t], b + 1]
        total += low + (place - b) * (high - low)
    return total / leaves.shape[1]


@njit(cache=True, nogil=True)
def below(cumulative, apart, cdf, leaves, r, lined, at, spread, k, share, z):
    """Probability of all that lies below a share of a code, which has the score z; null aside, and not normalised."""
    if lined:
        rest = 1.0 - apart_below(apart, cdf, leaves, r, cdf.shape[1], 1.0)
        return apart_below(apart, cdf, leaves, r, k, share) + rest * residuals_below(
            cumulative, leaves, r, (z - at) / spread
        )
    total = 0.0
    for t in range(leaves.shape[1]):
        leaf = leaves[r, t]
        lower = float(cdf[leaf, k - 1]) if k > 0 else 0.0
        total += lower + share * (float(cdf[leaf, k]) - lower)
    return total / leaves.shape[1]


@njit(cache=True, nogil=True)
def ranks_of(lines, cumulative, apart, cdf, steps, leaves, scores, lined, codes, shares, out):
    """Rank of each row's position among the present values, from 0 to 1.

    cumulative (L, N_RESIDUALS + 1) REAL | apart INDEX: present codes apart | cdf (L, K) float32
    steps (K, N_STEPS + 1) REAL: scores at even shares of each code | leaves (n, b) INDEX
    scores (p, n) REAL: of the lines' parents | lined (n,) bool: rank along the line | codes (n,) CODE, none missing
    shares, out (n,) REAL
    """
    last = cdf.shape[1] - 2  # the last present code
    for r in range(codes.size):
        at, spread = mean_line(lines, leaves, scores, r) if lined[r] else (0.0, 1.0)
        k = codes[r]
        step = min(int(shares[r] * N_STEPS), N_STEPS - 1)
        low = below(cumulative, apart, cdf, leaves, r, lined[r], at, spread, k, step / N_STEPS, steps[k, step])
        high = below(
            cumulative, apart, cdf, leaves, r, lined[r], at, spread, k, (step + 1) / N_STEPS, steps[k, step + 1]
        )
        every = below(cumulative, apart, cdf, leaves, r, lined[r], at, spread, last, 1.0, steps[last, N_STEPS])
        out[r] = (low + (shares[r] * N_STEPS - step) * (high - low)) / every


@njit(cache=True, nogil=True)
def at_ranks(lines, cumulative, apart, cdf, steps, leaves, scores, lined, ranks, codes, shares):
    """Write the position that has each row's rank; the other way round of `ranks_of`.

    ranks (n,) REAL | codes (n,) CODE, shares (n,) REAL, written
    """
    last = cdf.shape[1] - 2
    for r in range(ranks.size):
        at, spread = mean_line(lines, leaves, scores, r) if lined[r] else (0.0, 1.0)
        high = below(cumulative, apart, cdf, leaves, r, lined[r], at, spread, last, 1.0, steps[last, N_STEPS])
        low = below(cumulative, apart, cdf, leaves, r, lined[r], at, spread, 0, 0.0, steps[0, 0])
        target = ranks[r] * high
        first, stop = 0, (last + 1) * N_STEPS  # what lies below the first node is at most the target
        while stop - first > 1:
            node = (first + stop) // 2
            k, step = node // N_STEPS, node % N_STEPS
            mass = below(cumulative, apart, cdf, leaves, r, lined[r], at, spread, k, step / N_STEPS, steps[k, step])
            if mass <= target:
                first, low = node, mass
            else:
                stop, high = node, mass
        along = (target - low) / (high - low) if high > low else 0.5
        codes[r] = first // N_STEPS
        shares[r] = min(max((first % N_STEPS + along) / N_STEPS, 0.0), 1.0)
