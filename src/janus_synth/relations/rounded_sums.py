"""A table in; columns that equal a sum of others after rounding out, such as a tax of 20 % in whole cents.

A column is a candidate if regression on all others leaves no more than rounding. Terms that are not needed are removed
one by one, coefficients become the simplest numbers within their confidence intervals, and all rows must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.relations.chance import MIN_ROWS
from janus_synth.relations.details import Sum
from janus_synth.relations.equations import (
    MAX_COEFFICIENT,
    MAX_MEMBERS,
    Equation,
    constant_of,
    follows_from_two,
    verify,
)
from janus_synth.relations.relation import Relation
from janus_synth.relations.sums import complete_groups, complete_matrix
from janus_synth.relations.view import View

MAX_RESIDUAL = 0.4
"""Standard deviation of the residual in units of the last decimal; that of rounding is 0.29."""
MIN_SPREAD = 5.0
"""Standard deviation of the column in units of the last decimal: below it, rounding would explain anything."""
DENOMINATORS = (1, 2, 4, 5, 10, 20, 25, 50, 100, 3, 6, 8, 12, 24, 30, 40, 60, 200, 1000)


def find_rounded_sums(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Rounded sums of columns that no exact sum determines."""
    determined = {relation.detail.column for relation in known if isinstance(relation.detail, Sum)}
    found: dict[str, Relation] = {}
    for group in complete_groups(view):
        names = [name for name in group if name not in determined and view.unit(name) == "number"]
        rows = complete_matrix(view, names) if len(names) > 1 else np.zeros((0, 1))
        if len(rows) < len(names) + MIN_ROWS:
            continue
        for j in _candidates(view, names, rows):
            if names[j] in found:
                continue
            equation = _solve(view, names, rows, j)
            relation = None if equation is None else verify(view, equation)
            if (
                relation is not None
                and not _is_reverse(relation, found.values())
                and not follows_from_two(relation.columns, known)
            ):
                found[names[j]] = relation
    return list(found.values())


def _is_reverse(relation: Relation, found: Iterable[Relation]) -> bool:
    """Whether the same columns are related already."""
    return any(set(other.columns) == set(relation.columns) for other in found)


def _candidates(view: View, names: Sequence[str], rows: Floats) -> list[int]:
    """Columns whose regression on all others leaves only rounding; those that it leaves most of come first.

    If a sum is rounded, its inputs also follow from it, but with less than their own rounding.
    """
    spread = rows.std(axis=0)
    if (spread == 0).any():
        return []
    correlation = np.atleast_2d(np.corrcoef(rows, rowvar=False))
    residual = spread / np.sqrt(np.maximum(np.diag(np.linalg.pinv(correlation, rcond=1e-12)), 1.0))
    units = np.array([_unit(view, name) for name in names])
    fits = (residual <= MAX_RESIDUAL * units) & (spread >= MIN_SPREAD * units)
    return sorted(np.flatnonzero(fits).tolist(), key=lambda j: -residual[j] / units[j])


def _unit(view: View, name: str) -> float:
    """Unit of the last decimal; 0 if there is none."""
    decimals = view.decimals[name]
    return 0.0 if decimals is None or view.table.schema[name].is_discrete else 10.0**-decimals


def _solve(view: View, names: Sequence[str], rows: Floats, j: int) -> Equation | None:
    """Return the shortest equation that regression finds, with simple coefficients."""
    used = [k for k in range(len(names)) if k != j]
    limit = MAX_RESIDUAL * _unit(view, names[j])
    while True:
        slopes, errors, residual = _regress(rows[:, used], rows[:, j])
        shorter = _shorten(rows, used, j, slopes, errors, limit)
        if shorter is None:
            break
        used = shorter
    if len(used) >= MAX_MEMBERS or residual > limit:
        return None
    simple = [simplest_within(slope, 4 * error) for slope, error in zip(slopes, errors, strict=True)]
    terms = {names[k]: value for k, value in zip(used, simple, strict=True) if value is not None}
    if len(terms) < len(used) or not terms:
        return None
    arrays = dict(zip(names, rows.T, strict=True))
    constant = constant_of(view, names[j], terms, arrays)
    return Equation(names[j], tuple(terms.items()), constant, view.decimals[names[j]])


def _shorten(rows: Floats, used: list[int], j: int, slopes: Floats, errors: Floats, limit: float) -> list[int] | None:
    """Leave out the least significant term, if what remains still leaves only rounding."""
    if len(used) < 2:
        return None
    least = int(np.argmin(np.abs(slopes) / np.maximum(errors, 1e-300)))
    shorter = [k for i, k in enumerate(used) if i != least]
    return shorter if _regress(rows[:, shorter], rows[:, j])[2] <= limit else None


def _regress(inputs: Floats, target: Floats) -> tuple[Floats, Floats, float]:
    """Slopes of a linear regression, their standard errors, and the standard deviation of the residual."""
    centred = inputs - inputs.mean(axis=0)
    scale = centred.std(axis=0)
    scaled = centred / scale
    slopes = np.linalg.lstsq(scaled, target - target.mean(), rcond=None)[0]
    residual = float(np.std(target - target.mean() - scaled @ slopes))
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=1e-12)
    errors = residual * np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return slopes / scale, errors / scale, residual


def simplest_within(value: float, margin: float) -> float | None:
    """Return the number with the simplest denominator within a margin; None if the margin leaves it open.

    Examples
    --------
    >>> simplest_within(0.2004, 0.001), simplest_within(0.19, 0.1)
    (0.2, None)
    """
    if margin > 0.02 * abs(value):
        return None
    for denominator in DENOMINATORS:
        fraction = Fraction(round(value * denominator), denominator)
        if fraction and abs(float(fraction) - value) <= margin and abs(fraction) <= MAX_COEFFICIENT:
            return float(fraction)
    return None
