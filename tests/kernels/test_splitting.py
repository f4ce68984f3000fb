"""The search for splits against exhaustive search by the evidence of whole count tables."""

from __future__ import annotations

from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import LevelCodec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels import splitting
from janus_synth.kernels.dtypes import CODE, INDEX, REAL
from janus_synth.trees import GrowthSettings, grow_splits, prepare_growth
from reference import splitting as reference
from reference.routing import leaf_of_row
from strategies import code_tables, quick, related_codes, seeds

EXACT = 1e-9
LAMBDAS = [(0.0, 0.0), (0.5, 0.0), (0.0, 3.0), (0.5, 3.0)]


def task_of(ground, target, parents, rules):
    """The same task as input of the reference."""
    return reference.Task(
        ground.x,
        target,
        tuple(parents),
        ground.n_codes,
        ground.ordered,
        ground.evidence,
        rules.lambda_unsup,
        rules.lambda_div,
        rules.price(ordered=bool(ground.ordered[target])),
        rules.min_samples_leaf,
        rules.max_leaves,
    )


def rows_of_nodes(splits, x, rows):
    """Rows at each node, by walking the tree."""
    at = {0: rows}
    for node in range(len(splits.left)):
        if splits.left[node] >= 0:
            codes = x[splits.feature[node], at[node]].astype(int)
            if splits.set_start[node] < 0:
                goes_left = codes <= splits.cut[node]
            else:
                goes_left = splits.left_levels[splits.set_start[node] + codes] == 1
            at[splits.left[node]], at[splits.right[node]] = at[node][goes_left], at[node][~goes_left]
    return at


def test_a_large_node_finds_the_same_split_on_a_sample_of_its_rows():
    """At 8,192 rows the root uses every eighth row, which suffices to distinguish a strong step from a weak parent."""
    rng = np.random.default_rng(8)
    n = 8 * splitting.SCOUT_ROWS
    step, weak = rng.integers(0, 20, n), rng.integers(0, 20, n)
    y = np.clip((step > 11) * 6 + rng.integers(0, 5, n) + (weak > 15), 0, 12)
    codec = Codec({name: fit_ordered(np.arange(20.0), n_bins=20) for name in ("y", "step", "weak")})
    rules = GrowthSettings(n_trees=1)
    ground = prepare_growth(codec, np.stack([y, step, weak]).astype(CODE), rules)
    splits, score = grow_splits(ground, 0, (1, 2), rules, np.arange(n, dtype=INDEX))
    assert (splits.feature[0], splits.cut[0]) == (1, 11)
    assert (score[splits.left >= 0] > 0).all()
    assert 2 in splits.features


@quick
@given(seeds, st.integers(1, 30), st.integers(1, 12))
def test_the_better_half_of_the_candidates_is_passed_on(seed, n, fewest):
    rng = np.random.default_rng(seed)
    candidates, worth = rng.permutation(50)[:n].astype(INDEX), rng.integers(0, 5, n).astype(REAL)
    out, order = np.full(n, -1, INDEX), np.empty(n, INDEX)
    n_kept = splitting.keep_better_half(candidates, worth.copy(), fewest, order, np.empty(n, INDEX), out)
    expected = reference.keep_better_half(worth, fewest)
    np.testing.assert_array_equal(order[:n_kept], expected)
    np.testing.assert_array_equal(out[:n_kept], candidates[expected])


def test_children_try_only_the_better_parents_of_the_node_above(monkeypatch):
    """Of two parents the better one splits the root; the other, dropped with one candidate left, splits no child."""
    rng = np.random.default_rng(3)
    n = 1_000
    strong, weak = rng.integers(0, 10, n), rng.integers(0, 10, n)
    y = np.clip((strong > 4) * 6 + (weak > 4) * 3 + rng.integers(0, 3, n), 0, 12)
    codec = Codec({name: fit_ordered(np.arange(13.0), n_bins=20) for name in ("y", "strong", "weak")})
    rules = GrowthSettings(n_trees=1)
    ground = prepare_growth(codec, np.stack([y, strong, weak]).astype(CODE), rules)
    rows = np.arange(n, dtype=INDEX)
    assert set(grow_splits(ground, 0, (1, 2), rules, rows)[0].features) == {1, 2}
    monkeypatch.setattr(splitting, "ALWAYS_ASKED", 1)
    monkeypatch.setattr(splitting, "FEWEST_CANDIDATES", 1)
    assert set(grow_splits(ground, 0, (1, 2), rules, rows)[0].features) == {1}


