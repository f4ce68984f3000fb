"""Texts of a column are recognised as what they are, with the format, the gaps and what is unclear."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from janus_synth.table.texts import TextForm, check_format, format_values, kind_of_format, parse_texts, recognise
from janus_synth.table.texts.recognise import recognise_columns


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["Y", "N", "?"], TextForm("boolean", "Y/N", ("?",))),
        (["$5", "$6", "N/A", "N/A"], TextForm("numeric", "$0", ("N/A",))),
        (["1", "2", "?"], TextForm("numeric", None, ("?",))),
        (["1e-5", "2"], TextForm("numeric")),
        (["2024-01-02", ""], TextForm("datetime", "%Y-%m-%d", ("",))),
        (["8:15", "12:30"], TextForm("numeric", "%-H:%M")),
        (["a", "?", "b"], TextForm("categorical", missing=("?",))),
        (["low", "high"], None),
        (["NA", "DE"], None),
        (["007", "012"], None),
        ([], None),
    ],
)
def test_texts_are_recognised(texts, form):
    assert recognise(pa.array(texts, pa.string())) == form


def test_a_few_other_texts_are_named():
    found = recognise(pa.array([*map(str, range(50)), "lots"]))
    assert (found.kind, found.stray) == ("numeric", ("lots",))
    assert recognise(pa.array([*map(str, range(10)), *"abcdefgh"])) is None


def test_other_columns_decide_whether_the_day_comes_first():
    unclear = pa.array(["03/04/2023", "05/06/2023"])
    assert recognise_columns({"a": unclear})["a"].format == "%m/%d/%Y"
    found = recognise_columns({"a": unclear, "b": pa.array(["19/08/2023"])})
    assert found["a"] == TextForm("datetime", "%d/%m/%Y", others=("%m/%d/%Y",))


@pytest.mark.parametrize(
    ("kind", "form"),
    [("numeric", "%d/%m/%Y"), ("numeric", "abc"), ("datetime", "0.0"), ("boolean", "x"), ("numeric", 5)],
)
def test_a_format_of_another_kind_is_refused(kind, form):
    assert "format" in check_format(kind, form)
    assert check_format("categorical", "0") == "a format is given, but a categorical column has none"


@pytest.mark.parametrize(
    ("kind", "form", "text", "value"),
    [("numeric", "0.0%", "5.5%", 5.5), ("boolean", "Y/N", "Y", True), ("numeric", "%H:%M", "00:01", 60_000_000)],
)
def test_values_are_read_and_written_in_a_format(kind, form, text, value):
    assert kind_of_format(form) == ("numeric" if form == "%H:%M" else kind)
    assert parse_texts(pa.array([text, "x"]), kind, form).to_pylist() == [value, None]
    assert format_values(np.array([float(value)]), kind, form) == [text]
