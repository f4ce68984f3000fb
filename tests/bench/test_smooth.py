import pandas as pd
import pytest

from janus_synth.bench.smooth import SMOOTH, smooth_table


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_tables_are_repeatable_and_smooth(name):
    frame = smooth_table(name, 500)
    pd.testing.assert_frame_equal(frame, smooth_table(name, 500))
    assert not frame.equals(smooth_table(name, 500, seed=1))
    assert all(frame[column].nunique() == 500 for column in frame)
    assert SMOOTH[name][1] in frame
