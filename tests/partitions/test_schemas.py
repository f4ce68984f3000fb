"""Schemas of partitions: types that hold all of them, and those that do not go with the others."""

from __future__ import annotations

import pyarrow as pa
import pytest

from janus_synth.errors import DataError
from janus_synth.partitions.bad_files import BadFiles
from janus_synth.partitions.schemas import common_schema, one_line

INT, FLOAT, NULL = (pa.schema({"x": kind}) for kind in (pa.int64(), pa.float64(), pa.null()))
OTHER = pa.schema({"y": pa.int64()})
LIST = pa.schema({"x": pa.list_(pa.int64())})


def test_types_are_widened_and_the_order_of_columns_does_not_matter():
    schema, fitting = common_schema([("a", INT), ("b", FLOAT), ("c", NULL)], BadFiles())
    assert (schema, fitting) == (FLOAT, [0, 1, 2])
    ab, ba = pa.schema({"a": pa.int8(), "b": pa.int8()}), pa.schema({"b": pa.int8(), "a": pa.int8()})
    assert common_schema([("a", ab), ("b", ba)], BadFiles()) == (ab, [0, 1])


@pytest.mark.parametrize(
    ("odd", "says"), [(OTHER, "b lacks 'x' and has 'y', unlike a"), (LIST, "b has other types than a")]
)
def test_a_schema_that_does_not_fit_is_named(odd, says):
    with pytest.raises(DataError, match=says):
        common_schema([("a", INT), ("b", odd), ("c", INT)], BadFiles())


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("odd", [OTHER, LIST], ids=["columns", "types"])
def test_the_most_frequent_schema_decides_which_are_left_out(at, odd):
    schemas = [("a", INT), ("b", INT)]
    schemas.insert(at, ("odd", odd))
    bad = BadFiles("skip")
    schema, fitting = common_schema(schemas, bad)
    assert schema == INT
    assert at not in fitting
    assert [file.name for file in bad.skipped] == ["odd"]


def test_messages_of_other_libraries_become_one_line():
    assert one_line(ValueError("a\n  b.")) == "a b"
