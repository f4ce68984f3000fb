from __future__ import annotations

import json

import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.table.files import read_frame


@pytest.fixture
def settings_of(janus):
    """Fit with some options and tell what the model was given."""

    def fit(*options):
        janus("fit", "people.csv", "-o", "m.janus", "--seed", 1, "--trees", 1, *options)
        return Janus.load("m.janus")

    return fit


def test_the_summary_tells_rows_columns_edges_time_and_size(janus, desk):
    result = janus("fit", "people.csv", "-o", "m.janus", "--seed", 0, "--trees", 1)
    words = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert "300" in words["rows"]
    assert "9: 4 numeric, 2 boolean, 1 identifier, 1 categorical, 1 datetime" in words["columns"]
    assert "(auto)" in words["edges"]
    assert " s" in words["time"]
    assert "kB)" in words["model"]
    assert "not learnt, new values are generated: applicant_id" in result.stdout
    assert result.stderr == ""


def test_quiet_says_nothing(janus):
    assert janus("fit", "people.csv", "-o", "m.janus", "--trees", 1, "-q").output == ""


def test_one_seed_one_model(janus, desk):
    for name, jobs in (("a.janus", 1), ("b.janus", 2)):
        janus("fit", "people.csv", "-o", name, "--seed", 3, "--trees", 2, "--jobs", jobs, "-q")
    a, b = (janus("sample", name, "-n", 50, "--seed", 0).stdout for name in ("a.janus", "b.janus"))
    assert a == b


def test_options_reach_the_model(settings_of):
    model = settings_of(
        *("--bins", 20, "--min-leaf", 7, "--prior-strength", 2.5, "--lambda-unsup", 0.1, "--lambda-div", 0.2),
        *(
            "--leaves",
            "trend",
            "--structure",
            "chain",
            "--required",
            "age:bonus",
            "--forbidden",
            "sex->hired",
            "--forbidden",
            "hired:bonus",
        ),
    )
    given = model.get_params()
    expected = {
        "structure": "chain",
        "n_trees": 1,
        "n_bins": 20,
        "min_samples_leaf": 7,
        "leaves": "trend",
        "prior_strength": 2.5,
        "lambda_unsup": 0.1,
        "lambda_div": 0.2,
        "required": [["age", "bonus"]],
        "forbidden": [["sex", "hired"], ["hired", "bonus"]],
        "random_state": 1,
    }
    assert {name: given[name] for name in expected} == expected
    assert ("hired", "bonus") not in model.dag_.edges


def test_a_set_of_graphs_is_learnt(settings_of):
    model = settings_of("--structure", "bootstrap", "--graph-learner", "forest", "--graphs", 3, "--trees", 1)
    assert (model.structure, model.graph_learner, model.n_graphs) == ("bootstrap", "forest", 3)
    assert model.edge_confidence_["confidence"].max() == 1


def test_the_papers_configuration_can_be_changed(settings_of):
    model = settings_of("--paper", "--bins", 10)
    assert (model.structure, model.n_bins, model.prior, model.n_trees) == ("forest", 10, "flat", 1)
    assert settings_of("--bins", "auto").n_bins == "auto"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("edges.json", '[["age", "bonus"], ["sex", "bonus"]]'),
        ("parents.json", '{"bonus": ["age", "sex"]}'),
        ("graph.json", '{"edges": [["age", "bonus"], ["sex", "bonus"]]}'),
        ("edges.csv", "parent,child\nage,bonus\nsex,bonus\n"),
        ("causes.csv", "Cause,Effect\nage,bonus\nsex,bonus\n"),
        ("swapped.csv", "child,parent\nbonus,age\nbonus,sex\n"),
        ("bare.csv", "age, bonus\n\nsex, bonus\n"),
    ],
)
def test_a_graph_may_come_from_a_file(settings_of, desk, name, text):
    (desk / name).write_text(text)
    model = settings_of("--structure", name)
    assert sorted(model.dag_.edges) == [("age", "bonus"), ("sex", "bonus")]
    assert model.model_.graph_given


