"""Closed-form entropies against formulas and long simulations; epistemic uncertainty vanishes with more rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import psi

from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.questions.uncertainty import bag_entropies
from janus_synth.table import read_table
from janus_synth.trees import Bag
from janus_synth.trees.leaves import entropy_of
from janus_synth.trees.posterior import draw_bag, single_tree
from sampling.small_models import small_model, small_table
from sampling.test_trends import smooth_model, smooth_table

MEASURES = ["total", "aleatoric", "epistemic", "total_share", "aleatoric_share", "epistemic_share"]


def test_a_lone_category_has_the_entropies_of_the_formula():
    """Paper's configuration: one leaf, α = count + 1 / K."""
    counts = {"x": 6, "y": 3, "z": 1}
    table = pd.DataFrame({"c": np.repeat(list(counts), list(counts.values())).astype(str), "n": np.arange(10) % 7})
    schema = {"c": {"kind": "categorical"}, "n": {"kind": "numeric"}}
    model = Janus.paper(structure=[], schema=schema).fit(pd.concat([table] * 5))
    found = model.uncertainty(table, "c")["c"].iloc[0]
    leaves = model.model_.bag("c").leaves
    alpha = 5 * np.array([6, 3, 1]) + leaves.prior_strength / 3
    p, whole = alpha / alpha.sum(), alpha.sum()
    total = -(p * np.log(p)).sum()
    aleatoric = (p * (psi(whole + 1) - psi(alpha + 1))).sum()
    assert found["total"] == pytest.approx(total, abs=1e-6)
    assert found["aleatoric"] == pytest.approx(aleatoric, abs=1e-6)
    assert found["epistemic_share"] == pytest.approx((total - aleatoric) / np.log(3), abs=1e-6)


