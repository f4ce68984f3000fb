from __future__ import annotations

import random

import numpy as np

from janus_synth import Dag
from janus_synth.plots.layout import lay_out


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
