"""A table in; linear equations with simple coefficients that all but a few rows keep out.

A few wrong rows hide an equation from the null space of all rows, but not from that of a small set without any of them:
equations are proposed from many small sets of rows, and judged by all rows. Chance must be excluded although the rows
that break an equation may be any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.relations.chance import MIN_ROWS, is_credible, log_choices
from janus_synth.relations.details import PartSum
from janus_synth.relations.equations import (
    LOG_COEFFICIENTS,
    MAX_MEMBERS,
    Equation,
    equation_statement,
    equation_text,
    follows_from_two,
    log_unmoved_by,
)
from janus_synth.relations.relation import Relation
from janus_synth.relations.sums import DOUBLE, circuits, complete_groups, complete_matrix, null_space, simplify
from janus_synth.relations.texts import first_true, or_null, rows_that_hold
from janus_synth.relations.view import View

MAX_EXCEPTIONS = 0.05
"""Share of rows that may break an equation."""
MOST_FREQUENT = 0.9
"""Share of the most frequent value of a column, at most: terms that are nearly always zero are left out."""
MORE_ROWS, N_SETS, N_ORDERS = 20, 24, 3
"""Rows of a set beyond the number of columns, sets, and orders of the columns that circuits are read off."""


def find_partial_sums(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Sums that up to 5 % of the rows break, and that no known relation of the same columns explains."""
    said = [frozenset(relation.columns) for relation in known]
    names = [name for name in view.numeric if _varies(view, name)]
    found: dict[frozenset[str], Relation | None] = {}
    for group in complete_groups(view):
        for equation in _proposals(view, [name for name in group if name in names]):
            key = frozenset(equation.names)
            if key in found or any(key <= other for other in said) or follows_from_two(key, known):
                continue
            found[key] = _verify(view, equation)
    kept = [relation for relation in found.values() if relation is not None]
    return _independent(view, kept)


def _varies(view: View, name: str) -> bool:
    """Whether a column has plain numbers in double precision, and no value that nearly all rows have."""
    codes = view.codes[name]
    counts = np.bincount(codes[codes >= 0])
    exact = view.unit(name) == "number" and view.precision(name) <= 1e-12
    return exact and not view.table.schema[name].is_discrete and counts.max() <= MOST_FREQUENT * counts.sum()


def _proposals(view: View, names: Sequence[str]) -> Iterator[Equation]:
    """Equations of three and more columns that some small set of rows keeps."""
    if len(names) < 3:
        return
    rows, size = complete_matrix(view, names), len(names) + MORE_ROWS
    for start in range(0, min(len(rows) - size, N_SETS * size) + 1, size):
        yield from _solve(view, names, rows[start : start + size])


def _solve(view: View, names: Sequence[str], rows: Floats) -> Iterator[Equation]:
    centred = rows - rows.mean(axis=0)
    spread = centred.std(axis=0)
    used = np.flatnonzero(spread > 0)
    if len(used) < 3:
        return
    space = null_space(centred[:, used] / spread[used], DOUBLE[0])
    for circuit in circuits(space, DOUBLE[1], view.random(), N_ORDERS):
        members = np.flatnonzero(circuit)
        if 3 <= len(members) <= MAX_MEMBERS:
            weights = {names[used[j]]: circuit[j] / spread[used[j]] for j in members}
            equation = simplify(view, weights, dict(zip(names, rows.T, strict=True)), DOUBLE[2])
            if equation is not None:
                yield equation


def _verify(view: View, equation: Equation) -> Relation | None:
    """Return the relation, if few rows break it and chance is excluded."""
    names = equation.names
    arrays = {name: view.numbers[name] for name in names}
    present = ~np.isnan(np.column_stack(list(arrays.values()))).any(axis=1)
    keeps = present & equation_statement(view, equation)(arrays)
    n_rows, n_kept = int(present.sum()), int(keeps.sum())
    if n_rows < MIN_ROWS or not (1 - MAX_EXCEPTIONS) * n_rows <= n_kept < n_rows:
        return None
    tried = log_choices(len(view.numbers), len(names)) + len(names) * LOG_COEFFICIENTS
    chance = log_unmoved_by(view, equation, {name: array[keeps] for name, array in arrays.items()})
    if not is_credible(chance + log_choices(n_rows, n_rows - n_kept), tried):
        return None
    text = equation_text(view, equation)
    rule = or_null(text, names, view.table.schema)
    holding = rows_that_hold(rule, view.table)
    complete = view.complete(names)
    support = int(complete.sum())
    if holding is None or (~holding).sum() > MAX_EXCEPTIONS * support:
        return None
    exceptions = int((~holding).sum())
    detail = PartSum(equation.target, equation.terms, equation.constant, 1 - exceptions / support)
    example = view.row_values(first_true(complete & holding), names)
    shown = f"{text} in {detail.share:.1%} of rows"
    return Relation("sum", names, rule, support, exceptions, example, detail, shown)


def _independent(view: View, found: Sequence[Relation]) -> list[Relation]:
    """Drop equations that follow from shorter ones."""
    kept: list[Relation] = []
    vectors = np.zeros((0, len(view.numeric)))
    for relation in sorted(found, key=lambda relation: (len(relation.columns), relation.exceptions)):
        assert isinstance(relation.detail, PartSum)
        weights = {relation.detail.column: -1.0, **dict(relation.detail.terms)}
        vector = np.array([weights.get(name, 0.0) for name in view.numeric])
        larger = np.vstack([vectors, vector / np.linalg.norm(vector)])
        if np.linalg.matrix_rank(larger, tol=1e-9) == len(larger):
            vectors = larger
            kept.append(relation)
    return kept
