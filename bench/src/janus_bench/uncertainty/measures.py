"""Class probabilities or Dirichlet parameters in, uncertainty in nats out; and summary statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, entr
from scipy.stats import pearsonr, spearmanr

Reals = npt.NDArray[np.float64]


class Uncertainty(NamedTuple):
    """Uncertainty of the label of every row in nats: total, aleatoric (noise), epistemic (reducible by more rows)."""

    total: Reals
    aleatoric: Reals
    epistemic: Reals

    @classmethod
    def of_parts(cls, total: Reals, aleatoric: Reals) -> Uncertainty:
        """Epistemic is total minus aleatoric; negative rounding errors are set to 0."""
        epistemic = np.maximum(total - aleatoric, 0.0)
        return cls(total, total - epistemic, epistemic)


def of_passes(probabilities: npt.ArrayLike) -> Uncertainty:
    """Entropy of the mean, mean entropy, and their difference, which is the mutual information.

    Parameters
    ----------
    probabilities : array (passes, rows, classes)
        Class probabilities by every pass or ensemble member.

    Examples
    --------
    >>> torn = of_passes([[[1, 0]], [[0, 1]]])  # two members, each certain of a different class
    >>> float(torn.aleatoric[0]), round(float(torn.epistemic[0]), 3)
    (0.0, 0.693)
    """
    each = np.asarray(probabilities, dtype=np.float64)
    each = each / each.sum(axis=2, keepdims=True)  # single precision sums to 1 only roughly
    return Uncertainty.of_parts(entr(each.mean(axis=0)).sum(axis=1), entr(each).sum(axis=2).mean(axis=0))


def of_dirichlet(alpha: npt.ArrayLike) -> Uncertainty:
    """The same decomposition in closed form, for class probabilities that follow a Dirichlet distribution.

    Parameters
    ----------
    alpha : array (rows, classes)
        Parameters of the Dirichlet distributions.

    Examples
    --------
    >>> unseen = of_dirichlet([[1, 1, 1]])  # three classes, a flat prior and no rows at all
    >>> [round(float(part[0]), 3) for part in unseen]
    [1.099, 0.833, 0.265]
    """
    a = np.asarray(alpha, dtype=np.float64)
    S = a.sum(axis=1, keepdims=True)
    mean = a / S
    return Uncertainty.of_parts(entr(mean).sum(axis=1), (mean * (digamma(S + 1) - digamma(a + 1))).sum(axis=1))


def cohens_d(before: npt.ArrayLike, after: npt.ArrayLike) -> float | None:
    """Difference of means over the pooled standard deviation; None if neither side varies.

    Examples
    --------
    >>> cohens_d([1, 2, 3], [3, 4, 5])
    2.0
    """
    a, b = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    pooled = float(np.sqrt(squares / (len(a) + len(b) - 2)))
    return float(b.mean() - a.mean()) / pooled if pooled > 0 else None


def change(before: float, after: float) -> float | None:
    """Relative change: −0.47 is 47 % less; None if ``before`` is 0.

    Examples
    --------
    >>> change(0.5, 0.25), change(0, 1)
    (-0.5, None)
    """
    return after / before - 1 if before > 0 else None


class Correlations(NamedTuple):
    """Correlation of ranks and of values; None if one side is constant."""

    spearman: float | None
    pearson: float | None

    @classmethod
    def of(cls, x: Sequence[float], y: Sequence[float]) -> Correlations:
        """Correlate two sequences.

        Examples
        --------
        >>> [round(value, 3) for value in Correlations.of([1, 2, 3], [9, 8, 1])]
        [-1.0, -0.918]
        """
        if len(set(x)) < 2 or len(set(y)) < 2:
            return cls(None, None)
        return cls(float(spearmanr(x, y).statistic), float(pearsonr(x, y).statistic))
