"""The command ``do``: rows under an intervention, and the model of the intervened world."""

from __future__ import annotations

import pytest

from janus_synth import Janus, holds
from janus_synth.table.files import read_frame

DOUBT = "warning: this graph was learnt"
pytestmark = pytest.mark.usefixtures("no_part_files")


def test_rows_are_those_of_the_library(janus):
    sets = ["--set", "age=30..40", "--set", "sex=female", "--set", "hired=true|false"]
    told = janus("do", "caused.janus", *sets, "-n", 50, "-o", "out.csv", "--seed", 3)
    assert told.stdout.startswith("50 rows in out.csv (")
    assert told.stderr == ""
    world = Janus.load("caused.janus").do({"age": (30, 40), "sex": "female", "hired": [True, False]})
    expected = world.sample(50, random_state=3)
    assert read_frame("out.csv").astype(str).equals(expected.astype(str))
    assert expected["age"].between(30, 40).all()


def test_a_sum_follows_other_columns(janus):
    janus("do", "caused.janus", "--set", "bonus := 0.1 * offered_salary", "--where", "hired", "-n", 40, "-o", "out.csv")
    rows = read_frame("out.csv")
    assert rows["hired"].all()
    paid = rows["offered_salary"].notna()
    assert rows["bonus"][paid].tolist() == pytest.approx((0.1 * rows["offered_salary"][paid]).tolist(), abs=0.01)


def test_the_world_is_a_model_like_any_other(janus, desk):
    told = janus("do", "caused.janus", "--set", "age=30", "--save", "world.janus").stdout
    assert told.startswith("intervened model in world.janus (")
    assert len(told.splitlines()) == 1
    janus("sample", "world.janus", "-n", 20, "-o", "a.csv", "--seed", 1)
    both = janus(
        "do", "caused.janus", "--set", "age=30", "--save", "w.janus", "-n", 20, "-o", "b.csv", "--seed", 1
    ).stdout
    assert [line.split(" in ")[0] for line in both.splitlines()] == ["intervened model", "20 rows"]
    assert (desk / "a.csv").read_bytes() == (desk / "b.csv").read_bytes()
    assert set(read_frame("a.csv")["age"]) == {30}


def test_rows_alone_go_to_standard_output(janus):
    text = janus("do", "caused.janus", "--set", "age=30", "-n", 3, "--save", "world.janus").stdout
    assert text.startswith("applicant_id,age,sex")
    assert len(text.splitlines()) == 4
    assert janus("do", "caused.janus", "--set", "age=30", "-n", 3, "-o", "out.csv", "-q").stdout == ""


def test_a_learnt_graph_is_doubted_in_one_line_unless_trusted(janus):
    asked = ("do", "people.janus", "--set", "age=30", "-n", 1)
    (line,) = janus(*asked).stderr.splitlines()
    assert line.startswith(DOUBT)
    assert "--structure" in line
    assert "--trust-graph" in line
    assert janus(*asked, "--trust-graph").stderr == ""
    assert janus(*asked, "-q").stderr == ""
    janus(*asked, "--save", "world.janus", "--trust-graph")
    assert janus("do", "world.janus", "--set", "sex=male", "-n", 1).stderr == ""


def test_conditions_choose_among_the_rows_of_the_world(janus):
    janus("do", "caused.janus", "--set", "age=50", "--where", "experience > 5", "-n", 30, "-o", "out.csv")
    rows = read_frame("out.csv")
    assert holds("age == 50 and experience > 5 and experience <= age - 18", rows).all()


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([""], "does not set a column. Write name=value"),
        (["agee=30"], "Did you mean 'age'"),
        (["age=old"], "'age' holds numbers, and 'old' is not one"),
        (["sex=femal"], "no level 'femal'"),
        (["age=30", "age=40"], "'age' is set twice"),
        (["age=20", "experience=30"], "no row satisfies all of 'experience <= age - 18', 'age == 20' and"),
        (["age=300"], "'age' takes values from 18 to"),
        (["bonus:=nobody * 2"], "no column 'nobody'"),
        (["age:=age + 5"], "'age' cannot be set to an expression of itself"),
        (["age:=experience + 20"], "cannot be set to an expression of its own descendants"),
    ],
)
def test_settings_that_cannot_be_are_told_in_a_line(janus, desk, sets, message):
    asked = [word for text in sets for word in ("--set", text)]
    result = janus("do", "caused.janus", *asked, "-o", "out.csv", "--save", "world.janus", fails=1)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert not (desk / "out.csv").exists()
    assert not (desk / "world.janus").exists()


def test_a_condition_that_the_world_cannot_meet_leaves_no_file(janus, desk):
    asked = ("do", "caused.janus", "--set", "age=30", "--where", "age > 50", "--save", "w.janus", "-o", "out.csv")
    assert "no row satisfies both 'age == 30' and 'age > 50'" in janus(*asked, fails=1).stderr
    assert not (desk / "out.csv").exists()
    assert not (desk / "w.janus").exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "Missing option '--set'"),
        (["--set", "age=30", "--save", "-"], 2, "a model goes to a file"),
        (["--set", "age=30", "--save", "w.csv", "-o", "w.csv"], 2, "cannot hold both"),
        (["--set", "age=30", "--save", "w.janus", "--where", "hired"], 2, "no rows are requested"),
        (["--set", "age=30", "--save", "caused.janus"], 1, "would be overwritten"),
        (["--set", "age=30", "-o", "caused.janus", "--format", "csv"], 1, "would be overwritten"),
        (["--set", "age=30", "-o", "no/out.csv"], 1, "the folder no does not exist"),
    ],
)
def test_places_and_options_that_cannot_be_are_refused(janus, options, code, message):
    assert message in janus("do", "caused.janus", *options, fails=code).stderr


def test_a_file_that_is_no_model_is_told(janus):
    assert "held-out.csv is not a JANUS model" in janus("do", "held-out.csv", "--set", "age=30", fails=1).stderr
