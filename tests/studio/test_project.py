"""A project folder keeps the state, whatever happens between two changes."""

from __future__ import annotations

import json
import os
import time
import tomllib

import pytest

from janus_synth.cli.project import project_defaults
from janus_synth.errors import ProjectError
from janus_synth.studio.project import Project, State


def test_a_project_opens_as_it_was_closed(tmp_path):
    made = Project(tmp_path / "new" / "folder")
    made.change(data="data-1.csv", title="people.csv", schema={"age": {"low": 0}}, rules=("age >= 18",))
    made.change(required=(("a", "b"),), seed=4)
    made.add_request({"n": 5, "where": ["age > 40"], "seed": 1})
    assert Project(tmp_path / "new" / "folder").state == made.state


def test_questions_are_numbered_and_found(tmp_path):
    made = Project(tmp_path)
    numbers = [made.add_request({"n": n, "where": [], "seed": 0})["number"] for n in (5, 6)]
    assert numbers == [1, 2]
    assert made.request(2)["n"] == 6
    assert made.request(3) is None


def test_the_oldest_questions_are_forgotten_with_their_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.project.MOST_REQUESTS", 2)
    made = Project(tmp_path)
    for number in (1, 2, 3):
        made.rows(number).touch()
        made.add_request({"n": number, "where": [], "seed": 0})
    assert [one["number"] for one in made.state.requests] == [2, 3]
    assert not made.rows(1).exists()
    assert made.rows(2).exists()


@pytest.mark.parametrize("name", ["../data-1.csv", "/etc/passwd", "data-1.csv/../../x", "people.csv", "data-1.csv\n"])
def test_a_state_names_no_file_outside_of_its_folder(tmp_path, name):
    (tmp_path / "studio.json").write_text(json.dumps({"data": name}))
    with pytest.raises(ProjectError, match="studio.json"):
        Project(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"required": [1]}', '{"rules": 3}'])
def test_a_damaged_state_is_named(tmp_path, text):
    (tmp_path / "studio.json").write_text(text)
    with pytest.raises(ProjectError, match="studio.json cannot be read"):
        Project(tmp_path)


def test_keys_of_later_versions_are_left_out():
    assert State.from_dict({"seed": 3, "later": 1}).seed == 3


def test_a_write_that_fails_leaves_the_older_state(tmp_path, monkeypatch):
    made = Project(tmp_path)
    made.change(title="before")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        made.change(title="after")
    monkeypatch.undo()
    assert Project(tmp_path).state.title == "before"


def test_the_project_file_works_for_the_commands(tmp_path, janus_commands):
    made = Project(tmp_path)
    rule = 'name == "O\'Neil \\ \x7f ü"'
    made.change(data="data-1.csv", rules=(rule,), schema={"a": {"low": 0}}, seed=7)
    written = tomllib.loads((tmp_path / "janus.toml").read_text("utf-8"))
    assert written["rules"] == [rule]
    found = project_defaults(str(tmp_path / "janus.toml"), janus_commands)
    assert found["fit"]["data"] == str(tmp_path / "data-1.csv")
    assert found["sample"]["seed"] == "7"


@pytest.fixture
def janus_commands():
    import typer.main

    from janus_synth.cli.app import app

    return typer.main.get_command(app).commands


def test_a_project_file_that_a_person_wrote_is_read_and_never_written(tmp_path):
    text = 'rules = ["age >= 18"]\n[schema.age]\nlow = 0\n'
    (tmp_path / "janus.toml").write_text(text)
    made = Project(tmp_path)
    assert made.state.rules == ("age >= 18",)
    assert made.state.schema == {"age": {"low": 0}}
    made.change(rules=())
    assert (tmp_path / "janus.toml").read_text() == text


def test_old_leftovers_are_removed_and_young_ones_stay(tmp_path):
    old, young, other = tmp_path / ".upload-a.part", tmp_path / ".upload-b.part", tmp_path / ".hidden"
    for path in (old, young, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (time.time() - 2 * 86_400,) * 2)
    Project(tmp_path)
    assert [path.exists() for path in (old, young, other)] == [False, True, True]


def test_new_data_gets_a_name_that_no_file_has(tmp_path):
    made = Project(tmp_path)
    (tmp_path / "data-1.csv").touch()
    assert made.next_data(".parquet") == "data-2.parquet"
