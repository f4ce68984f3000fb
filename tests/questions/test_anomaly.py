"""Anomaly scores: p-values of cells given their parents."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.sampling import log_prob_by_column
from janus_synth.table import read_table
from sampling.small_models import small_model, small_table


def test_anomalous_rows_have_high_scores():
    model, usual = small_model("sparse"), small_table(200, seed=5)
    odd = usual.head(1).assign(a=0, b=5, f=0)
    score = model.anomaly_score(pd.concat([odd, usual]))
    assert score[0] > np.quantile(score, 0.99)
    assert np.isfinite(model.anomaly_score(usual.head(2).assign(a=99, c="unheard of"))).all()
    parts = model.anomaly_score(odd, by_column=True)
    assert parts.sum(axis=1).to_numpy() == pytest.approx(model.anomaly_score(odd))
    assert parts.iloc[0].idxmax() in ("b", "f")


@pytest.mark.parametrize("name", ["c", "e"])
def test_the_score_of_a_category_is_its_p_value_by_enumeration(name):
    """p sums the probabilities of all levels at most as likely given the parents; at least half a row's share."""
    model, rows = small_model("sparse"), small_table(60, seed=9)
    levels = ["x", "y", "z"]
    tables = {level: rows.assign(**{name: level}) for level in levels}
    schema, names = model.schema_, model.model_.codec.names
    log_p = [log_prob_by_column(model.model_, read_table(t, schema, columns=names))[name] for t in tables.values()]
    share = np.exp(np.array(log_p))
    for i, table in enumerate(tables.values()):
        p = np.where(share <= share[i] * (1 + 1e-9), share, 0.0).sum(axis=0)
        found = model.anomaly_score(table, by_column=True)[name]
        np.testing.assert_allclose(found, -np.log(np.clip(p, 0.5 / (model.n_rows_ + 1), 1.0)) - 1, atol=1e-4)


def test_rows_of_the_model_score_zero_on_average():
    """p of a continuous cell is uniform, so that −log p − 1 has mean 0; the bound is six standard errors."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=1_500)
    model = Janus(structure=[("x", "y")], random_state=0).fit(pd.DataFrame({"x": x, "y": x + rng.normal(size=1_500)}))
    score = model.anomaly_score(model.sample(1_500, random_state=1), by_column=True)
    assert abs(score["y"].mean()) < 6 / np.sqrt(1_500)


def test_a_number_is_the_more_anomalous_the_further_out_it_lies():
    """p at both ends of a continuous column: the model's own share further out in the last bin, and the rarer bins."""
    values = np.random.default_rng(1).normal(size=2_000)
    model = Janus(random_state=0).fit(pd.DataFrame({"x": values}))
    codec = model.model_.codec.columns["x"]
    shares = model.model_.bags[0].shares[0]
    width = np.append(codec.knot[:, -1] - codec.knot[:, 0], np.inf)
    density = shares / width
    for bin_, outwards in ((0, -1), (codec.n_bins - 1, 1)):
        inside = np.linspace(codec.knot[bin_, 0], codec.knot[bin_, -1], 9)[1:-1][::outwards]
        score = model.anomaly_score(pd.DataFrame({"x": inside}))
        assert (np.diff(score) >= 0).all()
        assert score[-1] > score[0]
        below = codec.share_below(np.full(len(inside), bin_), inside)
        further = below if outwards < 0 else 1 - below
        p = shares[density < density[bin_]].sum() + further * shares[bin_]
        np.testing.assert_allclose(score, -np.log(np.maximum(p, 0.5 / 2_001)) - 1, atol=1e-6)
