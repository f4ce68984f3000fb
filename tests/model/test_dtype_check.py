"""A file whose schema was edited by hand is refused, or its model works in every respect."""

from __future__ import annotations

import copy
import os
import warnings

import numpy as np
import pytest

from janus_synth import Janus
from janus_synth.errors import ModelFileError
from model.archives import Archive
from model.schema_edits import edit_schema, refused_or_works
from model.tables import fitted, mixed


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    path = tmp_path_factory.mktemp("edits") / "m.janus"
    fitted(mixed(150)).save(path)
    return Archive.read(path)


def try_edits(parts, path, seeds):
    """Edit a schema in random ways; returns how often the file was refused."""
    refused = []
    for seed in seeds:
        edited = copy.deepcopy(parts)
        what = edit_schema(edited.manifest["schema"], np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                refused.append(refused_or_works(edited, path))
            except Exception as error:
                raise AssertionError(f"edit {seed} of {what}: {type(error).__name__} {error}") from error
    return sum(refused)


def test_an_edited_schema_is_refused_or_works(parts, tmp_path):
    assert 0 < try_edits(parts, tmp_path / "m.janus", range(30)) < 30


@pytest.mark.slow
def test_many_edited_schemas_are_refused_or_work(parts, tmp_path):
    first = int(os.environ.get("JANUS_RANDOM_SEED", "1000"))
    assert 0 < try_edits(parts, tmp_path / "m.janus", range(first, first + 300)) < 300


@pytest.mark.parametrize(
    ("name", "dtype", "problem"),
    [
        ("units", "bool", "written as 'bool': "),
        ("amount", "Int64", "written as 'Int64': "),
        ("day", "int64", "cannot be read as datetime"),
        ("seen", "boolean", "cannot be read as datetime"),
        ("member", "datetime64[us]", "cannot be read as boolean"),
    ],
)
def test_the_message_names_the_column_and_the_dtype(name, dtype, problem, parts, tmp_path):
    edited = copy.deepcopy(parts)
    next(column for column in edited.manifest["schema"]["columns"] if column["name"] == name)["dtype"] = dtype
    edited.write(tmp_path / "m.janus")
    with pytest.raises(ModelFileError, match=problem) as caught:
        Janus.load(tmp_path / "m.janus")
    assert f"column {name!r} is " in str(caught.value)
    assert f"its values cannot be written as {dtype!r}" in str(caught.value)
