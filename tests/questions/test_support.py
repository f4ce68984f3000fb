"""Support and epistemic uncertainty off the data: gaps, edges, levels and combinations that no row has."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.questions.support import evidence_of

SIZE = 1_500
LEAVES = ["auto", "histogram"]


def auc(off: np.ndarray, inside: np.ndarray) -> float:
    """Share of pairs in which the row off the data has the larger number."""
    return float(((off[:, None] > inside).mean() + (off[:, None] >= inside).mean()) / 2)


def rows(kind: str, n: int, rng: np.random.Generator, *, off: bool = False) -> pd.DataFrame:
    """Four columns that matter; ``off`` rows lie where a kind of table has none."""
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"]).assign(g=rng.choice(list("pqr"), n))
    if kind == "gap":
        frame["a"] = rng.uniform(-0.7, 0.7, n) if off else rng.choice([-2, 2], n) + rng.uniform(-0.6, 0.6, n)
    if kind == "edge" and off:
        frame["b"] = rng.choice([-1, 1], n) * rng.uniform(4.5, 9, n)
    if kind == "level" and off:
        frame["g"] = "new"
    if kind == "combination":
        frame["b"] = -frame["a"] if off else frame["a"] + 0.3 * rng.normal(size=n)
        if off:
            frame[["a", "b"]] = rng.choice([-1, 1], n)[:, None] * rng.uniform(1, 2.2, n)[:, None] * [1, -1]
    return frame


def with_target(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    signal = (
        np.sin(1.5 * frame["a"])
        + 0.7 * frame["b"]
        + np.sin(1.5 * frame["c"])
        + frame["g"].map({"p": -1, "q": 0, "r": 1})
    )
    return frame.assign(y=signal + 0.4 * rng.normal(size=len(frame)))


@pytest.mark.statistical
@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("kind", ["gap", "edge", "level", "combination"])
def test_rows_off_the_data_have_little_support_and_much_to_learn(kind, leaves):
    """Measured AUC is 0.99 and more in each case; 300 rows a side have a standard error of 0.01 near 0.95."""
    rng = np.random.default_rng(3)
    train = with_target(rows(kind, SIZE, rng), rng)
    model = Janus(structure=[(c, "y") for c in "abcg"], leaves=leaves, random_state=0).fit(train)
    inside, off = (model.uncertainty(rows(kind, 300, rng, off=side), "y").cells["y"] for side in (False, True))
    assert auc(-off.support, -inside.support) > 0.98
    assert auc(off.epistemic, inside.epistemic) > 0.95
    assert inside.support.mean() > 0.85
    assert off.support.mean() < 0.3


@pytest.mark.parametrize("leaves", LEAVES)
def test_support_only_falls_on_the_way_out(leaves):
    rng = np.random.default_rng(4)
    train = with_target(rows("edge", SIZE, rng), rng)
    model = Janus(structure=[(c, "y") for c in "abcg"], leaves=leaves, random_state=0).fit(train)
    start = train.drop(columns="y").head(20)
    for column in "abc":
        steps = np.linspace(train[column].max(), 20, 50)
        ways = start.loc[np.repeat(start.index, 50)].assign(**{column: np.tile(steps, 20)})
        found = model.uncertainty(ways, "y").cells["y"]
        assert (np.diff(found.support.reshape(20, 50), axis=1) <= 1e-12).all()
        assert found.support.reshape(20, 50)[:, -1].max() < 0.01


def test_far_away_only_the_marginal_is_known_and_its_noise_is_that_of_other_rows():
    """Total is the entropy of the column itself; aleatoric is what it is elsewhere, in nats of eight equal cells."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=4_000)
    model = Janus(structure=[("x", "y")], random_state=0).fit(
        pd.DataFrame({"x": x, "y": np.sin(2 * x) + 0.3 * rng.normal(size=4_000)})
    )
    found = model.uncertainty(pd.DataFrame({"x": [*x[:500], 50.0, -1e6]}), "y").cells["y"]
    assert found.total[-2:] == pytest.approx(np.log(8), abs=0.01)
    assert found.aleatoric[-2:] == pytest.approx(found.aleatoric[:500].mean(), rel=0.1)
    assert found.support[-2:].max() < 1e-6


