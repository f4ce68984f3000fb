"""Methods that give rows: their arguments, batches, and threads of the caller."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import RuleError
from model.tables import assert_same_frame, fitted, mixed


@pytest.mark.parametrize("n", [-1, 2.5, "10", None, True, np.float64(3), [3]], ids=repr)
def test_a_bad_number_of_rows_is_named(n):
    model = fitted(mixed(30))
    with pytest.raises(ValueError, match="n is .* number of rows"):
        model.sample(n)
    with pytest.raises(ValueError, match="n is .* number of rows"):
        list(model.sample_batches(n))


@pytest.mark.parametrize("n", [np.int64(3), np.uint8(3)], ids=repr)
def test_numpy_integers_are_numbers_of_rows(n):
    assert len(fitted(mixed(30)).sample(n)) == 3


@pytest.mark.parametrize("seed", [-1, "a", 1.5, True], ids=repr)
def test_a_bad_seed_of_a_sample_is_named(seed):
    with pytest.raises(ValueError, match="random_state is"):
        fitted(mixed(30)).sample(3, random_state=seed)


@pytest.mark.parametrize("batch_rows", [0, -5, 2.5, "many"], ids=repr)
def test_a_bad_batch_size_is_named(batch_rows):
    with pytest.raises(ValueError, match="batch_rows is"):
        list(fitted(mixed(30)).sample_batches(10, batch_rows=batch_rows))


def test_batches_are_the_rows_of_one_sample():
    model = fitted(mixed(100))
    batches = list(model.sample_batches(10_000, batch_rows=4_096, random_state=3))
    assert [len(batch) for batch in batches] == [4_096, 4_096, 1_808]
    assert_same_frame(pd.concat(batches, ignore_index=True), model.sample(10_000, random_state=3))


def test_batches_cannot_promise_a_key():
    with pytest.raises(RuleError, match="only a whole table can promise"):
        fitted(mixed(100)).sample_batches(10, where="unique(units)")


def test_one_model_may_be_sampled_by_several_threads():
    model = fitted(mixed(100))
    expected = model.sample(2_000, random_state=1)
    model = fitted(mixed(100))  # nothing is cached yet
    found: list[pd.DataFrame] = []
    threads = [threading.Thread(target=lambda: found.append(model.sample(2_000, random_state=1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for rows in found:
        assert_same_frame(rows, expected)
