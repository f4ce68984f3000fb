"""Charts of columns: the outlines enclose the shares that plain counting finds."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from janus_synth.plots.marginals import column_pairs
from janus_synth.report.charts import column_chart

RNG = np.random.default_rng(0)


def chart_of(real, synthetic):
    [pair] = column_pairs(pd.DataFrame({"x": real}), pd.DataFrame({"x": synthetic}), ["x"])
    return column_chart(pair)


def heights(path: str) -> list[float]:
    """Heights of the steps of an outline."""
    return [100 - float(y) for y in re.findall(r"V([-\d.]+)H", path)]


def test_steps_are_in_proportion_to_the_rows():
    real, synthetic = RNG.normal(50, 20, 4_000).round(1), RNG.normal(40, 25, 3_000).round(1)
    chart = chart_of(real, synthetic).histogram
    both = [heights(chart.real), heights(chart.synthetic)]
    assert len(both[0]) == len(both[1]) > 10
    assert max(max(one) for one in both) == pytest.approx(100 / 1.05, abs=0.1)
    assert sum(both[0]) == pytest.approx(sum(both[1]), rel=0.02)  # all rows of each table
    assert chart.real.startswith("M0 100V")
    assert chart.real.endswith("H100V100")


def test_lines_across_are_shares_of_the_rows():
    values = np.arange(1_000) % 20 + 0.5
    chart = chart_of(values, values).histogram  # every step holds the same rows
    [height] = {round(one, 1) for one in heights(chart.real)}
    tick = chart.shares[-1]
    n_steps = len(heights(chart.real))
    share = float(tick.text.removesuffix(" %")) / 100
    assert height / (100 * tick.place) == pytest.approx((1 / n_steps) / share, rel=0.02)


def test_levels_have_bars_and_missing_cells_one_of_their_own():
    chart = chart_of(["a"] * 6 + ["b"] * 2 + [None] * 2, ["a"] * 4 + ["b"] * 6)
    assert chart.histogram is None
    assert [(bar.label, bar.real, bar.synthetic) for bar in chart.bars] == [
        ("a", "60 %", "40 %"),
        ("b", "20 %", "60 %"),
        ("missing", "20 %", "0 %"),
    ]
    assert [bar.real_width for bar in chart.bars] == pytest.approx([1.0, 1 / 3, 1 / 3])


def test_an_empty_column_is_all_missing():
    [bar] = chart_of(np.full(9, np.nan), np.full(9, np.nan)).bars
    assert (bar.label, bar.real, bar.synthetic) == ("missing", "100 %", "100 %")


def test_times_and_durations_have_axes_of_their_own():
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 2_000, 300), "D")
    assert {tick.text for tick in chart_of(days, days).histogram.values} <= {str(year) for year in range(2020, 2027)}
    waits = pd.to_timedelta(RNG.integers(0, 90_000, 300), "s")
    assert chart_of(waits, waits).notes == ("in hours",)


def test_numbers_as_large_as_they_get_have_a_chart():
    values = RNG.uniform(-1.0, 1.0, 200) * 1.5e308
    assert len(heights(chart_of(values, values).histogram.real)) > 5
