"""Interventions as the page states them, compared with the answers of the library."""

from __future__ import annotations

import json

import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.studio import interventions
from janus_synth.studio.worker import run
from janus_synth.table import Column

CITY = Column("city", "categorical", "str", levels=("Oslo", "Rome", "Bonn"))
AGE = Column("age", "numeric", "int64", low=18, high=70)


@pytest.fixture(scope="module")
def model(model_file):
    return Janus.load(model_file)


@pytest.mark.parametrize(
    ("column", "spec", "meant"),
    [
        (CITY, {"level": 1}, "Rome"),
        (CITY, {"levels": [0, 2]}, ["Oslo", "Bonn"]),
        (AGE, {"value": 30}, 30),
        (AGE, {"low": 30, "high": 40.5}, (30, 40.5)),
        (AGE, {"null": True}, None),
        (Column("since", "datetime", "datetime64[us]"), {"value": "2020-01-31"}, "2020-01-31"),
    ],
)
def test_a_setting_is_what_do_takes(column, spec, meant):
    assert interventions.as_assignment(column, spec) == meant


@pytest.mark.parametrize(
    ("column", "spec"),
    [
        (CITY, {"level": 3}),
        (CITY, {"level": -1}),
        (CITY, {"level": True}),
        (CITY, {"level": "0"}),
        (CITY, {"levels": []}),
        (AGE, {}),
        (AGE, {"low": 3}),
        (AGE, {"value": None}),
        (AGE, {"value": [1]}),
        (AGE, {"value": ""}),
    ],
)
def test_a_setting_that_means_nothing_is_refused(column, spec):
    with pytest.raises(DataError, match=column.name):
        interventions.as_assignment(column, spec)


@pytest.mark.parametrize("given", [[], "age", {"age": 3}, {str(i): {} for i in range(51)}])
def test_a_body_of_another_shape_is_refused(given):
    with pytest.raises(ValueError, match="'do'"):
        interventions.read_settings({"do": given})


def test_unknown_columns_are_named(model):
    with pytest.raises(UnknownColumnError, match="agee"):
        interventions.worlds(model, {"agee": {"value": 3}})
    with pytest.raises(DataError, match="at least one column"):
        interventions.worlds(model, {})


def test_worlds_differ_where_columns_are_set_and_follow(model):
    place = model.schema_["education"].levels.index("phd")
    found = interventions.worlds(model, {"education": {"level": place}})
    assert json.loads(json.dumps(found))["columns"]
    first = found["columns"][0]
    assert (first["column"], first["set"]) == ("education", True)
    assert first["second"][first["labels"].index("phd")] == 1.0
    follows = model.dag_.descendants("education")
    for one in found["columns"][1:]:
        assert one["follows"] == (one["column"] in follows)
        if not one["follows"]:
            assert one["change"] < 0.05  # two samples of 4,000 rows; chance exceeds this in one of 10,000 columns
    changes = [one["change"] for one in found["columns"][1:]]
    assert changes == sorted(changes, reverse=True)
    assert eval(found["python"].splitlines()[0].split("model.do")[1]) == {"education": "phd"}


def test_a_counterfactual_is_that_of_the_library(model):
    row = datasets.hiring(400, random_state=0).iloc[[7]]
    place = model.schema_["education"].levels.index("phd")
    found = interventions.counterfactual(model, row, {"education": {"level": place}})
    by_name = {one["column"]: one for one in found["cells"]}
    after = model.counterfactual(row, do={"education": "phd"})
    assert by_name["education"]["after"] == "phd"
    assert by_name["requested_salary"]["after"] == after["requested_salary"].item()
    assert by_name["requested_salary"]["before"] == row["requested_salary"].item()
    for one in found["cells"]:
        assert one["changed"] == (one["before"] != one["after"])
        assert not one["changed"] or one["set"] or one["follows"]


def test_an_effect_is_estimated_from_the_rows_of_the_fit(tmp_path, model_file):
    rows = datasets.hiring(500, random_state=0)
    rows.to_csv(tmp_path / "data-1.csv", index=False)
    model = Janus.load(model_file)
    levels = model.schema_["education"].levels
    values = [{"level": levels.index("school")}, {"level": levels.index("phd")}]
    task = {
        "task": "effect",
        "model": str(model_file),
        "data": str(tmp_path / "data-1.csv"),
        "held_out": {"share": 0.2, "seed": 0},
        "treatment": "education",
        "outcome": "requested_salary",
        "values": values,
        "answer": str(tmp_path / "effect.json"),
    }
    messages = []
    run(task, messages.append)
    assert messages[-1] == {"done": True}
    found = json.loads((tmp_path / "effect.json").read_text())
    assert found["values"] == ["school", "phd"]
    assert any("400 rows" in text for text in found["basis"])
    difference = found["means"][1]["value"] - found["means"][0]["value"]
    assert found["effects"][1]["value"] == pytest.approx(difference)
    assert found["effects"][1]["low"] <= difference <= found["effects"][1]["high"]


def test_an_effect_that_is_not_identified_ends_in_words(tmp_path, model_file):
    model = Janus.load(model_file)
    first = model.dag_.edges[0]
    task = {"task": "effect", "model": str(model_file), "data": None, "held_out": None, "values": []}
    messages = []
    run({**task, "treatment": first[1], "outcome": "nothing", "answer": str(tmp_path / "e.json")}, messages.append)
    assert "nothing" in messages[-1]["error"]
    assert not (tmp_path / "e.json").exists()
