from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import PartSum
from relations.agreement import found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(8)


def houses(random, n=1_500, wrong=0.02):
    frame = pd.DataFrame({"first": random.integers(400, 2_000, n), "second": random.integers(0, 900, n)})
    frame["living"] = frame["first"] + frame.second + np.where(random.random(n) < wrong, random.integers(9, 400, n), 0)
    for j in range(8):
        frame[f"other{j}"] = random.integers(0, 2_000, n)
    return frame


def test_a_sum_that_some_rows_break(random):
    frame = with_nulls(houses(random), ["second"], 0.1, random)
    (relation,) = found(frame, "sum")
    broken = (frame.living != frame["first"] + frame.second) & frame.second.notna()
    assert (relation.exceptions, relation.support) == (broken.sum(), frame.second.notna().sum())
    assert relation.detail == PartSum(
        "living", (("first", 1.0), ("second", 1.0)), 0.0, 1 - broken.sum() / relation.support
    )
    assert str(relation) == f"living == first + second in {relation.detail.share:.1%} of rows"


def test_many_exceptions_are_too_many(random):
    assert found(houses(random, wrong=0.2), "sum") == []


def test_what_follows_from_other_sums_is_left_out(random):
    frame = houses(random, wrong=0)
    frame["attic"] = np.where(random.random(len(frame)) < 0.03, random.integers(50, 400, len(frame)), 0)
    frame["living"] += frame.attic
    assert [str(relation) for relation in found(frame, "sum")] == ["living == first + second + attic"]
    frame["price"], frame["fees"] = random.integers(0, 9_999, (2, len(frame)))
    frame["paid"] = frame.price + frame.fees + np.where(random.random(len(frame)) < 0.01, 5, 0)
    frame["debt"] = frame.paid + frame.other0
    assert [set(relation.columns) for relation in found(frame, "sum")] == [
        {"debt", "paid", "other0"},
        {"living", "first", "second", "attic"},
        {"paid", "price", "fees"},
    ]


@pytest.mark.statistical
def test_tables_without_sums_give_none():
    """Sums by chance have probability 1e-4 per table at most: none in 150 tables, unless 1.5 % of the time."""
    for seed in range(150):
        random = np.random.default_rng(seed)
        n, k = int(random.integers(60, 400)), int(random.integers(3, 9))
        few = {f"few{j}": random.integers(0, random.integers(2, 6), n) for j in range(k)}
        heavy = {f"heavy{j}": np.where(random.random(n) < 0.6, 0, random.geometric(0.3, n)) for j in range(k)}
        assert found(pd.DataFrame(few | heavy), "sum") == [], seed
