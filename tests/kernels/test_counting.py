"""Counting against a dense table and ``np.add.at``."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from janus_synth.kernels.counting import add_sparse, count_ordered, group_by_leaf
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX
from reference import counting as reference
from strategies import quick, seeds


def grouped(leaf, n_leaves):
    first, rows = np.zeros(n_leaves + 1, INDEX), np.full(len(leaf), -7, INDEX)
    group_by_leaf(leaf, first, rows)
    return first, rows


@quick
@given(seeds, st.integers(0, 60), st.integers(1, 9), st.integers(0, 5), st.integers(1, 12))
def test_counts_equal_a_dense_table(seed, n_rows, n_leaves, n_columns, n_codes):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, n_codes, (6, n_rows)).astype(CODE)
    columns = rng.permutation(6)[:n_columns].astype(INDEX)
    offsets = (n_codes * np.arange(n_columns)).astype(INDEX)
    width = n_codes * max(1, n_columns)
    leaf = rng.integers(0, n_leaves, n_rows).astype(INDEX)
    first, rows = grouped(leaf, n_leaves)
    assert (rows.tolist(), first.tolist()) == reference.group_by_leaf(leaf, n_leaves)
    start, key, count = count_ordered(x, columns, offsets, width, rows, first[:-1], first[1:])
    expected = reference.count_ordered(x, columns, offsets, width, leaf, n_leaves)
    np.testing.assert_array_equal(csr_array((count, key, start), shape=expected.shape).toarray(), expected)
    assert len(key) == np.count_nonzero(expected)  # only what occurs
    assert all((np.diff(key[a:b]) > 0).all() for a, b in pairwise(start))


def test_counts_keep_their_narrow_types():
    x = np.zeros((1, 3), CODE)
    first, rows = grouped(np.zeros(3, INDEX), 2)
    start, key, count = count_ordered(x, np.zeros(1, INDEX), np.zeros(1, INDEX), 1, rows, first[:-1], first[1:])
    assert (start.dtype, key.dtype, count.dtype) == (INDEX, INDEX, COUNT)
    assert (start.tolist(), key.tolist(), count.tolist()) == ([0, 1, 1], [0], [3])


def sparse(table):
    found = csr_array(table.astype(COUNT))
    found.sort_indices()
    return found.indptr.astype(INDEX), found.indices.astype(INDEX), found.data


@quick
@given(seeds, st.integers(0, 8), st.integers(1, 9), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 0.3, 1.0]))
def test_sums_equal_those_of_dense_tables(seed, n_rows, width, share, other_share):
    rng = np.random.default_rng(seed)
    one, other = (
        rng.integers(1, 2**29, (n_rows, width)) * (rng.random((n_rows, width)) < p) for p in (share, other_share)
    )
    start, key, count = add_sparse(*sparse(one), *sparse(other))
    np.testing.assert_array_equal(csr_array((count, key, start), shape=one.shape).toarray(), reference.add(one, other))
    assert len(key) == len(count) == np.count_nonzero(one + other)
    assert key.base is None
    assert count.base is None  # not part of a larger array
    assert (start.dtype, key.dtype, count.dtype) == (INDEX, INDEX, COUNT)
    assert all((np.diff(key[a:b]) > 0).all() for a, b in pairwise(start))
