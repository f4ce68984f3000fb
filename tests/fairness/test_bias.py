"""Biases as values: writing and reading them, and errors that name what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth import col
from janus_synth.errors import BiasError, RuleError
from janus_synth.fairness import Bias
from janus_synth.fairness.bias import as_biases

GOOD = {"protected": "sex", "privileged": "male", "outcome": "approved", "favourable": True, "magnitude": 0.2}

BIASES = {
    "direct": Bias(**GOOD),
    "through a mediator": Bias(**GOOD, path="school"),
    "a subgroup": Bias(**GOOD, subgroup="region == 'south' and race in ['blue', 'red']"),
    "a subgroup in Python": Bias(**GOOD, subgroup=col("region") == "south"),
    "lists": Bias("race", ["blue", "green"], "amount", ["small", "large"], -0.3),
    "a set": Bias("race", {"blue"}, "amount", {"small", "large"}, 0.3),
    "ranges": Bias("age", (18, 40), "pay", (30_000, 1e6), 0.1),
    "several protected": Bias(["sex", "race"], {"race": ["blue", "red"], "sex": "male"}, "approved", True, 0.1),
    "several with a range": Bias(["age", "member"], [(18, 40), True], "passed", 1, 0.1),
    "numpy values": Bias("passed", np.int64(1), "pay", (np.float64(3e4), np.int64(10**6)), np.float32(0.25)),
    "dates": Bias("sex", "male", "start", (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")), 0.1),
}


@pytest.mark.parametrize("name", BIASES)
def test_biases_are_written_as_plain_values_and_read_again(name):
    bias = BIASES[name]
    again = Bias.from_dict(json.loads(json.dumps(bias.to_dict())))
    assert again == bias
    assert again.to_dict() == bias.to_dict()
    assert str(again) == str(bias)


def test_several_protected_columns_can_be_given_in_three_ways():
    ways = ({"race": "blue", "sex": "male"}, ["male", "blue"], ("male", "blue"))
    biases = [Bias(("sex", "race"), way, "approved", True, 0.1) for way in ways]
    assert biases[0] == biases[1] == biases[2]
    assert biases[0].protected == ("sex", "race")
    assert biases[0].privileged == ("male", "blue")


@settings(max_examples=30)
@given(st.floats(-1, 1))
def test_a_bias_at_another_size_differs_in_nothing_else(magnitude):
    for bias in BIASES.values():
        other = bias.of(magnitude)
        assert other.magnitude == magnitude
        assert other.of(bias.magnitude) == bias


def test_a_bias_first_changes_the_outcome_or_the_mediator():
    assert BIASES["direct"].is_direct
    assert BIASES["direct"].bites == "approved"
    assert not BIASES["through a mediator"].is_direct
    assert BIASES["through a mediator"].bites == "school"


def test_a_bias_reads_as_a_sentence():
    assert str(BIASES["through a mediator"]) == (
        "0.2 of the favourable approved of those who are not sex = male, through school"
    )
    reversed_ = Bias(["sex", "age"], ["male", (18, 40)], "approved", True, -0.5, subgroup="region == 'south'")
    assert str(reversed_) == (
        "0.5 of the unfavourable approved of those who are not sex = male nor age = 18 to 40 and where "
        "region == 'south', direct"
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"magnitude": 1.5}, "magnitude of a bias is 1.5.*from -1 to 1"),
        ({"magnitude": -1.01}, "magnitude of a bias is -1.01"),
        ({"magnitude": 20}, "magnitude of a bias is 20.*0.2 is 20 %"),
        ({"magnitude": float("nan")}, "magnitude of a bias is nan"),
        ({"magnitude": float("inf")}, "magnitude of a bias is inf"),
        ({"magnitude": "x"}, "magnitude of a bias is 'x'"),
        ({"magnitude": True}, "magnitude of a bias is True"),
        ({"magnitude": np.True_}, "magnitude of a bias is .*True"),
        ({"magnitude": None}, "magnitude of a bias is None"),
        ({"favourable": None}, "null cannot be favourable"),
        ({"outcome": "sex"}, "'sex' is both protected and the outcome"),
        ({"outcome": ""}, "outcome of a bias is ''"),
        ({"outcome": ["approved"]}, r"outcome of a bias is \['approved'\]"),
        ({"path": None}, "path of a bias is None"),
        ({"protected": []}, r"protected is \[\]"),
        ({"protected": 3}, "protected is 3"),
        ({"protected": ["sex", 3], "privileged": ["male", 3]}, r"protected is \['sex', 3\]"),
        ({"protected": ["sex", "sex"], "privileged": ["male", "male"]}, "names a column twice"),
        ({"protected": ["sex", "race"]}, r"privileged is 'male', but 2 columns are protected.*'race'"),
        (
            {"protected": ["sex", "race"], "privileged": {"sex": "male"}},
            "privileged names 'sex', protected 'sex', 'race'",
        ),
        ({"privileged": {"race": "blue"}}, "privileged names 'race', protected 'sex'"),
    ],
)
def test_invalid_arguments_raise(change, says):
    with pytest.raises(BiasError, match=says):
        Bias(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ([1], r"written as an object with protected, .*not as \[1\]"),
        ({key: GOOD[key] for key in GOOD if key != "outcome"}, "lacks outcome"),
        ({**GOOD, "size": 1}, "a bias has no 'size'"),
        ({**GOOD, "favourable": {"from": 1, "to": 2}}, "is not a range.*'low'"),
        ({**GOOD, "privileged": {"male": 1}}, "is not a range.*'low'"),
        ({**GOOD, "protected": ["sex", "race"], "privileged": {"sex": {"a": 1}, "race": "blue"}}, "is not a range"),
        ({**GOOD, "protected": ["sex", "race"], "privileged": 3}, "privileged is 3, but 2 columns are protected"),
        ({**GOOD, "protected": 5, "privileged": 3}, "protected is 5"),
        ({**GOOD, "protected": None, "privileged": None}, "protected is None"),
        ({**GOOD, "magnitude": "0.2"}, "magnitude of a bias is '0.2'"),
    ],
)
def test_invalid_serialised_biases_raise(written, says):
    with pytest.raises(BiasError, match=says):
        Bias.from_dict(written)


def test_a_subgroup_that_is_no_rule_raises_when_the_bias_is_made():
    with pytest.raises(RuleError, match="age >"):
        Bias(**GOOD, subgroup="age >")


@pytest.mark.parametrize(
    ("biases", "says"),
    [([], "no bias is given"), ("ab", "'ab' is not a Bias"), (None, "None"), (5, "5"), ([GOOD], "not a Bias")],
)
def test_an_invalid_list_of_biases_raises(biases, says):
    with pytest.raises(BiasError, match=says):
        as_biases(biases)
