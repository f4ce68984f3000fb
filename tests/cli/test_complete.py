from __future__ import annotations

import json

import pytest

from janus_synth import Janus, holds
from janus_synth.table.files import as_kind, read_frame

RULES = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]
pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "arrow"])
def test_holes_are_filled_and_the_rest_stays(janus, ending):
    janus("complete", "ruled.janus", "partial.csv", "-o", f"full.{ending}", "--nulls", "fill", "--seed", 1)
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


def test_a_level_that_nobody_knows_can_stay_as_it_is(janus, desk):
    (desk / "odd.csv").write_text("age,sex\n40,robot\n30,\n")
    janus("complete", "people.janus", "odd.csv", "--unknown", "keep", "-o", "full.csv", "--seed", 1)
    full = read_frame("full.csv")
    assert full["sex"][0] == "robot"
    assert full["sex"][1] in ("female", "male")


def test_values_that_no_row_can_have_are_told_with_their_row(janus, desk):
    (desk / "odd.csv").write_text("age,sex\n40,male\n30,robot\n")
    error = janus("complete", "people.janus", "odd.csv", "-o", "full.csv", fails=1).stderr
    assert "row 1: column 'sex' has no level 'robot'" in error
    (desk / "odd.csv").write_text("age,sx\n40,male\n")
    assert "Did you mean 'sex'?" in janus("complete", "people.janus", "odd.csv", "-o", "full.csv", fails=1).stderr


def test_absent_columns_have_nulls_unless_they_are_to_be_filled(janus, desk):
    (desk / "ages.csv").write_text("age\n" + "40\n" * 60)
    found = {}
    for nulls in ("absent", "fill"):
        janus("complete", "people.janus", "ages.csv", "-o", "full.csv", "--seed", 1, "--nulls", nulls, "-q")
        found[nulls] = read_frame("full.csv").isna().sum()
    assert found["absent"]["offered_salary"] > 5
    assert found["fill"].sum() == 0


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
        (["people.janus", "partial.csv", "-o", "partial.csv"], "would be overwritten"),
        (["people.janus", "partial.csv", "-o", "no/full.csv"], "the folder no does not exist"),
    ],
)
def test_wrong_files_are_told(janus, args, message):
    assert message in janus("complete", *args, fails=1).stderr
