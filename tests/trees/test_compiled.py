"""Compiled trees: built once per bag and number of columns, and rebuilt for a changed bag."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.trees.compiled import compile_value_tree, in_tree
from strategies import bag_for, code_tables, quick, related_codes


@pytest.fixture
def table():
    return related_codes(np.random.default_rng(0), "ouo", 200)


def test_a_bag_compiles_its_trees_once_per_number_of_columns(table):
    bag = bag_for(table)
    assert bag.compiled(3) is bag.compiled(3)
    assert bag.compiled(4) is not bag.compiled(3)
    assert bag.compiled(3).trees.uses.shape == (bag.splits.n_trees, 3)
    np.testing.assert_array_equal(bag.compiled(4).trees.uses[:, :3], bag.compiled(3).trees.uses)
    assert not bag.compiled(4).trees.uses[:, 3].any()


def test_threads_that_ask_at_once_get_equal_arrays(table):
    bag = bag_for(table)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(bag.compiled, [3] * 32))
    for compiled in found:
        np.testing.assert_array_equal(compiled.table, bag.shares)
        np.testing.assert_array_equal(compiled.trees.share_left, found[0].trees.share_left)
    assert bag.compiled(3) is bag.compiled(3)


CHANGES = {
    "counted": lambda bag, x, n_codes: bag.counted(np.ascontiguousarray(x[:, ::3]), n_codes),
    "plus": lambda bag, x, n_codes: bag.plus(bag.counted(np.ascontiguousarray(x[:, ::3]), n_codes)),
    "allowing": lambda bag, x, n_codes: bag.allowing(np.ones_like(bag.leaves.allowed)),
    "other prior": lambda bag, x, n_codes: replace(bag, leaves=replace(bag.leaves, prior_strength=50.0)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("leaves", ["histogram", "trend"])
def test_a_changed_bag_never_carries_stale_arrays(leaves, change, table):
    bag, n_codes = bag_for(table, leaves=leaves), table.codec.n_codes
    assert (bag.trends is not None) == (leaves == "trend")
    fresh = CHANGES[change](bag_for(table, leaves=leaves), table.x, n_codes)  # a bag without cached arrays
    bag.prepare()
    assert bag.compiled(3).table is bag.shares
    changed = CHANGES[change](bag, table.x, n_codes)
    assert changed.compiled(3) is not bag.compiled(3)
    mine, theirs = changed.compiled(3), fresh.compiled(3)
    np.testing.assert_array_equal(mine.table, theirs.table)
    np.testing.assert_array_equal(mine.trees.share_left, theirs.trees.share_left)
    np.testing.assert_array_equal(mine.trends.rest, theirs.trends.rest)
    np.testing.assert_array_equal(mine.trends.cumulative, theirs.trends.cumulative)
    np.testing.assert_array_equal(changed.cdf, fresh.cdf)


@pytest.mark.parametrize("change", ["counted", "plus", "other prior"])
def test_the_changes_above_do_change_the_arrays(change, table):
    bag = bag_for(table)
    changed = CHANGES[change](bag, table.x, table.codec.n_codes)
    assert not np.array_equal(changed.compiled(3).table, bag.compiled(3).table)


@quick
@given(code_tables())
def test_the_probability_of_a_code_is_the_mean_over_all_trees(table):
    bag = bag_for(table, leaves="histogram")
    leaves = np.column_stack([bag.splits.leaves_reached(table.x, t) for t in range(bag.splits.n_trees)])
    expected = bag.shares[leaves, table.x[0][:, None]].astype(float).mean(axis=1)
    found = bag.compiled(len(table.x)).probability_of(table.x[0], table.x)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_limited_number_of_trees_rotates_from_row_to_row(table):
    compiled = bag_for(table, n_trees=3).compiled(3)
    every, few = compiled.leaves(table.x), compiled.leaves(table.x, most_trees=2)
    for row, trees in enumerate([(0, 1), (2, 0), (1, 2), (0, 1)]):
        assert few[row].tolist() == every[row, trees].tolist()


def test_each_row_may_choose_the_tree_whose_leaf_is_looked_up():
    leaves = np.array([[0, 5, 9], [1, 6, 8]], INDEX)
    assert in_tree(leaves, np.array([2, 1], INDEX)).tolist() == [[9], [6]]


def test_a_value_tree_averages_over_unknown_codes():
    """The root splits column 1 at code 0: the left value is 3 with a quarter of the rows, the right value 7."""
    part = {name: np.array(values, INDEX) for name, values in {
        "feature": [1, -1, -1], "cut": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1],
        "set_start": [-1, -1, -1],
    }.items()}  # fmt: skip
    tree = compile_value_tree(
        **part, left_levels=np.zeros(0, np.uint8), share_left=np.array([0.25, 0, 0], np.float32),
        value=np.array([100.0, 3.0, 7.0]), n_columns=2,
    )  # fmt: skip
    x = np.array([[0, 0, 0], [0, 1, UNKNOWN]], CODE)
    assert tree.columns_of_first_tree().tolist() == [1]
    assert tree.values(x).tolist() == pytest.approx([3.0, 7.0, 0.25 * 3 + 0.75 * 7])
