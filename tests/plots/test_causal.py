"""Pictures of uncertainty, effects and counterfactuals."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.plots import (
    before_after,
    effect_curve,
    epistemic_by_size,
    plane_of,
    terrain_of,
    to_svg,
    uncertainty_terrain,
)
from janus_synth.plots.terrain import MOST_ROWS, N_CELLS
from janus_synth.questions import Effect
from janus_synth.sampling import Estimate
from janus_synth.table.files import as_kind

KINDS = ("pandas", "polars", "pyarrow")


def texts_of(chart) -> list[str]:
    """All texts of a chart, from SVG that an XML parser accepts."""
    root = ElementTree.fromstring(to_svg(chart))
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def data_of(chart, *path) -> list[dict]:
    """Rows of one part of a chart, by keys and places on the way to it."""
    whole = part = chart.to_dict()
    for step in path:
        part = part[step]
    return whole["datasets"][part["data"]["name"]]


def grid(n: int, m: int) -> np.ndarray:
    return np.stack(np.meshgrid(np.arange(n), 10.0 * np.arange(m), indexing="ij"), axis=-1).reshape(-1, 2)


@pytest.fixture(scope="module")
def noisy() -> tuple[Janus, pd.DataFrame]:
    """A column that is a coin toss on the left and sure on the right; few rows are on the far right."""
    rng = np.random.default_rng(0)
    x, y = np.abs(rng.normal(size=(2, 600))).round(3)
    sure = np.where(x < 1, rng.random(600) < 0.5, y > 0.6)
    side = rng.choice(["up", "down"], 600)
    frame = pd.DataFrame({"x": x, "y": y, "side": side, "b": sure, "whole": rng.integers(0, 12, 600)})
    edges = [("x", "b"), ("y", "b"), ("side", "b")]
    return Janus(structure=edges, random_state=0).fit(frame, progress=False), frame


# The terrain


def test_a_full_grid_is_drawn_as_it_is():
    points = grid(4, 3)
    values = np.arange(12.0)
    chart = uncertainty_terrain(points, values + 1, values / 100)
    for panel, expected in ((0, values / 100), (1, values + 1)):
        cells = data_of(chart, "hconcat", panel, "layer", 0)
        assert [cell["value"] for cell in cells] == pytest.approx(expected)
        middles = [((cell["x"] + cell["x2"]) / 2, (cell["y"] + cell["y2"]) / 2) for cell in cells]
        assert np.allclose(middles, points)
    assert {"epistemic: more rows would help", "aleatoric: noise that stays"} <= set(texts_of(chart))


def test_scattered_points_are_smoothed_and_far_places_stay_white():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(0, 1, (300, 2)), rng.normal(12, 1, (300, 2))])
    measure = points[:, 0]
    chart = uncertainty_terrain(points, measure, 1 + measure * 0, rows_2d=points)
    cells = data_of(chart, "hconcat", 1, "layer", 0)
    assert 0 < len(cells) < 0.8 * N_CELLS**2
    middle = np.array([(cell["x"] + cell["x2"]) / 2 for cell in cells])
    value = np.array([cell["value"] for cell in cells])
    assert np.corrcoef(middle, value)[0, 1] > 0.95
    assert {cell["value"] for cell in data_of(chart, "hconcat", 0, "layer", 0)} == {1.0}
    assert len(data_of(chart, "hconcat", 0, "layer", 1)) <= MOST_ROWS


@pytest.mark.parametrize(
    ("points", "aleatoric"), [([], []), ([1.0, 2.0], [1.0, 2.0]), ([[1.0, 2.0]], [1.0, 2.0]), ([[1, 2, 3]], [1])]
)
def test_a_terrain_of_the_wrong_shape_is_refused(points, aleatoric):
    with pytest.raises(DataError, match="has the shape"):
        uncertainty_terrain(points, aleatoric, aleatoric)


def test_one_point_is_still_a_picture():
    assert "epistemic: more rows would help" in texts_of(uncertainty_terrain([[1, 2]], [0.5], [0.1], [[1, np.nan]]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_models_map_shows_where_noise_stays(noisy, kind):
    janus, frame = noisy
    terrain = terrain_of(janus, as_kind(frame, kind), "b", "x", "y", n_cells=16)
    assert terrain.points.shape == (256, 2)
    assert (terrain.epistemic >= 0).all()
    left = terrain.points[:, 0] < 0.9
    right = (terrain.points[:, 0] > 1.2) & (np.abs(terrain.points[:, 1] - 0.6) > 0.3)
    assert terrain.aleatoric[left].mean() > 2 * terrain.aleatoric[right].mean()
    assert terrain.picture().to_dict()["title"]["text"] == "How unsure the model is of b"


def test_whole_numbers_have_a_cell_each(noisy):
    janus, frame = noisy
    terrain = terrain_of(janus, frame.set_index(frame.index[::-1]), "b", "whole", "y", n_cells=30)
    assert sorted(set(terrain.points[:, 0])) == list(range(12))


def test_a_cell_is_asked_about_with_its_own_values(noisy):
    janus, frame = noisy
    terrain = terrain_of(janus, frame, "b", "x", "y", n_cells=10, n_near=1)
    at = 37
    asked = pd.DataFrame(
        [(*terrain.points[at], side) for side in ("up", "down")], columns=["x", "y", "side"]
    )  # fmt: skip
    assert terrain.epistemic[at] in janus.uncertainty(asked, "b")["b"]["epistemic"].to_numpy()


def test_a_map_needs_columns_that_are_there(noisy):
    janus, frame = noisy
    with pytest.raises(UnknownColumnError):
        terrain_of(janus, frame, "bb", "x", "y")
    with pytest.raises(DataError, match="two different columns"):
        terrain_of(janus, frame, "b", "x", "x")


@pytest.mark.parametrize("kind", KINDS)
def test_a_plane_of_components_spans_what_varies(kind):
    rng = np.random.default_rng(2)
    a = rng.normal(size=200)
    frame = pd.DataFrame(
        {"a": a, "b": -3 * a + 0.01 * rng.normal(size=200), "c": rng.normal(size=200), "d": 5.0, "e": "x"}
    )
    frame.loc[3, "c"] = np.nan
    plane = plane_of(as_kind(frame, kind))
    assert plane.points.shape == (200, 2)
    assert abs(np.corrcoef(plane.points[:, 0], a)[0, 1]) > 0.99
    assert plane.names == ("first component, 67 % of the variance", "second component, 33 %")
    with pytest.raises(DataError, match="two numeric columns that vary"):
        plane_of(as_kind(frame[["a", "d", "e"]], kind))


# By size


def test_sizes_are_drawn_in_order_on_a_log_scale():
    chart = epistemic_by_size([1_000, 100], [0.1, 0.3], [0.5, 0.4], target="pay")
    assert [row["rows"] for row in data_of(chart, "hconcat", 0)] == [100, 1_000]
    assert [row["nats"] for row in data_of(chart, "hconcat", 0)] == [0.3, 0.1]
    assert [row["nats"] for row in data_of(chart, "hconcat", 1)] == [0.4, 0.5]
    assert chart.to_dict()["hconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"
    assert "How unsure the model is of pay, by rows learnt" in texts_of(chart)


@pytest.mark.parametrize("sizes", [[], [0, 10], [10]])
def test_sizes_that_fit_nothing_are_refused(sizes):
    with pytest.raises(DataError):
        epistemic_by_size(sizes, [0.1, 0.2][: max(len(sizes), 2)], [0.1, 0.2])


# Effects


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


# Before and after


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
    with pytest.raises(DataError, match="give the same rows twice"):
        before_after(before, after[1:], "pay")
    with pytest.raises(DataError, match="no rows"):
        before_after(before[:0], after[:0], "pay")
    with pytest.raises(DataError, match="moments or durations"):
        before_after(before, after, "day")
    with pytest.raises(DataError, match="null in every row"):
        before_after(before.assign(pay=np.nan), after.assign(pay=np.nan), "pay")
    with pytest.raises(DataError, match="no groups"):
        before_after(before.assign(site=None), after, "pay", group="site")
