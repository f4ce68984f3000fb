"""Closed-form entropies against formulas and long simulations; epistemic uncertainty vanishes with more rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import ndtr, psi

from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.kernels.supporting import add_mixtures, predict_scores
from janus_synth.questions.support import evidence_of
from janus_synth.questions.uncertainty import Cells
from janus_synth.table import read_table
from janus_synth.trees.cells import sum_codes
from janus_synth.trees.evidence import LocalEvidence
from janus_synth.trees.leaves import entropy_of
from janus_synth.trees.posterior import draw_bag, single_tree
from sampling.small_models import small_model, small_table
from sampling.test_trends import smooth_model, smooth_table

MEASURES = ["total", "aleatoric", "epistemic", "support", "total_share", "aleatoric_share", "epistemic_share"]


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
    assert found["epistemic_share"] == pytest.approx((total - aleatoric) / total, abs=1e-6)  # of the marginal
    assert found["support"] == 1.0


def answers(janus: Janus, rows: pd.DataFrame, column: str) -> tuple[LocalEvidence, np.ndarray, Cells]:
    """Evidence of a column, codes of rows, and measures of their cells."""
    model = janus.model_
    x = model.codec.encode(read_table(rows, model.schema, columns=model.codec.names))
    return evidence_of(model, column), x, janus.uncertainty(rows, column).cells[column]


@pytest.mark.statistical
@pytest.mark.parametrize("column", ["c", "e"])
def test_aleatoric_of_histograms_is_the_mean_over_posteriors(column):
    """A z-test per row at 5 standard errors, about 30 different rows: false alarm below 1 in 10,000.

    Rows of the table the model was fitted to have full support, so that simulated leaves alone give the answer.
    """
    evidence, x, found = answers(small_model("sparse"), small_table(30), column)
    near = found.support == 1.0
    assert near.sum() > 20
    bag, rng, draws = evidence.bag, np.random.default_rng(0), []
    for _ in range(300):
        by_tree = []
        for t in range(bag.splits.n_trees):
            drawn = draw_bag(single_tree(bag, t), rng)
            walker = drawn.compiled(len(x))
            by_tree.append(entropy_of(sum_codes(walker.shares(walker.leaves(x), x), evidence.leaves.cell_of_code)))
        draws.append(np.mean(by_tree, axis=0))
    error = np.std(draws, axis=0) / np.sqrt(300)
    assert (np.abs(found.aleatoric - np.mean(draws, axis=0))[near] < (5 * error + 1e-6)[near]).all()
    assert (found.epistemic >= 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("leaves", "column"),
    [
        ("auto", "b"),
        ("auto", "e"),
        ("trend", "d"),
    ],
)
def test_epistemic_uncertainty_of_trends_is_near_simulation(leaves, column):
    """The approximation for trends: mean over rows, within a fifth of 300 draws of all parameters.

    Regressions are drawn here, by the precision that the formula assumes; a line's leaves share it.
    """
    janus = smooth_model(leaves)
    whole, x, _ = answers(janus, smooth_table(60, seed=9), column)
    bag, rng, draws = single_tree(whole.bag, 0), np.random.default_rng(1), []
    first = slice(0, bag.splits.n_leaves)
    middle, precision = whole.leaves.middle[first], whole.leaves.precision[first]
    _, line = np.unique(np.column_stack([bag.trends.coef, bag.trends.spread]), axis=0, return_inverse=True)
    for _ in range(300):
        drawn = draw_bag(bag, rng)
        noise = rng.normal(size=(line.max() + 1, precision.shape[1]))[line.ravel()] / np.sqrt(precision)
        coef = bag.trends.coef + noise * bag.trends.spread[:, None]
        coef[:, -1] -= (noise[:, :-1] * middle).sum(axis=1) * bag.trends.spread
        made = replace(drawn, trends=replace(drawn.trends, coef=coef)).compiled(len(x))
        draws.append(sum_codes(made.shares(made.leaves(x), x), whole.leaves.cell_of_code))
    simulated = entropy_of(np.mean(draws, axis=0)) - entropy_of(np.array(draws)).mean(axis=0)
    total, expected = one_tree_answer(whole, first, x)
    assert (total - expected).mean() == pytest.approx(simulated.mean(), rel=0.2)


def one_tree_answer(evidence: LocalEvidence, leaves: slice, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Total and expected entropy of the first tree's leaves alone."""
    reached = np.ascontiguousarray(evidence.bag.compiled(len(x)).leaves(x)[:, :1])
    assert reached.max() < leaves.stop
    cells, centre, leverage = evidence.leaves, np.empty(reached.shape), np.empty(reached.shape)
    width = np.empty(len(reached))
    predict_scores(
        evidence.bag.trend_arrays().lines, cells.middle, cells.precision, reached, x, centre, leverage, width
    )
    log_variance = np.zeros(len(reached))
    trends = evidence.bag.trends
    if trends.surface is not None:
        variance, log_variance = trends.surface.variances(x[trends.parents])
        leverage += (variance / width**2)[:, None] / trends.spread[reached] ** 2
    mean, expected = np.zeros((len(reached), cells.n_cells)), np.zeros(len(reached))
    one = np.ones(reached.shape)
    add_mixtures(cells.mixture, reached, one, centre, leverage, width, log_variance.copy(), mean, expected)
    return entropy_of(mean), expected


