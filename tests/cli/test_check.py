"""Conditions on the command line: rows that meet them, answers about them, and what is refused."""

from __future__ import annotations

import json
import os
import shutil

import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.table.files import as_kind, read_frame

RULES = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]
pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_every_row_meets_the_conditions_and_keeps_the_rules(janus, ending):
    where = ["18 <= age < 30", "sex == 'female' or bonus > 0"]
    janus(
        "sample", "ruled.janus", "-n", 500, "-o", f"out.{ending}", "--seed", 1, "--where", where[0], "--rule", where[1]
    )
    rows = read_frame(f"out.{ending}")
    assert len(rows) == 500
    for rule in (*where, *RULES):
        assert holds(rule, rows).all()
    pd.testing.assert_frame_equal(rows, Janus.load("ruled.janus").sample(500, where=where, random_state=1))


def test_a_model_keeps_its_rules_without_being_asked(janus):
    janus("sample", "ruled.janus", "-n", 400, "-o", "out.csv", "--seed", 1)
    rows = read_frame("out.csv")
    assert all(holds(rule, rows).all() for rule in RULES)


def test_pieces_of_conditioned_rows_make_the_same_file(janus, desk, monkeypatch):
    for name, size in (("pieces.csv", 4096), ("one.csv", 1 << 20)):
        monkeypatch.setattr("janus_synth.cli.sample.BATCH_ROWS", size)
        janus("sample", "people.janus", "-n", 6000, "-o", name, "--seed", 3, "--where", "age < 30")
    assert (desk / "pieces.csv").read_bytes() == (desk / "one.csv").read_bytes()


def test_greedy_meets_conditions_on_single_columns_in_rows_of_its_own(janus):
    asked = ("sample", "people.janus", "-n", 200, "--seed", 1, "--where", "age < 30")
    janus(*asked, "-o", "greedy.csv", "--method", "greedy")
    janus(*asked, "-o", "exact.csv")
    greedy, exact = read_frame("greedy.csv"), read_frame("exact.csv")
    assert (greedy["age"] < 30).all()
    assert not greedy.equals(exact)
    assert "--method" in janus(*asked, "--method", "wishful", fails=2).stderr


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


def test_a_model_alone_can_be_checked(janus):
    assert janus("check", "ruled.janus").stdout.startswith("possible")


def test_the_probability_of_a_request_is_that_of_the_library(janus):
    model, where = Janus.load("people.janus"), "age < 30 and bonus > 0"
    text = janus("probability", "people.janus", "--where", where).stdout
    share = model.probability(where)
    assert text.splitlines() == [
        f"{share.value:.4g} (95 % interval: {share.low:.4g} to {share.high:.4g})",
        f"one row in {1 / share.value:,.0f}",
    ]
    answer = json.loads(
        janus("probability", "people.janus", "--where", where, "--level", 0.8, "--seed", 5, "--json").stdout
    )
    value, low, high = model.probability(where, level=0.8, random_state=5)
    assert answer == {"value": value, "low": low, "high": high, "level": 0.8, "one_in": 1 / value}


@pytest.mark.parametrize(
    ("where", "words"),
    [("age >= 0", "all of the model's rows"), ("age < 0", "none of the model's rows"), ("hired", "one row in 1.")],
)
def test_probabilities_are_told_in_words(janus, where, words):
    assert words in janus("probability", "people.janus", "--where", where).stdout


def test_an_impossible_request_has_no_one_in(janus):
    answer = json.loads(janus("probability", "people.janus", "--where", "age < 0", "--json").stdout)
    assert answer == {"value": 0.0, "low": 0.0, "high": 0.0, "level": 0.95, "one_in": None}


@pytest.mark.parametrize("options", [[], ["--where", "hired", "--level", "1"], ["--where", "hired", "--seed", "-1"]])
def test_a_probability_needs_a_request_and_a_level(janus, options):
    janus("probability", "people.janus", *options, fails=2)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "arrow"])
def test_holes_are_filled_and_the_rest_stays(janus, ending):
    janus("complete", "ruled.janus", "partial.csv", "-o", f"full.{ending}", "--seed", 1)
    partial, full = read_frame("partial.csv"), read_frame(f"full.{ending}")
    assert list(full.columns) == [*partial.columns, "remote"]
    assert all(holds(rule, full).all() for rule in RULES)
    for name in partial.columns:
        there = partial[name].notna()
        assert (full[name][there].astype(str) == partial[name][there].astype(str)).all(), name
    assert not full.drop(columns="offered_salary").isna().any(axis=None)
    assert (full["offered_salary"].isna() == ~full["hired"]).all()


