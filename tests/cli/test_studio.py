"""``janus studio``: which folder it opens, and what it says without its libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from janus_synth.cli.studio import _places


@pytest.fixture
def served(monkeypatch, tmp_path):
    """Arguments of the server instead of a server, in a folder of its own."""
    calls = []
    monkeypatch.setattr("janus_synth.studio.server.serve", lambda folder, **options: calls.append((folder, options)))
    monkeypatch.chdir(tmp_path)
    return calls


def test_without_a_source_the_project_is_in_the_working_directory(janus, served):
    janus("studio", "--no-browser")
    (folder, options) = served[0]
    assert folder == Path("janus-studio")
    assert options["host"] == "127.0.0.1"
    assert options["table"] is None
    assert options["browser"] is False
    assert options["token"] is None


def test_a_table_gets_a_project_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv.gz").touch()
    assert _places(Path("people.csv.gz")) == (Path("people-studio"), Path("people.csv.gz"))


def test_a_model_is_copied_into_a_project_and_not_over_a_later_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.janus").write_bytes(b"first")
    assert _places(Path("people.janus")) == (Path("people-studio"), None)
    assert Path("people-studio/model.janus").read_bytes() == b"first"
    Path("people.janus").write_bytes(b"second")
    _places(Path("people.janus"))
    assert Path("people-studio/model.janus").read_bytes() == b"first"


def test_a_folder_is_a_project(tmp_path):
    assert _places(tmp_path) == (tmp_path, None)


def test_a_source_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        _places(tmp_path / "absent.csv")


def test_without_its_libraries_the_extra_is_named(janus, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    done = janus("studio", "--no-browser", fails=True)
    assert "janus-synth[studio]" in done.output
