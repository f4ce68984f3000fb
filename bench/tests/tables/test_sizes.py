import pandas as pd
import pytest

from janus_bench.tables.drawn import SMOOTH
from janus_bench.tables.sizes import enlarge, wide_table


def test_longer_tables_keep_dtypes_and_gain_values():
    frame = SMOOTH["ring"].table(300).assign(whole=range(300), flag=["a", "b"] * 150)
    longer = enlarge(frame, 2_000)
    assert len(longer) == 2_000
    pd.testing.assert_series_equal(longer.dtypes, frame.dtypes)
    assert longer["x"].nunique() == pytest.approx(2_000, abs=50)
    assert longer["whole"].between(0, 299).all()
    assert set(longer["flag"]) == {"a", "b"}


def test_wide_tables_are_as_wide_as_asked():
    frame = wide_table(100, 12)
    assert frame.shape == (100, 12)
    assert wide_table(100, 24).iloc[:, :2].equals(frame.iloc[:, :2])
