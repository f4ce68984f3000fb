"""Mean outcomes along a numeric treatment: covariates, doses and an outcome in, a curve with its errors out.

Outcome and treatment are both freed of what covariates predict (Robinson 1988; the R-learner of Nie and Wager 2021):
the residual of Y is regressed on the residuals of φ(T), polynomials and hinges at quantiles, and of their products with
covariates, which let the curve differ from unit to unit. The line is free; the rest has normal priors, see
`mixed_regression`, so that a straight line costs nothing and a kink is followed. In a subgroup the curve is that of all
rows plus a deviation, which has priors as well. Errors may be heteroscedastic: their part is a sandwich. Skewed doses
have two scales (`dose_scale`), averaged by their evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermevander

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.questions.dose_scale import dose_scales
from janus_synth.questions.doubly_robust import RARE_RATIO, Overlap, Scores
from janus_synth.questions.mixed_regression import MIN_WEIGHT, MixedFit, fit_mixed, fit_with_kinks
from janus_synth.questions.nuisance import Covariates, assign_folds, hinges_at, predict_means, quantile_knots
from janus_synth.threads import one_thread

KNOTS = np.linspace(0.02, 0.98, 30)
"""Quantiles of the treatment at which it has hinges."""
DEGREE = 5
"""Degree of the polynomials, each degree with a variance of its own."""
FARTHEST = 4.0
"""Standard deviations from the mean beyond which polynomials are constant."""
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
POWERS = (0, *range(1, DEGREE))
"""Groups of coefficients with a variance each, see `mixed_regression`: the line is free, then powers, hinges, products
with covariates, and a subgroup's own line, powers and hinges."""
HINGES, LINE_PRODUCTS, HINGE_PRODUCTS, OWN_LINE, OWN_POWERS, OWN_HINGES = range(DEGREE, DEGREE + 6)


