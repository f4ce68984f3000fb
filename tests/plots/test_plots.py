from __future__ import annotations

import random
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from janus_synth import Dag, Janus
from janus_synth.errors import DataError, MissingExtraError, SchemaError, UnknownColumnError
from janus_synth.pages import percent
from janus_synth.plots import (
    REAL,
    SYNTHETIC,
    arrow_use,
    association_picture,
    column_pictures,
    detection_curve,
    graph_picture,
    marginals_picture,
    missing_extra,
    to_svg,
    zone_picture,
)
from janus_synth.plots.graph import thinned
from janus_synth.plots.histogram import bins_of, share_beyond, shares_of
from janus_synth.plots.layout import lay_out
from janus_synth.table.files import as_kind

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(chart) -> list[str]:
    """All texts of a chart, from SVG that an XML parser accepts."""
    root = ElementTree.fromstring(to_svg(chart))
    assert root.tag == f"{SVG}svg"
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def mixed_table(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    gone = rng.random(n) < 0.2
    days = rng.integers(0, 3_000, n).astype("timedelta64[D]")
    return pd.DataFrame(
        {
            "number": np.where(gone, np.nan, rng.lognormal(size=n)),
            "whole": pd.array(np.where(gone, 0, rng.integers(0, 400, n)), dtype="Int64"),
            "dice": rng.integers(1, 7, n),
            "spike": np.where(rng.random(n) < 0.6, 0.0, rng.normal(50, 9, n)),
            "level": pd.Series(rng.choice(["a", "b", "<script>alert(1)</script>"], n)).where(~gone),
            "many": [f"level {i}" for i in rng.integers(0, 30, n)],
            "flag": pd.array(rng.random(n) < 0.3, dtype="boolean"),
            "day": pd.Series(np.datetime64("2016-01-01", "us") + days).where(~gone),
            "moment": pd.Timestamp("2024-03-01", tz="Europe/Rome")
            + pd.to_timedelta(rng.integers(0, 90_000, n), "s").as_unit("us"),
            "wait": pd.to_timedelta(rng.integers(0, 900_000, n), "s").as_unit("us"),
            "constant": 7.0,
            "empty": np.full(n, np.nan),
            "a.b[c]:d & \"e\"": rng.normal(size=n),
        }
    )  # fmt: skip


REAL_ROWS, DRAWN_ROWS = mixed_table(400, 0), mixed_table(300, 1)


def test_a_graph_shows_every_column_and_says_how_many_arrows():
    dag = Dag({"age": (), "pay": ("age",), "loan & <more>": ("age", "pay")})
    texts = texts_of(graph_picture(dag))
    assert {"age", "pay", "loan & <more>", "All 3 arrows."} <= set(texts)


@pytest.mark.parametrize("n_columns", [1, 2, 14, 40])
def test_dense_graphs_are_thinned_and_say_so(n_columns):
    names = [f"column_{i}" for i in range(n_columns)]
    dag = Dag({name: tuple(names[:i]) for i, name in enumerate(names)})
    texts = texts_of(graph_picture(dag))
    assert set(names) <= set(texts)
    if n_columns >= 14:
        assert any(f"of {len(dag.edges)} arrows" in text for text in texts)


def test_an_empty_graph_and_long_names_are_drawn():
    assert "0 columns, no arrows" in texts_of(graph_picture(Dag({})))
    assert any("…" in text for text in texts_of(graph_picture(Dag({"x" * 80: ()}))))


def test_thinning_keeps_the_heaviest_parents():
    dag = Dag({"a": (), "b": (), "c": (), "d": ("a", "b", "c")})
    weight = {("a", "d"): 0.1, ("b", "d"): 0.9, ("c", "d"): 0.5}
    assert thinned(dag, weight, most_parents=2, least=0.0).parents["d"] == ("b", "c")
    assert thinned(dag, weight, most_parents=3, least=0.6).parents["d"] == ("b",)


def test_arrows_run_one_way_and_no_two_boxes_overlap():
    rng = random.Random(3)
    for n_columns in (5, 12, 30):
        parents = {f"c{i}": tuple(f"c{j}" for j in range(i) if rng.random() < 0.2) for i in range(n_columns)}
        layout = lay_out(Dag(parents))
        for route in layout.routes.values():
            assert [along for along, _ in route] == list(np.arange(route[0][0], route[-1][0] + 1))
        for level in range(layout.n_layers):
            across = sorted(place[1] for place in layout.boxes.values() if place[0] == level)
            assert np.all(np.diff(across) >= 1 - 1e-9)
            assert across[0] >= 0.5 - 1e-9
            assert across[-1] <= layout.breadth


def test_the_use_of_an_arrow_is_the_share_of_rows_that_ask():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 600), rng.integers(0, 2, 600)
    frame = pd.DataFrame({"a": a, "b": b, "c": np.where(a == 1, b, 0)}).astype(str)  # c asks about b where a is 1
    model = Janus(structure=[("a", "c"), ("b", "c")], n_trees=1, random_state=0).fit(frame).model_
    use = arrow_use(model)
    assert max(use["a", "c"], use["b", "c"]) == 1.0
    assert min(use["a", "c"], use["b", "c"]) == pytest.approx(0.5, abs=0.1)
    assert use.keys() == set(model.dag.edges)


