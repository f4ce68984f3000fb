"""Frames of all kinds are recognised; anything else raises an error that says how to build a frame."""

import subprocess
import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from janus_synth.errors import DataError, MissingExtraError
from janus_synth.table import (
    Schema,
    Table,
    column_names_of,
    count_rows,
    frame_kind,
    kind_and_index,
    plain_frame,
    read_table,
    take_rows,
    write_table,
)

DATA = {"x": [1, 2], "y": ["a", "b"]}


@pytest.mark.parametrize(
    ("frame", "kind"),
    [(pd.DataFrame(DATA), "pandas"), (pl.DataFrame(DATA), "polars"), (pa.table(DATA), "pyarrow")],
)
def test_frames_are_recognised_and_narwhals_frames_unwrapped(frame, kind):
    assert frame_kind(frame) == kind
    assert frame_kind(nw.from_native(frame)) == kind
    assert read_table(nw.from_native(frame)).schema.frame == kind


@pytest.mark.parametrize(
    ("thing", "advice"),
    [
        (pl.DataFrame(DATA).lazy(), r"Call \.collect\(\)"),
        (nw.from_native(pl.DataFrame(DATA).lazy()), r"Call \.collect\(\)"),
        (DATA, r"a dict is not a frame.*pd\.DataFrame\(data\)"),
        ([{"x": 1}], r"a list is not a frame.*pd\.DataFrame\(data\)"),
        (np.zeros(2), r"pd\.DataFrame\(array, columns="),
        (scipy.sparse.eye_array(2), r"Sparse matrices are not supported.*\.toarray\(\)"),
        (pd.Series([1]), r"\.to_frame\(\)"),
        (pl.Series([1]), r"\.to_frame\(\)"),
        (pa.RecordBatch.from_pydict(DATA), r"pa\.table\(data\)"),
        (7, "an int is not a frame.*Give a pandas or polars DataFrame"),
        (None, "pandas or polars DataFrame"),
    ],
)
def test_anything_else_raises_an_error_with_how_to_build_a_frame(thing, advice):
    with pytest.raises(DataError, match=advice):
        frame_kind(thing)
    with pytest.raises(DataError, match=advice):
        read_table(thing)


@pytest.mark.parametrize("frame", [pd.DataFrame({"x": []}), pl.DataFrame({"x": []}), pa.table({"x": []})])
def test_frames_without_rows_raise_an_error(frame):
    with pytest.raises(DataError, match="the frame has no rows"):
        read_table(frame)


@pytest.mark.parametrize("frame", [pd.DataFrame(), pd.DataFrame(index=[0, 1]), pl.DataFrame(), pa.table({})])
def test_frames_without_columns_raise_an_error(frame):
    with pytest.raises(DataError, match="the frame has no columns"):
        read_table(frame)


def test_names_that_occur_twice_are_listed():
    with pytest.raises(DataError, match="more than once: 'a', 'b'"):
        read_table(pd.DataFrame([[1, 2, 3, 4, 5]], columns=["a", "b", "a", "c", "b"]))
    with pytest.raises(DataError, match="more than once: 'a'"):
        read_table(pa.table([[1], [2]], names=["a", "a"]))


def test_names_that_are_not_text_are_listed_with_the_remedy():
    with pytest.raises(DataError, match=r"these are not: 0, 1\. .*df\.columns = df\.columns\.map\(str\)"):
        read_table(pd.DataFrame([[1, 2]]))
    with pytest.raises(DataError, match=r"these are not: \('a', 'b'\)"):
        read_table(pd.DataFrame({("a", "b"): [1]}))


def test_an_unusual_index_does_not_matter():
    frame = pd.DataFrame({"x": [1.5, 2.5], "y": ["b", "a"]}, index=[7, 7])
    np.testing.assert_array_equal(read_table(frame)["y"], [1, 0])


def test_the_input_is_not_modified_and_not_shared():
    frame = pd.DataFrame({"x": [1.5, np.nan], "y": ["b", None], "z": pd.Categorical(["u", "v"])})
    before = frame.copy(deep=True)
    table = read_table(frame)
    result = write_table(table)
    result.loc[0, "x"] = 99.0
    pd.testing.assert_frame_equal(frame, before)
    assert table["x"][0] == 1.5


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_plain_frames_of_every_kind_have_the_columns_given(kind):
    frame = plain_frame({"x": np.array([0.5, 1.5, 2.5]), "n": np.array([3, 4, 5])}, kind)
    assert (frame_kind(frame), count_rows(frame), column_names_of(frame)) == (kind, 3, ["x", "n"])
    taken = take_rows(frame, [2, 0, 2])
    assert frame_kind(taken) == kind
    np.testing.assert_array_equal(np.asarray(taken["x"]), [2.5, 0.5, 2.5])
    np.testing.assert_array_equal(np.asarray(taken["n"]), [5, 3, 5])


def test_rows_of_pandas_frames_keep_their_index():
    frame = plain_frame({"x": np.array([0.5, 1.5])}, index=["b", "a"])
    assert take_rows(frame, [1]).index.tolist() == ["a"]
    kind, index = kind_and_index(frame)
    assert (kind, index.tolist()) == ("pandas", ["b", "a"])
    assert kind_and_index(pl.DataFrame({"x": [1]})) == ("polars", None)


def test_a_missing_polars_is_named_with_the_remedy(monkeypatch):
    schema = Schema.detect(pl.DataFrame({"x": [1]}))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="polars"):
        write_table(Table(schema, {"x": np.array([1.0])}, 1))


def test_importing_the_layer_loads_no_frame_library_and_pandas_users_never_load_polars():
    code = (
        "import sys, janus_synth.table as t\n"
        "assert not {'pandas', 'pyarrow', 'polars'} & sys.modules.keys(), 'heavy import'\n"
        "import pandas as pd\n"
        "table = t.read_table(pd.DataFrame({'x': [1, 2], 'y': ['a', 'b']}))\n"
        "t.write_table(table)\n"
        "assert 'polars' not in sys.modules, 'polars was imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
