from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest

from janus_synth.relations.chance import (
    FALSE_RELATIONS,
    chance_share,
    is_credible,
    log_choices,
    log_constant_groups,
    log_tail,
    log_unmoved,
)


@pytest.mark.parametrize(("n", "exceptions", "share"), [(8, 0, 0.5), (12, 2, 0.3), (9, 9, 0.7), (5, 1, 0.0001)])
def test_the_tail_is_a_sum_of_binomial_terms(n, exceptions, share):
    exact = sum(math.comb(n, k) * (1 - share) ** k * share ** (n - k) for k in range(exceptions + 1))
    assert math.exp(log_tail(n, exceptions, share)) == pytest.approx(exact, rel=1e-9)


def test_a_statement_that_always_holds_is_no_evidence():
    assert log_tail(1000, 0, 1.0) == 0.0
    assert not is_credible(0.0, 0.0)


def test_many_candidates_need_more_evidence():
    probability = math.log(FALSE_RELATIONS / 10)
    assert is_credible(probability, math.log(9))
    assert not is_credible(probability, math.log(11))


def test_permutations_that_move_nothing_are_counted():
    values = np.array([0.0, 3.0, 0.0, 1.0, 3.0, 0.0])
    same = sum(bool((np.array(order) == values).all()) for order in permutations(values))
    assert math.exp(log_unmoved(values)) == pytest.approx(same / math.factorial(6), rel=1e-9)
    noisy = values + np.array([0.0, 1e-12, 1e-13, 0.0, 0.0, -1e-13])
    assert log_unmoved(noisy, slack=1e-11) == log_unmoved(values)


def test_constant_groups_equal_enumeration():
    sizes, shares = np.array([1, 2, 3]), [0.5, 0.3, 0.2]
    exact = 0.0
    for values in product(range(3), repeat=6):
        groups = values[:1], values[1:3], values[3:]
        if all(len(set(group)) == 1 for group in groups):
            exact += math.prod(shares[value] for value in values)
    assert math.exp(log_constant_groups(sizes, shares)) == pytest.approx(exact, rel=1e-12)


def test_the_share_by_chance_is_that_of_independent_pairs():
    random = np.random.default_rng(0)
    arrays = {"x": random.integers(0, 4, 500), "y": random.integers(0, 4, 500)}
    equal = np.mean(arrays["x"][:, None] == arrays["y"][None, :])
    share = chance_share(lambda cells: cells["x"] == cells["y"], arrays, np.random.default_rng(1))
    assert equal <= share <= equal + 0.02


def test_the_weakest_column_counts():
    """z is nearly constant: a permuted z keeps y == x + z in almost all rows, though a permuted y keeps it in none."""
    random = np.random.default_rng(0)
    x, z = random.normal(size=400), np.zeros(400)
    z[:4] = 1.0
    share = chance_share(lambda c: c["y"] == c["x"] + c["z"], {"x": x, "y": x + z, "z": z}, np.random.default_rng(1))
    assert share > 0.97


def test_choices():
    assert math.exp(log_choices(7, 3)) == pytest.approx(35)
