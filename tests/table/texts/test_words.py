"""Words for missing, and for true and false."""

from __future__ import annotations

import pytest

from janus_synth.table.texts.words import infer_boolean_format, missing_words, parse_boolean_format


def test_some_words_mean_missing_only_among_numbers_and_dates():
    words = ["?", "NA", "Namibia", "null", " - ", "unknown"]
    assert missing_words(words, typed=True) == ("?", "NA", "null", " - ", "unknown")
    assert missing_words(words, typed=False) == ("?", "null", " - ")


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (["N", "Y"], "Y/N"),
        (["no", "yes"], "yes/no"),
        (["TRUE", "FALSE"], "TRUE/FALSE"),
        (["f", "t"], "t/f"),
        (["yes", "Yes", "no"], None),
        (["yes"], None),
        (["yes", "f"], None),
        (["0", "1"], None),
    ],
)
def test_two_words_that_belong_together_are_true_and_false(words, form):
    assert infer_boolean_format(words) == form


def test_a_format_names_true_first():
    assert parse_boolean_format("yes/no") == ("no", "yes")
    assert [parse_boolean_format(text) for text in ("yes", "/", "a/a", "a/b/c")] == [None] * 4
