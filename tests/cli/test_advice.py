"""Advice for the shell names options that the commands have."""

import re

import pytest

from janus_synth.cli.advice import for_shell


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Or drop one of the rules.", "Or drop one of the rules."),
        ("choose on_violation='warn' or 'drop'.", "choose --on-violation warn or drop."),
        ("fit anew with links='off'.", "fit anew with --links off."),
        ("accept this one with trust_graph=True.", "accept this one with --trust-graph."),
        ("use structure='chain', or", "use --structure chain, or"),
        (
            "Allow missing values with schema={'a b': {'nullable': True}}.",
            'Allow missing values with --schema FILE when you fit, where FILE holds {"a b": {"nullable": true}}.',
        ),
    ],
)
def test_arguments_become_options(message, shown):
    assert for_shell(message) == shown


def test_the_options_exist(janus):
    """``janus fit --help`` and ``janus do --help`` list every option that advice may name."""
    told = re.sub(r"\s+", " ", janus("fit", "--help").stdout + janus("do", "--help").stdout)
    for option in ("--schema", "--links", "--on-violation", "--structure", "--trust-graph"):
        assert option in told
