"""The check of a bag's arrays against the reference, on bags with up to two cells changed at random."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.checking import find_problem
from janus_synth.kernels.dtypes import INDEX
from reference import checking as reference
from strategies import quick, seeds

NAMES = ("feature", "left", "right", "set_start", "left_levels", "leaf_of_node")


def random_bag(rng, n_trees):
    """Arrays of valid trees: nodes that split are chosen breadth first."""
    roots, left, right = [], [], []
    for _ in range(n_trees):
        first = len(left)
        roots.append(first)
        n_inner, n_nodes, node = int(rng.integers(5)), 1, 0
        while node < n_nodes:
            splits = n_inner > 0 and (node == n_nodes - 1 or rng.random() < 0.6)
            left.append(first + n_nodes if splits else -1)
            right.append(first + n_nodes + 1 if splits else -1)
            n_inner, n_nodes, node = n_inner - splits, n_nodes + 2 * splits, node + 1
    left, right = np.array(left, INDEX), np.array(right, INDEX)
    inner = left >= 0
    levels = rng.integers(2, size=int(rng.integers(1, 6))).astype(np.uint8)
    return {
        "roots": np.array(roots, INDEX),
        "feature": np.where(inner, rng.integers(4, size=len(left)), -1).astype(INDEX),
        "left": left,
        "right": right,
        "set_start": np.where(inner & (rng.random(len(left)) < 0.5), 0, -1).astype(INDEX),
        "left_levels": levels,
        "leaf_of_node": np.where(inner, -1, np.cumsum(~inner) - 1).astype(INDEX),
    }


@quick
@given(seeds, st.integers(1, 3), st.integers(0, 2))
def test_the_first_problem_is_found(seed, n_trees, n_changes):
    rng = np.random.default_rng(seed)
    bag = random_bag(rng, n_trees)
    for name in rng.choice(NAMES, n_changes):
        at = int(rng.integers(len(bag[name])))
        bag[name][at] = rng.integers(0, 3) if name == "left_levels" else rng.integers(-2, len(bag["left"]) + 2)
    found = find_problem(**bag)
    assert found == reference.find_problem(**bag)
    assert n_changes or not found


def test_every_problem_occurs():
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(3000):
        bag = random_bag(rng, 2)
        name = str(rng.choice(NAMES))
        at = int(rng.integers(len(bag[name])))
        bag[name][at] = 2 if name == "left_levels" else rng.integers(-2, len(bag["left"]) + 2)
        found.add(find_problem(**bag))
    assert found == set(range(7))
