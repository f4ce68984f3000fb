"""Paths name a format, and outputs are checked before any work is done."""

from __future__ import annotations

import pytest

from janus_synth.table.files import Place, check_output, open_output, place_of


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.csv", Place("a.csv", "csv")),
        ("A.CSV.GZ", Place("A.CSV.GZ", "csv", True)),
        ("a.b.tsv", Place("a.b.tsv", "tsv")),
        ("a.parquet", Place("a.parquet", "parquet")),
        ("a.arrow", Place("a.arrow", "arrow")),
        ("a.feather", Place("a.feather", "arrow")),
        ("-", Place("-", "csv")),
    ],
)
def test_the_ending_names_the_format(path, expected):
    assert place_of(path) == expected


def test_a_given_format_wins():
    assert place_of("a.csv", "parquet").format == "parquet"
    assert place_of("table", "arrow").format == "arrow"


@pytest.mark.parametrize("path", ["a.xlsx", "a", "csv", "a.gz", "a.csv.zip"])
def test_other_endings_get_a_list_of_the_known_ones(path):
    with pytest.raises(ValueError, match=r"names no table format. .*'.csv', '.csv.gz', '.tsv', '.parquet'"):
        place_of(path)


def test_unknown_formats_and_double_compression_raise_errors():
    with pytest.raises(ValueError, match="Choose one of csv, tsv, parquet, arrow"):
        place_of("a.csv", "xml")
    with pytest.raises(ValueError, match="Drop '.gz'"):
        place_of("a.parquet.gz")


def test_a_dash_is_standard_output_and_anything_else_a_file(tmp_path, capfdbinary):
    for path in ("-", tmp_path / "out"):
        with open_output(path) as file:
            file.write(b"rows")
    assert capfdbinary.readouterr().out == b"rows"
    assert (tmp_path / "out").read_bytes() == b"rows"


def test_outputs_are_checked_in_advance(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist. Create it first"):
        check_output(tmp_path / "no" / "out")
    with pytest.raises(IsADirectoryError, match="Name a file inside it"):
        check_output(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file, not a folder"):
        check_output(tmp_path / "file" / "out")
    with pytest.raises(ValueError, match="would be overwritten"):
        check_output(tmp_path / "file", inputs=["-", tmp_path / "no", tmp_path / "file"])
    check_output(tmp_path / "out", inputs=[tmp_path / "file"])
    check_output("-")
