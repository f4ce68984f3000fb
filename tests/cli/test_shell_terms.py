from __future__ import annotations

import pytest

from janus_synth.cli.shell_terms import in_shell_terms


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("fit anew with links='off'.", "fit anew with --links off."),
        ("choose on_violation='warn' or 'drop'.", "choose --on-violation warn or drop."),
        ("or accept this one with trust_graph=True.", "or accept this one with --trust-graph."),
        ("believe in with structure=[(cause, effect), ...], or", "believe in with --structure edges.csv, or"),
        ("tiers=[[other columns], ['hired']], or structure=edges.", "--tiers tiers.json, or --structure edges.csv."),
        ("impute the table with complete(rows) first.", "impute the table with janus complete first."),
        ("use do({'age': …}).sample(where=…).", "use janus do --set 'age=…' --where '…'."),
        (
            "Allow missing values with schema={'age': {'nullable': True}}.",
            """Allow missing values with janus fit --schema '{"age": {"nullable": true}}'.""",
        ),
    ],
)
def test_messages_name_options(message, expected):
    assert in_shell_terms(message) == expected


@pytest.mark.parametrize("text", ["age >= 18 and city == 'Rome'", "city=='Rome'", "there is no file no.csv.", "x=True"])
def test_rules_and_other_texts_stay(text):
    assert in_shell_terms(text) == text


def test_advice_on_the_schema_can_be_followed_as_it_is(janus):
    error = janus("fit", "people.csv", "-o", "a.janus", "--rule", "age is null", "--trees", 1, fails=1).stderr
    assert "schema=" not in error
    advice = """--schema '{"age": {"nullable": true}}'"""
    if advice in error:
        janus("fit", "people.csv", "-o", "a.janus", "--trees", 1, "--schema", '{"age": {"nullable": true}}', "-q")
