from __future__ import annotations

import numpy as np
import pandas as pd

from chart_reader import DRAWN_ROWS, REAL_ROWS, texts_of
from janus_synth.plots import (
    association_picture,
)


def test_associations_of_mixed_tables_are_drawn():
    texts = texts_of(association_picture(REAL_ROWS, DRAWN_ROWS))
    assert {"real rows", "synthetic rows", "synthetic minus real", "number", "day"} <= set(texts)


def test_names_that_are_alike_when_shortened_stay_apart():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["same start, 1 same end", "same start, 2 same end"])
    frame.columns = [name.replace("same", "the very same") for name in frame.columns]
    rows = association_picture(frame, frame).to_dict()["hconcat"][0]["encoding"]["y"]["sort"]
    assert len(set(rows)) == 2
