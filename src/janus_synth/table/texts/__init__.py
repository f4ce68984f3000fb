"""Columns of text that hold numbers, dates or truth values: texts in, values and the format out, and back."""

from janus_synth.table.texts.recognise import (
    TextForm,
    check_format,
    format_values,
    kind_of_format,
    parse_texts,
    recognise,
    recognise_columns,
)

__all__ = [
    "TextForm",
    "check_format",
    "format_values",
    "kind_of_format",
    "parse_texts",
    "recognise",
    "recognise_columns",
]
