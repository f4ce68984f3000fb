"""Keys: no two rows share one, and no more rows are promised than there are keys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.errors import InfeasibleError, UnknownColumnError
from janus_synth.sampling.unique import Keys, check_enough_keys, most_keys, read_keys
from janus_synth.table import read_table
from sampling.small_models import every_row, small_model, small_table


@pytest.fixture(scope="module")
def model():
    return small_model("dense").model_


def test_new_keys_are_those_of_no_earlier_row(model):
    table = read_table(small_table(), model.schema)
    keys = Keys(model, ["a", "d"])
    expected = ~small_table().duplicated(["a", "d"]).to_numpy()  # pandas counts two nulls as equal
    np.testing.assert_array_equal(keys.is_new(table), expected)
    keys.add(table.take(np.arange(10)))
    seen = set(map(tuple, small_table().fillna(-1)[["a", "d"]].head(10).to_numpy()))
    rest = small_table().fillna(-1)[["a", "d"]]
    new = [tuple(row) not in seen and not dup for row, dup in zip(rest.to_numpy(), rest.duplicated(), strict=True)]
    np.testing.assert_array_equal(keys.is_new(table), new)
    assert keys.n == len(seen)


@pytest.mark.parametrize("names", [["a"], ["c"], ["d"], ["a", "d"], ["c", "e", "b"]])
def test_the_condition_for_other_keys_excludes_exactly_those_seen(names, model):
    table = read_table(small_table(), model.schema)
    keys = Keys(model, names)
    keys.add(table.take(np.arange(6)))
    cells = small_table().fillna(-1)[names].apply(tuple, axis=1)
    np.testing.assert_array_equal(holds(keys.others(), table), ~cells.isin(set(cells[:6])))


def test_the_bound_counts_values_and_null(model):
    assert most_keys(model, ["c"]) == 3
    assert most_keys(model, ["c", "d"]) == 3 * (small_table()["d"].nunique() + 1)
    with pytest.raises(InfeasibleError, match="at most 3 different keys"):
        check_enough_keys(model, ["c"], 4)
    check_enough_keys(model, ["c"], 3)


def test_a_continuous_column_has_no_bound():
    rng = np.random.default_rng(0)
    model = Janus(n_trees=1, random_state=0).fit(
        pd.DataFrame({"x": rng.normal(size=200), "n": rng.integers(0, 9, 200)})
    )
    assert most_keys(model.model_, ["x"]) == np.inf


def test_keys_with_an_identifier_need_no_check():
    frame = small_table().assign(order=[f"ORD-{i:05}" for i in range(400)])
    model = Janus(n_trees=1, random_state=0).fit(frame)
    assert read_keys(["order", "a"], model.model_) is None
    rows = model.sample(50, unique=["order", "a"], random_state=0)
    assert not rows.duplicated(["order", "a"]).any()


def test_unknown_and_empty_keys_are_errors(model):
    with pytest.raises(UnknownColumnError, match="'q'"):
        read_keys(["a", "q"], model)
    with pytest.raises(ValueError, match="unique is empty"):
        read_keys([], model)


@pytest.mark.parametrize("where", [None, "a >= 1"])
def test_all_keys_that_exist_can_be_drawn_and_not_one_more(where):
    """The number of keys is that of the enumerated rows with positive probability."""
    model, (rows, shares) = small_model("sparse"), every_row("sparse")
    possible = rows[(shares > 0) & (holds(where, rows, model.schema_) if where else True)]
    most = len(possible[["c", "d"]].drop_duplicates())
    drawn = model.sample(most, where=where, unique=["c", "d"], random_state=3)
    assert not drawn.duplicated(["c", "d"]).any()
    with pytest.raises(InfeasibleError, match=f"there are {most} different keys|at most {most} different"):
        model.sample(most + 1, where=where, unique=["c", "d"], random_state=3)
