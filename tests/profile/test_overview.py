"""A table at a glance: its rows, alerts, associations and relations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import datasets
from janus_synth.profile import profile_frame

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def found():
    a, b = RNG.integers(0, 99, 400), RNG.integers(0, 99, 400)
    noise = RNG.normal(size=400)
    return profile_frame(pd.DataFrame({"a": a, "b": b, "total": a + b, "noise": noise, "one": "x"}))


def test_counts_are_those_of_the_table(found):
    assert (found.n_rows, len(found.columns), found.kinds) == (400, 5, "4 numeric, 1 categorical")
    assert found.missing == 0


def test_alerts_relations_and_associations_are_found(found):
    assert [alert.kind for alert in found.alerts_of("one")] == ["constant"]
    assert any("total" in text and "a + b" in text for text in found.relations)
    assert {found.associations[0].first, found.associations[0].second} <= {"a", "b", "total"}
    assert found.associations[0].strength == pytest.approx(np.sqrt(0.5), abs=0.1)
    assert all("noise" not in (pair.first, pair.second) for pair in found.associations)


def test_alerts_can_be_silenced_and_columns_declared():
    frame = pd.DataFrame({"x": ["19/08/2023", "01/02/2024"] * 60, "y": RNG.normal(size=120)})
    assert profile_frame(frame).alerts[0].kind == "date-text"
    assert profile_frame(frame, silence="all").alerts == ()
    assert profile_frame(frame, schema={"x": {"kind": "datetime"}}).columns[0].low == "19/08/2023"


def test_a_table_of_identifiers_has_a_profile():
    found = profile_frame(pd.DataFrame({"id": range(50)}))
    assert (found.relations, found.associations, found.columns[0].n_distinct) == ((), (), None)


def test_an_example_table_has_a_profile():
    found = profile_frame(datasets.hiring(300, random_state=0))
    assert [column.name for column in found.columns][:2] == ["applicant_id", "age"]
