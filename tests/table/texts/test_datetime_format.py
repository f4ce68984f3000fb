"""Dates and times as text: formats are inferred, and read and written as Python itself does."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.table.texts.datetime_format import (
    format_formatted,
    infer_datetime_formats,
    is_datetime_format,
    parse_formatted,
)

EPOCH = dt.datetime(1970, 1, 1)
PYTHON = ["%d/%m/%Y %H:%M:%S", "%b %d, %Y %I:%M:%S %p", "%A, %d %B %Y %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%SZ"]


@pytest.mark.parametrize(
    ("texts", "forms"),
    [
        (["19/08/2023", "01/02/2023"], ["%d/%m/%Y"]),
        (["08/19/2023", "01/02/2023"], ["%m/%d/%Y"]),
        (["1/2/2023", "3/14/2023"], ["%-m/%-d/%Y"]),
        (["03/04/2023", "01/02/2023"], ["%m/%d/%Y", "%d/%m/%Y"]),
        (["03.04.2023", "01.02.2023"], ["%d.%m.%Y", "%m.%d.%Y"]),
        (["01/01/2023", "01/02/2023"], ["%d/%m/%Y", "%m/%d/%Y"]),
        (["19-AUG-2023"], ["%d-%^b-%Y"]),
        (["Aug 19, 2023"], ["%b %d, %Y"]),
        (["2023-08-19T10:11:12.123+02:00"], ["%Y-%m-%dT%H:%M:%S.%3f+02:00"]),
        (["8:30 PM", "12:00 AM"], ["%-I:%M %p"]),
        (["19/08/23 1:05 pm"], ["%d/%m/%y %-I:%M %P"]),
        (["Jan-24", "Feb-25"], ["%b-%y"]),
    ],
)
def test_formats_are_inferred_and_texts_come_back(texts, forms):
    array = pa.array(texts)
    assert infer_datetime_formats(array) == forms
    for form in forms:
        assert format_formatted(parse_formatted(array, form).to_numpy().astype(float), form) == texts


@pytest.mark.parametrize("text", ["31/02/2023", "1.2.10", "20230819", "10-12", "word", "", "25:00", "1/2"])
def test_what_is_no_date_has_no_format(text):
    assert infer_datetime_formats(pa.array([text])) == []


@given(st.sampled_from(PYTHON), st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)))
def test_python_reads_and_writes_the_same(form, moment):
    if "%f" not in form:
        moment = moment.replace(microsecond=0)
    text = moment.strftime(form)
    ticks = (moment - EPOCH) // dt.timedelta(microseconds=1)
    assert parse_formatted(pa.array([text]), form).to_pylist() == [ticks]
    assert format_formatted(np.array([float(ticks)]), form) == [text]


def test_offsets_are_taken_from_and_given_back_to_the_time():
    form = "%Y-%m-%d %H:%M:%S+02:00"
    assert parse_formatted(pa.array(["1970-01-01 02:00:00+02:00"]), form).to_pylist() == [0]
    assert format_formatted(np.array([0.0]), form) == ["1970-01-01 02:00:00+02:00"]


def test_texts_of_another_form_are_null():
    assert parse_formatted(pa.array(["1970-01-02", None, "x"]), "%d/%m/%Y").to_pylist() == [None] * 3


def test_known_codes_make_a_format():
    assert all(map(is_datetime_format, ("%Y-%m-%d", "%d.%m.%y", "%B %Y", "%-d/%-m/%Y %H:%M:%S.%3f")))
    assert not any(map(is_datetime_format, ("%d.%m", "%Z/%Y", "", None, "%H:%M", "0%")))
    assert is_datetime_format("%H:%M", dated=False)
    assert not is_datetime_format("%d %H:%M", dated=False)
