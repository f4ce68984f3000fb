from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError
from janus_synth.plots import (
    detection_curve,
    to_svg,
)


def test_detection_curves_have_a_panel_per_kind_and_mark_what_is_degenerate():
    audits = pd.DataFrame(
        {
            "bias": ["direct", "direct", "a <b> & c", "a <b> & c"],
            "algorithm": ["logistic", "majority"] * 2,
            "planted": [0.1, 0.1, -0.2, -0.2],
            "excess": [0.1, 0.0, -0.15, 0.0],
            "excess_low": [0.05, 0.0, -0.2, np.nan],
            "excess_high": [0.15, 0.0, -0.1, np.nan],
            "degenerate": ["", "it favours nobody", "", "it favours nobody"],
        }
    )
    chart = detection_curve(audits)
    spec = chart.to_dict()
    assert [panel["title"]["text"] for panel in spec["hconcat"]] == ["direct", "a <b> & c"]
    assert "degenerate decisions (2 of 4 audits)" in " ".join(spec["title"]["subtitle"])
    assert to_svg(chart).startswith("<svg")
    with pytest.raises(DataError, match="no audits"):
        detection_curve(audits[:0])
