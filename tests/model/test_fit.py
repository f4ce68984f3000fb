"""Fitting: reproducibility, every kind of structure, and dependences that samples reproduce."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from janus_synth import Dag, Janus
from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.errors import CycleError, DataError, StructureError, UnknownColumnError
from janus_synth.graph.screening import MOST_PARENTS
from janus_synth.model import FitSettings, fit, fit_model
from janus_synth.model.fit import find_structure, with_leaves_for_width
from janus_synth.table import read_table
from janus_synth.trees import GrowthSettings, prepare_growth
from model.tables import FRAME_KINDS, as_kind, assert_same_frame, assert_same_model, fitted, mixed

EDGES = [("a", "b"), ("b", "c")]


def path_table(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Numbers along the path a → b → c, and a constant."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = a + 0.5 * rng.normal(size=n)
    return pd.DataFrame({"c": b + 0.5 * rng.normal(size=n), "b": b, "a": a, "still": np.ones(n)})


def graph_as(form: str) -> object:
    match form:
        case "edge list":
            return EDGES
        case "dict":
            return {"b": ["a"], "c": "b"}
        case "Dag":
            return Dag.from_edges(["a", "b", "c"], EDGES)
        case _:
            return pytest.importorskip("networkx").DiGraph(EDGES)


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", "notears"])
def test_one_seed_is_one_model_whatever_the_number_of_threads(structure):
    frame = mixed(200)
    alone, pair, crowd = (fitted(frame, structure=structure, n_jobs=n_jobs) for n_jobs in (1, 2, 4))
    assert_same_model(alone.model_, pair.model_)
    assert_same_model(alone.model_, crowd.model_)
    assert_same_frame(alone.sample(50), crowd.sample(50))


def test_a_generator_seeds_a_fit_like_a_number_does():
    frame = mixed(150)
    one, other = (fitted(frame, random_state=np.random.default_rng(5)) for _ in range(2))
    assert_same_model(one.model_, other.model_)


def test_another_seed_grows_other_trees():
    frame = mixed(200)
    one, other = fitted(frame, random_state=1).model_, fitted(frame, random_state=2).model_
    assert any(
        not np.array_equal(mine.splits.feature, theirs.splits.feature)
        for mine, theirs in zip(one.bags, other.bags, strict=True)
    )


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_fitting_leaves_the_frame_as_it_was(kind):
    frame, before = as_kind(mixed(80), kind), as_kind(mixed(80), kind)
    fitted(frame)
    assert_same_frame(frame, before)


def test_the_kind_of_frame_does_not_change_what_is_learnt():
    frame = mixed(150)[["group", "member", "amount", "units", "day"]]
    one, *others = (fitted(as_kind(frame, kind)).model_ for kind in FRAME_KINDS)
    for other in others:
        for mine, theirs in zip(one.bags, other.bags, strict=True):
            np.testing.assert_array_equal(mine.leaves.forward.toarray(), theirs.leaves.forward.toarray())


@pytest.mark.parametrize("form", ["edge list", "dict", "Dag", "networkx"])
def test_a_given_graph_is_used_as_it_is(form):
    model = fitted(path_table(), structure=graph_as(form))
    assert set(model.dag_.edges) == set(EDGES)
    assert model.model_.graph_given
    names = model.model_.codec.names
    for name, bag in zip(names, model.model_.bags, strict=True):
        assert {names[j] for j in bag.parents} <= set(model.dag_.parents[name])


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", "notears"])
def test_a_learnt_graph_is_no_causal_claim(structure):
    assert not fitted(path_table(100), structure=structure).model_.graph_given


@pytest.mark.parametrize("structure", ["pc", "ges"])
def test_causal_discovery_finds_the_neighbours_of_a_path(structure):
    pytest.importorskip("causallearn")
    model = fitted(path_table(600).drop(columns="still"), structure=structure)
    assert {frozenset(edge) for edge in model.dag_.edges} == {frozenset(edge) for edge in EDGES}
    assert not model.model_.graph_given
    assert len(model.sample(20)) == 20


def test_a_chain_keeps_the_order_of_the_table():
    frame = mixed(200).drop(columns="key")
    for order in (list(frame), list(frame)[::-1]):
        dag = fitted(frame[order], structure="chain").dag_
        assert dag.edges
        assert all(order.index(parent) < order.index(child) for parent, child in dag.edges)


def test_auto_puts_unordered_columns_first():
    frame = mixed(200)[["units", "amount", "group", "member"]]
    dag = fitted(frame).dag_
    assert not dag.ancestors("group", "member") & {"units", "amount"}
    assert "group" in dag.ancestors("amount")


@pytest.mark.parametrize("structure", ["auto", "chain"])
def test_columns_of_a_wide_table_keep_the_candidates_that_matter(structure):
    """Of more than ``MOST_PARENTS`` columns of noise and one that matters, the last column's trees see the latter."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, MOST_PARENTS + 8)), columns=[f"c{i}" for i in range(MOST_PARENTS + 8)])
    frame["last"] = frame["c5"] + 0.3 * rng.normal(size=300)
    settings = FitSettings(structure=structure, required=[("c1", "last"), ("c2", "last")])
    table = read_table(frame)
    codec = fit_codec(table, settings.bins)
    context = prepare_growth(codec, codec.encode(table), settings.growth)
    with ThreadPoolExecutor(1) as pool:
        candidates = find_structure(settings, codec, context, seed=0, pool=pool).parents["last"]
    assert {"c1", "c2", "c5"} <= set(candidates)
    assert len(candidates) == MOST_PARENTS


