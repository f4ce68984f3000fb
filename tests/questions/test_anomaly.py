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
def test_the_score_of_a_category_is_its_mean_p_value_by_enumeration(name):
    """p is uniform between the mass of less likely levels and that of levels as likely; −log p by integration."""
    model, rows = small_model("sparse"), small_table(60, seed=9)
    levels = ["x", "y", "z"]
    tables = {level: rows.assign(**{name: level}) for level in levels}
    schema, names = model.schema_, model.model_.codec.names
    log_p = [log_prob_by_column(model.model_, read_table(t, schema, columns=names))[name] for t in tables.values()]
    share, steps = np.exp(np.array(log_p)), (np.arange(20_000) + 0.5) / 20_000
    for i, table in enumerate(tables.values()):
        below = np.where(share < share[i] * (1 - 1e-9), share, 0.0).sum(axis=0)
        equal = np.where(np.abs(share - share[i]) <= 1e-9 * share[i], share, 0.0).sum(axis=0)
        mean = np.array([-np.log(b + steps * m).mean() for b, m in zip(below, equal, strict=True)])
        found = model.anomaly_score(table, by_column=True)[name]
        np.testing.assert_allclose(found, np.minimum(mean, -np.log(0.5 / (model.n_rows_ + 1))) - 1, atol=1e-3)


def known_rows(n: int, seed: int) -> pd.DataFrame:
    """Columns of every kind from a known distribution: smooth, skewed with an atom, counts, rare levels, booleans."""
    rng = np.random.default_rng(seed)
    a, k = rng.normal(size=n), rng.poisson(3, n)
    return pd.DataFrame(
        {
            "a": a,
            "level": rng.choice(list("pqr"), n, p=[0.7, 0.2, 0.1]),
            "k": k,
            "flag": rng.random(n) < 0.1 + 0.5 * (a > 0),
            "wait": np.where(rng.random(n) < 0.4, 0.0, rng.exponential(size=n)),
            "y": a + k + rng.normal(size=n),
        }
    )


KNOWN_GRAPH = [("a", "flag"), ("a", "y"), ("k", "y")]


@pytest.mark.statistical
def test_rows_of_the_model_score_zero_on_average():
    """p is uniform whatever the column, so that −log p − 1 has mean 0 and variance at most 1: six standard errors.

    Scoring a discrete column by the mass of all values at most as likely, without halving, would give −0.8 for `flag`.
    """
    model = Janus(structure=KNOWN_GRAPH, random_state=0).fit(known_rows(3_000, seed=0))
    score = model.anomaly_score(model.sample(4_000, random_state=1), by_column=True)
    assert (np.abs(score.mean()) < 6 / np.sqrt(4_000)).all()


@pytest.mark.statistical
def test_fresh_rows_of_a_known_distribution_score_zero():
    """0 is as usual. Columns whose distribution is learnt well are within 0.1 nats of it, about six standard errors.

    The density of `y` given two columns is estimated from few rows in each place, so that new rows are a little less
    likely than the model expects: up to 0.35 nats.
    """
    model = Janus(structure=KNOWN_GRAPH, random_state=0).fit(known_rows(4_000, seed=0))
    score = model.anomaly_score(known_rows(6_000, seed=1), by_column=True)
    assert (np.abs(score.drop(columns="y").mean()) < 0.1).all()
    assert abs(score["y"].mean()) < 0.35
    assert abs(score.sum(axis=1).median()) < 0.5


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
