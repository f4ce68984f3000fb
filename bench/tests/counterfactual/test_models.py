from itertools import product

import numpy as np
import pytest

from janus_bench.counterfactual.models import CAUSE, GRAPHS, NOISES, Case, descendants_of, other_rows

CASES = [Case(graph, noise, 0) for graph, noise in product(GRAPHS, NOISES)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_unchanged_values_give_the_factual_rows_back(case):
    model = case.model()
    noise = model.draw_noise(50, np.random.default_rng(0))
    rows = model.rows_of(noise)
    assert np.allclose(model.rows_of(noise, do={CAUSE: rows[CAUSE].to_numpy()}), rows)
    assert np.array_equal(model.draw(50, np.random.default_rng(0)), rows)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_only_descendants_differ_in_the_truth(case):
    question = case.question(10, 50)
    differs = {column for column in question.rows if not np.allclose(question.rows[column], question.truth[column])}
    assert differs == {CAUSE, *descendants_of(CAUSE, case.parents)}
    assert np.array_equal(question.truth[CAUSE], question.do[CAUSE])


@pytest.mark.statistical
def test_functions_are_standardised_and_change_their_sign():
    # Over 20,000 rows a mean of unit spread misses by 0.007; 0.05 is seven of that, a false alarm below 1e-11.
    model = Case("Triangle", "NADD", 3).model()
    rows = model.draw(20_000, np.random.default_rng(1))
    signal = model.nodes["x3"].function(rows[["x1", "x2"]].to_numpy())
    assert abs(signal.mean()) < 0.05
    assert abs(signal.std() - 1) < 0.15  # heavier tails than a normal: the spread is less certain
    assert 0.05 < (signal < 0).mean() < 0.95


def test_positive_functions_stay_positive():
    model = Case("Diamond", "NADD+", 1).model()
    noise = model.draw_noise(5_000, np.random.default_rng(0))
    rows, safe = model.rows_of(noise), (np.column_stack([*noise.values()]) > -9).all(axis=1)
    assert (rows.loc[safe, ["x2", "x3", "x4"]] > 0).all(axis=None)


def test_seeds_differ_and_repeat():
    first, again, other = (Case("Chain", "NLIN", seed).question(5, 5) for seed in (0, 0, 1))
    assert np.array_equal(first.truth, again.truth)
    assert not np.allclose(first.truth, other.truth)


def test_every_row_takes_another_row_once():
    others = other_rows(100, np.random.default_rng(0))
    assert sorted(others) == list(range(100))
    assert (others != np.arange(100)).all()
