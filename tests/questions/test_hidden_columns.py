"""Answers of hidden columns belong to the column they are hidden for."""

from __future__ import annotations

import operator

import numpy as np

from janus_synth.questions.hidden_columns import fold_hidden, with_hidden
from janus_synth.questions.uncertainty import Cells
from sampling.linked_models import fitted_case


def test_hidden_columns_join_their_column():
    model = fitted_case("copy").model_
    assert with_hidden(model, ["b", "y"]) == ("b", "y", "b (source)", "b (own)")
    assert with_hidden(model, ["a"]) == ("a",)


def test_parts_are_added_up():
    model = fitted_case("copy").model_
    folded = fold_hidden(model, {"a": 1.0, "b (source)": 2.0, "b (own)": 4.0, "b": 8.0, "y": 16.0}, operator.add)
    assert folded == {"a": 1.0, "b": 14.0, "y": 16.0}


def test_entropies_are_added_and_the_lower_support_counts():
    one, other = Cells(np.ones(2), np.zeros(2), np.array([1.0, 0.2])), Cells(np.ones(2), np.ones(2), np.array([0.5, 1]))
    both = one.plus(other)
    assert both.total.tolist() == [2, 2]
    assert both.aleatoric.tolist() == [1, 1]
    assert both.support.tolist() == [0.5, 0.2]
