from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations.equations import (
    Equation,
    constant_of,
    equation_statement,
    equation_text,
    is_indicator,
    simple_number,
    verify,
)
from janus_synth.relations.view import View
from janus_synth.table import read_table

RANDOM = np.random.default_rng(3)
FRAME = pd.DataFrame({"x": RANDOM.integers(0, 500, 300) / 10, "n": RANDOM.integers(0, 9, 300)})
FRAME["y"] = (FRAME.x + 12 * FRAME.n + 2.5).round(1)
VIEW = View(read_table(FRAME), 1000, 0)


@pytest.mark.parametrize(
    ("value", "simple"),
    [
        (0.1, Fraction(1, 10)),
        (2 / 21, Fraction(2, 21)),
        (-12, Fraction(-12)),
        (86400, Fraction(86400)),
        (86399, None),
        (1.23451, None),
        (0.0, None),
    ],
)
def test_simple_numbers(value, simple):
    assert simple_number(value) == simple
    if simple is not None:
        assert simple_number(value * (1 + 1e-8)) == simple


def test_constants_have_few_decimals():
    rows = {name: VIEW.numbers[name] for name in ("x", "n", "y")}
    assert constant_of(VIEW, "y", {"x": 1.0, "n": 12.0}, rows) == 2.5


def test_a_statement_is_the_equation():
    keeps = equation_statement(VIEW, Equation("y", (("x", 1.0), ("n", 12.0)), 2.5))
    arrays = {name: FRAME[name].to_numpy(float) for name in FRAME}
    assert keeps(arrays).all()
    broken = keeps({**arrays, "y": arrays["y"] + 0.1})
    assert not broken.any()


def test_texts_of_equations():
    assert equation_text(VIEW, Equation("y", (("x", 1.0),), -2.0)) == "y == x - 2"
    assert equation_text(VIEW, Equation("y", (("x", 0.5),), 0.0, decimals=1)) == "-0.05 <= y - 0.5 * x <= 0.05"


def test_only_true_equations_are_verified():
    assert verify(VIEW, Equation("y", (("x", 1.0), ("n", 12.0)), 2.5)) is not None
    assert verify(VIEW, Equation("y", (("x", 1.0), ("n", 12.0)), 2.4)) is None
    assert verify(VIEW, Equation("y", (("x", 1.0), ("n", 11.0)), 2.5)) is None


def test_indicators():
    assert is_indicator(np.array([0.0, 1.0, np.nan]))
    assert not is_indicator(np.array([0.0, 2.0]))
