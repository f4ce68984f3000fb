from __future__ import annotations

import pytest

from janus_synth import Janus
from janus_synth.table.files import read_frame


@pytest.fixture
def parts(janus):
    """A model of all rows, and parts that were counted apart."""
    janus("update", "people.janus", "held-out.csv", "-o", "part.janus", "--forget", "-q")
    return janus


def test_parts_together_are_one_model_of_all_rows(parts):
    result = parts("merge", "people.janus", "part.janus", "-o", "all.janus")
    assert result.stdout == "2 models, 460 rows in all.janus\n"
    expected = Janus.load("people.janus").update(read_frame("held-out.csv"))
    assert Janus.load("all.janus").sample(20, random_state=1).equals(expected.sample(20, random_state=1))


def test_more_than_two_models_are_merged(parts):
    assert parts("merge", "people.janus", "part.janus", "part.janus", "-o", "all.janus", "-q").stdout == ""
    assert Janus.load("all.janus").n_rows_ == 620


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["people.janus", "-o", "all.janus"], 2, "at least two models"),
        (["people.janus", "caused.janus", "-o", "all.janus"], 1, "with janus update --forget"),
        (["people.janus", "no.janus", "-o", "all.janus"], 1, "there is no file no.janus"),
        (["people.janus", "part.janus", "-o", "-"], 2, "a model goes to a file"),
    ],
)
def test_wrong_requests_are_told(parts, desk, args, code, message):
    assert message in " ".join(parts("merge", *args, fails=code).stderr.split())
    assert not (desk / "all.janus").exists()
