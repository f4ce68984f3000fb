"""Tasks that run in a process of their own: reading, looking, learning."""

from __future__ import annotations

import json
import zipfile

import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.studio.worker import run


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    datasets.hiring(120, random_state=0).to_csv(path, index=False)
    return path


def told(task):
    messages = []
    run(task, messages.append)
    return messages


def read_task(source, suffix, folder, target="data-1.csv"):
    return {
        "task": "read",
        "source": str(source),
        "suffix": suffix,
        "target": str(folder / target),
        "schema": {},
        "overview": str(folder / "overview.json"),
    }


def test_a_table_is_read_moved_and_described(tmp_path, people):
    content = people.read_bytes()
    messages = told(read_task(people, ".csv", tmp_path))
    assert messages[-1] == {"done": True}
    assert (tmp_path / "data-1.csv").read_bytes() == content
    assert not people.exists()
    overview = json.loads((tmp_path / "overview.json").read_text())
    assert overview["n_rows"] == 120
    assert [column["name"] for column in overview["columns"]][:3] == ["applicant_id", "age", "sex"]
    assert overview["relations"]


def test_an_uploaded_part_is_read_by_its_ending(tmp_path, people):
    part = people.rename(tmp_path / ".upload-x.part")
    assert told(read_task(part, ".csv", tmp_path))[-1] == {"done": True}


def test_a_workbook_becomes_parquet_with_the_same_cells(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"n": [1, 2, 3] * 10, "c": ["a", "b", "ü"] * 10, "since": pd.to_datetime(["2024-01-31"] * 30)})
    frame.to_excel(tmp_path / "book.xlsx", index=False)
    task = read_task(tmp_path / "book.xlsx", ".xlsx", tmp_path, "data-1.parquet")
    assert told(task)[-1] == {"done": True}
    found = pd.read_parquet(tmp_path / "data-1.parquet")
    assert found["n"].tolist() == frame["n"].tolist()
    assert found["c"].tolist() == frame["c"].tolist()
    assert (pd.to_datetime(found["since"]) == frame["since"]).all()


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".csv", b""),
        (".parquet", b"PAR1 but no more"),
        (".parquet", b"a,b\n1,2\n"),
        (".csv", b"PAR1\x00\x00"),
        (".arrow", b"nothing of the kind"),
        (".xlsx", b"nothing of the kind"),
        (".csv.gz", b"a,b\n1,2\n"),
    ],
)
def test_a_file_that_cannot_be_read_ends_in_words_and_changes_nothing(tmp_path, suffix, content):
    part = tmp_path / "part"
    part.write_bytes(content)
    messages = told(read_task(part, suffix, tmp_path, "data-1.parquet"))
    assert len(messages[-1]["error"]) > 20
    assert not (tmp_path / "data-1.parquet").exists()
    assert not (tmp_path / "overview.json").exists()


def test_a_workbook_without_sheets_ends_in_words(tmp_path):
    pytest.importorskip("openpyxl")
    with zipfile.ZipFile(tmp_path / "book.xlsx", "w") as archive:
        archive.writestr("nothing.xml", "<a/>")
    messages = told(read_task(tmp_path / "book.xlsx", ".xlsx", tmp_path, "data-1.parquet"))
    assert "workbook" in messages[-1]["error"]


def test_a_fit_saves_a_model_with_its_rules_and_edges_and_tells_of_trees(tmp_path, people):
    task = {
        "task": "fit",
        "data": str(people),
        "schema": {"age": {"low": 10, "high": 100}},
        "rules": ["experience <= age - 10"],
        "required": [["age", "hired"]],
        "forbidden": [["sex", "hired"]],
        "seed": 3,
        "model": str(tmp_path / "model.janus"),
    }
    messages = told(task)
    assert messages[-1] == {"done": True}
    steps = [message["progress"] for message in messages[:-1]]
    assert any(label == "growing trees" and done == total > 0 for label, done, total in steps)
    model = Janus.load(tmp_path / "model.janus")
    assert [str(rule) for rule in model.rules_] == ["experience <= age - 10"]
    assert ("age", "hired") in model.dag_.edges
    assert ("sex", "hired") not in model.dag_.edges
    assert model.schema_["age"].high == 100


def test_a_fit_that_cannot_be_ends_in_words(tmp_path, people):
    task = {"task": "fit", "data": str(people), "schema": {}, "rules": ["agee > 3"], "required": [], "forbidden": []}
    messages = told({**task, "seed": 0, "model": str(tmp_path / "model.janus")})
    assert "agee" in messages[-1]["error"]
    assert not (tmp_path / "model.janus").exists()
