"""Patterns are compared with Python's ``re``, and must be quick where backtracking is not."""

import random
import re
import time

import pytest

from janus_synth.errors import RuleError
from janus_synth.rules.language.patterns import compile_pattern, quote

LETTERS = "ab0-._ é\n"


def random_pattern(rng, depth=0):
    kind = rng.random()
    if depth > 3 or kind < 0.35:
        return rng.choice(["a", "b", "0", ".", "[a-b0]", "[^a]", r"\d", r"\W", r"[\d_-]", "-", r"\.", "é", r"\S"])
    if kind < 0.6:
        return random_pattern(rng, depth + 1) + random_pattern(rng, depth + 1)
    if kind < 0.75:
        return f"({random_pattern(rng, depth + 1)}|{random_pattern(rng, depth + 1)})"
    if kind < 0.9:
        return f"({random_pattern(rng, depth + 1)}){rng.choice('*+?')}"
    return f"(?:{random_pattern(rng, depth + 1)}){rng.choice(['{2}', '{1,3}', '{2,}', '{0,2}'])}"


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_re(seed):
    rng = random.Random(seed)
    for _ in range(200):
        pattern = random_pattern(rng)
        ours, theirs = compile_pattern(pattern), re.compile(pattern, re.ASCII)
        for _ in range(20):
            text = "".join(rng.choice(LETTERS) for _ in range(rng.randrange(8)))
            assert ours(text) == (theirs.fullmatch(text) is not None), (pattern, text)


def test_anchors_at_the_ends_change_nothing():
    assert compile_pattern("^ab$")("ab")
    assert not compile_pattern("^ab$")("abc")
    assert compile_pattern("")("")
    assert compile_pattern("a|")("")


def test_nested_repetitions_are_linear():
    pattern = compile_pattern("(a*)*(a|aa)+b")  # re needs exponential time
    start = time.process_time()
    assert not pattern("a" * 20_000)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("[a", "never closed"),
        ("(a", "never closed"),
        ("a)", "no \\( before"),
        ("*a", "nothing to repeat"),
        ("a**", "repetition is repeated"),
        ("a{2", "how often"),
        ("a{3,2}", "must rise"),
        ("a{2000}", "must rise"),
        ("(a{900}){900}", "states"),
        ("a\\", "at the end"),
        ("\\b", "not known"),
        ("(?i)a", "only"),
        ("a^b", "middle"),
        ("[b-a]", "backwards"),
        ("[\\D]", "cannot stand"),
        ("(" * 60 + ")" * 60, "nested"),
    ],
)
def test_what_patterns_do_not_know_is_an_error(pattern, problem):
    with pytest.raises(RuleError, match=problem):
        compile_pattern(pattern)


def test_a_quoted_text_fits_only_itself():
    text = "a.b*(c)[d]{e}|f\\g^$?+"
    assert compile_pattern(quote(text))(text)
    assert not compile_pattern(quote("a.b"))("axb")
