"""Regression with normal priors: regressors and groups of coefficients in; coefficients, errors and smoothing bias out.

The variance of each group is chosen by restricted maximum likelihood (REML). Shrinkage biases coefficients; the prior's
variance of that bias is kept beside their errors (Nychka 1988). A group of hinges bends evenly everywhere, which suits
a smooth curve and makes one with a sharp kink noisy. So two neighbouring hinges may have a variance of their own, and
fits with and without such a kink, at every place, are averaged by their evidence (Bayesian model averaging).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts

MAX_KINKS = 3
"""Kinks with a variance of their own."""
SURE = 0.05
"""Probability of no further kink below which another one is looked for."""
MIN_WEIGHT = 0.01
"""Probability below which a fit is left out of the average."""
SMALLEST = -6.0
"""Lower bound on the log of noise variance over prior variance."""
ABOVE_ROWS = 3.0
"""The upper bound is above the log of the number of rows by this much, so that no group is ever known to be zero: a
deviation of a quarter of a standard error always remains possible."""

LEAST_UNEXPLAINED = 0.2
"""Least share of a residual that a row's own leverage leaves. Errors are those of a row that was left out (HC3,
MacKinnon and White 1985), since rows of high leverage have residuals that are too small."""

Logs = Mapping[int, float]
"""Log of noise variance over prior variance, by group."""


@dataclass(frozen=True, slots=True)
class MixedFit:
    """Penalised regression: coefficients, row by row errors of them, and the covariance of their smoothing bias."""

    coefficients: Floats
    errors: Floats
    bias: Floats
    freedom: float


@dataclass(frozen=True)
class MixedProblem:
    """Regressors (n, p) and what is regressed on them, with sums over rows that every fit needs."""

    z: Floats
    y: Floats
    scale: Floats
    used: Bools

    @cached_property
    def scaled(self) -> Floats:
        """Regressors in units of their group."""
        return np.where(self.used, self.z / self.scale, 0.0)

    @cached_property
    def sums(self) -> tuple[Floats, Floats, float]:
        """Gram matrix, cross products, and the sum of squares."""
        return self.scaled.T @ self.scaled, self.scaled.T @ self.y, float(self.y @ self.y)

    @property
    def largest(self) -> float:
        """Largest log penalty."""
        return float(np.log(len(self.y))) + ABOVE_ROWS

    def loss(self, groups: LongInts, logs: Logs) -> float:
        """Minus twice the restricted log likelihood, with the noise variance profiled out."""
        gram, cross, total = self.sums
        penalty, n = self.penalty(groups, logs), len(self.y)
        lower = np.linalg.cholesky(gram + np.diag(penalty + 1e-9 * n))
        solved = np.linalg.solve(lower, cross)
        free = penalty == 0
        rest = max(total - float(solved @ solved), 1e-12 * max(total, 1e-300))
        determinant = 2 * np.log(np.diag(lower)).sum() - np.log(penalty[~free]).sum()
        return float((n - free.sum()) * np.log(rest) + determinant)

    def penalty(self, groups: LongInts, logs: Logs) -> Floats:
        """Diagonal of the penalty: noise variance over prior variance; unused regressors are held at zero."""
        penalty = np.zeros(len(groups))
        for group, log in logs.items():
            penalty[groups == group] = np.exp(log)
        return np.where(self.used, penalty, 1.0)

    def likeliest(self, groups: LongInts, starts: Sequence[Callable[[int], float]]) -> tuple[float, Logs]:
        """The least loss from several starts, and the penalties there."""
        from scipy.optimize import minimize

        kinds = [int(kind) for kind in np.unique(groups) if kind > 0]
        if not kinds:
            return self.loss(groups, {}), {}

        def loss(logs: Floats) -> float:
            return self.loss(groups, dict(zip(kinds, logs, strict=True)))

        bounds = [(SMALLEST, self.largest)] * len(kinds)
        found = [
            minimize(loss, np.clip([start(kind) for kind in kinds], *bounds[0]), method="L-BFGS-B", bounds=bounds)
            for start in starts
        ]
        best = min(found, key=lambda one: float(one.fun))
        return float(best.fun), dict(zip(kinds, best.x, strict=True))

    def solve(self, groups: LongInts, logs: Logs) -> MixedFit:
        """Coefficients under given penalties."""
        gram, cross, _ = self.sums
        penalty, n = self.penalty(groups, logs), len(self.y)
        inverse = np.linalg.inv(gram + np.diag(penalty))
        coefficients = inverse @ cross
        residual = self.y - self.scaled @ coefficients
        freedom = float(np.trace(inverse @ gram))
        noise = float(residual @ residual) / max(n - freedom, 1)
        prior = np.where(self.used, penalty, 0.0)
        pulled = self.scaled @ inverse
        left_out = residual / np.maximum(1 - (pulled * self.scaled).sum(axis=1), LEAST_UNEXPLAINED)
        return MixedFit(
            coefficients / self.scale,
            left_out[:, None] * pulled / self.scale,
            noise * (inverse @ np.diag(prior) @ inverse) / np.outer(self.scale, self.scale),
            freedom,
        )


def mixed_problem(z: Floats, y: Floats, groups: LongInts) -> MixedProblem:
    """A problem whose regressors are measured in root mean squares of their group."""
    sizes = np.mean(z**2, axis=0)
    by_group = np.array([np.mean(sizes[groups == group]) for group in groups])
    return MixedProblem(z, y, np.sqrt(np.where(by_group > 0, by_group, 1.0)), sizes > 1e-12)


def fit_mixed(z: Floats, y: Floats, groups: LongInts) -> MixedFit:
    """Regress with a normal prior per group of coefficients, its variance chosen by REML; group 0 is free.

    Parameters
    ----------
    z : array (n, p)
        Regressors.
    y : array (n,)
        What is regressed on them.
    groups : array (p,) of int
        Variance component of each coefficient.
    """
    problem = mixed_problem(z, y, groups)
    return problem.solve(groups, _smooth(problem, groups)[1])


def _smooth(problem: MixedProblem, groups: LongInts) -> tuple[float, Logs]:
    return problem.likeliest(groups, [lambda _: 0.0, lambda _: 6.0])


def fit_with_kinks(z: Floats, y: Floats, groups: LongInts, hinges: int) -> tuple[float, list[tuple[float, MixedFit]]]:
    """Fits with their probabilities: without a kink, and with kinks at places where hinges of a group are neighbours.

    The log of their evidence, up to a constant of ``y``, comes first.

    Parameters
    ----------
    z, y, groups : array
        As for `fit_mixed`.
    hinges : int
        Group of the hinges; neighbours stand side by side.
    """
    problem = mixed_problem(z, y, groups)
    loss, logs = _smooth(problem, groups)
    evidence, spent = -loss / 2, 0.0
    fits = [(1.0, problem.solve(groups, logs))]
    for number in range(MAX_KINKS):
        places = [int(a) for a in np.flatnonzero((groups[:-1] == hinges) & (groups[1:] == hinges))]
        if not places:
            break
        kinked = [_with_kink(groups, place) for place in places]
        with_kink = _kink_penalties(problem, kinked, logs, hinges)
        losses = np.array([problem.loss(one, with_kink) for one in kinked])
        together, weights = _probabilities(loss, losses)
        if number and weights[0] > 0.5:
            break
        fits = _mixture(problem, weights, [(groups, logs), *((one, with_kink) for one in kinked)])
        evidence, spent = together - spent, spent + 1 + float(np.log(len(places)))
        if weights[0] >= SURE:
            break
        best = int(np.argmin(losses))
        loss, groups, logs = float(losses[best]), kinked[best], with_kink
    return evidence, fits


def _with_kink(groups: LongInts, place: int) -> LongInts:
    """Groups in which a hinge and the next have a new component."""
    found = groups.copy()
    found[place : place + 2] = groups.max() + 1
    return found


def _kink_penalties(problem: MixedProblem, kinked: Sequence[LongInts], logs: Logs, hinges: int) -> Logs:
    """Likeliest penalties with a kink at the best of some places, for all of them: places are screened first."""
    new, smooth = int(kinked[0].max()), {**logs, hinges: problem.largest}
    guesses = [{**one, new: at} for one in (logs, smooth) for at in (0.0, 3.0)]
    screened = [min(problem.loss(groups, guess) for guess in guesses) for groups in kinked]
    best = np.argsort(screened)[:2]
    return min((problem.likeliest(kinked[i], [lambda kind: smooth.get(kind, 1.0)]) for i in best), key=_first)[1]


def _first(pair: tuple[float, Logs]) -> float:
    return pair[0]


def _probabilities(loss: float, losses: Floats) -> tuple[float, Floats]:
    """Log evidence, and posterior of no kink and of a kink at each place; places are equally likely, a kink as none.

    The likeliest variance of the kink flatters it: its likelihood is divided by e, as in Akaike's criterion.
    """
    logs = np.append(-loss / 2, -losses / 2 - 1 - np.log(len(losses)))
    weights = np.exp(logs - logs.max())
    return float(logs.max() + np.log(weights.sum())), np.asarray(weights / weights.sum())


def _mixture(
    problem: MixedProblem, weights: Floats, choices: Sequence[tuple[LongInts, Logs]]
) -> list[tuple[float, MixedFit]]:
    kept = [(float(weight), choice) for weight, choice in zip(weights, choices, strict=True) if weight >= MIN_WEIGHT]
    total = sum(weight for weight, _ in kept)
    return [(weight / total, problem.solve(*choice)) for weight, choice in kept]
