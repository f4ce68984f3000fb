from __future__ import annotations

import warnings

import pytest
import typer

from janus_synth.cli.options import FormatName
from janus_synth.cli.output import (
    Formats,
    check_distinct_paths,
    check_text_paths,
    choose_formats,
    format_count,
    number_table,
    show_warnings,
)
from janus_synth.errors import LearntGraphWarning

ARROW = FormatName.arrow


@pytest.mark.parametrize(
    ("rows", "out", "formats"),
    [
        ("a.data", "b.data", Formats(ARROW, ARROW)),
        ("-", "b.csv", Formats(ARROW, None)),
        ("a.csv", "-", Formats(None, ARROW)),
        ("-", "-", Formats(ARROW, ARROW)),
    ],
)
def test_a_format_is_that_of_pipes_where_there_are_any(rows, out, formats):
    assert choose_formats(rows, out, ARROW) == formats


def test_two_options_cannot_name_the_same_file(tmp_path):
    path = str(tmp_path / "a.json")
    check_distinct_paths({"--out": "-", "--html": "-", "--page": None})
    check_distinct_paths({"--out": path, "--html": str(tmp_path / "b.json")})
    with pytest.raises(typer.BadParameter, match="is also the file of --out"):
        check_distinct_paths({"--out": path, "--html": str(tmp_path / "." / "a.json")})


def test_texts_go_to_files_only(tmp_path):
    check_text_paths({"--page": None, "--html": str(tmp_path / "a.html")}, inputs=())
    with pytest.raises(typer.BadParameter, match="not to standard output"):
        check_text_paths({"--html": "-"}, inputs=())


def test_warnings_are_printed_as_they_come_or_once(capsys):
    for once, n_lines in ((False, 3), (True, 2)):
        with show_warnings(quiet=False, once=once):
            for text in ("slow", "slow", "steep"):
                warnings.warn(text, UserWarning, stacklevel=1)
        assert len(capsys.readouterr().err.splitlines()) == n_lines
    with show_warnings(quiet=True):
        warnings.warn("slow", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_the_warning_about_a_learnt_graph_names_options(capsys):
    with show_warnings(quiet=False):
        warnings.warn("set trust_graph", LearntGraphWarning, stacklevel=1)
    printed = " ".join(capsys.readouterr().err.split())
    assert "--trust-graph" in printed
    assert "--structure" in printed
    assert "set trust_graph" not in printed


def test_counts_and_headings_are_plain_text():
    assert format_count(0, "row") == "0 rows"
    assert [str(column.header) for column in number_table("[b]name", "mean").columns] == ["[b]name", "mean"]
