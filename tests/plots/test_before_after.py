from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chart_reader import data_of, texts_of
from janus_synth.errors import DataError
from janus_synth.plots import (
    before_after,
)
from janus_synth.table.files import as_kind

KINDS = ("pandas", "polars", "pyarrow")


def two_worlds(n: int = 300) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(3)
    pay = rng.lognormal(3, 0.4, n)
    gone = rng.random(n) < 0.1
    before = pd.DataFrame(
        {
            "pay": np.where(gone, np.nan, pay),
            "post": rng.choice(["clerk", "chief"], n),
            "fit": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "many": rng.choice([f"l{i:02d}" for i in range(30)], n),
            "site": rng.choice(list("abcdef"), n, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05]),
            "day": pd.Timestamp("2024-01-01"),
        }
    )
    post = np.where(rng.random(n) < 0.5, "chief", before["post"])
    fit = pd.array([None, None] + [True] * (n - 2), dtype="boolean")
    after = before.assign(pay=pay * 1.5, post=np.where(rng.random(n) < 0.1, "boss & <co>", post), fit=fit)
    return before, after


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_join_the_same_rows(kind):
    before, after = two_worlds()
    chart = before_after(as_kind(before, kind), as_kind(after, kind), "pay")
    lines = pd.DataFrame(data_of(chart, "hconcat", 0, "layer", 1)).pivot(index="row", columns="x", values="y")
    assert len(lines) == 60
    assert np.allclose(lines[1], 1.5 * lines[0])
    mean = data_of(chart, "hconcat", 0, "layer", 2)
    there = before["pay"].notna()
    assert [point["y"] for point in mean] == pytest.approx([before["pay"].mean(), after["pay"][there].mean()])
    assert f"Null in {(~there).sum()} rows before and 0 after" in chart.to_dict()["title"]["subtitle"][1]
    if kind == "pandas":
        assert {"pay before and after", "before", "after"} <= set(texts_of(chart))


def test_bars_have_the_shape_of_the_distributions():
    before, after = two_worlds()
    bars = pd.DataFrame(data_of(before_after(before, after, "pay"), "hconcat", 0, "layer", 0))
    shares = (bars["x2"] - bars["x"]).abs().groupby(bars["x"]).sum()
    assert shares[0] == pytest.approx(shares[1])  # each is a whole, on one scale
    width = bars[bars["x"] == 0]
    counted = ((before["pay"] >= width["y"].iloc[0]) & (before["pay"] < width["y2"].iloc[0])).sum()
    expected = counted / before["pay"].notna().sum()
    assert abs(width["x2"].iloc[0]) / shares[0] == pytest.approx(expected)


def test_a_table_counts_where_the_rows_of_a_level_went():
    before, after = two_worlds()
    chart = before_after(before, after, "post")
    cells = pd.DataFrame(data_of(chart, "hconcat", 0, "layer", 0))
    assert cells.groupby("before")["share"].sum().tolist() == pytest.approx([1.0, 1.0])
    clerks = before["post"] == "clerk"
    share = (after["post"][clerks] == "chief").mean()
    cell = cells[(cells["before"] == f"clerk, {clerks.sum()}") & (cells["after"] == "chief")]
    assert cell["share"].tolist() == pytest.approx([share])
    assert "boss & <co>" in texts_of(chart)


def test_nulls_and_rare_levels_have_a_place_in_the_table():
    before, after = two_worlds()
    assert {"null", "True"} <= set(texts_of(before_after(before, after, "fit")))
    cells = pd.DataFrame(data_of(before_after(before, before, "many"), "hconcat", 0, "layer", 0))
    assert cells["after"].nunique() == 9
    assert "others" in set(cells["after"])
    assert cells.loc[cells["same"], "share"].tolist() == pytest.approx([1.0] * 9)


@pytest.mark.parametrize("column", ["pay", "post"])
def test_the_most_frequent_groups_have_panels(column):
    before, after = two_worlds()
    chart = before_after(before, after, column, group="site").to_dict()
    titles = [panel["title"]["text"] for panel in chart["hconcat"]]
    counts = before["site"].value_counts()
    assert titles == [f"{site} ({counts[site]} rows)" for site in "abcd"]


def test_few_rows_with_distinct_values_are_no_identifiers():
    before = pd.DataFrame({"pay": [31, 42, 53], "name": ["Ann", "Bob", "Cyn"]})
    assert "pay before and after" in texts_of(before_after(before, before, "pay"))
    assert "Ann" in texts_of(before_after(before, before, "name"))


def test_rows_that_have_a_value_only_after_are_numbers_all_the_same():
    after = pd.DataFrame({"pay": [31.5, 42, 53]})
    chart = before_after(after.assign(pay=np.nan), after, "pay")
    assert {bar["x"] for bar in data_of(chart, "hconcat", 0, "layer", 0)} == {1}
    assert "Null in 3 rows before and 0 after; lines join rows with both values." in texts_of(chart)


def test_a_constant_column_is_still_a_picture():
    before = pd.DataFrame({"pay": [5.0, 5.0]})
    assert "pay before and after" in texts_of(before_after(before, before, "pay"))


def test_what_cannot_be_joined_is_refused():
    before, after = two_worlds(20)
    with pytest.raises(DataError, match="give the same rows in both"):
        before_after(before, after[1:], "pay")
    with pytest.raises(DataError, match="no rows"):
        before_after(before[:0], after[:0], "pay")
    with pytest.raises(DataError, match="times or durations"):
        before_after(before, after, "day")
    with pytest.raises(DataError, match="null in every row"):
        before_after(before.assign(pay=np.nan), after.assign(pay=np.nan), "pay")
    with pytest.raises(DataError, match="no groups"):
        before_after(before.assign(site=None), after, "pay", group="site")
