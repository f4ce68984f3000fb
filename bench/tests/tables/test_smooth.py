import pandas as pd
import pytest

from janus_bench.tables.drawn import SMOOTH


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_tables_are_repeatable_and_smooth(name):
    frame = SMOOTH[name].table(500)
    pd.testing.assert_frame_equal(frame, SMOOTH[name].table(500))
    assert not frame.equals(SMOOTH[name].table(500, seed=1))
    assert all(frame[column].nunique() == 500 for column in frame)
    assert SMOOTH[name].target in frame
