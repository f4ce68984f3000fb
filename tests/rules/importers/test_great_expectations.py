"""Expectation suites, as JSON of both generations writes them."""

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_great_expectations
from janus_synth.rules.importers.great_expectations import like

FRAME = pd.DataFrame({"a": [1, 2, 3, None], "b": [2, 2, 1, 4], "t": ["ab", "b", None, "xab"]})
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
]  # fmt: skip


@pytest.mark.parametrize(("name", "kwargs", "expected"), CASES)
@pytest.mark.parametrize("key", ["expectation_type", "type"])
def test_expectations_hold_in_the_rows_that_meet_them(name, kwargs, expected, key):
    found = from_great_expectations({"expectations": [{key: name, "kwargs": kwargs}]})
    assert not found.skipped
    assert holds(found.rules[0], FRAME).tolist() == expected


def test_expectations_about_several_rows_or_some_of_them_are_skipped():
    suite = {"expectations": [
        {"type": f"{VALUES}be_unique", "kwargs": {"column": "a"}},
        {"type": f"{VALUES}be_between", "kwargs": {"column": "a", "min_value": 0, "mostly": 0.9}},
        {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "a"}},
        {"type": f"{VALUES}be_in_set", "kwargs": {"column": "a", "value_set": [1], "row_condition": "b > 1"}},
    ]}  # fmt: skip
    found = from_great_expectations(suite)
    assert not found.rules
    reasons = [skipped.reason for skipped in found.skipped]
    assert "0.9" in reasons[1]
    assert "several rows" in reasons[2]
    assert "row_condition" in reasons[3]


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [("A%", "x starts_with 'A'"), ("%A", "x ends_with 'A'"), ("%A%", "x contains 'A'"), ("A", "x == 'A'")],
)
def test_plain_patterns_of_sql_have_words_of_their_own(pattern, shown):
    assert str(like("x", pattern)) == shown
