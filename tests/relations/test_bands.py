from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Band
from janus_synth.relations.bands import round_between
from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(12)


def test_age_groups_despite_nulls(random):
    frame = pd.DataFrame({"age": random.integers(18, 90, 900)})
    frame["group"] = np.select([frame.age < 30, frame.age < 65], ["young", "middle"], "old")
    frame = with_nulls(frame, ["age", "group"], 0.1, random)
    (relation,) = found(frame)
    assert relation.detail == Band("group", "age", (30.0, 65.0), ("young", "middle", "old"))
    assert relation.support == len(complete(frame, "age", "group"))
    assert relation.rule == (
        "group is null or age is null or implies(age < 30, group == 'young') and "
        "implies(30 <= age < 65, group == 'middle') and implies(age >= 65, group == 'old')"
    )


def test_bands_of_a_continuous_number_may_be_numbers_or_booleans(random):
    frame = pd.DataFrame({"score": random.normal(500, 100, 4000)})
    frame["grade"] = np.digitize(frame.score, [400, 500, 600]) + 1
    frame["passed"] = frame.score >= 450
    details = {relation.detail for relation in found(frame, "band")}
    grade = next(detail for detail in details if detail.column == "grade")
    assert grade.values == (1, 2, 3, 4)
    assert grade.edges == pytest.approx((400, 500, 600), abs=0.5)
    passed = next(detail for detail in details if detail.column == "passed")
    assert passed.values == (False, True)


def test_groups_that_do_not_touch_are_no_bands(random):
    kind = random.random(600) < 0.5
    frame = pd.DataFrame({"length": np.where(kind, random.normal(1, 0.2, 600), random.normal(5, 0.4, 600)).round(2)})
    frame["species"] = np.where(kind, "small", "large")
    assert frame.length[kind].max() < frame.length[~kind].min()
    assert found(frame, "band") == []


def test_a_blurred_edge_is_no_band(random):
    x = random.normal(size=3000)
    frame = pd.DataFrame({"x": x, "y": x + random.normal(0, 0.02, 3000) > 0})
    assert found(frame, "band") == []


@pytest.mark.parametrize("n_values", [4, 8])
def test_few_values_are_no_bands(random, n_values):
    """Of few values, a random assignment often has one stretch per group: a lookup says enough."""
    x = random.integers(0, n_values, 500)
    frame = pd.DataFrame({"x": x, "y": np.where(x < n_values // 2, "a", "b")})
    assert [relation.kind for relation in found(frame)] == ["lookup"]


def test_edges_are_round():
    assert round_between(17, 18) == 18
    assert round_between(99.2, 101.7) == 100
    assert round_between(-0.4, 0.3) == 0
    assert round_between(0.0121, 0.0124) == 0.0124 or 0.0121 < round_between(0.0121, 0.0124) <= 0.0124
    assert round_between(1.0, np.nextafter(1.0, 2)) == np.nextafter(1.0, 2)
