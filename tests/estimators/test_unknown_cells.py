from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.estimators.unknown_cells import draw_unknown, probabilities_by_code, unknown_cells

KIND = ["cat", "dog"]


@pytest.fixture(scope="module")
def animals():
    rng = np.random.default_rng(0)
    at = rng.integers(0, 2, 400)
    rows = pd.DataFrame({"kind": np.array(KIND)[at], "loud": np.where(at, "yes", "no"), "size": rng.normal(4 * at)})
    rows["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 400), unit="D")
    flip = rng.random(400) < 0.2
    rows["loud"] = np.where(flip, np.where(rows["loud"] == "yes", "no", "yes"), rows["loud"])
    return Janus(n_trees=2, n_jobs=1, links="off", random_state=0).fit(rows), rows


def test_known_rows_have_no_unknown_cells(animals):
    model, rows = animals
    assert unknown_cells(model, rows.drop(columns="kind")) == {}


def test_new_levels_and_new_nulls_are_unknown(animals):
    model, rows = animals
    asked = rows.head(3).assign(loud=["yes", "maybe", None], size=[1.0, np.nan, 2.0])
    found = unknown_cells(model, asked)
    assert {name: cells.tolist() for name, cells in found.items()} == {
        "loud": [False, True, True],
        "size": [False, True, False],
    }


def test_only_unknown_cells_are_drawn(animals):
    model, rows = animals
    asked = rows.head(5).assign(loud=["maybe", *rows["loud"][1:5]])
    drawn = draw_unknown(model, asked, unknown_cells(model, asked), seed=0)
    assert drawn["loud"][0] in ("yes", "no")
    assert drawn["loud"][1:].tolist() == asked["loud"][1:].tolist()
    pd.testing.assert_frame_equal(drawn.drop(columns="loud"), asked.drop(columns="loud"))


def test_an_unknown_cell_counts_as_unobserved(animals):
    """The sum over what the cell may be, each weighted by its likelihood: the oracle uses ``log_prob`` alone."""
    model, rows = animals
    asked = rows.head(12).drop(columns="kind").assign(loud="maybe")
    joint = np.array(
        [[np.exp(model.log_prob(asked.assign(kind=kind, loud=loud))) for loud in ("no", "yes")] for kind in KIND]
    ).sum(axis=1)
    expected = (joint / joint.sum(axis=0)).T
    found = probabilities_by_code(model, asked, "kind", seed=0)[:, :2]
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-6
    assert np.abs(found - expected).max() < 0.35  # eight draws of a binary cell
    assert np.abs(found - expected).mean() < 0.08


def test_rows_without_unknown_cells_are_answered_as_before(animals):
    model, rows = animals
    asked = rows.head(6).drop(columns="kind")
    mixed = asked.assign(loud=["maybe", *asked["loud"][1:]])
    exact, found = (probabilities_by_code(model, rows, "kind", seed=0) for rows in (asked, mixed))
    np.testing.assert_allclose(found[1:], exact[1:])
