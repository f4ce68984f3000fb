from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from janus_synth.estimators.features import (
    is_frame,
    like_input,
    merge_schema,
    numeric_kinds,
    read_features,
    read_target,
    target_name,
)

DATA = {"age": [31, 45, 60], "city": ["Rome", "Oslo", None]}
FRAMES = {"pandas": pd.DataFrame(DATA), "polars": pl.DataFrame(DATA), "pyarrow": pa.table(DATA)}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_read_with_their_names_and_come_back_as_they_were(kind):
    estimator = BaseEstimator()
    frame = read_features(estimator, FRAMES[kind], reset=True)
    assert is_frame(FRAMES[kind])
    assert list(frame) == estimator.columns_ == ["age", "city"]
    assert frame["age"].tolist() == DATA["age"]
    assert frame["city"].isna().tolist() == [False, False, True]
    back = like_input(frame, FRAMES[kind])
    assert type(back) is type(FRAMES[kind])
    assert list(back.column_names if kind == "pyarrow" else back.columns) == ["age", "city"]


def test_arrays_get_names_and_keep_missing_cells():
    estimator = BaseEstimator()
    frame = read_features(estimator, np.array([[1.0, np.nan], [3.0, 4.0]]), reset=True)
    assert list(frame) == ["x0", "x1"]
    assert not hasattr(estimator, "feature_names_in_")
    np.testing.assert_array_equal(like_input(frame, [[0.0, 0.0]]), [[1.0, np.nan], [3.0, 4.0]])


def test_later_rows_get_the_names_of_the_first_ones():
    estimator = BaseEstimator()
    read_features(estimator, pd.DataFrame({"a": [1], "b": [2]}), reset=True)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert list(read_features(estimator, np.array([[1.0, 2.0]]), reset=False)) == ["a", "b"]
    estimator = BaseEstimator()
    read_features(estimator, [[1.0, 2.0]], reset=True)
    with pytest.raises(ValueError, match="1 features, but BaseEstimator is expecting 2"):
        read_features(estimator, [[1.0]], reset=False)


def test_names_that_are_no_texts_are_replaced():
    assert list(read_features(BaseEstimator(), pd.DataFrame({0: [1], 1: [2]}), reset=True)) == ["x0", "x1"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([1.0, np.nan, 2.0], "NaN"),
        ([1, 2], "inconsistent numbers of samples"),
        ([[1, 2], [3, 4], [5, 6]], "1d array"),
    ],
    ids=["none", "missing", "short", "wide"],
)
def test_a_bad_target_is_told(y, message):
    with pytest.raises(ValueError, match=message):
        read_target(y, [[0], [1], [2]], estimator=BaseEstimator(), numeric=True)


def test_the_target_never_takes_the_name_of_a_feature():
    assert target_name(pd.Series([1], name="age"), ["age", "age_"]) == "age__"
    assert target_name(np.array([1]), []) == "target"
    assert target_name(pd.Series([1], name=3), []) == "target"


def test_numbers_are_declared_and_booleans_are_not():
    frame = pd.DataFrame({"id": range(30), "x": 0.5, "yes": True, "city": "Rome"})
    assert numeric_kinds(frame) == {"id": {"kind": "numeric"}, "x": {"kind": "numeric"}}


def test_a_new_kind_drops_the_fields_of_the_old_one():
    assert merge_schema({"a": {"kind": "numeric", "low": 0}}, None, {"a": {"kind": "categorical"}}) == {
        "a": {"kind": "categorical"}
    }
