from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chart_reader import data_of, texts_of
from janus_synth import Janus
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.plots import (
    plane_of,
    terrain_of,
    uncertainty_terrain,
)
from janus_synth.plots.terrain import MOST_ROWS, N_CELLS
from janus_synth.table.files import as_kind

KINDS = ("pandas", "polars", "pyarrow")


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
    assert terrain.picture().to_dict()["title"]["text"] == "Uncertainty about b"


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
