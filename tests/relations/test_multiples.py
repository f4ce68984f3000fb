"""Rounded multiples: known constants are found, in the direction that keeps values, and none in unrelated columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, discover, holds
from janus_synth.relations import Sum
from relations.agreement import found


@pytest.fixture
def wages():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"basic": rng.gamma(4, 300, 900).round(2), "extra": rng.gamma(1, 90, 900).round(2)})
    frame["gross"] = (frame.basic + frame.extra).round(2)
    frame["medicare"] = (0.0145 * frame.gross).round(2)
    frame["seconds"] = rng.integers(0, 40_000, 900)
    frame["hours"] = (frame.seconds / 3600).round(2)
    frame["minutes"] = frame.seconds // 60
    return frame


def test_shares_and_units_of_a_computed_column(wages):
    texts = {str(relation) for relation in found(wages, "sum")}
    assert texts == {
        "gross == basic + extra",
        "medicare == 0.0145 * gross, rounded to 2 decimals",
        "hours == seconds / 3600, rounded to 2 decimals",
        "minutes == seconds / 60, rounded down",
    }
    for relation in found(wages, "sum"):
        assert holds(relation.rule, wages).all()


def test_one_broken_row_is_enough_to_reject(wages):
    wages.loc[11, "medicare"] += 0.02
    wages.loc[11, "minutes"] += 1
    assert {relation.columns[0] for relation in found(wages, "sum")} == {"gross", "hours"}


def test_of_two_multiples_the_finer_is_computed():
    km = np.random.default_rng(0).integers(5, 400, 800) / 10
    for order in (["km", "miles"], ["miles", "km"]):
        frame = pd.DataFrame({"km": km, "miles": (km / 1.609344).round(2)})[order]
        (relation,) = found(frame, "sum")
        assert relation.columns == ("miles", "km")


def test_all_rows_keep_them():
    """Whole minutes, too: each is rounded down at once, multiples of 60 included."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"seconds": rng.integers(0, 700, 2_000) * 20})
    frame["minutes"], frame["hours"] = frame.seconds // 60, (frame.seconds / 3600).round(2)
    model = Janus(rules="discover", random_state=0).fit(frame)
    assert {str(link) for link in model.links_} == {"minutes = seconds / 60, rounded down", "hours = seconds / 3600"}
    rows = model.sample(5_000, random_state=0)
    assert (rows.minutes == rows.seconds // 60).all()
    assert (rows.hours - rows.seconds / 3600).abs().max() <= 0.005 + 1e-9
    assert abs(rows.seconds.mean() - frame.seconds.mean()) < 4.9 * frame.seconds.std() * np.sqrt(1 / 2_000 + 1 / 5_000)
    rare = model.sample(40, where="minutes == 7 and hours >= 0.12", random_state=0)
    assert ((rare.seconds >= 420) & (rare.seconds < 480)).all()


@pytest.mark.statistical
def test_correlated_columns_are_no_multiples():
    """One of 100 tables would be a rate far above the one in ten thousand that may be."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x = rng.lognormal(3, 1, 200).round(2)
        frame = pd.DataFrame(
            {"x": x, "y": (0.2 * x * rng.normal(1, 0.05, 200)).round(1), "z": rng.normal(0, 9, 200).round(1)}
        )
        relations = discover(frame)
        assert not [relation for relation in relations if isinstance(relation.detail, Sum)]
