"""Shares, means and keys on the command line."""

from __future__ import annotations

import pytest

from janus_synth import Janus
from janus_synth.cli.mixes import parse_balance, parse_means, parse_shares
from janus_synth.errors import RuleError, SchemaError, UnknownColumnError
from janus_synth.table.files import read_frame


@pytest.fixture
def schema(desk):
    return Janus.load("people.janus").schema_


def test_shares_are_read_by_value_and_by_condition(schema):
    texts = ["hired=true:0.3", "sex=female:0.4", "age < 30 and hired == True:0.1", "offered_salary=null:0.2"]
    assert parse_shares(texts, schema) == {
        "hired": {True: 0.3},
        "sex": {"female": 0.4},
        "age < 30 and hired == True": 0.1,
        "offered_salary": {None: 0.2},
    }
    assert parse_shares(["sex=female:0.4", "sex=male:0.5"], schema) == {"sex": {"female": 0.4, "male": 0.5}}


def test_means_and_balanced_columns_are_read(schema):
    assert parse_means(["age=35", "bonus=900:50"], schema) == {"age": 35.0, "bonus": (900.0, 50.0)}
    assert parse_balance(["sex", "sex,hired"], schema) == [("sex",), ("sex", "hired")]


@pytest.mark.parametrize(
    ("read", "text", "error"),
    [
        (parse_shares, "hired=true", RuleError),
        (parse_shares, "hired=true:much", RuleError),
        (parse_shares, "sex=robot:0.1", SchemaError),
        (parse_shares, "age=20..30:0.1", RuleError),
        (parse_means, "age", RuleError),
        (parse_means, "age=old", RuleError),
        (parse_means, "aeg=3", UnknownColumnError),
        (parse_balance, "sx", UnknownColumnError),
    ],
)
def test_what_cannot_be_read_is_an_error(read, text, error, schema):
    with pytest.raises(error):
        read([text], schema)


def test_a_mix_is_drawn_and_reported(janus):
    told = janus(
        *("sample", "people.janus", "-n", 60, "--share", "hired=true:0.3", "--share", "age < 30:0.5"),
        *("--balance", "sex", "--mean", "experience=8:0.5", "--unique", "age,experience,bonus"),
        *("--where", "age >= 20", "-o", "mix.csv", "--seed", 1),
    ).stdout
    rows = read_frame("mix.csv")
    assert rows["hired"].sum() == 18
    assert (rows["age"] < 30).sum() == 30
    assert rows["sex"].value_counts().tolist() == [30, 30]
    assert abs(rows["experience"].mean() - 8) <= 0.5
    assert not rows.duplicated(["age", "experience", "bonus"]).any()
    assert (rows["age"] >= 20).all()
    assert "60 rows in mix.csv" in told
    assert "mean of experience  8 asked" in told


def test_rows_are_drawn_for_a_file_of_conditions(janus):
    janus("sample", "people.janus", "--conditions", "wanted.csv", "--each", 3, "--index", "of", "-o", "out.csv")
    rows = read_frame("out.csv")
    assert rows["of"].tolist() == [0] * 3 + [1] * 3 + [2] * 3
    assert (rows["sex"] == ["female"] * 3 + ["male"] * 3 + ["female"] * 3).all()
    assert rows["hired"][:3].all()
    assert not rows["hired"][6:].any()


def test_conditions_and_shares_exclude_one_another(janus):
    asked = ["sample", "people.janus", "--conditions", "wanted.csv", "--share", "hired=true:0.3"]
    assert "cannot be used together" in janus(*asked, fails=2).stderr
