from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from janus_bench.exact.against import Comparison, Effort, by_rejection, compare, mean_auc, next_batch
from janus_synth import Janus, datasets, holds
from janus_synth.table import read_table

BASE = Comparison("A", "0, graph given", "range", "x > 1", 100, 10_000, 0.01, 0.0098, 0.0103, 100, 0, 0.5, 0.5, 1, 2)


@pytest.fixture(scope="module")
def model():
    return Janus(random_state=0).fit(datasets.hiring(400), progress=False)


class Coin:
    """A model whose rows obey every time, or never."""

    def __init__(self, value):
        self.value = value
        self.schema_ = read_table(pd.DataFrame({"x": [0.5, 1.5, 2.25]})).schema
        self.asked = []

    def sample(self, n, *, random_state, progress):
        self.asked.append((n, random_state))
        return pd.DataFrame({"x": np.full(n, self.value)})


def test_rejection_keeps_rows_that_obey_and_counts_what_it_drew(model):
    truth = by_rejection(model, "age < 30", Effort(300), seed=1)
    assert len(truth.rows) == 300
    assert holds("age < 30", truth.rows).all()
    assert truth.n_drawn == 20_000
    assert truth.probability == pytest.approx(model.probability("age < 30").value, rel=0.1)  # 6 standard errors


def test_rejection_gives_up_after_so_many_draws():
    coin = Coin(0.5)
    truth = by_rejection(coin, "x > 1", Effort(10, most_draws=50_000), seed=0)
    assert (len(truth.rows), truth.n_accepted, truth.n_drawn) == (0, 0, 50_000)
    assert len({seed for _, seed in coin.asked}) == len(coin.asked) == 2


def test_rejection_returns_no_more_than_asked_for():
    truth = by_rejection(Coin(1.5), "x > 1", Effort(10), seed=0)
    assert (len(truth.rows), truth.probability) == (10, 1.0)


def test_batches_grow_while_nothing_is_found_and_stay_within_bounds():
    assert [next_batch(100, 0, drawn) for drawn in (0, 20_000, 1_000_000)] == [20_000, 80_000, 500_000]
    assert next_batch(100, 99, 100_000) == 20_000


@pytest.mark.parametrize(
    ("accepted", "drawn", "expected"),
    [
        (100, 10_000, True),
        (118, 10_000, True),  # 0.0118 ± 0.0021: brute force itself may be off
        (11_800, 1_000_000, False),  # the same value, known ten times better
        (10_300, 1_000_000, True),
        (9_750, 1_000_000, True),  # 0.00975 ± 0.00019, beside 0.01 − 0.0002
        (9_700, 1_000_000, False),
        (0, 10_000, False),
    ],
)
def test_an_interval_is_held_against_brute_force_and_its_error(accepted, drawn, expected):
    assert replace(BASE, n_accepted=accepted, n_drawn=drawn).interval_holds is expected


def test_shares_are_as_far_off_as_their_ratio_either_way():
    assert replace(BASE, n_accepted=300).off == pytest.approx(3)
    assert replace(BASE, n_accepted=25).off == pytest.approx(4)
    assert replace(BASE, n_accepted=0).off == np.inf


def test_a_comparison_has_all_its_numbers(model):
    effort = Effort(80, 20_000, "boosting")
    found = compare(model, "age < 30 and experience >= 3", effort, part="A", subject="hiring")
    assert (found.n_rows, found.n_violations) == (80, 0)
    assert found.low <= found.estimate <= found.high
    assert found.interval_holds
    assert 0 < found.auc < 1
    assert 0 < found.half_auc < 1
    assert min(found.exact_seconds, found.rejection_seconds) > 0


def test_too_few_rows_have_no_auc(model):
    few = model.sample(10, random_state=0)
    assert mean_auc(few, few, model.schema_, "boosting") is None


def test_an_auc_is_a_mean_over_seeds_of_the_detector(model, monkeypatch):
    seen = []

    def detection(*pair, detector, random_state):
        seen.append(SimpleNamespace(rows=[part.n_rows for part in pair], seed=random_state))
        return 0.5 + 0.1 * random_state

    monkeypatch.setattr("janus_bench.exact.against.detection_auc", detection)
    rows = model.sample(40, random_state=0)
    assert mean_auc(rows, rows, model.schema_, "boosting") == pytest.approx(0.55)
    assert [call.seed for call in seen] == [0, 1]
