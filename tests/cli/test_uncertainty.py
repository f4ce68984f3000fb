"""The commands for predictive uncertainty and anomaly scores of rows."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.table.files import as_kind, read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")
ASKED = ("uncertainty", "people.janus", "held-out.csv")
GAP = ["--protected", "sex", "--privileged", "male", "--outcome", "hired"]


def test_means_per_column_are_printed(janus):
    lines = janus(*ASKED).stdout.splitlines()
    assert lines[0] == "means over 160 rows, in nats and in % of the entropy of the column itself"
    assert lines[1].split() == ["column", "total", "aleatoric", "epistemic", "support"]
    means = Janus.load("people.janus").uncertainty(read_frame("held-out.csv")).by_column
    for line, mean in zip(lines[2:], means.to_dict("records"), strict=True):
        shown = line.replace("%", "").split()
        assert shown[0] == mean["column"]
        for place, name in enumerate(("total", "aleatoric", "epistemic")):
            assert float(shown[1 + 2 * place]) == pytest.approx(mean[name], abs=6e-4)
            assert float(shown[2 + 2 * place]) == pytest.approx(100 * mean[f"{name}_share"], abs=0.06)
        assert float(shown[-1]) == pytest.approx(mean["support"], abs=6e-4)


@pytest.mark.parametrize("options", [["--column", "hired,bonus"], ["--columns", "hired", "--column", "bonus"]])
def test_only_some_columns_may_be_asked_about(janus, options):
    lines = janus(*ASKED, *options).stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines] == ["hired", "bonus"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_cells_go_to_a_table_file(janus, ending):
    told = janus(*ASKED, "--by", "cell", "-o", f"cells.{ending}").stdout
    assert told.startswith(f"1,280 rows in cells.{ending} (")
    frame = Janus.load("people.janus").uncertainty(read_frame("held-out.csv")).to_frame()
    pd.testing.assert_frame_equal(read_frame(f"cells.{ending}"), frame, check_dtype=False)


def test_rows_go_through_a_pipe_with_their_numbers(janus, desk):
    text = janus(*ASKED, "--by", "row", "--column", "hired").stdout
    assert text.splitlines()[0].startswith("row,total,aleatoric,epistemic,support,total_share")
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == [str(i) for i in range(160)]
    piped = janus(
        "uncertainty",
        "people.janus",
        "-",
        "--by",
        "row",
        "--column",
        "hired",
        input=(desk / "held-out.csv").read_bytes(),
    )
    assert piped.stdout == text


def test_means_go_to_a_file_or_to_json(janus):
    janus(*ASKED, "-o", "means.csv", "-q")
    printed = json.loads(janus(*ASKED, "--json").stdout)
    assert printed == read_frame("means.csv").to_dict("records")
    assert len(json.loads(janus(*ASKED, "--by", "cell", "--column", "hired", "--json").stdout)) == 160


def test_a_column_that_is_not_there_can_be_asked_about(janus):
    read_frame("held-out.csv").drop(columns="start_date").to_csv("lacking.csv", index=False)
    assert "start_date" in janus("uncertainty", "people.janus", "lacking.csv", "--column", "start_date").stdout


@pytest.mark.parametrize("target", [[], ["--target", "bonus"]])
def test_rows_that_would_teach_most_are_written_as_they_are(janus, target):
    janus(*ASKED, "--suggest", 7, *target, "-o", "label.csv")
    rows = read_frame("held-out.csv")
    expected = Janus.load("people.janus").suggest(rows, 7, *target[1:])
    assert read_frame("label.csv")["applicant_id"].tolist() == expected["applicant_id"].tolist()


@pytest.mark.parametrize(
    ("protected", "text", "privileged"),
    [("sex", "male", "male"), ("age", "18..40", (18, 40)), ("sex", "male|female", None)],
)
def test_rows_are_chosen_for_a_gap(janus, protected, text, privileged):
    options = ["--protected", protected, "--privileged", text, "--outcome", "hired"]
    asked = ["uncertainty", "caused.janus", "held-out.csv", "--suggest", 7, *options, "-o", "label.csv"]
    if privileged is None:
        assert "holds in every row" in janus(*asked, fails=1).stderr
        return
    janus(*asked)
    expected = Janus.load("caused.janus").suggest(
        read_frame("held-out.csv"), 7, for_="gap", protected=protected, privileged=privileged, outcome="hired"
    )
    assert read_frame("label.csv")["applicant_id"].tolist() == expected["applicant_id"].tolist()


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_models_of_other_frames_are_asked_alike(janus, kind):
    pytest.importorskip(kind)
    Janus(n_trees=1, random_state=0).fit(as_kind(read_frame("people.csv"), kind)).save("other.janus")
    for by in ("cell", "row", "column"):
        janus("uncertainty", "other.janus", "held-out.csv", "--by", by, "-o", "sure.arrow")
    janus("anomalies", "other.janus", "held-out.csv")


@pytest.mark.parametrize("command", ["uncertainty", "anomalies"])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("no.csv", "there is no file no.csv"),
        ("people.janus", "names no table format"),
        ("lacking.csv", "these columns are required but missing: 'age', 'sex'"),
        ("old.csv", "column 'age': 'old' cannot be read as numeric"),
        ("cut.parquet", "cannot read cut.parquet as Parquet"),
    ],
)
def test_rows_that_cannot_be_judged_are_told_in_a_line(janus, desk, command, rows, message):
    frame = read_frame("held-out.csv")
    frame.drop(columns=["age", "sex"]).to_csv("lacking.csv", index=False)
    frame.assign(age="old").to_csv("old.csv", index=False)
    (desk / "cut.parquet").write_bytes(b"PAR1 and no more")
    result = janus(command, "people.janus", rows, "-o", "out.csv", fails=1)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    assert not (desk / "out.csv").exists()


@pytest.mark.parametrize("command", ["uncertainty", "anomalies"])
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("held-out.csv", "would be overwritten"),
        ("no/out.csv", "the folder no does not exist"),
        ("out.doc", "no table format"),
    ],
)
def test_outputs_that_cannot_be_are_refused_first(janus, command, out, message):
    assert message in janus(command, "people.janus", "held-out.csv", "-o", out, fails=1).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "hird"], "no column 'hird'. Did you mean 'hired'"),
        (["--column", "applicant_id"], "no column 'applicant_id'"),
        (["--suggest", 3, "--target", "bonu"], "Did you mean 'bonus'"),
    ],
)
def test_columns_that_nobody_knows_are_told(janus, options, message):
    assert message in janus(*ASKED, *options, fails=1).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "bonus"], "it needs --suggest"),
        (["--suggest", 3, "--by", "row", "--column", "age"], "cannot be combined with --column and --by"),
        (["--protected", "sex"], "it needs --suggest"),
        (["--suggest", 3, "--protected", "sex"], "also needs --privileged and --outcome"),
        (["--suggest", 3, "--target", "bonus", *GAP], "the outcome is what is labelled"),
        (["--suggest", 3, "--json"], "cannot be combined with --json"),
        (["--json", "-o", "out.csv"], "Choose one"),
        (["--by", "table"], "--by"),
        (["--suggest", 0], "--suggest"),
    ],
)
def test_options_that_say_nothing_together_are_refused(janus, options, message):
    assert message in janus(*ASKED, *options, fails=2).stderr
