"""Numbers are rounded and clipped to a dtype; they never overflow."""

import numpy as np
import pandas as pd
import pytest

from janus_synth.table import Column, Schema, Table, write_table
from janus_synth.table.output_columns import DoesNotFit, OutputColumn, output_column, to_floats, to_integers, to_ticks
from table.native_columns import SIGNED, stamps


@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_are_rounded_and_clipped_and_never_overflow(dtype):
    info = np.iinfo(dtype)
    schema = Schema.detect(pd.DataFrame({"x": np.array([info.min, info.max], dtype=dtype)}))
    values = np.array([float(info.min), float(info.max), -1e300, 1e300, 2.5, 3.5])
    result = write_table(Table(schema, {"x": values}, 6))["x"]
    assert result.dtype == dtype
    assert result.tolist() == [info.min, info.max, info.min, info.max, 2, 4]


def test_datetimes_beyond_a_unit_are_clipped_to_its_range():
    schema = Schema.detect(pd.DataFrame({"x": stamps("ns")}))
    result = write_table(Table(schema, {"x": np.array([1e18, -1e18, np.nan])}, 3))["x"]
    assert result.dtype == "datetime64[ns]"
    assert (result[0].year, result[1].year, result[2]) == (2262, 1677, pd.NaT)


def test_floats_too_large_for_float32_are_clipped_without_a_warning():
    schema = Schema.detect(pd.DataFrame({"x": np.array([1.5], dtype="float32")}))
    assert np.isfinite(write_table(Table(schema, {"x": np.array([1e300])}, 1))["x"]).all()


@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_of_one_type_are_clipped_to_another(dtype):
    info = np.iinfo(dtype)
    extremes = np.array([np.iinfo(np.int64).min, -1, 0, 1, np.iinfo(np.int64).max])
    expected = [min(max(value, info.min), info.max) for value in extremes.tolist()]
    assert to_integers(extremes, dtype).tolist() == expected


def test_microseconds_are_rounded_to_the_unit():
    values = np.array([0.0, 1_499_999.0, 1_500_001.0, -1_500_001.0])
    assert to_ticks(values, "s").tolist() == [0, 1, 2, -2]
    assert to_ticks(values, "us").tolist() == [0, 1_499_999, 1_500_001, -1_500_001]
    assert to_ticks(values, "ns").tolist() == [0, 1_499_999_000, 1_500_001_000, -1_500_001_000]
    assert to_ticks(np.array([1e30]), "D", bits=32)[0] < 2**31


def test_missing_cells_are_nan_among_numbers_and_minus_one_among_indices():
    age, city = Column("age", "numeric", "int64"), Column("city", "categorical", "str", levels=("Oslo", "Rome"))
    numbers = output_column(age, np.array([31.0, np.nan]), 2)
    levels = output_column(city, np.array([1, -1]), 2)
    for cells in (numbers, levels):
        assert cells.missing().tolist() == [False, True]
    assert numbers.objects().tolist() == [31.0, None]
    assert levels.objects("gone").tolist() == ["Rome", "gone"]
    assert to_floats(numbers.numbers(), "float32", numbers.missing()).tolist()[0] == 31.0


def test_levels_of_text_do_not_fit_a_dtype_of_numbers():
    column = Column("x", "categorical", "int64", levels=("12", "many"))
    assert OutputColumn(column, np.array([0, -1]), ("12",)).numbers().tolist() == [12, 0]
    with pytest.raises(DoesNotFit, match="'many' does not fit"):
        output_column(column, np.array([0, 1]), 2).numbers()
