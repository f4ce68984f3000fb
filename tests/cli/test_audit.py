"""``janus fairness audit``: figures of the library, rows and certificates from files, and what goes wrong."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from janus_synth import Janus
from janus_synth.cli.audit import DEFAULT_ALGORITHMS, OTHER_ALGORITHMS, read_planted
from janus_synth.cli.audit import audit as audit_command
from janus_synth.fairness import ALGORITHMS, Bias, Certificate, Planted, algorithm
from janus_synth.fairness import audit as audited_by_library
from janus_synth.fairness import plant as planted_by_library
from janus_synth.table.files import read_frame, write_frame

N_KINDS = 400

pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.fixture
def audit(janus):
    """Audit a quick algorithm on few splits."""

    def call(*more, table="planted.csv", algorithms=("--algorithm", "logistic"), splits=2, **named):
        return janus("fairness", "audit", table, *algorithms, "--splits", splits, *more, **named)

    return call


def planted():
    proof = Certificate.from_json(Path("planted.certificate.json").read_text())
    return Planted.from_frame(read_frame("planted.csv"), proof)


def told(result):
    """What a usage error says, without its box."""
    return " ".join(result.stderr.replace("│", " ").split())


def test_the_tables_show_what_the_library_found(audit):
    result = audit("--level", 0.9, "--seed", 5, columns=80)
    found = audited_by_library(algorithm("logistic"), planted(), n_splits=2, level=0.9, random_state=5, name="logistic")
    lines, gap = result.stdout.splitlines(), found.main
    assert result.stderr == ""
    assert lines[0] == "decisions about hired in planted.csv, with 90 % intervals over 2 splits"
    assert lines[2].split() == ["gap", "biased", *("from", "…", "to"), "unbiased", "planted", "recovered", "found"]
    assert lines[3].strip() == "logistic"
    assert lines[4].split() == [
        *(gap.name, f"{gap.gap.value:+.3f}", f"{gap.gap.low:+.3f}", "…", f"{gap.gap.high:+.3f}"),
        *(f"{gap.twin.value:+.3f}", f"{gap.planted:+.3f}", f"{100 * gap.recovered:.0f}", "%"),
        "yes" if gap.found else "no",
    ]
    assert {line.split()[0] for line in lines[5 : 4 + len(found.gaps)]} == {"parity", "true", "false"}
    assert all(line.split()[-3:-1] == ["–", "–"] for line in lines if "positives" in line)
    shares = (found.accuracy_biased, found.accuracy_fair, found.twin_accuracy, found.favoured)
    assert f"logistic {' '.join(f'{100 * share.value:.1f} %' for share in shares)}" in [
        " ".join(line.split()) for line in lines
    ]


def test_json_holds_all_figures_of_all_algorithms(audit):
    named = ("--algorithm", "logistic, majority", "--algorithm", "logistic")
    answer = json.loads(audit("--json", "-q", algorithms=named).stdout)
    found = [
        audited_by_library(algorithm(name), planted(), n_splits=2, name=name).to_dict()
        for name in ("logistic", "majority")
    ]
    assert answer == json.loads(json.dumps(found))
    assert answer[1]["degenerate"]


def test_options_reach_the_library(audit):
    wanted = ("--features", "age,sex", "--features", "experience", "--without-protected", "--test-share", 0.5)
    (answer,) = json.loads(audit(*wanted, "--outcome", "hired", "--json").stdout)
    found = audited_by_library(
        algorithm("logistic"), planted(), features=["age", "sex", "experience"], with_protected=False,
        test_share=0.5, n_splits=2, name="logistic",
    )  # fmt: skip
    assert answer["features"] == ["age", "experience"]
    assert answer == json.loads(json.dumps(found.to_dict()))


def test_algorithms_are_those_of_the_library_and_three_of_them_usual(audit):
    assert {*DEFAULT_ALGORITHMS, *OTHER_ALGORITHMS} == set(ALGORITHMS)
    result = audit(algorithms=(), columns=80)
    assert result.stderr == ""
    assert [name for name in DEFAULT_ALGORITHMS if f"\n{name}" in result.stdout] == list(DEFAULT_ALGORITHMS)
    tables = result.stdout.partition("\n")[2].partition("\nunbiased:")[0]
    assert max(map(len, tables.splitlines())) < 80
    assert "…" not in tables.replace(" … ", "")


def test_worthless_decisions_are_called_so(audit):
    result = audit("--algorithm", "boosting", algorithms=("--algorithm", "majority"))
    assert "majority is degenerate: all rows of a group get the same decision" in result.stdout
    assert "boosting is degenerate: all rows" not in result.stdout


def test_what_is_not_said_is_as_in_the_library():
    own, library = (inspect.signature(function).parameters for function in (audit_command, audited_by_library))
    names = {"splits": "n_splits", "test_share": "test_share", "level": "level", "seed": "random_state"}
    assert {name: own[name].default for name in names} == {
        name: library[other].default for name, other in names.items()
    }


def test_quiet_is_quiet(audit):
    assert audit("-q").output == ""


def test_a_table_may_come_from_standard_input_with_its_certificate_named(audit, desk):
    text = (desk / "planted.csv").read_text()
    plain = audit("--json").stdout
    assert audit("--json", "--certificate", "planted.certificate.json", table="-", input=text).stdout == plain
    assert "none beside it" in told(audit(table="-", input=text, fails=2))


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".parquet", ".arrow"])
def test_what_plant_wrote_is_audited_in_every_format(janus, audit, ending):
    said = ("--protected", "sex", "--privileged", "male", "--outcome", "hired", "--favourable", "true")
    out = f"out{ending}"
    janus("fairness", "plant", "caused.janus", *said, "--magnitude", 0.5, "-n", 300, "-o", out, "-q")
    (answer,) = json.loads(audit("--json", table=out).stdout)
    assert answer["gaps"]["parity"]["planted"] > 0.2


def kinds():
    """A table with a column of every kind that files may change."""
    rng = np.random.default_rng(0)

    def some(*values):
        return [values[i] for i in rng.integers(len(values), size=N_KINDS)]

    return pd.DataFrame(
        {
            "sex": some("male", "female"),
            "hired": pd.array(some(True, False, None), dtype="boolean"),
            "code": pd.Categorical(some(1, 2, 3)),
            "answer": some("yes", "no"),
            "place": some("01", "02", "13"),
            "word": some("NA", "null", "it's, well"),
            "k": pd.array(some(1, 2, 3, None), dtype="Int64"),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, N_KINDS), "D"),
            "moment": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**8, N_KINDS), "s"),
            "date": [dt.date(2020, 1, 1) + dt.timedelta(days=int(days)) for days in rng.integers(0, 900, N_KINDS)],
            "size": pd.Categorical(some("S", "M", "L"), ["S", "M", "L"], ordered=True),
            "digit": some("1", "2", "3"),
            "truth": some("true", "false"),
        }
    )


@pytest.fixture(scope="module")
def kind_model():
    return Janus(structure=[("sex", "hired")], n_trees=2, random_state=0).fit(kinds())


SURVIVING = [
    Bias("sex", "male", "hired", True, 0.3),
    Bias("hired", True, "code", [1, 2], 0.3),
    Bias("code", 1, "k", (2, 3), 0.3),
    Bias("answer", "yes", "day", ("2021-01-01", "2029-01-01"), 0.3),
    Bias("place", "01", "moment", ("2021-01-01", "2029-01-01"), 0.3),
    Bias("word", "NA", "date", ("2021-01-01", "2029-01-01"), 0.3),
    Bias("word", "it's, well", "size", ["M", "L"], 0.3),
    Bias("day", ("2020-01-01", "2021-06-01"), "answer", "yes", 0.3, subgroup="k >= 2 or date < '2021-01-01'"),
]
LOST_IN_TEXT = [
    Bias("size", ("M", "L"), "hired", True, 0.3),
    Bias("digit", "1", "hired", True, 0.3),
]


def written(model, bias, path):
    """A planted table in a file, its certificate beside it."""
    found = planted_by_library(model, bias, 300, effect_units=0)
    write_frame(found.to_frame(), path)
    path.with_name("rows.certificate.json").write_text(found.certificate.to_json())
    return found


def assert_same(one, other):
    assert (one.turned == other.turned).all()
    for fair in (False, True):
        assert (one.favoured(fair=fair) == other.favoured(fair=fair)).all()
        assert (one.privileged(fair=fair) == other.privileged(fair=fair)).all()
        assert (one.hit(fair=fair) == other.hit(fair=fair)).all()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("bias", SURVIVING, ids=str)
def test_kinds_survive_files(kind_model, tmp_path, ending, bias):
    path = tmp_path / f"rows.{ending}"
    found = written(kind_model, bias, path)
    read = read_planted(str(path), None, None)
    assert_same(read, found)
    assert audited_by_library(algorithm("logistic"), read, n_splits=2).n_splits == 2


@pytest.mark.parametrize("bias", LOST_IN_TEXT, ids=str)
def test_kinds_that_text_forgets_are_in_the_certificate(audit, desk, kind_model, bias):
    found = written(kind_model, bias, desk / "rows.csv")
    assert_same(read_planted("rows.csv", None, None), found)
    audit(table="rows.csv")
    write_frame(found.to_frame(), "rows.parquet")
    assert_same(read_planted("rows.parquet", None, None), found)


def test_texts_that_look_like_truths_stay_text(audit, desk, kind_model):
    found = written(kind_model, Bias("truth", "true", "hired", True, 0.3), desk / "rows.csv")
    assert read_planted("rows.csv", None, None).frame["truth"].tolist() == found.frame["truth"].tolist()
    audit(table="rows.csv")
    write_frame(found.to_frame(), "rows.parquet")
    assert_same(read_planted("rows.parquet", None, None), found)


KNOWN_ALGORITHMS = "logistic, boosting, exponentiated-gradient, threshold-optimizer, majority"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--algorithm", "magic"], f"there is no algorithm 'magic'. Choose from {KNOWN_ALGORITHMS}."),
        (["--algorithm", ""], f"there is no algorithm ''. Choose from {KNOWN_ALGORITHMS}."),
        (["--splits", 1], "--splits"),
        (["--test-share", 1], "--test-share"),
        (["--level", 2], "--level"),
    ],
)
def test_options_that_cannot_be_are_refused(audit, options, message):
    assert message in told(audit(*options, fails=2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "age,bonuss"], "Did you mean 'bonus'"),
        (["--features", "age,hired"], "'hired' is the outcome"),
        (["--features", "sex", "--without-protected"], "no column is left"),
        (["--outcome", "remote"], "no bias on 'remote' was planted; there is one on 'hired'"),
        (["--certificate", "no.json"], "there is no file no.json"),
        (["--certificate", "biases.json"], "biases.json: this is not a certificate of planted bias"),
        (["--certificate", "people.csv"], "people.csv: this is not a certificate: it is not JSON"),
    ],
)
def test_questions_that_make_no_sense_are_told_in_a_line(audit, options, message):
    result = audit(*options, fails=1)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_table_without_its_certificate_is_told(audit, desk):
    (desk / "planted.certificate.json").unlink()
    expected = "there is no certificate planted.certificate.json beside planted.csv. Name it with --certificate."
    assert audit(fails=1).stderr == f"error: {expected}\n"


def test_a_certificate_of_another_table_is_told(audit, desk):
    lines = (desk / "planted.csv").read_text().splitlines()
    (desk / "short.csv").write_text("\n".join(lines[:100]))
    proof = ("--certificate", "planted.certificate.json")
    assert "has 99 rows, but its certificate is about 400" in audit(*proof, table="short.csv", fails=1).stderr
    assert "no column 'turned'" in audit(*proof, table="rows.csv", fails=1).stderr
    rows = read_frame("planted.csv")
    write_frame(rows.assign(hired=rows["fair_hired"]), "fair.csv")
    assert (
        "the table has 0 rows with a flipped outcome, but its certificate is about"
        in audit(*proof, table="fair.csv", fails=1).stderr
    )
    write_frame(rows.drop(columns="sex"), "less.csv")
    assert "no column 'sex'" in audit(*proof, table="less.csv", fails=1).stderr
    assert "there is no file no.csv" in audit(*proof, table="no.csv", fails=1).stderr


@pytest.mark.parametrize("name", ["logistic", "threshold-optimizer"])
def test_without_fairlearn_the_extra_is_named(audit, monkeypatch, name):
    for module in ("fairlearn", "fairlearn.metrics", "fairlearn.postprocessing"):
        monkeypatch.setitem(sys.modules, module, None)
    (line,) = audit(algorithms=("--algorithm", name), fails=1).stderr.splitlines()
    assert line == "error: janus fairness audit needs fairlearn. Install it with: pip install 'janus-synth[fairness]'"


class Moody:
    """A learner that warns at each fit, or fails."""

    def __init__(self, error=None):
        self.error = error

    def get_params(self, deep=True):
        return {"error": self.error}

    def fit(self, inputs, label):
        warnings.warn("it did not converge", ConvergenceWarning, stacklevel=2)
        if self.error:
            raise self.error
        return self

    def predict(self, inputs):
        return np.arange(len(inputs)) % 2


def test_a_learner_that_warns_is_heard_once(audit, monkeypatch):
    monkeypatch.setitem(ALGORITHMS, "moody", Moody)
    assert audit(algorithms=("--algorithm", "moody")).stderr == "warning: it did not converge\n"
    assert audit("-q", algorithms=("--algorithm", "moody")).stderr == ""


def test_a_learner_that_fails_is_named(audit, monkeypatch):
    monkeypatch.setitem(ALGORITHMS, "moody", lambda: Moody(ValueError("degenerate labels")))
    error = audit("-q", algorithms=("--algorithm", "moody"), fails=1).stderr
    assert error == "error: moody cannot learn from these rows: degenerate labels\n"
