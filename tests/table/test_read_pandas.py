"""Pandas columns of every dtype are read; cells that cannot be learnt raise an error with advice."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, SchemaError
from janus_synth.table import Schema, read_table


def column(cells, overrides=None, name="x"):
    """Column that detection makes of one Series."""
    changes = {name: overrides} if overrides else None
    return Schema.detect(pd.DataFrame({name: cells}), changes)[name]


def objects(*cells):
    return pd.Series(cells, dtype=object)


def test_mixed_objects_keep_their_types_in_order_of_type_and_value():
    found = column(objects("b", 2, True, 1.5, None, "a", 1))
    assert found.levels == (True, 1.5, 1, 2, "a", "b")
    assert list(map(type, found.levels)) == [bool, float, int, int, str, str]


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (objects([1], [2]), "list objects, such as \\[1\\]"),
        (objects({"a": 1}), "dict objects"),
        (objects(b"x"), "bytes objects"),
        (objects("a", dt.date(2024, 1, 1)), "date objects"),
        (objects(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)), "a mix of date and datetime"),
        (pd.Series([1j]), "complex128"),
    ],
)
def test_cells_that_are_not_plain_values_raise_an_error_with_advice(cells, names):
    with pytest.raises(SchemaError, match=f"column 'x' holds .*{names}.*[Dd]rop the column, or convert it"):
        column(cells)


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "double[pyarrow]", object])
def test_infinite_values_raise_an_error_that_counts_them(dtype):
    frame = pd.DataFrame({"x": pd.Series([1.5, np.inf, -np.inf], dtype=dtype)})
    with pytest.raises(DataError, match=r"column 'x' has 2 infinite values\. Replace them by null or clip"):
        read_table(frame)