@quick
@given(
    code_tables(),
    st.sampled_from(LAMBDAS),
    st.sampled_from([1, 2, 5]),
    st.booleans(),
    st.booleans(),
)
def test_every_node_takes_a_best_split_and_only_a_paying_one(table, lambdas, min_leaf, flat, resampled):
    """Ties may break either way, so scores are compared and not splits."""
    rules = GrowthSettings(
        n_trees=1, lambda_unsup=lambdas[0], lambda_div=lambdas[1], min_samples_leaf=min_leaf, flat_prior=flat
    )
    ground = prepare_growth(table.codec, table.x, rules)
    parents = range(1, len(table.x))
    rows = np.arange(table.n_rows, dtype=INDEX)
    if resampled:
        rows = np.sort(np.random.default_rng(0).choice(rows, len(rows)))
    splits, score = grow_splits(ground, 0, parents, rules, rows)
    task = task_of(ground, 0, parents, rules)
    room = max(1, len(rows) // min_leaf)  # a tree never has more leaves than this
    for node, own in rows_of_nodes(splits, table.x, rows).items():
        tried = [split[0] for split in task.cuts(own)]
        best, price = max(tried, default=0.0), task.price * np.log(max(1, len(tried)))
        if splits.left[node] < 0:
            assert best <= price + EXACT or len(own) < 2 * min_leaf or splits.n_leaves == room
        else:
            children = rows_of_nodes(splits, table.x, rows)
            left = children[splits.left[node]]
            assert len(left) >= min_leaf
            assert len(children[splits.right[node]]) >= min_leaf
            assert score[node] == pytest.approx(task.score(own, np.isin(own, left)), abs=EXACT)
            assert score[node] == pytest.approx(best, abs=EXACT)
            assert score[node] > price - EXACT


@pytest.mark.parametrize("lambdas", LAMBDAS)
@pytest.mark.parametrize("kinds", ["oooo", "uuuu", "ouou", "uoou"])
@pytest.mark.parametrize("flat", [False, True], ids=["own evidence", "flat evidence"])
def test_trees_equal_the_reference_node_by_node(kinds, lambdas, flat):
    table = related_codes(np.random.default_rng(3), kinds, 240, n_values=7)
    rules = GrowthSettings(
        n_trees=1, lambda_unsup=lambdas[0], lambda_div=lambdas[1], min_samples_leaf=10, flat_prior=flat
    )
    ground = prepare_growth(table.codec, table.x, rules)
    rows = np.arange(table.n_rows, dtype=INDEX)
    splits, score = grow_splits(ground, 0, (1, 2, 3), rules, rows)
    expected = reference.grow_tree(task_of(ground, 0, (1, 2, 3), rules), rows)
    names = ("feature", "cut", "left", "right", "set_start", "left_levels")
    for name, want in zip(names, expected, strict=False):
        np.testing.assert_array_equal(getattr(splits, name), want, err_msg=name)
    np.testing.assert_allclose(score, expected[-1], atol=EXACT)
    assert len(score) > 1


BOUNDS = {
    "samples": reference.Bounds(scout_rows=24, more_rows=2, fewest_racing=2),
    "turns": reference.Bounds(always_asked=2, turns=3),
    "turns and fewer candidates": reference.Bounds(always_asked=1, turns=2, fewest_candidates=3),
    "all": reference.Bounds(
        scout_rows=24, more_rows=3, fewest_racing=3, always_asked=2, turns=2, fewest_candidates=5
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", ["o", "u"], ids=["ordered", "unordered"])
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_a_bounded_search_equals_the_reference_node_by_node(bounds, target, monkeypatch):
    """Sampled rows, races between parents and turns of parents, with bounds so tight that all of them apply."""
    for name, value in asdict(bounds).items():
        monkeypatch.setattr(splitting, name.upper(), value)
    table = related_codes(np.random.default_rng(5), target + "uoouuo", 600, n_values=7)
    rules, parents = GrowthSettings(n_trees=1, min_samples_leaf=12), range(1, 7)  # in larger leaves scores do not tie
    ground = prepare_growth(table.codec, table.x, rules)
    rows = np.sort(np.random.default_rng(6).integers(0, 600, 600)).astype(INDEX)
    splits, score = grow_splits(ground, 0, parents, rules, rows)
    expected = reference.grow_tree(task_of(ground, 0, parents, rules), rows, bounds)
    for name, want in zip(("feature", "cut", "left", "right", "set_start", "left_levels"), expected, strict=False):
        np.testing.assert_array_equal(getattr(splits, name), want, err_msg=name)
    np.testing.assert_allclose(score, expected[-1], atol=EXACT)
    unbounded = reference.grow_tree(task_of(ground, 0, parents, rules), rows)
    assert len(expected[0]) > 5
    assert [part.tolist() for part in expected] != [part.tolist() for part in unbounded]


@pytest.mark.parametrize("ordered", [False, True])
def test_the_leaves_of_the_given_rows_are_those_that_the_splits_lead_to(ordered):
    table = related_codes(np.random.default_rng(7), "ouo" if ordered else "uuo", 300)
    rules = GrowthSettings(n_trees=1)
    ground = prepare_growth(table.codec, table.x, rules)
    rows = np.sort(np.random.default_rng(8).integers(0, 300, 200)).astype(INDEX)
    *_, reached = splitting.grow_tree(
        ground.x, rows, 0, np.array([1, 2], INDEX), ground.n_codes, ground.ordered, (*ground.flat, ground.logs),
        0.0, 0.0, 0.5, 5, 4096,
    )  # fmt: skip
    rules = GrowthSettings(n_trees=1, min_samples_leaf=5)
    task = replace(task_of(ground, 0, (1, 2), rules), price=0.5)
    feature, cut, left, right, set_start, left_levels, _ = reference.grow_tree(task, rows)
    splits = SimpleNamespace(
        feature=feature, cut=cut, left=left, right=right, set_start=set_start, left_levels=left_levels
    )  # fmt: skip
    expected = np.where(np.isin(np.arange(300), rows), leaf_of_row(ground.x, 0, splits), -1)
    np.testing.assert_array_equal(reached, expected)
    assert len(np.unique(reached)) > 3


def test_a_pure_node_stops_unless_its_parents_are_worth_describing():
    table = related_codes(np.random.default_rng(4), "ooo", 300, missing=0.0)
    table.x[0] = 0
    rows = np.arange(300, dtype=INDEX)
    n_leaves = {}
    for lambda_unsup in (0.0, 1.0):
        rules = GrowthSettings(n_trees=1, lambda_unsup=lambda_unsup, lambda_div=2.0)
        ground = prepare_growth(table.codec, table.x, rules)
        n_leaves[lambda_unsup] = grow_splits(ground, 0, (1, 2), rules, rows)[0].n_leaves
    assert n_leaves[0.0] == 1
    assert n_leaves[1.0] > 1


@pytest.mark.parametrize("max_leaves", [1, 2, 5])
def test_a_tree_has_at_most_max_leaves(max_leaves):
    table = related_codes(np.random.default_rng(5), "ooo", 3_000, n_values=9)
    rows = np.arange(3_000, dtype=INDEX)
    free = GrowthSettings(n_trees=1)
    ground = prepare_growth(table.codec, table.x, free)
    assert grow_splits(ground, 0, (1, 2), free, rows)[0].n_leaves > 5
    bound = GrowthSettings(n_trees=1, max_leaves=max_leaves)
    assert grow_splits(ground, 0, (1, 2), bound, rows)[0].n_leaves == max_leaves


def test_no_parent_and_no_row_make_a_single_leaf():
    table = related_codes(np.random.default_rng(6), "ou", 50)
    ground = prepare_growth(table.codec, table.x, GrowthSettings(n_trees=1))
    for parents, rows in (((), np.arange(50)), ((1,), np.arange(0))):
        splits, score = grow_splits(ground, 0, parents, GrowthSettings(n_trees=1), rows.astype(INDEX))
        assert splits.left.tolist() == [-1]
        assert score.tolist() == [0.0]


@pytest.mark.parametrize("many", [0, 1])
def test_levels_without_rows_follow_the_majority(many):
    """Only levels 0 and 1 have rows; the others are known to the codec and go where most rows go."""
    parent = np.where(np.arange(100) < 70, many, 1 - many)
    target = fit_ordered(np.array([0.0, 1.0]), n_bins=5)
    levels = LevelCodec(np.arange(3, dtype=np.int32), np.ones(3), ordered=False, nullable=False)
    x = np.stack([parent, parent]).astype(CODE)  # the target equals the parent
    ground = prepare_growth(Codec({"y": target, "p": levels}), x, GrowthSettings(n_trees=1))
    splits, _ = grow_splits(ground, 0, (1,), GrowthSettings(n_trees=1), np.arange(100, dtype=INDEX))
    side = splits.left_levels[splits.set_start[0] :]
    assert side[many] != side[1 - many]
    assert (side[2:] == side[many]).all()


def test_lambda_div_prefers_the_more_diverging_split():
    """One parent explains many rows a little, the other a few rows completely: evidence and D disagree."""
    rng = np.random.default_rng(7)
    n = 600
    few = np.arange(n) < 24
    y = np.where(few, 2, rng.integers(0, 2, n))
    broad = np.where(rng.random(n) < 0.78, np.minimum(y, 1), 1 - np.minimum(y, 1))
    x = np.stack([y, broad, few]).astype(CODE)
    codec = Codec(
        {
            "y": LevelCodec(np.arange(3, dtype=np.int32), np.ones(3), ordered=False, nullable=False),
            "broad": fit_ordered(np.array([0.0, 1.0]), n_bins=5),
            "few": fit_ordered(np.array([0.0, 1.0]), n_bins=5),
        }
    )
    task = task_of(prepare_growth(codec, x, GrowthSettings(n_trees=1)), 0, (1, 2), GrowthSettings(n_trees=1))
    rows = np.arange(n, dtype=INDEX)
    gain = {j: task.gain(0, rows, x[j] == 0) for j in (1, 2)}
    gap = {j: reference.divergence(x[0], x[j] == 0, int(task.n_codes[0])) for j in (1, 2)}
    winner = max(gain, key=gain.get)
    other = 3 - winner
    assert gap[other] > gap[winner]
    turning = (gain[winner] - gain[other]) / (gap[other] - gap[winner])
    for lambda_div, chosen in ((0.0, winner), (0.9 * turning, winner), (1.1 * turning, other)):
        rules = GrowthSettings(n_trees=1, lambda_div=lambda_div)
        ground = prepare_growth(codec, x, rules)
        assert grow_splits(ground, 0, (1, 2), rules, rows)[0].feature[0] == chosen
