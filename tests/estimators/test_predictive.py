from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy as scipy_entropy

from janus_synth import Janus
from janus_synth.estimators.predictive import NumericPrediction, entropy, ranges_of, uncertainty_frame
from janus_synth.kernels.dtypes import CODE

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0, "links": "off"}


@pytest.fixture(scope="module")
def lines():
    """A model of y = 2x + noise, and rows to ask about."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 500)
    frame = pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=500)})
    return Janus(structure=[("x", "y")], **QUICK).fit(frame), pd.DataFrame({"x": [1.0, 5.0, 9.0]})


@pytest.fixture(scope="module")
def found(lines):
    return NumericPrediction.of(*lines, "y")


def draws_of(found: NumericPrediction, row: int, n: int) -> np.ndarray:
    """Values drawn from one row's distribution: a code by its probability, then a place inside it."""
    rng = np.random.default_rng(row)
    p = found.by_code[row] / found.by_code[row].sum()
    return found.codec.decode(rng.choice(len(p), n, p=p).astype(CODE), rng.random(n))


@pytest.mark.statistical
@pytest.mark.parametrize("row", range(3))
def test_moments_and_quantiles_are_those_of_draws(found, row):
    n, false_alarm = 40_000, 1e-6
    drawn = draws_of(found, row, n)
    z = 5.0  # normal bound of a mean: false alarms below 1e-6; moments of 16 points inside a code add less than 0.02
    assert abs(drawn.mean() - found.mean()[row]) <= z * drawn.std() / sqrt(n) + 0.02
    assert abs(drawn.std() - found.std()[row]) <= 0.05 * drawn.std()
    gap = sqrt(log(2 / false_alarm) / (2 * n))  # DKW: 0.013
    for q in (0.05, 0.5, 0.95):
        assert abs((drawn <= found.quantile(q)[row]).mean() - q) <= gap + 1e-9


def test_quantiles_are_in_order_and_stay_in_the_domain(found, lines):
    ends = np.stack([found.quantile(q) for q in (0.0, 0.1, 0.5, 0.9, 1.0)])
    assert (np.diff(ends, axis=0) >= 0).all()
    column = lines[0].schema_["y"]
    assert ends.min() >= column.low
    assert ends.max() <= column.high


def test_the_median_is_that_of_the_model(found, lines):
    model, rows = lines
    np.testing.assert_allclose(found.quantile(0.5), model.predict(rows, "y"), rtol=1e-9)


def test_entropy_is_that_of_scipy():
    shares = np.random.default_rng(0).dirichlet(np.ones(5), size=7)
    np.testing.assert_allclose(entropy(shares), scipy_entropy(shares, axis=1))
    assert entropy([[1.0, 0.0]])[0] == 0.0


def labelled(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.5
    return pd.DataFrame({"label": label, "x": rng.normal(label * 1.5), "z": rng.normal(size=n)})


def test_without_children_the_parts_are_those_of_the_closed_form():
    rows = labelled(200)
    model = Janus(structure={"label": ["x", "z"], "x": [], "z": []}, **QUICK).fit(rows)
    parts = uncertainty_frame(model, rows.drop(columns="label"), "label", n_draws=3, seed=0)
    assert list(parts) == ["total", "aleatoric", "epistemic", "support"]
    np.testing.assert_array_equal(parts["total"], model.uncertainty(rows, ["label"])["label"]["total"])


def test_posterior_draws_split_the_entropy_and_more_rows_remove_the_epistemic_part():
    asked, means = labelled(60, seed=9).drop(columns="label"), []
    for n in (60, 4_000):
        model = Janus(structure={"label": [], "x": ["label"], "z": ["label"]}, **QUICK).fit(labelled(n))
        parts = uncertainty_frame(model, asked, "label", n_draws=12, seed=1)
        assert list(parts) == ["total", "aleatoric", "epistemic"]
        assert (parts["epistemic"] >= -1e-12).all()
        np.testing.assert_allclose(parts["total"], parts["aleatoric"] + parts["epistemic"])
        assert parts["total"].max() <= log(2) + 1e-9
        means.append(parts["epistemic"].mean())
    assert means[1] < means[0] / 3


def test_rows_that_a_drawn_model_cannot_produce_get_the_posterior_mean(monkeypatch):
    """A stand-in refuses every row with a negative x, as a vanished share would."""
    from janus_synth.errors import DataError
    from janus_synth.estimators import predictive

    asked = labelled(30, seed=9).drop(columns="label")
    model = Janus(structure={"label": [], "x": ["label"], "z": ["label"]}, **QUICK).fit(labelled(300))
    genuine = predictive.code_probabilities

    def refusing(one, table, target, **options):
        if one is not model.model_ and (table["x"] < 0).any():
            raise DataError("no value")
        return genuine(one, table, target, **options)

    monkeypatch.setattr(predictive, "code_probabilities", refusing)
    draws = predictive._posterior_predictions(model, asked, "label", n_draws=3, seed=0)
    expected = model._by_code(asked, "label")
    refused = (asked["x"] < 0).to_numpy()
    assert refused.any()
    assert not refused.all()
    np.testing.assert_allclose(draws[:, refused], np.broadcast_to(expected[refused], draws[:, refused].shape))
    assert np.abs(draws[:, ~refused] - expected[~refused]).max() > 0.01


def test_entropies_of_numbers_are_on_eight_ranges_with_equal_numbers_of_rows(lines):
    model, _ = lines
    ranges = ranges_of(model, "y")
    assert (ranges.sum(axis=1) == 1).all()
    rows = pd.DataFrame({"y": model.sample(4_000, random_state=0)["y"]})
    codes = model.model_.codec.columns["y"].encode(rows["y"].to_numpy())
    shares = ranges[codes].mean(axis=0)
    assert np.abs(shares[:8] - 1 / 8).max() < 0.04
    assert shares[8] == 0  # missing


def test_a_number_that_tells_nothing_is_as_uncertain_as_it_can_be():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"y": rng.normal(size=500), "x": rng.normal(size=500)})
    model = Janus(structure=[("y", "x")], **QUICK).fit(rows)
    assert model.dag_.children("y")  # a given graph keeps its edges
    parts = uncertainty_frame(model, rows[["x"]].head(20), "y", n_draws=8, seed=0)
    assert abs(parts["total"].mean() - log(8)) < 0.1
