"""Feasibility of conditions, and how commands report conditions they cannot use."""

from __future__ import annotations

import json
import os
from importlib import import_module

import pandas as pd
import pytest

from janus_synth import Janus, datasets

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_a_feasible_request_shows_a_row_that_meets_it(janus):
    lines = janus("check", "ruled.janus", "--where", "age < 25 and hired").stdout.splitlines()
    assert lines[0] == "possible; such a row is"
    row = dict(line.split(maxsplit=1) for line in lines[1:])
    assert list(row) == list(Janus.load("ruled.janus").schema_.names)
    assert int(row["age"]) < 25
    assert row["hired"].strip() == "True"
    assert int(row["experience"]) <= int(row["age"]) - 18


def test_a_null_in_the_row_is_called_one(janus):
    lines = janus("check", "ruled.janus", "--where", "not hired").stdout.splitlines()
    (offered,) = [line.split() for line in lines if "offered_salary" in line]
    assert offered == ["offered_salary", "null"]


def test_a_feasible_request_as_json(janus):
    answer = json.loads(janus("check", "ruled.janus", "--where", "age < 25 and not hired", "--json").stdout)
    assert (answer["feasible"], answer["reason"], answer["conflict"]) == (True, "", [])
    assert answer["witness"]["age"] < 25
    assert answer["witness"]["hired"] is False
    assert answer["witness"]["offered_salary"] is None
    assert pd.Timestamp(answer["witness"]["start_date"]).year >= 2016


def test_an_infeasible_request_says_which_rules_clash_and_whose_they_are(janus):
    asked = ("check", "ruled.janus", "--where", "age < 25", "--where", "experience > 10", "--where", "bonus >= 0")
    result = janus(*asked, fails=1)
    assert result.stderr == ""
    assert result.stdout.startswith("impossible: no row satisfies all of 'experience <= age - 18', 'age < 25' and ")
    assert "rule of the model: experience <= age - 18\n" in result.stdout
    assert "condition: experience > 10\n" in result.stdout
    assert "bonus" not in result.stdout  # it has no part in it
    answer = json.loads(janus(*asked, "--json", fails=1).stdout)
    assert answer["feasible"] is False
    assert answer["witness"] is None
    assert set(answer["conflict"]) == {"experience <= age - 18", "age < 25", "experience > 10"}
    assert answer["reason"] in result.stdout


def test_values_beyond_the_domain_are_infeasible(janus):
    told = janus("check", "people.janus", "--where", "age < 0", fails=1).stdout
    assert "'age < 0'" in told
    assert "takes values from 18 to" in told


def test_a_link_that_contradicts_a_condition_is_named(janus, desk):
    datasets.trips(800, random_state=0).to_csv(desk / "trips.csv", index=False)
    janus("fit", "trips.csv", "-o", "t.janus", "--trees", 1, "-q")
    told = janus("check", "t.janus", "--where", "dropoff < pickup", fails=1).stdout.splitlines()
    assert told[0].startswith("impossible: 'dropoff < pickup': dropoff is pickup plus ")
    assert told[1:] == ["  condition: dropoff < pickup", "  link of the model: dropoff = pickup + a learnt gap"]


def test_advice_names_options_of_the_shell(janus):
    told = janus("check", "people.janus", "--where", "age > 200", fails=1).stdout
    assert """Widen it with janus fit --schema '{"age": {"high": 201}}'.""" in told
    assert "schema=" not in told
    assert "schema=" not in janus("sample", "people.janus", "-n", 3, "--where", "age > 200", fails=1).stderr


def test_an_open_question_has_an_exit_code_of_its_own(janus, monkeypatch):
    monkeypatch.setattr("janus_synth.rules.feasibility.check.DECISION_SECONDS", 0.0)
    monkeypatch.setattr(import_module("janus_synth.sampling.check"), "plan_from_rows", lambda model, rules: None)
    result = janus("check", "people.janus", "--where", "age < 25", fails=3)
    assert result.stdout == ""
    assert "too hard to decide" in result.stderr
    assert "'age < 25' (1 condition)" in result.stderr


def test_a_model_alone_can_be_checked(janus):
    assert janus("check", "ruled.janus").stdout.startswith("possible")


CALLS = {
    "sample": ("sample", "people.janus", "-n", 3),
    "check": ("check", "people.janus"),
    "probability": ("probability", "people.janus"),
    "complete": ("complete", "people.janus", "partial.csv", "-o", "out.csv"),
}


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    ("where", "lines"),
    [
        ("agee < 30", ["error: the schema has no column 'agee'. Did you mean 'age'?"]),
        ("age <> 30", ["error: this is not a rule", "    age <> 30", "    "]),
        ("hired and sex == 'robot'", ["error: column 'sex' has no level 'robot'", "    sex == 'robot'"]),
        ("applicant_id == 'A-000001'", ["error: column 'applicant_id' is an identifier"]),
        ("age > 'old'", ["error: column 'age' is numeric and 'old' is text", "    age > 'old'"]),
        ("", ["error: the rule is empty", "    (empty)", "    ^"]),
        (
            "hired and __import__('os').system('touch pwned')",
            ["error: a dot reaches into", "    hired and __import__('os')", "              ^"],
        ),
        ("__import__('os')", ["error: there is no function '__import__'", "    __import__('os')", "    ^"]),
        ("age < 30; import os", ["error: one text is one rule", "    age < 30; import os", "            ^"]),
    ],
)
def test_conditions_that_make_no_sense_are_pointed_at(janus, desk, command, where, lines):
    before = sorted(os.listdir(desk))
    result = janus(*CALLS[command], "--where", where, fails=2 if command == "check" else 1)
    told = result.stderr.splitlines()
    assert len(told) == len(lines)
    assert all(line.startswith(start) for line, start in zip(told, lines, strict=True)), told
    assert result.stdout == ""
    assert sorted(os.listdir(desk)) == before


@pytest.mark.parametrize("command", ["sample", "complete"])
def test_rows_that_cannot_be_are_refused_with_the_reason(janus, desk, command):
    result = janus(*CALLS[command], "--where", "age < 0", "--rule", "hired", fails=1)
    assert result.stderr.startswith("error: 'age < 0'")
    assert "takes values from 18 to" in result.stderr
    assert result.stdout == ""
    assert not (desk / "out.csv").exists()
