from __future__ import annotations

import json

import pytest

from janus_synth import Janus

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_the_probability_of_a_request_is_that_of_the_library(janus):
    model, where = Janus.load("people.janus"), "age < 30 and bonus > 0"
    text = janus("probability", "people.janus", "--where", where).stdout
    share = model.probability(where)
    assert text.splitlines() == [
        f"{share.value:.4g} (95 % interval: {share.low:.4g} to {share.high:.4g})",
        f"one row in {1 / share.value:,.0f}",
    ]
    answer = json.loads(
        janus("probability", "people.janus", "--where", where, "--level", 0.8, "--seed", 5, "--json").stdout
    )
    value, low, high = model.probability(where, level=0.8, random_state=5)
    assert answer == {"value": value, "low": low, "high": high, "level": 0.8, "one_in": 1 / value}


@pytest.mark.parametrize(
    ("where", "words"),
    [("age >= 0", "all of the model's rows"), ("age < 0", "none of the model's rows"), ("hired", "one row in 1.")],
)
def test_probabilities_are_told_in_words(janus, where, words):
    assert words in janus("probability", "people.janus", "--where", where).stdout


def test_an_impossible_request_has_no_one_in(janus):
    answer = json.loads(janus("probability", "people.janus", "--where", "age < 0", "--json").stdout)
    assert answer == {"value": 0.0, "low": 0.0, "high": 0.0, "level": 0.95, "one_in": None}


@pytest.mark.parametrize("options", [[], ["--where", "hired", "--level", "1"], ["--where", "hired", "--seed", "-1"]])
def test_a_probability_needs_a_request_and_a_level(janus, options):
    janus("probability", "people.janus", *options, fails=2)