def test_rare_levels_have_evidence_and_unseen_ones_none():
    """Two levels with few rows share a code, which an unseen level gets too: it must not borrow their evidence."""
    rng = np.random.default_rng(6)
    g = rng.permutation(["p"] * 300 + ["q"] * 300 + ["rare"] * 4 + ["rarer"] * 3)
    frame = pd.DataFrame({"g": g, "y": (g == "p") + 0.2 * rng.normal(size=len(g))})
    model = Janus(structure=[("g", "y")], random_state=0, keep_rare=True).fit(frame)
    u = model.uncertainty(pd.DataFrame({"g": ["p", "rare", "new", "newer"]}), "y")
    assert u.cells["y"].support[:2] == pytest.approx(1.0)
    assert u.cells["y"].support[2:].max() < 1e-12
    assert u.unseen == {"g": ("new", "newer")}
    assert "no evidence for g: 'new', 'newer'" in repr(u)


def test_a_null_where_no_row_had_one_has_no_evidence():
    rng = np.random.default_rng(7)
    x = rng.normal(size=500)
    model = Janus(structure=[("x", "y")], random_state=0).fit(pd.DataFrame({"x": x, "y": x + rng.normal(size=500)}))
    found = model.uncertainty(pd.DataFrame({"x": [0.0, np.nan]}), "y").cells["y"]
    assert found.support[0] == 1.0
    assert found.support[1] < 0.01


def test_an_irrelevant_column_teaches_nothing_off_its_range():
    """Where leaves hardly differ, a new place is like all others: support ends, epistemic stays small."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"x": rng.normal(size=2_000), "y": rng.choice(list("pq"), 2_000)})
    model = Janus(structure=[("x", "y")], random_state=0).fit(frame)
    found = model.uncertainty(pd.DataFrame({"x": [0.0, 50.0]}), "y").cells["y"]
    assert found.epistemic[1] < 0.02


def test_evidence_is_computed_once_and_goes_with_its_bag():
    rng = np.random.default_rng(9)
    model = Janus(random_state=0, n_trees=1).fit(pd.DataFrame({"x": rng.normal(size=50)})).model_
    kept = ref(evidence_of(model, "x"))
    assert evidence_of(model, "x") is kept()
    assert evidence_of(replace(model, bags=(replace(model.bag("x")),)), "x") is not kept()
    del model
    gc.collect()
    assert kept() is None


def test_a_saved_model_gives_the_same_support(tmp_path):
    rng = np.random.default_rng(10)
    train = with_target(rows("gap", 600, rng), rng)
    model = Janus(structure=[(c, "y") for c in "abcg"], random_state=0).fit(train)
    model.save(tmp_path / "m.janus")
    asked = rows("gap", 50, rng, off=True)
    again = Janus.load(tmp_path / "m.janus")
    np.testing.assert_array_equal(
        again.uncertainty(asked, "y").rows.support, model.uncertainty(asked, "y").rows.support
    )


def test_rows_that_fill_a_gap_are_evidence_there():
    rng = np.random.default_rng(11)
    train, more = with_target(rows("gap", 800, rng), rng), with_target(rows("gap", 800, rng, off=True), rng)
    model = Janus(structure=[(c, "y") for c in "abcg"], random_state=0).fit(train)
    asked = rows("gap", 200, rng, off=True)
    before = model.uncertainty(asked, "y").rows
    after = model.update(more).uncertainty(asked, "y").rows
    assert before.support.mean() < 0.3
    assert after.support.mean() > 0.8
    assert after.epistemic.mean() < before.epistemic.mean() / 2