def test_a_graph_may_be_written_as_json(settings_of):
    model = settings_of("--structure", '{"bonus": ["age", "sex"]}')
    assert sorted(model.dag_.edges) == [("age", "bonus"), ("sex", "bonus")]


def test_levels_may_be_ordered_by_an_option(settings_of):
    model = settings_of("--column", "sex=ordered:male<female", "--schema", '{"age": {"low": 0}}')
    assert model.schema_["sex"].levels == ("male", "female")
    assert model.schema_["sex"].ordered
    assert model.schema_["age"].low == 0


def test_tiers_come_from_a_file(settings_of, desk):
    (desk / "tiers.json").write_text('[["bonus"], ["age", "sex"]]')
    model = settings_of("--tiers", "tiers.json")
    assert not {("age", "bonus"), ("sex", "bonus")} & set(model.dag_.edges)


def test_a_schema_may_be_partial_or_what_inspect_printed(settings_of, janus, desk):
    assert settings_of("--schema", "schema.json").schema_["age"].high == 120
    whole = json.loads(janus("inspect", "m.janus", "--schema").stdout)
    (desk / "whole.json").write_text(json.dumps(whole))
    assert settings_of("--schema", "whole.json").schema_["age"].high == 120


def test_standard_input_is_a_csv_table_unless_said_otherwise(janus, desk):
    janus("fit", "-", "-o", "a.janus", "--seed", 0, "--trees", 1, "-q", input=(desk / "people.csv").read_bytes())
    janus("fit", "people.csv", "-o", "b.janus", "--seed", 0, "--trees", 1, "-q")
    a, b = (janus("sample", name, "-n", 20, "--seed", 0).stdout for name in ("a.janus", "b.janus"))
    assert a == b
    packed = (desk / "people.parquet").read_bytes()
    janus("fit", "-", "-o", "c.janus", "--format", "parquet", "--trees", 1, "-q", input=packed)
    assert Janus.load("c.janus").n_rows_ == 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--required", "age"], "is not an edge"),
        (["--required", "a:b:c"], "is not an edge"),
        (["--structure", "fores"], "neither a structure learner"),
        (["--bins", "many"], "nor 'auto'"),
        (["--trees", "0"], "--trees"),
        (["--format", "xls"], "--format"),
        (["--out", "-"], "not to standard output"),
    ],
)
def test_wrong_options_are_usage_errors(janus, options, message):
    assert message in janus("fit", "people.csv", "-o", "m.janus", *options, fails=2).stderr


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--schema", "{", "schema.txt is not valid JSON"),
        ("--schema", "[1]", "does not hold a schema"),
        ("--schema", '{"agee": {"low": 0}}', "Did you mean 'age'?"),
        ("--schema", '{"age": {"high": 20}}', "outside the declared"),
        ("--tiers", '{"a": 1}', "does not hold tiers"),
        ("--structure", '"forest"', "does not hold a graph"),
        ("--structure", '[["age", "agee"]]', "no column 'agee'"),
        ("--structure", '[["age", "sex"], ["sex", "age"]]', "the graph has a loop"),
    ],
)
def test_files_that_say_nothing_sensible_are_told(janus, desk, option, text, message):
    (desk / "schema.txt").write_text(text)
    error = janus("fit", "people.csv", "-o", "m.janus", option, "schema.txt", fails=1).stderr
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (desk / "m.janus").exists()


def test_a_missing_file_of_options_is_named(janus):
    assert "there is no file no.json" in janus("fit", "people.csv", "-o", "m", "--schema", "no.json", fails=1).stderr
    assert "there is no file no.json" in janus("fit", "people.csv", "-o", "m", "--tiers", "no.json", fails=1).stderr


def test_a_ragged_file_of_edges_names_its_line(janus, desk):
    (desk / "edges.csv").write_text("age,bonus\nsex\n")
    assert (
        "line 2: 'sex' is not an edge"
        in janus("fit", "people.csv", "-o", "m.janus", "--structure", "edges.csv", fails=1).stderr
    )


def test_a_model_never_replaces_its_own_data_or_a_device(janus, desk):
    before = (desk / "people.csv").read_bytes()
    assert "would be overwritten" in janus("fit", "people.csv", "-o", "people.csv", fails=1).stderr
    assert (desk / "people.csv").read_bytes() == before
    assert "is a device" in janus("fit", "people.csv", "-o", "/dev/null", fails=1).stderr


