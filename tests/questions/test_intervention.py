"""Interventions against the truncated factorisation, summed over all rows of small models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, col, datasets, holds
from janus_synth.errors import InfeasibleError, RuleError, StructureError, UnknownColumnError
from janus_synth.questions import intervention
from janus_synth.questions.intervention import assigned_values, assignment_rule, can_produce, intervene
from janus_synth.rules import bind
from janus_synth.rules.feasibility import check_feasible
from janus_synth.sampling import log_prob_by_column
from janus_synth.table import physical_value, read_table
from sampling.small_models import distance, every_row, small_model, small_table

N = 40_000
WORLDS = {
    "a point": {"b": 2},
    "a level": {"c": "y"},
    "a range": {"b": (1, 3)},
    "a list": {"c": ["x", "z"]},
    "null": {"d": None},
    "a sum of others": {"b": "a + 1"},
    "a sum in Python": {"f": col("a") + col("b")},
    "two columns": {"b": 3, "e": "x"},
    "one of which follows the other": {"a": [1, 2], "b": "2 * a"},
}


def shares_where_set(structure: str, do: dict) -> tuple[pd.DataFrame, np.ndarray]:
    """All rows, and their probabilities by the truncated factorisation: Π of the other columns' conditionals.

    A column that is set to a range or a list follows its own marginal there.
    """
    rows, _ = every_row(structure)
    model = small_model(structure).model_
    parts = log_prob_by_column(model, read_table(rows, model.schema, columns=model.codec.names))
    shares = np.exp(sum(part for name, part in parts.items() if name not in do))
    for name, value in do.items():
        column = rows[name]
        match value:
            case None:
                shares = shares * column.isna()
            case tuple():
                shares = shares * column.between(*value) * _marginal(structure, name, column)
            case list():
                shares = shares * column.isin(value) * _marginal(structure, name, column)
            case _ if name == "f":
                shares = shares * (column == rows["a"] + rows["b"])
            case "a + 1":
                shares = shares * (column == rows["a"] + 1)
            case "2 * a":
                shares = shares * (column == 2 * rows["a"])
            case _:
                shares = shares * (column == value)
    return rows, np.asarray(shares / shares.sum())


def _marginal(structure: str, name: str, column: pd.Series) -> np.ndarray:
    world = small_model(structure).do({name: sorted(column.dropna().unique())}).model_
    bag, codec = world.bag(name), world.codec.columns[name]
    table = read_table(pd.DataFrame({name: column}), world.schema, columns=[name])
    return bag.shares[0][codec.encode(table[name])]


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.filterwarnings("ignore::janus_synth.errors.LearntGraphWarning")
def test_rows_follow_the_truncated_factorisation(name, structure):
    """Total variation at most a quarter above that of independent draws, whose own spread is some 2 %."""
    do = WORLDS[name]
    if structure == "dense" and "f" in do and name == "a sum in Python":
        do = {"f": col("a") + col("b")}
    world = small_model(structure).do(do)
    rows, shares = shares_where_set(structure, do)
    gap, usual = distance(world.sample(N, random_state=4), rows, shares)
    assert gap < 1.25 * usual + 0.002


@pytest.mark.parametrize("name", ["a point", "a range", "a sum of others"])
def test_probabilities_and_densities_are_those_of_the_new_world(name):
    world = small_model("sparse").do(WORLDS[name])
    rows, shares = shares_where_set("sparse", WORLDS[name])
    where = "f >= 5 and c == 'x'"
    truth = shares[holds(where, rows)].sum()
    found = world.probability(where, level=0.9999)
    assert found.low <= truth <= found.high
    possible = shares > 0
    some = rows[possible].iloc[::7]
    np.testing.assert_allclose(world.log_prob(some), np.log(shares[possible][::7]), atol=0.01)


@pytest.mark.statistical
def test_conditions_hold_in_the_new_world_and_are_distributed_as_its_conditional():
    world = small_model("sparse").do({"b": "a + 1"})
    rows, shares = shares_where_set("sparse", {"b": "a + 1"})
    kept = holds("f >= 4 and e != 'z'", rows)
    gap, usual = distance(
        world.sample(N, where="f >= 4 and e != 'z'", random_state=2), rows[kept], shares[kept] / shares[kept].sum()
    )
    assert gap < 1.25 * usual + 0.002


def test_non_descendants_do_not_change():
    """The mean of z is that of rows without the intervention; only t and its descendant y change."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=2_000)
    t = z + rng.normal(size=2_000)
    table = pd.DataFrame({"z": z, "t": t, "y": t + z + rng.normal(size=2_000)})
    model = Janus(structure=[("z", "t"), ("z", "y"), ("t", "y")], random_state=0).fit(table)
    free, world = model.sample(20_000, random_state=1), model.do({"t": 1.5}).sample(20_000, random_state=1)
    assert (world["t"] == 1.5).all()
    assert world["z"].mean() == pytest.approx(free["z"].mean(), abs=0.05)
    assert world["y"].mean() == pytest.approx(1.5, abs=0.15)
    assert model.probability("t > 2 or t <= 2").value == pytest.approx(1.0)  # the model itself is as it was


