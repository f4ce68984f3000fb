from __future__ import annotations

import json

import pytest

from janus_synth import Janus
from janus_synth.table.files import read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_the_verdict_of_the_method_is_printed(janus):
    expected = Janus.load("caused.janus").falsify(read_frame("held-out.csv"), n_permutations=20)
    printed = janus("falsify", "caused.janus", "held-out.csv", "--permutations", 20).stdout
    assert printed == f"{expected}\n"
    assert "(160 rows)" in printed


def test_all_tests_are_written_and_the_verdict_is_json(janus):
    options = ("falsify", "caused.janus", "held-out.csv", "--permutations", 19)
    janus(*options, "-o", "tests.csv")
    tests = read_frame("tests.csv")
    found = json.loads(janus(*options, "--json").stdout)
    assert len(tests) == found["independences"] + found["edges"]
    assert found["verdict"] in ("untestable", "rejected", "doubtful", "consistent")
    assert len(found["share_failing_permuted"]) == 19
    assert len(found["failing_independences"]) == (~tests.loc[tests["claim"] == "independent", "holds"]).sum()
    assert janus(*options, "-q").stdout == ""


def test_too_few_rows_are_an_error(janus):
    read_frame("held-out.csv")[:99].to_csv("few.csv", index=False)
    assert "at least 100" in janus("falsify", "caused.janus", "few.csv", fails=1).stderr


def test_too_few_permutations_are_an_error(janus):
    options = ("--alpha", 0.01, "--permutations", 98)
    assert "needs at least 99" in janus("falsify", "caused.janus", "held-out.csv", *options, fails=1).stderr
