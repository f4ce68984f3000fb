"""Codes of rows find their groups, and rows that are written get fresh codes of their groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import SchemaError
from janus_synth.table import Column, Schema, Table, read_table, write_table
from janus_synth.table.codes import code_text, write_codes
from janus_synth.table.columns import physical_value

ZIPS = Column("zip", "categorical", "str", nullable=True, levels=("021{9:2}", "90210"), generalised=True)


def test_codes_of_new_rows_are_read_as_groups():
    table = read_table(pd.DataFrame({"zip": ["02138", "02199", "90210", None, "10115"]}), Schema((ZIPS,)))
    assert table["zip"].tolist() == [0, 0, 1, -1, 2]
    assert table.schema["zip"].levels == ("021{9:2}", "90210", "10115")


def test_written_codes_belong_to_their_groups_and_depend_on_the_row_alone():
    indices = np.array([0, 1, -1, 0, 0, 1])
    cells = write_codes(ZIPS, indices, seed=1).objects()
    assert [cells[i] for i in (1, 2, 5)] == ["90210", None, "90210"]
    assert all(cells[i].startswith("021") and len(cells[i]) == 5 for i in (0, 3, 4))
    later = write_codes(ZIPS, indices[3:], seed=1, first=3).objects()
    assert later.tolist() == cells[3:].tolist()
    assert write_codes(ZIPS, indices, seed=2).objects().tolist() != cells.tolist()


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float64", "uint32"])
def test_codes_that_are_numbers_come_back_as_numbers(dtype):
    column = Column("plz", "categorical", dtype, levels=("101{9:2}", 80331), generalised=True)
    table = Table.from_columns(Schema((column,)), {"plz": np.array([0, 1, 0])})
    written = write_table(table, rng=np.random.default_rng(0))
    assert written["plz"].dtype == dtype
    assert written["plz"].between(10100, 10199).tolist() == [True, False, True]
    assert read_table(written, table.schema)["plz"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_every_kind_of_frame_gets_codes(frame):
    pytest.importorskip(frame)
    dtype = {"pandas": "str", "polars": "String", "pyarrow": "string"}[frame]
    schema = Schema((Column("zip", "categorical", dtype, levels=("021{9:2}",), generalised=True),), frame)
    written = write_table(Table.from_columns(schema, {"zip": np.zeros(3, int)}), rng=np.random.default_rng(0))
    cells = written["zip"].to_pylist() if frame == "pyarrow" else list(written["zip"])
    assert all(cell.startswith("021") for cell in cells)


def test_a_rare_code_cannot_be_asked_for():
    with pytest.raises(SchemaError, match=r"'02138' is one of '021\{9:2\}'"):
        physical_value(ZIPS, "02138")
    assert physical_value(ZIPS, "021{9:2}") == 0
    with pytest.raises(SchemaError, match="has no level '1'"):
        physical_value(ZIPS, "1")


def test_wrong_groups_are_refused():
    with pytest.raises(SchemaError, match="cannot be used"):
        Column("zip", "categorical", "str", levels=("021{9:2",), generalised=True)
    with pytest.raises(SchemaError, match="one length"):
        Column("zip", "categorical", "str", levels=("021{9:2-3}",), generalised=True)
    with pytest.raises(SchemaError, match="generalised is for"):
        Column("x", "numeric", "int64", generalised=True)


def test_what_is_no_code_has_no_text():
    assert [code_text(level) for level in (True, 1.5, -3)] == [None] * 3
