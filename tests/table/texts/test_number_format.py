"""Numbers as text: formats are inferred, read and written; what is no number has no format."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.table.texts.number_format import (
    NumberFormat,
    format_numbers,
    infer_number_formats,
    parse_number_format,
    parse_numbers,
)

PICTURES = ["0", "$#,##0.00", "#.##0,00 €", "0.0#%", "0[.00]", "#,##,##0", "0.00;(0.00)", "# ##0,0", "$0;$-0", "0;0-"]


@pytest.mark.parametrize(
    ("texts", "picture", "values"),
    [
        (["$5,075.29", "-$12.00"], "$#,##0.00", [5075.29, -12]),
        (["1.234,50 €", "3,00 €"], "#.##0,00 €", [1234.5, 3]),
        (["5.5%", "3%"], "0.#%", [5.5, 3]),
        (["5.50", "3"], "0[.00]", [5.5, 3]),
        (["12,34,567", "5,000"], "#,##,##0", [1234567, 5000]),
        (["(5.00)", "3.00"], "0.00;(0.00)", [-5, 3]),
        (["1 234,5", "12,3"], "# ##0,0", [1234.5, 12.3]),
        (["1.234.567", "12"], "#.##0", [1234567, 12]),
        (["$-5", "$3"], "$0;$-0", [-5, 3]),
        (["12 kg", "3 kg"], "0 kg", [12, 3]),
        (["+5", "-3"], "+0;-0", [5, -3]),
        (["-5", "-3"], "0", [-5, -3]),
        (["0,123", "0,456"], "0,000", [0.123, 0.456]),
    ],
)
def test_a_format_is_inferred_and_reads_and_writes_the_texts(texts, picture, values):
    array = pa.array(texts)
    form = infer_number_formats(array)[0]
    assert form.picture == picture
    assert parse_number_format(picture) == form
    assert parse_numbers(array, form).to_pylist() == values
    assert format_numbers(np.array(values, float), form) == texts


@pytest.mark.parametrize("text", ["EMP-1", "007", "12-34", "2024-01-02", "1/2", "12:30", "", "a", "1234567890123456"])
def test_what_is_no_number_has_no_format(text):
    assert infer_number_formats(pa.array([text])) == []


def test_symbols_that_vary_are_no_format():
    assert infer_number_formats(pa.array(["$5", "€6"])) == []


def test_thousands_and_decimals_may_be_unclear():
    assert [form.picture for form in infer_number_formats(pa.array(["1,234"]))] == ["#,##0", "0,000"]
    assert [form.picture for form in infer_number_formats(pa.array(["1,234", "1,5"]))] == ["0,0##"]


@pytest.mark.parametrize("text", ["", "x", "0;0;0", "#0", "0[.]", "0.0a0"])
def test_what_is_no_picture_is_refused(text):
    assert parse_number_format(text) is None


def test_texts_of_another_form_are_null():
    form = parse_number_format("$#,##0.00")
    assert parse_numbers(pa.array(["5", "$1,23.00", "€5.00", None]), form).to_pylist() == [None] * 4


@given(
    st.sampled_from(PICTURES),
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20),
)
def test_numbers_come_back_from_their_texts(picture, wholes):
    form = parse_number_format(picture)
    assert form is not None
    assert form.picture == picture
    numbers = np.array(wholes) / 10**form.most
    texts = format_numbers(numbers, form)
    np.testing.assert_allclose(parse_numbers(pa.array(texts), form).to_numpy(), numbers, rtol=1e-12)


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert format_numbers(np.array([-0.001]), NumberFormat(fewest=2, most=2)) == ["0.00"]


@pytest.mark.parametrize(
    ("picture", "texts", "values"),
    [
        ("000.0", ["038.9", "-401.0"], [38.9, -401.0]),
        ("0.00E+00", ["2.16E+03", "-1.00E-05"], [2160.0, -1e-5]),
        ("0e+00", ["5e+12", "3e-101"], [5e12, 3e-101]),
        ("#,##0", ["1,234", "56,789"], [1234.0, 56789.0]),
    ],
)
def test_formats_of_zeros_in_front_and_of_powers_of_ten(picture, texts, values):
    form = parse_number_format(picture)
    assert form.picture == picture
    assert parse_numbers(pa.array(texts), form).to_pylist() == values
    assert format_numbers(np.array(values), form) == texts


def test_some_numbers_may_lack_the_separator_of_thousands():
    assert infer_number_formats(pa.array(["1,234", "56789"]))[0].picture == "#,##0"
    assert parse_numbers(pa.array(["1,234", "56789"]), parse_number_format("#,##0")).to_pylist() == [1234.0, 56789.0]
