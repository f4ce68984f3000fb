"""Screening keeps the parents that matter, and leaves narrow tables as they are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from janus_synth.graph import Dag
from janus_synth.graph.screening import MOST_PARENTS, N_GROUPS, coarse_groups, mutual_information, screen_parents


def chain_of(n_columns):
    return Dag({f"c{i}": tuple(f"c{j}" for j in range(i)) for i in range(n_columns)})


def noise(n_columns, n_rows, seed=0):
    return np.random.default_rng(seed).integers(0, 30, (n_columns, n_rows)).astype(np.uint16)


def test_mutual_information_is_that_of_the_coarse_groups():
    x, ordered = noise(4, 500), [True, False, True, True]
    x[1] = x[0] // 10
    groups = [coarse_groups(codes, ordered=each) for codes, each in zip(x, ordered, strict=True)]
    found = mutual_information(x, ordered)
    for i, first in enumerate(groups):
        for j, second in enumerate(groups):
            chance = first.max() * second.max() / (2 * 500)
            assert found[i, j] == pytest.approx(mutual_info_score(first, second) - chance, abs=1e-6)


def test_groups_are_few_keep_order_and_hold_equal_mass():
    codes = np.random.default_rng(1).integers(0, 200, 8_000).astype(np.uint16)
    group = coarse_groups(codes, ordered=True)
    assert set(group) == set(range(N_GROUPS))
    assert (np.diff(group[np.argsort(codes, kind="stable")]) >= 0).all()
    assert np.bincount(group).min() > 0.8 * 8_000 / N_GROUPS


def test_frequent_levels_have_groups_of_their_own():
    codes = np.repeat(np.arange(20), np.arange(100, 0, -5)).astype(np.uint16)
    group = coarse_groups(codes, ordered=False)
    assert len({int(group[codes == level][0]) for level in range(N_GROUPS - 1)}) == N_GROUPS - 1
    assert len(np.unique(group[codes >= N_GROUPS - 1])) == 1


def test_the_parents_that_matter_stay():
    n_columns = MOST_PARENTS + 30
    x = noise(n_columns, 3_000)
    rng = np.random.default_rng(2)
    x[-1] = (x[3] + x[40] + rng.integers(0, 3, 3_000)).astype(np.uint16)
    screened = screen_parents(chain_of(n_columns), x, [True] * n_columns)
    kept = screened.parents[f"c{n_columns - 1}"]
    assert {"c3", "c40"} <= set(kept)
    assert len(kept) == MOST_PARENTS
    assert list(kept) == sorted(kept, key=lambda name: int(name[1:]))


def test_required_edges_stay_whatever_their_score():
    n_columns = MOST_PARENTS + 30
    last = f"c{n_columns - 1}"
    edges = [(f"c{i}", last) for i in range(10)]
    screened = screen_parents(chain_of(n_columns), noise(n_columns, 1_000), [False] * n_columns, edges)
    assert {parent for parent, _ in edges} <= set(screened.parents[last])


def test_a_narrow_table_is_left_as_it_is():
    dag = chain_of(MOST_PARENTS + 1)
    assert screen_parents(dag, noise(MOST_PARENTS + 1, 50), [True] * (MOST_PARENTS + 1)) is dag
