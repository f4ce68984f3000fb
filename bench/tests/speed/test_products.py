"""Rules of every form are calibrated to the same share and timed in the same run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_bench.speed.parts import SpeedSizes
from janus_bench.speed.products import FORMS, main, rule_of_share, time_products
from janus_synth import holds

TINY = SpeedSizes(200, (300,), (100, 200), (4, 8), 100, 400, 1, 1, 20, 2_000)


@pytest.mark.parametrize("form", FORMS)
def test_a_rule_accepts_its_share(form):
    rng = np.random.default_rng(0)
    pool = pd.DataFrame({name: rng.gamma(2, 1, 5_000) for name in "xyz"})
    rule = rule_of_share(pool, FORMS[form], {"a": "x", "b": "y", "c": "z"}, 0.1)
    assert holds(rule, pool).mean() == pytest.approx(0.1, abs=0.001)


def test_every_form_is_timed_and_compared(capsys):
    costs = list(time_products("sem", TINY))
    assert [cost.form for cost in costs[:3]] == list(FORMS)
    assert all(cost.first > 0 for cost in costs)
    main(["sem"], TINY)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(costs) + 4
    assert lines[-1].startswith("ratio, again: ")
