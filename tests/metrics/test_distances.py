"""Points: distances between levels, ranks and missing values."""

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics.distances import MOST_LEVELS, point_map
from janus_synth.metrics.rows import align


def test_different_levels_and_gaps_are_one_apart():
    frame = pd.DataFrame({"c": ["a", "b", None, "a"], "x": [1.5, 1.5, 1.5, np.nan]})
    (rows,) = align(table=frame)
    points = point_map(rows).points(rows)
    gaps = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    assert gaps[0, 1] == pytest.approx(1.0)
    assert gaps[0, 2] == pytest.approx(1.0)
    assert gaps[0, 3] == pytest.approx(1.0)


def test_ranks_span_the_unit_interval_and_keep_the_order(rng):
    (rows,) = align(table=pd.DataFrame({"x": rng.standard_cauchy(500)}))
    points = point_map(rows).points(rows)[:, 0]
    np.testing.assert_array_equal(np.argsort(points), np.argsort(rows["x"]))
    assert points.min() == pytest.approx(0.001)
    assert points.max() == pytest.approx(0.999)


def test_rare_levels_share_a_code():
    frame = pd.DataFrame({"c": [f"level {i % 400}" for i in range(2_100)]})
    (rows,) = align(table=frame)
    assert point_map(rows).points(rows).shape == (2_100, MOST_LEVELS + 1)
