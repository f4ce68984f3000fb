"""The map of uncertainty: what it says near and far from rows, its table, and its picture."""

from __future__ import annotations

import numpy as np
import pytest

from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.uncertainty.pictures import _runs
from janus_bench.uncertainty.report import uncertainty_grids
from janus_bench.uncertainty.scenarios import CENTRES, RADIUS
from janus_bench.uncertainty.terrain import Terrain, survey


@pytest.fixture(scope="module")
def found() -> Terrain:
    (terrain,) = survey(seed=1, n_train=800, n_cells=25)
    return terrain


@pytest.fixture(scope="module")
def result(found) -> Result:
    return Result("uncertainty", "2026-01-31 12:00:00", {}, {"parts": ["E"], "methods": []}, records_of([found]))


def test_knowledge_ends_where_the_rows_end(found):
    distance, epistemic, support = (np.array(values) for values in (found.distance, found.epistemic, found.support))
    near, far = distance < 0.3, distance > 2
    assert epistemic[far].min() > 4 * epistemic[near].mean()
    assert support[near].mean() > 0.9 > 0.2 > support[far].mean()


def test_cells_and_measures_go_together(found):
    """Labels around the first centre are noisy: cells there are the most aleatoric ones near rows."""
    x, y = np.meshgrid(found.axis, found.axis)
    inside = np.hypot(x.ravel() - CENTRES[0][0], y.ravel() - CENTRES[0][1]) < RADIUS
    near = np.array(found.distance) < 0.3
    aleatoric = np.array(found.aleatoric)
    assert aleatoric[inside & near].mean() > 2 * aleatoric[near & ~inside].mean()


def test_the_table_has_every_cell_once(result):
    (grid,) = uncertainty_grids(result)
    assert sum(int(row[1].replace(",", "")) for row in grid.rows) == 25**2
    epistemic = [float(row[2]) for row in grid.rows if int(row[1].replace(",", "")) >= 20]
    assert epistemic[-1] > epistemic[0]


def test_runs_cover_every_cell_with_its_shade():
    shades = np.random.default_rng(0).integers(0, 3, (6, 6))
    axis = np.arange(6.0)
    runs = _runs(shades, axis, 0.5, 0.0, 1.0)
    for (i, j), shade in np.ndenumerate(shades):
        holding = [one for one in runs if one["x"] < axis[j] < one["x2"] and one["y"] < axis[i] < one["y2"]]
        assert [one["value"] for one in holding] == [shade + 0.5]


def test_the_map_is_drawn(result, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    from janus_bench.rendering import write_pictures

    write_pictures(result, tmp_path / "run", png=False)
    text = (tmp_path / "run-terrain.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "epistemic: more rows would help" in text
    assert len(text) < 150_000
