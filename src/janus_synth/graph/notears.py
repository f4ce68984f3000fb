"""Continuous structure learning: codes in, a DAG out, by linear NOTEARS.

The graph of a linear model X = X W + noise is found by one smooth problem: least squares with an L1 penalty on W,
subject to h(W) = tr exp(W ∘ W) − d = 0, which holds exactly for acyclic W (Zheng et al., 2018, "DAGs with NO TEARS").
It is solved by the augmented Lagrangian method with L-BFGS-B, as in the paper; bounds keep forbidden edges at zero.
Columns enter as normal scores, unordered ones as scores of their levels. They all have variance 1: the directions that
NOTEARS finds on raw values largely follow their variances, which change with the units (Reisach et al., 2021, "Beware
of the simulated DAG!").
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats
from janus_synth.errors import StructureError
from janus_synth.graph.dag import Dag
from janus_synth.graph.independence import column_features
from janus_synth.graph.knowledge import Knowledge
from janus_synth.graph.learners import forest

PENALTY = 0.1
"""Weight of the L1 penalty, as in the paper."""
THRESHOLD = 0.1
"""Coefficients of standardised columns below which an edge is dropped."""
MIN_ROWS = 10
START = 1e-3
"""Coefficients that the search begins with, from earlier to later columns."""
MAX_WEIGHT, MAX_CYCLES = 4.0, 1e50
"""Bounds on coefficients and on tr exp(W ∘ W), so that nothing overflows in steps that are too long."""
MAX_ROUNDS, TOLERANCE, MAX_STIFFNESS = 100, 1e-8, 1e16
"""Limits of the augmented Lagrangian method, as in the paper's own code."""


def notears_graph(
    codes: Codes,
    ordered: Sequence[bool],
    knowledge: Knowledge,
    *,
    max_rows: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> Dag:
    """Learn a DAG by linear NOTEARS.

    Parameters
    ----------
    codes : array of shape (n_columns, n_rows)
        Columns in the order of ``knowledge.columns``.
    ordered : sequence of bool
        Whether the codes of each column have an order.
    knowledge : Knowledge
        Required and forbidden edges, and tiers.
    max_rows : int
        Maximum number of rows; larger tables are subsampled without replacement.
    seed : int or Generator
        Seed of the subsample.

    Raises
    ------
    StructureError
        For codes that do not fit the columns, or fewer than ten rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> age = rng.integers(50, size=1_000)
    >>> pay = age + rng.integers(30, size=1_000)
    >>> codes = np.array([age, pay, pay + rng.integers(30, size=1_000)], dtype=np.uint16)
    >>> known = Knowledge(("age", "pay", "loan"), tiers=(("age",), ("pay",), ("loan",)))
    >>> print(notears_graph(codes, [True, True, True], known))
    age
    pay ← age
    loan ← pay
    """
    n_columns, n_rows = len(knowledge.columns), codes.shape[-1]
    if codes.ndim != 2 or len(codes) != n_columns or len(ordered) != n_columns:
        raise StructureError(
            f"codes of shape {codes.shape} and {len(ordered)} order flags do not fit {n_columns} columns."
        )
    if min(n_rows, max_rows) < MIN_ROWS:
        raise StructureError(
            f"structure='notears' needs at least {MIN_ROWS} rows, not {min(n_rows, max_rows)}. Use "
            "structure='chain', or give the graph."
        )
    if n_rows > max_rows:
        codes = codes[:, np.sort(np.random.default_rng(seed).choice(n_rows, max_rows, replace=False))]
    scores = column_scores(codes, ordered)
    names = knowledge.columns
    allowed = np.array([[knowledge.allows(parent, child) for child in names] for parent in names])
    weights = np.abs(acyclic_weights(scores.T @ scores / len(scores), allowed))
    weights[weights < THRESHOLD] = 0.0
    place = {name: i for i, name in enumerate(names)}
    return forest(
        knowledge,
        lambda child, parents: weights[[place[parent] for parent in parents], place[child]],
        most_parents=n_columns,
    )


def column_scores(codes: Codes, ordered: Sequence[bool]) -> Floats:
    """(rows, columns) scores with mean 0 and variance 1; constant columns are 0.

    The levels of an unordered column are placed along the direction in which the means of all other columns given the
    level differ most (the first axis of a correspondence analysis).
    """
    features = [
        column_features(column.astype(float), ordered=order) for column, order in zip(codes, ordered, strict=True)
    ]
    scores = np.zeros((codes.shape[1], len(codes)))
    for i, (column, order) in enumerate(zip(codes, ordered, strict=True)):
        if order:
            own = features[i][:, 0] if features[i].shape[1] else scores[:, i]
        else:
            others = [part for j, part in enumerate(features) if j != i and part.shape[1]]
            own = _level_scores(column, np.column_stack(others)) if others else scores[:, i]
        deviation = own.std()
        scores[:, i] = (own - own.mean()) / deviation if deviation > 0 else 0.0
    return scores


def _level_scores(column: Codes, others: Floats) -> Floats:
    _, level, count = np.unique(column, return_inverse=True, return_counts=True)
    means = np.zeros((len(count), others.shape[1]))
    np.add.at(means, level, others / np.maximum(others.std(axis=0), 1e-12))
    weight = np.sqrt(count)
    directions, _, _ = np.linalg.svd(means / weight[:, None], full_matrices=False)
    return np.asarray((directions[:, 0] / weight)[level])


def acyclic_weights(covariance: Floats, allowed: Bools) -> Floats:
    """Coefficients W (parents × children) of the penalised least squares problem, acyclic up to small entries.

    With covariance S, the loss is ½ tr (I − W)ᵀ S (I − W). W = U − V with U, V ≥ 0 makes the penalty linear.
    """
    from scipy.linalg import expm  # slow to import
    from scipy.optimize import minimize

    d = len(covariance)
    identity = np.eye(d)
    start = START * np.triu(allowed)  # W = 0 would keep both directions between two copies at the same weight
    flat = np.concatenate([start.ravel(), np.zeros(d * d)])
    bounds = [(0, MAX_WEIGHT if may else 0) for may in allowed.ravel()] * 2
    stiffness, multiplier, cycles = 1.0, 0.0, np.inf

    def objective(point: Floats) -> tuple[float, Floats]:
        weights = _weight_matrix(point, d)
        left = covariance @ (identity - weights)
        loss = 0.5 * float(((identity - weights) * left).sum())
        power = expm(weights * weights)
        h = float(np.trace(power)) - d
        if not h < MAX_CYCLES:  # only the line search comes here
            return MAX_CYCLES**2, np.zeros_like(point)
        gradient = -left + (stiffness * h + multiplier) * power.T * weights * 2
        value = loss + 0.5 * stiffness * h * h + multiplier * h + PENALTY * float(point.sum())
        return value, np.concatenate([gradient.ravel() + PENALTY, -gradient.ravel() + PENALTY])

    for _ in range(MAX_ROUNDS):
        while True:
            with np.errstate(over="ignore", invalid="ignore"):
                found = minimize(objective, flat, method="L-BFGS-B", jac=True, bounds=bounds).x
            weights = _weight_matrix(found, d)
            h = float(np.trace(expm(weights * weights))) - d
            if h <= 0.25 * cycles or stiffness >= MAX_STIFFNESS:
                break
            stiffness *= 10
        flat, cycles, multiplier = found, h, multiplier + stiffness * h
        if h <= TOLERANCE or stiffness >= MAX_STIFFNESS:
            break
    return _weight_matrix(flat, d)


def _weight_matrix(point: Floats, d: int) -> Floats:
    return (point[: d * d] - point[d * d :]).reshape(d, d)