def test_columns_of_every_kind_are_drawn():
    texts = texts_of(marginals_picture(REAL_ROWS, DRAWN_ROWS))
    assert set(REAL_ROWS.columns) <= set(texts)
    assert {"real", "synthetic", "2018"} <= set(texts)
    assert any("missing: 20" in text for text in texts)
    assert any("exactly 0:" in text for text in texts)
    assert any("others" in text for text in texts)


def test_single_columns_need_no_legend_and_keep_their_colours():
    charts = column_pictures(REAL_ROWS, DRAWN_ROWS, ["number", "level"])
    assert list(charts) == ["number", "level"]
    for chart in charts.values():
        svg = to_svg(chart)
        ElementTree.fromstring(svg)
        assert REAL in svg
        assert SYNTHETIC in svg
        assert "<script" not in svg


def test_one_column_and_one_row_are_enough():
    one = pd.DataFrame({"x": [3.5]})
    assert "x" in texts_of(marginals_picture(one, one))
    assert "A single column has nothing to move with." in texts_of(association_picture(one, one))


def test_polars_tables_are_drawn_too():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1.5, 2.5, 9.0], "c": ["a", "b", None]})
    assert {"x", "c"} <= set(texts_of(marginals_picture(frame, frame)))


def test_associations_of_mixed_tables_are_drawn():
    texts = texts_of(association_picture(REAL_ROWS, DRAWN_ROWS))
    assert {"real rows", "synthetic rows", "synthetic minus real", "number", "day"} <= set(texts)


def test_forty_columns_are_drawn():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 40)), columns=[f"a long column name {i}" for i in range(40)])
    assert len(texts_of(association_picture(frame, frame))) > 120
    assert len(column_pictures(frame, frame)) == 40


def test_names_that_are_alike_when_shortened_stay_apart():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["same start, 1 same end", "same start, 2 same end"])
    frame.columns = [name.replace("same", "the very same") for name in frame.columns]
    rows = association_picture(frame, frame).to_dict()["hconcat"][0]["encoding"]["y"]["sort"]
    assert len(set(rows)) == 2


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(UnknownColumnError, match="number"):
        marginals_picture(REAL_ROWS, DRAWN_ROWS, ["numbr"])
    with pytest.raises(DataError, match="no rows"):
        marginals_picture(REAL_ROWS, DRAWN_ROWS[:0])
    keys = pd.DataFrame({"key": [f"K-{i:04d}" for i in range(200)], "x": range(200)})
    with pytest.raises(SchemaError, match="identifier"):
        marginals_picture(keys, keys, ["key"])


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_a_missing_library_names_its_extra(monkeypatch, library):
    chart = graph_picture(Dag({"a": ()}))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[plots\]"):
        graph_picture(Dag({"a": ()})) if library == "altair" else to_svg(chart)
    assert "plots" in str(missing_extra())


def test_bins_hold_every_row_once():
    rng = np.random.default_rng(0)
    for values in (rng.normal(size=500), rng.integers(0, 30, 500) * 1.0, rng.lognormal(sigma=3, size=500)):
        bins = bins_of(values, values[:200], moments=False)
        assert len(bins.edges) <= 60
        assert shares_of(values, bins, 500).sum() + share_beyond(values, bins, 500) == pytest.approx(1.0)


def test_bins_of_moments_follow_the_calendar():
    days = np.arange("2016-01-01", "2026-01-01", dtype="M8[D]").astype("M8[us]").astype(np.int64).astype(float)
    edges = bins_of(days, days, moments=True).edges.astype(np.int64).astype("M8[us]")
    assert set(edges.astype("M8[M]").astype(int) % 3) == {0}  # quarters
    assert np.all(edges == edges.astype("M8[M]"))


@pytest.mark.parametrize(
    "values", [[0.0, 1e-300, 2e-300] * 5, [-1e308, 0.0, 1e308] * 5, [1e15, 1e15 + 1, 1e15 + 2] * 5]
)
def test_extreme_numbers_have_bins(values):
    numbers = np.array(values)
    bins = bins_of(numbers, numbers, moments=False)
    assert np.all(np.diff(bins.edges) > 0)


def test_small_shares_are_not_rounded_away():
    assert [percent(x) for x in (0.0, 0.0001, 0.5, 0.345, 0.99999, 1.0)] == [
        "0 %", "< 0.1 %", "50 %", "34.5 %", "> 99.9 %", "100 %",
    ]  # fmt: skip
    assert percent(float("nan")) == "–"


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


def test_detection_curves_have_a_panel_per_kind_and_mark_what_is_degenerate():
    audits = pd.DataFrame(
        {
            "bias": ["direct", "direct", "a <b> & c", "a <b> & c"],
            "algorithm": ["logistic", "majority"] * 2,
            "planted": [0.1, 0.1, -0.2, -0.2],
            "excess": [0.1, 0.0, -0.15, 0.0],
            "excess_low": [0.05, 0.0, -0.2, np.nan],
            "excess_high": [0.15, 0.0, -0.1, np.nan],
            "degenerate": ["", "it favours nobody", "", "it favours nobody"],
        }
    )
    chart = detection_curve(audits)
    spec = chart.to_dict()
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == ["direct", "a <b> & c"]
    assert "degenerate decisions (2 of 4 audits)" in " ".join(spec["title"]["subtitle"])
    assert to_svg(chart).startswith("<svg")
    with pytest.raises(DataError, match="no audits"):
        detection_curve(audits[:0])
