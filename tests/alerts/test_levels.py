"""Levels that name people or mean the same are reported, each with a line that mends it."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.alerts.levels import alike_levels, people_in_levels
from janus_synth.table import Column


def alerts(find, levels):
    column = Column("x", "categorical", "str", levels=tuple(levels))
    return list(find(column, np.arange(len(levels)), np.full(len(levels), 30)))


@pytest.mark.parametrize(
    "levels",
    [
        ["Call Mrs Weber back", "Call Dr. Koch back", "Call Mr Braun back", "nothing"],
        ["Rückruf an Frau Müller", "Rückruf an Herrn Koch", "Rückruf an Dr. Éluard"],
        ["write to a.weber@firm.example", "write to koch@firm.example", "write to b@firm.example"],
        ["tel 030 1234567", "tel 089/7654321", "call +44 20 7946 0958"],
        ["M. Dupont", "Mme Leroy", "Mlle Roux"],
    ],
)
def test_levels_that_name_people_are_reported(levels):
    (alert,) = alerts(people_in_levels, levels)
    assert alert.kind == "people"
    assert alert.remedy == 'schema={"x": {"kind": "personal"}}'
    assert levels[0] not in alert.without_quotes().message


@pytest.mark.parametrize(
    "levels",
    [
        ["Dr Pepper", "Coca-Cola", "Fanta"],
        ["St. Louis", "Los Angeles", "Berlin"],
        ["M Series", "Sr Manager", "Pan American"],
        ["0.125", "2021-01-01", "12 345 678"],
        ["Drive", "Misses", "Frauenfeld"],
        ["0-10", "10-20", "(100, 200]"],
    ],
)
def test_other_levels_are_not(levels):
    assert alerts(people_in_levels, levels) == []


def test_the_remedy_takes_the_names_out():
    notes = [f"call {title} {name} back" for title in ("Mr", "Mrs") for name in ("Weber", "Koch", "Braun", "Wolf")]
    frame = pd.DataFrame({"note": notes * 40, "n": np.arange(320) % 37})
    with warnings.catch_warnings(action="ignore"):
        model = Janus(n_trees=1, random_state=0, schema={"note": {"kind": "personal"}}).fit(frame)
    assert not set(model.sample(300, random_state=1)["note"]) & set(notes)


@pytest.mark.parametrize(
    ("cells", "mended"),
    [
        (["Red", "red ", "blue"], ["red", "red", "blue"]),
        (["open", "open\u200b", "closed"], ["open", "open", "closed"]),
        (["Köln", "Ko\u0308ln", "Bonn"], ["köln", "köln", "bonn"]),
        (["a\u00a0b", "a b", "c"], ["a b", "a b", "c"]),
        (["yes", "Y", "no", "n"], [True, True, False, False]),
        (["TRUE", "1", "0"], [True, True, False]),
    ],
)
def test_levels_that_mean_the_same_are_mended_by_the_line(cells, mended):
    (alert,) = alerts(alike_levels, cells)
    assert alert.kind == "spellings"
    df = pd.DataFrame({"x": cells})
    exec(alert.remedy, {"df": df, "pd": pd})
    assert df["x"].tolist() == mended


@pytest.mark.parametrize("levels", [["red", "blue"], ["yes", "no"], ["0", "1", "2"], ["yes", "no", "maybe"]])
def test_levels_that_differ_are_left_alone(levels):
    assert alerts(alike_levels, levels) == []
