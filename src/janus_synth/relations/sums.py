"""A table in; linear equations with simple coefficients that all complete rows keep out.

The null space of the centred columns holds all equations. Its circuits, the equations of which no column can be left
out, are read off reduced echelon forms with several orders of the columns; the shortest ones that span the null space
are kept if their coefficients are simple, chance is excluded, and every row keeps them.

Columns in single precision are added in a second pass with a coarser tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.relations.chance import MIN_ROWS
from janus_synth.relations.equations import Equation, constant_of, simple_number, verify
from janus_synth.relations.relation import Relation
from janus_synth.relations.view import View

SOLVED_ROWS = 2_000
"""Rows of which the null space is computed."""
N_ORDERS = 60
"""Orders of the columns that circuits are read off."""
DOUBLE, SINGLE = (1e-9, 1e-7, 1e-7), (1e-6, 1e-4, 1e-5)
"""By precision of the columns: singular values and coefficients of standardised columns below which they are zero, and
the relative error of coefficients."""


def find_sums(view: View) -> list[Relation]:
    """Sums and one-hot groups among the columns with numbers."""
    found: dict[frozenset[str], Relation | None] = {}
    equations: list[Equation] = []
    for names in complete_groups(view):
        for equation in _solve_twice(view, names, equations):
            key = frozenset(equation.names)
            if key in found:
                continue
            exact = verify(view, equation)
            decimals = view.decimals[equation.target]
            if exact is None and decimals is not None:
                exact = verify(view, replace(equation, decimals=decimals))
            found[key] = exact
            equations += [] if exact is None else [equation]
    return [relation for relation in found.values() if relation is not None]


def complete_groups(view: View) -> Iterator[list[str]]:
    """Sets of columns with enough rows in which none is null: one grown around each column, largest first."""
    present = {name: ~np.isnan(x) for name, x in view.numbers.items()}
    by_presence = sorted(present, key=lambda name: -int(present[name].sum()))
    groups: dict[frozenset[str], list[str]] = {}
    for first in by_presence:
        if any(first in group for group in groups):
            continue
        group, rows = [first], present[first]
        for name in by_presence:
            enough = max(3 * MIN_ROWS, 2 * len(group), 0.05 * len(rows))
            if name != first and (rows & present[name]).sum() >= enough:
                group.append(name)
                rows = rows & present[name]
        groups[frozenset(group)] = [name for name in view.numeric if name in set(group)]
    yield from (names for names in groups.values() if len(names) > 1)


def _solve_twice(view: View, names: list[str], known: Sequence[Equation]) -> Iterator[Equation]:
    """Equations of columns in double precision, then those that involve single precision."""
    single = {name for name in names if view.precision(name) > 1e-12}
    double = [name for name in names if name not in single]
    first: list[Equation] = []
    if len(double) > 1:
        for equation in solve(view, double, DOUBLE, ()):
            first.append(equation)
            yield equation
    if single:
        both = [*first, *(equation for equation in known if equation not in first)]
        yield from (e for e in solve(view, names, SINGLE, both) if single & set(e.names))


def complete_matrix(view: View, names: Sequence[str]) -> Floats:
    """Rows of the sample in which none of the columns is null."""
    matrix = np.column_stack([view.numbers[name] for name in names])
    return matrix[~np.isnan(matrix).any(axis=1)][:SOLVED_ROWS]


def solve(
    view: View, names: list[str], tolerances: tuple[float, float, float], known: Sequence[Equation]
) -> Iterator[Equation]:
    """Simple equations that the sample keeps, shortest first, none implied by shorter or known ones."""
    rows = complete_matrix(view, names)
    shifted = rows - rows[:1]  # exact, where times are long after 1970
    shifted = shifted - shifted.mean(axis=0)
    spread = shifted.std(axis=0)
    used = np.flatnonzero(spread > 0)
    if len(used) < 2 or len(rows) < len(used) + MIN_ROWS:
        return
    space = null_space(shifted[:, used] / spread[used], tolerances[0])
    chosen = _as_vectors(known, [names[j] for j in used], spread[used])
    for circuit in circuits(space, tolerances[1], view.random()):
        larger = np.vstack([chosen, circuit / np.linalg.norm(circuit)])
        if np.linalg.matrix_rank(larger, tol=10 * tolerances[1]) < len(larger):
            continue
        weights = {names[used[j]]: circuit[j] / spread[used[j]] for j in np.flatnonzero(circuit)}
        equation = simplify(view, weights, dict(zip(names, rows.T, strict=True)), tolerances[2])
        if equation is not None:
            chosen = larger
            yield equation


def _as_vectors(known: Sequence[Equation], names: Sequence[str], spread: Floats) -> Floats:
    """Coefficients of known equations for standardised columns, one row of length one per equation."""
    vectors: list[Floats] = []
    for equation in known:
        if set(equation.names) <= set(names):
            weights = {equation.target: -1.0, **dict(equation.terms)}
            vector = np.array([weights.get(name, 0.0) for name in names]) * spread
            vectors.append(vector / np.linalg.norm(vector))
    return np.array(vectors).reshape(len(vectors), len(names))


def null_space(standardised: Floats, tolerance: float) -> Floats:
    """Rows that span the combinations of columns that vanish."""
    _, sizes, basis = np.linalg.svd(standardised, full_matrices=False)
    vanishing: Floats = basis[sizes / math.sqrt(len(standardised)) < tolerance]
    return vanishing


def circuits(space: Floats, small: float, random: np.random.Generator, n_orders: int = N_ORDERS) -> list[Floats]:
    """Vectors of minimal support in the row space, those with the fewest columns first.

    Examples
    --------
    >>> space = np.array([[1.0, -1.0, 0.0, 0.0], [1.0, 1.0, -2.0, 1.0]])  # a == b, and a + b + d == 2 c
    >>> [circuit.tolist() for circuit in circuits(space, 1e-9, np.random.default_rng(0))][0]
    [1.0, -1.0, 0.0, 0.0]
    """
    found: dict[tuple[int, ...], Floats] = {}
    for i in range(1 if len(space) == 1 else n_orders * (len(space) > 0)):
        order = np.arange(space.shape[1]) if i == 0 else random.permutation(space.shape[1])
        for row in _echelon(space[:, order], small):
            circuit = np.zeros(space.shape[1])
            circuit[order] = row
            found.setdefault(tuple(np.flatnonzero(circuit).tolist()), circuit)
    return [found[key] for key in sorted(found, key=lambda key: (len(key), key))]


def _echelon(space: Floats, small: float) -> Floats:
    """Reduced row echelon form; what is smaller than ``small`` is zero."""
    reduced, rank = space.copy(), 0
    for j in range(space.shape[1]):
        if rank == len(reduced):
            break
        best = rank + int(np.argmax(np.abs(reduced[rank:, j])))
        if abs(reduced[best, j]) < 10 * small:
            continue
        reduced[[rank, best]] = reduced[[best, rank]]
        reduced[rank] /= reduced[rank, j]
        others = np.arange(len(reduced)) != rank
        reduced[others] -= np.outer(reduced[others, j], reduced[rank])
        rank += 1
    largest = np.abs(reduced).max(axis=1, keepdims=True)
    return np.where(np.abs(reduced) < small * largest, 0.0, reduced)


def simplify(view: View, weights: Mapping[str, float], rows: Mapping[str, Floats], tolerance: float) -> Equation | None:
    """Write a vanishing combination as an equation with simple coefficients, if there is one."""
    best: tuple[tuple[float, ...], Equation] | None = None
    for place, target in enumerate(weights):
        terms = {name: -weight / weights[target] for name, weight in weights.items() if name != target}
        simple = {name: simple_number(value, tolerance) for name, value in terms.items()}
        exact = {name: float(value) for name, value in simple.items() if value is not None}
        if len(exact) < len(terms):
            continue
        equation = Equation(target, tuple(exact.items()), constant_of(view, target, exact, rows))
        preference = _preference(view, target, simple.values(), rows[target], place)
        if best is None or preference < best[0]:
            best = preference, equation
    return None if best is None else best[1]


def _preference(
    view: View, target: str, coefficients: Iterable[Fraction | None], values: Floats, place: int
) -> tuple[float, ...]:
    """Rank of a way to write an equation: positive and whole coefficients, a total, a late column."""
    known = [value for value in coefficients if value is not None]
    return (
        view.unit(target) != "time",
        sum(value < 0 for value in known),
        sum(value.denominator > 1 for value in known),
        -float(np.round(values.std(), 6)),
        -place,
    )
