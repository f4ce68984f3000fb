import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.metrics.rows import align, equal_rows, mean_of, stack, subsample
from janus_synth.table import Column, Schema


def test_levels_unseen_in_the_first_table_get_new_codes():
    first = pd.DataFrame({"c": ["b", "a", None, "a"]})
    second = pd.DataFrame({"c": ["z", "a"]})
    third = pd.DataFrame({"c": ["y", "z", "b"]})
    codes = [rows["c"] for rows in align(train=first, test=second, synthetic=third)]
    code = {"a": codes[0][1], "b": codes[0][0], "z": codes[1][0], "y": codes[2][0]}
    assert codes[0][2] == -1
    assert sorted(code.values()) == [0, 1, 2, 3]
    assert codes[1].tolist() == [code["z"], code["a"]]
    assert codes[2].tolist() == [code["y"], code["z"], code["b"]]


def test_all_tables_share_all_levels():
    aligned = align(a=pd.DataFrame({"c": ["x", "x", "y"]}), b=pd.DataFrame({"c": ["z", "x"]}))
    assert [rows.column("c").n_levels for rows in aligned] == [3, 3]


def test_column_order_follows_the_first_table():
    first = pd.DataFrame({"x": [1.5, 2.0], "c": ["a", "a"]})
    left, right = align(real=first, synthetic=first[["c", "x"]])
    assert left.names == right.names == ("x", "c")
    np.testing.assert_array_equal(left["x"], right["x"])


def test_aligned_rows_pass_through():
    left, right = align(real=pd.DataFrame({"x": [1.5, 2.0]}), synthetic=pd.DataFrame({"x": [3.0]}))
    again = align(real=left, synthetic=right)
    assert again[0] is left
    assert again[1] is right


def test_rows_of_different_alignments_do_not_mix():
    (left,) = align(a=pd.DataFrame({"x": [1.5, 2.0]}))
    (right,) = align(b=pd.DataFrame({"y": [1.5, 2.0]}))
    with pytest.raises(DataError, match="different schemas"):
        align(a=left, b=right)


def test_different_columns_are_listed():
    real = pd.DataFrame({"a": [1.5, 2.5], "b": [1.5, 2.5]})
    with pytest.raises(DataError, match=r"synthetic table lacks 'b' and has 'c' that the real table lacks"):
        align(real=real, synthetic=real.rename(columns={"b": "c"}))


def test_identifiers_are_left_out_even_where_they_are_absent():
    real = pd.DataFrame({"id": [f"user-{i:04}" for i in range(50)], "x": np.arange(50) / 7})
    for other in (real, real[["x"]]):
        left, right = align(real=real, synthetic=other)
        assert left.names == right.names == ("x",)


def test_a_schema_decides_the_kinds():
    frame = pd.DataFrame({"zip": [10115, 80331, 10115], "note": ["a", "b", "a"]})
    schema = Schema((Column("zip", "categorical", "int64"),))
    left, right = align(schema=schema, real=frame, synthetic=frame)
    assert left.names == ("zip",)
    assert left.column("zip").n_levels == 2
    assert right["zip"].tolist() == left["zip"].tolist()


def test_errors_about_invalid_values_name_their_table():
    real, synthetic = pd.DataFrame({"x": [1.5, 2.5]}), pd.DataFrame({"x": ["many", "few"]})
    with pytest.raises(SchemaError, match=r"synthetic table: column 'x'") as caught:
        align(real=real, synthetic=synthetic)
    assert caught.value.column == "x"


def test_identifiers_alone_are_nothing_to_compare():
    ids = pd.DataFrame({"id": [f"user-{i:04}" for i in range(50)]})
    with pytest.raises(DataError, match="all its columns are identifiers"):
        align(real=ids, synthetic=ids)


def test_a_table_without_rows_is_refused():
    real = pd.DataFrame({"x": [1.5, 2.5]})
    with pytest.raises(DataError, match=r"synthetic table: .*no rows"):
        align(real=real, synthetic=real[:0])


def test_something_that_is_no_table_is_refused():
    with pytest.raises(DataError, match="synthetic table: a list"):
        align(real=pd.DataFrame({"x": [1.5, 2.5]}), synthetic=[1, 2])


def test_an_unknown_column_suggests_the_closest():
    (rows,) = align(real=pd.DataFrame({"income": [1.5, 2.5]}))
    with pytest.raises(UnknownColumnError, match="income"):
        rows.column("incme")


def test_equal_rows_cuts_to_the_smallest_without_replacement():
    left, right = align(real=pd.DataFrame({"x": np.arange(50) / 3}), synthetic=pd.DataFrame({"x": [0.5, 1.5]}))
    cut, kept = equal_rows(left, right, seed=3)
    assert cut.n_rows == kept.n_rows == 2
    assert len(np.unique(cut["x"])) == 2
    assert set(cut["x"]) <= set(left["x"])


def test_subsamples_repeat_with_their_seed():
    (rows,) = align(real=pd.DataFrame({"x": np.arange(50) / 3}))
    np.testing.assert_array_equal(subsample(rows, 9, 1)["x"], subsample(rows, 9, 1)["x"])
    assert subsample(rows, 50, 1) is rows


def test_stack_keeps_the_order():
    left, right = align(real=pd.DataFrame({"x": [1.5, 2.5]}), synthetic=pd.DataFrame({"x": [0.5]}))
    assert stack(left, right)["x"].tolist() == [1.5, 2.5, 0.5]


def test_mean_of_passes_over_undefined_values():
    assert mean_of([1.0, float("nan"), 3.0]) == 2.0
    assert np.isnan(mean_of([]))
