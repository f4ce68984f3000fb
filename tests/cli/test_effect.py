"""Effects of a treatment on an outcome, as a table and as JSON."""

from __future__ import annotations

import json

import pytest

from janus_synth import Janus
from janus_synth.table.files import read_frame

ASKED = ("effect", "caused.janus", "--of", "age", "--on", "experience")


def test_the_variance_between_graphs_is_shown(janus):
    fit = ("--structure", "bootstrap", "--graph-learner", "forest", "--graphs", 3, "--trees", 1, "--seed", 0)
    janus("fit", "people.csv", "-o", "several.janus", *fit, "-q")
    asked = ("effect", "several.janus", "--of", "age", "--on", "bonus", "--values", "30,50", "--trust-graph")
    cases = json.loads(janus(*asked, "--json").stdout)["cases"]
    share = cases[1]["structural"]
    assert 0 <= share <= 1
    assert cases[0]["structural"] == 0
    after_the_table = janus(*asked).stdout.splitlines()[4:]
    assert after_the_table[0] == f"variance between the graphs of the model: {share:.0%} of that of the effect"
    assert after_the_table[1].startswith("by simulation from the model")


def test_means_and_effects_are_printed_with_intervals(janus):
    result = janus(*ASKED, "--values", "30,40..50", "--where", "sex == 'male'", "--level", 0.9)
    lines = result.stdout.splitlines()
    assert result.stderr == ""
    assert lines[0] == "mean of experience where sex == 'male', with 90 % intervals"
    assert lines[1].split() == ["age", "mean", *["from", "…", "to"], "effect", *["from", "…", "to"]]
    found = Janus.load("caused.janus").effect("age", "experience", [30, (40, 50)], "sex == 'male'", level=0.9)
    mean, effect = found.means[1], found.effects[1]
    assert lines[2].split()[-1] == "–"
    assert lines[3].split() == [
        *("40", "to", "50"),
        *(f"{mean.value:.4g}", f"{mean.low:.4g}", "…", f"{mean.high:.4g}"),
        *(f"{effect.value:.4g}", f"{effect.low:.4g}", "…", f"{effect.high:.4g}"),
    ]


def test_json_has_what_the_library_found(janus):
    answer = json.loads(janus(*ASKED, "--values", "30", "--values", "50", "--seed", 4, "--json").stdout)
    found = Janus.load("caused.janus").effect("age", "experience", [30, 50], random_state=4)
    assert (answer["treatment"], answer["outcome"], answer["level"]) == ("age", "experience", 0.95)
    assert [case["value"] for case in answer["cases"]] == [30, 50]
    assert [case["mean"] for case in answer["cases"]] == [mean._asdict() for mean in found.means]
    assert [case["effect"] for case in answer["cases"]] == [effect._asdict() for effect in found.effects]
    assert "unit" not in answer


def test_shares_of_conditions_levels_and_choices(janus):
    asked = ("effect", "caused.janus", "--of", "sex", "--on", "experience > 5", "--values", "male,female,male|female")
    lines = janus(*asked).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:-1]] == ["male", "female", "male"]
    assert "male or female" in lines[4]
    assert 0 < float(lines[2].split()[1]) < 1


def test_times_are_told_as_days_and_not_as_microseconds(janus):
    asked = ("effect", "caused.janus", "--of", "hired", "--on", "start_date", "--values", "false,true")
    lines = janus(*asked).stdout.splitlines()
    assert lines[2].split()[0] == "false"
    assert lines[2].split()[1].startswith("20")
    assert "0 days" in lines[3]  # no arrow leads there
    assert json.loads(janus(*asked, "--json").stdout)["unit"] == "microseconds"


def test_a_learnt_graph_is_doubted_beside_the_answer(janus):
    result = janus("effect", "people.janus", "--of", "bonus", "--on", "start_date", "--values", "0", "--json")
    (line,) = result.stderr.splitlines()
    assert line.startswith("warning: this graph was learnt")
    assert json.loads(result.stdout)["treatment"] == "bonus"


def test_the_table_keeps_its_names_on_a_narrow_terminal(janus):
    lines = janus(*ASKED, "--values", "30,40", columns=60).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["age", "30", "40"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--of": "agee"}, "Did you mean 'age'"),
        ({"--of": "applicant_id"}, "'applicant_id' is an identifier"),
        ({"--on": "experiense"}, "Did you mean 'experience'"),
        ({"--on": "sex"}, "'sex' is categorical and has no mean"),
        ({"--values": "30,old"}, "'age' holds numbers, and 'old' is not one"),
        ({"--values": ""}, "no value is given for column 'age'"),
        ({"--values": "40..30"}, "ends before it begins"),
        ({"--of": "sex", "--values": "male,femal"}, "no level 'femal'"),
        ({"--where": "experience > 3"}, "'experience', which is the treatment or comes after it"),
        ({"--where": "wage > 3"}, "no column 'wage'"),
        ({"--where": "sex == 'male' and bonus < 0"}, "'bonus' takes values from 0 to"),
    ],
)
def test_questions_that_make_no_sense_are_told_in_a_line(janus, changes, message):
    options = {"--of": "age", "--on": "experience", "--values": "30,40", **changes}
    result = janus("effect", "caused.janus", *[word for pair in options.items() for word in pair], fails=1)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize("options", [["--level", 2], ["--seed", -1], ["--confounded", "age"]])
def test_bad_options_of_an_effect_are_refused(janus, options):
    janus(*ASKED, "--values", 30, *options, fails=2)


def test_an_effect_from_rows_names_its_estimator(janus):
    asked = ("effect", "caused.janus", "--treatment", "sex", "--outcome", "experience", "--data", "people.csv")
    lines = janus(*asked).stdout.splitlines()
    rows = read_frame("people.csv")
    found = Janus.load("caused.janus").effect("sex", "experience", data=rows)
    assert lines[-2] == "by augmented inverse probability weighting on 300 rows, adjusted for age"
    assert lines[-1] == str(found.overlap)
    assert f"{found.means[0].value:.4g}" in lines[2]
    answer = json.loads(janus(*asked, "--json").stdout)
    assert (answer["estimator"], answer["adjusted_for"], answer["n_rows"]) == (found.estimator, ["age"], 300)
    assert answer["overlap"]["weak"] is found.overlap.weak


def test_an_effect_without_rows_says_so(janus):
    assert "by simulation from the model" in janus(*ASKED, "--values", 30).stdout


def test_mediators_divide_an_effect(janus):
    asked = ("effect", "caused.janus", "--of", "sex", "--on", "hired", "--values", "male,female")
    lines = janus(*asked, "--through", "experience").stdout.splitlines()
    assert lines[0] == "effect on hired of sex from male to female, with 95 % intervals"
    assert [line.split()[0] for line in lines[2:5]] == ["total", "direct", "indirect,"]
    answer = json.loads(janus(*asked, "--through", "experience", "--json").stdout)
    assert answer["direct"]["value"] == 0  # no arrow but through experience
    assert answer["total"] == answer["indirect"]
    janus(*asked, "--through", "experience", "--confounded", "sex,hired", fails=2)


def test_an_unobserved_cause_is_refused(janus):
    result = janus(*ASKED, "--values", "30,40", "--confounded", "age,experience", fails=1)
    assert "'age' and 'experience' have an unobserved common cause" in result.stderr
