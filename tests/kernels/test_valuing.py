"""Value trees against an exhaustive search for every split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels import valuing
from janus_synth.kernels.dtypes import INDEX, REAL
from reference import valuing as reference
from strategies import code_tables, quick, related_codes, seeds

EXACT = 1e-9
NAMES = ("feature", "cut", "left", "right", "set_start", "left_levels", "value", "count")


def task_of(table, rng, *, zeros=0.3, weighted=True, most_leaves=8, least=3, strength=2.0):
    """Probabilities that depend on the columns after the first, to be predicted from these columns."""
    lean = table.x[1:].astype(float).sum(axis=0)
    v = np.clip(lean / (lean.max() + 1) + 0.2 * rng.normal(size=table.n_rows), 0.0, 1.0)
    v[rng.random(table.n_rows) < zeros] = 0.0
    w = rng.exponential(size=table.n_rows) + 0.01 if weighted else np.ones(table.n_rows)
    return reference.Chances(
        table.x,
        v,
        w,
        np.arange(1, len(table.x), dtype=INDEX),
        table.codec.n_codes.astype(INDEX),
        table.codec.ordered.astype(INDEX),
        most_leaves,
        least,
        strength,
    )


def grown(task):
    """The kernel's arrays by name."""
    arrays = valuing.grow_values(
        task.x, task.v, task.w, task.features, task.n_codes, task.ordered,
        task.most_leaves, task.least, task.strength,
    )  # fmt: skip
    return dict(zip(NAMES, arrays, strict=True))


def left_codes(tree, task, node):
    """Which codes of a node's feature go left."""
    width, start = task.n_codes[tree["feature"][node]], tree["set_start"][node]
    if start < 0:
        return np.arange(width) <= tree["cut"][node]
    return tree["left_levels"][start : start + width] == 1


def rows_of_nodes(tree, task):
    """Rows at each node, by walking."""
    rows = {0: np.arange(len(task.v))}
    for node in np.flatnonzero(tree["left"] >= 0):
        goes_left = left_codes(tree, task, node)[task.x[tree["feature"][node], rows[node]]]
        rows[int(tree["left"][node])], rows[int(tree["right"][node])] = rows[node][goes_left], rows[node][~goes_left]
    return rows


tasks = st.tuples(
    code_tables(max_rows=80, min_rows=2),
    seeds,
    st.sampled_from([0.0, 0.3, 0.95]),
    st.booleans(),
    st.sampled_from([1, 2, 5, 16]),
    st.sampled_from([1, 3, 10]),
).map(
    lambda parts: task_of(
        parts[0],
        np.random.default_rng(parts[1]),
        zeros=parts[2],
        weighted=parts[3],
        most_leaves=parts[4],
        least=parts[5],
    )
)


@quick
@given(tasks)
def test_every_node_takes_a_best_split_and_is_shrunk_towards_the_node_above(task):
    """Ties may break either way, so gains are compared and not splits."""
    tree = grown(task)
    rows, inner = rows_of_nodes(tree, task), tree["left"] >= 0
    assert sorted(rows) == list(range(len(inner)))
    assert tree["value"][0] == pytest.approx(task.mean(rows[0]))
    for node in range(len(inner)):
        assert tree["count"][node] == pytest.approx(task.w[rows[node]].sum())
        if inner[node]:
            goes_left = left_codes(tree, task, node)[task.x[tree["feature"][node], rows[node]]]
            assert task.gain(rows[node], goes_left) == pytest.approx(task.best_split(rows[node])[0], abs=EXACT)
            assert min(goes_left.sum(), (~goes_left).sum()) >= task.least
            for child in (int(tree["left"][node]), int(tree["right"][node])):
                assert tree["value"][child] == pytest.approx(task.value(rows[child], tree["value"][node]), abs=EXACT)


@quick
@given(tasks)
def test_the_node_that_gains_most_is_split_first_until_no_leaf_is_left_to_grow(task):
    tree = grown(task)
    rows, left = rows_of_nodes(tree, task), tree["left"]
    gain = np.array([task.best_split(rows[node])[0] for node in range(len(left))])
    assert (left < 0).sum() <= task.most_leaves
    for node in np.flatnonzero(left >= 0):
        open_then = [i for i in range(left[node]) if left[i] < 0 or left[i] > left[node]]
        assert gain[node] >= gain[open_then].max(initial=0.0) - EXACT
    if (left < 0).sum() < task.most_leaves:
        assert gain[left < 0].max() <= 1e-9 + EXACT


