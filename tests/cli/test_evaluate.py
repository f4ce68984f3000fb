from __future__ import annotations

import json
import os
import sys

import pandas as pd
import pytest

from janus_synth.cli.evaluate import ATTACKS, METRICS
from janus_synth.metrics import METRIC_NAMES, evaluate
from janus_synth.metrics.disclosure import TITLES
from janus_synth.table.files import read_frame

TABLES = ("people.csv", "held-out.csv", "rows.csv")


def test_the_help_lists_every_metric():
    assert METRICS.split(", ") == list(METRIC_NAMES)


def test_json_is_the_report_and_nothing_else(janus):
    result = janus("evaluate", *TABLES, "--metrics", "ks, total_variation", "--target", "hired", "--json")
    expected = evaluate(*map(read_frame, TABLES), metrics=["ks", "total_variation"], target="hired")
    assert json.loads(result.stdout) == expected.to_dict()
    assert result.stderr == ""


def test_the_table_is_for_people(janus):
    text = janus("evaluate", *TABLES, "--metrics", "ks").stdout
    assert "200 synthetic rows beside 300 training and 160 held-out rows" in text
    assert "Kolmogorov" in text


def test_names_of_scores_are_whole_on_a_narrow_terminal(janus):
    text = janus("evaluate", *TABLES, "--metrics", "ks,rare_level_preservation", columns=80).stdout
    assert "rare_level_preservation" in text


def test_the_report_also_goes_to_a_file(janus, desk):
    printed = janus("evaluate", *TABLES, "--metrics", "ks", "--json", "-o", "report.json").stdout
    assert (desk / "report.json").read_text() == printed
    assert janus("evaluate", *TABLES, "--metrics", "ks", "-q", "-o", "quiet.json").output == ""
    assert (desk / "quiet.json").read_text() == printed


def test_one_table_may_come_through_a_pipe(janus, desk):
    rows = (desk / "rows.csv").read_bytes()
    piped = janus("evaluate", *TABLES[:2], "-", "--metrics", "ks", "--json", input=rows).stdout
    assert piped == janus("evaluate", *TABLES, "--metrics", "ks", "--json").stdout
    packed = janus("sample", "people.janus", "-n", 200, "--seed", 1, "--format", "parquet").stdout_bytes
    options = ("--metrics", "ks", "--json", "--format", "parquet")
    assert janus("evaluate", *TABLES[:2], "-", *options, input=packed).stdout == piped


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["people.csv", "-", "-"], 2, "one table"),
        ([*TABLES, "--metrics", "kss"], 1, "Did you mean 'ks'?"),
        ([*TABLES, "--metrics", "ks", "--target", "hire"], 1, "Did you mean 'hired'"),
        (["people.csv", "held-out.csv", "edges.csv"], 1, "the synthetic table lacks"),
        (["people.csv", "held-out.csv", "no.csv"], 1, "there is no file no.csv"),
        ([*TABLES, "-o", "no/report.json"], 1, "the folder no does not exist"),
        ([*TABLES, "-o", "rows.csv"], 1, "would be overwritten"),
        ([*TABLES, "--html", "rows.csv"], 1, "would be overwritten"),
        ([*TABLES, "--html", "people.csv"], 1, "would be overwritten"),
        ([*TABLES, "--html", "no/report.html"], 1, "the folder no does not exist"),
        ([*TABLES, "--html", "."], 1, "is a folder"),
        ([*TABLES, "--html", "-"], 2, "goes to a file"),
        ([*TABLES, "--html", "a.html", "-o", "./a.html"], 2, "Name two files"),
        (["people.csv", "held-out.csv"], 2, "SYNTHETIC"),
    ],
)
def test_wrong_requests_are_told(janus, desk, args, code, message):
    (desk / "edges.csv").write_text("a,b\n1,2\n")
    assert message in " ".join(janus("evaluate", *args, fails=code).stderr.split())


