from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chart_reader import texts_of
from janus_synth.pages import percent
from janus_synth.plots import (
    zone_picture,
)
from janus_synth.table.files import as_kind


def pay_table(n: int, gap: float) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    asked = rng.integers(20, 90, n) * 500
    paid = pd.array(asked + np.round(rng.normal(gap, 500, n), -2), dtype="Float64").astype("Int64")
    paid[::5] = pd.NA
    return pd.DataFrame({"asked": asked, "paid": paid})


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_forbidden_zone_shows_rows_inside_and_none(kind):
    real, fair = pay_table(2_000, 300), pay_table(400, 9_000)
    texts = texts_of(zone_picture(as_kind(real, kind), as_kind(fair, kind), x="asked", y="paid"))
    share = percent(float((real.paid >= real.asked).dropna().mean()))
    assert {"forbidden", f"real rows: {share} outside the zone", "synthetic rows: 100 % outside the zone"} <= set(texts)
    assert "Shown are rows with both values: 900 of 1,600 real and 320 synthetic rows." in texts
    assert {"asked", "paid", "paid against asked"} <= set(texts)


def test_points_are_where_the_rows_are():
    frame = pd.DataFrame({"asked": [1.0, 2.0, np.nan], "paid": [3.0, 1.5, 4.0]})
    chart = zone_picture(frame, frame, x="asked", y="paid").to_dict()
    for panel in chart["hconcat"]:
        name = panel["layer"][2]["data"]["name"]
        assert chart["datasets"][name] == [{"x": 1.0, "y": 3.0}, {"x": 2.0, "y": 1.5}]


def test_a_zone_without_rows_is_still_a_picture():
    frame = pd.DataFrame({"asked": [1.0, np.nan], "paid": [np.nan, 4.0]})
    assert "real rows: – outside the zone" in texts_of(zone_picture(frame, frame, x="asked", y="paid"))
