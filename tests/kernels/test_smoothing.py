"""Shrinkage against the formula, node by node and slot by slot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import psi

from janus_synth.kernels.dtypes import CODE, COUNT, INDEX, REAL
from janus_synth.kernels.smoothing import cumulate, digamma, leaning, shrink_at, shrink_down
from janus_synth.trees.code_tree import flat_tree, polya_tree
from reference import smoothing as reference
from strategies import quick, random_shape, seeds

SINGLE = 1e-6
"""Shares are stored as 32-bit floats."""


def shrunk(left, right, counts, tree, strength, floor, first=None, hierarchical=True, left_out=0.0, noise=None):
    """Distributions of all leaves by the kernel; leaves are numbered in the order of their nodes."""
    left, right = np.asarray(left, INDEX), np.asarray(right, INDEX)
    leaf_of_node = np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(INDEX)
    sparse = csr_array(np.asarray(counts, COUNT))
    out = np.full(counts.shape, np.nan, np.float32)
    first = strength if first is None else first
    shrink_down(
        left, right, sparse.indptr.astype(INDEX), sparse.indices.astype(INDEX), sparse.data.astype(REAL), leaf_of_node,
        tree.path_start, tree.path_slot, tree.slot_up, np.asarray(strength, REAL), np.asarray(first, REAL),
        np.asarray(floor, REAL), hierarchical, left_out, out, np.empty(0) if noise is None else noise,
    )  # fmt: skip
    return out, leaf_of_node


@quick
@given(
    seeds,
    st.integers(0, 5),
    st.integers(1, 9),
    st.sampled_from([flat_tree, polya_tree]),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.booleans(),
)
def test_shares_follow_the_formula_and_sum_to_one(seed, n_splits, n_codes, make, prior, hierarchical):
    rng = np.random.default_rng(seed)
    left, right = random_shape(rng, n_splits)
    counts = rng.poisson(rng.choice([0.2, 5.0]), (n_splits + 1, n_codes))
    tree = make(counts.sum(axis=0))
    allowed = rng.random(n_codes) < 0.7
    allowed[rng.integers(n_codes)] = True
    allowed |= counts.sum(axis=0) > 0
    strength, first = prior * np.maximum(1, tree.level), rng.choice([0.5, 1.0, 100.0]) * np.maximum(1, tree.level)
    floor = tree.share_of_allowed(allowed)
    out, leaf_of_node = shrunk(left, right, counts, tree, strength, floor, first, hierarchical)
    expected = reference.shrink_down(left, right, counts, leaf_of_node, tree, strength, first, floor, hierarchical)
    np.testing.assert_allclose(out, expected, atol=SINGLE)
    np.testing.assert_allclose(out.sum(axis=1), 1.0, atol=SINGLE)
    assert ((out > 0) == allowed).all()  # every allowed code is possible in every leaf, no other is


@given(st.floats(1e-3, 1e6))
def test_digamma_is_that_of_scipy(x):
    assert digamma(x) == pytest.approx(psi(x), rel=1e-10, abs=1e-11)


@pytest.mark.statistical
@pytest.mark.parametrize("hierarchical", [True, False])
@pytest.mark.parametrize("make", [flat_tree, polya_tree])
def test_mean_entropies_are_those_of_a_million_draws(make, hierarchical):
    """A z-test per leaf at 5 standard errors: 16 leaves raise a false alarm once in 100,000 runs."""
    rng = np.random.default_rng(5)
    left, right = random_shape(rng, 3)
    counts = rng.poisson(3.0, (4, 6))
    tree = make(counts.sum(axis=0))
    strength, first = np.maximum(1.0, tree.level), 4.0 * np.maximum(1, tree.level)
    floor, noise = tree.share_of_allowed(np.ones(6, bool)), np.full(4, np.nan)
    _, leaf_of_node = shrunk(left, right, counts, tree, strength, floor, first, hierarchical, noise=noise)
    mean, error = reference.drawn_entropies(
        left, right, counts, leaf_of_node, tree, strength, first, floor, rng, 1_000_000 // 4, hierarchical
    )
    assert (np.abs(noise - mean) < 5 * error).all()
    assert (error < 1e-3).all()


@quick
@given(seeds, st.integers(0, 4), st.integers(1, 6), st.sampled_from([flat_tree, polya_tree]), st.booleans())
def test_leave_one_out_shares_are_those_of_the_other_rows(seed, n_splits, n_codes, make, hierarchical):
    """Against a table with one row fewer, for every code that a leaf has."""
    rng = np.random.default_rng(seed)
    left, right = random_shape(rng, n_splits)
    counts = rng.poisson(rng.choice([0.5, 5.0]), (n_splits + 1, n_codes))
    tree = make(counts.sum(axis=0))
    strength, first = np.maximum(1.0, tree.level), 10.0 * np.maximum(1, tree.level)
    floor = tree.share_of_allowed(np.ones(n_codes, bool))
    out, leaf_of_node = shrunk(left, right, counts, tree, strength, floor, first, hierarchical, left_out=1.0)
    expected = reference.shrink_down(
        left, right, counts, leaf_of_node, tree, strength, first, floor, hierarchical, left_out=1
    )
    there = counts > 0
    np.testing.assert_allclose(out[there], expected[there], atol=SINGLE)


@quick
@given(
    seeds,
    st.integers(0, 4),
    st.integers(1, 6),
    st.sampled_from([flat_tree, polya_tree]),
    st.booleans(),
    st.sampled_from([0, 1]),
)
def test_single_shares_are_those_of_the_reference(seed, n_splits, n_codes, make, hierarchical, left_out):
    """Pairs of leaf and code in any order, some more than once; without a row only where a leaf has one."""
    rng = np.random.default_rng(seed)
    left, right = (np.array(side, INDEX) for side in random_shape(rng, n_splits))
    leaf_of_node = np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(INDEX)
    counts = rng.poisson(rng.choice([0.5, 5.0]), (n_splits + 1, n_codes))
    tree = make(counts.sum(axis=0))
    strength, first = np.maximum(1.0, tree.level), 10.0 * np.maximum(1, tree.level)
    floor = tree.share_of_allowed(np.ones(n_codes, bool))
    expected = reference.shrink_down(
        left, right, counts, leaf_of_node, tree, strength, first, floor, hierarchical, left_out
    )  # fmt: skip
    leaf, code = np.nonzero(counts > 0 if left_out else counts >= 0)
    chosen = rng.integers(0, max(1, len(leaf)), 2 * len(leaf))
    leaf, code, sparse = leaf[chosen], code[chosen], csr_array(np.asarray(counts, COUNT))
    out = np.full(len(leaf), np.nan)
    shrink_at(
        left, right, sparse.indptr.astype(INDEX), sparse.indices.astype(INDEX), sparse.data, leaf_of_node,
        tree.path_start, tree.path_slot, tree.slot_up, strength, first, floor, hierarchical, float(left_out),
        leaf.astype(INDEX), code.astype(CODE), out,
    )  # fmt: skip
    np.testing.assert_allclose(out, expected[leaf, code], rtol=1e-12)


@given(
    st.integers(0, 20), st.integers(0, 20), st.sampled_from([0.1, 1.0, 30.0]), st.floats(0, 1), st.sampled_from([0, 1])
)
def test_a_share_is_shrunk_towards_another(count, others, strength, share, left_out):
    found = leaning(float(count), float(count + others), strength, share, float(left_out))
    assert found == pytest.approx(reference.leaning(count, count + others, strength, share, left_out), rel=1e-12)
    if left_out and count:
        assert found == pytest.approx(leaning(count - 1.0, count + others - 1.0, strength, share, 0.0), rel=1e-12)


def test_the_root_is_shrunk_towards_the_floor_by_its_own_strength():
    """By hand: two codes, a root with two leaves, equal shares weighing 6 rows at the root and 2 below it."""
    counts = np.array([[8, 0], [1, 3]])
    tree = flat_tree(counts.sum(axis=0))
    out, _ = shrunk([1, -1, -1], [2, -1, -1], counts, tree, np.full(3, 2.0), np.full(3, 0.5), first=np.full(3, 6.0))
    root = (9 + 3) / (12 + 6)
    np.testing.assert_allclose(out[:, 0], [(8 + 2 * root) / (8 + 2), (1 + 2 * root) / (4 + 2)], atol=SINGLE)


def test_a_leaf_is_shrunk_towards_the_root_by_the_strength():
    """By hand: three codes, a flat prior of strength 2, and a root with two leaves."""
    counts = np.array([[8, 0, 0], [1, 1, 2]])
    tree = flat_tree(counts.sum(axis=0))
    out, _ = shrunk([1, -1, -1], [2, -1, -1], counts, tree, np.full(4, 2.0), np.full(4, 1 / 3))
    root = (np.array([9, 1, 2]) + 2 / 3) / (12 + 2)
    np.testing.assert_allclose(out[0], (counts[0] + 2 * root) / (8 + 2), atol=SINGLE)
    np.testing.assert_allclose(out[1], (counts[1] + 2 * root) / (4 + 2), atol=SINGLE)


def test_a_binary_code_tree_shrinks_level_by_level():
    """Computed by hand: codes 0 and 1 are children of one slot, 2 (missing) is its sibling."""
    counts = np.array([[3, 1, 0]])
    tree = polya_tree(np.array([3, 1, 0]))
    assert tree.slot_up.tolist() == [0, 0, 0, 1, 1]
    out, _ = shrunk([-1], [-1], counts, tree, [0, 1, 1, 2, 2], [0, 0.75, 0.25, 0.5, 0.5])
    present = (4 + 1 * 0.75) / (4 + 1)
    first = (3 + 2 * 0.5) / (4 + 2)
    assert out[0] == pytest.approx([present * first, present * (1 - first), 1 - present], abs=SINGLE)


def test_an_empty_leaf_takes_the_shares_of_the_node_above():
    counts = np.array([[0, 0], [6, 2]])
    tree = flat_tree(counts.sum(axis=0))
    out, _ = shrunk([1, -1, -1], [2, -1, -1], counts, tree, np.full(3, 1.0), np.full(3, 0.5))
    np.testing.assert_allclose(out[0], (np.array([6, 2]) + 0.5) / 9, atol=SINGLE)


def test_a_flat_prior_does_not_shrink_towards_the_node_above():
    counts = np.array([[8, 0, 0], [1, 1, 2]])
    tree = flat_tree(counts.sum(axis=0))
    out, _ = shrunk([1, -1, -1], [2, -1, -1], counts, tree, np.full(4, 3.0), np.full(4, 1 / 3), hierarchical=False)
    np.testing.assert_allclose(out, (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3), atol=SINGLE)


@quick
@given(seeds, st.integers(1, 6), st.integers(1, 12))
def test_cumulative_shares_end_in_one_at_the_last_possible_code(seed, n_rows, n_codes):
    rng = np.random.default_rng(seed)
    shares = (rng.random((n_rows, n_codes)) * (rng.random((n_rows, n_codes)) < 0.7)).astype(np.float32)
    shares[:, 0] += np.float32(0.1)
    out = np.empty_like(shares)
    cumulate(shares, out)
    np.testing.assert_allclose(out, reference.cumulate(shares), atol=SINGLE)
    for row, line in zip(shares, out, strict=True):
        assert (line[np.flatnonzero(row)[-1] :] == 1.0).all()
