from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chart_reader import data_of, mixed_table, texts_of
from janus_synth.errors import DataError
from janus_synth.plots import pairs_picture


def table(n=80, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(3)
    return pd.DataFrame({"x": x, "y": (2 * x + rng.normal(size=n)).round(3), "level": rng.choice(["it's", "b"], n)})


def test_every_pair_has_a_panel():
    chart = pairs_picture(table(), table(seed=1))
    assert len(chart.to_dict()["concat"]) == 9
    shown = texts_of(chart)
    assert {"Columns against each other", "x", "y", "level", "it's"} <= set(shown)


def test_points_are_the_rows_of_both_tables():
    real, synthetic = table(), table(seed=1)
    points = data_of(pairs_picture(real, synthetic, ["x", "y"]), "concat", 2)
    both = {(source, round(p["x"], 3), round(p["y"], 3)) for source in ("real", "synthetic") for p in points
            if p["source"] == source}  # fmt: skip
    rows = {("real", *row) for row in real[["x", "y"]].itertuples(index=False)}
    rows |= {("synthetic", *row) for row in synthetic[["x", "y"]].itertuples(index=False)}
    assert both <= rows
    assert len(both) >= 0.9 * len(rows)  # half a percent on either side of each axis is cut off


def test_numbers_are_the_associations():
    real = table(400)
    chart = pairs_picture(real, table(400, seed=1), ["x", "y"])
    text = data_of(chart, "concat", 1, "layer", 0)[0]["text"]
    assert float(text) == pytest.approx(real["x"].corr(real["y"]), abs=0.006)


def test_large_tables_are_subsampled():
    chart = pairs_picture(table(500), table(300), ["x", "y"], max_points=100)
    assert len(data_of(chart, "concat", 2)) <= 200
    assert "100 real and 100 synthetic rows" in " ".join(texts_of(chart))


def test_columns_of_every_kind_are_drawn():
    real, synthetic = mixed_table(120, 0), mixed_table(120, 1)
    for name in real.columns:
        if name != "level":
            assert len(pairs_picture(real, synthetic, [name, "level"]).to_dict()["concat"]) == 4
    assert texts_of(pairs_picture(real, synthetic, [*real.columns[:6]]))


def test_too_many_columns_are_refused():
    wide = pd.DataFrame({f"c{i}": [0.5, 1.5, 1.5, 2.5] for i in range(9)})
    with pytest.raises(DataError, match="too many to read"):
        pairs_picture(wide, wide, list(wide))
    assert len(pairs_picture(wide, wide).to_dict()["concat"]) == 36
    many = pd.DataFrame({"level": [f"l{i % 12}" for i in range(60)]})
    with pytest.raises(DataError, match="more than 8 levels"):
        pairs_picture(many, many)


def test_the_noise_of_levels_does_not_depend_on_the_rows():
    """Rows that come from the numbers of the same seed must not share them with the picture."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.uniform(size=300), "level": "a"})
    points = [p for p in data_of(pairs_picture(frame, frame, max_points=300), "concat", 2) if p["source"] == "real"]
    x, noise = np.array([(p["x"], p["y"]) for p in points]).T
    assert abs(np.corrcoef(x, noise)[0, 1]) < 5 / np.sqrt(len(x))  # five standard errors