def test_the_graph_of_a_chain_holds_the_columns_that_trees_use():
    model = fitted(mixed(200)).model_
    for name in model.codec.names:
        used = {model.codec.names[j] for j in model.bag(name).parents}
        assert set(model.dag.parents[name]) == used


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", EDGES], ids=str)
def test_required_edges_are_in_the_graph(structure):
    # A constant needs no parent, so only the knowledge can put the edge there.
    model = fitted(path_table(), structure=structure, required=[("a", "still")])
    assert ("a", "still") in model.dag_.edges


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", "notears"])
def test_forbidden_edges_are_not_in_the_graph(structure):
    both_ways = [("a", "b"), ("b", "a")]
    assert not set(fitted(path_table(), structure=structure, forbidden=both_ways).dag_.edges) & set(both_ways)


@pytest.mark.parametrize("structure", ["auto", "chain", "forest", "notears"])
def test_later_tiers_cause_no_earlier_ones(structure):
    dag = fitted(path_table(), structure=structure, tiers=[["a"], ["b"], ["c"]]).dag_
    assert not dag.ancestors("a") & {"b", "c"}
    assert not dag.ancestors("b") & {"c"}
    assert ("a", "b") in dag.edges


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"structure": [("a", "x")]}, UnknownColumnError, "'x'"),
        ({"structure": [("a", "b"), ("b", "a")]}, CycleError, "loop"),
        ({"structure": [("a", "b", "c")]}, StructureError, "pairs"),
        ({"structure": EDGES, "forbidden": [("a", "b")]}, StructureError, "forbidden"),
        ({"structure": EDGES, "tiers": [["c"], ["a"]]}, StructureError, "tiers"),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, StructureError, "both required and forbidden"),
        ({"required": [("a", "b"), ("b", "a")]}, CycleError, "a → b"),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, StructureError, "contradict the tiers"),
        ({"tiers": [["a"], ["a"]]}, StructureError, "two tiers"),
        ({"structure": 3}, StructureError, "edge list"),
    ],
    ids=str,
)
def test_impossible_knowledge_is_refused(settings, error, message):
    with pytest.raises(error, match=message):
        fitted(path_table(50), **settings)


def test_every_tree_of_every_learnt_column_is_reported():
    """A column without parents, whose bag is a single leaf, at once; identifiers not at all."""
    table, seen = read_table(mixed(100)), []
    rules = FitSettings(growth=GrowthSettings(n_trees=3), structure="chain")
    model = fit_model(table, rules, seed=0, n_jobs=2, on_tree=lambda name, n: seen.append((name, n)))
    first, *others = model.codec.names
    assert sorted(seen) == sorted([(first, 3)] + [(name, 1) for name in others for _ in range(3)])
    assert sum(n for _, n in seen) == 3 * len(model.codec.names)


def test_the_design_of_the_next_column_is_computed_before_the_trees_of_a_column(monkeypatch):
    """Otherwise workers that are free would wait for it."""
    steps = []
    prepare, grow = fit.prepare_column, fit.grow_tree
    monkeypatch.setattr(fit, "prepare_column", lambda *given: steps.append(("design", given[1])) or prepare(*given))
    monkeypatch.setattr(fit, "grow_tree", lambda *given: steps.append(("tree", given[1])) or grow(*given))
    rules = FitSettings(growth=GrowthSettings(n_trees=2), structure="chain")
    fit_model(read_table(path_table(200)), rules, seed=0, n_jobs=1)
    order = [column for step, column in steps if step == "design"]
    assert len(order) == len(set(order)) == 4
    for column, following in pairwise(order):
        assert steps.index(("design", following)) < steps.index(("tree", column))
    for column, later in zip(order, order[2:], strict=False):  # and no design much earlier: it takes memory
        assert steps.index(("tree", column)) < steps.index(("design", later))


def test_an_error_in_the_callback_ends_the_fit():
    def stop(name, n_trees):
        raise KeyboardInterrupt(name)

    with pytest.raises(KeyboardInterrupt):
        fit_model(read_table(mixed(60)), FitSettings(), seed=0, on_tree=stop)


def test_a_table_of_nothing_but_identifiers_is_refused():
    keys = pd.DataFrame({"key": [f"K-{i:05d}" for i in range(50)]})
    with pytest.raises(DataError, match="'key': {'kind': 'categorical'}"):
        fitted(keys)
    assert len(fitted(keys, schema={"key": {"kind": "categorical"}}, keep_rare=True).sample(5)) == 5


