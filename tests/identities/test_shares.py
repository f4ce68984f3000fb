"""Shares of texts against counting all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.identities.shares import share_reaches
from strategies import quick


@quick
@given(st.lists(st.booleans(), min_size=1, max_size=40), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
def test_the_answer_is_that_of_counting_all_texts(answers, least):
    texts = [str(i) for i in range(len(answers))]
    assert share_reaches(texts, lambda text: answers[int(text)], least) == (sum(answers) / len(answers) >= least)


@pytest.mark.parametrize(("first", "most_asked"), [(True, 90), (False, 11)])
def test_no_text_is_asked_once_the_answer_is_known(first, most_asked):
    asked = []
    share_reaches(["text"] * 100, lambda text: asked.append(text) or first, 0.9)
    assert len(asked) == most_asked
