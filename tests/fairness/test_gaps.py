"""Gaps against plain counts, and coverage of intervals over random splits of training and test rows."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.fairness.gaps import (
    FALSE_POSITIVE,
    PARITY,
    PROXY,
    SCORE,
    SUBGROUP,
    TRUE_POSITIVE,
    Decisions,
    compute_gaps,
    estimate_over_splits,
    excludes_zero,
)
from janus_synth.fairness.learning_task import PRIVILEGED, UNKNOWN, UNPRIVILEGED, LearningTask


@pytest.mark.statistical
def test_intervals_over_equal_splits_cover_noise_of_training_and_test_rows():
    """600 tables, nominal 95 %: at a true coverage of 0.95, below 0.92 has probability 1e-3 and above 0.99 1e-7.

    The statistic is the mean of training rows plus the mean of test rows, with equal noise in both.
    """
    rng, covered, n, n_splits = np.random.default_rng(0), [], 200, 10
    for _ in range(600):
        trained, tested = rng.normal(size=(2, n))
        values = []
        for _ in range(n_splits):
            rows = rng.permutation(n)
            values.append(trained[rows[: n // 2]].mean() + tested[rows[n // 2 :]].mean())
        estimate = estimate_over_splits(values, n_train=n // 2, n_test=n // 2, level=0.95)
        covered.append(estimate.low <= 0 <= estimate.high)
    assert 0.92 <= np.mean(covered) <= 0.99


@pytest.mark.statistical
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_intervals_over_unequal_splits_cover_noise_of_the_larger_side(share):
    """Only the larger side is noisy, and its means hardly differ between splits.

    400 tables, nominal 95 %: at a true coverage of 0.95, below 0.90 has probability 1e-5. With the smaller of the two
    variance terms coverage is 0.49.
    """
    rng, covered, n, n_splits = np.random.default_rng(1), [], 200, 10
    n_train = int(share * n)
    for _ in range(400):
        luck, values = rng.normal(size=n), []
        for _ in range(n_splits):
            rows = rng.permutation(n)
            side = rows[n_train:] if share < 0.5 else rows[:n_train]
            values.append(luck[side].mean())
        estimate = estimate_over_splits(values, n_train=n_train, n_test=n - n_train, level=0.95)
        covered.append(estimate.low <= 0 <= estimate.high)
    assert np.mean(covered) >= 0.90


def test_splits_without_a_value_are_left_out_and_a_single_split_has_no_interval():
    with_gap = estimate_over_splits([1.0, np.nan, 3.0], n_train=10, n_test=10, level=0.9)
    assert with_gap == estimate_over_splits([1.0, 3.0], n_train=10, n_test=10, level=0.9)
    assert with_gap.value == 2.0
    alone = estimate_over_splits([np.nan, 3.0], n_train=10, n_test=10, level=0.9)
    assert alone.value == 3.0
    assert np.isnan([alone.low, alone.high]).all()
    assert not excludes_zero(alone)
    assert excludes_zero(with_gap._replace(low=0.1))
    assert excludes_zero(with_gap._replace(low=-2.0, high=-0.1))
    assert not excludes_zero(with_gap._replace(low=0.0))


def random_decisions(rng: np.random.Generator, n: int) -> Decisions:
    """Random groups and outcomes, with random decisions for some of the rows."""
    group = rng.choice([PRIVILEGED, UNPRIVILEGED, UNKNOWN], n, p=[0.4, 0.4, 0.2])
    favoured, better, known = (rng.random(n) < share for share in (0.5, 0.5, 0.9))
    hit = (group == UNPRIVILEGED) & (rng.random(n) < 0.5)
    task = LearningTask(np.zeros((n, 1)), favoured, group, hit, better & known, known)
    rows = rng.permutation(n)[: n // 2]
    return Decisions(task, rows, rng.random(len(rows)) < 0.4, rng.random(len(rows)))


def test_gaps_are_differences_of_plain_shares():
    rng = np.random.default_rng(2)
    parts = [random_decisions(rng, n) for n in (300, 400)]
    found = compute_gaps(parts, with_subgroup=True)
    for i, (task, rows, decided, chance) in enumerate(parts):
        group, truth, hit = task.group[rows], task.favoured[rows], task.hit[rows]
        first, second = group == PRIVILEGED, group == UNPRIVILEGED
        better, known = task.better[rows], task.better_known[rows]
        expected = {
            PARITY: decided[first].mean() - decided[second].mean(),
            TRUE_POSITIVE: decided[first & truth].mean() - decided[second & truth].mean(),
            FALSE_POSITIVE: decided[first & ~truth].mean() - decided[second & ~truth].mean(),
            SCORE: chance[first].mean() - chance[hit].mean(),
            SUBGROUP: decided[first].mean() - decided[hit].mean(),
            PROXY: decided[better].mean() - decided[known & ~better].mean(),
        }
        assert {name: values[i] for name, values in found.items()} == pytest.approx(expected)
