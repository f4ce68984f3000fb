"""Rows of the user and the model's columns: hidden ones are measured on the way in and left out on the way back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.model.rows import read_partial_rows, read_rows, visible_columns, visible_table, write_rows
from sampling.linked_models import CASES, fitted_case
from sampling.small_models import small_model

FRAME = CASES["gap"]().frame.head(40)


@pytest.fixture
def model():
    return fitted_case("gap").model_


def test_hidden_columns_are_measured(model):
    table = read_rows(model, FRAME)
    assert set(table.columns) == {"start", "end - start", "end", "y"}
    np.testing.assert_array_equal(table["end - start"], FRAME["end"] - FRAME["start"])


def test_only_wanted_columns_are_read(model):
    assert visible_columns(model, ["end - start"]) == ("start", "end")
    table = read_rows(model, FRAME, columns=["end - start"])
    assert set(table.columns) == {"end - start"}
    assert set(read_rows(model, FRAME[["y"]], columns=["y"]).columns) == {"y"}


def test_what_depends_on_absent_cells_is_missing(model):
    table, absent = read_partial_rows(model, FRAME[["end", "y"]])
    assert absent == ("start",)
    assert np.isnan(table["end - start"]).all()
    assert np.isnan(table["start"]).all()


def test_a_cell_that_no_row_can_have_is_named(model):
    frame = FRAME.reset_index(drop=True).astype({"start": float})
    frame.loc[3, "start"] = 1e12
    with pytest.raises(DataError, match="row 3: column 'start' is 1e[+]12, outside its domain from"):
        read_partial_rows(model, frame)
    assert read_partial_rows(model, frame, check=False).table["start"][3] == 1e12
    with pytest.raises(DataError, match="row 0: column 'y' has no level 'new'; it has"):
        read_partial_rows(model, FRAME.assign(y="new"))


def test_a_fraction_in_a_column_of_whole_numbers_is_named():
    with pytest.raises(DataError, match="row 1: column 'a' is 1.5, and it holds whole numbers"):
        read_partial_rows(small_model("dense").model_, pd.DataFrame({"a": [1, 1.5, None]}))


def test_a_misspelt_column_is_an_error_and_a_further_one_is_not(model):
    with pytest.raises(UnknownColumnError, match="Did you mean 'start'"):
        read_partial_rows(model, FRAME.rename(columns={"start": "strat"}))
    assert read_partial_rows(model, FRAME.drop(columns="start").assign(colour="red")).absent == ("start",)


def test_rows_are_written_without_hidden_columns(model):
    table = read_rows(model, FRAME)
    assert "end - start" not in visible_table(model, table).columns
    pd.testing.assert_frame_equal(write_rows(model, table), FRAME, check_dtype=False)


def test_a_model_without_links_reads_as_before():
    model = fitted_case("sum").model_
    frame = CASES["sum"]().frame.head(10)
    assert set(read_rows(model, frame).columns) == set(frame)
