"""Heat maps: every cell has the colour of its association."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics.rows import align
from janus_synth.report.heatmap import FAINT, LEAST_RANGE, heat_maps

RNG = np.random.default_rng(0)


def rows(sign: float) -> pd.DataFrame:
    x = RNG.normal(size=500)
    return pd.DataFrame({"x": x, "y": sign * x + RNG.normal(size=500), "z": RNG.normal(size=500)})


REAL, SYNTHETIC = rows(1.0), rows(-1.0)
FOUND = heat_maps(*align(real=REAL, synthetic=SYNTHETIC))


@pytest.mark.parametrize(
    ("place", "matrix", "reach"),
    [
        (0, REAL.corr(), 1.0),
        (1, SYNTHETIC.corr(), 1.0),
        (2, SYNTHETIC.corr() - REAL.corr(), np.abs(SYNTHETIC.corr() - REAL.corr()).to_numpy().max()),
    ],
)
def test_cells_are_correlations(place, matrix, reach):
    cells = {(cell.row, cell.column): cell for cell in FOUND.maps[place].cells}
    for (i, j), value in np.ndenumerate(matrix.to_numpy()):
        if abs(value) / reach < FAINT - 1e-9:
            assert (i, j) not in cells
        else:
            assert cells[i, j].strength == pytest.approx(abs(value) / reach, abs=0.006)
            assert cells[i, j].hue == ("up" if value > 0 else "down")


def test_the_largest_difference_is_told():
    assert "(x and y)" in FOUND.note or "(y and x)" in FOUND.note


def test_small_differences_look_small():
    same = heat_maps(*align(real=REAL, synthetic=REAL)).maps[2]
    assert same.cells == ()
    assert float(same.reach) == LEAST_RANGE


def test_long_names_stay_distinct():
    names = ["a" * 40, "a" * 41]
    frame = pd.DataFrame(RNG.normal(size=(50, 2)), columns=names)
    labels = heat_maps(*align(real=frame, synthetic=frame)).labels
    assert len(set(labels)) == 2
