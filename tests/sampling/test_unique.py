"""Keys: no two rows share one, and no more rows are promised than there are keys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.errors import InfeasibleError, RuleError, UnknownColumnError
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
        check_enough_keys(Keys(model, ["c"]), 4)
    check_enough_keys(Keys(model, ["c"]), 3)


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


@pytest.fixture(scope="module")
def orders() -> Janus:
    """A model with a key among its rules; the key has 12 × 10 values, of which the sum excludes some."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"order": rng.integers(0, 12, 400), "line": rng.integers(0, 10, 400)}).drop_duplicates()
    frame = frame.assign(kind=rng.choice(list("xyz"), len(frame)), id=[f"R-{i:05}" for i in range(len(frame))])
    frame = frame[frame["order"] + frame["line"] <= 17]
    rules = ["unique(order, line)", "order + line <= 17"]
    return Janus(rules=rules, n_trees=2, trust_graph=True, random_state=0).fit(frame)


N_KEYS = sum(order + line <= 17 for order in range(12) for line in range(10))


def test_a_rule_of_the_model_holds_in_every_request(orders):
    rows = orders.sample(N_KEYS, random_state=1)
    assert not rows.duplicated(["order", "line"]).any()
    with pytest.raises(InfeasibleError, match=f"there are {N_KEYS} different keys"):
        orders.sample(N_KEYS + 1, random_state=1)
    mixed = orders.sample(40, shares={"kind": {"x": 0.5}}, where="line > 2", random_state=1)
    assert not mixed.duplicated(["order", "line"]).any()
    assert ((mixed["kind"] == "x").sum(), mixed["line"].min() > 2) == (20, True)


def test_a_key_may_be_a_condition_and_several_hold_at_once(orders):
    rows = orders.sample(12, where=["unique(order, kind) and line > 3", "unique(line, kind)"], random_state=2)
    for key in (["order", "line"], ["order", "kind"], ["line", "kind"]):
        assert not rows.duplicated(key).any()
    assert len(rows) == 12
    with pytest.raises(InfeasibleError, match="13 rows cannot all differ in 'order': there are at most 12"):
        orders.sample(13, where="unique(order)")
    with pytest.raises(InfeasibleError, match="no other one was found"):
        orders.sample(13, where="unique(order, kind) and order < 3")


def test_rows_for_conditions_and_completed_rows_differ(orders):
    wanted = pd.DataFrame({"order": [1, 2, 2]})
    rows = orders.sample_for(wanted, [5, 3, 4], random_state=1)
    assert rows["order"].tolist() == [1] * 5 + [2] * 7
    assert not rows.duplicated(["order", "line"]).any()
    assert orders.sample_for(wanted, [5, 3, 4], random_state=1).equals(rows)
    full = orders.complete(pd.DataFrame({"order": [3] * 8, "kind": ["x"] * 8}), random_state=1)
    assert full["line"].nunique() == 8
    with pytest.raises(InfeasibleError, match="11 rows cannot all differ"):
        orders.sample_for(pd.DataFrame({"order": [1]}), 11, random_state=1)
    with pytest.raises(InfeasibleError, match="2 rows cannot all differ"):
        orders.complete(pd.DataFrame({"order": [3, 3], "line": [1, 1]}))


def test_pieces_of_a_table_promise_no_key(orders, tmp_path):
    for ask in (lambda: orders.sample_batches(5), lambda: orders.sample_to(tmp_path / "rows", 5)):
        with pytest.raises(RuleError, match="only a whole table can promise"):
            ask()
    free = Janus(n_trees=1, random_state=0).fit(small_table().assign(id=[f"R-{i:05}" for i in range(400)]))
    rows = next(free.sample_batches(50, where="unique(id, a)", random_state=1))
    assert rows["id"].is_unique


def test_a_key_has_no_probability_and_is_stored_with_the_model(orders, tmp_path):
    with pytest.raises(RuleError, match="about all rows"):
        orders.probability("unique(line)")
    orders.save(tmp_path / "orders.janus")
    again = Janus.load(tmp_path / "orders.janus")
    assert again.sample(30, random_state=4).equals(orders.sample(30, random_state=4))


def test_training_rows_that_repeat_a_key_are_reported():
    frame = pd.DataFrame({"a": [*range(50), 0, 1], "b": range(52)})
    with pytest.warns(UserWarning, match=r"2 of 52 rows \(3\.8\d*%\) break the rule 'unique\(a\)'"):
        Janus(rules="unique(a)", n_trees=1, random_state=0).fit(frame)


def test_questions_about_single_rows_leave_keys_aside(orders):
    assert bool(orders.check("line > 3"))
    assert 0 < orders.probability("line > 3").value < 1
    rows = orders.sample(10, random_state=1)
    assert np.isfinite(orders.log_prob(rows)).all()
    assert len(orders.do({"line": 3}).sample(5, where="order > 1", random_state=1)) == 5
    assert orders.effect("order", "line", [1, 5], n=500) is not None
