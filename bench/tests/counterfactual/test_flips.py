"""Flips of columns with two values: their expected share against a long simulation, and the report."""

from __future__ import annotations

import numpy as np
import pytest

from janus_bench.counterfactual.flips import MECHANISMS, FlipTask, flip_task
from janus_bench.counterfactual.report import counterfactual_grids
from janus_bench.counterfactual.run import run_counterfactual
from janus_bench.counterfactual.trial import CounterfactualSizes


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_true_flips_have_the_expected_share(mechanism):
    """20,000 rows: within 5 standard errors; false alarm below 1 in 100,000."""
    found = flip_task(FlipTask(mechanism, "integers", seed=1, n_train=300, n_test=20_000))
    share = found["expected"]
    assert found["truth"] == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 20_000))
    assert found["found"] < 2 * share + 0.1
    assert found["wrong"] < 2 * share


def test_the_report_shows_flips_beside_errors():
    sizes = CounterfactualSizes(n_train=150, n_test=30, effort=0.0)
    result = run_counterfactual(["janus", "copy"], graphs=["Chain"], noises=["NLIN"], seeds=range(1), sizes=sizes)
    grids = {grid.title: grid for grid in counterfactual_grids(result)}
    assert len(grids["Flips of a column with two values"].rows) == 2 * len(MECHANISMS)
    assert [row[0] for row in grids["Relative error of counterfactuals"].rows] == list(result.options["methods"])
    without = run_counterfactual(["copy"], graphs=["Chain"], noises=["NLIN"], seeds=range(1), sizes=sizes)
    assert "Flips of a column with two values" not in {grid.title for grid in counterfactual_grids(without)}
