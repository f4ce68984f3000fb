from __future__ import annotations

import numpy as np
import pytest

from chart_reader import data_of, texts_of
from janus_synth.plots import uncertainty_picture
from janus_synth.questions.uncertainty import Cells, Uncertainty

LONG = "a column with a name that is much too long to be written beside a bar"


def found() -> Uncertainty:
    cells = {
        "age": Cells(np.array([1.0, 3.0]), np.array([0.5, 1.5]), np.ones(2)),
        "pay": Cells(np.array([4.0, 4.0]), np.array([4.0, 4.0]), np.ones(2)),
        LONG: Cells(np.array([0.5, 0.5]), np.array([0.25, 0.25]), np.ones(2)),
    }
    return Uncertainty(cells, {"age": 4.0, "pay": 5.0, LONG: 0.0})


def test_bars_are_the_means_of_both_parts_the_least_certain_column_first():
    rows = data_of(uncertainty_picture(found()))
    assert [row["column"] for row in rows[:4]] == ["pay", "pay", "age", "age"]
    parts = {(row["column"], row["part"]): row["value"] for row in rows}
    assert parts["pay", "aleatoric"] == 4.0
    assert parts["pay", "epistemic"] == 0.0
    assert parts["age", "aleatoric"] == 1.0
    assert parts["age", "epistemic"] == 1.0


def test_shares_are_of_the_columns_own_entropy():
    rows = data_of(uncertainty_picture(found(), share=True))
    parts = {(row["column"], row["part"]): row["value"] for row in rows}
    assert parts["pay", "aleatoric"] == pytest.approx(0.8)
    assert parts["age", "epistemic"] == pytest.approx(0.25)


def test_the_chart_explains_its_parts():
    shown = " ".join(texts_of(uncertainty_picture(found())))
    assert "Epistemic: what more rows would tell." in shown
    assert LONG not in shown
