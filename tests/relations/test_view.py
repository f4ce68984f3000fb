from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations.view import View, codes_of, complete_rows, count_decimals, numbers_of, unit_of
from janus_synth.table import read_table

FRAME = pd.DataFrame(
    {
        "age": [31.0, None, 45.0, 45.0],
        "when": pd.to_datetime(["1970-01-01 00:01", None, "1970-01-02 00:00", "1970-01-01 00:00"]).tz_localize("UTC"),
        "took": pd.to_timedelta([90, 1, 2, 3], unit="s"),
        "member": [True, False, True, True],
        "city": ["Rome", "Oslo", None, "Rome"],
        "same": [5, 5, 5, 5],
    }
)


def view(frame=FRAME, max_rows=100, seed=0):
    return View(read_table(frame), max_rows, seed)


def test_numbers_are_plain_or_seconds():
    table = read_table(FRAME)
    np.testing.assert_array_equal(numbers_of(table, "when"), [60, np.nan, 86400, 0])
    np.testing.assert_array_equal(numbers_of(table, "took"), [90, 1, 2, 3])
    np.testing.assert_array_equal(numbers_of(table, "age"), [31, np.nan, 45, 45])
    np.testing.assert_array_equal(numbers_of(table, "member"), [1, 0, 1, 1])


def test_units():
    schema = read_table(FRAME).schema
    assert [unit_of(schema[name]) for name in ("age", "when", "took", "member")] == [
        "number",
        "time",
        "duration",
        "number",
    ]


def test_codes_number_distinct_values_and_missing_is_negative():
    table = read_table(FRAME)
    assert codes_of(table, "age").tolist() == [0, -1, 1, 1]
    assert codes_of(table, "city").tolist() == [1, 0, -1, 1]


def test_constant_columns_and_identifiers_are_left_out():
    frame = pd.DataFrame({"id": range(50), "same": [1] * 50, "x": [1, 2] * 25})
    assert [column.name for column in view(frame).columns] == ["x"]
    assert view().numeric == ["age", "when", "took", "member"]


def test_the_sample_is_random_repeatable_and_bounded():
    frame = pd.DataFrame({"x": np.arange(1000) * 2.5})
    one, again, other = view(frame, 100), view(frame, 100), view(frame, 100, seed=1)
    assert one.sample.n_rows == 100
    assert len(set(one.sample["x"])) == 100
    np.testing.assert_array_equal(one.sample["x"], again.sample["x"])
    assert (one.sample["x"] != other.sample["x"]).any()
    assert set(view(frame, 5000).sample["x"]) == set(frame.x)


def test_complete_rows():
    assert complete_rows(read_table(FRAME), ["age", "city"]).tolist() == [True, False, False, True]


def test_an_example_has_the_values_of_a_user():
    assert view().row_values(0, ["age", "when", "city", "member"]) == {
        "age": 31,
        "when": "1970-01-01T00:01:00Z",
        "city": "Rome",
        "member": True,
    }


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([1.0, 20.0], 0), ([0.1, 0.25], 2), ([np.pi], None), ([1e9 + 0.5], 1), ([1e17 / 3], None)],
)
def test_decimals_are_counted(values, decimals):
    assert count_decimals(np.array([*values, np.nan]), 2.0**-52) == decimals


def test_decimals_of_single_precision():
    values = np.array([0.1, 2.37], dtype=np.float32).astype(np.float64)
    assert count_decimals(values, 2.0**-52) is None
    assert count_decimals(values, 2.0**-23) == 2


def test_a_relative_step_is_the_last_decimal_over_the_spread():
    rough = pd.DataFrame({"cents": [0.25, 0.75, 1.25, None], "free": [0.1234567890123, 1 / 3, 2 / 3, np.pi]})
    assert view(rough).relative_step("cents") == pytest.approx(0.01 / np.std([0.25, 0.75, 1.25]))
    assert view(rough).relative_step("free") == 0.0