def simulated(bag: Bag, x: np.ndarray, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Aleatoric entropy of rows, the mean over trees drawn from their posteriors, and its standard error."""
    draws = []
    for _ in range(n):
        for t in range(bag.splits.n_trees):
            drawn = draw_bag(single_tree(bag, t), rng)
            walker = drawn.compiled(len(x))
            draws.append(entropy_of(walker.shares(walker.leaves(x), x)))
    by_tree = np.array(draws).reshape(n, bag.splits.n_trees, -1).mean(axis=1)
    return by_tree.mean(axis=0), by_tree.std(axis=0) / np.sqrt(n)


@pytest.mark.statistical
@pytest.mark.parametrize("column", ["c", "e"])
def test_aleatoric_of_histograms_is_the_mean_over_posteriors(column):
    """A z-test per row at 5 standard errors, about 30 different rows: false alarm below 1 in 10,000."""
    model = small_model("sparse").model_
    x = model.codec.encode(read_table(small_table(30, seed=8), model.schema, columns=model.codec.names))
    bag = model.bag(column)
    closed = bag_entropies(bag, bag.compiled(len(x)), x)
    mean, error = simulated(bag, x, 300, np.random.default_rng(0))
    assert (np.abs(closed.aleatoric - mean) < 5 * error + 1e-6).all()
    assert (closed.epistemic >= 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize(("leaves", "column"), [("auto", "b"), ("auto", "e"), ("trend", "d")])
def test_epistemic_uncertainty_of_trends_is_near_simulation(leaves, column):
    """The approximation for trends: mean epistemic uncertainty over rows, within a fifth of 150 posterior draws."""
    model = smooth_model(leaves).model_
    x = model.codec.encode(read_table(smooth_table(60, seed=9), model.schema, columns=model.codec.names))
    bag, rng = single_tree(model.bag(column), 0), np.random.default_rng(1)
    walker = bag.compiled(len(x))
    closed, draws = bag_entropies(bag, walker, x), []
    for _ in range(150):
        drawn = draw_bag(bag, rng)
        still = replace(drawn, trends=replace(drawn.trends, coef=bag.trends.coef))  # shares alone
        made = still.compiled(len(x))
        draws.append(made.shares(made.leaves(x), x))
    learnt = entropy_of(np.mean(draws, axis=0)) - entropy_of(np.array(draws)).mean(axis=0)
    assert closed.epistemic.mean() == pytest.approx(learnt.mean(), rel=0.2)


def test_ignorance_ends_as_rows_become_more():
    rng, means = np.random.default_rng(0), []
    for n in (200, 800, 3_200, 12_800):
        u = rng.integers(0, 3, n)
        table = pd.DataFrame({"u": u.astype(str), "v": np.where(rng.random(n) < 0.3 + 0.2 * u, "yes", "no")})
        found = Janus(structure=[("u", "v")], random_state=0).fit(table).uncertainty(table, "v")["v"]
        means.append(found["epistemic"].mean())
        assert (found["epistemic"] >= 0).all()
    assert (np.diff(means) < 0).all()
    assert means[-1] < 3e-4
    assert means[-1] < means[0] / 30  # it falls like 1 / n


def test_rows_are_the_sum_of_their_cells_and_columns_the_mean():
    table = small_table(20, seed=5)
    u = small_model("sparse").uncertainty(table)
    assert u.columns == tuple("abcdef")
    np.testing.assert_allclose(u.by_row["epistemic"], sum(u[name]["epistemic"] for name in u.columns))
    assert u.by_column.set_index("column").loc["f", "total"] == pytest.approx(u["f"]["total"].mean())
    cells = u.to_frame()
    assert list(cells.columns) == ["row", "column", *MEASURES]
    assert len(cells) == 120
    np.testing.assert_allclose(cells["total"], cells["aleatoric"] + cells["epistemic"])
    assert cells["total_share"].between(0, 1 + 1e-9).all()
    assert "epistemic" in repr(u)


def test_columns_that_the_target_does_not_depend_on_may_be_absent():
    model, table = small_model("sparse"), small_table(20, seed=5)
    alone = model.uncertainty(table[["c"]], ["e"])
    pd.testing.assert_frame_equal(alone["e"], model.uncertainty(table)["e"])
    assert len(model.uncertainty(table[["f"]], "a")["a"]) == 20  # a root needs nothing but the number of rows


def test_frames_and_indices_are_those_of_the_rows():
    table = small_table(9, seed=5).set_index(np.arange(9) * 10)
    model = small_model("sparse")
    assert model.uncertainty(table, "e")["e"].index.tolist() == list(range(0, 90, 10))
    assert isinstance(model.uncertainty(pl.from_pandas(table), "e").by_row, pl.DataFrame)
    assert model.uncertainty(pl.from_pandas(table).to_arrow(), "e")["e"].column_names == MEASURES


def test_a_column_that_was_set_is_known():
    world, table = small_model("sparse").do({"b": 2}), small_table(9)
    assert world.uncertainty(table, "b")["b"].to_numpy().max() == 0
    among = small_model("sparse").do({"b": [1, 2]}).uncertainty(table, "b")["b"]
    assert 0 < among["total"].iloc[0] <= np.log(2) + 1e-9
    assert (among["epistemic"] == 0).all()
    follows = small_model("sparse").do({"b": "a"}).uncertainty(table, "b")["b"]
    assert follows["total"].max() == 0


def test_generated_rows_come_with_their_uncertainty():
    model = small_model("sparse")
    rows, u = model.sample(50, with_uncertainty=True, random_state=1)
    pd.testing.assert_frame_equal(rows, model.sample(50, random_state=1))
    pd.testing.assert_frame_equal(u.by_row, model.uncertainty(rows).by_row)


def test_rows_that_would_teach_most_come_first():
    model, table = small_model("sparse"), small_table(60, seed=5)
    chosen = model.suggest(table, 5, "f")
    epistemic = model.uncertainty(table, "f")["f"]["epistemic"]
    assert epistemic[chosen.index].is_monotonic_decreasing
    assert epistemic[chosen.index].min() >= epistemic.drop(chosen.index).max()
    assert len(model.suggest(pl.from_pandas(table), 5)) == 5
    assert model.suggest(table, 100).shape == table.shape


def test_invalid_arguments_raise():
    model, table = small_model("sparse"), small_table(9)
    with pytest.raises(UnknownColumnError, match="no column 'g'"):
        model.uncertainty(table, "g")
    with pytest.raises(DataError, match="columns is empty"):
        model.uncertainty(table, [])
    with pytest.raises(DataError, match="required but missing: 'c'"):
        model.uncertainty(table[["a"]], "e")
    with pytest.raises(UnknownColumnError, match="this uncertainty has no column"):
        model.uncertainty(table, "e")["c"]
    with pytest.raises(DataError, match=r"has no parents in this graph.*tiers="):
        model.suggest(table, 3, "a")
    with pytest.raises(ValueError, match="n is 0"):
        model.suggest(table, 0)
