"""``janus apply``: answers for every row of a folder or pattern."""

from __future__ import annotations

import pandas as pd
import pytest

from janus_synth import Janus


@pytest.fixture
def parts(desk):
    rows = pd.read_csv(desk / "people.csv")
    (desk / "parts").mkdir()
    for i in range(2):
        rows[i::2].to_csv(desk / "parts" / f"{i}.csv", index=False)
    return rows


@pytest.mark.parametrize("question", ["complete", "uncertainty", "anomaly_score", "log_prob"])
def test_every_question_is_answered_for_every_row(janus, desk, parts, question):
    result = janus("apply", "people.janus", question, "parts/*.csv", "-o", "answers/", "--seed", 1)
    assert "2 files of answers in answers/" in result.stdout
    answers = pd.read_parquet(desk / "answers")
    assert len(answers) == len(parts)


def test_answers_are_those_in_memory(janus, desk, parts):
    janus("apply", "people.janus", "log_prob", "parts", "-o", "answers/", "-q")
    found = pd.read_parquet(desk / "answers" / "part-00000000.parquet")["log_prob"]
    expected = Janus.load("people.janus").log_prob(pd.read_csv(desk / "parts" / "0.csv"))
    assert found.to_numpy() == pytest.approx(expected)
