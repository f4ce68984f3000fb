from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from janus_synth import discover, holds
from janus_synth.table.files import read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.fixture
def trips(desk):
    random = np.random.default_rng(0)
    rows = pd.DataFrame({"casual": random.poisson(30, 400), "registered": random.poisson(90, 400)})
    rows["total"] = rows.casual + rows.registered
    rows["limit"] = random.integers(1, 90, 400) * 500
    rows.to_csv(desk / "trips.csv", index=False)
    return desk / "trips.csv"


def test_the_table_is_that_of_the_library(janus, trips):
    assert janus("discover", "trips.csv").stdout == f"{discover(read_frame(trips))}\n"
    assert "total == casual + registered" in janus("discover", "trips.csv").stdout


def test_rules_alone_are_rules(janus, trips):
    lines = janus("discover", "trips.csv", "--rules-only").stdout.splitlines()
    assert lines == ["total == casual + registered", "increments(limit, 500)"]
    assert all(holds(rule, read_frame(trips)).all() for rule in lines)


def test_rules_go_to_a_file_and_into_a_model(janus, desk, trips):
    told = janus("discover", "trips.csv", "-o", "rules.txt").stdout
    assert told.endswith("\n2 rules in rules.txt\n")
    rules = (desk / "rules.txt").read_text().splitlines()
    assert rules == list(discover(read_frame(trips)).rules)
    given = [word for rule in rules for word in ("--rule", rule)]
    janus("fit", "trips.csv", "-o", "trips.janus", "--trees", 1, *given)
    janus("sample", "trips.janus", "-n", 50, "-o", "rows.csv", "--seed", 1)
    rows = read_frame(desk / "rows.csv")
    assert (rows.total == rows.casual + rows.registered).all()


def test_rules_may_go_to_standard_output(janus, trips):
    assert janus("discover", "trips.csv", "-o", "-").stdout == janus("discover", "trips.csv", "--rules-only").stdout


def test_relations_as_json(janus, trips):
    (total, limit) = json.loads(janus("discover", "trips.csv", "--json").stdout)
    assert total["kind"] == "sum"
    assert total["columns"] == ["total", "casual", "registered"]
    assert total["detail"]["terms"] == [["casual", 1.0], ["registered", 1.0]]
    assert (limit["support"], limit["exceptions"], limit["detail"]["step"]) == (400, 0, 500)


def test_a_schema_may_leave_columns_out(janus, desk, trips):
    (desk / "kinds.json").write_text(json.dumps({"limit": {"kind": "identifier"}}))
    assert janus("discover", "trips.csv", "--rules-only", "--schema", "kinds.json").stdout.count("\n") == 1


def test_nothing_found_is_said(janus, desk):
    (desk / "noise.csv").write_text("x,y\n1,2.5\n3,4.25\n5,1.125\n")
    assert janus("discover", "noise.csv").stdout == "no relations in 3 rows\n"
    assert janus("discover", "noise.csv", "--rules-only").stdout == ""


def test_errors_name_the_cause(janus, trips):
    assert "no file" in janus("discover", "absent.csv", fails=1).stderr
    assert "cannot be combined" in janus("discover", "trips.csv", "--json", "--rules-only", fails=2).stderr
    assert "also read from" in janus("discover", "trips.csv", "-o", "trips.csv", fails=1).stderr
