"""Successes of an attack in; rates, the normalised risk and the AUC with their intervals and p-values out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats

NAN = float("nan")


class Interval(NamedTuple):
    """A value between its confidence limits."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tally:
    """Successes among trials; trials that are not independent count ``1 / design_effect`` each in intervals."""

    successes: float
    trials: int
    design_effect: float = 1.0

    @property
    def rate(self) -> float:
        """Share of successes, NaN without trials."""
        return self.successes / self.trials if self.trials else NAN

    @property
    def effective(self) -> tuple[int, int]:
        """Successes and trials as if all were independent, rounded down."""
        trials = int(self.trials / self.design_effect)
        return min(int(self.successes / self.design_effect), trials), trials


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack achieved.

    Attributes
    ----------
    attack, control : Tally
        Successes on training rows, and on unseen rows.
    baseline : float
        Success rate of a guess.
    auc : Interval, optional
        Of an attack that ranks rows, with the p-value of its ranking.
    """

    attack: Tally
    control: Tally
    baseline: float
    auc: Interval | None = None
    ranking_p_value: float = NAN


def wilson(tally: Tally, level: float) -> tuple[float, float]:
    """Wilson score interval of a rate.

    Examples
    --------
    >>> [round(limit, 3) for limit in wilson(Tally(0, 100), 0.95)]
    [0.0, 0.037]
    """
    n, p = tally.trials / tally.design_effect, tally.rate
    z2 = normal_quantile(level) ** 2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def normalised_risk(attack: Tally, control: Tally, level: float) -> Interval:
    """(attack − control) / (1 − control), the share of failures on unseen rows that training turns into successes.

    This is 1 − f₁ / f₀ of the failure rates f. The interval combines the Wilson limits of both rates (MOVER for a
    ratio, Donner and Zou 2012). NaN where the attack never fails on unseen rows, or without trials.

    Examples
    --------
    >>> [round(x, 3) for x in normalised_risk(Tally(60, 100), Tally(20, 100), 0.95)]
    [0.5, 0.358, 0.618]
    """
    if not attack.trials or not control.trials or control.rate == 1.0:
        return Interval(NAN, NAN, NAN)
    f1, f0 = 1 - attack.rate, 1 - control.rate
    high1, low1 = (1 - limit for limit in wilson(attack, level))
    high0, low0 = (1 - limit for limit in wilson(control, level))
    smallest = _smallest_ratio(f1, f0, low1, high0)
    largest = _largest_ratio(f1, f0, high1, low0)
    return Interval(1 - f1 / f0, 1 - largest, 1 - smallest)


def better_than_control(attack: Tally, control: Tally) -> float:
    """One-sided p-value of Fisher's exact test: the attack succeeds more often on training rows than on unseen ones.

    Examples
    --------
    >>> round(better_than_control(Tally(3, 3), Tally(0, 3)), 3)
    0.05
    """
    from scipy.stats import hypergeom

    (s1, n1), (s0, n0) = attack.effective, control.effective
    if not n1 or not n0:
        return 1.0
    return float(hypergeom.sf(s1 - 1, n1 + n0, s1 + s0, n1))


def area_under_curve(members: Floats, others: Floats, level: float) -> Interval:
    """AUC of scores that should be higher for members, ties counted half, with the interval of DeLong et al. (1988).

    Examples
    --------
    >>> area_under_curve(np.array([1.0, 2.0]), np.array([0.0, 0.5]), 0.95).value
    1.0
    """
    wins, losses = _placements(members, others), 1 - _placements(others, members)
    auc = float(wins.mean())
    variance = sum(float(v.var(ddof=1)) / len(v) if len(v) > 1 else 0.25 for v in (wins, losses))
    half = normal_quantile(level) * math.sqrt(variance)
    return Interval(auc, max(auc - half, 0.0), min(auc + half, 1.0))


def higher_than_others(members: Floats, others: Floats) -> float:
    """One-sided p-value of the Mann–Whitney test: members have higher scores."""
    from scipy.stats import mannwhitneyu

    if np.ptp(np.concatenate([members, others])) == 0:
        return 1.0
    return float(mannwhitneyu(members, others, alternative="greater", method="asymptotic").pvalue)


def normal_quantile(level: float) -> float:
    """Number of standard errors on either side of a two-sided interval."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def _smallest_ratio(f1: float, f0: float, low1: float, high0: float) -> float:
    """Lower MOVER limit of f1 / f0: deviations of numerator and denominator add up in quadrature."""
    above = low1 * (2 * f1 - low1)
    root = math.sqrt(max((f1 * f0) ** 2 - above * high0 * (2 * f0 - high0), 0.0))
    return above / (f1 * f0 + root) if above > 0 else 0.0


def _largest_ratio(f1: float, f0: float, high1: float, low0: float) -> float:
    """Upper MOVER limit of f1 / f0."""
    below = low0 * (2 * f0 - low0)
    root = math.sqrt(max((f1 * f0) ** 2 - high1 * (2 * f1 - high1) * below, 0.0))
    return (f1 * f0 + root) / below if below > 0 else math.inf


def _placements(values: Floats, among: Floats) -> Floats:
    """Share of the others that lie below each value, ties counted half."""
    ordered = np.sort(among)
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * len(among)))
