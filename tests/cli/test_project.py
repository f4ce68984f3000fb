from __future__ import annotations

import os

import pytest

from janus_synth import Janus
from janus_synth.cli.project import find_project, read_project
from janus_synth.errors import ProjectError

PROJECT = """
model = "mine.janus"
data = "people.csv"
rules = ["experience <= age - 18"]
structure = [["age", "experience"], ["sex", "hired"]]
seed = 3

[schema.age]
low = 0
high = 120

[settings]
trees = 2
column = ["sex=ordered:female<male"]

[sample]
rows = 4
quiet = true

[fairness.plant]
rows = 50
"""


@pytest.fixture
def project(desk):
    (desk / "janus.toml").write_text(PROJECT)
    return desk


def test_a_fit_needs_no_options(janus, project):
    janus("fit")
    model = Janus.load("mine.janus")
    assert (model.n_trees, model.random_state) == (2, 3)
    assert set(model.dag_.edges) <= {("age", "experience"), ("sex", "hired")}
    assert (model.schema_["age"].low, model.schema_["age"].high) == (0, 120)
    assert model.schema_["sex"].ordered
    assert [str(rule) for rule in model.rules_] == ["experience <= age - 18"]


def test_every_command_reads_its_part_and_options_win(janus, project):
    janus("fit", "-q")
    lines = janus("sample").stdout.splitlines()
    assert len(lines) == 5
    assert lines == janus("sample", "--seed", 3, "-n", 4).stdout.splitlines()
    assert len(janus("sample", "-n", 7).stdout.splitlines()) == 8
    assert janus("sample", "--seed", 4).stdout.splitlines() != lines
    janus("fit", "people.csv", "-o", "other.janus", "--trees", 1, "--rule", "age >= 18", "--structure", "auto", "-q")
    other = Janus.load("other.janus")
    assert other.n_trees == 1
    assert [str(rule) for rule in other.rules_] == ["age >= 18"]
    assert other.structure == "auto"
    assert "model" in janus("inspect").stdout


def test_files_are_relative_to_the_project(janus, desk):
    folder = desk / "deep"
    folder.mkdir()
    (folder / "rules.txt").write_text("experience <= age - 18\n")
    (folder / "edges.csv").write_text("effect,cause\nexperience,age\n")
    (folder / "schema.json").write_text('{"age": {"low": 0}}')
    lines = ['rules = "rules.txt"', 'structure = "edges.csv"', 'schema = "schema.json"', 'model = "../m.janus"']
    (folder / "mine.toml").write_text("\n".join(lines))
    for place in ("before", "after", "joined"):
        option = ["--project=deep/mine.toml"] if place == "joined" else ["--project", "deep/mine.toml"]
        command = ["fit", "people.csv", "--trees", "1", "--seed", "0", "-q"]
        janus(*([*option, *command] if place == "before" else [*command, *option]))
        model = Janus.load("m.janus")
        assert set(model.dag_.edges) <= {("age", "experience")}
        assert [str(rule) for rule in model.rules_] == ["experience <= age - 18"]
        assert model.schema_["age"].low == 0
        os.remove("m.janus")


def test_commands_of_a_group_have_tables_of_their_own(janus, project):
    janus("fairness", "plant", "caused.janus", "--biases", "biases.json", "-o", "p.csv", "-q")
    assert len((project / "p.csv").read_text().splitlines()) == 51


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = 3", "'sed' is no key. Did you mean 'seed'?"),
        ("[settings]\ntres = 3", "'tres' is no option of janus fit. Did you mean 'trees'?"),
        ("[sample]\nn = 3", "'n' is no option of janus sample"),
        ("sample = 3", "'sample' is not a table"),
        ("[fairness]\nplan = 3", "'plan' is no command of janus fairness. Did you mean 'plant'?"),
        ("seed = ", "is not valid TOML"),
        ('seed = "many"', "Invalid value for '--seed'"),
    ],
)
def test_mistakes_are_named(janus, desk, text, message):
    (desk / "janus.toml").write_text(text)
    code = 2 if "Invalid" in message else 1
    assert message in " ".join(janus("sample", "people.janus", "-n", 1, fails=code).stderr.split())
    assert "Draw rows" in janus("sample", "--help").stdout  # help works whatever the file holds


def test_a_project_that_is_named_must_exist(janus):
    error = janus("sample", "people.janus", "--project", "no.toml", fails=1).stderr
    assert error == "error: there is no project file no.toml. Check the name.\n"


def test_without_a_file_there_is_no_project(desk):
    assert find_project(None) is None
    (desk / "janus.toml").write_text("seed = 1")
    assert find_project(None) == "janus.toml"
    assert read_project("janus.toml") == {"seed": 1}
    (desk / "bad.toml").write_bytes(b"\xff")
    with pytest.raises(ProjectError, match="not valid TOML") as caught:
        read_project("bad.toml")
    assert caught.value.file == "bad.toml"
