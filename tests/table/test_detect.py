"""Kinds, domains and levels are detected as documented, unless the user sets them."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pytest

from janus_synth.errors import SchemaError, UnknownColumnError
from janus_synth.table import Schema, read_table, shown_value


def column(cells, overrides=None, name="x"):
    """Column that detection makes of one Series."""
    changes = {name: overrides} if overrides else None
    return Schema.detect(pd.DataFrame({name: cells}), changes)[name]


def objects(*cells):
    return pd.Series(cells, dtype=object)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.Series([True, False]), "boolean"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (objects(True, False, None), "boolean"),
        (pd.Series([1, 2]), "numeric"),
        (pd.Series([1, None], dtype="Int8"), "numeric"),
        (pd.Series([1.5, None]), "numeric"),
        (objects(Decimal("1.5"), None), "numeric"),
        (objects(1, 2, None), "numeric"),
        (pd.Series(pd.to_timedelta(["1s", "2s"])), "numeric"),
        (pd.Series(pd.to_datetime(["2024-01-01"])), "datetime"),
        (objects(dt.date(2024, 1, 1), None), "datetime"),
        (objects(dt.datetime(2024, 1, 1), None), "datetime"),
        (pd.Series(["a", "b"]), "categorical"),
        (pd.Series(["a", "b"]).astype("category"), "categorical"),
        (pd.Series([1, 2]).astype("category"), "categorical"),
        (objects(1, "a", None), "categorical"),
        (pd.Series([None, None], dtype="float64"), "categorical"),
    ],
)
def test_kinds_follow_the_dtype_and_the_cells(cells, kind):
    found = column(cells)
    assert found.kind == kind
    assert found.nullable == cells.isna().any()


def test_columns_without_values_keep_their_dtype_and_have_no_levels():
    found = column(pd.Series([np.nan, np.nan]))
    assert (found.kind, found.dtype, found.levels, found.nullable) == ("categorical", "float64", (), True)


def test_domains_are_the_seen_range():
    found = column(pd.Series([5, 2, 9]))
    assert (found.low, found.high) == (2.0, 9.0)
    found = column(pd.Series(pd.to_datetime(["1970-01-02", None, "1970-01-01"])))
    assert (found.low, found.high) == (0.0, 86_400e6)


def test_levels_of_text_are_sorted_and_declared_categories_are_kept_in_order():
    assert column(pd.Series(["b", "a", "b"])).levels == ("a", "b")
    dtype = pd.CategoricalDtype(["z", "unused", "a"], ordered=True)
    found = column(pd.Series(["a", "z"], dtype=dtype))
    assert (found.levels, found.ordered, found.is_ordered) == (("z", "unused", "a"), True, True)
    enum = Schema.detect(pl.DataFrame({"x": pl.Series(["a"], dtype=pl.Enum(["z", "a"]))}))["x"]
    assert (enum.levels, enum.ordered) == (("z", "a"), False)
    polars_category = Schema.detect(pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Categorical)}))["x"]
    assert polars_category.levels == ("a", "b")


@pytest.mark.parametrize(
    ("name", "cells", "is_identifier"),
    [
        ("x", [f"key {i}" for i in range(20)], True),
        ("x", [f"key {i}" for i in range(19)], False),
        ("x", ["twice", *(f"key {i}" for i in range(20)), "twice"], False),
        ("x", [None, *(f"key {i}" for i in range(20))], True),
        ("x", list(range(100, 120)), True),
        ("x", list(range(120, 100, -1)), True),
        ("x", np.arange(120, 100, -1).astype("uint8"), True),
        ("x", list(range(19)), False),
        ("x", [*range(2, 20), 1, 0], False),
        ("x", list(range(0, 40, 2)), False),
        ("id", [7, 3, 5], True),
        ("Customer_ID", [7, 3, 5], True),
        ("order id", [7, 3, 5], True),
        ("paid", [7, 3, 5], False),
        ("id", [7, 3, 7], False),
        ("id", [0.5, 1.5, 2.5], False),
    ],
)
def test_identifiers_are_distinct_text_consecutive_integers_or_named_id(name, cells, is_identifier):
    assert (column(pd.Series(cells), name=name).kind == "identifier") is is_identifier


def test_categorical_dtypes_are_never_identifiers():
    assert column(pd.Series([f"key {i}" for i in range(30)]).astype("category")).kind == "categorical"


def test_declared_bounds_hold_and_the_other_side_is_the_seen_one():
    found = column(pd.Series([20, 30]), {"low": 0})
    assert (found.low, found.high) == (0.0, 30.0)
    found = column(pd.Series(pd.to_datetime(["2024-06-01"])), {"low": dt.date(2024, 1, 1), "high": "2025-01-01T12:00"})
    assert (shown_value(found, found.low), shown_value(found, found.high)) == (
        "2024-01-01",
        "2025-01-01T12:00:00",
    )


def test_values_outside_declared_bounds_are_counted_and_shown():
    with pytest.raises(
        SchemaError, match=r"column 'x': 2 of 4 values lie outside the declared \[0, 120\], .* 130"
    ) as caught:
        column(pd.Series([-1, 20, 30, 130][::-1]), {"low": 0, "high": 120})
    assert caught.value.column == "x"


def test_declared_levels_give_the_order_and_other_values_raise_an_error():
    found = column(pd.Series(["lo", "hi"]), {"levels": ["lo", "mid", "hi"], "ordered": True})
    assert (found.levels, found.ordered) == (("lo", "mid", "hi"), True)
    with pytest.raises(
        SchemaError, match=r"column 'x': 2 of 3 values are not among the declared levels, for example 'a'"
    ):
        column(pd.Series(["a", "b", "lo"]), {"levels": ["lo"]})


def test_missing_cells_in_a_column_declared_complete_raise_an_error():
    with pytest.raises(SchemaError, match="column 'x': 1 cells are missing, but nullable is false"):
        column(pd.Series([1.5, None]), {"nullable": False})
    assert column(pd.Series([1.5, 2.5]), {"nullable": True}).nullable


def test_overrides_name_real_columns_and_real_fields():
    frame = pd.DataFrame({"age": [1.5]})
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        read_table(frame, {"agee": {"low": 0}})
    with pytest.raises(SchemaError, match="'lowest' cannot be set; there are kind"):
        read_table(frame, {"age": {"lowest": 0}})
    with pytest.raises(SchemaError, match="as a mapping"):
        read_table(frame, {"age": "numeric"})
    with pytest.raises(SchemaError, match="the kind is 'number'; it must be one of numeric"):
        read_table(frame, {"age": {"kind": "number"}})
    with pytest.raises(SchemaError, match="give a Schema or a mapping"):
        read_table(frame, "age")


# Years, codes and keys


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("year", range(1990, 2020), "numeric"),
        ("season", range(1990, 2020), "numeric"),
        ("birthYear", range(10_000, 10_030), "numeric"),
        ("week", range(100, 130), "identifier"),
        ("year_id", range(1990, 2020), "numeric"),
        ("customerId", [*range(0, 90, 3)], "identifier"),
        ("CustomerID", [*range(0, 90, 3)], "identifier"),
        ("order_no", [*range(0, 90, 3)], "identifier"),
        ("paid", [*range(0, 90, 3)], "numeric"),
        ("number_of_rooms", [*range(0, 90, 3)], "numeric"),
        ("customer_id", [1, 2] * 15, "numeric"),
        ("zip", [f"{i:05d}" for i in range(30)], "categorical"),
        ("name", [f"person {i}" for i in range(30)], "identifier"),
    ],
)
def test_years_and_codes_are_no_identifiers_and_keys_are(name, values, kind):
    assert Schema.detect(pd.DataFrame({name: list(values)}))[name].kind == kind


# Formats of texts


def test_a_format_alone_says_the_kind():
    frame = pd.DataFrame({"x": ["19/08/2023", "01/02/2024"]})
    assert Schema.detect(frame, {"x": {"format": "%d/%m/%Y"}})["x"].kind == "datetime"
    assert Schema.detect(pd.DataFrame({"x": ["Y", "N"]}), {"x": {"format": "Y/N"}})["x"].kind == "boolean"


def test_a_kind_alone_finds_the_format():
    frame = pd.DataFrame({"x": ["$5,000.00", "$12.50", "?"]})
    column = Schema.detect(frame, {"x": {"kind": "numeric"}})["x"]
    assert (column.format, column.missing, column.low, column.high) == ("$#,##0.00", ("?",), 12.5, 5000)


def test_numbers_that_mean_missing_are_missing():
    column = Schema.detect(pd.DataFrame({"x": [1, 2, 999]}), {"x": {"missing": "999"}})["x"]
    assert (column.nullable, column.high) == (True, 2)


def test_texts_that_do_not_have_the_format_raise_an_error():
    with pytest.raises(SchemaError, match="'soon' cannot be read as datetime. Correct the values or the format"):
        Schema.detect(pd.DataFrame({"x": ["19/08/2023", "soon"]}), {"x": {"format": "%d/%m/%Y"}})
