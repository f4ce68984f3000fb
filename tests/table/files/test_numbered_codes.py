"""Versions and codes with a point are told from numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from janus_synth.table.files.numbered_codes import are_codes, exponent_picture, padded_picture


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("python", ["3.8", "3.9", "3.10", "3.11"]),
        ("node", ["9.9", "9.10", "10.1", "10.2"]),
        ("version", ["1.0", "2.0"]),
        ("App Version", ["1.5", "2"]),
        ("Kapitel", ["1.1", "1.2", "2.1"]),
        ("code", ["038.9", "250.00", "401.9"]),
        ("hash", ["59e80", "12e03", "12"]),
    ],
)
def test_codes_are_recognised(name, texts):
    assert are_codes(name, pa.array(texts))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("weight", ["3.8", "3.9", "3.15", "3.05"]),
        ("price", ["1.5", "2.20", "3.10", "0.9", "4.75"]),
        ("price", ["1.9", "1.10", "1.05"]),
        ("price", ["1.9", "1.10", "7.75", "2.50"]),
        ("rate", ["1e5", "1e6"]),
        ("rate", ["1.5e10", "22e-3"]),
        ("clock", ["08.30", "11.45"]),
        ("conversion", ["1.5", "2"]),
    ],
)
def test_numbers_are_not(name, texts):
    assert not are_codes(name, pa.array(texts))


def test_measurements_of_two_decimals_with_stray_zeros_are_numbers():
    rng = np.random.default_rng(0)
    texts = [f"{x:.2f}" if i % 2 else f"{x:.1f}" for i, x in enumerate(rng.uniform(0, 20, 400))]
    assert not are_codes("width", pa.array(texts))


def test_zeros_in_front_are_a_format_if_all_texts_have_the_same_digits():
    assert padded_picture(pa.array(["038.9", "-401.9"])) == "000.0"
    assert padded_picture(pa.array(["038.9", "401.90"])) is None
    assert padded_picture(pa.array(["138.9", "401.9"])) is None


def test_powers_of_ten_are_a_format_if_all_texts_have_it():
    assert exponent_picture(pa.array(["1.5e-07", "-2.0e+11"])) == "0.0e+00"
    assert exponent_picture(pa.array(["1E+05", "3E-10"])) == "0E+00"
    assert exponent_picture(pa.array(["1.5E-07", "2.25E+11"])) is None
    assert exponent_picture(pa.array(["1.5E-07", "2.5"])) is None