def test_a_failed_report_leaves_no_file(janus, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    before = sorted(os.listdir())
    error = janus("evaluate", *TABLES, "--metrics", "ks", "-o", "report.json", fails=1).stderr
    assert error == "error: cannot write report.json: Input/output error.\n"
    assert sorted(os.listdir()) == before


def test_a_page_is_written_beside_the_table(janus, desk):
    result = janus("evaluate", *TABLES, "--metrics", "ks,exact_copies", "--target", "hired", "--html", "report.html")
    assert "Kolmogorov" in result.stdout
    assert result.stdout.endswith("report in report.html\n")
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "janus evaluate people.csv held-out.csv rows.csv --target hired --metrics ks,exact_copies" in page
    assert "--html report.html" in page
    assert "held-out.csv</td>" in page
    assert "age: real and synthetic rows" in page


def test_the_page_is_that_of_python(janus, desk):
    from janus_synth.report import Origin, report_page

    janus("evaluate", *TABLES, "--metrics", "ks", "--seed", 3, "--max-rows", 100, "--html", "report.html", "-q")
    frames = [read_frame(table) for table in TABLES]
    report = evaluate(*frames, metrics=["ks"], max_rows=100, random_state=3)
    names = dict(zip(("train", "test", "synthetic"), TABLES, strict=True))
    expected = report_page(*frames, report, max_rows=100, random_state=3, origin=Origin(names))
    end = '<section id="provenance">'
    assert (desk / "report.html").read_text(encoding="utf-8").partition(end)[0] == expected.partition(end)[0]


def test_a_page_leaves_json_and_silence_alone(janus, desk):
    options = ("--metrics", "ks", "--html", "report.html")
    assert (
        janus("evaluate", *TABLES, *options, "--json").stdout
        == janus("evaluate", *TABLES, "--metrics", "ks", "--json").stdout
    )
    assert janus("evaluate", *TABLES, *options, "-q").output == ""


def test_a_page_tells_no_folder(janus, desk):
    places = [desk / table for table in TABLES]
    janus("evaluate", *places, "--metrics", "ks", "--html", desk / "report.html", "-q")
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert str(desk) not in page
    assert "janus evaluate people.csv held-out.csv rows.csv --metrics ks --html report.html" in page


def test_a_page_may_be_about_a_pipe_and_other_formats(janus, desk):
    rows = (desk / "rows.csv").read_bytes()
    janus("evaluate", "people.parquet", "held-out.csv", "-", "--metrics", "ks", "--html", "report.html", input=rows)
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert "standard input" in page
    assert "people.parquet" in page


def test_a_page_needs_no_extra(janus, desk, monkeypatch):
    janus("evaluate", *TABLES, "--metrics", "ks", "--html", "report.html", "-q")
    before = (desk / "report.html").read_bytes()
    monkeypatch.setitem(sys.modules, "altair", None)
    result = janus("evaluate", *TABLES, "--metrics", "ks", "--html", "report.html")
    assert result.stderr == ""
    assert (desk / "report.html").read_bytes() == before


def test_a_page_has_the_title_that_was_asked_for(janus, desk):
    janus("evaluate", *TABLES, "--metrics", "ks", "--html", "report.html", "--title", "Rows & more", "-q")
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert "<h1>Rows &amp; more</h1>" in page
    assert "--title &#39;Rows &amp; more&#39;" in page


def test_a_failed_page_leaves_no_file(janus, monkeypatch):
    def fail(*frames, **options):
        raise RuntimeError

    monkeypatch.setattr("janus_synth.report.report_page", fail)
    before = sorted(os.listdir())
    janus("evaluate", *TABLES, "--metrics", "ks", "-o", "report.json", "--html", "report.html", fails=1)
    assert sorted(os.listdir()) == before


def test_the_help_has_an_example_of_a_page(janus):
    assert "rows.csv --html report.html" in janus("evaluate", "--help").output


def test_the_names_of_attacks_are_those_of_the_library():
    assert ATTACKS.split(", ") == list(TITLES)


def test_attacks_are_printed_beside_the_scores(janus):
    text = janus("evaluate", *TABLES, "--metrics", "ks,disclosure").stdout
    assert "Disclosure risk: " in text
    assert "membership_density" in text
    assert "Disclosure" not in janus("evaluate", *TABLES, "--metrics", "ks").stdout


def test_attacks_are_part_of_the_json(janus):
    found = json.loads(janus("evaluate", *TABLES, "--metrics", "disclosure", "--json").stdout)
    expected = evaluate(*map(read_frame, TABLES), metrics=[], disclosure=True)
    assert found["disclosure"] == expected.disclosure.to_dict()
    assert found["scores"] == {}


def test_the_page_shows_the_attacks(janus, desk):
    janus("evaluate", *TABLES, "--metrics", "ks,disclosure", "--html", "report.html", "-q")
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert "Disclosure risk is " in page
    assert "Risk of each attack" in page


@pytest.mark.parametrize(
    ("thresholds", "code", "message"),
    [
        (["ks > 0.9"], 0, ""),
        (["ks > 0.9", "singling_out.risk > 0.99"], 0, ""),
        (["ks > 0.0001"], 1, "failed: ks is 0."),
        (["ks > 0.9", "linkability.control < 2"], 1, "failed: linkability.control is "),
        (["kss > 0.9"], 2, "Did you mean 'ks'?"),
        (["mmd > 0.9"], 2, "Add 'mmd' to --metrics"),
        (["ks > x"], 2, "is not a threshold"),
        (["linkability.auc > 0.5"], 2, "is not defined for these tables"),
    ],
)
def test_broken_thresholds_exit_with_1_and_errors_with_2(janus, thresholds, code, message):
    options = [word for text in thresholds for word in ("--fail-if", text)]
    result = janus("evaluate", *TABLES, "--metrics", "ks,disclosure", *options, fails=code)
    assert message in " ".join(result.stderr.split())
    assert bool(result.stderr) == bool(code)


def test_all_broken_thresholds_are_named_and_the_report_is_still_written(janus, desk):
    options = ("--fail-if", "ks > 0.0001", "--fail-if", "total_variation >= 0", "-o", "report.json", "-q")
    result = janus("evaluate", *TABLES, "--metrics", "ks,total_variation", *options, fails=1)
    assert [line.split()[1] for line in result.stderr.splitlines()] == ["ks", "total_variation"]
    assert (desk / "report.json").exists()


def test_with_thresholds_other_errors_exit_with_2(janus):
    assert "there is no file" in janus("evaluate", *TABLES[:2], "no.csv", "--fail-if", "ks > 1", fails=2).stderr
    assert "there is no file" in janus("evaluate", *TABLES[:2], "no.csv", fails=1).stderr


def test_scores_fit_a_terminal_of_80_columns(janus):
    printed = janus("evaluate", *TABLES, "--metrics", "ks,mmd,delta_presence,distance_to_train", columns=80).stdout
    assert all(len(line.rstrip()) <= 80 for line in printed.splitlines())
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    assert ["score", "value", "reference", "ideal"] in lines
    assert len([line for line in lines if line[0] == "mmd"]) == 2  # the numbers, and what they mean
    assert "…" not in printed


def test_folders_and_patterns_are_read_file_by_file(janus, desk):
    rows = pd.read_csv(desk / "people.csv")
    (desk / "parts").mkdir()
    for i in range(2):
        rows[i::2].to_csv(desk / "parts" / f"{i}.csv", index=False)
    call = ("evaluate", "parts/*.csv", "held-out.csv", "people.csv", "--metrics", "ks,exact_copies")
    told = json.loads(janus(*call, "--sample-rows", 100, "--json", "--html", "page.html").stdout)
    assert told["sampled"]["rows"]["train"] == 100
    assert told["n_rows"]["train"] == len(rows)
    assert (desk / "page.html").exists()
    assert "random samples of" in janus(*call, "--sample-rows", 100).stdout.replace("\n", " ")
    assert "standard input" in janus("evaluate", "parts", "held-out.csv", "-", fails=2).output
