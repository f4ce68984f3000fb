"""Answers over several graphs: mixtures against draws from them, effects in worlds whose direction is open."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Estimate, Janus
from janus_synth.questions.effect import N_POSTERIOR_DRAWS
from janus_synth.questions.graph_average import mix_estimates


def open_direction(n=600, seed=0):
    """Two columns whose direction no test can tell, and one that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": 0.8 * x + 0.6 * rng.normal(size=n), "other": rng.normal(size=n)})


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("causallearn")
    return Janus(structure="bootstrap", n_graphs=12, random_state=0, trust_graph=True).fit(open_direction())


def test_a_mixture_has_the_variance_of_draws_from_it():
    value, spread, weights = np.array([0.0, 1.0, 3.0]), np.array([0.5, 0.2, 1.0]), np.array([0.2, 0.5, 0.3])
    quantile = stats.t.ppf(0.95, N_POSTERIOR_DRAWS - 1)
    estimates = [Estimate(v, v - quantile * s, v + quantile * s) for v, s in zip(value, spread, strict=True)]
    found, between = mix_estimates(estimates, weights, 0.9)
    rng = np.random.default_rng(0)
    which = rng.choice(3, 400_000, p=weights)
    draws = rng.normal(value[which], spread[which])
    assert found.value == pytest.approx(draws.mean(), abs=0.01)
    assert (found.high - found.low) / 2 / quantile == pytest.approx(draws.std(), rel=0.01)
    assert between == pytest.approx(np.var(value[which]) / np.var(draws), abs=0.01)


def test_one_certain_estimate_stays_as_it_is():
    alone = Estimate(2.0, 1.0, 3.0)
    found, between = mix_estimates([alone], np.array([1.0]), 0.95)
    assert found == pytest.approx(alone)
    assert between == 0
    assert mix_estimates([Estimate(0.0, 0.0, 0.0)], np.array([1.0]), 0.95) == (Estimate(0.0, 0.0, 0.0), 0.0)


def test_an_effect_whose_direction_is_open_covers_both_answers(model):
    """With x → y the effect of two units of x is 1.6, with y → x it is 0."""
    found = model.effect("x", "y", [-1, 1], n=2_000)
    share = model.edge_confidence_.set_index(["parent", "child"]).loc[("x", "y"), "confidence"]
    assert found.effects[1].value == pytest.approx(1.6 * share, abs=0.25)
    assert found.effects[1].low < 0.1
    assert found.effects[1].high > 1.5
    assert found.structural[1] > 0.8
    assert found.structural[0] == 0


def test_an_effect_that_all_graphs_agree_on_has_no_structural_part(model):
    found = model.effect("other", "y", [-1, 1], n=2_000)
    assert abs(found.effects[1].value) < 0.15
    assert found.structural[1] < 0.5


def test_a_model_of_one_graph_has_no_structural_share():
    rows = open_direction(200)
    janus = Janus(structure=[("x", "y")], n_trees=2, random_state=0).fit(rows)
    assert janus.effect("x", "y", [-1, 1], n=500).structural == ()


def test_equivalent_graphs_hardly_disagree_in_their_predictions(model):
    """x → y and y → x imply the same distribution; a column that only some graphs use makes a difference."""
    rows = open_direction(200, seed=5)
    among = model.structural_uncertainty(rows, "y").mean()
    assert 0 <= among < 0.05
    assert _mix_with_empty_graph(model).structural_uncertainty(rows, "y").mean() > 2 * among + 0.05


def _mix_with_empty_graph(model):
    """The same model, half of whose weight is a graph without edges."""
    from dataclasses import replace

    from janus_synth.questions.intervention import marginal_bag

    graphs = model.model_.graphs
    alone = tuple(marginal_bag(bag) for bag in model.model_.bags)
    n = len(graphs.bags)
    more = replace(
        graphs,
        dags=(*graphs.dags, model.dag_.without_edges_into(*model.dag_.columns)),
        weights=(*(weight / 2 for weight in graphs.weights), 0.5),
        bags=(*graphs.bags, *alone),
        places=(*graphs.places, tuple(range(n, n + len(alone)))),
    )
    return model._with_model(replace(model.model_, graphs=more))


def test_the_same_seed_gives_the_same_answer(model):
    one, other = (model.effect("x", "y", [-1, 1], n=500, random_state=3) for _ in range(2))
    assert one == other


def test_effects_from_rows_are_averaged_over_graphs(model):
    """As simulated ones: 1.6 where x causes y, and 0 where it does not."""
    rows = open_direction()
    found = model.effect("x", "y", [-1, 1], data=rows)
    share = model.edge_confidence_.set_index(["parent", "child"]).loc[("x", "y"), "confidence"]
    assert found.effects[1].value == pytest.approx(1.6 * share, abs=0.15)
    assert found.structural[1] > 0.8
    alone = Janus(structure=[("x", "y")], n_trees=1, random_state=0).fit(rows).effect("x", "y", [-1, 1], data=rows)
    expected = share * alone.means[1].value + (1 - share) * rows["y"].mean()
    assert found.means[1].value == pytest.approx(expected, abs=0.05)


def test_draws_of_counterfactuals_take_a_graph_each(model):
    """Where y causes x, y does not follow x: the share of draws in which it stays is that of the edge."""
    rows = open_direction(20, seed=9)
    share = model.edge_confidence_.set_index(["parent", "child"]).loc[("x", "y"), "confidence"]
    draws = model.counterfactual(rows, do={"x": "x + 1"}, n_draws=60)
    moved = np.mean([not np.allclose(one["y"], rows["y"]) for one in draws])
    assert 0 < share < 1
    assert moved == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 60))
