"""Mean outcomes along a numeric treatment: covariates, doses and an outcome in, a curve with its errors out.

Outcome and treatment are both freed of what covariates predict (Robinson 1988; the R-learner of Nie and Wager 2021):
the residual of Y is regressed on the residuals of φ(T), a line and hinges at quantiles, and of their products with
covariates, which let the curve differ from unit to unit. The line is free; hinges and products have normal priors whose
variances are chosen by restricted maximum likelihood (REML), so that a straight line costs nothing and a kink is
followed. Shrinkage biases the curve; the prior's variance of that bias is part of the interval (Nychka 1988). Errors
may be heteroscedastic: their part is a sandwich.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.questions.doubly_robust import RARE_RATIO, Overlap, Scores
from janus_synth.questions.nuisance import Covariates, assign_folds, hinges_at, predict_means, quantile_knots

KNOTS = np.linspace(0.02, 0.98, 30)
"""Quantiles of the treatment at which it has hinges."""
N_RESIDUALS = 50
"""Quantiles that stand for the residuals of the treatment."""
N_SHAPE_KNOTS = 2
"""Hinges whose slopes may depend on covariates."""
MAX_MODIFIERS = 30
"""Covariates that the curve may depend on; the first ones."""
MAX_UNSUPPORTED = 0.1
"""Share of rows without others like them near a dose above which its support is called weak."""
MIN_WINDOW_ROWS = 15
"""Rows near a dose below which its support is called weak."""


@dataclass(frozen=True, slots=True)
class DoseBasis:
    """φ(T): the standardised treatment and its hinges."""

    centre: float
    spread: float
    knots: Floats

    def hinges(self, scaled: Floats) -> Floats:
        """Hinges, each times the root of the distance of its neighbours, so that equal priors make an even curve."""
        if not len(self.knots):
            return np.zeros((len(scaled), 0))
        gaps = np.gradient(self.knots) if len(self.knots) > 1 else np.ones(1)
        return np.asarray(np.column_stack(hinges_at(scaled, self.knots)) * np.sqrt(gaps))

    def __call__(self, doses: Floats) -> Floats:
        """(n, 1 + knots) values of the basis."""
        scaled = (doses - self.centre) / self.spread
        return np.column_stack([scaled, scaled**2, scaled**3, self.hinges(scaled)])


def fit_basis(doses: Floats) -> DoseBasis:
    """Place the hinges at quantiles of the doses."""
    centre, spread = float(doses.mean()), float(doses.std()) or 1.0
    return DoseBasis(centre, spread, quantile_knots((doses - centre) / spread, KNOTS))


def curve_scores(
    x: Covariates,
    doses: Floats,
    outcome: Floats,
    among: Bools,
    settings: Sequence[Floats],
    *,
    rng: np.random.Generator,
) -> Scores:
    """Estimate mean outcomes under settings of a numeric treatment.

    Parameters
    ----------
    x : Covariates
        An adjustment set.
    doses, outcome : array
        Treatment and outcome of each row.
    among : array of bool
        Rows to average over; the curve is fitted to them, with regressions on covariates from all rows.
    settings : sequence of array
        Doses of each setting: one, or those of a range, which are averaged.
    rng : Generator
        Assigns rows to folds.
    """
    folds = assign_folds(_quantile_groups(doses), rng)
    basis = fit_basis(doses)
    phi = basis(doses)
    predicted = predict_means(x, np.column_stack([outcome, doses]), folds)
    expected = predict_means(x, phi, folds, third=_shifted_means(basis, doses, predicted[:, 1]))
    modifiers = x.linear[among][:, :MAX_MODIFIERS]
    modifiers = modifiers - modifiers.mean(axis=0)
    design = _products((phi - expected)[among], modifiers)
    fit = fit_mixed(design.matrix, (outcome - predicted[:, 0])[among], design.groups)
    asked = np.stack([basis(doses_of).mean(axis=0) for doses_of in settings])
    values, parts, bias = _curve_means(fit, _products(phi[among], modifiers).matrix, outcome[among], asked)
    influence = np.zeros((len(outcome), len(settings)))
    influence[among] = parts
    overlap = _dose_overlap(doses, predicted[:, 1], among, settings)
    return Scores(values, influence, bias, max(among.sum() - fit.freedom - 2, 2.0), overlap)


def _curve_means(fit: MixedFit, terms: Floats, outcome: Floats, asked: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean outcomes under settings, their influence row by row, and the covariance of their smoothing bias.

    The outcome of a row minus what its own treatment does, plus what the setting does: E Y − E θ(T, X) + E θ(v, X).
    Products with centred modifiers average to zero over the units, so that a setting needs the main terms only.
    """
    n, n_main = terms.shape[0], asked.shape[1]
    untreated = outcome - terms @ fit.coefficients
    values = untreated.mean() + asked @ fit.coefficients[:n_main]
    gradient = np.zeros((len(asked), terms.shape[1]))
    gradient[:, :n_main] = asked
    gradient -= terms.mean(axis=0)
    influence = (untreated - untreated.mean())[:, None] / n + fit.errors @ gradient.T
    lost = np.sqrt(n / max(n - fit.freedom - 1, 1))  # degrees of freedom of the regression
    return values, influence * lost, gradient @ fit.bias @ gradient.T


