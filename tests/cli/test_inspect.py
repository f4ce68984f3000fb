from __future__ import annotations

import json

import pytest

from janus_synth import Janus, Schema, datasets
from janus_synth.rules import parse_rule

RULES = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]


def test_the_overview_shows_columns_graph_and_settings(janus):
    text = janus("inspect", "people.janus").stdout
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "300" in lines["rows"]
    assert "n_trees=2" in lines["settings"]
    assert "structure='auto'" in lines["settings"]
    dtype = Janus.load("people.janus").schema_["applicant_id"].dtype
    assert lines["applicant_id"].split()[1:] == ["identifier", *dtype.split(), "A-{000301}"]
    assert "numeric" in text
    assert "date32[day][pyarrow]" in text
    assert "learnt from rows, which is no causal claim" in lines["graph:"]
    assert " ← " in text


def test_nulls_levels_and_domains_are_shown(janus):
    shown = janus("inspect", "people.janus").stdout.partition("graph:")[0]
    lines = {line.split()[0]: line.split() for line in shown.splitlines() if line.strip()}
    assert lines["offered_salary"][3] == "yes"
    dtype = Janus.load("people.janus").schema_["sex"].dtype
    assert lines["sex"][1:] == ["categorical", *dtype.split(), "female,", "male"]
    assert lines["start_date"][-2:-1] == ["…"]


def test_rules_of_a_column_are_printed(janus):
    text = janus("inspect", "people.janus", "--explain", "experience", "--most", 3).stdout
    model = Janus.load("people.janus")
    assert text == f"{model.explain('experience', most=3)}\n"
    second = janus("inspect", "people.janus", "--explain", "experience", "--tree", 2).stdout
    assert second == f"{model.explain('experience', tree=1)}\n"


def test_unknown_columns_and_trees_are_told(janus):
    assert "Did you mean 'age'" in janus("inspect", "people.janus", "--explain", "agee", fails=1).stderr
    error = janus("inspect", "people.janus", "--explain", "experience", "--tree", 3, fails=1).stderr
    assert "has 2 trees; there is no tree 3" in error


def test_graphs_are_drawn_in_both_languages(janus):
    dag = Janus.load("people.janus").dag_
    assert janus("inspect", "people.janus", "--graph", "dot").stdout == f"{dag.to_dot()}\n"
    assert janus("inspect", "people.janus", "--graph", "mermaid").stdout == f"{dag.to_mermaid()}\n"
    assert "--graph" in janus("inspect", "people.janus", "--graph", "tikz", fails=2).stderr


def test_schema_and_everything_come_as_json(janus):
    model = Janus.load("people.janus")
    assert Schema.from_json(janus("inspect", "people.janus", "--schema").stdout) == model.schema_
    known = json.loads(janus("inspect", "people.janus", "--json").stdout)
    assert set(known) == {"n_rows", "schema", "rules", "links", "alerts", "graph", "settings"}
    assert known["n_rows"] == 300
    assert known["rules"] == []
    assert Schema.from_dict(known["schema"]) == model.schema_
    assert known["graph"]["parents"]["experience"] == list(model.dag_.parents["experience"])
    assert known["graph"]["given"] is False
    assert known["settings"]["n_trees"] == 2


def test_rules_that_were_given_are_shown(janus):
    text = janus("inspect", "ruled.janus").stdout
    kept = text.partition("rules that every generated row satisfies:\n")[2].splitlines()
    assert [line.strip() for line in kept[:2]] == RULES
    assert "rules that every generated row" not in janus("inspect", "people.janus").stdout
    known = json.loads(janus("inspect", "ruled.janus", "--json").stdout)
    assert known["rules"] == RULES
    assert "rules" not in known["settings"]


def test_links_are_shown_with_their_hidden_columns(janus, desk):
    datasets.trips(800, random_state=0).to_csv(desk / "trips.csv", index=False)
    janus("fit", "trips.csv", "-o", "t.janus", "--trees", 1, "-q")
    text = janus("inspect", "t.janus").stdout
    assert "  total = fare + tip + tolls\n" in text
    assert "  dropoff = pickup + a learnt gap   [learnt for it: dropoff - pickup]\n" in text
    links = {link["column"]: link for link in json.loads(janus("inspect", "t.janus", "--json").stdout)["links"]}
    assert links["dropoff"] == {
        "column": "dropoff",
        "text": "dropoff = pickup + a learnt gap",
        "inputs": ["pickup"],
        "hidden": ["dropoff - pickup"],
    }
    assert links["total"]["inputs"] == ["fare", "tip", "tolls"]
    janus("fit", "trips.csv", "-o", "off.janus", "--trees", 1, "-q", "--links", "off")
    assert "links, by which" not in janus("inspect", "off.janus").stdout
    assert json.loads(janus("inspect", "off.janus", "--json").stdout)["links"] == []


def test_a_rule_with_many_combinations_is_cut_for_people_and_whole_in_json(janus):
    janus("fit", "people.csv", "-o", "m.janus", "--trees", 1, "-q", "--rule", "fixed_combinations(age, experience)")
    kept = janus("inspect", "m.janus").stdout.partition("satisfies:\n")[2].splitlines()[0]
    assert kept.endswith("…")
    assert len(kept) < 130
    (rule,) = json.loads(janus("inspect", "m.janus", "--json").stdout)["rules"]
    assert parse_rule(rule) == Janus.load("m.janus").rules_[0]


@pytest.mark.parametrize(
    "options", [("--json", "--schema"), ("--graph", "dot", "--json"), ("--explain", "age", "--schema")]
)
def test_one_thing_at_a_time(janus, options):
    assert "cannot be combined" in janus("inspect", "people.janus", *options, fails=2).stderr


def test_names_with_brackets_are_no_markup(janus, desk):
    (desk / "odd.csv").write_text("[red]x[/red],y\n" + "".join(f"[b]{i % 3},{i % 5}\n" for i in range(60)))
    janus("fit", "odd.csv", "-o", "odd.janus", "--trees", 1)
    text = janus("inspect", "odd.janus").stdout
    assert "[red]x[/red]" in text
    assert "[b]0, [b]1, [b]2" in text


def test_files_that_are_no_models_are_told(janus):
    assert "there is no file no.janus" in janus("inspect", "no.janus", fails=1).stderr
    assert "is not a JANUS model" in janus("inspect", "people.csv", fails=1).stderr


def test_the_literal_values_of_a_file_are_listed(janus):
    printed = janus("inspect", "people.janus", "--privacy").stdout
    assert max(map(len, printed.split("\n\n")[0].splitlines())) <= 80
    assert "level: value of a categorical column" in printed
    listed = json.loads(janus("inspect", "people.janus", "--privacy", "--json").stdout)
    assert set(listed[0]) == {"column", "reason", "value", "n_rows"}
    assert any(each["reason"] == "level" and each["n_rows"] > 0 for each in listed)
