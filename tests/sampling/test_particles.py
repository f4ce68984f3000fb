"""Particles: weights, resampling and the draw of one column, against brute force."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.rules import bind
from janus_synth.sampling.particles import Particles, concatenate, draw_column, draw_trees, new_particles, score_column
from janus_synth.sampling.request import make_request
from sampling.small_models import small_model, small_table


def weighted(log_weight: list[float], log_mass: float = 0.0) -> Particles:
    """Particles of one column; each has a different value."""
    n = len(log_weight)
    return Particles(np.zeros((1, n), CODE), np.arange(n, dtype=float)[None], np.zeros((1, n), INDEX),
                     np.array(log_weight), log_mass)  # fmt: skip


def test_log_weights_give_the_same_results_as_plain_weights():
    rows = weighted([log(1), log(3), -np.inf, log(4)], log_mass=log(0.01))
    np.testing.assert_allclose(rows.weights(), [0.25, 0.75, 0, 1])
    assert rows.log_mean_weight() == pytest.approx(log(0.01 * 8 / 4))
    assert rows.effective_share() == pytest.approx(8**2 / (1 + 9 + 16) / 4)


def test_selected_rows_keep_the_total_mass_of_the_particles():
    rows = weighted([log(1e-200), log(3e-200)], log_mass=log(1e-200))
    taken = rows.take(np.array([1, 1, 0]))
    assert taken.values.tolist() == [[1, 1, 0]]
    assert (taken.log_weight == 0).all()
    assert taken.log_mean_weight() == pytest.approx(log(1e-200) + log(2e-200))


def test_particles_of_weight_zero_have_no_mass():
    rows = weighted([-np.inf, -np.inf])
    assert rows.log_mean_weight() == -np.inf
    assert rows.effective_share() == 0.0
    assert (rows.weights() == 0).all()


def test_resampling_copies_each_row_in_proportion_to_its_weight():
    """Systematic resampling: the number of copies is always within one of its expectation."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = weighted(rng.normal(size=20).tolist())
        expected = 70 * rows.weights() / rows.weights().sum()
        counts = np.bincount(rows.resample_indices(70, rng), minlength=20)
        assert counts.sum() == 70
        assert (np.abs(counts - expected) < 1).all()


def test_joined_particles_keep_their_weights():
    joined = concatenate([weighted([0.0, 1.0]), weighted([2.0])])
    assert joined.log_weight.tolist() == [0, 1, 2]
    assert joined.values.tolist() == [[0, 1, 0]]


@pytest.mark.statistical
def test_a_column_is_drawn_in_proportion_to_its_allowed_probabilities():
    """Given a = 2, compare the scores, their total and the drawn codes with the probabilities of the bag."""
    model, n, false_alarm = small_model("sparse").model_, 20_000, 1e-6
    request = make_request(model, [bind("b <= 3 and b != 2", model.schema)])
    a, b = (model.codec.names.index(name) for name in "ab")
    rows, rng = new_particles(request, n), np.random.default_rng(0)
    rows.x[a] = model.codec.columns["a"].encode(np.full(n, 2.0))
    score = score_column(request, rows, b).score[0]
    walker = model.bags[b].compiled(len(model.bags))
    shares = walker.shares(walker.leaves(rows.x[:, :1].copy()), rows.x[:, :1].copy())[0]
    values = np.sort(small_table()["b"].unique())
    allowed = np.append((values <= 3) & (values != 2), [False] * (len(shares) - len(values)))
    np.testing.assert_allclose(score, shares * allowed, rtol=1e-6)
    log_total = draw_column(request, rows, b, rng, lambda score, log_scale: None)
    np.testing.assert_allclose(log_total, log(score.sum()), rtol=1e-6)
    seen = np.bincount(rows.x[b], minlength=len(score)) / n
    assert np.abs(np.cumsum(seen) - np.cumsum(score / score.sum())).max() <= sqrt(log(2 / false_alarm) / (2 * n))  # DKW
    assert pd.Series(rows.values[b]).isin([0, 1, 3]).all()


def test_a_column_without_an_allowed_code_keeps_its_cell():
    model = small_model("sparse").model_
    request = make_request(model, [bind("d > a + 5", model.schema)])
    a, d = (model.codec.names.index(name) for name in "ad")
    rows = new_particles(request, 3)
    rows.values[a] = 3.0
    rows.x[a] = model.codec.columns["a"].encode(rows.values[a])
    log_total = draw_column(request, rows, d, np.random.default_rng(0), lambda score, log_scale: None)
    assert (log_total == -np.inf).all()
    assert (rows.x[d] != UNKNOWN).all()


@pytest.mark.statistical
def test_a_tree_is_drawn_in_proportion_to_the_probability_it_gave_the_cell():
    model, n, false_alarm = small_model("dense").model_, 20_000, 1e-6
    request = make_request(model, [], also=range(len(model.bags)))
    cells = small_table().iloc[[7]].dropna()
    assert len(cells) == 1
    rows, rng = new_particles(request, n), np.random.default_rng(1)
    for i, name in enumerate(model.codec.names):
        level = {"c": "xyz", "e": "xyz"}.get(name)
        value = level.index(cells[name].item()) if level else float(cells[name].item())
        rows.x[i] = model.codec.columns[name].encode(np.full(n, value, np.int32 if level else float))
    f = model.codec.names.index("f")
    log_probability = draw_trees(request, rows, f, rng, np.arange(n))
    walker = request.trees(f)
    x = np.ascontiguousarray(rows.x[:, :1])
    each = walker.shares_of(x[f], walker.leaves(x), x)[0]
    np.testing.assert_allclose(log_probability, log(each.mean()), rtol=1e-6)
    seen = np.bincount(rows.tree[f], minlength=len(each)) / n
    assert np.abs(np.cumsum(seen) - np.cumsum(each / each.sum())).max() <= sqrt(log(2 / false_alarm) / (2 * n))
