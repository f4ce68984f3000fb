"""Expectation suites, as JSON of both generations writes them."""

import itertools

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_great_expectations
from janus_synth.rules.importers.great_expectations import like

FRAME = pd.DataFrame({"a": [1, 2, 3, None], "b": [2, 2, 1, 4], "t": ["ab", "b", None, "xab"], "c": [7, 7, 7, 8]})
VALUES, PAIR = "expect_column_values_to_", "expect_column_pair_values_"
CASES = [
    (f"{VALUES}not_be_null", {"column": "a"}, [True, True, True, False]),
    (f"{VALUES}be_null", {"column": "t"}, [False, False, True, False]),
    (f"{VALUES}be_between", {"column": "a", "min_value": 1, "strict_min": True}, [False, True, True, True]),
    (f"{VALUES}be_in_set", {"column": "t", "value_set": ["ab", "q"]}, [True, False, True, False]),
    (f"{VALUES}not_be_in_set", {"column": "b", "value_set": [2]}, [False, False, True, True]),
    (f"{VALUES}match_regex", {"column": "t", "regex": "^a"}, [True, False, True, False]),
    (f"{VALUES}not_match_regex", {"column": "t", "regex": "a"}, [False, True, True, False]),
    (f"{VALUES}match_like_pattern", {"column": "t", "like_pattern": "_b"}, [True, False, True, False]),
    ("expect_column_value_lengths_to_be_between", {"column": "t", "min_value": 2}, [True, False, True, True]),
    ("expect_column_value_lengths_to_equal", {"column": "t", "value": 1}, [False, True, True, False]),
    (f"{PAIR}a_to_be_greater_than_b", {"column_A": "a", "column_B": "b", "or_equal": True}, [False, True, True, True]),
    (f"{PAIR}to_be_equal", {"column_A": "a", "column_B": "b"}, [False, True, False, True]),
    (f"{PAIR}to_be_in_set", {"column_A": "a", "column_B": "b", "value_pairs_set": [[1, 2], [3, 1]]},
     [True, False, True, False]),
    ("expect_multicolumn_sum_to_equal", {"column_list": ["a", "b"], "sum_total": 4}, [False, True, True, True]),
    (f"{VALUES}be_unique", {"column": "b"}, [True, False, True, True]),
    ("expect_compound_columns_to_be_unique", {"column_list": ["b", "c"]}, [True, False, True, True]),
    ("expect_select_column_values_to_be_unique_within_record", {"column_list": ["a", "b"]},
     [True, False, True, True]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kwargs", "expected"), CASES)
@pytest.mark.parametrize("key", ["expectation_type", "type"])
def test_expectations_hold_in_the_rows_that_meet_them(name, kwargs, expected, key):
    found = from_great_expectations({"expectations": [{key: name, "kwargs": kwargs}]})
    assert not found.skipped
    assert holds(found.rules[0], FRAME).tolist() == expected


@pytest.mark.parametrize("ignored", ["all_values_are_missing", "any_value_is_missing", "never"])
@pytest.mark.parametrize("n_columns", [2, 3])
def test_cells_of_a_row_differ_with_nulls_as_the_expectation_says(ignored, n_columns):
    names = ["x", "y", "z"][:n_columns]
    frame = pd.DataFrame(list(itertools.product([None, 1, 2], repeat=n_columns)), columns=names, dtype="Int64")
    expected = frame.nunique(axis=1, dropna=False) == n_columns
    if ignored != "never":
        missing = frame.isna()
        expected |= missing.all(axis=1) if ignored.startswith("all") else missing.any(axis=1)
    kwargs = {"column_list": names, "ignore_row_if": ignored}
    entry = {"type": "expect_select_column_values_to_be_unique_within_record", "kwargs": kwargs}
    (rule,) = from_great_expectations({"expectations": [entry]}).rules
    assert holds(rule, frame).tolist() == expected.tolist()


def test_expectations_about_whole_columns_or_some_rows_are_skipped():
    suite = {"expectations": [
        {"type": f"{VALUES}be_unique", "kwargs": {"column": "a", "row_condition": "b > 1"}},
        {"type": f"{VALUES}be_between", "kwargs": {"column": "a", "min_value": 0, "mostly": 0.9}},
        {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "a"}},
        {"type": f"{VALUES}be_in_set", "kwargs": {"column": "a", "value_set": [1], "row_condition": "b > 1"}},
    ]}  # fmt: skip
    found = from_great_expectations(suite)
    assert not found.rules
    reasons = [skipped.reason for skipped in found.skipped]
    assert "0.9" in reasons[1]
    assert "row_condition" in reasons[0]
    assert "column as a whole" in reasons[2]
    assert "row_condition" in reasons[3]


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [("A%", "x starts_with 'A'"), ("%A", "x ends_with 'A'"), ("%A%", "x contains 'A'"), ("A", "x == 'A'")],
)
def test_plain_patterns_of_sql_have_words_of_their_own(pattern, shown):
    assert str(like("x", pattern)) == shown
