"""Bins of a trend's residuals: residuals of a column's regression in; how its bins are bent, and bins of residuals out.

A residual r, in spreads, has the place

    MIDDLE + PER_SPREAD · r [1 + (1 + c R) / (1 + c |r|)] / 2,    |r| ≤ R = REACH

among the bins. With a bend c of 0 all bins are equally wide. With a larger one they are 1 + c R / 2 times finer at 0
and up to twice as wide at the ends: where most rows lie close to the regression and a few far from it, equal bins would
put most rows into one or two of them. The distribution is linear in the place inside each bin, so that masses of
intervals and quantiles keep closed forms without exponentials.

Measured (docs/defaults.md): columns that repeat another closely in most rows are detected less, 0.62 -> 0.565; on
tables whose residuals have lighter tails nothing changes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.kernels.dtypes import CODE, MIDDLE, N_RESIDUALS, PER_SPREAD, REACH
from janus_synth.trees.code_tree import CodeTree, polya_tree

HEAVY_MEDIAN = 0.4
"""Median of |r| below which bins are bent. It is 0.67 for normal residuals, 0.49 for Laplace's distribution, 0.44 for
Student's with three degrees of freedom."""
MOST_BEND = 1000.0
"""Largest bend: bins at 0 are then 1/2,500 as wide as equal ones, finer than any code."""


def choose_bend(residuals: Floats) -> float:
    """Bend for residuals such as these: 0 unless their tails are heavy, the larger the closer most of them lie to 0.

    With m the median of |r| it is 1 / m − 1 / `HEAVY_MEDIAN`: about a quarter of the bins lie within a small m of 0.

    Examples
    --------
    >>> choose_bend(np.array([-1.0, 1.0, -1.0, 1.0]))
    0.0
    >>> round(choose_bend(np.array([-0.1, 0.1, -0.1, 0.1, 9.0])), 1)
    33.5
    """
    spread = float(residuals.std()) if len(residuals) else 0.0
    if not spread > 0.0:
        return 0.0
    middle = float(np.median(np.abs(residuals))) / spread
    return min(max(1.0 / max(middle, 1e-12) - 1.0 / HEAVY_MEDIAN, 0.0), MOST_BEND)


def place_among_bins(residuals: Floats, bend: float) -> Floats:
    """Place of each standardised residual among the bins, from 0 to ``N_RESIDUALS``."""
    r = np.clip(residuals, -REACH, REACH)
    along = r * (1.0 + (1.0 + bend * REACH) / (1.0 + bend * np.abs(r)))
    return np.asarray(np.clip(along * (PER_SPREAD / 2.0) + MIDDLE, 0.0, N_RESIDUALS))


def borders(bend: float) -> Floats:
    """(bins + 1,) residuals between the bins."""
    even = np.linspace(-REACH, REACH, N_RESIDUALS + 1)
    part = 2.0 + bend * (REACH - 2.0 * np.abs(even))
    return np.asarray(4.0 * even / (part + np.sqrt(part**2 + 8.0 * bend * np.abs(even))))


def residual_bins(residuals: Floats, bend: float) -> Codes:
    """Bin of each standardised residual; those beyond the reach are in the first and the last."""
    return np.asarray(np.minimum(place_among_bins(residuals, bend), N_RESIDUALS - 1).astype(CODE))


@lru_cache(maxsize=1024)
def residual_prior(bend: float) -> tuple[CodeTree, Floats]:
    """Pólya tree of the residual bins, and the standard normal's share of each slot in the split above it."""
    from scipy.special import ndtr

    tree = _residual_tree()
    return tree, tree.share_of(np.diff(ndtr(borders(bend))))


@lru_cache(maxsize=1)
def _residual_tree() -> CodeTree:
    return polya_tree(np.ones(N_RESIDUALS, np.int64), last_is_missing=False)