@pytest.mark.parametrize("kinds", ["ooo", "uuu", "uouo"])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_equal_the_reference_node_by_node(kinds, weighted):
    table = related_codes(np.random.default_rng(3), kinds, 300, n_values=7)
    task = task_of(table, np.random.default_rng(4), weighted=weighted, most_leaves=12, least=10)
    tree = grown(task)
    rows, children, split, value = reference.grow_values(task)
    found = [(int(a), int(b)) if a >= 0 else None for a, b in zip(tree["left"], tree["right"], strict=True)]
    assert found == children
    assert len(found) > 10
    np.testing.assert_allclose(tree["value"], value, atol=EXACT)
    walked = rows_of_nodes(tree, task)
    for node, below in enumerate(children):
        np.testing.assert_array_equal(walked[node], rows[node])
        if below is not None:
            assert tree["feature"][node] == split[node][1]
            assert (tree["set_start"][node] < 0) == bool(task.ordered[split[node][1]])


def test_levels_go_left_from_the_lowest_mean_on():
    """Levels are ordered by mean probability; cutting this order is optimal, so no subset of levels gains more."""
    rng = np.random.default_rng(5)
    table = related_codes(rng, "ou", 400, n_values=5, missing=0.0)
    chance = rng.permutation(5) / 5
    codes = table.x[1]
    task = task_of(table, rng, zeros=0.0, most_leaves=2, least=1)
    task.v[:] = np.clip(chance[np.minimum(codes, 4)] + 0.05 * rng.random(400), 0, 1)
    tree = grown(task)
    goes_left = left_codes(tree, task, 0)
    seen = np.unique(codes)
    means = {code: task.mean(np.flatnonzero(codes == code)) for code in seen}
    assert max(means[code] for code in seen if goes_left[code]) < min(means[c] for c in seen if not goes_left[c])
    rows = np.arange(400)
    gain = task.gain(rows, goes_left[codes])
    for subset in range(1, 2 ** len(seen) - 1):
        chosen = seen[[bool(subset >> i & 1) for i in range(len(seen))]]
        assert gain >= task.gain(rows, np.isin(codes, chosen)) - EXACT


@quick
@given(tasks)
def test_no_leaf_has_value_zero_unless_all_targets_are_zero(task):
    tree = grown(task)
    if task.v.any():
        assert (tree["value"] > 0).all()
    else:
        assert tree["value"].tolist() == [0.0]
    assert (tree["value"] <= task.v.max() + EXACT).all()


def test_a_weight_counts_as_so_many_rows():
    """Doubling a row or its weight gives the same splits, and the same values without shrinkage."""
    table = related_codes(np.random.default_rng(6), "ouo", 200, missing=0.0)
    task = task_of(table, np.random.default_rng(7), weighted=False, most_leaves=6, least=1, strength=0.0)
    times = np.random.default_rng(8).integers(1, 4, 200)
    heavy = reference.Chances(task.x, task.v, times.astype(REAL), task.features, task.n_codes, task.ordered, 6, 1, 0.0)
    again = reference.Chances(
        np.ascontiguousarray(np.repeat(task.x, times, axis=1)), np.repeat(task.v, times),
        np.ones(times.sum()), task.features, task.n_codes, task.ordered, 6, 1, 0.0,
    )  # fmt: skip
    one, other = grown(heavy), grown(again)
    for name in ("feature", "cut", "left", "right", "set_start", "left_levels"):
        inner = one["left"] >= 0 if name in ("feature", "cut") else slice(None)
        np.testing.assert_array_equal(one[name][inner], other[name][inner], err_msg=name)
    np.testing.assert_allclose(one["value"], other["value"], atol=EXACT)


@quick
@given(seeds, st.integers(1, 30))
def test_the_part_of_a_node_is_that_of_the_reference(seed, n):
    rng = np.random.default_rng(seed)
    v, w = rng.random(n) * (rng.random(n) < 0.5), rng.random(n) + 0.1
    nothing = np.zeros(0, INDEX)
    task = reference.Chances(nothing, v, w, nothing, nothing, nothing, 1, 1, 1.0)
    found = valuing.deviance_part(float(w @ v), float(w.sum()))
    assert found == pytest.approx(task.deviance_part(np.arange(n)))
