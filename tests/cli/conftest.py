"""A folder of small tables and a model, and a way to call commands in it."""

from __future__ import annotations

import copy
import json
import os
import shutil
from functools import cache

import pytest
import typer.main
from typer.testing import CliRunner

from janus_synth import Janus, datasets
from janus_synth.cli import app
from janus_synth.fairness import Bias, plant
from janus_synth.table.files import read_frame, write_frame

RULES = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]
CAUSES = [("age", "experience"), ("sex", "experience"), ("experience", "hired"), ("hired", "offered_salary")]
BIAS = Bias("sex", "male", "hired", True, 0.5)
COLUMNS = ["applicant_id", "age", "sex", "experience", "remote", "hired", "offered_salary", "bonus", "start_date"]


def with_holes(rows):
    """The same rows, every third cell of some columns gone, one column gone as a whole, and a column nobody knows."""
    holed = rows.reset_index(drop=True).drop(columns="remote")
    for shift, name in enumerate(["age", "sex", "bonus", "start_date"]):
        holed[name] = holed[name].astype(object).where(holed.index % 3 != shift % 3, None)
    return holed.assign(note=[f"note {i}" for i in holed.index])


@pytest.fixture(scope="session", autouse=True)
def one_command_tree():
    """Build the tree of commands once: typer does so for every call, which takes longer than most calls themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """Files that no test changes."""
    folder = tmp_path_factory.mktemp("shelf")
    rows = datasets.hiring(460, random_state=0)[COLUMNS]
    rows[:300].to_csv(folder / "people.csv", index=False)
    rows[300:].to_csv(folder / "held-out.csv", index=False)
    rows[:300].to_parquet(folder / "people.parquet")
    model = Janus(n_trees=2, random_state=0, n_jobs=2, keep_rare=True).fit(read_frame(folder / "people.csv"))
    model.save(folder / "people.janus")
    model.sample(200, random_state=1).to_csv(folder / "rows.csv", index=False)
    copy.deepcopy(model).update(read_frame(folder / "held-out.csv"), forget=True).save(folder / "part.janus")
    ruled = Janus(n_trees=2, random_state=0, n_jobs=2, keep_rare=True, rules=RULES).fit(
        read_frame(folder / "people.csv")
    )
    ruled.save(folder / "ruled.janus")
    caused = Janus(n_trees=2, random_state=0, n_jobs=2, keep_rare=True, structure=CAUSES, rules=RULES[:1])
    caused.fit(read_frame(folder / "people.csv")).save(folder / "caused.janus")
    planted = plant(caused, BIAS, n=400, effect_units=0)
    write_frame(planted.to_frame(), folder / "planted.csv")
    (folder / "planted.certificate.json").write_text(planted.certificate.to_json())
    (folder / "biases.json").write_text(json.dumps([BIAS.to_dict(), {**BIAS.to_dict(), "outcome": "remote"}]))
    inside = rows["offered_salary"].isna() | rows["offered_salary"].between(
        *rows["offered_salary"][:300].agg(["min", "max"])
    )
    with_holes(rows[inside][300:340]).to_csv(folder / "partial.csv", index=False)
    (folder / "wanted.csv").write_text("sex,hired\nfemale,True\nmale,\nfemale,False\n")
    (folder / "edges.json").write_text(json.dumps([["age", "experience"], ["sex", "hired"]]))
    (folder / "schema.json").write_text(json.dumps({"age": {"low": 0, "high": 120}}))
    (folder / "rules.txt").write_text("# people\nexperience <= age - 18\n")
    return folder


@pytest.fixture
def desk(shelf, tmp_path, monkeypatch):
    """The current folder of a test, with a copy of every file."""
    for file in shelf.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def janus(desk):
    """Call a command as from a shell, without a terminal; ``fails`` is the exit code it should have."""

    def call(*args, fails=0, input=None, columns=200):
        result = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1"}).invoke(app, [*map(str, args)], input=input)
        assert result.exit_code == fails, (result.exit_code, result.output, result.exception)
        return result

    return call


@pytest.fixture
def no_part_files(desk):
    """See that no temporary file outlives a test."""
    yield
    assert not [name for name in os.listdir(desk) if name.endswith(".part")]
