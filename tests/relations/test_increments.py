from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from relations.agreement import found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(15)


def steps(frame, **options):
    return {relation.columns[0]: relation.detail.step for relation in found(frame, "increment", **options)}


def test_steps_of_several_sizes(random):
    n = 500
    frame = pd.DataFrame(
        {
            "limit": random.integers(1, 90, n) * 500,
            "rate": random.integers(-40, 90, n) * 0.25,
            "week": random.integers(0, 50, n) * 7,
            "price": random.integers(0, 9999, n) / 100,
            "whole": random.integers(0, 9999, n).astype(float),
        }
    )
    frame = with_nulls(frame, ["rate"], 0.1, random)
    assert steps(frame) == {"limit": 500, "rate": 0.25, "week": 7}
    rate = next(r for r in found(frame, "increment") if r.columns == ("rate",))
    assert rate.support == frame.rate.notna().sum()
    assert rate.rule == "rate is null or increments(rate, 0.25)"


def test_a_few_exceptions_are_counted(random):
    frame = pd.DataFrame({"limit": random.integers(1, 90, 5000) * 1000})
    frame.loc[[4, 9], "limit"] += 7
    (relation,) = found(frame, "increment")
    assert (relation.detail.step, relation.exceptions) == (1000, 2)
    frame.loc[:20, "limit"] += 7
    assert steps(frame) == {}


def test_few_distinct_values_are_no_evidence(random):
    frame = pd.DataFrame({"x": random.choice([0, 500, 1000], 400), "y": random.choice([2, 4, 6, 10], 400)})
    assert steps(frame) == {"x": 500} or steps(frame) == {}
    assert "y" not in steps(frame)


def test_columns_that_others_determine_are_left_out(random):
    frame = pd.DataFrame({"a": random.integers(0, 999, 400)})
    frame["b"] = 12 * frame.a
    assert steps(frame) == {}


def test_the_largest_step_is_listed_and_steps_of_rounding_are_not():
    rng = np.random.default_rng(0)
    knots = rng.integers(1, 60, 900)
    frame = pd.DataFrame({"wind": (knots * 1.15078).round(5), "fee": 60 * rng.integers(0, 2**28, 900) * 4e-9})
    assert [(r.columns, r.detail.step) for r in found(frame, "increment")] == [(("wind",), 1.15078)]
