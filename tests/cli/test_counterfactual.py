"""Rows as they would have been, and what changed in them."""

from __future__ import annotations

import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.table.files import as_kind, read_frame

ASKED = ("counterfactual", "caused.janus", "held-out.csv")
pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_are_those_of_the_library_and_changes_are_told(janus, ending):
    result = janus(*ASKED, "--set", "age=50", "-o", f"out.{ending}", "--seed", 2)
    before, after = read_frame("held-out.csv"), read_frame(f"out.{ending}")
    expected = Janus.load("caused.janus").counterfactual(before, {"age": 50}, random_state=2)
    pd.testing.assert_frame_equal(after, expected)
    first, second = result.stdout.splitlines()
    assert first.startswith(f"160 rows in out.{ending} (")
    differ = [
        (after[name] != before[name]).fillna(True) & ~(after[name].isna() & before[name].isna()) for name in before
    ]
    changed = pd.concat(differ, axis=1).any(axis=1).sum()
    n_aged = (before["age"] != 50).sum()
    assert second.startswith(f"{changed} of 160 rows changed, most often in age ({n_aged}), experience (")
    assert (after["bonus"] == before["bonus"]).all()  # nothing leads there
    assert (after["applicant_id"] == before["applicant_id"]).all()


def test_a_sum_may_name_the_column_itself(janus):
    janus(*ASKED, "--set", "age := age + 5", "-o", "out.csv", "-q")
    before, after = read_frame("held-out.csv"), read_frame("out.csv")
    assert (after["age"] == before["age"] + 5).all()
    assert holds("experience <= age - 18", after).all()


def test_rows_that_are_so_already_stay(janus):
    told = janus(*ASKED, "--set", "age=0..200", "-o", "out.csv").stdout
    assert told.splitlines()[1] == "0 of 160 rows changed"
    pd.testing.assert_frame_equal(read_frame("out.csv"), read_frame("held-out.csv"))


@pytest.mark.parametrize("ending", ["csv", "arrow"])
def test_draws_are_stacked_with_their_numbers_first(janus, ending):
    told = janus(*ASKED, "--set", "age=50", "--draws", 3, "-o", f"out.{ending}").stdout
    assert "480 rows in" in told
    assert "of 480 rows changed" in told
    rows = read_frame(f"out.{ending}")
    assert list(rows.columns[:3]) == ["draw", "row", "applicant_id"]
    assert rows["draw"].tolist() == [draw for draw in range(3) for _ in range(160)]
    assert rows["row"].tolist() == [*range(160)] * 3
    before = read_frame("held-out.csv")
    draws = Janus.load("caused.janus").counterfactual(before, {"age": 50}, n_draws=3)
    for number, draw in enumerate(draws):
        mine = rows[rows["draw"] == number]
        assert mine["experience"].tolist() == draw["experience"].tolist()


def test_names_of_the_numbers_do_not_clash(janus):
    rows = read_frame("held-out.csv").assign(draw="mine", row=1, row_=2)
    rows.to_csv("named.csv", index=False)
    text = janus("counterfactual", "caused.janus", "named.csv", "--set", "age=50", "--draws", 2).stdout
    header = text.splitlines()[0].split(",")
    assert header[:2] == ["draw_", "row__"]
    assert header[-3:] == ["draw", "row", "row_"]


def test_rules_are_kept_unless_left_aside(janus, desk):
    sets = ("--set", "age=20", "--set", "experience=30")
    error = janus(*ASKED, *sets, "-o", "out.csv", fails=1).stderr
    assert "160 of 160 rows cannot satisfy 'experience <= age - 18'" in error
    assert not (desk / "out.csv").exists()
    janus(*ASKED, *sets, "-o", "out.csv", "--no-rules")
    assert set(read_frame("out.csv")["experience"]) == {30}
    assert "Drop one" in janus(*ASKED, *sets, "--no-rules", "--where", "bonus >= 0", fails=2).stderr


def test_rows_keep_conditions_that_they_meet(janus):
    janus(*ASKED, "--set", "age=50", "--where", "experience <= 12", "-o", "out.csv")
    before, after = read_frame("held-out.csv"), read_frame("out.csv")
    assert (after["experience"][before["experience"] <= 12] <= 12).all()


def test_rows_may_come_and_go_through_pipes(janus, desk):
    content = (desk / "held-out.csv").read_bytes()
    text = janus("counterfactual", "caused.janus", "-", "--set", "age=50", input=content).stdout
    janus(*ASKED, "--set", "age=50", "-o", "out.csv", "-q")
    assert text == (desk / "out.csv").read_text()


def test_a_learnt_graph_is_doubted_unless_trusted(janus):
    asked = ("counterfactual", "people.janus", "held-out.csv", "--set", "age=50", "-o", "out.csv")
    assert janus(*asked).stderr.startswith("warning: this graph was learnt")
    assert janus(*asked, "--trust-graph").stderr == ""
    assert janus(*asked, "-q").stderr == ""


def test_models_of_polars_frames_keep_further_columns_too(janus):
    pytest.importorskip("polars")
    Janus(n_trees=1, random_state=0).fit(as_kind(read_frame("people.csv"), "polars")).save("other.janus")
    read_frame("held-out.csv").assign(note="mine").to_csv("noted.csv", index=False)
    for draws in ([], ["--draws", 2]):
        janus("counterfactual", "other.janus", "noted.csv", "--set", "age=50", "-o", "out.csv", "--trust-graph", *draws)
        rows = read_frame("out.csv")
        assert set(rows["note"]) == {"mine"}
        assert set(rows["age"]) == {50}


@pytest.mark.parametrize(
    ("rows", "sets", "message"),
    [
        ("held-out.csv", "", "does not set a column"),
        ("held-out.csv", "agee=3", "Did you mean 'age'"),
        ("held-out.csv", "sex=robot", "no level 'robot'"),
        ("held-out.csv", "age=old", "'age' holds numbers"),
        ("lacking.csv", "age=50", "these columns are required but missing: 'sex'"),
        ("old.csv", "age=50", "column 'age': 'old' cannot be read as numeric"),
        ("no.csv", "age=50", "there is no file no.csv"),
    ],
)
def test_what_cannot_be_supposed_is_told_in_a_line(janus, desk, rows, sets, message):
    frame = read_frame("held-out.csv")
    frame.drop(columns="sex").to_csv("lacking.csv", index=False)
    frame.assign(age="old").to_csv("old.csv", index=False)
    result = janus("counterfactual", "caused.janus", rows, "--set", sets, "-o", "out.csv", fails=1)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert not (desk / "out.csv").exists()


def test_inputs_are_not_overwritten(janus):
    for out in ("held-out.csv", "caused.janus"):
        error = janus(*ASKED, "--set", "age=50", "-o", out, "--format", "csv", fails=1).stderr
        assert "would be overwritten" in error


def test_a_failed_write_leaves_the_file_before(janus, desk, monkeypatch):
    (desk / "out.csv").write_text("the old one")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert "No space left" in janus(*ASKED, "--set", "age=50", "-o", "out.csv", fails=1).stderr
    assert (desk / "out.csv").read_text() == "the old one"