def test_an_output_that_cannot_be_written_is_told_before_the_work(janus, monkeypatch):
    monkeypatch.setattr("janus_synth.janus.Janus.fit", lambda *a, **k: pytest.fail("too late"))
    assert "the folder no/such does not exist" in janus("fit", "people.csv", "-o", "no/such/m.janus", fails=1).stderr
    assert "is a folder" in janus("fit", "people.csv", "-o", ".", fails=1).stderr


def test_rules_reach_the_model_and_are_summarised(janus):
    rules = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]
    options = [word for rule in rules for word in ("--rule", rule)]
    result = janus("fit", "people.csv", "-o", "m.janus", "--trees", 1, *options)
    assert result.stderr == ""  # all rows keep them
    assert [str(rule) for rule in Janus.load("m.janus").rules_] == rules
    assert f"rules    {rules[0]}" in result.stdout
    assert rules[1] in result.stdout


def test_rows_that_break_a_rule_are_told_before_the_fit_in_one_line(janus):
    rule = ("--rule", "age >= 30")
    result = janus("fit", "people.csv", "-o", "m.janus", "--trees", 1, *rule)
    broken = int((read_frame("people.csv")["age"] < 30).sum())
    assert result.stderr.startswith(f"warning: {broken} of 300 rows (")
    assert result.stderr.endswith("break the rule 'age >= 30'.\n")
    assert ".py" not in result.stderr
    assert Janus.load("m.janus").n_rows_ == 300
    assert janus("fit", "people.csv", "-o", "m.janus", "--trees", 1, *rule, "-q").output == ""


def test_rows_that_break_a_rule_may_be_dropped_or_refused(janus, desk):
    rule = ("--rule", "age >= 30", "--trees", 1)
    kept = int((read_frame("people.csv")["age"] >= 30).sum())
    result = janus("fit", "people.csv", "-o", "m.janus", *rule, "--on-violation", "drop")
    assert f"Learning from the other {kept} of 300 rows." in result.stderr
    assert Janus.load("m.janus").n_rows_ == kept
    error = janus("fit", "people.csv", "-o", "no.janus", *rule, "--on-violation", "error", fails=1).stderr
    assert error.startswith("error: ")
    assert "break the rule 'age >= 30'" in error
    assert not (desk / "no.janus").exists()
    assert "--on-violation" in janus("fit", "people.csv", "-o", "m", *rule, "--on-violation", "shout", fails=2).stderr


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("age <", "this is not a rule"),
        ("", "the rule is empty"),
        ("agee >= 3", "Did you mean 'age'?"),
        ("sex == 'robot'", "has no level 'robot'"),
        ("applicant_id == 'A-1'", "is an identifier"),
        ("age == 'old'", "column 'age' is numeric"),
        ("age ** 2.5 > 9", "a power is a whole number"),
        ("__import__('os').system('touch pwned')", "reaches into an object"),
    ],
)
def test_rules_that_make_no_sense_are_told_and_leave_no_model(janus, desk, rule, message):
    result = janus("fit", "people.csv", "-o", "m.janus", "--rule", rule, fails=1)
    assert message in result.stderr
    assert result.stdout == ""
    assert not (desk / "m.janus").exists()
    assert not (desk / "pwned").exists()


@pytest.fixture
def trips(desk):
    datasets.trips(800, random_state=0).to_csv(desk / "trips.csv", index=False)
    return ("fit", "trips.csv", "-o", "t.janus", "--trees", 1)


def test_links_are_summarised_with_the_way_to_switch_them_off(janus, trips):
    result = janus(*trips)
    assert "links    pickup = its date + its time of day" in result.stdout
    assert "         total = fare + tip + tolls" in result.stdout
    assert "--links off" in result.stdout
    assert all(line.startswith("alert: ") for line in result.stderr.splitlines())
    assert "links" not in janus(*trips, "--links", "off").stdout
    assert Janus.load("t.janus").links_ == ()


