"""Conditions: middle halves hold half of a column, and the free question holds for every row."""

from __future__ import annotations

import numpy as np
import pytest

from janus_bench.ablation.questions import SHARES, Free, Middle
from janus_bench.ablation.run import questions_of
from janus_bench.models.random_sem import ModelKey
from janus_synth import holds
from janus_synth.errors import DataError

KEY = ModelKey(10, 2)
SEM = KEY.sem()
ROWS = SEM.draw(20_000, np.random.default_rng(9))


def test_columns_of_a_smaller_share_are_among_those_of_a_larger_one():
    columns = [Middle(KEY, share).condition(SEM).columns for share in SHARES]
    assert [len(names) for names in columns] == [1, 2, 5]
    assert columns[2][:2] == columns[1]
    assert columns[1][:1] == columns[0]


@pytest.mark.statistical
def test_a_middle_half_holds_half_of_a_continuous_column():
    condition = Middle(KEY, 0.5).condition(SEM)
    for name in condition.columns:
        share = np.logical_and.reduce([one.mask(ROWS) for one in condition.literals if one.column == name]).mean()
        if name in SEM.rounded:
            assert share > 0.5  # ties at the quartiles belong to it
        else:
            # Quartiles and share each of 20,000 rows: a standard deviation of 0.005; 5 of them, false alarm 1e-6.
            assert share == pytest.approx(0.5, abs=0.025)


def test_every_row_meets_the_free_question():
    condition = Free(KEY).condition(SEM)
    assert condition.mask(ROWS).all()
    assert holds(str(condition), ROWS).all()


def test_questions_are_values_with_generators_of_their_own():
    questions = questions_of(KEY, ["range"], ["hard", "1%"])
    assert [(one.kind, one.rarity) for one in questions] == [
        ("range", "hard"), ("range", "joint 1 %"), ("IQR", "10 %"), ("IQR", "25 %"), ("IQR", "50 %"), ("none", "none"),
    ]  # fmt: skip
    assert {one.model for one in questions} == {KEY}
    assert len({one.rng(1).random() for one in questions}) == len(questions)
    assert questions == questions_of(KEY, ["range"], ["hard", "1%"])
    assert len(set(questions)) == len(questions)


def test_an_unknown_kind_is_refused():
    with pytest.raises(DataError, match="Did you mean 'range'"):
        questions_of(KEY, ["rang"])
