"""Unconditional sampling: a seed fixes the table for any batch size and number of threads, rows follow the model."""

from __future__ import annotations

import itertools
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.sampling import BLOCK_ROWS, blocks_of, first_block_of, sample_rows
from model.tables import FRAME_KINDS, as_kind, assert_same_frame, fitted, mixed, stacked
from reference.routing import leaf_of_row


@pytest.fixture(scope="module", params=FRAME_KINDS)
def model(request):
    return fitted(as_kind(mixed(200), request.param))


@pytest.fixture(scope="module")
def pandas_model():
    return fitted(mixed(200))


def head(frame, n):
    return frame[:n]


# Reproducibility


@pytest.mark.parametrize("n", [0, 1, 2, 4_095, 4_096, 4_097, 8_192, 10_000, 70_001])
def test_a_sample_has_the_requested_number_of_rows(n, pandas_model):
    rows = pandas_model.sample(n)
    assert len(rows) == n
    assert list(rows.dtypes) == list(mixed(20).dtypes)


@pytest.mark.parametrize("n", [0, 1])
def test_small_samples_work_in_every_kind_of_frame(n, model):
    rows = model.sample(n)
    assert rows.shape == (n, 8)
    assert type(rows) is type(model.sample(5))
    assert_same_frame(head(model.sample(5, random_state=0), n), model.sample(n, random_state=0))


def test_a_shorter_sample_is_the_beginning_of_a_longer_one(model):
    longest = model.sample(10_000, random_state=1)
    assert longest.shape == (10_000, 8)
    for n in (1, 100, 4_096, 5_000, 8_192):
        assert_same_frame(model.sample(n, random_state=1), head(longest, n))


def test_a_shorter_sample_has_the_same_random_identifiers():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghjkmnpqrstuvwxyz"))
    keys = ["".join(rng.choice(letters, 8)) for _ in range(60)]
    model = fitted(pd.DataFrame({"key": keys, "x": rng.normal(size=60)}))
    assert_same_frame(model.sample(50, random_state=1), model.sample(5_000, random_state=1)[:50])


@pytest.mark.parametrize("n_jobs", [1, 2, 4, None, -1])
def test_the_number_of_threads_makes_no_difference(n_jobs, pandas_model):
    one = sample_rows(pandas_model.model_, 140_000, seed=5, n_jobs=1)
    many = sample_rows(pandas_model.model_, 140_000, seed=5, n_jobs=n_jobs)
    for name, values in one.columns.items():
        np.testing.assert_array_equal(many[name], values)


def test_threads_of_the_public_call_make_no_difference():
    one, many = (fitted(mixed(200), n_jobs=n_jobs).sample(20_000, random_state=2) for n_jobs in (1, 4))
    assert_same_frame(one, many)


@pytest.mark.parametrize("batch_rows", [1, 4_096, 5_000, 8_192, 100_000])
def test_batches_add_up_to_the_sample(batch_rows, model):
    pieces = list(model.sample_batches(10_000, batch_rows=batch_rows, random_state=3))
    assert_same_frame(stacked(*pieces), model.sample(10_000, random_state=3))


@pytest.mark.parametrize("batch_rows", [1, 4_096, 5_000, 8_192])
def test_batches_are_whole_blocks_of_about_the_requested_size(batch_rows, pandas_model):
    *whole, last = (len(piece) for piece in pandas_model.sample_batches(20_000, batch_rows=batch_rows))
    assert sum(whole) + last == 20_000
    assert all(size % BLOCK_ROWS == 0 and abs(size - batch_rows) < BLOCK_ROWS for size in whole)


def test_batches_of_random_identifiers_add_up_to_the_sample():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghjkmnpqrstuvwxyz"))
    keys = ["".join(rng.choice(letters, 8)) for _ in range(60)]
    model = fitted(pd.DataFrame({"key": keys, "x": rng.normal(size=60)}))
    pieces = stacked(*model.sample_batches(9_000, batch_rows=4_096, random_state=3))
    assert pieces["key"].is_unique
    assert_same_frame(pieces, model.sample(9_000, random_state=3))


def test_a_request_for_no_rows_yields_one_empty_batch(model):
    (piece,) = model.sample_batches(0)
    assert piece.shape == (0, 8)


def test_blocks_cover_the_rows_without_gaps():
    for n, size in itertools.product((1, 4_095, 4_096, 4_097, 100_000), (1, 4_096, 10_000, 2**20)):
        pieces = list(blocks_of(n, size))
        ends = np.cumsum([length for _, length in pieces])
        assert ends[-1] == n
        assert [start for start, _ in pieces] == [0, *ends[:-1]]
        assert all(start == BLOCK_ROWS * first_block_of(start) for start, _ in pieces)


def test_the_same_seed_is_the_same_table(model):
    assert_same_frame(model.sample(100, random_state=8), model.sample(100, random_state=8))


def test_another_seed_is_another_table(pandas_model):
    one, other = (pandas_model.sample(100, random_state=seed) for seed in (8, 9))
    assert not one["amount"].equals(other["amount"])


def test_a_generator_moves_on_from_table_to_table(pandas_model):
    one, other = np.random.default_rng(4), np.random.default_rng(4)
    first, second = pandas_model.sample(50, random_state=one), pandas_model.sample(50, random_state=one)
    assert not first["amount"].equals(second["amount"])
    assert_same_frame(pandas_model.sample(50, random_state=other), first)
    assert_same_frame(pandas_model.sample(50, random_state=other), second)


