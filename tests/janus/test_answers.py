"""Methods that answer without giving rows: their arguments, impossible events, and trees to read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import UnknownColumnError
from model.tables import fitted, mixed


@pytest.mark.parametrize("level", [0.2, 1.0, "high", None, float("nan")], ids=repr)
def test_a_bad_level_is_named(level):
    with pytest.raises(ValueError, match="level is"):
        fitted(mixed(30)).probability("units >= 0", level=level)


def test_an_impossible_event_has_probability_zero_without_an_error():
    model = fitted(mixed(100))
    assert not model.check("units > 5 and units < 5")
    assert tuple(model.probability("units > 5 and units < 5")) == (0.0, 0.0, 0.0)


def test_a_likelihood_under_a_condition_is_the_likelihood_over_the_probability():
    rows = mixed(300)
    model = fitted(rows)
    few = (rows["units"] <= 3).to_numpy(bool, na_value=False)
    free, given = model.log_prob(rows), model.log_prob(rows, "units <= 3")
    known = few & np.isfinite(free)  # rare levels are merged, and their rows have likelihood zero
    assert 50 < known.sum() < len(rows)
    share = model.probability("units <= 3", random_state=0)
    np.testing.assert_allclose(free[known] - given[known], np.log(share.value), atol=1e-9)
    assert np.isneginf(given[~few]).all()


@pytest.mark.parametrize("where", [None, "units <= 3"])
def test_likelihoods_by_column_add_up_and_name_the_impossible_cell(where):
    rows = mixed(300)
    model = fitted(rows)
    total, parts = model.log_prob(rows, where), model.log_prob(rows, where, by_column=True)
    np.testing.assert_allclose(parts.sum(axis=1), total)
    conditions = [] if where is None else ["conditions"]
    assert list(parts) == [*(column.name for column in model.schema_.learnt), *conditions]
    drawn = model.sample(5, random_state=0)
    strange = model.log_prob(drawn.assign(units=10_000), by_column=True)
    assert strange.columns[np.isneginf(strange).all()].tolist() == ["units"]


def test_likelihoods_by_column_count_hidden_columns_in_the_linked_one():
    trips = datasets.trips(600, random_state=0)
    model = Janus(random_state=0).fit(trips)
    assert any(link.hidden for link in model.links_)
    parts = model.log_prob(trips, by_column=True)
    assert set(parts) <= set(trips)
    np.testing.assert_allclose(parts.sum(axis=1), model.log_prob(trips))
    wrong = parts.columns[np.isneginf(model.log_prob(trips.assign(total=trips["total"] + 1), by_column=True)).all()]
    assert wrong.tolist() == ["total"]


def test_a_column_called_conditions_keeps_its_name():
    rows = pd.DataFrame({"conditions": [0, 1] * 50})
    parts = fitted(rows).log_prob(rows, "conditions == 1", by_column=True)
    assert list(parts) == ["conditions", "conditions'"]
    np.testing.assert_allclose(np.exp(parts.sum(axis=1)), rows["conditions"], atol=1e-9)


def test_a_tree_of_no_column_is_an_error_with_a_suggestion():
    with pytest.raises(UnknownColumnError, match="units"):
        fitted(mixed(30)).explain("unit")
