from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from chart_reader import DRAWN_ROWS, REAL_ROWS, texts_of
from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.plots import (
    REAL,
    SYNTHETIC,
    association_picture,
    column_pictures,
    marginals_picture,
    to_svg,
)


def test_columns_of_every_kind_are_drawn():
    texts = texts_of(marginals_picture(REAL_ROWS, DRAWN_ROWS))
    assert set(REAL_ROWS.columns) <= set(texts)
    assert {"real", "synthetic", "2018"} <= set(texts)
    assert any("missing: 20" in text for text in texts)
    assert any("exactly 0:" in text for text in texts)
    assert any("others" in text for text in texts)


def test_single_columns_need_no_legend_and_keep_their_colours():
    charts = column_pictures(REAL_ROWS, DRAWN_ROWS, ["number", "level"])
    assert list(charts) == ["number", "level"]
    for chart in charts.values():
        svg = to_svg(chart)
        ElementTree.fromstring(svg)
        assert REAL in svg
        assert SYNTHETIC in svg
        assert "<script" not in svg


def test_one_column_and_one_row_are_enough():
    one = pd.DataFrame({"x": [3.5]})
    assert "x" in texts_of(marginals_picture(one, one))
    assert "A single column has no associations." in texts_of(association_picture(one, one))


def test_polars_tables_are_drawn_too():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1.5, 2.5, 9.0], "c": ["a", "b", None]})
    assert {"x", "c"} <= set(texts_of(marginals_picture(frame, frame)))


def test_forty_columns_are_drawn():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 40)), columns=[f"a long column name {i}" for i in range(40)])
    assert len(texts_of(association_picture(frame, frame))) > 120
    assert len(column_pictures(frame, frame)) == 40


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(UnknownColumnError, match="number"):
        marginals_picture(REAL_ROWS, DRAWN_ROWS, ["numbr"])
    with pytest.raises(DataError, match="no rows"):
        marginals_picture(REAL_ROWS, DRAWN_ROWS[:0])
    keys = pd.DataFrame({"key": [f"K-{i:04d}" for i in range(200)], "x": range(200)})
    with pytest.raises(SchemaError, match="identifier"):
        marginals_picture(keys, keys, ["key"])