@dataclass(frozen=True, slots=True)
class DoseBasis:
    """φ(T): Hermite polynomials of the standardised treatment, which are uncorrelated if it is normal, and hinges."""

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
        """(n, degree + knots) values of the basis."""
        scaled = (doses - self.centre) / self.spread
        powers = hermevander(np.clip(scaled, -FARTHEST, FARTHEST), DEGREE)[:, 2:]
        return np.column_stack([scaled, powers, self.hinges(scaled)])


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
        Rows to average over.
    settings : sequence of array
        Doses of each setting: one, or those of a range, which are averaged.
    rng : Generator
        Assigns rows to folds.
    """
    with one_thread():
        return _curve_scores(x, doses, outcome, among, settings, rng)


def _curve_scores(
    x: Covariates, doses: Floats, outcome: Floats, among: Bools, settings: Sequence[Floats], rng: np.random.Generator
) -> Scores:
    folds = assign_folds(_quantile_groups(doses), rng)
    modifiers = x.linear[:, :MAX_MODIFIERS]
    modifiers = modifiers - modifiers[among].mean(axis=0)
    scales = dose_scales(doses)
    predicted = predict_means(x, np.column_stack([outcome, *(scale(doses) for scale in scales)]), folds)
    views = [
        _view(x, scale(doses), outcome, list(map(scale, settings)), predicted[:, [0, k]], folds)
        for k, scale in enumerate(scales, 1)
    ]
    residual = min((view.residual for view in views), key=lambda one: float(one @ one))
    designs = [_products(view.phi - view.expected, modifiers, among) for view in views]
    results = [fit_with_kinks(design.matrix, residual, design.groups, HINGES) for design in designs]
    evidence = np.array([one for one, _ in results])
    shares = np.exp(evidence - evidence.max())
    shares = np.where(shares >= MIN_WEIGHT, shares, 0.0)
    shares /= shares.sum()
    found = []
    for view, share, (_, fits) in zip(views, shares, results, strict=True):
        terms = _products(view.phi, modifiers, among).matrix
        for weight, fit in fits if share else ():
            found.append((share * weight, *_curve_means(fit, terms, outcome, view.asked, among), fit.freedom))
    return _average(found, int(among.sum()), _dose_overlap(views[int(shares.argmax())], among))


@dataclass(frozen=True, slots=True)
class View:
    """Doses along one of their scales, and what covariates predict of them and of the outcome."""

    doses: Floats
    settings: Sequence[Floats]
    predicted: Floats
    """E[dose | covariates]."""
    phi: Floats
    expected: Floats
    """E[φ | covariates]."""
    asked: Floats
    """(v, p) means of φ over each setting."""
    residual: Floats
    """Outcome minus E[outcome | covariates]."""


def _view(
    x: Covariates, doses: Floats, outcome: Floats, settings: Sequence[Floats], predicted: Floats, folds: LongInts
) -> View:
    """Everything that depends on the scale; ``predicted`` are outcome and dose given the covariates."""
    basis = fit_basis(doses)
    phi = basis(doses)
    expected = predict_means(x, phi, folds, third=_shifted_means(basis, doses, predicted[:, 1]))
    residual = outcome - _outcome_means(x, phi, expected, outcome, predicted[:, 0], folds)
    asked = np.stack([basis(doses_of).mean(axis=0) for doses_of in settings])
    return View(doses, settings, predicted[:, 1], phi, expected, asked, residual)


def _average(found: Sequence[tuple[float, Floats, Floats, Floats, float]], n: int, overlap: Overlap) -> Scores:
    """Scores of several fits with their probabilities; what they differ by is part of the covariance."""
    values = np.asarray(sum(weight * one for weight, one, _, _, _ in found))
    influence = np.asarray(sum(weight * one for weight, _, one, _, _ in found))
    covariance = np.zeros((len(values), len(values)))
    for weight, own, errors, bias, _ in found:
        covariance += weight * (errors.T @ errors + bias + np.outer(own - values, own - values))
    freedom = sum(weight * one for weight, _, _, _, one in found)
    return Scores(values, influence, covariance - influence.T @ influence, max(n - freedom - 2, 2.0), overlap)


def _outcome_means(
    x: Covariates, phi: Floats, expected: Floats, outcome: Floats, predicted: Floats, folds: LongInts
) -> Floats:
    """E[outcome | covariates], as the mean without treatment plus what a rough polynomial says the treatment adds.

    The outcome without treatment is a simpler function of covariates than the outcome: it has no curvature that
    comes from the curve. What a regression of the outcome misses of that, hinges would follow.
    """
    modifiers = x.linear[:, :MAX_MODIFIERS] - x.linear[:, :MAX_MODIFIERS].mean(axis=0)
    rough, groups = _rough_terms(phi - expected, modifiers)
    fit = fit_mixed(rough, outcome - predicted, groups)
    added, mean = (_rough_terms(part, modifiers)[0] @ fit.coefficients for part in (phi, expected))
    return np.asarray(predict_means(x, (outcome - added)[:, None], folds)[:, 0] + mean)


def _rough_terms(phi: Floats, modifiers: Floats) -> tuple[Floats, LongInts]:
    """Polynomials, and the line times modifiers; with their groups."""
    groups = np.array([*POWERS, *[LINE_PRODUCTS] * modifiers.shape[1]])
    return np.column_stack([phi[:, :DEGREE], phi[:, :1] * modifiers]), groups


def _curve_means(
    fit: MixedFit, terms: Floats, outcome: Floats, asked: Floats, among: Bools
) -> tuple[Floats, Floats, Floats]:
    """Mean outcomes under settings, their influence row by row, and the covariance of their smoothing bias.

    The outcome of a row minus what its own treatment does, plus what the setting does: E Y − E θ(T, X) + E θ(v, X).
    Products with centred modifiers average to zero over the units, so that a setting needs the main terms only, and
    those of the subgroup, which come last.
    """
    n, n_all, n_main = int(among.sum()), len(outcome), asked.shape[1]
    untreated = outcome - terms @ fit.coefficients
    mean = untreated[among].mean()
    gradient = np.zeros((len(asked), terms.shape[1]))
    gradient[:, :n_main] = asked
    if not among.all():
        gradient[:, -n_main:] = asked
    values = mean + gradient @ fit.coefficients
    gradient -= terms[among].mean(axis=0)
    influence = np.where(among, untreated - mean, 0.0)[:, None] / n + fit.errors @ gradient.T
    lost = np.sqrt(n_all / max(n_all - fit.freedom - 1, 1))  # degrees of freedom of the regression
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


def _products(phi: Floats, modifiers: Floats, among: Bools) -> Design:
    """Main terms, the line and a few hinges times modifiers, and in a subgroup its deviation from the main terms."""
    n_hinges, n_modifiers = phi.shape[1] - DEGREE, modifiers.shape[1]
    shapes = sorted({round(k) for k in np.linspace(0, n_hinges - 1, N_SHAPE_KNOTS + 2)[1:-1]}) if n_hinges else []
    parts = [phi, phi[:, :1] * modifiers, *(phi[:, DEGREE + k, None] * modifiers for k in shapes)]
    groups = [*POWERS, *[HINGES] * n_hinges, *[LINE_PRODUCTS] * n_modifiers]
    groups += [HINGE_PRODUCTS] * (len(shapes) * n_modifiers)
    if not among.all():
        parts.append(among[:, None] * phi)
        groups += [OWN_LINE, *[OWN_POWERS] * (DEGREE - 1), *[OWN_HINGES] * n_hinges]
    return Design(np.column_stack(parts), np.array(groups))


def _quantile_groups(values: Floats, n: int = 10) -> LongInts:
    """Deciles, by which folds are balanced."""
    return np.asarray(np.searchsorted(np.quantile(values, np.arange(1, n) / n), values), np.int64)


def _dose_overlap(view: View, among: Bools) -> Overlap:
    """Compare each unit's density of the doses asked with that of all units, in windows of the treatment.

    The distribution of a unit's dose is taken to be its prediction plus the residuals of all rows.
    """
    doses, predicted = view.doses, view.predicted
    residuals = np.sort(doses - predicted)
    half = 0.25 * float(doses.std()) or 1.0
    effective, rare = [], []
    for asked in view.settings:
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
