from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Sum
from janus_synth.relations.rounded_sums import simplest_within
from relations.agreement import found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(9)


def test_a_tax_in_cents(random):
    net = random.lognormal(4, 1, 1500).round(2)
    frame = pd.DataFrame({"net": net, "tax": (net * 0.19).round(2), "noise": random.normal(0, 50, 1500).round(2)})
    frame = with_nulls(frame, ["tax"], 0.1, random)
    (relation,) = found(frame, "sum")
    assert str(relation) == "tax == 0.19 * net, rounded to 2 decimals"
    assert relation.detail == Sum("tax", (("net", 0.19),), 0.0, 2)
    assert relation.rule == "tax is null or -0.005 <= tax - 0.19 * net <= 0.005"
    assert relation.support == frame.tax.notna().sum()


def test_a_mean_of_grades_in_tenths(random):
    grades = random.integers(0, 101, (900, 3))
    frame = pd.DataFrame(grades, columns=["first", "second", "third"])
    frame["mean"] = (grades.sum(axis=1) / 3).round(1)
    (relation,) = found(frame, "sum")
    assert relation.columns[0] == "mean"
    assert dict(relation.detail.terms) == pytest.approx({"first": 1 / 3, "second": 1 / 3, "third": 1 / 3})


def test_a_close_fit_is_no_rounded_sum(random):
    """The residual is as small as rounding, but normal: some rows are further away than half a unit."""
    x = random.integers(0, 1000, 2000)
    frame = pd.DataFrame({"x": x, "y": np.round(0.5 * x + random.normal(0, 0.3, 2000))})
    assert found(frame, "sum") == []


def test_small_numbers_are_not_explained_by_rounding(random):
    frame = pd.DataFrame(random.integers(0, 4, (60, 5)), columns=list("abcde"))
    assert found(frame, "sum") == []


def test_simple_numbers_within_a_margin():
    assert simplest_within(0.3333, 0.0005) == pytest.approx(1 / 3)
    assert simplest_within(12.0004, 0.001) == 12
    assert simplest_within(-0.1199, 0.0002) == -0.12
    assert simplest_within(0.123456, 1e-9) is None
