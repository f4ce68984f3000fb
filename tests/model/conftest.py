"""A small fitted model, its file, and the parts of that file."""

from __future__ import annotations

import pytest

from model.archives import Archive, small_table
from model.tables import fitted


@pytest.fixture(scope="module")
def model():
    return fitted(small_table(), structure="chain", n_bins=8)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.janus"
    model.save(path)
    return path


@pytest.fixture
def parts(saved):
    return Archive.read(saved)
