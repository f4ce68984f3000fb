from __future__ import annotations

import numpy as np
import pytest

from chart_reader import data_of, texts_of
from janus_synth.errors import DataError
from janus_synth.plots import (
    effect_curve,
)
from janus_synth.questions import Effect
from janus_synth.sampling import Estimate
from janus_synth.table.files import as_kind

KINDS = ("pandas", "polars", "pyarrow")


def effect_of(values) -> Effect:
    means = tuple(Estimate(10.0 + i, 9.0 + i, 11.5 + i) for i in range(len(values)))
    effects = tuple(Estimate(float(i), i - 1.0, i + 2.0) for i in range(len(values)))
    return Effect("dose", "cure", tuple(values), means, effects, 0.95)


@pytest.mark.parametrize(("kind", "measure"), [*((kind, "mean") for kind in KINDS), ("pandas", "effect")])
def test_numbers_make_a_band_around_the_means(kind, measure):
    frame = effect_of([4, 1.5, 3]).to_frame("pandas").astype({"dose": float})
    chart = effect_curve(as_kind(frame, kind), outcome="cure", measure=measure, beside={"truth": [1.0, 2.0, np.nan]})
    _, band, lines, _ = (data_of(chart, "layer", at) for at in range(4))
    assert [row["setting"] for row in band] == [1.5, 3, 4]
    assert all(row["low"] <= row["value"] <= row["high"] for row in band)
    assert [row["value"] for row in lines if row["name"] == "truth"] == [1.0, 2.0]
    assert data_of(chart, "layer", 0) == [{"value": 10.0 if measure == "mean" else 0.0}]
    if kind == "pandas":
        assert {"cure as dose is set", "truth"} <= set(texts_of(chart))


@pytest.mark.parametrize("values", [["low", "high"], [(0, 5), (5, 9)], [False, True], [None, 3], [7]])
def test_levels_ranges_and_single_settings_make_dots_with_whiskers(values):
    chart = effect_curve(effect_of(values).to_frame(), outcome="cure")
    whiskers = chart.to_dict()["layer"][1]
    assert whiskers["mark"]["type"] == "rule"
    rows = data_of(chart, "layer", 1)
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    assert len({row["setting"] for row in rows}) == len(values)


def test_a_curve_says_what_it_lacks():
    frame = effect_of([1, 2]).to_frame()
    with pytest.raises(ValueError, match="choose 'mean' or 'effect'"):
        effect_curve(frame, measure="median")
    with pytest.raises(DataError, match="'mean_low'"):
        effect_curve(frame.drop(columns="mean_low"))
    with pytest.raises(DataError, match="no rows"):
        effect_curve(frame[:0])
    with pytest.raises(DataError, match="1 numbers for 2 settings"):
        effect_curve(frame, beside={"truth": [1.0]})
    with pytest.raises(ValueError, match="too many to read"):
        effect_curve(frame, beside={str(i): [1.0, 2.0] for i in range(4)})
    with pytest.raises(DataError, match="not a number"):
        effect_curve(frame.assign(mean=np.nan))
