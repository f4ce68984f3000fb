from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.integrations import conditional_table

STRUCTURE = {"sex": [], "dice": ["sex"], "paid": ["sex", "dice"]}


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 600)
    dice = np.where(sex == "f", rng.integers(1, 4, 600), rng.integers(1, 5, 600))
    paid = pd.array(rng.random(600) < dice / 5, dtype="boolean")
    paid[rng.random(600) < 0.1] = pd.NA
    rows = pd.DataFrame({"sex": sex, "dice": dice, "paid": paid})
    return Janus(structure=STRUCTURE, n_trees=3, links="off", random_state=0).fit(rows)


def value_of(state: str):
    return {"null": None, "True": True, "False": False}.get(state, state)


def test_the_tables_multiply_to_the_joint_likelihood(model):
    """``log_prob`` of every possible row, computed by other code."""
    tables = {name: conditional_table(model, name) for name in STRUCTURE}
    states = [tables[name].states for name in STRUCTURE]
    rows = pd.DataFrame(list(product(*states)), columns=list(STRUCTURE))
    expected = []
    for row in rows.itertuples(index=False):
        share = 1.0
        for name, table in tables.items():
            given = [getattr(row, parent) for parent in table.parents]
            at = list(product(*table.parent_states)).index(tuple(given))
            share *= table.values[table.states.index(getattr(row, name)), at]
        expected.append(share)
    asked = rows.assign(dice=rows["dice"].astype(int), paid=pd.array([value_of(s) for s in rows["paid"]], "boolean"))
    np.testing.assert_allclose(np.exp(model.log_prob(asked)), expected, rtol=1e-4, atol=1e-12)
    assert sum(expected) == pytest.approx(1)


def test_states_are_levels_values_and_null(model):
    table = conditional_table(model, "paid")
    assert table.states == ("False", "True", "null")
    assert set(table.parents) == {"sex", "dice"}
    assert dict(zip(table.parents, table.parent_states, strict=True)) == {
        "sex": ("f", "m"),
        "dice": ("1", "2", "3", "4"),
    }
    assert table.values.shape == (3, 8)
    np.testing.assert_allclose(table.values.sum(axis=0), 1)


def test_columns_without_a_table_are_told():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=200), "g": rng.choice(["a", "b"], 200)})
    rows["key"] = [f"K-{i:05d}" for i in range(200)]
    rows["total"] = rows["x"] * 2
    model = Janus(n_trees=1, random_state=0, rules="total == 2 * x").fit(rows)
    with pytest.raises(DataError, match="too many values"):
        conditional_table(model, "x")
    with pytest.raises(DataError, match="identifier"):
        conditional_table(model, "key")
    with pytest.raises(UnknownColumnError, match="no column 'y'"):
        conditional_table(model, "y")
    with pytest.raises(DataError, match="computed from others"):
        conditional_table(model, "total")
