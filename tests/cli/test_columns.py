"""Fields of columns on the command line: kinds, formats, orders and texts for missing."""

from __future__ import annotations

import pytest

from janus_synth.cli.columns import parse_columns, parse_missing, schema_with, text_columns
from janus_synth.table import Column, Schema


def test_fields_of_columns_are_added_to_a_schema():
    whole = Schema((Column("day", "categorical", "str"),))
    assert schema_with(whole, parse_columns(["day=datetime:%d/%m/%Y"]))["day"].format == "%d/%m/%Y"
    fields = schema_with({"day": {"low": "2020-01-01"}}, parse_columns(["day=datetime"]))
    assert fields == {"day": {"low": "2020-01-01", "kind": "datetime"}}
    assert schema_with(None, parse_missing(["age=999"])) == {"age": {"missing": ["999"]}}


def test_columns_with_a_format_or_levels_are_left_as_text():
    fields = parse_columns(["a=datetime:%d/%m/%Y", "b=categorical", "c=numeric", "d=ordered:S<M", "e=identifier:E{1}"])
    assert text_columns(fields) == ["a", "b", "d", "e"]
    assert fields["e"] == {"kind": "identifier", "template": "E{1}"}
    assert text_columns(Schema(())) == []


@pytest.mark.parametrize("text", ["age", "=numeric", "age="])
def test_what_describes_no_column_is_refused(text):
    with pytest.raises(ValueError, match="does not describe a column"):
        parse_columns([text])
