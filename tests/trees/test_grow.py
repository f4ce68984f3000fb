"""Growing: one seed, one bag; what all trees of a table share; resamples."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given

from janus_synth.encoding import Codec, LevelCodec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.trees import GrowthRules, Splits, grow_bag, grow_splits, prepare_ground
from janus_synth.trees.grow import resample
from reference.splitting import Task, evidence_gain
from strategies import bag_for, code_tables, quick, related_codes


def same(a: Splits, b: Splits) -> bool:
    return all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(Splits))


@quick
@given(code_tables())
def test_one_seed_means_one_bag(table):
    first, again = (bag_for(table, seed=4, min_samples_leaf=2) for _ in range(2))
    assert same(first.splits, again.splits)
    np.testing.assert_array_equal(first.leaves.cdf(first.splits), again.leaves.cdf(again.splits))


def test_trees_of_a_bag_differ():
    table = related_codes(np.random.default_rng(0), "ooo", 400)
    splits = bag_for(table, n_trees=2).splits
    first, second = (splits.cut[splits.nodes_of(tree)].tolist() for tree in (0, 1))
    assert first != second


def test_a_column_without_parents_is_one_leaf():
    table = related_codes(np.random.default_rng(0), "ou", 100)
    rules = GrowthRules(n_trees=4)
    ground = prepare_ground(table.codec, table.x, rules)
    bag = grow_bag(ground, 1, (), rules, np.random.default_rng(0).spawn(4))
    assert (bag.splits.n_trees, bag.splits.n_leaves) == (1, 1)
    np.testing.assert_array_equal(bag.leaves.forward.toarray()[0], np.bincount(table.x[1], minlength=ground.n_codes[1]))


def test_slots_look_up_the_logs_of_their_own_masses():
    """Tables are shared by mass: each slot of each column must find its own."""
    table = related_codes(np.random.default_rng(1), "ouuo", 60)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([60.0]), ordered=False, nullable=False)
    codec = Codec({**table.codec.columns, "same": constant})
    ground = prepare_ground(codec, np.vstack([table.x, np.zeros((1, 60), CODE)]), GrowthRules())
    counts = np.arange(ground.logs.shape[2])
    for tree, tables in zip(ground.evidence, ground.flat[-1], strict=True):
        for mass, table_of in zip((tree.mass[-1], tree.split_mass[0]), tables, strict=True):
            np.testing.assert_allclose(ground.logs[table_of, 0], np.log(counts + mass), atol=1e-12)
        assert (tree.mass[1:] == tree.mass[-1]).all()
        assert set(tree.split_mass[tree.split_mass > 0]) <= {tree.split_mass[0]}


def test_a_constant_column_does_not_change_the_trees_of_the_others():
    rng = np.random.default_rng(2)
    table = related_codes(rng, "ooo", 400)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([400.0]), ordered=False, nullable=False)
    with_it = type(table)(
        Codec({**table.codec.columns, "same": constant}), np.vstack([table.x, np.zeros((1, 400), CODE)])
    )
    for rules in ({}, {"lambda_unsup": 0.5}):
        assert same(bag_for(table, **rules).splits, bag_for(with_it, **rules).splits)


def test_scores_are_those_of_the_best_cut():
    table = related_codes(np.random.default_rng(3), "oo", 200)
    rules = GrowthRules()
    ground = prepare_ground(table.codec, table.x, rules)
    rows = np.arange(200, dtype=INDEX)
    splits, score = grow_splits(ground, 0, (1,), rules, rows)
    goes_left = table.x[1] <= splits.cut[0]
    assert score[0] == pytest.approx(evidence_gain(table.x[0], goes_left, ground.evidence[0]), abs=1e-9)
    task = Task(table.x, 0, (1,), ground.n_codes, ground.ordered, ground.evidence, min_leaf=5)
    assert score[0] == pytest.approx(max(cut[0] for cut in task.cuts(rows)), abs=1e-9)
    assert (score[splits.left < 0] == 0).all()


def test_a_single_tree_sees_every_row_and_those_of_a_bag_different_bootstrap_resamples():
    rng = np.random.default_rng(4)
    assert resample(50, GrowthRules(n_trees=1), rng).tolist() == list(range(50))
    rules = GrowthRules(n_trees=2)
    first, second = resample(1_000, rules, rng), resample(1_000, rules, rng)
    for rows in (first, second):
        assert len(rows) == 1_000
        assert (np.diff(rows) >= 0).all()  # sorted
        assert 0 <= rows[0] <= rows[-1] < 1_000
        assert 580 < len(np.unique(rows)) < 680  # 1 − 1/e of the rows, ± 5 standard deviations
    assert not np.array_equal(first, second)
    assert resample(1, rules, rng).tolist() == [0]


def test_splits_may_come_from_fewer_rows_but_leaves_count_all():
    table = related_codes(np.random.default_rng(5), "ooo", 600)
    few = bag_for(table, n_trees=2, max_rows=100)
    assert len(resample(600, GrowthRules(n_trees=1, max_rows=100), np.random.default_rng(0))) == 100
    assert few.leaves.forward.sum() == 2 * 600
    assert few.splits.n_leaves < bag_for(table, n_trees=2).splits.n_leaves


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_an_irrelevant_parent_is_not_split_on(order):
    rng = np.random.default_rng(6)
    number = fit_ordered(np.arange(4.0), n_bins=10)
    parent, noise = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    x = np.stack([parent, parent, noise]).astype(CODE)
    rules = GrowthRules()
    ground = prepare_ground(Codec({"y": number, "p": number, "noise": number}), x, rules)
    splits, _ = grow_splits(ground, 0, order, rules, np.arange(500, dtype=INDEX))
    assert splits.features.tolist() == [1]
    assert splits.n_leaves == 4
