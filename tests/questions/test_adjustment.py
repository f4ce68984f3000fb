"""Adjustment sets against the algebra of linear models, d-separation against the enumeration of paths, and refusals."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from janus_synth.errors import NotIdentifiedError, UnknownColumnError
from janus_synth.graph import Dag
from janus_synth.questions.adjustment import (
    adjustment_set,
    causal_columns,
    check_effect,
    closes_backdoors,
    connected,
    directed_path,
)

NAMES = list("abcdef")


def random_dag(seed: int, share: float = 0.45) -> Dag:
    rng = np.random.default_rng(seed)
    order = rng.permutation(NAMES)
    edges = [(str(p), str(c)) for i, p in enumerate(order) for c in order[i + 1 :] if rng.random() < share]
    return Dag.from_edges(NAMES, edges)


def linear_model(dag: Dag, seed: int, hidden=()):
    """Coefficients and covariance of a linear structural model with the graph, and hidden causes of some pairs."""
    rng = np.random.default_rng([seed, 1])
    n = len(NAMES)
    weights = np.zeros((n, n))
    for parent, child in dag.edges:
        weights[NAMES.index(child), NAMES.index(parent)] = rng.uniform(0.5, 1.5) * rng.choice([-1, 1])
    noise = np.eye(n)
    for one, other in hidden:
        loading = np.zeros(n)
        loading[[NAMES.index(one), NAMES.index(other)]] = rng.uniform(0.5, 1.5, 2)
        noise += np.outer(loading, loading)
    total = np.linalg.inv(np.eye(n) - weights)
    return total, total @ noise @ total.T


def regression_coefficient(covariance, treatment, outcome, given) -> float:
    x = [NAMES.index(name) for name in (treatment, *given)]
    return np.linalg.solve(covariance[np.ix_(x, x)], covariance[x, NAMES.index(outcome)])[0]


@pytest.mark.parametrize("seed", range(25))
def test_adjusting_gives_the_total_effect_of_linear_models(seed):
    dag = random_dag(seed)
    total, covariance = linear_model(dag, seed)
    for treatment, outcome in combinations(NAMES, 2):
        if not causal_columns(dag, treatment, [outcome]):
            continue
        others = [name for name in NAMES if name not in {treatment, outcome, *dag.descendants(treatment)}]
        for also in ([], others[:1]):
            given = adjustment_set(dag, treatment, [outcome], also=also)
            assert set(also) <= set(given)
            truth = total[NAMES.index(outcome), NAMES.index(treatment)]
            assert regression_coefficient(covariance, treatment, outcome, given) == pytest.approx(truth, abs=1e-8)


@pytest.mark.parametrize("seed", range(25))
def test_hidden_causes_are_adjusted_for_or_refused(seed):
    """What is returned is right in a linear model; what is refused, no columns before the treatment get right."""
    dag, rng = random_dag(seed, 0.35), np.random.default_rng([seed, 2])
    hidden = [tuple(str(name) for name in rng.choice(NAMES, 2, replace=False)) for _ in range(2)]
    total, covariance = linear_model(dag, seed, hidden)
    for treatment, outcome in combinations(NAMES, 2):
        if not causal_columns(dag, treatment, [outcome]):
            continue
        truth = total[NAMES.index(outcome), NAMES.index(treatment)]
        before = [name for name in NAMES if name not in {treatment, *dag.descendants(treatment)}]
        try:
            sets = [adjustment_set(dag, treatment, [outcome], confounded=hidden)]
        except NotIdentifiedError:
            sets = [given for k in range(len(before) + 1) for given in combinations(before, k)]
            assert all(abs(regression_coefficient(covariance, treatment, outcome, s) - truth) > 1e-8 for s in sets)
        else:
            assert regression_coefficient(covariance, treatment, outcome, sets[0]) == pytest.approx(truth, abs=1e-8)


def open_path_exists(dag: Dag, start: str, stop: str, given) -> bool:
    """Enumerate all undirected paths; a path is open if each collider leads to ``given`` and no other node is in it."""
    edges = set(dag.edges)
    neighbours = {name: {a if b == name else b for a, b in edges if name in (a, b)} for name in NAMES}

    def walk(path):
        if path[-1] == stop:
            yield path
            return
        for following in neighbours[path[-1]] - set(path):
            yield from walk([*path, following])

    def is_open(path):
        for left, name, right in zip(path, path[1:], path[2:], strict=False):
            if (left, name) in edges and (right, name) in edges:
                if not ({name} | dag.descendants(name)) & set(given):
                    return False
            elif name in given:
                return False
        return True

    return any(is_open(path) for path in walk([start]))


@pytest.mark.parametrize("seed", range(12))
def test_connected_columns_have_an_open_path(seed):
    dag = random_dag(seed)
    parents = {name: set(its) for name, its in dag.parents.items()}
    for start, stop in combinations(NAMES, 2):
        others = [name for name in NAMES if name not in (start, stop)]
        for given in ([], others[:1], others[1:3], others):
            assert (stop in connected(parents, start, given)) == open_path_exists(dag, start, stop, given)


def test_columns_that_only_predict_the_treatment_are_left_out():
    dag = Dag.from_edges("itzyp", [("i", "t"), ("z", "t"), ("z", "y"), ("t", "y"), ("p", "y")])
    assert adjustment_set(dag, "t", ["y"]) == ("z", "p")
    assert not closes_backdoors(dag, "t", ["y"], ["y"], ["i", "p"])


def test_what_is_not_identified_is_named():
    dag = Dag.from_edges("tmy", [("t", "m"), ("m", "y")])
    with pytest.raises(NotIdentifiedError, match="'t' and 'y' have an unobserved common cause.*Measure") as caught:
        adjustment_set(dag, "t", ["y"], confounded=[("t", "y")])
    assert caught.value.columns == ("t", "y")
    with pytest.raises(NotIdentifiedError, match="'y' comes after 't' in the graph \\(t → m → y\\).*Swap"):
        check_effect(dag, "y", ["t"])
    with pytest.raises(NotIdentifiedError, match="'t' is the treatment and part of the outcome"):
        check_effect(dag, "t", ["y", "t"])
    with pytest.raises(UnknownColumnError, match="no column 'q'"):
        adjustment_set(dag, "t", ["y"], confounded=[("t", "q")])
    with pytest.raises(ValueError, match="pairs of two columns"):
        adjustment_set(dag, "t", ["y"], confounded=["ty"])
    assert directed_path(dag, "y", "t") == []
