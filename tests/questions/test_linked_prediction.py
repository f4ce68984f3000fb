"""Predictions of computed columns, and of columns that others are computed from, against listed rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError
from janus_synth.questions.linked_prediction import is_linked, listed_values
from questions.test_linked_columns import CITY, fitted, orders
from sampling.linked_models import CASES, every_row, fitted_case, keys


def test_linked_targets_are_recognised():
    model = fitted_case("gap").model_
    assert [is_linked(model, name) for name in ("start", "end", "y")] == [True, True, False]


def test_values_are_listed_if_no_bin_holds_two():
    codecs = fitted_case("gap").model_.codec.columns
    assert listed_values(codecs["start"])[:-1].tolist() == [0, 1, 2, 3, 4]
    assert np.isnan(listed_values(codecs["start"])[-1])
    assert listed_values(codecs["y"]).tolist() == [0, 1, 2]
    wide = Janus(random_state=0, n_trees=1).fit(pd.DataFrame({"x": np.random.default_rng(0).normal(size=900)}))
    assert listed_values(wide.model_.codec.columns["x"]) is None


def test_a_row_that_fits_no_value_is_an_error():
    rows = every_row("sum").dropna().head(1).drop(columns=["p", "a"]).assign(b=2.0, t=0.0)
    with pytest.raises(DataError, match="no value of 'a' fits"):
        fitted_case("sum").predict(rows, "a")


def test_columns_without_links_are_predicted_as_before():
    rows = orders(30, seed=8)
    proba = fitted().predict_proba(rows.drop(columns="cost"), "cost")
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_a_computed_column_is_predicted_from_its_inputs():
    model = fitted()
    rows = orders(60, seed=7)
    assert (model.predict(rows.drop(columns="total"), "total") == rows["total"]).all()
    assert (model.predict(rows.drop(columns="city"), "city") == rows["city"]).all()
    proba = model.predict_proba(rows.drop(columns="city"), "city")
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (proba.to_numpy().max(axis=1) == 1.0).all()


def test_an_input_is_predicted_from_the_computed_column():
    model = fitted()
    rows = orders(60, seed=7)
    assert (model.predict(rows.drop(columns="a"), "a") == rows["a"]).all()
    found = model.predict_proba(rows.drop(columns="zone"), "zone")
    allowed = np.array([[CITY[name] == city for name in found] for city in rows["city"]])
    assert (found.to_numpy()[~allowed] == 0).all()


@pytest.mark.parametrize("name", CASES)
def test_predictions_are_the_conditional_of_the_listed_rows(name):
    model, rows = fitted_case(name), every_row(name)
    columns = [column for column in rows if column != "p"]
    for target in columns:
        others = [column for column in columns if column != target]
        some = rows.sort_values("p").tail(6)[columns]
        some = some[some[others].notna().all(axis=1)]
        found = model.predict_proba(some.drop(columns=target), target)
        for place in range(len(some)):
            same = rows[keys(rows[others]) == keys(some[others]).iloc[place]]
            truth = (same.set_index(keys(same[[target]]))["p"] / same["p"].sum()).groupby(level=0).sum()
            seen = found.iloc[place]
            for label, share in truth.items():
                wanted = "null" if label == "-" else label
                assert seen.get(wanted, 0.0) == pytest.approx(share, abs=1e-4), (target, some.iloc[place].to_dict())
