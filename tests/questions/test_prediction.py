"""Posterior predictive of a column given the others, against sums over all rows of small models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from sampling.small_models import every_row, small_model, small_table
from sampling.test_trends import smooth_model, smooth_table


@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("target", list("abcdef"))
def test_probabilities_are_those_of_the_joint(structure, target):
    rows, shares = every_row(structure)
    others = [name for name in rows if name != target]
    table = small_table(60, seed=7)
    found = small_model(structure).predict_proba(table, target)
    names = rows[target].map(lambda v: "null" if pd.isna(v) else str(v if isinstance(v, str) else int(v)))
    joint = pd.Series(shares).groupby([rows[o].fillna(-1) for o in others] + [names]).sum().unstack()
    truth = joint.loc[pd.MultiIndex.from_frame(table[others].fillna(-1))]
    truth = truth.div(truth.sum(axis=1), axis=0)[list(found.columns)]
    np.testing.assert_allclose(found.to_numpy(), truth.to_numpy(), atol=2e-5)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_the_best_guess_is_the_likeliest_level_or_the_median():
    model, table = small_model("sparse"), small_table(60, seed=7)
    by_level = model.predict_proba(table, "c")
    assert model.predict(table, "c").tolist() == by_level.idxmax(axis=1).tolist()
    by_value = model.predict_proba(table, "a")
    below = by_value.cumsum(axis=1)
    median = [int(below.columns[(row >= 0.5).argmax()]) for row in below.to_numpy()]
    assert model.predict(table, "a").tolist() == median
    assert model.predict(table, "a").dtype == table["a"].dtype


def test_a_continuous_column_is_predicted_within_its_noise():
    fresh = smooth_table(500, seed=4)
    guess = smooth_model("auto").predict(fresh, "b")
    assert np.corrcoef(guess, fresh["b"])[0, 1] > 0.9
    assert (model_columns := smooth_model("auto").predict_proba(fresh.head(2), "b")).shape[0] == 2
    assert " to " in model_columns.columns[3]


def test_predictions_satisfy_the_rules():
    table = small_table()
    schema = {name: {"kind": "numeric"} for name in "abdf"}
    model = Janus(structure="chain", schema=schema, rules="b >= a + 1", on_violation="drop", random_state=0)
    with pytest.warns(UserWarning, match="break the rule"):
        model.fit(table)
    kept = table[table["b"] >= table["a"] + 1].head(20)
    found = model.predict_proba(kept, "b")
    for (_, row), shares in zip(kept.iterrows(), found.to_numpy(), strict=True):
        assert shares[[int(value) < row["a"] + 1 for value in found.columns]].sum() == 0


def test_unobserved_descendants_may_be_absent():
    model, table = small_model("sparse"), small_table(20, seed=7)
    without = model.predict_proba(
        table[["a", "c"]].assign(b=table["b"]), "d"
    )  # f, a child of d, is absent with all below
    rows, shares = every_row("sparse")
    joint = pd.Series(shares).groupby([rows["a"], rows["d"].fillna(-1)]).sum().unstack()
    truth = joint.loc[table["a"]].pipe(lambda part: part.div(part.sum(axis=1), axis=0))
    np.testing.assert_allclose(without["null"], truth[-1.0], atol=2e-5)
    with pytest.raises(DataError, match="'b' is absent, but 'c', 'e', 'f' depends on it"):
        model.predict(table.drop(columns="b"), "d")


def test_frames_and_indices_are_those_of_the_rows():
    model, table = small_model("sparse"), small_table(9, seed=7).set_index(np.arange(9) + 100)
    assert model.predict(table, "c").index.tolist() == table.index.tolist()
    assert isinstance(model.predict_proba(pl.from_pandas(table), "c"), pl.DataFrame)
    with pytest.raises(UnknownColumnError, match="no column 'g'"):
        model.predict(table, "g")
