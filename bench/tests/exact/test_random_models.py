import numpy as np
import pytest

from janus_bench.constrained.calibrate import Rarity, random_condition
from janus_bench.constrained.conditions import Bound
from janus_bench.exact.random_models import EASIEST, RAREST, Case, calibrated_on, rows_among
from janus_bench.models.random_sem import random_sem

CASES = [Case(number) for number in range(40)]


def test_every_kind_meets_both_graphs_and_shares_lie_between_the_bounds():
    assert {(case.graph, case.kind) for case in CASES[:6]} == {
        (graph, kind) for graph in ("given", "learnt") for kind in ("range", "inter-column", "mixed")
    }
    shares = [case.rarity.target for case in CASES]
    assert 1e-4 < RAREST <= min(shares) < 1e-3
    assert 1e-2 < max(shares) <= EASIEST < 1e-1
    assert {case.rarity.n_comparisons for case in CASES} == {1, 2, 3}


def test_a_case_follows_from_its_number_and_purposes_differ():
    assert Case(3).rarity == Case(3).rarity != Case(4).rarity
    assert len({Case(number).seed(purpose) for number in (3, 4) for purpose in (11, 12)}) == 4


@pytest.mark.parametrize("number", [0, 1, 2])
def test_requests_are_as_rare_under_the_model_as_they_are_meant_to_be(number):
    case = Case(number)
    sem = case.key.sem()
    model = case.fit(sem, n_train=500)
    condition = calibrated_on(model, case, sem, pool_rows=100_000)
    share = model.probability(str(condition)).value
    assert share == pytest.approx(case.rarity.target, rel=0.5)
    assert any(isinstance(literal, Bound) and literal.other for literal in condition.literals) == (
        case.kind == "inter-column"
    )
    assert (case.graph == "given") == (set(model.dag_.edges) <= set(sem.edges))


def test_thresholds_are_read_from_the_rows_that_are_given():
    sem = random_sem(5, seed=0)
    rng = np.random.default_rng(0)
    rows = sem.draw(20_000, rng)
    moved = rows.assign(**{name: rows[name] + 1_000 for name in sem.numbers})
    condition = random_condition(sem, "range", Rarity(0.01, 2), rng, rows_under=rows_among(moved))
    assert all(literal.bound > 500 for literal in condition.literals)
    assert condition.mask(moved).mean() == pytest.approx(0.01, rel=0.3)


def test_a_pool_without_comparisons_is_all_of_it():
    pool = random_sem(5, seed=0).draw(100, np.random.default_rng(0))
    bound = Bound("x1", ">=", float(pool["x1"].median()))
    assert len(rows_among(pool)(())) == 100
    assert len(rows_among(pool)((bound,))) == 50
