"""Arrow columns are written in their form, or in the default one."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.table import Column, Schema
from janus_synth.table.columns import FORMS
from janus_synth.table.files.text_output import default_texts, known_forms, write_texts


@pytest.mark.parametrize(
    ("values", "kind", "form", "texts"),
    [
        ([1234.5, None], "numeric", "$#,##0.00", ["$1,234.50", "?"]),
        ([7, None], "numeric", None, ["7", "?"]),
        ([True, None], "boolean", "Y/N", ["Y", "?"]),
        ([dt.date(2024, 1, 31), None], "datetime", "%d/%m/%Y", ["31/01/2024", "?"]),
        ([dt.datetime(2024, 1, 31, 8, 5), None], "datetime", "%d.%m.%y %H:%M", ["31.01.24 08:05", "?"]),
        ([dt.time(20, 30), None], "numeric", "%I:%M %p", ["08:30 PM", "?"]),
        (["text", None], "categorical", None, ["text", None]),
    ],
)
def test_values_are_written_in_their_form(values, kind, form, texts):
    table = write_texts(pa.table({"x": values}), {"x": {"kind": kind, "format": form, "missing": ["?"]}})
    assert table["x"].to_pylist() == texts


def test_columns_without_a_form_stay_as_they_are():
    table = pa.table({"x": [1.0]})
    assert write_texts(table, {}) is table
    assert default_texts(pa.array([1.0, 0.25, None])).to_pylist() == ["1.0", "0.25", None]
    assert default_texts(pa.array([dt.datetime(2024, 1, 1)])).to_pylist() == ["2024-01-01 00:00:00"]


def test_forms_are_known_from_a_schema_or_a_frame():
    price = Column("price", "numeric", "float64", format="$0.00")
    day = Column("day", "datetime", "str[pyarrow]", format="%d/%m/%Y")
    forms, texts = known_forms(Schema((price, day)))
    assert (list(forms), texts) == (["price"], ["day"])
    frame = pd.DataFrame({"price": [1.5], "name": ["a"]})
    frame.attrs[FORMS] = {"price": {"kind": "numeric", "format": "$0.00"}}
    assert known_forms(frame) == (frame.attrs[FORMS], ["name"])
