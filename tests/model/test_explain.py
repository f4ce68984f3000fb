"""Explanations: rules that a person can read and that are true of the rows behind them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import UnknownColumnError
from janus_synth.table import read_table
from model.tables import fitted, mixed

NULL = float("nan")
"""One object that stands for null: it is not less than, more than or equal to anything but identical to itself."""

RARE = object()
"""Stands for levels that share a code."""


def worded(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Columns whose names and values Python can read: levels, rare levels, numbers and nulls."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["sea", "land", "air", "odd", "odder"], n, p=[0.4, 0.3, 0.28, 0.01, 0.01])
    wheels = np.select([kind == "sea", kind == "land"], [0, 4], 3) + rng.integers(0, 2, n)
    weight = np.where(kind == "sea", 90.0, 10.0) + 5 * wheels + rng.normal(size=n)
    frame = pd.DataFrame({"kind": kind, "wheels": wheels.astype(float), "weight": weight})
    frame.loc[rng.random(n) < 0.1, "wheels"] = np.nan
    frame.loc[rng.random(n) < 0.1, "kind"] = None
    return frame.assign(price=frame["wheels"].fillna(9) * 10 + frame["weight"] / 4 + rng.normal(size=n))


def rows_as_names(model, frame):
    """Each row as the names that its rules may mention."""
    rare = set()
    if "kind" in frame:
        shared = model.model_.codec.columns["kind"].shared_weight
        rare = {level for level, weight in zip(model.schema_["kind"].levels, shared, strict=True) if weight > 0}
    for row in frame.to_dict("records"):
        named = {name: NULL if value is None or value != value else value for name, value in row.items()}
        yield {name: RARE if value in rare else value for name, value in named.items()}


def holds(rule, names) -> bool:
    """Whether a row satisfies a rule as it is printed; the text is Python but for two words."""
    spelled = " and ".join(f"({condition})" for condition in rule.conditions) or "True"
    return bool(eval(spelled.replace("rare levels", "rare"), {"null": NULL, "rare": RARE, **names}))


@pytest.fixture(scope="module")
def model():
    return fitted(worded(), structure="chain", keep_rare=True)


@pytest.mark.parametrize("tree", [0, 1])
@pytest.mark.parametrize("column", ["wheels", "weight", "price"])
def test_every_training_row_satisfies_exactly_the_rule_of_its_leaf(column, tree, model):
    explanation = model.explain(column, tree=tree, most=None)
    met = np.array([[holds(rule, names) for rule in explanation.rules] for names in rows_as_names(model, worded())])
    assert (met.sum(axis=1) == 1).all()
    assert met.sum(axis=0).tolist() == [rule.n_rows for rule in explanation.rules]


def test_rows_that_meet_one_rule_reach_one_leaf(model):
    codes = model.model_.codec.encode(read_table(worded(), model.schema_))
    for column in ("wheels", "weight", "price"):
        leaf = model.model_.bag(column).splits.leaves_reached(codes, 0)
        rules = model.explain(column, most=None).rules
        for rule in rules:
            meets = np.array([holds(rule, names) for names in rows_as_names(model, worded())])
            assert len(set(leaf[meets])) == 1


@pytest.mark.parametrize("scale", [1, 1_000, 1_000_000], ids=str)
def test_conditions_on_large_numbers_are_true_to_the_unit(scale):
    rng = np.random.default_rng(0)
    income = 20 * scale + rng.integers(0, 10 * scale, 400)
    frame = pd.DataFrame({"income": income, "spent": income // 2 + rng.integers(0, 5, 400)})
    model = fitted(frame, structure="chain")
    explanation = model.explain("spent", most=None)
    met = np.array([[holds(rule, names) for rule in explanation.rules] for names in rows_as_names(model, frame)])
    assert met.sum(axis=0).tolist() == [rule.n_rows for rule in explanation.rules]


def test_moments_are_printed_as_moments():
    rng = np.random.default_rng(0)
    day = np.datetime64("2024-01-01", "us") + rng.integers(0, 300, 400).astype("timedelta64[D]")
    frame = pd.DataFrame({"day": day, "sold": (day.astype(np.int64) // 86_400_000_000) % 400 + rng.integers(0, 5, 400)})
    explanation = fitted(frame, structure="chain").explain("sold", most=None)
    text = str(explanation)
    assert re.search(r"day (<=|>=) 2024-\d\d-\d\d", text)
    dates = [{"day": str(moment)[:10]} for moment in frame["day"]]
    for rule in explanation.rules:  # ISO text sorts like the moments it names
        spelled = " and ".join(re.sub(r"(\d{4}-\d\d-\d\d)", r"'\1'", text) for text in rule.conditions) or "True"
        assert sum(bool(eval(spelled, dict(names))) for names in dates) == rule.n_rows
    moments = fitted(frame[["sold", "day"]], structure="chain").explain("day", most=None)
    assert all(re.search(r"day ≈ 2024-\d\d-\d\d", rule.outcome) for rule in moments.rules)


def test_levels_are_printed_as_levels(model):
    text = str(model.explain("weight", most=None))
    assert "'sea'" in text
    assert "weight ≈" in text


def test_outcomes_of_levels_show_their_shares():
    frame = pd.DataFrame({"a": ["x", "y"] * 100, "b": ["u", "v"] * 100})
    explanation = fitted(frame, structure="chain").explain("b", most=None)
    by_condition = {rule.conditions: rule.outcome for rule in explanation.rules}
    assert re.match(r"b is u (9\d|100)%", by_condition[("a == 'x'",)])
    assert re.match(r"b is v (9\d|100)%", by_condition[("a == 'y'",)])


def test_nulls_are_named_in_conditions_and_outcomes():
    gone = np.arange(400) % 2 == 0
    frame = pd.DataFrame({"a": np.where(gone, np.nan, np.arange(400) % 7), "b": np.where(gone, np.nan, 1.0)})
    text = str(fitted(frame, structure="chain").explain("b", most=None))
    assert "a is null" in text
    assert "a is not null" in text
    assert re.search(r"if a is null: .*null (9\d|100)%", text)
    assert re.search(r"if a is not null: b ≈ 1", text)


def test_counts_add_up_to_the_rows_of_the_table():
    model = fitted(mixed(200))
    for column in model.model_.codec.names:
        for tree in range(model.model_.bag(column).splits.n_trees):
            explanation = model.explain(column, tree=tree, most=None)
            assert sum(rule.n_rows for rule in explanation.rules) == 200
            assert len(explanation.rules) == explanation.n_leaves


def test_counts_grow_with_updates():
    model = fitted(mixed(150)).update(mixed(50, seed=4))
    assert sum(rule.n_rows for rule in model.explain("units", most=None).rules) == 200


def test_largest_leaves_come_first_and_the_rest_is_announced(model):
    every = model.explain("price", most=None)
    few = model.explain("price", most=2)
    sizes = [rule.n_rows for rule in every.rules]
    assert sizes == sorted(sizes, reverse=True)
    assert few.rules == every.rules[:2]
    assert f"and {every.n_leaves - 2:,} smaller leaves" in str(few)
    assert "smaller leaves" not in str(every)


def test_an_explanation_names_its_tree_and_what_it_rests_on(model):
    explanation = model.explain("price", tree=1)
    assert (explanation.column, explanation.tree, explanation.n_trees) == ("price", 1, 2)
    assert set(explanation.parents) == set(model.dag_.parents["price"])
    assert str(explanation).startswith(f"price given {', '.join(explanation.parents)}: tree 2 of 2")


def test_a_column_without_parents_is_always_the_same(model):
    explanation = model.explain("kind")
    assert explanation.parents == ()
    assert "if always: kind is sea" in str(explanation)


def test_an_unknown_column_suggests_names(model):
    with pytest.raises(UnknownColumnError, match="no column 'weigth'. Did you mean 'weight'"):
        model.explain("weigth")
    with pytest.raises(UnknownColumnError, match="'key'"):
        fitted(mixed(50)).explain("key")


@pytest.mark.parametrize("tree", [2, -1, 99])
def test_a_tree_that_is_not_there_is_refused(tree, model):
    with pytest.raises(ValueError, match=f"'price' has trees 0 to 1; there is no tree {tree}"):
        model.explain("price", tree=tree)


def test_a_smooth_effect_is_told_over_the_range_of_its_leaf():
    """The effect is in the surface that all leaves share, and each leaf has its part of it: b = 2 a there."""
    rng = np.random.default_rng(0)
    a, kind = rng.normal(size=2_000), rng.choice(["x", "y"], 2_000)
    b = 2 * a + 0.3 * rng.normal(size=2_000)
    model = fitted(pd.DataFrame({"kind": kind, "a": a, "b": b}), structure="chain", n_bins=100)
    assert model.model_.bag("b").trends.surface is not None
    told = 0
    for rule in model.explain("b", most=None).rules:
        trend = re.search(r"rising from (\S+) to (\S+) as (\S+) goes from (\S+) to (\S+)", rule.outcome)
        if trend is None:
            continue
        start, stop, first, last = map(float, trend.group(1, 2, 4, 5))
        assert trend[3] == "a"
        bounds = {name: float(x) for text in rule.conditions for name, x in bounds_of(text)}
        assert bounds.get("low", -np.inf) <= first < last <= bounds.get("high", np.inf)
        np.testing.assert_allclose([start, stop], [2 * first, 2 * last], atol=0.6)  # two standard deviations
        told += rule.n_rows
    assert told > 1_000


def bounds_of(condition):
    """Bounds on a in a condition as it is printed."""
    if match := re.fullmatch(r"(?:(\S+) <= )?a(?: <= (\S+))?", condition):
        return [(side, x) for side, x in zip(("low", "high"), match.groups(), strict=True) if x]
    return [("low", match[1])] if (match := re.fullmatch(r"a >= (\S+)", condition)) else []
