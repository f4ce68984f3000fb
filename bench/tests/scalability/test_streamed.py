"""Fidelity of streamed fits."""

from __future__ import annotations

import numpy as np
import pytest

from janus_bench.scalability import streamed
from janus_bench.scalability.streamed import AGAIN, QUICK, TABLES, draw_rows


def test_every_sample_is_scored_for_every_seed():
    trials = list(streamed.streamed_trials(1, sizes=QUICK))
    assert [(trial.table, trial.grown_on, trial.n_train) for trial in trials] == [
        ("hiring", size, 600) for size in (600, AGAIN, *QUICK.samples)
    ]
    assert all(0 <= trial.detection <= 1 and 0 <= trial.marginals < 0.5 for trial in trials)
    assert all(np.isfinite(trial.log_density) for trial in trials)
    assert trials[0].log_density != trials[1].log_density  # another seed, another fit


@pytest.mark.parametrize("name", TABLES)
def test_every_seed_draws_other_rows(name):
    one, same, other = (draw_rows(name, 50, seed) for seed in (0, 0, 1))
    assert one.equals(same)
    assert not one.equals(other)
    assert len(one) == 50
