"""Counts of one tree: the table and the sorted rows agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.kernels.dtypes import CODE, COUNT, INDEX
from janus_synth.trees import tally
from janus_synth.trees.leaves import count_tree
from janus_synth.trees.tally import group_rows, tally_tree
from strategies import bag_for, code_tables, quick


def same(one, other) -> bool:
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("data", "indices", "indptr"))


@pytest.mark.parametrize("cells_per_row", [0, 1 << 20])
@quick
@given(code_tables())
def test_a_table_and_sorted_rows_give_the_same_counts(cells_per_row, table):
    bag = bag_for(table, n_trees=3, min_samples_leaf=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "CELLS_PER_ROW", cells_per_row)
        for t in range(bag.splits.n_trees):
            found = tally_tree(bag.splits, t, table.x, bag.target, table.codec.n_codes, with_leaf=True)
            own, others = count_tree(
                bag.splits, t, table.x, bag.target, table.codec.n_codes, bag.splits.leaves_reached(table.x, t)
            )
            assert same(found.forward, own)
            assert same(found.backward, others)
            assert found.forward.shape == own.shape
            assert found.backward.shape == others.shape
            assert (found.forward.data.dtype, found.backward.indices.dtype) == (COUNT, INDEX)
            np.testing.assert_array_equal(found.leaf, bag.splits.leaves_reached(table.x, t))


@pytest.mark.parametrize("copies", [3, 40])
@quick
@given(code_tables())
def test_equal_rows_are_counted_once_with_their_number(copies, table):
    bag, n_codes = bag_for(table, n_trees=2, min_samples_leaf=1), table.codec.n_codes
    x = np.ascontiguousarray(np.tile(table.x, copies))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "FEWEST_ROWS", 1)
        groups = group_rows(x, np.union1d(bag.splits.features, bag.target), n_codes)
    assert groups is not None
    assert groups.weight.sum() == groups.n_rows == x.shape[1]
    assert len(groups.weight) <= table.n_rows
    for t in range(bag.splits.n_trees):
        found = tally_tree(bag.splits, t, x, bag.target, n_codes, with_leaf=True, groups=groups)
        own, others = count_tree(bag.splits, t, x, bag.target, n_codes, bag.splits.leaves_reached(x, t))
        assert same(found.forward, own)
        assert same(found.backward, others)
        np.testing.assert_array_equal(found.leaf, bag.splits.leaves_reached(x, t))


def test_rows_are_not_grouped_where_that_costs_more_than_it_saves():
    rng, n = np.random.default_rng(0), 5_000
    x = np.stack([rng.integers(0, 4, n), rng.permutation(n)]).astype(CODE)
    n_codes = np.array([4, n], INDEX)
    assert group_rows(x, np.array([0], INDEX), n_codes) is not None
    assert group_rows(x, np.array([0, 1], INDEX), n_codes) is None  # all rows differ
    assert group_rows(x[:, :100].copy(), np.array([0], INDEX), n_codes) is None  # few rows
    wide = np.full(5, 2**13, INDEX)  # 65 bits
    assert group_rows(np.zeros((5, n), CODE), np.arange(5, dtype=INDEX), wide) is None


@quick
@given(code_tables())
def test_leaves_are_only_written_when_asked_for(table):
    bag = bag_for(table, n_trees=1)
    assert not len(tally_tree(bag.splits, 0, table.x, bag.target, table.codec.n_codes, with_leaf=False).leaf)
