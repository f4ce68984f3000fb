"""Mean outcomes along a numeric treatment: covariates, doses and an outcome in, a curve with its errors out.

Outcome and treatment are both freed of what covariates predict (Robinson 1988; the R-learner of Nie and Wager 2021):
the residual of Y is regressed on the residuals of φ(T), polynomials and hinges at quantiles, and of their products with
covariates, which let the curve differ from unit to unit. The line is free; the rest has normal priors, see
`mixed_regression`, so that a straight line costs nothing and a kink is followed. In a subgroup the curve is that of all
rows plus a deviation, which has priors as well. Where the noise clearly depends on dose or covariates (`noise_spread`),
rows are weighted; errors are those of a sandwich in any case. Skewed doses
have two scales (`dose_scale`), averaged by their evidence.
Rows without a dose or an outcome, at random given the covariates, count among the units that are averaged over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial.hermite_e import hermevander

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.questions.dose_scale import dose_scales
from janus_synth.questions.doubly_robust import RARE_RATIO, Overlap, Scores, arm_scores
from janus_synth.questions.mixed_regression import MIN_WEIGHT, MixedFit, fit_mixed, fit_with_kinks
from janus_synth.questions.noise_spread import Spread, fit_spread
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
MAX_JOINT, CLEAR_JOINT = 5, 4.0
"""Products of two covariates that the curve may depend on, and the standard errors by which each has to be seen."""
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
        Treatment and outcome of each row; NaN if it is not known.
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
    modifiers = x.linear[:, :MAX_MODIFIERS]
    modifiers = modifiers - modifiers[among].mean(axis=0)
    joint = x.products - x.products[among].mean(axis=0)
    known = ~(np.isnan(doses) | np.isnan(outcome))
    if known.all():
        return _known_scores(x, doses, outcome, among, settings, modifiers, joint, rng)[0]
    rows = np.flatnonzero(known)
    found, untreated = _known_scores(
        x.take(rows), doses[rows], outcome[rows], among[rows], settings, modifiers[rows], joint[rows], rng
    )
    return _among_all(found, untreated, x, rows, among, rng)


def _known_scores(
    x: Covariates,
    doses: Floats,
    outcome: Floats,
    among: Bools,
    settings: Sequence[Floats],
    modifiers: Floats,
    joint: Floats,
    rng: np.random.Generator,
) -> tuple[Scores, Floats]:
    """Scores of rows with a dose and an outcome, and their outcomes without treatment.

    ``joint`` are products of two covariates, of which those that clearly modify the curve are modifiers, too.
    """
    folds = assign_folds(_quantile_groups(doses), rng)
    scales = dose_scales(doses)
    predicted = predict_means(x, np.column_stack([outcome, *(scale(doses) for scale in scales)]), folds)
    views = [
        _view(x, scale(doses), outcome, list(map(scale, settings)), predicted[:, [0, k]], folds)
        for k, scale in enumerate(scales, 1)
    ]
    residuals = views[-1].doses - views[-1].predicted, outcome - predicted[:, 0]
    modifiers = np.column_stack([modifiers, joint[:, _joint_modifiers(*residuals, modifiers, joint)]])
    views, weights = _weighted_views(x, views, outcome, modifiers, among, predicted[:, 0], folds)
    root = np.sqrt(weights)
    residual = min((view.residual * root for view in views), key=lambda one: float(one @ one))
    designs = [_products(view.phi - view.expected, modifiers, among) for view in views]
    results = [fit_with_kinks(one.matrix * root[:, None], residual, one.groups, HINGES) for one in designs]
    evidence = np.array([one for one, _ in results])
    shares = np.exp(evidence - evidence.max())
    shares = np.where(shares >= MIN_WEIGHT, shares, 0.0)
    shares /= shares.sum()
    found, untreated = [], np.zeros(len(outcome))
    for view, share, (_, fits) in zip(views, shares, results, strict=True):
        terms = _products(view.phi, modifiers, among).matrix
        for weight, fit in fits if share else ():
            without = outcome - terms @ fit.coefficients
            untreated += share * weight * without
            means = _curve_means(fit, terms, without, view.asked, modifiers, among)
            found.append((share * weight, *means, fit.freedom))
    overlap = _dose_overlap(views[int(shares.argmax())], among)
    return _average(found, int(among.sum()), overlap), untreated


def _among_all(
    found: Scores, untreated: Floats, x: Covariates, rows: LongInts, among: Bools, rng: np.random.Generator
) -> Scores:
    """Scores of known rows as those of all rows: the outcome without treatment is averaged over the others, too.

    Differences between settings are those of the known rows, whose modifiers are centred among all rows.
    """
    outcome, own = np.full(len(among), np.nan), among[rows]
    outcome[rows] = untreated
    everyone = arm_scores(x, np.zeros(len(among), np.int64), 1, outcome, among, [[0]], rng=rng)
    mean, n = untreated[own].mean(), int(own.sum())
    influence = np.repeat(everyone.influence, len(found.values), axis=1)
    influence[rows] += found.influence - np.where(own, untreated - mean, 0.0)[:, None] / n
    bias = found.bias + everyone.bias
    return replace(found, values=found.values + everyone.values - mean, influence=influence, bias=bias)


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
    basis: DoseBasis


def _weighted_views(
    x: Covariates,
    views: list[View],
    outcome: Floats,
    modifiers: Floats,
    among: Bools,
    predicted: Floats,
    folds: LongInts,
) -> tuple[list[View], Floats]:
    """Views in which rows with much noise count less, and the weights; the same views if the noise is even.

    Weights depend on the dose, so what covariates predict is to be a weighted mean, too: E[w φ | X] / E[w | X]. Only
    then are errors of these predictions still of second order.
    """
    spreads = [_spread(x, view, modifiers, among) for view in views]
    best = max(spreads, key=lambda one: one.gain)
    if not best.is_clear:
        return views, np.ones(len(outcome))
    weights = best.weights
    found = []
    for view, spread in zip(views, spreads, strict=True):
        third = _shifted_means(view.basis, view.doses, view.predicted, spread)
        expected = predict_means(x, view.phi, folds, third=third, weights=weights)
        means = _outcome_means(x, view.phi, expected, outcome, predicted, folds, weights)
        found.append(replace(view, expected=expected, residual=outcome - means))
    return found, weights


def _joint_modifiers(dose: Floats, outcome: Floats, modifiers: Floats, joint: Floats) -> LongInts:
    """Products of covariates whose product with residuals of the dose goes with what modifiers leave of the outcome."""
    if not joint.shape[1]:
        return np.zeros(0, np.int64)
    known = dose[:, None] * np.column_stack([np.ones(len(dose)), modifiers])
    new, rest = (
        part - known @ np.linalg.lstsq(known, part, rcond=None)[0] for part in (dose[:, None] * joint, outcome)
    )
    terms = new * rest[:, None]
    seen = np.abs(terms.sum(axis=0)) / np.maximum(np.sqrt((terms**2).sum(axis=0)), 1e-300)
    best = np.argsort(-seen, kind="stable")[:MAX_JOINT]
    return np.sort(best[seen[best] > CLEAR_JOINT])


def _spread(x: Covariates, view: View, modifiers: Floats, among: Bools) -> Spread:
    """Spread of what a smooth curve leaves over."""
    design = _products(view.phi - view.expected, modifiers, among)
    fit = fit_mixed(design.matrix, view.residual, design.groups)
    rest = view.residual - design.matrix @ fit.coefficients
    groups = np.array([*POWERS, *[HINGES] * (view.phi.shape[1] - DEGREE)])
    return fit_spread(view.basis, view.doses, groups, x.hinges, rest)


def _view(
    x: Covariates, doses: Floats, outcome: Floats, settings: Sequence[Floats], predicted: Floats, folds: LongInts
) -> View:
    """Everything that depends on the scale; ``predicted`` are outcome and dose given the covariates."""
    basis = fit_basis(doses)
    phi = basis(doses)
    expected = predict_means(x, phi, folds, third=_shifted_means(basis, doses, predicted[:, 1]))
    residual = outcome - _outcome_means(x, phi, expected, outcome, predicted[:, 0], folds)
    asked = np.stack([basis(doses_of).mean(axis=0) for doses_of in settings])
    return View(doses, settings, predicted[:, 1], phi, expected, asked, residual, basis)


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
    x: Covariates,
    phi: Floats,
    expected: Floats,
    outcome: Floats,
    predicted: Floats,
    folds: LongInts,
    weights: Floats | None = None,
) -> Floats:
    """E[outcome | covariates], as the mean without treatment plus what a rough polynomial says the treatment adds.

    The outcome without treatment is a simpler function of covariates than the outcome: it has no curvature that
    comes from the curve. What a regression of the outcome misses of that, hinges would follow.
    """
    modifiers = x.linear[:, :MAX_MODIFIERS] - x.linear[:, :MAX_MODIFIERS].mean(axis=0)
    rough, groups = _rough_terms(phi - expected, modifiers)
    root = np.ones(len(outcome)) if weights is None else np.sqrt(weights)
    fit = fit_mixed(rough * root[:, None], (outcome - predicted) * root, groups)
    added, mean = (_rough_terms(part, modifiers)[0] @ fit.coefficients for part in (phi, expected))
    return np.asarray(predict_means(x, (outcome - added)[:, None], folds, weights=weights)[:, 0] + mean)


def _rough_terms(phi: Floats, modifiers: Floats) -> tuple[Floats, LongInts]:
    """Polynomials, and the line times modifiers; with their groups."""
    groups = np.array([*POWERS, *[LINE_PRODUCTS] * modifiers.shape[1]])
    return np.column_stack([phi[:, :DEGREE], phi[:, :1] * modifiers]), groups


def _curve_means(
    fit: MixedFit, terms: Floats, untreated: Floats, asked: Floats, modifiers: Floats, among: Bools
) -> tuple[Floats, Floats, Floats]:
    """Mean outcomes under settings, their influence row by row, and the covariance of their smoothing bias.

    The outcome of a row minus what its own treatment does, plus what the setting does: E Y − E θ(T, X) + E θ(v, X).
    Products with centred modifiers average to zero over the units, so that a setting needs the main terms only, and
    those of the subgroup, which come last. They are part of the influence: other units would have other modifiers.
    """
    n, n_main = int(among.sum()), asked.shape[1]
    mean = untreated[among].mean()
    gradient = np.zeros((len(asked), terms.shape[1]))
    gradient[:, :n_main] = asked
    if not among.all():
        gradient[:, -n_main:] = asked
    values = mean + gradient @ fit.coefficients
    gradient -= terms[among].mean(axis=0)
    own = untreated[:, None] - mean + _modified(fit.coefficients, asked, modifiers)
    influence = np.where(among[:, None], own, 0.0) / n + fit.errors @ gradient.T
    return values, influence, gradient @ fit.bias @ gradient.T


def _modified(coefficients: Floats, asked: Floats, modifiers: Floats) -> Floats:
    """(n, v) what the modifiers of each row add to the main terms under each setting."""
    n_main, each = asked.shape[1], modifiers.shape[1]
    shapes = [0, *(DEGREE + k for k in _shape_knots(n_main - DEGREE))]
    products = coefficients[n_main : n_main + len(shapes) * each].reshape(len(shapes), each)
    return np.asarray(modifiers @ products.T @ asked[:, shapes].T)


def _shifted_means(basis: DoseBasis, doses: Floats, predicted: Floats, spread: Spread | None = None) -> Floats:
    """E[φ(T) | covariates] if doses scatter around their predictions as the residuals of all rows do.

    With a spread, E[w φ | covariates] / E[w | covariates]: its part that depends on covariates cancels.
    """
    residuals = np.quantile(doses - predicted, (np.arange(N_RESIDUALS) + 0.5) / N_RESIDUALS)
    if spread is None:
        return np.asarray(sum(basis(predicted + residual) for residual in residuals) / N_RESIDUALS)
    weights = [spread.of_doses(predicted + residual) ** -2.0 for residual in residuals]
    total = sum(
        weight[:, None] * basis(predicted + residual) for weight, residual in zip(weights, residuals, strict=True)
    )
    return np.asarray(total / np.sum(weights, axis=0)[:, None])


@dataclass(frozen=True, slots=True)
class Design:
    """Columns of a regression, and the variance component of each; group 0 is free."""

    matrix: Floats
    groups: LongInts


def _products(phi: Floats, modifiers: Floats, among: Bools) -> Design:
    """Main terms, the line and a few hinges times modifiers, and in a subgroup its deviation from the main terms."""
    n_hinges, n_modifiers = phi.shape[1] - DEGREE, modifiers.shape[1]
    shapes = _shape_knots(n_hinges)
    parts = [phi, phi[:, :1] * modifiers, *(phi[:, DEGREE + k, None] * modifiers for k in shapes)]
    groups = [*POWERS, *[HINGES] * n_hinges, *[LINE_PRODUCTS] * n_modifiers]
    groups += [HINGE_PRODUCTS] * (len(shapes) * n_modifiers)
    if not among.all():
        parts.append(among[:, None] * phi)
        groups += [OWN_LINE, *[OWN_POWERS] * (DEGREE - 1), *[OWN_HINGES] * n_hinges]
    return Design(np.column_stack(parts), np.array(groups))


def _shape_knots(n_hinges: int) -> list[int]:
    """Hinges that are multiplied with modifiers."""
    return sorted({round(k) for k in np.linspace(0, n_hinges - 1, N_SHAPE_KNOTS + 2)[1:-1]}) if n_hinges else []


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
