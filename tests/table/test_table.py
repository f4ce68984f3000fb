"""Tables check their arrays, and give new tables of the same schema."""

import pickle

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.table import Column, Schema, Table, read_table, same_cells

AGE = Column("age", "numeric", "Int64", nullable=True, low=0, high=120)
CITY = Column("city", "categorical", "category", levels=("Rome", "Oslo"), ordered=True)


def test_tables_hold_read_only_arrays_of_the_right_type():
    table = read_table(pd.DataFrame({"x": [1.5, 2.5], "y": ["a", "b"]}))
    with pytest.raises(ValueError, match="read-only"):
        table["x"][0] = 0
    with pytest.raises(UnknownColumnError):
        table["z"]
    assert len(table) == 2


def test_tables_select_columns_and_take_rows():
    table = read_table(pd.DataFrame({"x": [1.5, None, 3.5], "y": ["a", "b", None]}))
    assert table.select(["y"]).schema.names == ("y",)
    np.testing.assert_array_equal(table.take([2, 0])["x"], [3.5, 1.5])
    np.testing.assert_array_equal(table.take(np.array([True, False, True]))["y"], [0, -1])
    assert table.take(slice(1, None)).n_rows == 2
    assert table.take([]).n_rows == 0
    np.testing.assert_array_equal(table.missing("x"), [False, True, False])
    np.testing.assert_array_equal(table.missing("y"), [False, False, True])


def test_tables_check_their_arrays():
    schema = Schema((AGE, CITY))
    good = {"age": np.array([1.0]), "city": np.array([1])}
    with pytest.raises(DataError, match="column 'city' has no array"):
        Table(schema, {"age": good["age"]}, 1)
    with pytest.raises(DataError, match=r"column 'age' has shape \(1,\); it must be \(2,\)"):
        Table(schema, good, 2)
    with pytest.raises(DataError, match="column 'city' has indices outside its 2 levels"):
        Table(schema, good | {"city": np.array([2])}, 1)
    with pytest.raises(DataError, match="column 'city' has indices outside its 2 levels"):
        Table(schema, good | {"city": np.array([-2])}, 1)
    with pytest.raises(UnknownColumnError):
        Table(schema, good | {"cty": np.array([0])}, 1)


def test_tables_can_be_pickled():
    table = read_table(pd.DataFrame({"x": [1.5], "y": ["a"]}))
    copy = pickle.loads(pickle.dumps(table))
    assert copy.schema == table.schema
    np.testing.assert_array_equal(copy["x"], table["x"])


def small_table():
    return Table.from_columns(Schema((AGE, CITY)), {"age": np.array([31.0, np.nan]), "city": np.array([1, -1])})


def test_columns_are_replaced_in_a_copy():
    table = small_table()
    later = table.with_columns({"age": np.array([32.0, 46.0])})
    np.testing.assert_array_equal(later["age"], [32.0, 46.0])
    np.testing.assert_array_equal(later["city"], table["city"])
    np.testing.assert_array_equal(table["age"], [31.0, np.nan])
    assert later.schema is table.schema
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        table.with_columns({"agee": np.array([1.0, 2.0])})
    with pytest.raises(DataError, match=r"column 'age' has shape \(1,\)"):
        table.with_columns({"age": np.array([1.0])})


def test_copied_columns_can_be_written_to_without_changing_the_table():
    table = small_table()
    columns = table.copy_columns()
    columns["age"][:] = 50.0
    columns["city"][0] = 0
    np.testing.assert_array_equal(table["age"], [31.0, np.nan])
    np.testing.assert_array_equal(table.with_columns(columns)["city"], [0, -1])


def test_the_number_of_rows_follows_from_the_arrays():
    assert small_table().n_rows == 2
    assert Table.from_columns(Schema(()), {}, n_rows=7).n_rows == 7
    with pytest.raises(DataError, match="needs n_rows"):
        Table.from_columns(Schema(()), {})


def test_concatenated_tables_have_all_rows_in_order():
    table = small_table()
    both = Table.concatenate([table.take([1]), table, table.take([])])
    np.testing.assert_array_equal(both["age"], [np.nan, 31.0, np.nan])
    np.testing.assert_array_equal(both["city"], [-1, 1, -1])
    with pytest.raises(DataError, match="different schemas"):
        Table.concatenate([table, table.select(["age"])])


def test_missing_cells_equal_missing_cells():
    table = small_table()
    later = table.with_columns({"age": np.array([30.0, np.nan]), "city": np.array([1, 0])})
    assert same_cells(table["age"], later["age"]).tolist() == [False, True]
    assert same_cells(table["city"], later["city"]).tolist() == [True, False]
