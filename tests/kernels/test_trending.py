"""Regressions of nodes against NumPy's least squares, and mixture weights against plain iterations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import CODE, INDEX, REAL
from janus_synth.kernels.trending import (
    add_moments,
    choose_lines,
    fit_lines,
    lay_rows,
    solve,
    trace_of_inverse,
    weigh_predictions,
)
from reference import trending as reference
from strategies import quick, random_shape, seeds


class Rows(NamedTuple):
    """A random tree, rows in its leaves, and the inputs of a regression."""

    left: np.ndarray
    right: np.ndarray
    leaf_of_node: np.ndarray
    leaf: np.ndarray
    x: np.ndarray
    parents: np.ndarray
    score: np.ndarray
    z: np.ndarray

    @property
    def tree(self):
        return self.left, self.right, self.leaf_of_node

    @property
    def points(self):
        return self.x, self.parents, self.score, self.z


def random_rows(rng, n_splits, n_rows, n_parents, n_codes=6):
    left, right = (np.array(side, INDEX) for side in random_shape(rng, n_splits))
    leaf_of_node = np.where(left < 0, np.cumsum(left < 0) - 1, -1).astype(INDEX)
    x = rng.integers(0, n_codes, (n_parents + 2, n_rows)).astype(CODE)
    parents = rng.permutation(n_parents + 2)[:n_parents].astype(INDEX)
    score = rng.normal(size=(n_parents, n_codes))
    leaf = rng.integers(0, n_splits + 1, n_rows).astype(INDEX)
    return Rows(left, right, leaf_of_node, leaf, x, parents, score, rng.normal(size=n_rows))


LEAN = 5.0
ALIKE = np.empty(0)  # rows without weights


def fitted(rows, ridge, lean=LEAN, weight=ALIKE, passes=1):
    """Coefficients, spread, freedom and ranges of all nodes by the kernels."""
    m, p = len(rows.left), len(rows.parents)
    coef, spread, freedom = np.full((m, p + 1), np.nan), np.full(m, np.nan), np.full(m, np.nan)
    low, high = np.full((m, p), np.nan), np.full((m, p), np.nan)
    order, start, stop = lay_rows(*rows.tree, rows.leaf)
    by_rows = rows.left, rows.right, order, start, stop, *rows.points, weight
    fit_lines(*by_rows, ridge, lean, passes, coef, spread, freedom, low, high)
    return coef, spread, freedom, low, high


def weighed(rows, first, second, strength, at_root=1.0, rounds=10):
    weight = np.full(int(rows.leaf_of_node.max()) + 1, np.nan)
    weigh_predictions(*rows.tree, rows.leaf, first, second, strength, at_root, rounds, weight)
    return weight


SHAPES = (seeds, st.integers(0, 6), st.integers(1, 60), st.integers(1, 4))


# Rows side by side


@quick
@given(seeds, st.integers(0, 6), st.integers(0, 60))
def test_rows_of_a_node_are_contiguous(seed, n_splits, n_rows):
    rows = random_rows(np.random.default_rng(seed), n_splits, n_rows, 1)
    order, start, stop = lay_rows(*rows.tree, rows.leaf)
    for found, expected in zip((order, start, stop), reference.lay_rows(*rows.tree, rows.leaf), strict=True):
        np.testing.assert_array_equal(found, expected)
    for node in range(len(rows.left)):
        own = reference.rows_of(*rows.tree, rows.leaf, node)
        assert set(order[start[node] : stop[node]]) == set(own)


# Lines


@quick
@given(seeds, st.integers(1, 8))
def test_positive_definite_systems_are_solved_from_their_lower_half(seed, size):
    rng = np.random.default_rng(seed)
    factor, right = rng.normal(size=(size, size + 2)), rng.normal(size=size)
    matrix = factor @ factor.T + 0.1 * np.eye(size)
    expected = reference.solve(matrix, right)
    matrix[np.triu_indices(size, 1)] = np.nan  # never read
    solve(matrix, right)
    np.testing.assert_allclose(right, expected, rtol=1e-8, atol=1e-10)


@quick
@given(seeds, st.integers(1, 60), st.integers(1, 4))
def test_moments_are_sums_over_rows(seed, n_rows, n_parents):
    rng = np.random.default_rng(seed)
    rows, p = random_rows(rng, 0, n_rows, n_parents), n_parents
    chosen = rng.permutation(n_rows)[: rng.integers(1, n_rows + 1)].astype(INDEX)
    gram, cross = np.zeros((p + 1, p + 1)), np.zeros(p + 2)
    low, high = np.full(p, np.inf), np.full(p, -np.inf)
    add_moments(chosen, *rows.points, gram, cross, low, high)
    expected = reference.add_moments(chosen, *rows.points)
    for found, wanted in zip((gram, cross, low, high), expected, strict=True):
        lower = np.tril_indices(p + 1) if found.ndim == 2 else slice(None)
        np.testing.assert_allclose(found[lower], wanted[lower], atol=1e-10)
    add_moments(chosen, *rows.points, gram, cross, low, high)  # once more: sums double, ranges stay
    np.testing.assert_allclose(cross, 2 * expected[1], atol=1e-10)
    np.testing.assert_array_equal(low, expected[2])


@quick
@given(*SHAPES, st.sampled_from([0.1, 3.0, 100.0]), st.integers(1, 4))
def test_lines_of_all_nodes_equal_the_reference(seed, n_splits, n_rows, n_parents, ridge, passes):
    """Nodes with fewer rows than parents, and without any, among them."""
    rows = random_rows(np.random.default_rng(seed), n_splits, n_rows, n_parents)
    expected = reference.fit_lines(*rows.tree, rows.leaf, *rows.points, ridge, LEAN, passes=passes)
    for found, wanted in zip(fitted(rows, ridge, passes=passes), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


@quick
@given(*SHAPES, st.sampled_from([0.1, 3.0, 100.0]))
def test_lines_of_weighted_rows_equal_the_reference(seed, n_splits, n_rows, n_parents, ridge):
    rng = np.random.default_rng(seed)
    rows, weight = random_rows(rng, n_splits, n_rows, n_parents), rng.exponential(size=n_rows)
    expected = reference.fit_lines(*rows.tree, rows.leaf, *rows.points, ridge, LEAN, weight)
    for found, wanted in zip(fitted(rows, ridge, weight=weight), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)
    for found, wanted in zip(fitted(rows, ridge, weight=np.ones(n_rows)), fitted(rows, ridge), strict=True):
        np.testing.assert_array_equal(found, wanted)  # bit by bit


def test_passes_over_the_root_end_at_the_spread_of_the_residuals():
    """Ten prior rows with a residual of 1 nearly double the spread of a close line among 75 rows; passes undo that."""
    rng = np.random.default_rng(0)
    rows = random_rows(rng, 0, 75, 3)
    v = reference.points_of(range(75), rows.x, rows.parents, rows.score)
    rows = rows._replace(z=v @ [0.5, -0.5, 0.5, 0.0] + 0.2 * rng.normal(size=75))
    squares = np.linalg.lstsq(v, rows.z)[1][0]
    exact = np.sqrt(squares / (75 - 4))
    once, often = (fitted(rows, 1.0, 10.0, passes=n)[1][0] for n in (1, 10))
    assert once > 1.7 * exact
    assert often == pytest.approx(exact, rel=0.02)


def test_exact_copies_of_a_parent_leave_lines_finite():
    rows = random_rows(np.random.default_rng(0), 3, 5000, 1)
    rows = rows._replace(parents=rows.parents.repeat(3), score=rows.score.repeat(3, axis=0))
    rows = rows._replace(z=rows.score[0, rows.x[rows.parents[0]]])
    coef, spread, *_ = fitted(rows, 300.0, 10.0, passes=3)
    assert np.isfinite(coef).all()
    assert (spread > 0).all()
    np.testing.assert_allclose(coef[0].sum() - coef[0, -1], 1.0, atol=0.01)


def test_a_lone_line_without_a_prior_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    rows = random_rows(rng, 0, 500, 3)
    v = reference.points_of(range(500), rows.x, rows.parents, rows.score)
    rows = rows._replace(z=v @ [0.5, -1.0, 2.0, 0.3] + rng.normal(size=500))
    coef, spread, freedom, low, high = fitted(rows, 1e-9, 1e-9)
    best, squares = np.linalg.lstsq(v, rows.z)[:2]
    np.testing.assert_allclose(coef[0], best, atol=1e-9)
    assert spread[0] == pytest.approx(np.sqrt(squares[0] / (500 - 4)))  # three slopes and an intercept
    assert freedom[0] == pytest.approx(4)
    np.testing.assert_array_equal([low[0], high[0]], [v[:, :3].min(axis=0), v[:, :3].max(axis=0)])


def test_a_node_is_shrunk_towards_the_one_above_by_the_ridge():
    """By hand: one parent with score 1 everywhere, four rows on the left at 3, twelve on the right at 1."""
    left, right, leaf_of_node = np.array([[1, -1, -1], [2, -1, -1], [-1, 0, 1]], INDEX)
    leaf = np.repeat([0, 1], [4, 12]).astype(INDEX)
    z = np.where(leaf == 0, 3.0, 1.0)
    rows = Rows(left, right, leaf_of_node, leaf, np.zeros((1, 16), CODE), np.zeros(1, INDEX), np.ones((1, 1)), z)
    coef, spread, _, low, high = fitted(rows, 2.0, 3.0)
    # Slope and intercept are the same, a: with n rows of sum S it solves  (2 n + λ) a = S + λ · (a above), where λ is
    # twice the variance above, and 3 for the root. Rows decide the sum of the two alone, by 2 n / (2 n + λ).
    root = 24 / (2 * 16 + 3)
    of_root = (4 * (3 - 2 * root) ** 2 + 12 * (1 - 2 * root) ** 2 + 3) / (16 - 32 / 35 + 3)
    pull = 2 * of_root
    sides = (12 + pull * root) / (2 * 4 + pull), (12 + pull * root) / (2 * 12 + pull)
    np.testing.assert_allclose(coef, [[root] * 2, [sides[0]] * 2, [sides[1]] * 2])
    of_left = (4 * (3 - 2 * sides[0]) ** 2 + 3 * of_root) / (4 - 8 / (8 + pull) + 3)
    np.testing.assert_allclose(spread[:2] ** 2, [of_root, of_left])
    assert (low == 1).all()
    assert (high == 1).all()


@quick
@given(*SHAPES)
def test_lines_are_chosen_as_by_the_reference(seed, n_splits, n_rows, n_parents):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, n_splits, n_rows, n_parents)
    lines, judged, price = fitted(rows, 3.0), rng.random(n_rows) < 0.7, float(rng.choice([0.0, 1.5]))
    order, leaves = lay_rows(*rows.tree, rows.leaf), rows.left < 0
    for heavy in (False, True):
        line = np.full(len(rows.left), -2, INDEX)
        choose_lines(rows.left, rows.right, *order, *rows.points, judged, *lines, price, heavy, line)
        expected = reference.choose_lines(*rows.tree, rows.leaf, *rows.points, judged, lines, price, heavy)
        np.testing.assert_array_equal(line[leaves], expected[leaves])


def test_one_line_speaks_for_a_straight_tree_and_several_for_a_bent_one():
    rng = np.random.default_rng(0)
    rows = random_rows(rng, 3, 800, 1)
    straight = rows._replace(z=0.5 * rows.score[0, rows.x[rows.parents[0]]] + 0.3 * rng.normal(size=800))
    bent = rows._replace(z=straight.z + 3.0 * rows.leaf)
    for table, n_lines in ((straight, 1), (bent, 4)):
        line = np.empty(len(rows.left), INDEX)
        order = lay_rows(*table.tree, table.leaf)
        points, judged, lines = table.points, np.ones(800, bool), fitted(table, 3.0)
        choose_lines(table.left, table.right, *order, *points, judged, *lines, 0.0, False, line)
        assert len(np.unique(line[table.left < 0])) == n_lines


@quick
@given(seeds, st.integers(1, 8))
def test_the_trace_of_an_inverse_comes_from_its_factor(seed, size):
    root = np.random.default_rng(seed).normal(size=(size, size + 2))
    matrix = root @ root.T + np.eye(size)
    found = trace_of_inverse(np.linalg.cholesky(matrix))
    assert found == pytest.approx(np.trace(np.linalg.inv(matrix)), rel=1e-9)


@quick
@given(*SHAPES)
def test_a_node_without_rows_is_like_the_one_above(seed, n_splits, n_rows, n_parents):
    rows = random_rows(np.random.default_rng(seed), n_splits + 1, n_rows, n_parents)
    rows = rows._replace(leaf=np.maximum(rows.leaf, 1).astype(INDEX))
    coef, spread, freedom, low, high = fitted(rows, 3.0)
    empty = int(np.flatnonzero(rows.leaf_of_node == 0)[0])
    above = int(np.flatnonzero((rows.left == empty) | (rows.right == empty))[0])
    for part in (coef, spread, low, high):
        np.testing.assert_array_equal(part[empty], part[above])
    assert freedom[empty] == 0


# Weights of two predictions

priors = st.sampled_from([0.5, 20.0])


@quick
@given(seeds, st.integers(0, 6), st.integers(1, 80), priors, priors, st.sampled_from([1, 10, 25]))
def test_weights_equal_the_reference(seed, n_splits, n_rows, strength, at_root, rounds):
    """Probabilities of 0 by either prediction, and by both, among them."""
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, n_splits, n_rows, 1)
    first, second = rng.random((2, n_rows)) * (rng.random((2, n_rows)) < 0.9)
    settings = strength, at_root, rounds
    weight = weighed(rows, first, second, *settings)
    expected = reference.weigh_predictions(*rows.tree, rows.leaf, first, second, *settings)
    np.testing.assert_allclose(weight, expected)
    assert ((weight > 0) & (weight < 1)).all()


@quick
@given(seeds, st.integers(1, 80))
def test_rows_are_likelier_under_the_weight_found_than_under_a_half(seed, n_rows):
    """One leaf, where every step raises the posterior: half a row of prior for either prediction."""
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 0, n_rows, 1)
    first, second = rng.random((2, n_rows)) + 1e-3

    def log_posterior(w):
        return np.log(w * second + (1 - w) * first).sum() + 0.5 * (np.log(w) + np.log(1 - w))

    found = weighed(rows, first, second, 20.0)[0]
    assert log_posterior(found) >= log_posterior(0.5) - 1e-12


@quick
@given(seeds, st.integers(0, 6), st.integers(1, 80))
def test_weights_of_swapped_predictions_add_up_to_one(seed, n_splits, n_rows):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, n_splits, n_rows, 1)
    first, second = rng.random((2, n_rows))
    one, other = weighed(rows, first, second, 20.0), weighed(rows, second, first, 20.0)
    np.testing.assert_allclose(one + other, 1.0)


def test_predictions_that_are_far_better_get_all_the_weight_that_the_rows_bear():
    rows = random_rows(np.random.default_rng(0), 3, 4_000, 1)
    good, bad = np.full(4_000, 0.5, REAL), np.full(4_000, 1e-6, REAL)
    assert (weighed(rows, bad, good, 20.0) > 0.99).all()
    assert (weighed(rows, good, bad, 20.0) < 0.01).all()
    assert weighed(rows, good, good, 20.0) == pytest.approx([0.5] * 4)


def test_a_leaf_without_rows_takes_the_weight_of_the_node_above():
    """By hand: every row follows the second prediction, so that all but half a row of the prior does."""
    rows = random_rows(np.random.default_rng(1), 1, 9, 1)
    rows = rows._replace(leaf=np.zeros(9, INDEX))
    root = 9.5 / 10
    np.testing.assert_allclose(weighed(rows, np.zeros(9), np.ones(9), 20.0), [(9 + 20 * root) / 29, root])
