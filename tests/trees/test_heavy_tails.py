"""Weights of rows where most follow a line closely and some are far from it, against the line that made them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janus_synth.trees import GrowthSettings, grow_tree, join_bags, prepare_column, prepare_growth, prepare_trends
from janus_synth.trees.fit_trend import WEIGHING_ROWS, with_weights
from janus_synth.trees.heavy_tails import weights_of_rows
from trees.trend_data import table_of

SETTINGS = GrowthSettings()


def regression(v, z):
    """A weighted regression through the origin, as `weights_of_rows` asks for it."""

    def fit(weight):
        residual = z - v * ((weight * v * z).sum() / (weight * v * v).sum())
        return residual, np.sqrt(np.mean(weight * residual**2))

    return fit


def near_copies(rng, n, share=0.15):
    """A column, one that repeats it closely except in a share of the rows, and one of noise."""
    x = rng.normal(size=n)
    y = np.where(rng.random(n) < share, rng.normal(size=n), x + 0.02 * rng.normal(size=n))
    return {"y": y, "x": x, "w": rng.normal(size=n)}


@pytest.mark.parametrize("seed", range(5))
def test_weights_find_the_line_that_most_rows_follow(seed):
    """Least squares takes 0.75 of the slope, since a quarter of the rows do not follow the line."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=4_000)
    strays = rng.random(4_000) < 0.25
    fit = regression(v, z := np.where(strays, rng.normal(size=4_000), v + 0.01 * rng.normal(size=4_000)))
    plain, _ = fit(np.ones(4_000))
    weight = weights_of_rows(plain, fit)
    slopes = [1 - (residual - (z - v)) @ v / (v @ v) for residual in (plain, fit(weight)[0])]
    assert abs(slopes[0] - 0.75) < 0.05
    assert abs(slopes[1] - 1) < 0.005
    far = strays & (np.abs(z - v) > 0.5)
    assert weight[far].max() < 0.05 < 0.5 < np.median(weight[~strays])


@pytest.mark.parametrize("seed", range(5))
def test_residuals_with_light_tails_have_no_weights(seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=2_000)
    for noise in (rng.normal(size=2_000), rng.uniform(-1, 1, 2_000), rng.laplace(size=2_000)):
        fit = regression(v, v + noise)
        assert weights_of_rows(fit(np.ones(2_000))[0], fit) is None


def test_a_line_that_all_rows_keep_has_no_weights():
    v = np.linspace(-1, 1, 50)
    assert weights_of_rows(np.zeros(50), regression(v, v)) is None
    assert weights_of_rows(np.zeros(0), regression(v[:0], v[:0])) is None
    half = np.where(np.arange(50) % 3 == 0, v, 0.0)
    assert weights_of_rows(half, regression(np.ones(50), half)) is None  # most rows are on the line, with spread 0


@pytest.mark.parametrize("seed", range(3))
def test_weights_make_new_rows_likelier(seed):
    """New rows, the same trees: 0.1 nats per row and more."""
    rng = np.random.default_rng(seed)
    table, new = table_of(**near_copies(rng, 3_000)), near_copies(rng, 3_000)
    context = prepare_growth(table.codec, table.x, SETTINGS)
    x = np.stack([codec.encode(new[name]) for name, codec in table.codec.columns.items()])
    plain, weighted = prepare_trends(context, 0, [1, 2], SETTINGS), prepare_column(context, 0, [1, 2], SETTINGS).trends
    assert weighted.has_heavy_tails
    likely = []
    for design in (plain, replace(weighted, surface=None, mean=0.0, spread=1.0)):
        trees = [grow_tree(context, 0, [1, 2], SETTINGS, np.random.default_rng(i), design) for i in range(4)]
        likely.append(np.log(join_bags(trees).compiled(3).probability_of(x[0], x)).mean())
    assert likely[1] > likely[0] + 0.1


def test_a_sample_decides_about_weights_and_all_rows_have_them():
    rng = np.random.default_rng(3)
    n = 3 * WEIGHING_ROWS
    columns = near_copies(rng, n)
    table = table_of(**columns)
    context = prepare_growth(table.codec, table.x, SETTINGS)
    weight = with_weights(prepare_trends(context, 0, [1, 2], SETTINGS)).weight
    far = np.abs(columns["y"] - columns["x"]) > 0.5
    assert weight.shape == (n,)
    assert weight[far].max() < 0.1 < 0.5 < np.median(weight[~far])
    light = table_of(**{**columns, "y": columns["x"] + rng.normal(size=n)})
    context = prepare_growth(light.codec, light.x, SETTINGS)
    assert with_weights(prepare_trends(context, 0, [1, 2], SETTINGS)).weight is None
