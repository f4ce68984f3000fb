"""Gaps of a column: found where values leave a wide interval free, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding.gaps import (
    FEWEST,
    distance_to_edge,
    find_gaps,
    gaps_without,
    occupied_ends,
    shared_gaps,
    width_below,
)
from janus_synth.encoding.lattice import find_lattice
from janus_synth.encoding.ordered import fit_ordered


def two_clusters(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice([-3.0, 3.0], n) + rng.uniform(-1, 1, n)


@pytest.mark.parametrize("n", [100, 1_000, 20_000])
def test_the_gap_between_two_clusters_is_found_at_any_size(n):
    gaps = find_gaps(two_clusters(n, seed=n))
    assert len(gaps) == 1
    low, high = gaps[0]
    assert -2.2 < low < -1.9
    assert 1.9 < high < 2.2


@pytest.mark.statistical
@pytest.mark.parametrize("n", [200, 5_000])
def test_smooth_columns_have_no_gaps_inside(n):
    """Ten samples each of uniform and normal values: 1 spacing in 1.6 million is taken for a gap, false alarm 0.06."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert not len(find_gaps(rng.uniform(size=n)))
        inside = np.abs(find_gaps(rng.normal(size=n))) < 1.5  # further out, one may precede an outlier
        assert not inside.any()


def test_no_training_value_is_copied():
    values = two_clusters(500, seed=2)
    assert not np.isin(find_gaps(values), values).any()


def test_a_step_of_a_lattice_is_no_gap_but_a_missing_stretch_is():
    values = np.random.default_rng(0).integers(0, 30, 2_000).astype(float)
    lattice = find_lattice(values)
    assert not len(find_gaps(values, lattice))
    assert find_gaps(np.where(values > 15, values + 40, values), lattice).tolist() == [[16.0, 55.0]]


def test_beyond_a_gap_before_few_outliers_there_is_no_end():
    bulk = np.random.default_rng(0).uniform(size=1_000)
    few, many = np.linspace(9, 9.1, FEWEST - 1), np.linspace(9, 9.1, FEWEST)
    assert find_gaps(np.concatenate([bulk, few]))[-1, 1] == np.inf
    assert find_gaps(np.concatenate([-few, bulk]))[0, 0] == -np.inf
    assert np.isfinite(find_gaps(np.concatenate([bulk, many]))).all()


def test_distances_and_widths():
    gaps = np.array([[-np.inf, 0.0], [1.0, 3.0], [5.0, 9.0]])
    values = np.array([-2.0, 0.5, 1.5, 2.9, 4.0, 7.0, 9.5])
    np.testing.assert_allclose(distance_to_edge(gaps, values), [2, 0, 0.5, 0.1, 0, 2, 0], atol=1e-12)
    np.testing.assert_allclose(width_below(gaps, values), [0, 0, 0, 0, 2, 2, 6])
    assert not distance_to_edge(np.empty((0, 2)), values).any()


def test_bins_end_where_gaps_begin():
    low, high = occupied_ends(np.array([[1.0, 3.0]]), np.array([0.0, 2.0, 1.5]), np.array([2.0, 4.0, 2.5]))
    assert low.tolist() == [0.0, 3.0, 1.5]  # the last bin lies in the gap and stays
    assert high.tolist() == [1.0, 4.0, 2.5]


def test_further_values_close_a_gap_and_models_share_only_common_ones():
    gaps = np.array([[1.0, 3.0], [5.0, 9.0]])
    assert gaps_without(gaps, np.array([2.0, 0.0])).tolist() == gaps.tolist()  # a lone value is an outlier
    closed = gaps_without(gaps, np.linspace(1.0, 3.0, 50))
    assert closed.tolist() == [[5.0, 9.0]]
    assert shared_gaps(gaps, np.array([[2.0, 6.0]])).tolist() == [[2.0, 3.0], [5.0, 6.0]]


def test_codecs_keep_the_gaps_that_their_bins_hide():
    values = two_clusters(4_000, seed=3)
    codec = fit_ordered(values, n_bins=254)
    assert len(codec.gaps) == 1
    np.testing.assert_array_equal(codec.gaps, find_gaps(values))
