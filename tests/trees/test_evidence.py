"""Local evidence: sums over nodes, where rows lie, and answers that fade into those of the nodes above."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.questions.support import evidence_of
from janus_synth.trees.evidence import MEAN_DISTANCE, node_depths, nodes_above, sum_below
from janus_synth.trees.leaves import entropy_of


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=800), rng.choice(list("pq"), 800)
    y = np.where(g == "p", x, -x) + 0.3 * rng.normal(size=800)
    frame = pd.DataFrame({"x": x, "g": g, "y": y, "unrelated": rng.normal(size=800)})
    graph = [("x", "y"), ("g", "y"), ("unrelated", "y")]
    return Janus(structure=graph, leaves="histogram", n_trees=4, random_state=0).fit(frame).model_


def leaves_below(splits, node):
    if splits.left[node] < 0:
        return [int(splits.leaf_of_node[node])]
    return leaves_below(splits, splits.left[node]) + leaves_below(splits, splits.right[node])


def test_sums_over_nodes_are_those_of_their_leaves(model):
    splits = model.bag("y").splits
    above = nodes_above(splits)
    numbers = np.random.default_rng(1).random((splits.n_leaves, 2))
    found = sum_below(splits, above, numbers)
    for node in range(len(above)):
        np.testing.assert_allclose(found[node], numbers[leaves_below(splits, node)].sum(axis=0))
    assert (above[splits.roots] == -1).all()
    assert (node_depths(above)[splits.roots] == 0).all()


def test_a_node_answers_for_new_parts_like_a_random_one_of_its_leaves(model):
    evidence = evidence_of(model, "y")
    splits, rows = evidence.bag.splits, evidence.bag.leaves.n_rows
    for node in range(0, len(splits.left), 7):
        leaves = leaves_below(splits, node)
        weight = rows[leaves] / rows[leaves].sum()
        np.testing.assert_allclose(evidence.node_shares[node], weight @ evidence.leaves.shares[leaves], atol=1e-9)
        assert evidence.node_expected[node] == pytest.approx(weight @ evidence.leaves.expected[leaves])
    assert (entropy_of(evidence.node_shares) >= evidence.node_expected - 1e-9).all()


def test_bits_are_the_codes_of_the_nodes_rows(model):
    evidence = evidence_of(model, "y")
    bag, offsets = evidence.bag, np.concatenate([[0], np.cumsum(model.codec.n_codes)])
    backward = bag.leaves.backward.toarray()
    for node in range(0, len(bag.splits.left), 5):
        leaves = leaves_below(bag.splits, node)
        for j, column in enumerate(bag.parents):
            counts = backward[leaves, offsets[column] : offsets[column + 1]].sum(axis=0)
            words = evidence.evidence.occupied[node, j]
            bits = [bool(int(words[k // 64]) >> (k % 64) & 1) for k in range(len(counts))]
            assert bits == (counts > 0).tolist()


@pytest.mark.statistical
@pytest.mark.parametrize("n", [10, 40])
def test_the_distance_between_normal_rows_is_as_assumed(n):
    """10,000 samples: the mean distance in spreads times n is near 3; its standard error is 0.06."""
    rng = np.random.default_rng(n)
    rows, new = rng.normal(size=(10_000, n)), rng.normal(size=(10_000, 1))
    spread = np.minimum(rows.std(axis=1), np.subtract(*np.quantile(rows, [0.75, 0.25], axis=1)) / 1.349)
    mean = (np.abs(rows - new).min(axis=1) / spread).mean() * n
    assert mean == pytest.approx(MEAN_DISTANCE, abs=0.5)


def test_columns_count_only_where_the_tree_uses_them(model):
    evidence = evidence_of(model, "y")
    splits = evidence.bag.splits
    for t in range(splits.n_trees):
        at = splits.nodes_of(t)
        used = set(splits.feature[at][splits.left[at] >= 0].tolist())
        leaf = splits.leaf_of_node[at].max()
        assert {int(c) for c, u in zip(evidence.bag.parents, evidence.evidence.uses[leaf], strict=True) if u} == used