@pytest.mark.parametrize("seed", [3, np.int64(3)], ids=["int", "numpy int"])
def test_the_models_own_seed_gives_a_repeatable_series_of_different_tables(seed):
    one, other = (fitted(mixed(100), random_state=seed) for _ in range(2))
    series = [one.sample(30) for _ in range(3)]
    for first, second in itertools.combinations(series, 2):
        assert not first["amount"].equals(second["amount"])
    for rows in series:
        assert_same_frame(other.sample(30), rows)


def test_a_sample_with_a_seed_does_not_disturb_the_series():
    one, other = (fitted(mixed(100), random_state=3) for _ in range(2))
    one.sample(10, random_state=99)
    assert_same_frame(one.sample(30), other.sample(30))


def test_a_model_without_a_seed_gives_fresh_tables():
    model = fitted(mixed(100), random_state=None)
    assert not model.sample(30)["amount"].equals(model.sample(30)["amount"])


def test_fitting_again_starts_the_series_anew():
    model = fitted(mixed(100), random_state=3)
    first = model.sample(30)
    assert_same_frame(model.fit(mixed(100)).sample(30), first)


def test_numbered_identifiers_go_on_through_batches(pandas_model):
    keys = stacked(*pandas_model.sample_batches(9_000, batch_rows=4_096))["key"]
    assert keys.is_unique
    assert keys.iloc[0] == "K-00200"
    assert keys.iloc[-1] == "K-09199"


def test_progress_counts_every_row(pandas_model):
    seen = []
    sample_rows(pandas_model.model_, 10_000, seed=0, on_rows=seen.append)
    assert sum(seen) == 10_000


# The distribution


def tiny_table(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """Three dependent unordered columns of few levels; one of them has nulls."""
    rng = np.random.default_rng(seed)
    a = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(n) < 0.7, a, rng.choice(3, n))
    c = np.where(rng.random(n) < 0.8, (a + b) % 2, rng.choice(2, n))
    frame = pd.DataFrame({"a": np.array(["x", "y", "z"])[a], "b": np.array(["k", "l", "m"])[b], "c": c == 1})
    return frame.assign(b=frame["b"].where(rng.random(n) > 0.1))


def every_code(model: Janus) -> np.ndarray:
    """All combinations of codes, one per column of the result."""
    return np.array(list(itertools.product(*map(range, model.model_.codec.n_codes))), np.uint16).T


def joint(model: Janus, x: np.ndarray) -> np.ndarray:
    """Probability of each combination by brute force: leaf by leaf, tree by tree, column by column."""
    probability = np.ones(x.shape[1])
    for i, bag in enumerate(model.model_.bags):
        shares, trees = bag.shares, []
        for root in bag.splits.roots:
            leaf = bag.splits.leaf_of_node[leaf_of_row(x, root, bag.splits)]
            trees.append(shares[leaf, x[i]])
        probability *= np.mean(trees, axis=0)
    return probability


def frequencies(model: Janus, x: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Shares of the combinations among sampled rows."""
    drawn = sample_rows(model.model_, n, seed=seed)
    codes = np.stack([model.model_.codec.columns[name].encode(drawn[name]) for name in model.model_.codec.names])
    shape = tuple(model.model_.codec.n_codes)
    counts = np.bincount(np.ravel_multi_index(tuple(codes), shape), minlength=x.shape[1])
    return counts / n


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["auto", "forest", [("c", "b"), ("c", "a")]], ids=str)
def test_samples_follow_the_joint_distribution_of_the_model(structure):
    model = fitted(tiny_table(), structure=structure, n_trees=3)
    x, n, false_alarm = every_code(model), 60_000, 1e-6
    expected = joint(model, x)
    assert expected.sum() == pytest.approx(1.0, abs=1e-5)
    distance = np.abs(frequencies(model, x, n, seed=0) - expected).sum() / 2
    # Total variation over k cells: its mean is at most √(k/n)/2 and each row moves it by 1/n (McDiarmid): 0.020.
    # Columns drawn independently would be 0.2 away, leaving out one tree of three about 0.03.
    k = int((expected > 0).sum())
    assert distance <= sqrt(k / n) / 2 + sqrt(log(1 / false_alarm) / (2 * n))


@pytest.mark.statistical
def test_pairs_of_columns_follow_the_model():
    model = fitted(tiny_table(), n_trees=2)
    x, n, false_alarm = every_code(model), 60_000, 1e-6
    shape = tuple(model.model_.codec.n_codes)
    expected, found = (p.reshape(shape) for p in (joint(model, x), frequencies(model, x, n, seed=1)))
    for other in range(3):
        gap = np.abs(found.sum(axis=other) - expected.sum(axis=other)).max()
        assert gap <= sqrt(log(2 * 25 * 3 / false_alarm) / (2 * n))  # Hoeffding over all cells of all pairs: 0.013


@pytest.mark.statistical
def test_values_follow_the_data_in_a_column_without_parents():
    rng, n = np.random.default_rng(0), 20_000
    values = np.sort(np.where(rng.random(3_000) < 0.3, 0.0, rng.gamma(2.0, 10.0, 3_000)))
    model = fitted(pd.DataFrame({"x": values}), n_bins="auto")
    drawn = np.sort(sample_rows(model.model_, n, seed=0)["x"])
    below, up_to = (
        np.abs(np.searchsorted(drawn, values, side) / n - np.searchsorted(values, values, side) / 3_000).max()
        for side in ("left", "right")
    )
    # DKW at a false-alarm rate of 1e-6: 0.019; smoothing and inner knots may add 0.006. Detects a shift of 3 % of rows.
    assert max(below, up_to) <= sqrt(log(2 / 1e-6) / (2 * n)) + 0.006
