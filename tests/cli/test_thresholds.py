from __future__ import annotations

import math

import pytest
import typer

from janus_synth.cli.thresholds import Threshold, broken_thresholds, check_names, parse_threshold, threshold_values
from janus_synth.metrics import Attack, Disclosure, Report, Score

KNOWN = ("detection", "ks", "singling_out.risk", "singling_out.low")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("detection > 0.7", Threshold("detection", ">", 0.7)),
        ("  singling_out.risk>=5e-2 ", Threshold("singling_out.risk", ">=", 0.05)),
        ("k_anonymity<10", Threshold("k_anonymity", "<", 10.0)),
        ("utility <= -.5", Threshold("utility", "<=", -0.5)),
    ],
)
def test_a_threshold_is_a_name_a_comparison_and_a_number(text, expected):
    assert parse_threshold(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "detection",
            "detection > ",
            "> 0.7",
            "detection = 0.7",
            "detection > > 1",
            "detection > nan",
            "ks > inf",
        ),
        *(
            "detection > 0.7 and ks > 1",
            "0.7 < detection",
            "a.b.c > 1",
            "__import__('os') > 1",
            "ks > 1; ks",
            "ks > ks",
        ),
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(typer.BadParameter, match="is not a threshold"):
        parse_threshold(text)


@pytest.mark.parametrize(
    ("value", "sign", "broken"),
    [(0.7, ">", False), (0.7, ">=", True), (0.7, "<", False), (0.7, "<=", True), (0.8, ">", True), (0.6, "<", True)],
)
def test_limits_themselves_belong_to_the_inclusive_comparisons(value, sign, broken):
    assert Threshold("ks", sign, 0.7).is_broken(value) is broken


def test_broken_thresholds_are_named_with_their_values():
    thresholds = [Threshold("detection", ">", 0.7), Threshold("ks", ">", 0.1)]
    assert broken_thresholds(thresholds, {"detection": 0.81234, "ks": 0.05}) == [
        "detection is 0.8123, and must not be > 0.7."
    ]


@pytest.mark.parametrize("values", [{}, {"ks": math.nan}])
def test_what_cannot_be_checked_does_not_pass(values):
    with pytest.raises(ValueError, match=r"ks > 0.1 cannot be checked"):
        broken_thresholds([Threshold("ks", ">", 0.1)], values)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("detecton", "Did you mean 'detection'?"),
        ("singling_out", "Did you mean 'singling_out.risk'?"),
        ("zzz", "--help"),
        ("ks", "Add 'ks' to --metrics"),
        ("singling_out.low", "Add 'disclosure' to --metrics"),
    ],
)
def test_names_have_to_exist_and_to_be_computed(name, message):
    with pytest.raises(typer.BadParameter, match=message):
        check_names([Threshold(name, ">", 0.0)], KNOWN, ("detection", "singling_out.risk"))


def test_scores_and_numbers_of_attacks_have_names():
    attack = Attack("linkability", 0.3, 0.1, 0.0, 0.22, 0.2, 0.25, 900, 900, 1e-9)
    disclosure = Disclosure({"linkability": attack}, {}, {})
    scores = {"ks": Score("ks", 0.5, 0.1, 0.0, "")}
    values = threshold_values(Report(scores, {}, "x", "boosting", {}, disclosure))
    assert (values["ks"], values["linkability.risk"], values["linkability.high"]) == (0.5, 0.22, 0.25)
    assert set(threshold_values(Report(scores, {}, "x", "boosting", {}))) == {"ks"}