def test_rules_alone_may_make_links(janus, trips):
    janus(*trips, "--links", "rules", "--rule", "total == fare + tip + tolls", "-q")
    assert [link.column for link in Janus.load("t.janus").links_] == ["total"]
    assert "--links" in janus(*trips, "--links", "some", fails=2).stderr


def test_rules_may_come_from_a_file_and_from_the_rows(janus, trips, desk):
    (desk / "rules.txt").write_text("# money\n\ntotal >= fare   # cents\ndropoff >= pickup\n")
    janus(*trips, "--rule", "fare >= 0", "--rules", "rules.txt", "-q")
    written = [str(rule) for rule in Janus.load("t.janus").rules_][:3]
    assert written == ["fare >= 0", "total >= fare", "dropoff >= pickup"]
    janus(*trips, "--rules", "rules.txt", "--rule", "discover", "-q")
    found = [str(rule) for rule in Janus.load("t.janus").rules_]
    assert found[:2] == ["total >= fare", "dropoff >= pickup"]
    assert "total == fare + tip + tolls" in found


@pytest.mark.parametrize(
    ("text", "message"),
    [("# nothing\n", "holds no rules"), ("fare >= 0\nfare >=\n", "rules.txt, line 2: this is not a rule")],
)
def test_a_file_of_rules_that_says_nothing_is_told(janus, trips, desk, text, message):
    (desk / "rules.txt").write_text(text)
    assert message in janus(*trips, "--rules", "rules.txt", fails=1).stderr
    assert "there is no file no.txt" in janus(*trips, "--rules", "no.txt", fails=1).stderr
    assert not (desk / "t.janus").exists()


def test_rules_of_other_tools_are_read_and_what_is_left_out_is_told(janus, desk):
    pytest.importorskip("sqlglot")
    (desk / "rules.sql").write_text(
        "CREATE TABLE people (age INT NOT NULL CHECK (age >= 18), applicant_id TEXT UNIQUE, sex TEXT REFERENCES sexes)"
    )
    constraints = [{"constraint_class": "Positive", "constraint_parameters": {"column_name": "bonus"}}]
    (desk / "rules.json").write_text(json.dumps(constraints))
    call = ("fit", "people.csv", "-o", "m.janus", "--trees", 1, "--rules", "rules.sql", "--rules", "rules.json")
    assert "skipped: rules.sql: REFERENCES: it is about another table" in janus(*call).stderr
    told = [str(rule) for rule in Janus.load("m.janus").rules_]
    assert told == ["age is not null", "age >= 18", "bonus is null or bonus >= 0", "unique(applicant_id)"]


def test_a_pattern_and_a_folder_are_read_file_by_file(janus, desk):
    rows = pd.read_csv(desk / "people.csv")
    (desk / "parts").mkdir()
    for i in range(2):
        rows[i::2].to_parquet(desk / "parts" / f"{i}.parquet", index=False)
    for number, place in enumerate(("parts/*.parquet", "parts")):
        janus("fit", place, "-o", f"{number}.janus", "--trees", 1, "--seed", 0, "--sample-rows", 50)
        assert Janus.load(f"{number}.janus").n_rows_ == len(rows)
    assert (desk / "0.janus").read_bytes() == (desk / "1.janus").read_bytes()
    assert "no file matches" in janus("fit", "none/*.csv", "-o", "m.janus", fails=1).output


def test_bad_files_of_a_folder_stop_the_fit_or_are_left_out_and_listed(janus, desk):
    (desk / "parts").mkdir()
    datasets.hiring(200, random_state=0).to_parquet(desk / "parts" / "a.parquet", index=False)
    (desk / "parts" / "b.parquet").write_bytes(b"no table")
    stopped = janus("fit", "parts", "-o", "m.janus", "--trees", 1, fails=1)
    assert "b.parquet cannot be read" in stopped.stderr
    assert not (desk / "m.janus").exists()
    result = janus("fit", "parts", "-o", "m.janus", "--trees", 1, "--bad-files", "skip")
    assert "b.parquet" in next(line for line in result.stdout.splitlines() if line.startswith("left out"))
    assert Janus.load("m.janus").alerts_[0].kind == "skipped-files"
