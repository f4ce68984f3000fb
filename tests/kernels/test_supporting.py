"""Kernels of local evidence against their references, on models of columns of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.kernels.dtypes import INDEX
from janus_synth.kernels.supporting import add_leaves, add_mixtures, predict_scores, support_of_rows
from janus_synth.questions.support import evidence_of, rows_in_columns
from janus_synth.table import read_table
from reference import supporting as reference
from reference.surfacing import on_surface


def table(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.choice([-2.0, 2.0], n) + 0.4 * rng.normal(size=n)
    b = np.where(rng.random(n) < 0.2, np.nan, a + rng.normal(size=n))
    g = rng.choice(list("pqr"), n)
    y = np.sin(a) + np.nan_to_num(b) * (g == "p") + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "g": g, "y": np.where(rng.random(n) < 0.1, np.nan, y)})


def asked_rows() -> pd.DataFrame:
    """Rows among the training rows, in the gap, beyond the ends, and with a level that none has."""
    rows = table(40, seed=1).drop(columns="y")
    rows.loc[:9, "a"] = np.linspace(-1, 1, 10)
    rows.loc[10:19, "b"] = np.linspace(3, 30, 10)
    rows.loc[20:24, "g"] = "unheard of"
    return rows


@pytest.fixture(scope="module", params=["histogram", "trend"])
def question(request):
    model = Janus(structure=[(c, "y") for c in "abg"], leaves=request.param, n_trees=3, random_state=0)
    fitted = model.fit(table(400, seed=0)).model_
    rows = read_table(asked_rows(), fitted.schema, columns=("a", "b", "g"))
    x, evidence = fitted.codec.encode(rows), evidence_of(fitted, "y")
    places = rows_in_columns(fitted, rows, x, map(int, evidence.bag.parents))
    values, off = (np.array([places[int(j)][side] for j in evidence.bag.parents]) for side in (0, 1))
    return evidence, x, values, off


def test_support_and_answers_of_the_nodes_above_follow_the_definition(question):
    """The kernel skips nodes that chance explains; the reference visits all."""
    evidence, x, values, off = question
    trees = evidence.bag.compiled(len(x)).trees
    shape = x.shape[1], len(trees.roots)
    leaves, support = np.empty(shape, INDEX), np.empty(shape)
    mean, expected = np.empty((shape[0], evidence.leaves.n_cells)), np.empty(shape[0])
    cells = evidence.node_shares, evidence.node_expected
    support_of_rows(trees, evidence.evidence, x, values, off, *cells, leaves, support, mean, expected)
    told = reference.support_of_rows(trees, evidence.evidence, x, values, off, *cells)
    for found, wanted in zip((leaves, support, mean, expected), told, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert (support[20:25] < 1e-12).all()
    assert 0.01 < np.median(support[:20]) < 0.99 or support[:20].std() > 0.1  # neither all near nor all far


def test_leaves_add_their_distributions(question):
    evidence, x, _, _ = question
    rng = np.random.default_rng(0)
    leaves = evidence.bag.compiled(len(x)).leaves(x)
    support = rng.random(leaves.shape)
    cells = evidence.leaves
    mean, expected = np.zeros((len(leaves), cells.n_cells)), np.zeros(len(leaves))
    if cells.mixture is None:
        add_leaves(cells.shares, cells.expected, leaves, support, mean, expected)
        np.testing.assert_allclose(mean, (support[:, :, None] * cells.shares[leaves]).mean(axis=1), atol=1e-12)
        np.testing.assert_allclose(expected, (support * cells.expected[leaves]).mean(axis=1), atol=1e-12)
        return
    centre, leverage, width = np.empty(leaves.shape), np.empty(leaves.shape), np.empty(len(leaves))
    predict_scores(evidence.bag.trend_arrays().lines, cells.middle, cells.precision, leaves, x, centre, leverage, width)
    log_variance = 0.1 * rng.random(len(leaves))
    add_mixtures(cells.mixture, leaves, support, centre, leverage, width, log_variance, mean, expected)
    told = reference.add_mixtures(cells.mixture, leaves, support, centre, leverage, width, log_variance)
    np.testing.assert_allclose(mean, told[0], atol=1e-9)
    np.testing.assert_allclose(expected, told[1], atol=2e-6)  # the kernel's ψ is a short series


def test_scores_are_those_of_the_regressions_and_leverage_grows_from_their_middle(question):
    evidence, x, _, _ = question
    if evidence.bag.trends is None:
        pytest.skip("no trends")
    trends, cells = evidence.bag.trends, evidence.leaves
    leaves = evidence.bag.compiled(len(x)).leaves(x)
    centre, leverage, width = np.empty(leaves.shape), np.empty(leaves.shape), np.empty(len(leaves))
    lines = evidence.bag.trend_arrays().lines
    predict_scores(lines, cells.middle, cells.precision, leaves, x, centre, leverage, width)
    for r, t in np.ndindex(leaves.shape):
        leaf = leaves[r, t]
        z = [trends.score[j, x[parent, r]] for j, parent in enumerate(trends.parents)]
        z = np.clip(z, trends.low[leaf], trends.high[leaf])
        mean, log_spread = on_surface(lines.surface, lines.parents, x[:, r])
        assert width[r] == pytest.approx(np.exp(log_spread))
        assert centre[r, t] == pytest.approx(mean + width[r] * (trends.coef[leaf, -1] + trends.coef[leaf, :-1] @ z))
        far = (z - cells.middle[leaf]) ** 2 / cells.precision[leaf, :-1]
        assert leverage[r, t] == pytest.approx(1 / cells.precision[leaf, -1] + far.sum())
