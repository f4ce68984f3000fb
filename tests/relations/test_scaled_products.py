"""Scaled products: known constants and powers are found in the right direction, and none where there is none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, discover
from janus_synth.relations import ScaledProduct
from relations.agreement import found


def sales(n: int = 900, seed: int = 4) -> pd.DataFrame:
    """A discount in percent, shipping, a tax on both, and the sum of all."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"list": rng.lognormal(3.5, 0.8, n).round(2), "percent": rng.choice([0, 5, 10, 15], n)})
    frame["discount"] = (frame.list * frame.percent / 100).round(2)
    frame["net"] = (frame.list - frame.discount).round(2)
    frame["shipping"] = np.where(frame.net > 50, 0.0, 4.99)
    frame["rate"] = rng.choice([0.07, 0.19, 0.2], n)
    frame["tax"] = ((frame.net + frame.shipping) * frame.rate).round(2)
    frame["total"] = (frame.net + frame.shipping + frame.tax).round(2)
    return frame


def products(frame: pd.DataFrame) -> list:
    return [relation for relation in found(frame) if isinstance(relation.detail, ScaledProduct)]


def test_a_percentage_and_a_tax_on_a_sum():
    texts = {str(relation) for relation in products(sales())}
    assert texts == {
        "discount == 0.01 * list * percent, rounded to 2 decimals",
        "tax == (net + shipping) * rate, rounded to 2 decimals",
    }


@pytest.mark.parametrize(
    ("power", "factor", "text"),
    [
        (1, 1.5, "y == 1.5 * a * b, rounded to 1 decimal"),
        (-1, 1000, "y == 1000 * a / b, rounded to 1 decimal"),
        (-2, 10_000, "y == 10000 * a / b ** 2, rounded to 1 decimal"),
        (2, 0.004, "y == 0.004 * a * b ** 2, rounded to 1 decimal"),
    ],
)
def test_powers_and_constants(power, factor, text):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(80, 20, 700).round(1), "b": rng.integers(60, 99, 700)})
    frame["y"] = (factor * frame.a * frame.b.astype(float) ** power).round(1)
    (relation,) = products(frame)
    assert str(relation) == text
    assert relation.detail == ScaledProduct("y", ("a",), "b", power, factor, 1)
    frame.loc[500, "y"] *= 1.5
    assert products(frame) == []


def test_links_keep_them_with_the_distribution():
    frame = sales(3_000)
    for rules in ((), "discover"):
        model = Janus(rules=rules, random_state=0).fit(frame)
        texts = {str(link) for link in model.links_}
        assert {"discount = 0.01 * list * percent", "tax = (net + shipping) * rate"} <= texts
        rows = model.sample(6_000, random_state=1)
        assert (rows.discount - rows.list * rows.percent / 100).abs().max() <= 0.005 + 1e-9
        assert (rows.tax - (rows.net + rows.shipping) * rows.rate).abs().max() <= 0.005 + 1e-9
        assert (rows.total - rows.net - rows.shipping - rows.tax).abs().max() < 1e-6
        for name in ("percent", "rate", "list"):
            margin = 4.9 * frame[name].std() * np.sqrt(1 / 3_000 + 1 / 6_000)  # a false alarm in 10^6
            assert abs(rows[name].mean() - frame[name].mean()) < margin


def test_conditions_files_and_incomplete_rows(tmp_path):
    frame = sales(2_000)
    model = Janus(random_state=0).fit(frame)
    rare = model.sample(60, where="tax >= 30 and percent == 15", random_state=0)
    assert (rare.tax >= 30).all()
    found = model.probability("tax >= 12", random_state=0)
    counted = (model.sample(100_000, random_state=2)["tax"] >= 12).mean()
    assert found.low - 0.005 <= counted <= found.high + 0.005
    model.save(tmp_path / "m.janus")
    again = Janus.load(tmp_path / "m.janus")
    assert again.links_ == model.links_
    pd.testing.assert_frame_equal(again.sample(30, random_state=3), model.sample(30, random_state=3))
    filled = model.complete(pd.DataFrame({"list": [200.0] * 30, "discount": [30.0] * 30}), random_state=0)
    assert (filled.percent == 15).all()


def test_denominators_of_zero_leave_a_value_of_its_own():
    rng = np.random.default_rng(0)
    sent = rng.integers(0, 400, 2_000)
    frame = pd.DataFrame({"sent": sent, "lost": rng.binomial(sent, 0.1)})
    frame["percent"] = (100 * frame.lost / frame.sent.where(frame.sent > 0)).fillna(0.0).round(2)
    model = Janus(random_state=0).fit(frame)
    assert [str(link) for link in model.links_] == ["percent = 100 * lost / sent in part of the rows"]
    rows = model.sample(4_000, random_state=1)
    some = rows.sent > 0
    assert (rows.percent - 100 * rows.lost / rows.sent)[some].abs().lt(0.006).mean() > 0.995


@pytest.mark.statistical
def test_correlated_columns_are_no_products():
    """One of 100 tables would be a rate far above the one in ten thousand that may be."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": rng.lognormal(2, 1, 150).round(1), "b": rng.integers(1, 9, 150)})
        frame["y"] = (3 * frame.a * frame.b * rng.normal(1, 0.03, 150)).round(0)
        frame["z"] = (frame.a / frame.b + rng.normal(0, 0.1, 150)).round(1)
        assert not [relation for relation in discover(frame) if isinstance(relation.detail, ScaledProduct)]
