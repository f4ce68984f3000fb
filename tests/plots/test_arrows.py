from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.plots import (
    arrow_use,
)


def test_the_use_of_an_arrow_is_the_share_of_rows_that_ask():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 600), rng.integers(0, 2, 600)
    frame = pd.DataFrame({"a": a, "b": b, "c": np.where(a == 1, b, 0)}).astype(str)  # c asks about b where a is 1
    model = Janus(structure=[("a", "c"), ("b", "c")], links="off", n_trees=1, random_state=0).fit(frame).model_
    use = arrow_use(model)
    assert max(use["a", "c"], use["b", "c"]) == 1.0
    assert min(use["a", "c"], use["b", "c"]) == pytest.approx(0.5, abs=0.1)
    assert use.keys() == set(model.dag.edges)