def _shifted_means(basis: DoseBasis, doses: Floats, predicted: Floats) -> Floats:
    """E[φ(T) | covariates] if doses scatter around their predictions as the residuals of all rows do."""
    residuals = np.quantile(doses - predicted, (np.arange(N_RESIDUALS) + 0.5) / N_RESIDUALS)
    return np.asarray(sum(basis(predicted + residual) for residual in residuals) / N_RESIDUALS)


@dataclass(frozen=True, slots=True)
class Design:
    """Columns of a regression, and the variance component of each; group 0 is free."""

    matrix: Floats
    groups: LongInts


def _products(phi: Floats, modifiers: Floats) -> Design:
    """Main terms, then the line times modifiers, then a few hinges times modifiers.

    Components: 0 the line, 1 hinges, 2 and 3 products, 4 and 5 the square and the cube.
    """
    n_hinges = phi.shape[1] - 3
    shapes = sorted({round(k) for k in np.linspace(0, n_hinges - 1, N_SHAPE_KNOTS + 2)[1:-1]}) if n_hinges else []
    parts = [phi, phi[:, :1] * modifiers, *(phi[:, 3 + k, None] * modifiers for k in shapes)]
    groups = [0, 4, 5, *[1] * n_hinges, *[2] * modifiers.shape[1], *[3] * (len(shapes) * modifiers.shape[1])]
    return Design(np.column_stack(parts), np.array(groups))


@dataclass(frozen=True, slots=True)
class MixedFit:
    """Penalised regression: coefficients, row by row errors of them, and the covariance of their smoothing bias."""

    coefficients: Floats
    errors: Floats
    bias: Floats
    freedom: float


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
    from scipy.optimize import minimize

    sizes = np.mean(z**2, axis=0)
    used = sizes > 1e-12
    by_group = np.array([np.mean(sizes[groups == group]) for group in groups])
    scale = np.sqrt(np.where(by_group > 0, by_group, 1.0))
    zs = np.where(used, z / scale, 0.0)
    gram, cross, total = zs.T @ zs, zs.T @ y, float(y @ y)
    kinds = [kind for kind in np.unique(groups) if kind > 0]

    def loss(logs: Floats) -> float:
        return _reml(gram, cross, total, len(y), _penalty(groups, kinds, logs, used))

    starts = [np.full(len(kinds), start) for start in (0.0, 6.0)]
    best = (
        min(
            (minimize(loss, start, method="L-BFGS-B", bounds=[(-6.0, 14.0)] * len(kinds)) for start in starts),
            key=lambda found: found.fun,
        )
        if kinds
        else None
    )
    penalty = _penalty(groups, kinds, np.zeros(0) if best is None else best.x, used)
    inverse = np.linalg.inv(gram + np.diag(penalty))
    coefficients = inverse @ cross
    residual = y - zs @ coefficients
    freedom = float(np.trace(inverse @ gram))
    noise = float(residual @ residual) / max(len(y) - freedom, 1)
    prior = np.where(used, penalty, 0.0)
    return MixedFit(
        coefficients / scale,
        (residual[:, None] * zs) @ inverse / scale,
        noise * (inverse @ np.diag(prior) @ inverse) / np.outer(scale, scale),
        freedom,
    )


def _penalty(groups: LongInts, kinds: Sequence[int], logs: Floats, used: Bools) -> Floats:
    """Diagonal of the penalty: noise variance over prior variance; unused regressors are held at zero."""
    penalty = np.zeros(len(groups))
    for kind, log in zip(kinds, logs, strict=True):
        penalty[groups == kind] = np.exp(log)
    return np.where(used, penalty, 1.0)


def _reml(gram: Floats, cross: Floats, total: float, n: int, penalty: Floats) -> float:
    """Minus twice the restricted log likelihood, with the noise variance profiled out."""
    lower = np.linalg.cholesky(gram + np.diag(penalty + 1e-9 * n))
    solved = np.linalg.solve(lower, cross)
    free = penalty == 0
    rest = max(total - float(solved @ solved), 1e-12 * max(total, 1e-300))
    determinant = 2 * np.log(np.diag(lower)).sum() - np.log(penalty[~free]).sum()
    return float((n - free.sum()) * np.log(rest) + determinant)


def _quantile_groups(values: Floats, n: int = 10) -> LongInts:
    """Deciles, by which folds are balanced."""
    return np.asarray(np.searchsorted(np.quantile(values, np.arange(1, n) / n), values), np.int64)


def _dose_overlap(doses: Floats, predicted: Floats, among: Bools, settings: Sequence[Floats]) -> Overlap:
    """Compare each unit's density of the doses asked with that of all units, in windows of the treatment.

    The distribution of a unit's dose is taken to be its prediction plus the residuals of all rows.
    """
    residuals = np.sort(doses - predicted)
    half = 0.25 * float(doses.std()) or 1.0
    effective, rare = [], []
    for asked in settings:
        low, high = float(np.min(asked)) - half, float(np.max(asked)) + half
        own = (doses >= low) & (doses <= high)
        chance = np.diff(np.searchsorted(residuals, np.stack([low - predicted, high - predicted])), axis=0)[0] / len(
            doses
        )
        rare.append(float(np.mean(chance[among] < RARE_RATIO * max(own.mean(), 1e-9))) if own.any() else 1.0)
        weight = 1 / np.maximum(chance[own & among], 1 / len(doses))
        effective.append(float(weight.sum() ** 2 / (weight**2).sum()) if len(weight) else 0.0)
    weak = max(rare) > MAX_UNSUPPORTED or min(effective) < MIN_WINDOW_ROWS
    return Overlap(min(effective), max(rare), weak)