def test_a_table_of_levels_has_the_exact_posterior():
    """Conjugate tables: one tree that splits levels apart has in each leaf the Dirichlet posterior of its rows."""
    rng = np.random.default_rng(3)
    g = rng.choice(list("pq"), 4_000)
    y = np.where(rng.random(4_000) < np.where(g == "p", 0.9, 0.2), "yes", "no")
    janus = Janus(structure=[("g", "y")], n_trees=1, random_state=0).fit(pd.DataFrame({"g": g, "y": y}))
    leaves = janus.model_.bag("y").leaves
    found = janus.uncertainty(pd.DataFrame({"g": ["p", "q"]}), "y").cells["y"]
    whole = np.array([(y == "no").sum(), (y == "yes").sum()], float)
    root = (whole + leaves.prior_strength / 2) / (whole.sum() + leaves.prior_strength)
    for i, level in enumerate("pq"):
        counts = np.array([((g == level) & (y == name)).sum() for name in ("no", "yes")], float)
        alpha = counts + leaves.prior_strength * root
        p = alpha / alpha.sum()
        assert found.total[i] == pytest.approx(-(p * np.log(p)).sum(), abs=1e-4)
        assert found.aleatoric[i] == pytest.approx((p * (psi(alpha.sum() + 1) - psi(alpha + 1))).sum(), abs=1e-4)


@pytest.mark.statistical
def test_a_linear_model_is_judged_like_the_bayesian_one():
    """y = x + noise, where the exact epistemic uncertainty is ½ log(1 + 1 / n + x² / Sxx).

    The trees know less than the exact model, which knows that the world is a line: never less uncertain by more than a
    tenth of a nat, and the aleatoric part, on eight cells, within 0.1 nats of the exact entropy.
    """
    rng = np.random.default_rng(4)
    n, x_new = 2_000, np.linspace(-2, 2, 41)
    x = rng.normal(size=n)
    y = x + 0.5 * rng.normal(size=n)
    janus = Janus(structure=[("x", "y")], leaves="trend", random_state=0).fit(pd.DataFrame({"x": x, "y": y}))
    found = janus.uncertainty(pd.DataFrame({"x": x_new}), "y").cells["y"]
    edges = np.quantile(y, np.arange(1, 8) / 8)
    cells = np.diff(np.column_stack([np.zeros(41), ndtr((edges - x_new[:, None]) / 0.5), np.ones(41)]), axis=1)
    assert found.aleatoric.mean() == pytest.approx(entropy_of(cells).mean(), abs=0.1)
    exact = 0.5 * np.log1p(1 / n + x_new**2 / (x**2).sum())
    assert (found.epistemic >= exact - 1e-3).all()
    assert found.epistemic.mean() < 0.1


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("leaves", ["auto", "histogram"])
def test_epistemic_falls_with_rows_and_aleatoric_stays(leaves):
    """Eight cells at every size: epistemic falls at each doubling, by chance once in 8! = 40,000 orders."""
    rng = np.random.default_rng(12)
    x = rng.normal(size=40_000)
    frame = pd.DataFrame({"x": x, "y": np.sin(2 * x) + 0.3 * rng.normal(size=40_000)})
    asked, means = frame.tail(1_000), []
    for n in (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000):
        janus = Janus(structure=[("x", "y")], leaves=leaves, random_state=0).fit(frame.head(n))
        cells = janus.uncertainty(asked, "y").cells["y"]
        means.append((cells.epistemic.mean(), cells.aleatoric.mean()))
    epistemic, aleatoric = np.array(means).T
    assert (np.diff(epistemic) < 0).all()
    assert np.ptp(aleatoric) < 0.15


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
    assert u.by_column["total_share"].between(0, 1.02).all()  # the other columns do not make a column less known
    assert cells["support"].between(0, 1).all()
    np.testing.assert_allclose(u.by_row["support"], np.min([u[name]["support"] for name in u.columns], axis=0))
    assert "epistemic  support" in repr(u)


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
    assert world.uncertainty(table, "b")["b"][["total", "aleatoric", "epistemic"]].to_numpy().max() == 0
    assert (world.uncertainty(table, "b")["b"]["support"] == 1).all()
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


def test_a_computed_column_needs_no_labels():
    x = np.random.default_rng(0).normal(size=300).round(2)
    model = Janus(structure=[("x", "sign")], n_trees=1, random_state=0).fit(pd.DataFrame({"x": x, "sign": x > 0}))
    with pytest.raises(DataError, match="'sign' is computed from 'x'"):
        model.suggest(pd.DataFrame({"x": x}), 3, "sign")
