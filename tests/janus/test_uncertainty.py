"""Methods of the public class about uncertainty: they forward to the questions and keep kind and index of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.questions.prediction import code_probabilities
from janus_synth.questions.uncertainty import uncertainty
from janus_synth.table import read_table
from sampling.small_models import small_model, small_table


def test_uncertainty_is_that_of_the_question():
    model, rows = small_model("sparse"), small_table(50, seed=4)
    found = model.uncertainty(rows, columns=["c", "f"])
    cells = uncertainty(model.model_, read_table(rows, model.schema_), ("c", "f"))
    assert found.columns == ("c", "f")
    for name in found.columns:
        np.testing.assert_array_equal(found[name]["aleatoric"], cells[name].aleatoric)


def test_suggested_rows_are_those_with_the_most_to_teach():
    model, rows = small_model("sparse"), small_table(80, seed=4)
    epistemic = model.uncertainty(rows, "f").rows.epistemic
    chosen = model.suggest(rows, 5, "f")
    assert chosen.index.tolist() == np.argsort(-epistemic, kind="stable")[:5].tolist()
    pd.testing.assert_frame_equal(chosen, rows.loc[chosen.index])
    with pytest.raises(DataError, match="'a' has no parents"):
        model.suggest(rows, 5, "a")


def test_predictions_are_the_likeliest_levels():
    model, rows = small_model("sparse"), small_table(40, seed=6).set_index(np.arange(40)[::-1])
    shares = model.predict_proba(rows, "c")
    by_code = code_probabilities(model.model_, read_table(rows, model.schema_), "c")
    np.testing.assert_allclose(shares.to_numpy(), by_code[:, :3], atol=1e-6)
    best = model.predict(rows, "c")
    assert best.index.equals(rows.index)
    assert (best == shares.idxmax(axis=1)).all()


def test_scores_of_rows_are_the_sums_of_their_cells():
    model, rows = small_model("sparse"), small_table(30, seed=7)
    parts = model.anomaly_score(rows, by_column=True)
    np.testing.assert_allclose(model.anomaly_score(rows), parts.sum(axis=1))


@pytest.mark.parametrize(("columns", "error", "message"), [
    ("cc", UnknownColumnError, "Did you mean 'c'"), ([], DataError, "columns is empty"), (3, TypeError, "columns is 3"),
])  # fmt: skip
def test_bad_columns_are_named(columns, error, message):
    with pytest.raises(error, match=message):
        small_model("sparse").uncertainty(small_table(5), columns)
