"""``janus fairness plant``: rows and certificates of the library, every option, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from janus_synth import Janus, holds
from janus_synth.cli.plant import Baseline
from janus_synth.fairness import Bias, Certificate
from janus_synth.fairness import plant as planted_by_library
from janus_synth.fairness.baselines import BASELINES
from janus_synth.table.files import read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")
SAID = {"--protected": "sex", "--privileged": "male", "--outcome": "hired", "--favourable": "true", "--magnitude": 0.2}
WRITTEN = {"protected": "sex", "privileged": "male", "outcome": "hired", "favourable": True, "magnitude": 0.2}
DOUBT = "warning: this graph was learnt"


def words(options):
    return [word for name, value in options.items() if value is not None for word in (name, value)]


@pytest.fixture
def plant(janus, monkeypatch):
    """Plant a bias, of which some words may be others, in a few rows; the effects are not simulated unless asked."""

    def call(*more, effects=False, fails=0, model="caused.janus", n=300, **changes):
        said = {**SAID, **{f"--{name}": value for name, value in changes.items()}}
        with monkeypatch.context() as patched:
            if not effects:
                patched.setattr(
                    "janus_synth.fairness.plant", lambda *a, **k: planted_by_library(*a, **k, effect_units=0)
                )
            return janus("fairness", "plant", model, *words(said), "-n", n, *more, fails=fails)

    return call


def certificate(path="out.certificate.json"):
    return Certificate.from_json(Path(path).read_text(encoding="utf-8"))


def test_rows_and_certificate_are_those_of_the_library(plant):
    told = plant("-o", "out.csv", "--seed", 3, effects=True)
    expected = planted_by_library(
        Janus.load("caused.janus"), Bias("sex", "male", "hired", True, 0.2), 300, random_state=3
    )
    assert told.stderr == ""
    assert read_frame("out.csv").astype(str).equals(expected.to_frame().astype(str))
    assert certificate() == expected.certificate
    record, lines = expected.certificate.records[0], told.stdout.splitlines()
    assert lines[0].startswith("300 rows in out.csv (")
    assert lines[1] == "certificate in out.certificate.json"
    assert lines[3] == "0.2 of the favourable hired of those who are not sex = male, direct"
    assert f"requested 0.2, realised {record.realised:.6g}: {record.n_turned:,} of {record.n_eligible:,}" in lines[4]
    (rate,) = (rate for rate in expected.certificate.rates if rate.group == "sex != 'male'")
    shares = [f"{share:.3f}" for share in (rate.learnt, rate.fair, rate.biased)]
    assert f"hired where sex != 'male' {rate.n} {' '.join(shares)}" in [" ".join(line.split()) for line in lines]
    total = expected.certificate.effects[0].value("biased", "total")
    assert next(line.split() for line in lines if line.startswith("total"))[-1] == f"{total:+.3f}"


@pytest.mark.parametrize(
    ("changes", "bias"),
    [
        ({"privileged": "male|female"}, None),
        ({"protected": "age", "privileged": "25..45"}, Bias("age", (25, 45), "hired", True, 0.2)),
        ({"privileged": "'male'", "favourable": "FALSE"}, Bias("sex", "male", "hired", False, 0.2)),
        ({"magnitude": -0.1}, Bias("sex", "male", "hired", True, -0.1)),
        ({"magnitude": 0}, Bias("sex", "male", "hired", True, 0)),
        ({"path": "direct", "subgroup": "age >= 30"}, Bias("sex", "male", "hired", True, 0.2, subgroup="age >= 30")),
        ({"path": "experience", "magnitude": 0.02}, Bias("sex", "male", "hired", True, 0.02, path="experience")),
        (
            {"outcome": "start_date", "favourable": "2021-01-01..2030-01-01"},
            Bias("sex", "male", "start_date", ("2021-01-01", "2030-01-01"), 0.2),
        ),
    ],
)
def test_words_are_read_as_values_of_their_columns(plant, changes, bias):
    if bias is None:
        assert "no value of column 'sex' is unprivileged" in plant("-o", "out.csv", fails=1, **changes).stderr
    else:
        plant("-o", "out.csv", "-q", **changes)
        assert certificate().records[0].bias == bias


def test_several_columns_are_protected_each_with_its_privileged(plant):
    plant("--protected", "age", "--privileged", "18..45", "-o", "out.csv")
    bias = Bias(["sex", "age"], {"sex": "male", "age": (18, 45)}, "hired", True, 0.2)
    assert certificate().records[0].bias == bias
    rows = read_frame("out.csv")
    assert holds("sex == 'female' and age > 45", rows[rows["turned"]]).all()


@pytest.mark.parametrize("baseline", BASELINES)
def test_conditions_and_rules_hold_in_every_world(plant, baseline):
    plant("--where", "age < 50", "--baseline", baseline, "-o", "out.csv")
    assert holds("age < 50 and experience <= age - 18", read_frame("out.csv")).all()
    assert (certificate().baseline, certificate().where) == (baseline, ("age < 50",))


def test_baselines_are_those_of_the_library():
    assert tuple(Baseline) == BASELINES


@pytest.mark.parametrize("written", [WRITTEN, [WRITTEN, {**WRITTEN, "outcome": "remote", "subgroup": "age > 30"}]])
def test_biases_may_come_from_a_file(plant, desk, written):
    (desk / "own.json").write_text(json.dumps(written))
    nothing = dict.fromkeys(option.removeprefix("--") for option in SAID)
    plant("--biases", "own.json", "-o", "out.csv", **nothing)
    listed = written if isinstance(written, list) else [written]
    records = certificate().records
    assert sorted(str(record.bias) for record in records) == sorted(str(Bias.from_dict(one)) for one in listed)


def test_rows_on_standard_output_stand_alone(plant, desk):
    before = sorted(desk.iterdir())
    result = plant("-o", "-")
    assert len(result.stdout.splitlines()) == 301
    assert result.stdout.startswith("applicant_id,age,sex")
    assert "the certificate was not saved" in result.stderr
    assert "realised" in result.stderr
    assert sorted(desk.iterdir()) == before
    named = plant("-o", "-", "--certificate", "own.json", "--page", "own.html")
    assert named.stdout == result.stdout
    assert "certificate in own.json\npage in own.html\n" in named.stderr
    assert certificate("own.json").n_rows == 300
    quiet = plant("-o", "-", "-q")
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_quiet_is_quiet_and_the_page_is_a_page(plant, desk):
    result = plant("-o", "out.csv", "--page", "out.html", "--certificate", "proof.json", "-q")
    assert result.output == ""
    assert "<html" in (desk / "out.html").read_text()[:200].lower()
    assert certificate("proof.json").n_rows == 300
    assert not (desk / "out.certificate.json").exists()


@pytest.mark.parametrize("name", ["a.b.tsv.gz", "a.b.parquet", "a.b.feather", "a.b.CSV.GZ"])
def test_the_certificate_lies_beside_tables_of_any_format(plant, desk, name):
    plant("-o", name, "-q")
    assert len(read_frame(name)) == certificate("a.b.certificate.json").n_rows == 300


def test_a_learnt_graph_is_doubted_in_one_line_unless_trusted(plant):
    (line,) = plant("-o", "out.csv", model="people.janus").stderr.splitlines()
    assert line.startswith(DOUBT)
    assert plant("-o", "out.csv", "--trust-graph", model="people.janus").stderr == ""
    assert plant("-o", "out.csv", "-q", model="people.janus").stderr == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"magnitude": 2}, "the magnitude of a bias is 2; it is a share of outcomes, from -1 to 1"),
        ({"magnitude": "nan"}, "the magnitude of a bias is nan"),
        ({"protected": "sexx"}, "Did you mean 'sex'"),
        ({"outcome": "hire"}, "Did you mean 'hired'"),
        ({"path": "experiense"}, "Did you mean 'experience'"),
        ({"protected": "applicant_id"}, "'applicant_id' is an identifier"),
        ({"outcome": "sex", "favourable": "male"}, "'sex' is both protected and the outcome"),
        ({"privileged": "man"}, "no level 'man'"),
        ({"favourable": "perhaps"}, "'hired' is boolean, and 'perhaps' is neither true nor false"),
        ({"favourable": ""}, "no value is given for column 'hired'"),
        ({"favourable": "true|false"}, "no value of column 'hired' is unfavourable"),
        ({"protected": "age", "privileged": "45..25"}, "ends before it begins"),
        ({"outcome": "bonus", "favourable": "1000"}, "column 'bonus' has continuous values"),
        ({"path": "offered_salary"}, "no path leads from 'offered_salary' to the outcome 'hired'"),
        ({"path": "experience", "magnitude": 0.99}, "a magnitude of 0.99 cannot be reached"),
        ({"subgroup": "age > 200"}, "age > 200"),
        ({"subgroup": "offered_salary > 3"}, "the bias would depend on itself"),
        ({"where": "age > 200"}, "age > 200"),
    ],
)
def test_biases_that_cannot_be_are_told_and_leave_no_file(plant, desk, changes, message):
    before = sorted(desk.iterdir())
    result = plant("-o", "out.csv", "--page", "out.html", fails=1, **changes)
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stdout == ""
    assert sorted(desk.iterdir()) == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "own.json is not valid JSON"),
        ("[]", "own.json lists no bias"),
        ("3", "own.json: a bias is written as an object"),
        (json.dumps({"protected": "sex"}), "own.json: this bias lacks privileged, outcome"),
        (json.dumps([WRITTEN, {**WRITTEN, "size": 3}]), "own.json, bias 2: a bias has no 'size'"),
        (json.dumps({**WRITTEN, "magnitude": 2}), "own.json: the magnitude of a bias is 2"),
        (json.dumps({**WRITTEN, "subgroup": 3}), "own.json: a rule is text"),
        (json.dumps({**WRITTEN, "privileged": "man"}), "privileged is 'man', which is not a value of column 'sex'"),
        (json.dumps({**WRITTEN, "favourable": "yes"}), "favourable is 'yes', which is not a value of column 'hired'"),
    ],
)
def test_files_of_biases_that_cannot_be_are_told(plant, desk, text, message):
    (desk / "own.json").write_text(text)
    nothing = dict.fromkeys(option.removeprefix("--") for option in SAID)
    result = plant("--biases", "own.json", "-o", "out.csv", fails=1, **nothing)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (desk / "out.csv").exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "Missing option '--out'"),
        (
            ["-o", "out.csv", "--biases", "biases.json"],
            2,
            "the file describes the biases and cannot be combined with --protected, --privileged, --outcome, "
            "--favourable and --magnitude. Choose one of the two.",
        ),
        (["-o", "out.csv", "--protected", "age"], 2, "2 protected and 1 privileged do not match"),
        (["-o", "caused.janus", "--format", "csv"], 1, "caused.janus is also read from"),
        (["-o", "out.csv", "--certificate", "caused.janus"], 1, "caused.janus is also read from"),
        (["-o", "out.csv", "--page", "caused.janus"], 1, "caused.janus is also read from"),
        (["-o", "folder", "--format", "csv"], 1, "folder is a folder"),
        (["-o", "out.csv", "--page", "folder"], 1, "folder is a folder"),
        (["-o", "no/out.csv"], 1, "the folder no does not exist"),
        (["-o", "out.csv", "--certificate", "no/out.json"], 1, "the folder no does not exist"),
        (["-o", "out.txt"], 1, "names no table format"),
        (["-o", "out.csv", "--certificate", "-"], 2, "it goes to a file"),
        (["-o", "out.csv", "--certificate", "./out.csv"], 2, "is also the file of --out"),
        (["-o", "out.csv", "--page", "out.certificate.json"], 2, "is also the file of --certificate"),
        (["-o", "out.csv", "--baseline", "just"], 2, "--baseline"),
        (["-o", "out.csv", "-n", "0"], 2, "--rows"),
    ],
)
def test_places_and_options_that_cannot_be_are_refused_before_any_work(
    plant, desk, monkeypatch, options, code, message
):
    (desk / "folder").mkdir()
    monkeypatch.setattr("janus_synth.janus.Janus.load", lambda path: pytest.fail("too late"))
    result = plant(*options, fails=code)
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert not (desk / "out.csv").exists()


@pytest.mark.parametrize("missing", [option.removeprefix("--") for option in SAID])
def test_a_bias_needs_all_its_words(plant, missing):
    error = " ".join(plant("-o", "out.csv", fails=2, **{missing: None}).stderr.replace("│", " ").split())
    assert f"a bias needs --{missing}. Or give a file of biases with --biases." in error


def test_an_input_is_not_written_over_by_the_certificate(janus, desk):
    (desk / "out.certificate.json").write_text(json.dumps(WRITTEN))
    asked = ("fairness", "plant", "caused.janus", "--biases", "out.certificate.json", "-o", "out.csv")
    assert "out.certificate.json is also read from" in janus(*asked, fails=1).stderr


def test_nothing_is_written_when_a_part_fails(plant, desk, monkeypatch):
    def fail(self):
        raise ValueError("no page today")

    monkeypatch.setattr(Certificate, "to_html", fail)
    before = sorted(desk.iterdir())
    assert "no page today" in plant("-o", "out.csv", "--page", "out.html", fails=1).stderr
    assert sorted(desk.iterdir()) == before


def test_a_file_that_is_no_model_is_told(plant):
    assert "held-out.csv is not a JANUS model" in plant("-o", "out.csv", model="held-out.csv", fails=1).stderr
