"""Sets of graphs in a model: how they are learnt, counted, saved and checked."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import StructureError
from janus_synth.model.graph_set import distinct_conditionals, resampled_graphs
from model.archives import Archive, refused
from model.tables import assert_same_counts, fitted, mixed

SETTINGS = {"structure": "bootstrap", "graph_learner": "forest", "n_graphs": 4}


def set_of(janus: Janus):
    assert janus.model_.graphs is not None
    return janus.model_.graphs


@pytest.fixture(scope="module")
def model():
    return fitted(mixed(150), **SETTINGS)


# Learning


def test_every_graph_has_the_bags_of_its_parents(model):
    graphs, names = set_of(model), model.model_.codec.names
    for number, dag in enumerate(graphs.dags):
        for i, bag in enumerate(graphs.bags_of(number)):
            assert bag.target == i
            assert {names[j] for j in bag.parents} <= set(dag.parents[names[i]])
            assert bag.leaves.n_rows.sum() == 150 * bag.splits.n_trees  # grown on halves, counted on all rows


def test_columns_with_the_same_parents_share_a_bag(model):
    graphs = set_of(model)
    pairs = {(name, dag.parents[name]) for dag in graphs.dags for name in dag.columns}
    assert len(graphs.bags) == len(pairs)
    conditionals, places = distinct_conditionals(graphs.dags)
    assert set(conditionals) == pairs
    assert tuple(places) == graphs.places


def test_each_graph_is_learnt_on_half_of_the_rows_in_an_order_of_its_own(model):
    codec, x = model.model_.codec, np.arange(7 * 100, dtype=np.uint16).reshape(7, 100)
    seen = []

    def learn(shuffled, part, seed):
        seen.append((shuffled.names, part[list(shuffled.names).index(codec.names[0])], seed))
        return model.dag_.without_edges_into(*codec.names)

    resampled_graphs(codec, x, learn, n_graphs=6, seed=1)
    assert len({names for names, _, _ in seen}) == 6
    assert all(len(np.unique(part)) == 50 and part.max() < 100 for _, part, _ in seen)
    assert len({part.tobytes() for _, part, _ in seen}) == 6


def test_the_seed_determines_the_set_for_any_number_of_threads(model):
    again = fitted(mixed(150), n_jobs=2, **SETTINGS)
    assert set_of(again).dags == set_of(model).dags
    pd.testing.assert_frame_equal(again.edge_confidence_, model.edge_confidence_)


def test_background_knowledge_holds_in_every_graph():
    known = {"required": [("units", "group")], "forbidden": [("amount", "grade")]}
    graphs = set_of(fitted(mixed(150), **SETTINGS, **known))
    for dag in graphs.dags:
        assert ("units", "group") in dag.edges
        assert ("amount", "grade") not in dag.edges


def test_directions_that_rows_leave_open_differ_between_graphs():
    pytest.importorskip("causallearn")
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    rows = pd.DataFrame({"x": x, "y": x + rng.normal(size=800)})
    found = fitted(rows, structure="bootstrap", n_graphs=20).edge_confidence_
    assert (found["either_way"] == 1).all()
    assert found["confidence"].between(0.1, 0.9).all()  # 20 fair coins leave this range with probability 4e-5


def test_links_are_kept_in_every_graph():
    rows = mixed(200).drop(columns=["day", "seen", "key"])
    rows["total"] = rows["units"] + 7
    janus = Janus(random_state=0, n_trees=2, rules=["total == units + 7"], links="rules", **SETTINGS).fit(rows)
    assert [link.column for link in janus.links_] in (["total"], ["units"])
    column = janus.links_[0].column
    assert {dag.parents[column] for dag in set_of(janus).dags} == {janus.dag_.parents[column]}


# Counting


def test_updates_and_merges_count_rows_in_every_graph(model):
    more = mixed(60, seed=3)
    updated = copy.deepcopy(model).update(more)
    other = copy.deepcopy(model).update(more, forget=True)
    merged = model.merge(other)
    for number in range(len(set_of(model).dags)):
        one, both = updated.model_.with_graph(number), merged.model_.with_graph(number)
        assert_same_counts(one, both)
        assert one.bags[0].leaves.n_rows.sum() == 210 * one.bags[0].splits.n_trees


def test_models_with_different_sets_do_not_merge(model):
    alone = copy.deepcopy(model)
    alone.model_ = replace(alone.model_, graphs=None)
    with pytest.raises(StructureError, match="only one of the models has a set"):
        model.merge(alone)
    graphs = set_of(model)
    turned = copy.deepcopy(model)
    turned.model_ = replace(model.model_, graphs=replace(graphs, dags=graphs.dags[::-1], places=graphs.places[::-1]))
    with pytest.raises(StructureError, match="same set of graphs"):
        model.merge(turned)


def test_an_intervention_leaves_one_graph(model):
    world = Janus(trust_graph=True)._with_model(model.model_).do({"units": 3})
    assert world.model_.graphs is None


# Checks and files


@pytest.mark.parametrize(
    "change",
    [
        lambda graphs: {"weights": graphs.weights[:-1]},
        lambda graphs: {"weights": (2.0, *graphs.weights[1:])},
        lambda graphs: {"weights": (-graphs.weights[0], *graphs.weights[1:])},
        lambda graphs: {"places": ((999,) * 7, *graphs.places[1:])},
        lambda graphs: {"places": (graphs.places[0][::-1], *graphs.places[1:])},
        lambda graphs: {"dags": (), "weights": (), "places": ()},
    ],
)
def test_a_set_that_does_not_fit_together_is_an_error(model, change):
    with pytest.raises(StructureError):
        replace(set_of(model), **change(set_of(model)))


def test_a_set_comes_back_from_its_file(model, tmp_path):
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    assert (loaded.graph_learner, loaded.n_graphs, loaded.structure) == ("forest", 4, "bootstrap")
    assert set_of(loaded).weights == set_of(model).weights
    for number in range(len(set_of(model).dags)):
        assert set_of(loaded).dags[number] == set_of(model).dags[number]
        assert_same_counts(loaded.model_.with_graph(number), model.model_.with_graph(number))


def _drop_bag(graphs):
    del graphs["bags"][-1]


def _swap_parents(graphs):
    member = graphs["members"][0]["graph"]
    child = next(name for name, its in member.items() if its)
    member[child] = []


def _heavy(graphs):
    graphs["members"][0]["weight"] = 5.0


def _other_column(graphs):
    graphs["bags"][0]["column"] = 99


def _loop(graphs):
    member = graphs["members"][0]["graph"]
    child = next(name for name, its in member.items() if its)
    member[member[child][0]].append(child)


def _not_numbers(graphs):
    graphs["members"][0]["bags"] = ["0"] * 7


@pytest.mark.parametrize("harm", [_drop_bag, _swap_parents, _heavy, _other_column, _loop, _not_numbers])
def test_a_file_with_a_set_that_does_not_fit_is_refused(model, tmp_path, harm):
    model.save(tmp_path / "m.janus")
    parts = Archive.read(tmp_path / "m.janus")
    harm(parts.manifest["graphs"])
    refused(parts.write(tmp_path / "harmed.janus"))


def test_a_model_of_one_graph_is_written_as_before(tmp_path):
    fitted(mixed(60)).save(tmp_path / "m.janus")
    manifest = Archive.read(tmp_path / "m.janus").manifest
    assert manifest["version"] == 2
    assert "graphs" not in manifest