def test_one_seed_one_filling(janus, desk):
    for name, seed, jobs in (("a.csv", 1, 1), ("b.csv", 1, 2), ("c.csv", 2, 1)):
        janus("complete", "people.janus", "partial.csv", "-o", name, "--seed", seed, "--jobs", jobs, "-q")
    a, b, c = ((desk / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b != c


def test_filled_rows_meet_conditions(janus):
    result = janus("complete", "people.janus", "partial.csv", "-o", "full.csv", "--where", "bonus is not null")
    assert result.stdout.startswith("40 rows in full.csv (")
    partial, full = read_frame("partial.csv"), read_frame("full.csv")
    janus("complete", "people.janus", "partial.csv", "-o", "older.csv", "--where", "age >= experience + 18", "-q")
    older = read_frame("older.csv")
    assert holds("age >= experience + 18", older).all()
    assert partial["age"].isna().any()
    assert full["bonus"].notna().all()


def test_rows_may_come_and_go_through_pipes(janus, desk):
    text = janus("complete", "people.janus", "-", "--seed", 1, input=(desk / "partial.csv").read_bytes()).stdout
    janus("complete", "people.janus", "partial.csv", "-o", "full.csv", "--seed", 1)
    assert text == (desk / "full.csv").read_text()
    packed = janus("complete", "people.janus", "partial.csv", "--seed", 1, "--format", "arrow").stdout_bytes
    assert packed.startswith(b"ARROW1")


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_models_of_other_frames_keep_further_columns_too(janus, kind):
    pytest.importorskip(kind)
    Janus(n_trees=1, random_state=0).fit(as_kind(read_frame("people.csv"), kind)).save("other.janus")
    janus("complete", "other.janus", "partial.csv", "-o", "full.csv", "--seed", 1)
    partial, full = read_frame("partial.csv"), read_frame("full.csv")
    assert list(full.columns) == [*partial.columns, "remote"]
    assert (full["note"] == partial["note"]).all()
    assert full["age"].notna().all()
    witness = json.loads(janus("check", "other.janus", "--where", "age < 25", "--json").stdout)["witness"]
    assert witness["age"] < 25


def test_rows_that_no_filling_can_save_are_told_and_nothing_is_written(janus, desk):
    (desk / "bad.csv").write_text("age,experience\n40,3\n20,15\n")
    error = janus("complete", "ruled.janus", "bad.csv", "-o", "full.csv", fails=1).stderr
    assert "1 of 2 rows cannot keep 'experience <= age - 18'" in error
    assert not (desk / "full.csv").exists()
    (desk / "foreign.csv").write_text("colour\nred\n")
    assert "none of the columns" in janus("complete", "ruled.janus", "foreign.csv", "-o", "full.csv", fails=1).stderr


def test_a_level_that_nobody_knows_stays_as_it_is(janus, desk):
    (desk / "odd.csv").write_text("age,sex\n40,robot\n30,\n")
    janus("complete", "people.janus", "odd.csv", "-o", "full.csv", "--seed", 1)
    full = read_frame("full.csv")
    assert full["sex"][0] == "robot"
    assert full["sex"][1] in ("female", "male")


def test_a_failed_completion_leaves_the_file_before(janus, desk, monkeypatch):
    (desk / "full.csv").write_text("the old one")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert "No space left" in janus("complete", "people.janus", "partial.csv", "-o", "full.csv", fails=1).stderr
    assert (desk / "full.csv").read_text() == "the old one"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no.janus", "partial.csv"], "there is no file no.janus"),
        (["people.janus", "no.csv"], "there is no file no.csv"),
        (["people.janus", "partial.csv", "-o", "full.xlsx"], "names no table format"),
        (["people.janus", "partial.csv", "-o", "partial.csv"], "would be lost"),
        (["people.janus", "partial.csv", "-o", "no/full.csv"], "the folder no does not exist"),
    ],
)
def test_wrong_files_are_told(janus, args, message):
    assert message in janus("complete", *args, fails=1).stderr


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
    result = janus(*CALLS[command], "--where", where, fails=1)
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


def test_a_refused_request_leaves_the_file_before(janus, desk):
    shutil.copy(desk / "rows.csv", desk / "out.csv")
    janus("sample", "people.janus", "-n", 3, "-o", "out.csv", "--where", "age < 0", fails=1)
    assert (desk / "out.csv").read_bytes() == (desk / "rows.csv").read_bytes()