def test_identifiers_come_out_fresh_and_distinct():
    frame = mixed(100)
    rows = fitted(frame).sample(300)
    assert rows["key"].is_unique
    assert not set(rows["key"]) & set(frame["key"])


def test_the_number_of_trees_and_the_size_of_leaves_follow_the_settings():
    model = fitted(mixed(300), n_trees=1, min_samples_leaf=12).model_
    for name, bag in zip(model.codec.names, model.bags, strict=True):
        if model.dag.parents[name]:
            assert bag.leaves.forward.sum(axis=1).min() >= 12
        for tree in range(bag.splits.n_trees):
            leaves = bag.splits.leaf_of_node[bag.splits.nodes_of(tree)]
            assert bag.leaves.forward.toarray()[leaves[leaves >= 0]].sum() == model.n_rows


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "least", "structure", "rows"),
    [
        (100, 25, 2, "auto", 10),
        (1_000, 125, 5, "chain", 50),
        (4_000, 100, 5, "auto", 20),  # other rows hide a row: half of 40
        (40_000, 150, 5, "auto", 10),
        (1_000, 125, 1, "auto", 10),  # everything is kept
        (1_000, 125, 5, "forest", 10),  # few parents
        (1_000, 125, 5, [["c0", "c1"]], 10),
    ],
)
def test_leaves_have_more_rows_where_many_columns_name_each_row(n_rows, n_columns, least, structure, rows):
    frame = pd.DataFrame({f"c{i}": np.arange(n_rows) % 7 + 0.5 for i in range(n_columns)})
    settings = FitSettings(structure, bins=BinSettings(least=least), growth=GrowthSettings(min_samples_leaf=10))
    assert with_leaves_for_width(settings, read_table(frame)).growth.min_samples_leaf == rows
    levels = read_table(frame.astype(str), {name: {"kind": "categorical"} for name in frame})
    assert with_leaves_for_width(settings, levels).growth.min_samples_leaf == 10  # shared by many rows


@pytest.mark.parametrize("n_bins", [2, 7, "auto"])
def test_ordered_columns_have_at_most_the_bins_asked_for(n_bins):
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=2_000)})
    n_codes = fitted(frame, n_bins=n_bins).model_.codec.n_codes[0]
    assert n_codes - 1 <= (254 if n_bins == "auto" else n_bins)


def test_a_declared_domain_is_the_domain():
    frame = pd.DataFrame({"age": np.random.default_rng(0).integers(18, 60, 300)})
    model = fitted(frame, schema={"age": {"low": 0, "high": 120}})
    scores = model.log_prob(pd.DataFrame({"age": [0, 120, -1, 121]}))
    assert np.isfinite(scores[:2]).all()
    assert (scores[2:] == -np.inf).all()
    assert model.sample(2_000)["age"].between(0, 120).all()


def test_a_model_stays_put():
    model = fitted(mixed(60)).model_
    with pytest.raises(FrozenInstanceError):
        model.n_rows = 5
    assert {part.name for part in fields(model)} >= {"schema", "codec", "dag", "bags", "n_rows", "graph_given"}


def test_the_paper_configuration_learns_and_samples():
    frame = mixed(200)
    model = Janus.paper(random_state=0).fit(frame)
    assert all(bag.splits.n_trees == 1 for bag in model.model_.bags)
    assert list(model.sample(20)) == list(frame)


@pytest.mark.statistical
def test_a_strong_dependence_is_learnt():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    rows = fitted(pd.DataFrame({"x": x, "y": x + 0.2 * rng.normal(size=2_000)}), n_bins="auto").sample(4_000)
    # The data's correlation is 0.98. A model that reaches 0.95 gives 4,000 rows below 0.94 with a chance of 1e-6
    # (Fisher's z: 4.9 standard errors); columns drawn on their own would have 0.
    assert np.corrcoef(rows["x"], rows["y"])[0, 1] > 0.94


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["auto", "forest"])
def test_a_deterministic_dependence_is_learnt(structure):
    rng = np.random.default_rng(0)
    city = rng.choice(["Oslo", "Rome", "Bonn", "Lyon"], 2_000)
    country = {"Oslo": "Norway", "Rome": "Italy", "Bonn": "Germany", "Lyon": "France"}
    frame = pd.DataFrame({"city": city}).assign(country=lambda rows: rows["city"].map(country))
    rows = fitted(frame, structure=structure).sample(4_000)
    wrong = int((rows["country"] != rows["city"].map(country)).sum())
    # A leaf of some 500 rows is shrunk by the weight of one row: with probability 1 − 1e-6 at most 0.5 % of the rows
    # deviate. Columns drawn independently would deviate in 75 %.
    assert wrong <= binom.isf(1e-6, 4_000, 0.005)
