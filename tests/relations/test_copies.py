from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from relations.agreement import found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(6)


@pytest.mark.parametrize(("share", "factor"), [(0.03, 1.0), (0.2, 1.0), (0.7, 12.0), (0.3, 1 / 12), (0.3, 1.2)])
def test_a_share_of_copies(random, share, factor):
    n = 4000
    billed = random.integers(1, 5000, n) * 60.0
    copied = random.random(n) < share
    frame = pd.DataFrame({"billed": billed, "paid": np.where(copied, billed * factor, random.integers(1, 10**6, n))})
    frame = with_nulls(frame, ["paid"], 0.1, random)
    (relation,) = found(frame, "copy")
    assert relation.columns == ("paid", "billed")
    assert relation.detail.factor == pytest.approx(factor, rel=1e-12)
    assert relation.detail.share == pytest.approx(share, abs=0.03)
    rows = frame.dropna()
    assert relation.support == len(rows)
    assert relation.exceptions == (~np.isclose(rows.paid, rows.billed * factor, rtol=1e-13)).sum()


def test_zeros_and_other_frequent_values_are_no_copies(random):
    n = 3000
    values = np.where(random.random((n, 2)) < 0.5, 0, random.integers(1, 100_000, (n, 2)))
    values[random.random((n, 2)) < 0.1] = 500
    assert found(pd.DataFrame(values, columns=["a", "b"])) == []


def test_similar_whole_numbers_are_no_copies(random):
    """Two rounded columns whose difference has a standard deviation of 1.4 are equal in 28 % of the rows."""
    level = random.normal(200, 40, 5000)
    frame = pd.DataFrame(
        {"a": np.round(level + random.normal(0, 1, 5000)), "b": np.round(level + random.normal(0, 1, 5000))}
    )
    assert (frame.a == frame.b).mean() > 0.25
    assert found(frame, "copy") == []


def test_copies_of_copies_are_not_listed(random):
    n = 4000
    first = random.normal(size=n)
    second = np.where(random.random(n) < 0.5, first, random.normal(size=n))
    third = np.where(random.random(n) < 0.5, second, random.normal(size=n))
    frame = pd.DataFrame({"first": first, "second": second, "third": third})
    assert (frame.third == frame["first"]).mean() > 0.2
    assert {r.columns for r in found(frame, "copy")} == {("second", "first"), ("third", "second")}


def test_a_column_that_is_rounded_is_no_copy(random):
    price = random.lognormal(3, 1, 3000).round(2)
    frame = pd.DataFrame({"price": price, "gross": (price * 1.2).round(2)})
    assert found(frame, "copy") == []
