"""The sample of rows: uniform, of fixed size, and the same whatever order partitions come in."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from janus_synth.partitions.sample import Sampler, join_samples, number_limit


def sampled(start: int, n: int, number: int, *, size: int, seed: int = 0, batch: int = 7):
    sampler = Sampler(number, size=size, seed=seed)
    table = pa.table({"n": np.arange(start, start + n)})
    for at in range(0, n, batch):
        sampler.add(table.slice(at, batch))
    return sampler.result()


def test_samples_join_in_any_order_to_the_same_rows_in_the_order_of_the_source():
    parts = [sampled(100 * i, 100, i, size=30) for i in range(4)]
    expected = join_samples(parts, 30).rows["n"].to_pylist()
    assert len(expected) == 30
    assert expected == sorted(expected)
    for order in itertools.permutations(parts):
        by_turns = order[0]
        for part in order[1:]:
            by_turns = join_samples([by_turns, part], 30)
        assert by_turns.rows["n"].to_pylist() == expected


def test_the_size_of_batches_does_not_matter():
    once, often = (sampled(0, 500, 0, size=40, batch=batch) for batch in (500, 3))
    assert once.rows.equals(often.rows)


def test_small_partitions_are_kept_whole():
    assert sampled(0, 5, 0, size=30).rows["n"].to_pylist() == [0, 1, 2, 3, 4]
    assert Sampler(0, size=30, seed=0).result() is None


@pytest.mark.statistical
def test_every_row_is_chosen_equally_often():
    """40 rows in two unequal partitions, 10 chosen, 2,000 times; a false alarm in 40 × 1e-6 runs."""
    chosen = np.zeros(40)
    for seed in range(2_000):
        both = [sampled(0, 31, 0, size=10, seed=seed), sampled(31, 9, 1, size=10, seed=seed)]
        chosen[join_samples(both, 10).rows["n"].to_numpy()] += 1
    low, high = binom.ppf([5e-7, 1 - 5e-7], 2_000, 0.25)
    assert low <= chosen.min() <= chosen.max() <= high


def test_rows_beyond_the_limit_are_not_needed():
    """The sample is the same, and partitions keep few more rows than their share."""
    limit = number_limit(50, 4_000)
    kept = []
    for number in range(4):
        sampler = Sampler(number, size=50, seed=3, limit=limit)
        sampler.add(pa.table({"n": np.arange(1_000 * number, 1_000 * number + 1_000)}))
        kept.append(sampler.result())
    free = [sampled(1_000 * number, 1_000, number, size=50, seed=3) for number in range(4)]
    assert join_samples(kept, 50).rows.equals(join_samples(free, 50).rows)
    assert sum(len(part.number) for part in kept) < 180 < sum(len(part.number) for part in free)
    assert number_limit(50, 50) == np.inf


@pytest.mark.statistical
def test_quantiles_of_the_sample_err_by_no_more_than_stated():
    """Dvoretzky-Kiefer-Wolfowitz: 2,000 of 40,000 rows err by 0.060 with a chance of one in a million.

    Partitions hold different ranges of values: one that was favoured by a tenth would show.
    """
    size, parts, false_alarm = 2_000, 8, 1e-6
    sample = join_samples([sampled(5_000 * i, 5_000, i, size=size, seed=5, batch=999) for i in range(parts)], size)
    values = np.sort(np.array(sample.rows["n"]))
    gap = np.abs(values / (5_000 * parts) - np.arange(size) / size).max()
    assert gap <= np.sqrt(np.log(2 / false_alarm) / (2 * size))
