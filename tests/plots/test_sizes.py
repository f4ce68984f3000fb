from __future__ import annotations

import pytest

from chart_reader import data_of, texts_of
from janus_synth.errors import DataError
from janus_synth.plots import (
    epistemic_by_size,
)


def test_sizes_are_drawn_in_order_on_a_log_scale():
    chart = epistemic_by_size([1_000, 100], [0.1, 0.3], [0.5, 0.4], target="pay")
    assert [row["rows"] for row in data_of(chart, "hconcat", 0)] == [100, 1_000]
    assert [row["nats"] for row in data_of(chart, "hconcat", 0)] == [0.3, 0.1]
    assert [row["nats"] for row in data_of(chart, "hconcat", 1)] == [0.4, 0.5]
    assert chart.to_dict()["hconcat"][0]["layer"][0]["encoding"]["x"]["scale"]["type"] == "log"
    assert "Uncertainty about pay, by training rows" in texts_of(chart)


@pytest.mark.parametrize("sizes", [[], [0, 10], [10]])
def test_sizes_that_fit_nothing_are_refused(sizes):
    with pytest.raises(DataError):
        epistemic_by_size(sizes, [0.1, 0.2][: max(len(sizes), 2)], [0.1, 0.2])
