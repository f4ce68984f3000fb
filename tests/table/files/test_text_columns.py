"""Columns of a CSV file get types and forms; what a schema or another file says comes first."""

from __future__ import annotations

import pytest

from janus_synth.table import Column, Schema
from janus_synth.table.columns import FORMS
from janus_synth.table.files import read_frame


@pytest.fixture
def read(tmp_path):
    def call(*texts, **options):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n" + "".join(f'"{text}",1\n' for text in texts))
        frame = read_frame(path, **options)
        return frame["x"], frame.attrs.get(FORMS, {}).get("x", {})

    return call


@pytest.mark.parametrize(
    ("texts", "dtype", "form"),
    [
        (["$1,000", "$5"], "int64", {"format": "$#,##0"}),
        (["$1,000.00", "$5.00"], "float64", {"format": "$#,##0.00"}),
        (["1.50", "2.25"], "float64", {"format": "0.00"}),
        (["1.5", "2"], "float64", {"format": "0.#"}),
        (["1.5", "2.0"], "float64", {}),
        (["1", "2"], "int64", {}),
        (["1", "?", "NA", "?"], "Int64", {"missing": ["?", "NA"]}),
        (["1", ""], "Int64", {}),
        (["850", "1.200", "12.345"], "int64", {"format": "#.##0", "others": ["0[.000]"]}),
        (["20240131", "20240201", "20240301", "20230101", "20220101"], "date32[day][pyarrow]", {"format": "%Y%m%d"}),
        (["20240131", "20249999"], "int64", {}),
        (["2024-01-31T08:30", "2024-01-31T09:30"], "datetime64[s]", {"format": "%Y-%m-%dT%H:%M"}),
        (["2024-01-31 08:30:00"], "datetime64[s]", {}),
        (["TRUE", "FALSE"], "bool", {"format": "TRUE/FALSE"}),
        (["true", "false"], "bool", {}),
        (["8:30 PM"], "time64[us][pyarrow]", {"format": "%-I:%M %p"}),
        ([" 5", " 12"], "int64", {"format": " 0"}),
    ],
)
def test_columns_get_a_type_and_a_form(read, texts, dtype, form):
    column, found = read(*texts)
    assert str(column.dtype) == dtype
    assert {name: value for name, value in found.items() if name != "kind"} == form


def test_columns_may_stay_text(read):
    column, found = read("19/08/2023", as_text=["x"])
    assert (column.tolist(), found) == (["19/08/2023"], {})
    column, _ = read("5", as_text=["x"])
    assert column.tolist() == ["5"]


def test_a_schema_decides_what_is_unclear(read):
    dates = Column("x", "datetime", "date32[day][pyarrow]", format="%d/%m/%Y", missing=("?",))
    column, found = read("03/04/2023", "?", like=Schema((dates,)))
    assert column.astype(str).tolist()[0] == "2023-04-03"
    assert column.isna().tolist() == [False, True]
    assert found["format"] == "%d/%m/%Y"


def test_a_table_read_before_decides_too(read, tmp_path):
    path = tmp_path / "first.csv"
    path.write_text("x,y\n19/08/2023,1\n")
    column, _ = read("03/04/2023", like=read_frame(path))
    assert column.astype(str).tolist() == ["2023-04-03"]


def test_texts_that_do_not_have_the_known_form_stay_text(read):
    dates = Column("x", "datetime", "date32[day][pyarrow]", format="%d/%m/%Y")
    column, _ = read("03/04/2023", "soon", like=Schema((dates,)))
    assert column.tolist() == ["03/04/2023", "soon"]


def test_words_among_numbers_leave_the_column_text(read):
    column, found = read(*map(str, range(40)), "several")
    assert column.tolist()[-1] == "several"
    assert found == {}
