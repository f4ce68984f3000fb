"""Gains of cuts against the evidence of whole count tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import LevelCodec
from janus_synth.kernels import gaining
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX, REAL
from janus_synth.trees import GrowthSettings, prepare_growth
from reference import gaining as reference
from reference.parting import sort_by_rank
from strategies import quick, seeds

EXACT = 1e-9


def ground_of(codes, n_codes, ordered):
    """A single column by its codes; the last two of them are those for rare levels and for missing."""
    own = np.arange(n_codes - 2, dtype=np.int32)
    codec = LevelCodec(own, np.ones(len(own)), ordered=ordered, nullable=True)
    return prepare_growth(Codec({"y": codec}), codes.astype(CODE)[None], GrowthSettings(n_trees=1))


def sweep(ground, ends, weight=1.0, before=0.0):
    """Gains of every cut by the kernel, added to the given array."""
    gains = np.full(len(ends), before, REAL)
    n_slots = ground.evidence[0].n_slots
    *code_tree, _, tables_of = ground.flat
    whole = np.full(n_slots + 3, 7, COUNT)  # work space may be wider, and used before
    gaining.count_slots(ground.x[0], *code_tree[:3], whole)
    gaining.add_sweep_gains(
        ground.x[0], np.asarray(ends, INDEX), weight, *code_tree, *ground.logs[tables_of[0]],
        whole, np.zeros(n_slots + 3, COUNT), gains,
    )  # fmt: skip
    return gains


@st.composite
def sweeps(draw):
    """A column's rows in groups: the ground they stand on and where groups end."""
    rng = np.random.default_rng(draw(seeds))
    n, n_codes = draw(st.integers(1, 120)), draw(st.integers(2, 9))
    codes = np.minimum(rng.geometric(0.4, n) - 1, n_codes - 1)
    n_groups = draw(st.integers(1, min(n, 8)))
    ends = np.append(np.sort(rng.choice(np.arange(1, n), n_groups - 1, replace=False)), n)
    return ground_of(codes, n_codes, draw(st.booleans())), ends


@quick
@given(sweeps(), st.sampled_from([1.0, 0.5]))
def test_sweep_gains_equal_the_evidence_of_whole_tables(case, weight):
    ground, ends = case
    expected = np.zeros(len(ends))
    reference.add_sweep_gains(ground.x[0], ends, weight, ground.evidence[0], expected)
    np.testing.assert_allclose(sweep(ground, ends, weight), expected, atol=EXACT)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("group_size", [1, 40], ids=["row by row", "larger than the code tree"])
def test_both_ways_to_move_a_group_give_the_gains_of_the_reference(ordered, group_size):
    codes = np.sort(np.random.default_rng(1).integers(0, 5, 400))[::-1].copy()
    ground = ground_of(codes, 5, ordered)
    ends = np.arange(group_size, 401, group_size)
    assert (group_size > ground.evidence[0].n_slots) == (group_size == 40)
    expected = np.zeros(len(ends))
    reference.add_sweep_gains(codes, ends, 1.0, ground.evidence[0], expected)
    np.testing.assert_allclose(sweep(ground, ends), expected, atol=EXACT)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("n_rows", [6, 60])
def test_a_constant_column_gains_nothing_from_any_cut(ordered, n_rows):
    ground = ground_of(np.zeros(n_rows, int), 3, ordered)
    for ends in (np.arange(1, n_rows + 1), np.array([n_rows // 2, n_rows])):
        np.testing.assert_allclose(sweep(ground, ends), 0.0, atol=EXACT)


@quick
@given(sweeps(), st.integers(1, 6))
def test_gains_from_a_table_are_those_of_rows_in_the_order_of_their_levels(case, n_levels):
    ground, _ = case
    y, tree, n = ground.x[0], ground.evidence[0], ground.n_rows
    rng = np.random.default_rng(n)
    level, rank = rng.integers(0, n_levels, n), rng.permutation(n_levels)
    slots = tree.path_slot[tree.path_start[y + 1] - 1].astype(CODE)
    table, whole = np.full((2, n_levels * tree.n_slots + 2), 9, COUNT), np.empty(tree.n_slots, COUNT)
    gaining.count_table(level.astype(CODE), slots, n_levels, tree.n_slots, table)
    counted = table[0, : n_levels * tree.n_slots].reshape(n_levels, tree.n_slots)
    np.testing.assert_array_equal(counted, reference.count_table(level, slots, n_levels, tree.n_slots))
    *code_tree, _, tables_of = ground.flat
    gaining.count_slots(y, *code_tree[:3], whole)
    present = np.array([k for k in np.argsort(rank) if k in level], INDEX)
    ends, gains, expected = np.empty(len(present), INDEX), np.full(len(present), 0.5), np.full(len(present), 0.5)
    gaining.add_table_gains(
        table[0], present, *code_tree[2:], *ground.logs[tables_of[0]],
        whole, ends, gains,
    )  # fmt: skip
    order, expected_ends = sort_by_rank(rank[level], n_levels)
    np.testing.assert_array_equal(ends, expected_ends)
    reference.add_sweep_gains(y[order], expected_ends, 1.0, tree, expected)
    np.testing.assert_allclose(gains[:-1], expected[:-1], atol=EXACT)


def test_sweep_adds_gains_to_the_given_array():
    ground, ends = ground_of(np.array([0, 0, 1, 1]), 3, False), np.arange(1, 5)
    np.testing.assert_allclose(sweep(ground, ends, before=10.0), 10.0 + sweep(ground, ends), atol=EXACT)
    assert sweep(ground, ends)[-1] == 0.0  # a cut after the last group is no cut


@quick
@given(sweeps(), st.sampled_from([1.0, 0.5]))
def test_sweep_divergence_is_the_symmetric_kl_of_children_and_parent(case, weight):
    ground, ends = case
    n_codes = int(ground.n_codes[0])
    gains, expected = np.zeros(len(ends)), np.zeros(len(ends))
    gaining.add_sweep_divergence(ground.x[0], ends.astype(INDEX), weight, n_codes, gains)
    reference.add_sweep_divergence(ground.x[0], ends, weight, n_codes, expected)
    np.testing.assert_allclose(gains, expected, atol=EXACT)
    assert (gains >= -EXACT).all()


@quick
@given(sweeps())
def test_slots_count_the_rows_below_them(case):
    ground, _ = case
    path_start, path_slot, slot_up, *_ = ground.flat
    whole = np.full(len(slot_up) + 2, 9, COUNT)
    gaining.count_slots(ground.x[0], path_start, path_slot, slot_up, whole)
    np.testing.assert_array_equal(whole[: len(slot_up)], reference.count_slots(ground.x[0], ground.evidence[0]))
