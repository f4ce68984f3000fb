"""Constraints of SDV, in the forms of both generations."""

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_sdv

CASES = [
    ("Inequality", {"low_column_name": "a", "high_column_name": "b"}, [True, False, False, True]),
    ("Inequality", {"low_column_name": "a", "high_column_name": "b", "strict_boundaries": False},
     [True, True, False, True]),
    ("ScalarInequality", {"column_name": "a", "relation": ">=", "value": 2}, [False, True, True, True]),
    ("Range", {"low_column_name": "a", "middle_column_name": "b", "high_column_name": "c"},
     [True, False, False, True]),
    ("ScalarRange", {"column_name": "a", "low_value": 1, "high_value": 3, "strict_boundaries": False},
     [True, True, True, True]),
    ("ScalarRange", {"column_name": "a", "low_value": 1, "high_value": 3}, [False, True, False, True]),
    ("Positive", {"column_name": "a"}, [True, True, True, True]),
    ("Negative", {"column_name": "a", "strict_boundaries": True}, [False, False, False, True]),
    ("FixedIncrements", {"column_name": "b", "increment_value": 2}, [True, True, False, True]),
    ("OneHotEncoding", {"column_names": ["u", "v"]}, [True, True, False, False]),
]  # fmt: skip
FRAME = pd.DataFrame({"a": [1, 2, 3, None], "b": [2, 2, 1, 4], "c": [3, 3, 3, 9], "u": [1, 0, 1, 0], "v": [0, 1, 1, 0]})


class Inequality:
    """A stand-in for the class of ``sdv.cag``, which keeps its parameters in private attributes."""

    def __init__(self):
        self._low_column_name, self._high_column_name, self._strict_boundaries = "a", "b", True


@pytest.mark.parametrize(("name", "parameters", "expected"), CASES)
@pytest.mark.parametrize("keys", [("constraint_class", "constraint_parameters"), ("class_name", "parameters")])
def test_constraints_hold_in_the_rows_that_sdv_accepts(name, parameters, expected, keys):
    found = from_sdv({"constraints": [dict(zip(keys, (name, parameters), strict=True))]})
    assert not found.skipped
    assert holds(found.rules[0], FRAME).tolist() == expected


def test_objects_and_combinations_are_read():
    found = from_sdv([Inequality(), {"constraint_class": "FixedCombinations", "column_names": ["u", "v"]}])
    assert [str(rule) for rule in found.rules] == ["a is null or b is null or a < b", "fixed_combinations(u, v)"]


def test_what_has_no_rule_is_skipped_with_the_reason():
    found = from_sdv([
        {"constraint_class": "ForeignToForeignKey", "constraint_parameters": {"column_names": ["a"]}},
        {"constraint_class": "MyOwn", "constraint_parameters": {}},
        {"constraint_class": "Inequality", "constraint_parameters": {"low_column_name": "a"}},
    ])  # fmt: skip
    assert not found.rules
    assert [reason for reason in ("another table", "'MyOwn'", "high_column_name") for s in found.skipped
            if reason in s.reason] == ["another table", "'MyOwn'", "high_column_name"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parameters", "shown"),
    [
        ("Unique", {"column_names": ["a", "b"]}, "unique(a, b)"),
        ("Unique", {"column_names": "a"}, "unique(a)"),
        ("CompositeKeys", {"primary_keys": [{"table_name": "t", "primary_key": ["a", "c"]}]}, "unique(a, c)"),
        ("UniqueCombinations", {"columns": ["u", "v"]}, "fixed_combinations(u, v)"),
    ],
)
def test_keys_are_read_and_the_old_name_of_combinations_is_no_key(name, parameters, shown):
    found = from_sdv([{"constraint_class": name, "constraint_parameters": parameters}])
    assert [str(rule) for rule in found.rules] == [shown]
    assert not found.skipped


def test_composite_keys_of_several_tables_are_skipped():
    keys = [{"table_name": table, "primary_key": ["a", "b"]} for table in ("s", "t")]
    found = from_sdv([{"constraint_class": "CompositeKeys", "constraint_parameters": {"primary_keys": keys}}])
    assert not found.rules
    assert "another table" in found.skipped[0].reason
