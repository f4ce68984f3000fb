from __future__ import annotations

import pytest

from janus_synth.table.files import Place, place_of


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
def test_other_endings_are_told_what_there_is(path):
    with pytest.raises(ValueError, match=r"names no table format. .*'.csv', '.csv.gz', '.tsv', '.parquet'"):
        place_of(path)


def test_unknown_formats_and_double_packing_are_refused():
    with pytest.raises(ValueError, match="Choose one of csv, tsv, parquet, arrow"):
        place_of("a.csv", "xml")
    with pytest.raises(ValueError, match="Drop '.gz'"):
        place_of("a.parquet.gz")
