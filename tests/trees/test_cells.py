"""Leaves on cells of the target: the same probabilities and entropies as on codes, added up."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.trees.cells import cell_leaves, coarse_tree, merge_codes, sum_codes
from janus_synth.trees.code_tree import flat_tree, polya_tree
from janus_synth.trees.leaves import entropy_of
from janus_synth.trees.posterior import draw_bag, single_tree
from sampling.small_models import small_model
from sampling.test_trends import smooth_model


def test_an_ordered_column_has_eight_cells_of_equal_mass_and_missing():
    counts = np.append(np.full(254, 16), 40)
    tree, cell_of_code = coarse_tree(polya_tree(counts))
    assert cell_of_code[-1] == 8
    assert (np.diff(cell_of_code) >= 0).all()
    mass = np.bincount(cell_of_code, counts)
    np.testing.assert_allclose(mass[:8], 508, atol=16)
    assert tree.n_codes == 9


@pytest.mark.parametrize("n_bins", [2, 5, 50, 100, 254])
def test_cells_do_not_become_more_with_bins(n_bins):
    _, cell_of_code = coarse_tree(polya_tree(np.full(n_bins + 1, 10)))
    assert len(np.unique(cell_of_code[:-1])) == min(n_bins, 8)


def test_a_heavy_atom_has_a_cell_of_its_own():
    _, cell_of_code = coarse_tree(polya_tree(np.array([5, 5, 900, 5, 5, 80, 0])))
    assert (cell_of_code == cell_of_code[2]).sum() == 1


def test_levels_are_cells():
    tree = flat_tree(np.arange(1, 30))
    assert coarse_tree(tree)[0] is tree
    assert coarse_tree(tree)[1].tolist() == list(range(29))


def test_two_levels_are_cells_too():
    assert coarse_tree(flat_tree(np.array([3, 4])))[1].tolist() == [0, 1]


@pytest.mark.parametrize("column", list("abcdef"))
def test_shares_of_cells_are_sums_over_their_codes(column):
    bag = small_model("sparse").model_.bag(column)
    cells = cell_leaves(bag)
    np.testing.assert_allclose(cells.shares, sum_codes(bag.shares.astype(float), cells.cell_of_code), atol=2e-6)
    merged = merge_codes(bag.leaves.forward, cells.cell_of_code)
    assert merged.sum() == bag.leaves.forward.sum()


@pytest.mark.statistical
@pytest.mark.parametrize("column", ["c", "e"])
def test_the_expected_entropy_of_a_histogram_is_the_mean_over_posterior_draws(column):
    """A z-test per leaf at 5 standard errors, fewer than 100 leaves: false alarm below 1 in 10,000."""
    bag = small_model("sparse").model_.bag(column)
    cells, rng = cell_leaves(bag), np.random.default_rng(0)
    if cells.mixture is not None:
        pytest.skip("the column has trends")
    first = int(bag.splits.leaf_of_node[bag.splits.nodes_of(0)].max()) + 1  # leaves of the first tree
    one = single_tree(bag, 0)
    draws = [entropy_of(sum_codes(draw_bag(one, rng).shares.astype(float), cells.cell_of_code)) for _ in range(400)]
    error = np.std(draws, axis=0) / np.sqrt(400)
    assert (np.abs(np.mean(draws, axis=0) - cells.expected[:first]) < 5 * error + 1e-5).all()


def test_a_mixture_keeps_the_probability_of_codes_off_the_scale():
    bag = smooth_model("trend").model_.bag("e")
    cells = cell_leaves(bag)
    assert cells.mixture is not None
    np.testing.assert_allclose(cells.mixture.apart.sum(axis=1) + cells.mixture.rest, 1.0, atol=1e-5)
    assert cells.mixture.edge[0] == -np.inf
    assert cells.mixture.edge[-1] == np.inf
    assert (np.diff(cells.mixture.edge[:-1]) > 0).all()


def test_the_typical_entropy_of_a_trend_is_below_that_of_its_histogram():
    """A regression knows more of a row than its leaf's histogram does."""
    bag = smooth_model("trend").model_.bag("b")
    cells = cell_leaves(bag)
    assert np.average(cells.expected, weights=bag.leaves.n_rows) < np.average(
        entropy_of(cells.shares), weights=bag.leaves.n_rows
    )