def test_a_sum_reaches_beyond_what_was_seen_and_is_rounded_onto_the_lattice():
    rng = np.random.default_rng(0)
    k, w = rng.integers(0, 50, 3_000), rng.normal(size=3_000)
    table = pd.DataFrame({"k": k, "w": w, "n": rng.integers(0, 10, 3_000), "y": k + w})
    model = Janus(structure=[("k", "y"), ("n", "y")], random_state=0).fit(table)
    rows = model.do({"n": "2.5 * k + 0.2"}).sample(2_000, random_state=0)
    assert rows["n"].dtype == table["n"].dtype
    assert (rows["n"] == np.round(2.5 * rows["k"] + 0.2)).all()
    assert rows["n"].max() > 100
    shifted = model.do({"w": "100 * y"}).sample(2_000, random_state=0)
    np.testing.assert_allclose(shifted["w"], 100 * shifted["y"])
    assert shifted["y"].std() == pytest.approx(table["y"].std(), rel=0.1)


def test_worlds_are_saved_loaded_and_set_again(tmp_path):
    world = small_model("sparse").do({"b": (1, 3)})
    world.save(tmp_path / "world.janus")
    again = Janus.load(tmp_path / "world.janus")
    pd.testing.assert_frame_equal(again.sample(50, random_state=1), world.sample(50, random_state=1))
    assert [str(rule) for rule in again.rules_] == ["1 <= b <= 3"]
    assert "b was set: 1 <= b <= 3" in str(again.explain("b"))
    other = again.do({"b": 2, "e": "x"})
    assert set(other.sample(50)["b"]) == {2}  # the later setting counts
    with pytest.raises(StructureError, match="columns set by do \\(b\\)"):
        again.update(small_table(10))
    with pytest.raises(StructureError, match="columns set by do"):
        small_model("sparse").merge(again)


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e", "f"])
def test_a_column_can_take_a_constant_if_and_only_if_the_solver_finds_a_row(name):
    """Values of the column, values between and beyond them, and null, against the feasibility of the assignment."""
    model = small_model("sparse").model_
    column, codec = model.schema[name], model.codec.columns[name]
    if column.is_discrete:
        values = [None, *column.levels]
    else:
        low, high = codec.smallest(0), codec.largest(codec.n_bins - 1)
        values = [None, *np.arange(low - 2, high + 2.25, 0.25), low - 1e-6, high + 1e-6, np.nextafter(low, high)]
    found = []
    for value in values:
        physical = (-1.0 if column.is_discrete else np.nan) if value is None else physical_value(column, value)
        rule = bind(assignment_rule(column, value), model.schema)
        found.append(check_feasible([rule], model.schema, model.codec).feasible)
        assert can_produce(codec, physical) == found[-1], value
    assert any(found)


@pytest.mark.parametrize("do", [{"b": 2}, {"c": "y", "b": 2}, {"d": None}], ids=str)
def test_constants_that_no_rule_mentions_need_no_solver(do, monkeypatch):
    def never(*args: object) -> None:
        raise AssertionError("the solver was called")

    model = small_model("sparse")
    expected = intervene(model.model_, do).interventions
    monkeypatch.setattr(intervention, "check_feasible", never)
    monkeypatch.setattr(intervention, "require_feasible", never)
    assert intervene(model.model_, do).interventions == expected
    table = read_table(small_table(5), model.schema_, columns=model.model_.codec.names)
    assert set(assigned_values(model.model_, table, do, seed=0)) == set(do)
    with pytest.raises(AssertionError, match="solver"):
        intervene(model.model_, {"b": (1, 3)})


def test_rules_hold_in_the_new_world_or_are_named():
    model = Janus(structure=datasets.hiring_graph(), rules="experience <= age - 18", random_state=0)
    model.fit(datasets.hiring(600, random_state=0))
    rows = model.do({"age": (20, 25)}).sample(500)
    assert (rows["experience"] <= rows["age"] - 18).all()
    with pytest.raises(InfeasibleError, match="no row is left in that world.*experience") as caught:
        model.do({"age": 20, "experience": 10})
    assert len(caught.value.conflict) == 3


@pytest.mark.parametrize(
    ("do", "kind", "says"),
    [
        ({}, RuleError, "do takes a mapping"),
        ("a = 3", RuleError, "do takes a mapping"),
        ({"q": 1}, UnknownColumnError, "no column 'q'"),
        ({"c": "w"}, RuleError, "no level 'w'"),
        ({"a": 99}, InfeasibleError, "from 0 to 3"),
        ({"a": 1.5}, InfeasibleError, "nearest"),
        ({"a": "a + 1"}, RuleError, "an expression of itself"),
        ({"a": "f"}, StructureError, "expression of its own descendants"),
        ({"a": "b * d"}, RuleError, "not linear"),
        ({"a": (1, 2, 3)}, RuleError, "a range is \\(low, high\\)"),
        ({"a": (3, 1)}, RuleError, "runs backwards: write \\(1, 3\\)"),
        ({"a": (10, 20)}, InfeasibleError, "no row is left"),
        ({"c": []}, RuleError, "empty"),
        ({"b": "q + 1"}, UnknownColumnError, "no column 'q'"),
        ({"b": "a > 1"}, RuleError, "cannot be set to this"),
        ({"b": "3"}, RuleError, "names no column"),
        ({"b": "a +"}, RuleError, "a linear expression of other columns"),
    ],
)
def test_invalid_interventions_raise(do, kind, says):
    with pytest.raises(kind, match=says):
        small_model("sparse").do(do)
