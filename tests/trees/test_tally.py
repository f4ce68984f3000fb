"""Counts of one tree: the table and the sorted rows agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from janus_synth.kernels.dtypes import COUNT, INDEX
from janus_synth.trees import tally
from janus_synth.trees.leaves import count_tree
from janus_synth.trees.tally import tally_tree
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


@quick
@given(code_tables())
def test_leaves_are_only_written_when_asked_for(table):
    bag = bag_for(table, n_trees=1)
    assert not len(tally_tree(bag.splits, 0, table.x, bag.target, table.codec.n_codes, with_leaf=False).leaf)
