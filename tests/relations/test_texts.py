from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations.texts import first_true, or_null, rows_that_hold, value_text, values_text
from janus_synth.table import read_table

FRAME = pd.DataFrame({"a": [1.0, None, 3.0], "b c": [1, 1, 9], "s": ["x", "y", None], "t": [True, False, True]})
TABLE = read_table(FRAME)


def test_rows_with_nulls_pass():
    text = or_null("a >= `b c`", ["a", "b c"], TABLE.schema)
    assert text == "a is null or a >= `b c`"
    assert rows_that_hold(text, TABLE).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("name", "values", "rows"),
    [
        ("s", ["x"], [True, False, False]),
        ("s", ["x", None], [True, False, True]),
        ("s", ["x", "y"], [True, True, False]),
        ("t", [True], [True, False, True]),
        ("t", [False], [False, True, False]),
        ("b c", [1], [True, True, False]),
    ],
)
def test_values_of_columns(name, values, rows):
    assert rows_that_hold(values_text(name, values), TABLE).tolist() == rows


def test_one_value():
    assert value_text("s", "it's") == 's == "it\'s"'


def test_what_the_language_cannot_say_is_none():
    assert rows_that_hold("s >= 3", TABLE) is None


def test_the_first_true_row():
    assert first_true(np.array([False, True, True])) == 1
